//! A script with fewer words and marks: declarations that follow each other are one, and no semicolon ends a block.

use super::tokens::{Kind, Role, Tokens};

/// `None`: a script whose brackets do not match.
pub fn thin(script: &str) -> Option<String> {
    let tokens = Tokens::of(script)?;
    let (mut out, mut end) = (String::new(), 0);
    // What is replaced ends where a declaration does, or a block, so in their order.
    let mut cuts = Vec::new();
    for at in 0..tokens.0.len() {
        if let Some(semicolon) = declared(script, &tokens, at)
            && is_declaration(&tokens, semicolon + 1)
        {
            cuts.push((tokens.0[semicolon].at, tokens.0.get(semicolon + 2)?.at, ","));
        } else if is_spare(&tokens, at) {
            cuts.push((tokens.0[at].at, tokens.0[at].at + 1, ""));
        }
    }
    cuts.sort_unstable();
    for (from, to, by) in cuts {
        out.push_str(script.get(end..from)?);
        out.push_str(by);
        end = to;
    }
    out.push_str(script.get(end..)?);
    Some(out)
}

/// Where the semicolon is that ends the declaration at `at`, which nobody else hears of.
fn declared(script: &str, tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let is_told = at.checked_sub(1).is_some_and(|before| tokens.text(before) == "export");
    if is_told || !is_declaration(tokens, at) {
        return None;
    }
    let mut next = at + 1;
    while !tokens.is_end(next) {
        if tokens.text(next) == ";" {
            return Some(next);
        }
        // A line's end may be the declaration's.
        let last = &tokens.0[next.max(tokens.0[next].mate)];
        next = tokens.after(next);
        if script.get(last.at + last.text.len()..tokens.0.get(next)?.at)?.contains('\n') {
            return None;
        }
    }
    None
}

/// Whether variables are declared at `at`, and for a block.
fn is_declaration(tokens: &Tokens<'_>, at: usize) -> bool {
    let is_first = |token: &str| matches!(token, "[" | "{");
    tokens.0.get(at).is_some_and(|token| {
        let outer = token.outer.map(|outer| tokens.0[outer].role);
        token.text == "let" && matches!(outer, None | Some(Role::Block))
    }) && (tokens.is_name(at + 1) || is_first(tokens.text(at + 1)))
}

/// Whether a semicolon ends what a block's end would: not one that is all that is done in a loop.
fn is_spare(tokens: &Tokens<'_>, at: usize) -> bool {
    let (Some(token), Some(next), Some(last)) =
        (tokens.0.get(at), tokens.0.get(at + 1), tokens.0.get(at.wrapping_sub(1)))
    else {
        return false;
    };
    let ends_block = next.text == "}" && next.kind == Kind::Mark && tokens.0[next.mate].role == Role::Block;
    let is_done = match last.text {
        ")" => !["if", "for", "while", "await", "with"].contains(&tokens.text(last.mate.wrapping_sub(1))),
        ";" | ":" | "{" | "else" | "do" => false,
        _ => true,
    };
    (token.kind, token.text) == (Kind::Mark, ";") && ends_block && is_done
}

#[cfg(test)]
mod tests {
    use super::thin;

    #[track_caller]
    fn is(script: &str, thinned: &str) {
        assert_eq!(thin(script).unwrap(), thinned);
    }

    #[test]
    fn declarations_that_follow_each_other_are_one() {
        is("let a=1;let b=f({c:2},[3]);let[d,e]=b;let{g}=e;go();", "let a=1,b=f({c:2},[3]),[d,e]=b,{g}=e;go();");
        is("{let a;let b;}let c=()=>{let d;let e;g();};let f;", "{let a,b}let c=()=>{let d,e;g()},f;");
        // What is exported, what ends with its line, what a loop or a branch declares, and what only looks like it.
        for same in [
            "export let a=1;let b=2;",
            "let a=1;export let b=2;",
            "let a=1\nf();let b=2;",
            "for(let a of b)c();let d=1;",
            "a.let;let b=1;",
            "let a=`;let b`;f(`${c}`);let d=1;",
        ] {
            is(same, same);
        }
        is("let a=1;let b=2\nlet c=3;let d=4;", "let a=1,b=2\nlet c=3,d=4;");
        is("switch(a){case 1:let b=1;let c=2;f();}", "switch(a){case 1:let b=1,c=2;f()}");
    }

    #[test]
    fn a_block_ends_its_last_statement() {
        is("if(a){b();}else{return;}", "if(a){b()}else{return}");
        is("let f=()=>{a=(1);};", "let f=()=>{a=(1)};");
        is("`${()=>{a();}};}`;", "`${()=>{a()}};}`;");
        // A loop or a branch that does nothing, and the fields of a class.
        for same in [
            "{for(;;);}",
            "{while(a);}",
            "{if(a);}",
            "{if(a)b();else;}",
            "{a:;}",
            "class A{b=1;}",
            "{for await(let a of b);}",
        ] {
            is(same, same);
        }
    }
}

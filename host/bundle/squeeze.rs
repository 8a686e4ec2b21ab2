// Scripts and style sheets without what only people read: comments, indentation, the spaces, line ends and last commas that
// mean nothing, and the word that says of a name that it is never given another value.

/// A script as a browser needs it. Texts and patterns stay as they are.
pub fn squeeze(script: &str) -> String {
    let mut squeezed = Squeezed { out: String::new(), open: Vec::new() };
    let mut rest = script;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' | '\'' => text(rest, next),
            '`' => squeezed.template(rest),
            '}' if squeezed.open.last() == Some(&0) => squeezed.template(rest),
            '/' if rest.starts_with("//") => {
                rest = rest.get(rest.find('\n').unwrap_or(rest.len())..).unwrap_or_default();
                continue;
            }
            '/' if squeezed.is_before_pattern() => pattern(rest),
            'c' if squeezed.is_before_word() && word(rest) == "const" => {
                squeezed.out.push_str("let");
                rest = rest.get("const".len()..).unwrap_or_default();
                continue;
            }
            ' ' | '\n' => {
                let after = rest.trim_start_matches([' ', '\n']);
                squeezed.space(rest.get(..rest.len() - after.len()).unwrap_or_default(), after);
                rest = after;
                continue;
            }
            _ => {
                squeezed.count(next);
                squeezed.drop_comma(next);
                next.len_utf8()
            }
        };
        let (token, after) = rest.split_at(length.min(rest.len()));
        squeezed.out.push_str(token);
        rest = after;
    }
    squeezed.out.push('\n');
    squeezed.out
}

/// A style sheet as a browser needs it. No text of ours in one holds a comment or what it takes out.
pub fn style(sheet: &str) -> String {
    let mut text = String::new();
    let mut rest = sheet;
    while let Some((before, comment)) = rest.split_once("/*") {
        text.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let words: Vec<&str> = text.split_whitespace().collect();
    let marks = ["{ ", " {", "; ", "} ", " }", ", ", ": "].iter();
    let text = marks.fold(words.join(" "), |text, mark| text.replace(mark, mark.trim()));
    text.replace(";}", "}") + "\n"
}

struct Squeezed {
    out: String,
    /// For each template that an expression stands in: the braces that are open in the expression.
    open: Vec<usize>,
}

impl Squeezed {
    fn count(&mut self, brace: char) {
        match (brace, self.open.last_mut()) {
            ('{', Some(open)) => *open += 1,
            ('}', Some(open)) => *open -= 1,
            _ => {}
        }
    }

    /// A comma behind the last of a list says nothing, but where an empty place is meant.
    fn drop_comma(&mut self, next: char) {
        let is_end = matches!(next, ')' | ']' | '}') && self.out.ends_with(',');
        if is_end && !["[,", ",,"].iter().any(|empty| self.out.ends_with(empty)) {
            self.out.pop();
        }
    }

    /// How long the part of a template is that begins here, behind a backtick or an expression: up to the next of either.
    fn template(&mut self, rest: &str) -> usize {
        if rest.starts_with('}') {
            self.open.pop();
        }
        let bytes = rest.as_bytes();
        let mut at = 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'`' => return at + 1,
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    self.open.push(0);
                    return at + 2;
                }
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// A slash after a value divides.
    fn is_before_pattern(&self) -> bool {
        self.out
            .trim_end()
            .chars()
            .last()
            .is_none_or(|last| !is_word(last) && !matches!(last, ')' | ']' | '}' | '`' | '"'))
    }

    /// Neither in the middle of a word nor at the name of a field.
    fn is_before_word(&self) -> bool {
        self.out.chars().last().is_none_or(|last| !is_word(last) && last != '.')
    }

    fn space(&mut self, space: &str, after: &str) {
        let (last, next) = (self.out.chars().last(), after.chars().next());
        let (Some(last), Some(next)) = (last, next) else { return };
        if space.contains('\n') {
            // A line ends a statement only where one can end.
            let goes_on = matches!(last, ',' | '(' | '[' | '{' | ';' | '&' | '|' | '?' | ':' | '=' | '>' | '\n');
            if !goes_on && !matches!(next, ')' | ']' | '}' | '.' | ',' | '?' | ':' | '&' | '|' | '=') {
                self.out.push('\n');
            }
        } else if (is_word(last) && is_word(next)) || (last == next && matches!(next, '+' | '-')) {
            self.out.push(' ');
        }
    }
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// The word that begins here.
fn word(rest: &str) -> &str {
    rest.get(..rest.find(|c| !is_word(c)).unwrap_or(rest.len())).unwrap_or_default()
}

/// How long a text in quotes is.
pub fn text(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// How long a pattern between slashes is.
pub fn pattern(rest: &str) -> usize {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_that_end_a_list_go_and_empty_places_stay() {
        let squeezed = |script: &str| squeeze(script).trim_end().to_owned();
        assert_eq!(squeezed("f(\n  a,\n  [1, 2,],\n  { b, },\n);"), "f(a,[1,2],{b});");
        assert_eq!(squeezed("let [, second,] = [,];"), "let[,second]=[,];");
        assert_eq!(squeezed("[',', `,`, /,/, `${a},`]"), "[',',`,`,/,/,`${a},`]");
    }

    #[test]
    fn names_are_declared_by_one_word() {
        let script = "export const a = 1;\nfor (const b of c) d.const(constant, aconst, \"const e\", `const ${() => { const f = 1; }}`);";
        let squeezed =
            "export let a=1;for(let b of c)d.const(constant,aconst,\"const e\",`const ${()=>{let f=1;}}`);\n";
        assert_eq!(squeeze(script), squeezed);
    }

    #[test]
    fn a_style_sheet_is_one_line() {
        let sheet = "/* Red\n   it is. */\na > b,\na :hover {\n  color: red;\n  font:\n    9px x,\n    y;\n}\n\n\
                     @media (min-width: 9px) and (x) {\n  i {\n    width: calc(1px + 2px);\n  }\n}\n";
        let squeezed =
            "a > b,a :hover{color:red;font:9px x,y}@media (min-width:9px) and (x){i{width:calc(1px + 2px)}}\n";
        assert_eq!(style(sheet), squeezed);
    }
}

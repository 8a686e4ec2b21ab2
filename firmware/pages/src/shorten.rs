//! Scripts with short names.
//!
//! Whatever a script declares for itself gets a name of a letter or two; what others know, such as fields and the browser's own
//! names, stays. A name may come again wherever that of another variable is not said, so most functions call what they take the
//! same, which is what compresses well.
//!
//! Declarations and the places where they hold are found by brackets and few words, without knowing the language's grammar: where
//! it is not clear how far a name reaches, it reaches further, and then fewer names are free there.

mod marks;
mod names;
mod tokens;

use std::collections::HashSet;
use std::io;

use names::{Given, Names, Use, usage};
use tokens::{Tokens, is_reserved};

use crate::squeeze::squeeze;

/// What names begin with: letters that words of scripts have most of come first.
const LETTERS: &[u8] = b"etnarsioclduhpmfgvbwykxjqzETNARSIOCLDUHPMFGVBWYKXJQZ_$";

/// The script without what only people read: long names, and words and marks that say what is said already.
pub fn shorten(script: &str) -> io::Result<String> {
    let short = rename(&squeeze(script)).and_then(|script| marks::thin(&script));
    short.ok_or_else(|| io::Error::other("a script whose brackets do not match"))
}

fn rename(script: &str) -> Option<String> {
    let tokens = Tokens::of(script)?;
    let names = Names::of(&tokens);
    let new = choose(&names);
    let mut renamed = vec![None; tokens.0.len()];
    for (given, new) in names.given.iter().zip(&new) {
        for at in given.said.iter().filter(|_| given.name != new) {
            renamed[*at] = Some(new);
        }
    }
    let (mut out, mut end) = (String::new(), 0);
    for (at, new) in renamed.into_iter().enumerate() {
        let Some(new) = new else { continue };
        let token = &tokens.0[at];
        out.push_str(script.get(end..token.at)?);
        if usage(&tokens, at) == Use::Both {
            out.push_str(token.text);
            out.push(':');
        }
        out.push_str(new);
        end = token.at + token.text.len();
    }
    out.push_str(script.get(end..)?);
    Some(out)
}

/// A name for each that is given.
fn choose(names: &Names<'_>) -> Vec<String> {
    let mut new: Vec<Option<String>> =
        names.given.iter().map(|given| names.foreign.contains(given.name).then(|| given.name.to_owned())).collect();
    // The smallest functions first, so that they are the most alike.
    let mut order: Vec<_> = (0..names.given.len()).collect();
    order.sort_by_key(|nth| {
        let Given { region, said, .. } = &names.given[*nth];
        (region.1 - region.0, said.first().copied())
    });
    for nth in order {
        if new[nth].is_none() {
            let given = &names.given[nth];
            let others = names.given.iter().zip(&new).filter(|(other, _)| is_in_the_way(given, other));
            let taken: HashSet<_> = others.filter_map(|(_, new)| new.as_deref()).collect();
            let free = |name: &String| {
                !taken.contains(name.as_str()) && !names.foreign.contains(name.as_str()) && !is_reserved(name)
            };
            new[nth] = (0..).map(name).find(free);
        }
    }
    new.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether two can't have the same name.
fn is_in_the_way(one: &Given<'_>, other: &Given<'_>) -> bool {
    let is_within =
        |inner: &Given<'_>, outer: &Given<'_>| outer.region.0 <= inner.region.0 && inner.region.1 <= outer.region.1;
    let says = |region: (usize, usize), given: &Given<'_>| {
        let from = given.said.partition_point(|at| *at < region.0);
        given.said.get(from).is_some_and(|at| *at <= region.1)
    };
    match (is_within(one, other), is_within(other, one)) {
        (true, true) => true,
        // One may hide the other where nobody speaks of it.
        (true, false) => says(one.region, other),
        (false, true) => says(other.region, one),
        (false, false) => says(one.region, other) || says(other.region, one),
    }
}

fn name(nth: usize) -> String {
    let mut name = String::new();
    let mut rest = nth + 1;
    while rest > 0 {
        rest -= 1;
        name.push(LETTERS[rest % LETTERS.len()].into());
        rest /= LETTERS.len();
    }
    name
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::names::Finder;
    use super::*;
    use crate::modules::{Library, Words, join};

    fn short(script: &str) -> String {
        rename(&squeeze(script)).unwrap().trim_end().replace('\n', "")
    }

    #[test]
    fn what_a_script_declares_gets_short_names() {
        assert_eq!(short("let first = 1, second = (one) => one + first;"), "let t=1,e=(e)=>e+t;");
        assert_eq!(short("function add(left, ...others) { return left + others; }"), "function e(e,...t){return e+t;}");
        assert_eq!(short("for (const item of list) show(item);"), "for(let e of list)show(e);");
        assert_eq!(short("try { go(); } catch (error) { tell(error); }"), "try{go();}catch(e){tell(e);}");
        assert_eq!(
            short("let [head, , ...tail] = all, { key, old: kept = 1 } = tail;"),
            "let[e,,...t]=all,{key:n,old:a=1}=t;"
        );
    }

    #[test]
    fn what_others_know_keeps_its_name() {
        // Fields, members, the browser's names, what is exported, and texts.
        assert_eq!(
            short("let name = { name: 1, size() {} }; name.name = name.size();"),
            "let e={name:1,size(){}};e.name=e.size();"
        );
        assert_eq!(short("let wide = 1; use({ wide, high: wide });"), "let e=1;use({wide:e,high:e});");
        let class = "class Box { #lid = 1; get lid() { return this.#lid; } static make(lid) { return new Box(lid); } }";
        assert_eq!(short(class), "class t{#lid=1;get lid(){return this.#lid;}static make(e){return new t(e);}}");
        assert_eq!(
            short("let x = `${document.title} x ${x}`, y = /x/.test(\"x\");"),
            "let e=`${document.title} x ${e}`,t=/x/.test(\"x\");"
        );
        assert_eq!(short("export let open = (door) => door;"), "export let open=(e)=>e;");
        // One that is the browser's elsewhere.
        assert_eq!(short("let f = (location) => location; f(location);"), "let e=(location)=>location;e(location);");
        // Not `e`, which is somebody else's.
        assert_eq!(short("let one = e;"), "let t=e;");
    }

    #[test]
    fn a_name_is_taken_twice_only_where_the_other_is_not_said() {
        assert_eq!(
            short("let f = (a) => { let b = a; return (c) => b + c; };"),
            "let e=(e)=>{let t=e;return(e)=>t+e;};"
        );
        // A parameter and a variable of the body can't have one name.
        assert_eq!(short("function f(unused) { let used = 1; return used; }"), "function e(e){let t=1;return t;}");
        let cases = "switch (x) { case 1: { let a = 1; use(a); } default: use({ a: x }); }";
        assert_eq!(short(cases), "switch(x){case 1:{let e=1;use(e);}default:use({a:x});}");
    }

    #[test]
    fn brackets_that_do_not_match_are_an_error() {
        assert!(["f(", "f)", "f(]", "`${f`"].iter().all(|script| shorten(script).is_err()));
    }

    /// For each name that is said: which declaration it means, or the name itself if it is none of the script's.
    fn meanings(script: &str) -> Vec<Result<usize, String>> {
        let tokens = Tokens::of(script).unwrap();
        let mut finder = Finder::new(&tokens);
        finder.find_all();
        let said = (0..tokens.0.len()).filter(|at| usage(&tokens, *at) != Use::Field);
        let mean = |at| {
            let holds = |(_, (name, region)): &(usize, &(&str, (usize, usize)))| {
                *name == tokens.text(at) && (region.0..=region.1).contains(&at)
            };
            let holding = finder.found.iter().enumerate().filter(holds);
            let nearest = holding.min_by_key(|(_, (_, region))| region.1 - region.0);
            nearest.map(|(nth, _)| nth).ok_or_else(|| tokens.text(at).to_owned())
        };
        said.map(mean).collect()
    }

    #[test]
    fn every_page_means_what_it_meant() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../host/web");
        let (languages, mut library) = (["en".into(), "de".into()], Library::default());
        let folders = std::fs::read_dir(&web).unwrap().map(|folder| folder.unwrap().file_name());
        let mut entries: Vec<_> = folders.map(|folder| Path::new(&folder).join("main.js")).collect();
        entries.retain(|entry| web.join(entry).is_file());
        entries.push("front/front.js".into());
        let mut scripts: Vec<_> = entries
            .iter()
            .map(|entry| join(&web, entry, Words::Within(&languages), &mut library, "/lib.js").unwrap())
            .collect();
        assert!(scripts.len() > 3, "{entries:?}");
        scripts.push(library.script);
        for long in scripts.iter().map(|script| squeeze(script)) {
            let short = rename(&long).unwrap();
            assert!(marks::thin(&short).is_some());
            assert!(short.len() * 10 < long.len() * 9, "{} bytes of {}", short.len(), long.len());
            let (before, after) = (meanings(&long), meanings(&short));
            let differs = before.iter().zip(&after).position(|(before, after)| before != after);
            assert_eq!((before.len(), None), (after.len(), differs));
        }
    }
}

// Which languages the pages have, and a page's HTML in one of them: for the build scripts of the program and of the boards.
//
// A page says `{key}` where a word belongs. The word stands in the table of the page's folder, `words.LANGUAGE.js`, or in the
// one that all share, on a line of its own: `  key: "word",`. `{language}`, `{languages}` and `{dir}` are known as well.

use std::fs;
use std::io;
use std::path::Path;

/// The one that every page has.
const FIRST: &str = "en";
/// The folder of what all pages share.
const SHARED: &str = "lib";

/// Every language that there is a table of words for, English first.
pub fn languages(web: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(web.join(SHARED))? {
        let name = entry?.file_name();
        let code = name.to_str().and_then(|name| name.strip_prefix("words.")?.strip_suffix(".js"));
        found.extend(code.map(str::to_owned));
    }
    found.sort_by_key(|code| (code != FIRST, code.clone()));
    Ok(found)
}

/// The page of a folder in one of `languages`, which are told to it.
pub fn fill(web: &Path, folder: &str, page: &str, language: &str, languages: &[String]) -> io::Result<String> {
    let table = |folder: &str| fs::read_to_string(web.join(folder).join(format!("words.{language}.js")));
    let own = table(folder).unwrap_or_default();
    let shared = table(SHARED)?;
    let (mut filled, mut rest) = (String::new(), page);
    while let Some((before, after)) = rest.split_once('{') {
        let (key, after) = after.split_once('}').ok_or_else(|| wrong(folder, language, after))?;
        filled.push_str(before);
        let word = match key {
            "language" => language.to_owned(),
            "languages" => languages.join(" "),
            _ => {
                let word =
                    word(&own, key).or_else(|| word(&shared, key)).ok_or_else(|| wrong(folder, language, key))?;
                word.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
            }
        };
        filled.push_str(&word);
        rest = after;
    }
    Ok(filled + rest)
}

fn word<'t>(table: &'t str, key: &str) -> Option<&'t str> {
    let of_line = |line: &'t str| line.strip_prefix("  ")?.strip_prefix(key)?.strip_prefix(": \"")?.strip_suffix("\",");
    table.lines().find_map(of_line)
}

fn wrong(folder: &str, language: &str, key: &str) -> io::Error {
    io::Error::other(format!("{folder}/index.html: there is no word {key:?} in {language}"))
}

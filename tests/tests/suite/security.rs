//! The table of SECURITY.md: each attack names what holds it, and that is there.
//!
//! The last column has tests by file and name (`strangers::pings_and_empty_messages_are_counted`), files of tests (`formats.rs`),
//! conversations (`yard/lines.talk`), parts of the test script (`tests/run proxies`), and may have words between them.

use std::fs;
use std::path::{Path, PathBuf};

/// Where tests stand, but for conversations.
const ROOMS: [&str; 5] = ["core/src", "host/src", "host/tests", "tests/tests", "firmware/src"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The rows of the table, each its columns.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let table = page.split_once("| attack | before | after | held by |").expect("the table").1;
    let rows = table.lines().skip(2).map_while(|line| line.strip_prefix('|')?.strip_suffix('|'));
    rows.map(|row| row.split('|').map(str::trim).collect()).collect()
}

/// What stands between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether the text has a test of this name, which is run.
fn has_test(text: &str, name: &str) -> bool {
    let Some((before, _)) = text.split_once(&format!("fn {name}(")) else { return false };
    let attributes = before.rsplit("\n\n").next().unwrap_or_default();
    attributes.contains("#[test]") || attributes.contains("#[tokio::test")
}

/// Is what holds an attack there? A path's folders and file are the words before `::`.
fn is_there(held_by: &str, sources: &[(String, String)]) -> bool {
    if let Some(part) = held_by.strip_prefix("tests/run ") {
        let script = fs::read_to_string(root().join("tests/run")).unwrap();
        return script.contains(&format!("part_{}()", part.replace('-', "_")));
    }
    if held_by.ends_with(".talk") {
        return root().join("tests/conversations").join(held_by).is_file();
    }
    if held_by.ends_with(".rs") {
        return sources.iter().any(|(path, text)| path.ends_with(held_by) && text.contains("#[test]"));
    }
    let (file, name) = held_by.rsplit_once("::").unwrap_or_default();
    let words: Vec<&str> = file.split("::").collect();
    let is_meant = |path: &str| words.iter().all(|word| path.split(['/', '.']).any(|part| part == *word));
    sources.iter().any(|(path, text)| is_meant(path) && has_test(text, name))
}

#[test]
fn every_attack_is_held_by_something_that_is_there() {
    let mut paths = Vec::new();
    ROOMS.iter().for_each(|room| sources(&root().join(room), &mut paths));
    let read = |path: PathBuf| (path.to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap());
    let sources: Vec<_> = paths.into_iter().map(read).collect();
    let page = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let (mut faults, mut attacks) = (Vec::new(), 0);
    for row in rows(&page) {
        let [attack, before, after, held_by] = row[..] else { panic!("{row:?} has not four columns") };
        // A heading.
        if before.is_empty() && after.is_empty() {
            continue;
        }
        attacks += 1;
        if quoted(held_by).next().is_none() {
            faults.push(format!("{attack}: held by nothing"));
        }
        let missing = quoted(held_by).filter(|name| !is_there(name, &sources));
        faults.extend(missing.map(|name| format!("{attack}: there is no {name}")));
    }
    assert!(attacks >= 29, "{attacks} attacks");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

//! Every section that a comment, a test or a page cites is in its game's PROTOCOL.md.
//!
//! `pimp 16.3` cites section 16.3 of core/src/pimp/PROTOCOL.md; more may follow: `pimp 5, 16.3`. A section is a heading or
//! an item of a list that begins with its number. Games are the folders of core that have such a page: a new one is
//! checked without being named here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const ROOMS: [&str; 4] = ["core", "host", "firmware", "tests"];
/// Text that people write. Files without an extension are scripts.
const SOURCES: [&str; 11] = ["", "rs", "md", "talk", "js", "mjs", "css", "html", "toml", "txt", "sh"];
/// Made, not written.
const LEFT_OUT: [&str; 5] = ["target", "node_modules", "shots", "corpus", "artifacts"];

/// A section's number, or what was written where one should stand.
type Section = String;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn visit(folder: &Path, see: &mut impl FnMut(&Path)) {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if path.is_symlink() || name.starts_with('.') || LEFT_OUT.contains(&&*name) {
            continue;
        } else if path.is_dir() {
            visit(&path, see);
        } else if SOURCES.contains(&&*extension) {
            see(&path);
        }
    }
}

/// The number that the text begins with: digits with dots between. A dot that ends a sentence is none of it.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let found = text[..end].trim_end_matches('.');
    let is_word = text[found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '%');
    let is_whole = !found.is_empty() && found.split('.').all(|part| !part.is_empty());
    (is_whole && !is_word).then_some(found)
}

/// The sections of a page, each as often as it is there.
fn sections(page: &str) -> Vec<&str> {
    let begins = |line: &&str| line.starts_with('#') || line.starts_with("- ");
    let lines = page.lines().map(str::trim_start).filter(begins);
    lines.filter_map(|line| number(line.trim_start_matches(['#', '-', '*', ' ']))).collect()
}

/// The text on one line, without what begins a line of comment, and where each line of the file begins in it.
fn joined(text: &str) -> (String, Vec<usize>) {
    let mut whole = String::new();
    let mut starts = Vec::new();
    for line in text.lines() {
        starts.push(whole.len());
        whole.push_str(line.trim_start().trim_start_matches(['/', '!', '*', '#']).trim());
        whole.push(' ');
    }
    (whole, starts)
}

/// What `text` cites of `game`, each with its line. Brackets that begin with the game and go on with a word instead of a
/// number are meant as a citation: the word is returned, and is no section.
fn citations(game: &str, text: &str) -> Vec<(usize, Section)> {
    let (text, starts) = joined(text);
    let name = format!("{game} ");
    let mut cited = Vec::new();
    for (at, _) in text.match_indices(&name) {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        if before.is_alphanumeric() || "-_/.\"$".contains(before) {
            continue;
        }
        let line = starts.partition_point(|start| *start <= at);
        let mut rest = &text[at + name.len()..];
        if before == '(' && number(rest).is_none() && rest.starts_with(char::is_alphanumeric) {
            cited.push((line, rest.chars().take(20).collect()));
        }
        while let Some(section) = number(rest) {
            cited.push((line, section.into()));
            rest = &rest[section.len()..];
            rest = rest.strip_prefix(", ").or_else(|| rest.strip_prefix(" and ")).unwrap_or_default();
        }
    }
    cited
}

/// The games that have a page, with its sections.
fn pages() -> BTreeMap<String, BTreeSet<Section>> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(root().join("core/src")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(page) = fs::read_to_string(folder.join("PROTOCOL.md")) else { continue };
        let game = folder.file_name().unwrap().to_string_lossy().into_owned();
        let mut known = BTreeSet::new();
        for section in sections(&page) {
            assert!(known.insert(section.to_string()), "{game}: section {section} is there twice");
            let parent = section.rsplit_once('.').map(|(parent, _)| parent);
            let is_led_to = parent.is_none_or(|parent| known.contains(parent));
            assert!(is_led_to, "{game}: section {section} stands in no section of the number before its last dot");
        }
        pages.insert(game, known);
    }
    pages
}

#[test]
fn every_cited_section_exists() {
    let pages = pages();
    assert!(pages.len() >= 2, "{:?}", pages.keys());
    let (mut count, mut missing) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for room in ROOMS {
        visit(&root().join(room), &mut |path| {
            let Ok(text) = fs::read_to_string(path) else { return };
            for (game, known) in &pages {
                for (line, section) in citations(game, &text) {
                    *count.entry(game).or_default() += 1;
                    if !known.contains(&section) {
                        let file = path.strip_prefix(root()).unwrap_or(path).display();
                        missing.push(format!("{file}:{line}: {game} {section}"));
                    }
                }
            }
        });
    }
    println!("citations: {count:?}");
    // A page that nothing cites is not found by whoever reads the code, or the search above is wrong.
    assert!(count.len() == pages.len(), "{count:?}");
    assert!(missing.is_empty(), "no such section:\n{}", missing.join("\n"));
}

#[test]
fn citations_are_found_as_they_are_written() {
    let cites = |text: &str| citations("pimp", text).into_iter().map(|(_, section)| section).collect::<Vec<_>>();
    assert_eq!(cites("// It waits (pimp 16.3)."), ["16.3"]);
    assert_eq!(cites("see pimp 1 and 2, or pimp 12.5.1."), ["1", "2", "12.5.1"]);
    assert_eq!(cites("# Title (pimp 3.9, 3.10, 16.3)"), ["3.9", "3.10", "16.3"]);
    assert_eq!(cites("/// broken in two (pimp\n    /// 7)"), ["7"]);
    // Put together here, or this file would be found to cite it.
    assert_eq!(cites(&format!("# Title ({} V9)", "pimp")), ["V9) "]);
    assert_eq!(cites("--pimp 0.0.0.0:13220, knock/pimp 3, pimp 3rd, \"pimp 4 tables\", a pimp table"), [""; 0]);
    assert_eq!(citations("pimp", "one\n\n// pimp 5\n")[0].0, 3);
}

#[test]
fn sections_are_headings_and_items() {
    let page = "# Page 1\n## 0. Options\n- **0.1** `pot`\n  - **0.1.1** more\n### 12.5 After\n1.1 is no section\n| 4 |\n- 16 things";
    assert_eq!(sections(page), ["0", "0.1", "0.1.1", "12.5", "16"]);
}

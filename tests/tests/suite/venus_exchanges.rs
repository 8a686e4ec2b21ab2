//! The conversations of Merchant of Venus leave nothing out: every row of the protocol's table of actions, every reason
//! for a refusal, every text of ERROR and every section about the lobby is in one of them. The tables are printed
//! (`cargo test -p parlor-tests --test suite venus_exchanges:: -- --nocapture`).
//!
//! What is read here is the files' text; that the server answers so is what `conversations.rs` holds it to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use parlor_core::venus::rules::REASONS;
use parlor_tests::conversation::folder;

/// One thing said, and all that was heard of it, by anybody, in the order of the file.
struct Exchange {
    /// The whole line.
    said: String,
    heard: Vec<String>,
}

/// Texts of ERROR that no conversation can bring about: the adapter must fail. Tests in core's room hold them.
const SILENT: [(&str, &str); 6] = [
    ("Too many rooms were made from your address.", "the adapter counts rooms by address, and has none for itself"),
    (
        "Too many accounts were made from your address.",
        "the adapter counts accounts by address, and has none for itself",
    ),
    ("Try again later.", "a password could not be hashed, or a name is being made"),
    ("The game could not be saved.", "the adapter could not keep the file"),
    ("The game can not be loaded now.", "the game began while the file was on its way"),
    ("There is no bot to be had.", "the adapter has no bots left"),
];

fn name(line: &str) -> &str {
    line.split(',').next().unwrap_or_default()
}

/// All exchanges that a file spells out, by the file's name.
fn exchanges() -> BTreeMap<String, Vec<Exchange>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder().join("venus")).unwrap() {
        let path = entry.unwrap().path();
        let Some(stem) = path.to_str().and_then(|path| path.strip_suffix(".talk")) else { continue };
        let stem = Path::new(stem).file_name().unwrap().to_string_lossy().into_owned();
        files.insert(stem, read(&fs::read_to_string(&path).unwrap()));
    }
    files
}

fn read(text: &str) -> Vec<Exchange> {
    let mut all: Vec<Exchange> = Vec::new();
    let mut is_open = false;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        if let Some((_, said)) = line.split_once(" > ") {
            all.push(Exchange { said: said.to_owned(), heard: Vec::new() });
            is_open = true;
        } else if let Some((_, heard)) = line.split_once("< ") {
            let heard = heard.rsplit_once(" x ").map_or(heard, |(_, line)| line);
            all.last_mut().filter(|_| is_open).into_iter().for_each(|last| last.heard.push(heard.to_owned()));
        } else {
            // A short form: what is heard of it is not spelt out.
            is_open = false;
        }
    }
    all
}

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/venus/PROTOCOL.md");
    fs::read_to_string(page).unwrap()
}

/// The first column of the table in section 6.
fn rows_of_protocol(page: &str) -> BTreeSet<String> {
    let section = page.split("\n## 6.").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    rows.map(|row| row.trim_matches('*').to_owned()).filter(|row| row != "action").collect()
}

/// Do these names occur among the lines, in this order?
fn in_order(names: &[&str], lines: &[String]) -> bool {
    let mut lines = lines.iter();
    names.iter().all(|wanted| lines.any(|line| name(line) == *wanted))
}

#[test]
fn every_row_of_the_protocols_table_is_held() {
    let files = exchanges();
    let mut held = BTreeSet::new();
    for line in include_str!("../../data/venus/exchanges.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split(": ").collect();
        let [row, file, said, heard] = fields[..] else { panic!("not a row: {line}") };
        let names: Vec<&str> = heard.split(' ').collect();
        let exchanges = files.get(file).unwrap_or_else(|| panic!("{row}: there is no {file}.talk"));
        let mut fitting = exchanges.iter().filter(|exchange| name(&exchange.said) == said);
        assert!(fitting.any(|exchange| in_order(&names, &exchange.heard)), "{file}.talk does not hold {row}: {heard}");
        println!("{row:<40} {file}.talk");
        held.insert(row.to_owned());
    }
    assert_eq!(held, rows_of_protocol(&page()));
    assert_eq!(held.len(), 30);
}

#[test]
fn every_reason_is_given_and_no_other() {
    let mut given: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (file, exchanges) in exchanges() {
        for Exchange { said, heard } in exchanges {
            let reason = heard.first().and_then(|line| line.strip_prefix("MOVERROR,"));
            let Some(reason) = reason else { continue };
            given.entry((name(&said).to_owned(), reason.to_owned())).or_default().push(file.clone());
        }
    }
    let listed = REASONS
        .iter()
        .flat_map(|(verb, reasons)| reasons.iter().map(|reason| (verb.name().to_owned(), reason.text().to_owned())));
    for ((verb, reason), files) in &given {
        println!("{verb:<18} {reason:<68} {}", files.join(" "));
    }
    assert_eq!(given.keys().cloned().collect::<BTreeSet<_>>(), listed.collect());
}

/// The texts that the server has for ERROR, wherever in its room they are.
fn texts_of_server() -> BTreeSet<String> {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/venus/server");
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(server).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        for line in fs::read_to_string(path).unwrap().lines().filter(|line| line.contains("const ")) {
            let text = line.split_once(": &str = \"").and_then(|(_, rest)| rest.strip_suffix("\";"));
            texts.extend(text.filter(|text| text.ends_with(['.', '!'])).map(str::to_owned));
        }
    }
    texts
}

#[test]
fn every_text_of_error_is_heard() {
    let files = exchanges();
    let lines = || files.values().flatten().flat_map(|exchange| &exchange.heard);
    let heard: BTreeSet<&str> = lines().filter_map(|line| line.strip_prefix("ERROR,")).collect();
    let texts = texts_of_server();
    assert!(texts.len() >= 24, "{texts:?}");
    let silent: BTreeSet<&str> = SILENT.iter().map(|(text, _)| *text).collect();
    for text in &texts {
        let count = lines().filter(|line| line.strip_prefix("ERROR,") == Some(text)).count();
        println!("{count:>4} {text}");
        assert!(heard.contains(&text[..]) != silent.contains(&text[..]), "{text}");
    }
    // All that is said is one of them, but for the name of an action.
    let is_known = |text: &&str| texts.contains(*text) || text.starts_with("Bad number of arguments to ");
    assert_eq!(heard.iter().filter(|text| !is_known(text)).collect::<Vec<_>>(), Vec::<&&str>::new());
}

/// Lobby, who gets what, refreshes and refusals: each section is cited by a conversation that holds the server to it.
#[test]
fn every_section_about_the_lobby_is_held() {
    let mut cited = BTreeSet::new();
    for entry in fs::read_dir(folder().join("venus")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let title = text.lines().next().unwrap_or_default();
        let sections = title.rsplit_once("(venus ").and_then(|(_, rest)| rest.strip_suffix(')'));
        cited.extend(sections.into_iter().flat_map(|list| list.split(", ")).map(str::to_owned));
    }
    let wanted = |section: &&str| ["3.", "4.", "5.", "7.", "8."].iter().any(|chapter| section.starts_with(chapter));
    let page = page();
    let sections =
        page.lines().filter_map(|line| line.strip_prefix("- **")?.split_once("**")).map(|(number, _)| number);
    let missing: Vec<&str> = sections.filter(wanted).filter(|section| !cited.contains(*section)).collect();
    assert!(missing.is_empty(), "no conversation cites these: {missing:?}");
}

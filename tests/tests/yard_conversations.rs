//! Holds every conversation of Scotland Yard with the core in this process.

use std::collections::BTreeSet;
use std::path::PathBuf;

use parlor_core::yard::wire::{COMMANDS, STATUSES};
use parlor_tests::talk::{Conversation, Heard};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conversations/yard")
}

/// Bytes that arrive in one piece: all there are.
const WHOLE: usize = usize::MAX;

fn files() -> BTreeSet<String> {
    std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|file| file.ends_with(".talk"))
        .collect()
}

fn hold(file: &str, piece: usize, heard: &mut Heard) -> Result<(), String> {
    let text = std::fs::read_to_string(folder().join(file)).map_err(|e| format!("{file}: {e}"))?;
    let conversation = Conversation::parse(&format!("conversations/yard/{file}"), &text)?;
    let mut backend = conversation.setup.in_memory(piece).map_err(|e| format!("{file}: {e}"))?;
    conversation.run(&mut *backend, heard)
}

fn hold_all(piece: usize) -> Heard {
    let mut heard = Heard::new();
    let failures: Vec<String> = files().iter().filter_map(|file| hold(file, piece, &mut heard).err()).collect();
    assert!(failures.is_empty(), "in pieces of {piece}:\n{}", failures.join("\n\n"));
    heard
}

#[test]
fn every_conversation_holds_and_every_line_occurs() {
    let heard = hold_all(WHOLE);
    println!("{} files", files().len());
    let silent: Vec<_> = COMMANDS.iter().filter(|word| !heard.contains(**word)).collect();
    assert!(silent.is_empty(), "commands that nobody said: {silent:?}");
    let silent: Vec<_> = STATUSES.iter().filter(|word| !heard.contains(&format!("* {word}"))).collect();
    assert!(silent.is_empty(), "lines that nobody heard: {silent:?}");
    assert!(["ok", "no", "bad", "turn", "turnnum", "* bad"].iter().all(|word| heard.contains(*word)));
}

/// How bytes are cut up on their way must change nothing.
#[test]
fn every_conversation_holds_byte_by_byte() {
    hold_all(1);
    hold_all(7);
}

fn failure(lines: &str) -> String {
    let text = format!("# A conversation that goes wrong (yard 1)\nlogin joe dan\n{lines}");
    let conversation = Conversation::parse("wrong.talk", &text).unwrap();
    let mut backend = conversation.setup.in_memory(WHOLE).unwrap();
    conversation.run(&mut *backend, &mut Heard::new()).unwrap_err()
}

#[test]
fn what_differs_or_is_not_mentioned_is_shown() {
    let shown = failure("joe > noop\njoe < - no\n");
    assert!(shown.starts_with("wrong.talk:4: joe should hear\n    - no\n  but heard\n    - ok\n"), "{shown}");
    assert!(failure("joe > noop\n").starts_with("wrong.talk:3: joe heard what no line mentions\n    - ok"));
    assert!(failure("joe < - ok\n").contains("but nothing came"));
    assert!(failure("joe < closed\n").contains("should be closed and is not"));
    assert!(failure("eve > noop\n").contains("eve is not connected"));
    assert!(Conversation::parse("odd.talk", "# Title\n").is_err());
    assert!(Conversation::parse("odd.talk", "# Title (yard 1)\njoe sings\n").unwrap_err().contains("odd.talk:2"));
}

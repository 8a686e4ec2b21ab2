//! Every conversation is answered today as it was answered when `data/transcripts.txt` was written, to the last byte.
//!
//! A line of that file is a SHA-256 of all that the connections of one conversation were sent, in the order in which they
//! were made, each with its length before it; then the conversation, its connections and its bytes. A file whose line
//! changes is a change that clients see. Where that is meant (a rule, a new file), write the lines anew and look at the
//! difference before it is committed:
//!
//! ```text
//! WRITE_TRANSCRIPTS=1 cargo test -p parlor-tests --test transcripts
//! ```

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use parlor_tests::peer::Backend;
use parlor_tests::record::{Heard, Recorded};
use parlor_tests::{conversation, talk};
use sha2::{Digest as _, Sha256};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn listing() -> PathBuf {
    root().join("data/transcripts.txt")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

/// What every connection of a conversation heard.
fn heard(game: &str, name: &str, text: &str) -> Result<Heard, String> {
    let record = |mut backend: Box<dyn Backend>, run: &dyn Fn(&mut dyn Backend) -> Result<(), String>| {
        let mut recorded = Recorded::to_the_end(&mut *backend);
        run(&mut recorded).map(|()| recorded.heard())
    };
    if game == "pimp" {
        let talk = conversation::Conversation::parse(name, text)?;
        record(talk.setup.in_memory(usize::MAX)?, &|backend| talk.run(backend, &mut Default::default()))
    } else {
        let talk = talk::Conversation::parse(name, text)?;
        record(talk.setup.in_memory(usize::MAX)?, &|backend| talk.run(backend, &mut Default::default()))
    }
}

fn line(name: &str, heard: &Heard) -> String {
    let mut hash = Sha256::new();
    for bytes in &heard.0 {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    format!("{:x} {name} {} {}\n", hash.finalize(), heard.0.len(), heard.bytes())
}

fn transcripts() -> String {
    let mut lines = String::new();
    for game in names(&root().join("conversations")) {
        let folder = root().join("conversations").join(&game);
        if !folder.is_dir() {
            continue;
        }
        for file in names(&folder).iter().filter(|file| file.ends_with(".talk")) {
            let name = format!("{game}/{file}");
            let text = fs::read_to_string(folder.join(file)).unwrap();
            match heard(&game, &name, &text) {
                Ok(heard) => lines += &line(&name, &heard),
                Err(failure) => write!(lines, "fails {name}: {failure}").unwrap(),
            }
        }
    }
    lines
}

#[test]
fn every_conversation_is_answered_as_it_was() {
    let (now, listing) = (transcripts(), listing());
    if std::env::var_os("WRITE_TRANSCRIPTS").is_some() {
        fs::write(&listing, &now).unwrap();
    }
    let before = fs::read_to_string(listing).unwrap();
    assert!(now.lines().count() > 100);
    let others: Vec<_> = now.lines().filter(|line| !before.lines().any(|other| other == *line)).collect();
    let gone: Vec<_> = before.lines().filter(|line| !now.lines().any(|other| other == *line)).collect();
    assert!(now == before, "these are answered otherwise:\n{}\nbefore:\n{}", others.join("\n"), gone.join("\n"));
}

//! Every conversation is answered today as it was answered when `data/transcripts.txt` was written, to the last byte.
//!
//! A line of that file is a SHA-256 of all that the connections of one conversation were sent, in the order in which they
//! were made, each with its length before it; then the conversation, its connections and its bytes. A file whose line
//! changes is a change that clients see. Where that is meant (a rule, a new file), write the lines anew and look at the
//! difference before it is committed:
//!
//! ```text
//! WRITE_TRANSCRIPTS=1 cargo test -p parlor-tests --test suite transcripts::
//! ```

use std::fs;
use std::path::PathBuf;

use parlor_tests::conversation::{Coverage, Entry};
use parlor_tests::games::GAMES;
use parlor_tests::record::{Heard, Recorded};
use sha2::{Digest as _, Sha256};

fn listing() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/transcripts.txt")
}

/// What every connection of a conversation heard.
fn heard(game: &Entry, file: &str) -> Result<Heard, String> {
    let talk = game.read(file)?;
    let mut backend = talk.in_memory(usize::MAX)?;
    let mut recorded = Recorded::to_the_end(&mut *backend);
    talk.run(&mut recorded, &mut Coverage::default())?;
    Ok(recorded.heard())
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
    for game in &GAMES {
        for file in game.files().unwrap() {
            let name = format!("{}/{file}", game.game);
            match heard(game, &file) {
                Ok(heard) => lines += &line(&name, &heard),
                // Never written down: a listing of failures would agree with them ever after.
                Err(failure) => panic!("{name}: {failure}"),
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
    let anew = "if that is meant: WRITE_TRANSCRIPTS=1 cargo test -p parlor-tests --test suite transcripts::";
    assert!(
        now == before,
        "these are answered otherwise:\n{}\nbefore:\n{}\n{anew}",
        others.join("\n"),
        gone.join("\n")
    );
}

//! What a client in another language is held against: lines and their words, and all that users were told in whole games.

use std::io;

use parlor_core::lines::Words;

use super::told;
use crate::conversation::{Told, hex};

/// - `words HEX JSON`: a line, and its words; `null` if it is none;
/// - `yard NAME USER HEX JSON`: all that one user was told, and what core's view showed on the way.
pub(super) fn tell(out: &mut dyn io::Write) -> Told {
    write(out).map_err(|error| error.to_string())
}

fn write(out: &mut dyn io::Write) -> io::Result<()> {
    // Pieces of lines, put together in every order of three.
    const PIECES: [&str; 12] = ["a", " ", "'", "\"", "\\", "#1", "b c", "''", "\"\"", "\\\"", "ä", "\t"];
    for n in 0..PIECES.len().pow(3) {
        let line = [n, n / 12, n / 144].map(|n| PIECES[n % 12]).concat();
        let mut room = [0; 64];
        let words = Words::split(line.as_bytes(), &mut room).map(|words| format!("{:?}", words.collect::<Vec<_>>()));
        writeln!(out, "words\t{}\t{}", hex(line.as_bytes()), words.unwrap_or_else(|_| "null".into()))?;
    }
    for seed in 1..=4 {
        for told in told::game(seed) {
            let text = told.lines.join("\r\n") + "\r\n";
            writeln!(
                out,
                "yard\t{seed} {}\t{}\t{}\t{}",
                told.user,
                told.user,
                hex(text.as_bytes()),
                told::known(&told)
            )?;
        }
    }
    Ok(())
}

//! What a client in another language is held against: the board, and all that players were told in whole games.

use std::io;

use parlor_core::venus::board::GALAXY;

use super::told;
use crate::conversation::{Told, hex};

/// - `space NAME KIND CIRCLE PORT SYSTEM LIVES` and `way FROM TO HOW NUMBERS`, each way in both directions;
/// - `venus NAME HEX JSON`: all that one player was told, and what core's view showed on the way.
pub(super) fn tell(out: &mut dyn io::Write) -> Told {
    write(out).map_err(|error| error.to_string())
}

fn write(out: &mut dyn io::Write) -> io::Result<()> {
    let board = &GALAXY;
    for space in board.spaces() {
        let (name, kind) = (board.name(space), board.kind(space));
        let (circle, port) = (board.is_circle(space), board.port_at(space).is_some());
        let system = board.system_of(space).filter(|system| !board.system_name(*system).is_empty());
        let (system, lives) = system.map_or(("", None), |one| (board.system_name(one), Some(board.lives(one))));
        writeln!(out, "space\t{name}\t{kind:?}\t{circle}\t{port}\t{system}\t{lives:?}")?;
        for way in board.ways(space) {
            let numbers: String = (1..=6).filter(|n| way.numbers().contains(*n)).map(|n| n.to_string()).collect();
            let how = if way.is_fly() { "fly" } else { "walk" };
            writeln!(out, "way\t{name}\t{}\t{how}\t{numbers}", board.name(way.to()))?;
        }
    }
    for seed in 1..=2 {
        for told in told::game(seed) {
            writeln!(out, "venus\t{seed} {}\t{}\t{}", told.name, hex(told.text.as_bytes()), told::known(&told))?;
        }
    }
    Ok(())
}

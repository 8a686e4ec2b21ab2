//! A minute of play at the pace of people, for a look at the cable.

use std::net::Ipv4Addr;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_tests::peer::OverTcp;
use parlor_tests::pimp::bots::{Party, Played};

use crate::Outcome;
use crate::emulator::Start;

const MINUTE: Duration = Duration::from_secs(60);
/// Between what everybody does and what everybody does next.
const PACE: Duration = Duration::from_millis(150);
const BOTS: u8 = 4;
/// So large a pot that the game outlasts the minute.
const OPTIONS: [&str; 3] = ["vote-pause=0", "pot=60000", "seed=42"];

/// In the middle of it, a player's connection is lost.
pub fn play(run: &Path, elf: &Path, qemu: &str) -> Outcome {
    let board = Start { run, elf, qemu }.pimp("minute", &OPTIONS.map(String::from))?;
    let backend = &mut OverTcp((Ipv4Addr::LOCALHOST, board.port).into());
    let (start, mut party) = (Instant::now(), Party::sit(backend, BOTS));
    while start.elapsed() < MINUTE {
        party.step();
        sleep(PACE);
        if start.elapsed() > MINUTE / 2 && party.played.rejoined == 0 {
            party.cut_one(backend);
        }
    }
    party.agree(backend)?;
    let Played { turns, said, heard, .. } = party.played;
    println!("{turns} turns, {said} messages said, {heard} heard");
    board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into()))
}

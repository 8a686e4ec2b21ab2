//! A client that stops reading while others play on, and comes back.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_tests::peer::{Backend, OverTcp, Peer, over};
use parlor_tests::pimp::bots::{Guest, Party};
use socket2::{Domain, Socket, Type};

use crate::emulator::{Emulator, Start};
use crate::{Outcome, step};

/// No player who has had such a pot goes bankrupt.
const OPTIONS: [&str; 4] = ["rate=0", "vote-pause=0", "claim-grace=0", "pot=60000"];
/// With this much, a player outlasts most tests.
const RICH: u32 = 20_000;
/// Games that may be won too soon.
const GAMES: u8 = 20;
const BOTS: u8 = 4;
/// What the board says of a link that the ring has run over.
const OVERRUN: &str = "fell a whole ring behind";
/// What is left of the time is played so that the game lasts.
const PACE: Duration = Duration::from_millis(20);
/// Ends a test that would hang; on it nothing depends.
const PATIENCE: Duration = Duration::from_secs(300);

/// Reads nothing for at least this long, and until the board has had enough.
pub fn check(run: &Path, elf: &Path, stop: Duration) -> Outcome {
    for _ in 0..GAMES {
        let board = Start { run, elf, qemu: "" }.pimp("stop", &OPTIONS.map(String::from))?;
        let address = (Ipv4Addr::LOCALHOST, board.port).into();
        let (mut wide, mut narrow) = (OverTcp(address), Narrow(address));
        let mut party = Party::sit(&mut wide, BOTS);
        let mut eve = Guest::come(&mut narrow, "eve", 7, false);
        let begun = play_until(&mut party, |_| {
            eve.hear();
            eve.is_seated() && is_rich(&eve)
        });
        let outcome = begun.and_then(|()| stop_and_come_back(&board, stop, &mut party, eve));
        // Where a player won, there was nothing left to show.
        if outcome.is_ok() || party.played.winner.is_none() {
            return outcome;
        }
        println!("somebody won: another game");
    }
    Err("every game was won too soon".into())
}

/// All players have had the pot.
fn is_rich(eve: &Guest) -> bool {
    let users = eve.view().users();
    users.iter().filter(|user| user.playing).all(|user| user.cash >= RICH)
}

fn stop_and_come_back(board: &Emulator, stop: Duration, party: &mut Party, mut eve: Guest) -> Outcome {
    let address = (Ipv4Addr::LOCALHOST, board.port).into();
    let (mut wide, mut narrow) = (OverTcp(address), Narrow(address));
    step("four play, one looks on", || {
        party.agree_with(std::slice::from_mut(&mut eve), &mut wide).map_err(Into::into)
    })?;
    let me = eve.view().me();
    step("it stops reading, the others play on", || {
        eve.peer().stop_reading(true);
        let (stopped, turns) = (Instant::now(), party.played.turns);
        play_until(party, |_| overruns(board) > 0)?;
        play_until(party, |_| {
            sleep(PACE);
            stopped.elapsed() >= stop
        })?;
        println!("{} turns in {} ms", party.played.turns - turns, stopped.elapsed().as_millis());
        Ok(())
    })?;
    step("it was closed, and nobody else", || {
        eve.peer().stop_reading(false);
        play_until(party, |_| {
            eve.hear();
            eve.peer().is_closed()
        })?;
        if overruns(board) == 1 { Ok(()) } else { Err(format!("others fell behind too\n{}", board.log()).into()) }
    })?;
    step("it comes back to its seat and knows what all know", || {
        eve.come_back(&mut narrow);
        play_until(party, |_| {
            eve.hear();
            eve.is_seated()
        })?;
        if eve.view().me() != me {
            return Err("another seat".into());
        }
        party.agree_with(std::slice::from_mut(&mut eve), &mut wide).map_err(Into::into)
    })?;
    board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into()))
}

fn play_until(party: &mut Party, mut done: impl FnMut(&Party) -> bool) -> Result<(), Box<dyn Error>> {
    let end = Instant::now() + PATIENCE;
    while !done(party) {
        if party.played.winner.is_some() {
            return Err("the game is over".into());
        }
        if Instant::now() > end {
            return Err(format!("it takes too long: {:?}", party.played).into());
        }
        party.step();
    }
    Ok(())
}

fn overruns(board: &Emulator) -> usize {
    board.log().matches(OVERRUN).count()
}

/// Connections that hold little on their way. The kernel lends the emulator megabytes for a peer that takes large
/// segments: more than a game says in a minute.
struct Narrow(SocketAddr);

impl Narrow {
    fn open(&self) -> std::io::Result<Box<dyn Peer>> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_recv_buffer_size(4096)?;
        socket.set_tcp_mss(536)?;
        socket.connect(&self.0.into())?;
        Ok(over(socket.into()))
    }
}

impl Backend for Narrow {
    fn connect(&mut self) -> Box<dyn Peer> {
        match self.open() {
            Ok(peer) => peer,
            Err(error) => panic!("the board should accept: {error}"),
        }
    }
    fn wait(&mut self, ms: u64) {
        sleep(Duration::from_millis(ms));
    }
}

//! A board that serves Merchant of Venus, and a game of bots.

use std::error::Error;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_core::game::{End, Game, Player, Progress, Seat, Strength};
use parlor_core::server::Framer;
use parlor_core::venus::limits::BoardVenus;

use crate::door::{BOOT, Door};
use crate::{Outcome, step};

/// A client is greeted, and told that it can't join anything before a login.
pub fn door(port: u16) -> Door {
    let answer = b"CONNECTSTRING,parlor: Merchant of Venus\nERROR,Unknown Action sent to server!\n";
    Door { port, question: b"JOIN\n", answer: (answer, answer.len()) }
}

/// Clients that log in at the same time, and how often they do.
const AT_ONCE: usize = 5;
const ROUNDS: usize = 3;
const GAME: Duration = Duration::from_secs(120);
/// A bot that hears nothing for this long says its last word again.
const SILENCE: Duration = Duration::from_secs(5);

/// A whole game.
pub fn play(port: u16, players: u8) -> Outcome {
    let door = &door(port);
    step("it boots", || Ok(door.guest(BOOT).map(drop)?))?;
    sleep(Duration::from_millis(200));
    step("many log in at once, and each is told everything", || (0..ROUNDS).try_for_each(|_| log_in_at_once(door)))?;
    step(&format!("a game of {players} bots"), || {
        println!("{}", play_one(door, players)?);
        Ok(())
    })
}

/// A game, of which nothing is told.
pub fn game(door: &Door, players: u8) -> Outcome {
    play_one(door, players).map(drop)
}

fn play_one(door: &Door, players: u8) -> Result<String, Box<dyn Error>> {
    let mut guests = Vec::<Guest<<BoardVenus as Game>::Player>>::new();
    let end = Instant::now() + GAME;
    loop {
        // One after another: a guest that is there before room and game are goes away.
        if guests.len() < usize::from(players)
            && guests.last().is_none_or(|guest| guest.player.progress() == Progress::Seated)
        {
            guests.push(Guest::come(door, guests.len() as u8, players)?);
        }
        if guests.iter().any(|guest| guest.player.end() == Some(End::Refused)) {
            return Err("a bot found no seat".into());
        }
        if guests.iter().all(|guest| guest.player.end().is_some()) {
            break;
        }
        if Instant::now() > end {
            return Err("the game did not end in time".into());
        }
        let heard = guests.iter_mut().map(Guest::step).sum::<io::Result<usize>>()?;
        if heard == 0 {
            sleep(Duration::from_millis(1));
        }
    }
    let ends: Vec<_> = guests.iter().filter_map(|guest| guest.player.end()).collect();
    Ok(format!("{} bytes heard, {ends:?}", guests.iter().map(|guest| guest.heard).sum::<usize>()))
}

/// More than a board has snapshots to tell a login from. No client reads slowly, so none may be closed.
fn log_in_at_once(door: &Door) -> Outcome {
    let mut guests = door.guests(AT_ONCE)?;
    for (nth, guest) in guests.iter_mut().enumerate() {
        guest.write_all(format!("LOGIN,q{nth},pw\n").as_bytes())?;
    }
    for (nth, guest) in guests.iter_mut().enumerate() {
        let mut lines = BufReader::new(guest).lines();
        let own = format!("INHABITANT,q{nth},Great Hall");
        loop {
            match lines.next() {
                Some(Ok(line)) if line == own => break,
                Some(Ok(_)) => {}
                _ => return Err(format!("q{nth} was turned out").into()),
            }
        }
    }
    Ok(())
}

/// A player and its connection.
pub struct Guest<P: Player> {
    pub player: P,
    framer: P::Framer,
    pub stream: TcpStream,
    pub heard: usize,
    last: Instant,
}

impl<P: Player<Framer: Default>> Guest<P> {
    /// The first guest makes the game, the others sit down at it.
    pub fn come(door: &Door, nth: u8, players: u8) -> io::Result<Self> {
        let name = &format!("p{nth}");
        let strength = Strength::Shrewd;
        let (is_guest, seed) = (nth > 0, u32::from(nth));
        let seat = Seat { name, password: "pw", game: "g", is_guest, players, strength, seed };
        let mut player = P::new(&seat).ok_or_else(|| io::Error::other("a name too long"))?;
        let mut stream = door.connect()?;
        let mut said = Vec::new();
        player.connect(&mut |bytes| said.extend_from_slice(bytes));
        stream.write_all(&said)?;
        stream.set_nonblocking(true)?;
        Ok(Self { player, framer: P::Framer::default(), stream, heard: 0, last: Instant::now() })
    }

    /// Takes what has come and answers it; how much it was.
    pub fn step(&mut self) -> io::Result<usize> {
        let mut said = Vec::new();
        let count = match self.stream.read(self.framer.window()) {
            Ok(0) if self.player.end().is_none() => return Err(io::Error::other("a bot was turned out")),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error),
        };
        if count > 0 {
            self.framer.commit(count);
            self.player.receive(&mut self.framer, &mut |bytes| said.extend_from_slice(bytes));
            (self.heard, self.last) = (self.heard + count, Instant::now());
        } else if self.last.elapsed() > SILENCE {
            self.player.nudge(&mut |bytes| said.extend_from_slice(bytes));
            self.last = Instant::now();
        }
        self.stream.set_nonblocking(false)?;
        self.stream.write_all(&said)?;
        self.stream.set_nonblocking(true)?;
        Ok(count)
    }
}

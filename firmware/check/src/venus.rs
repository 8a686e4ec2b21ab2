//! A board that serves Merchant of Venus, and a game of bots.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_core::game::{Game, Player, Seat, Strength};
use parlor_core::server::Framer;
use parlor_core::venus::limits::BoardVenus;

use crate::door::{BOOT, Door};
use crate::{Outcome, step};

/// Whoever comes is greeted, and told that nobody joins anything before a login.
pub fn door(port: u16) -> Door {
    let answer = b"CONNECTSTRING,parlor: Merchant of Venus\nERROR,Unknown Action sent to server!\n";
    Door { port, question: b"JOIN\n", answer: (answer, answer.len()) }
}

const GAME: Duration = Duration::from_secs(120);
/// A bot that hears nothing for this long says its last word again.
const SILENCE: Duration = Duration::from_secs(5);

/// A whole game.
pub fn play(port: u16, players: u8) -> Outcome {
    let door = &door(port);
    step("it boots", || Ok(door.guest(BOOT).map(drop)?))?;
    sleep(Duration::from_millis(200));
    step(&format!("a game of {players} bots"), || {
        let guests = (0..players).map(|nth| Guest::<<BoardVenus as Game>::Player>::come(door, nth, players));
        let mut guests = guests.collect::<io::Result<Vec<_>>>()?;
        let end = Instant::now() + GAME;
        while guests.iter().any(|guest| guest.player.end().is_none()) {
            if Instant::now() > end {
                return Err("the game did not end in time".into());
            }
            let heard = guests.iter_mut().map(Guest::step).sum::<io::Result<usize>>()?;
            if heard == 0 {
                sleep(Duration::from_millis(1));
            }
        }
        let ends: Vec<_> = guests.iter().filter_map(|guest| guest.player.end()).collect();
        println!("{} bytes heard, {ends:?}", guests.iter().map(|guest| guest.heard).sum::<usize>());
        Ok(())
    })
}

/// A player and its connection.
struct Guest<P: Player> {
    player: P,
    framer: P::Framer,
    stream: TcpStream,
    heard: usize,
    last: Instant,
}

impl<P: Player<Framer: Default>> Guest<P> {
    /// The first makes the game, the others sit down at it.
    fn come(door: &Door, nth: u8, players: u8) -> io::Result<Self> {
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
    fn step(&mut self) -> io::Result<usize> {
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

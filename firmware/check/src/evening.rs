//! A whole game of bots, rehearsed with the core in this process and then held with an image: each connection must hear
//! the same, byte for byte, so the table stands at the end as the rehearsed one does. A client speaks only when all
//! have heard everything that came of what was said before. So the game does not depend on how fast, or in which order,
//! a network brings things, and it is the same over a good one and over one that is bad on purpose.

use std::collections::VecDeque;
use std::fmt;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use parlor_core::driver::Driver;
use parlor_core::game::{End, Game, Player, Seat, Strength};
use parlor_core::pimp::limits::BoardTable;
use parlor_core::server::Framer as _;
use parlor_core::settings::Settings as _;
use parlor_core::venus::limits::BoardVenus;
use parlor_core::yard::limits::BoardYard;

use crate::door::expect;
use crate::emulator::Start;
use crate::{Outcome, web, words};

const SEED: [u8; 32] = [7; 32];
/// Each game takes those that it has. With them nothing but words moves a game: no vote ends, no player is passed over
/// and no command waits for the clock.
const SETTINGS: [(&str, &str); 9] = [
    ("bots", "off"),
    ("rate", "0"),
    ("vote-pause", "0"),
    ("vote-timeout", "3600"),
    ("auction-timeout", "0"),
    ("claim-grace", "0"),
    ("dump-pause", "0"),
    ("password-pause", "0"),
    ("farewell", "3600"),
];
/// Milliseconds in which a server has said all that it says after a word.
const MOMENT: u64 = 20;
/// What is lost often is sent again late: TCP doubles its patience.
const PATIENCE: Duration = Duration::from_secs(120);
/// More than any game of these has.
const EXCHANGES: usize = 20_000;

/// What one client says, and what all hear before any speaks again.
struct Exchange {
    by: usize,
    said: Vec<u8>,
    heard: Vec<Vec<u8>>,
}

/// A game that came to its end.
struct Rehearsed {
    script: Vec<Exchange>,
    ends: Vec<Option<End>>,
}

impl fmt::Display for Rehearsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let won = self.ends.iter().position(|end| *end == Some(End::Over { won: true }));
        let bytes: usize = self.script.iter().flat_map(|exchange| &exchange.heard).map(Vec::len).sum();
        let winner = won.map_or("nobody won".into(), |won| format!("{} won", name(won)));
        write!(f, "{winner}, {} times somebody spoke, {bytes} bytes heard", self.script.len())
    }
}

/// Holds a whole game of this name with an image that is booted for it.
pub fn hold(game: &str, run: &Path, elf: &Path, players: u8) -> Outcome {
    let rehearsed = match game {
        "pimp" => rehearse::<BoardTable>(players),
        "yard" => rehearse::<BoardYard>(players),
        "venus" => rehearse::<BoardVenus>(players),
        _ => Err("no such game".into()),
    };
    let rehearsed = rehearsed.map_err(|why| format!("{game}: {why}"))?;
    let options = SETTINGS.iter().map(|(name, value)| format!("{name}={value}"));
    let options: Vec<String> = options.chain([words::seed(&SEED)]).collect();
    let (start, board) =
        (Instant::now(), Start { run, elf, qemu: "" }.game(game, &format!("{game}-evening"), &options)?);
    perform(board.port, &rehearsed).map_err(|why| format!("{game}: {why}\n{}", board.log()))?;
    if let Some(why) = board.complaint() {
        return Err(format!("{game}: {why}\n{}", board.log()).into());
    }
    let seconds = start.elapsed().as_secs();
    let resent = web::figures(&web::told(&web::door(board.web), "/links")?, "retransmissions");
    let [resent] = resent[..] else { return Err(format!("{game}: no count of what was sent again").into()) };
    println!("{game}: {rehearsed}; the board says the same, in {seconds} s; it sent {resent} segments again");
    Ok(())
}

fn name(nth: usize) -> String {
    format!("p{nth}")
}

/// A bot and what it has not read yet.
struct Guest<P: Player> {
    player: P,
    framer: P::Framer,
}

impl<P: Player<Framer: Default>> Guest<P> {
    fn new(nth: usize, players: u8) -> Option<Self> {
        let (name, strength) = (&*name(nth), Strength::Shrewd);
        let seat = Seat { name, password: "pw", game: "g", is_guest: nth > 0, players, strength, seed: nth as u32 };
        Some(Self { player: P::new(&seat)?, framer: P::Framer::default() })
    }

    /// What it says to these bytes.
    fn answer(&mut self, mut heard: &[u8]) -> Vec<u8> {
        let mut said = Vec::new();
        while !heard.is_empty() {
            let window = self.framer.window();
            let (piece, rest) = heard.split_at(window.len().min(heard.len()));
            window[..piece.len()].copy_from_slice(piece);
            self.framer.commit(piece.len());
            self.player.receive(&mut self.framer, &mut |bytes| said.extend_from_slice(bytes));
            heard = rest;
        }
        said
    }
}

fn rehearse<G: Game<Player: Player<Framer: Default>>>(players: u8) -> Result<Rehearsed, String> {
    let mut config = G::BOARD;
    for (name, value) in SETTINGS {
        // What a game has no setting for, it does not wait for.
        let _ = config.set(name, value);
    }
    let mut driver = Driver::new(Box::new(G::NEW));
    let now = driver.now;
    driver.server.begin(&SEED, &config, now);
    let (mut guests, mut script) = (Vec::<Guest<G::Player>>::new(), Vec::new());
    // Bots come one by one: all know of each before the next comes.
    for nth in 0..usize::from(players) {
        driver.connect().map_err(|_| "more players than links")?;
        let mut guest = Guest::<G::Player>::new(nth, players).ok_or("a name too long")?;
        let mut said = Vec::new();
        guest.player.connect(&mut |bytes| said.extend_from_slice(bytes));
        guests.push(guest);
        talk(&mut driver, &mut guests, &mut script, (nth, said))?;
    }
    while guests.iter().any(|guest| guest.player.end().is_none()) {
        let before = script.len();
        for nth in 0..guests.len() {
            let mut said = Vec::new();
            guests[nth].player.nudge(&mut |bytes| said.extend_from_slice(bytes));
            if !said.is_empty() {
                talk(&mut driver, &mut guests, &mut script, (nth, said))?;
            }
        }
        if script.len() == before {
            return Err(format!("after {before} exchanges nobody has anything to say, and nobody has won"));
        }
    }
    Ok(Rehearsed { script, ends: guests.iter().map(|guest| guest.player.end()).collect() })
}

/// One client speaks; others answer, in the order of their seats, until none has anything to say.
fn talk<G: Game<Player: Player<Framer: Default>>>(
    driver: &mut Driver<G>,
    guests: &mut [Guest<G::Player>],
    script: &mut Vec<Exchange>,
    first: (usize, Vec<u8>),
) -> Result<(), String> {
    let mut waiting = VecDeque::from([first]);
    while let Some((by, said)) = waiting.pop_front() {
        if script.len() == EXCHANGES {
            return Err("the game does not end".into());
        }
        driver.send(by, &said);
        driver.advance(MOMENT);
        let heard: Vec<_> = (0..guests.len()).map(|at| driver.take(at)).collect();
        for (nth, (guest, heard)) in guests.iter_mut().zip(&heard).enumerate() {
            let answer = guest.answer(heard);
            if !answer.is_empty() {
                waiting.push_back((nth, answer));
            }
        }
        script.push(Exchange { by, said, heard });
    }
    Ok(())
}

fn perform(port: u16, rehearsed: &Rehearsed) -> Result<(), String> {
    let mut streams: Vec<TcpStream> = Vec::new();
    for (nth, Exchange { by, said, heard }) in rehearsed.script.iter().enumerate() {
        let failed = |error: std::io::Error| format!("exchange {nth}, by {}: {error}", name(*by));
        if *by == streams.len() {
            let stream = TcpStream::connect(("127.0.0.1", port)).map_err(failed)?;
            stream.set_nodelay(true).and(stream.set_read_timeout(Some(PATIENCE))).map_err(failed)?;
            streams.push(stream);
        }
        streams[*by].write_all(said).map_err(failed)?;
        streams.iter_mut().zip(heard).try_for_each(|(stream, heard)| expect(stream, heard)).map_err(failed)?;
    }
    Ok(())
}

//! Any sequence of connects, lines, torn bytes, answers of the adapter, pulls, ticks and closes on a board-size server of
//! Scotland Yard: never a panic, whole lines only, and the rules' audit holds for every game after each.
//!
//! The input is a script: a byte says what happens and to which of six connections, the bytes after it say how. Most
//! steps are lines that a client could say, or the fuzzer would spend its life before the login. In core/:
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none yard -- -max_len=4096 -max_total_time=1800
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_core::yard::limits::BoardYard;
use parlor_core::server::{Answer, Ask, Framer as _, Intake, Link, Millis, RequestId, Server};
use parlor_core::yard::pieces::Ticket;
use parlor_core::yard::rules::{Game, Outcome};
use parlor_core::yard::server::Config;

const LINKS: usize = 6;
const GAMES: [&str; 6] = ["a", "b", "c", "d", "e", "two words"];
const TEAMS: [&str; 3] = ["\"Mr. X\"", "Detectives", "Nobody"];

/// Lines without an argument, and some that are no lines at all.
const SHORT: [&str; 16] = [
    "noop",
    "language de",
    "listai",
    "requestai",
    "listgames",
    "leave",
    "listplayers",
    "pawninfo",
    "whoseturn",
    "turnnum",
    "whatturnnum",
    "history",
    "",
    "#1",
    "#00000000000000000000 noop",
    "\"unended",
];

type Framer = <BoardYard as Server>::Framer;

#[derive(Default)]
struct Client {
    link: Option<Link>,
    framer: Framer,
}

/// A request of the server that was not answered yet.
struct Asked {
    id: RequestId,
    answer: Result<Vec<u8>, bool>,
}

struct Run<'a> {
    yard: Box<BoardYard>,
    clients: [Client; LINKS],
    asked: Vec<Asked>,
    now: Millis,
    rest: &'a [u8],
}

impl<'a> Run<'a> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.rest = rest;
        *first
    }

    fn bytes(&mut self, n: usize) -> &'a [u8] {
        let (some, rest) = self.rest.split_at(n.min(self.rest.len()));
        self.rest = rest;
        some
    }

    /// What finds no room in the window is lost: the next line is then torn.
    fn send(&mut self, at: usize, bytes: &[u8]) {
        let client = &mut self.clients[at];
        let Some(link) = client.link else { return };
        let window = client.framer.window();
        let n = bytes.len().min(window.len());
        window[..n].copy_from_slice(&bytes[..n]);
        client.framer.commit(n);
        while self.yard.receive(link, &mut client.framer, self.now) == Intake::More {}
        self.ask();
    }

    fn say(&mut self, at: usize, line: &str) {
        self.send(at, format!("{line}\r\n").as_bytes());
    }

    /// A hash is the secret backwards.
    fn ask(&mut self) {
        while let Some(request) = self.yard.next_request() {
            let hashed = |secret: &[u8]| secret.iter().rev().copied().collect::<Vec<u8>>();
            let answer = match request.ask {
                Ask::Hash(secret) => Ok(hashed(secret)),
                Ask::Verify { secret, hash } => Err(hashed(secret) == hash),
                _ => continue,
            };
            self.asked.push(Asked { id: request.id, answer });
        }
    }

    /// Answers one request as it should be, with a failure, or with what was not asked for.
    fn answer(&mut self, how: u8) {
        if self.asked.is_empty() {
            return;
        }
        let Asked { id, answer } = self.asked.swap_remove(usize::from(how >> 4) % self.asked.len());
        let answer = match (how % 16, &answer) {
            (0, _) => Answer::Failed,
            (1, _) => Answer::Verified(true),
            (2, _) => Answer::Hash(&[7; 65]),
            (_, Ok(hash)) => Answer::Hash(hash),
            (_, Err(verdict)) => Answer::Verified(*verdict),
        };
        self.yard.answer(id, answer, self.now);
    }

    /// Connects, names the protocol and asks to log in.
    fn enter(&mut self, at: usize, how: u8) {
        if self.clients[at].link.is_none() {
            self.clients[at] = Client { link: self.yard.open(self.now).ok(), framer: Framer::default() };
        }
        self.say(at, if how & 1 == 0 { "protocol 2.0" } else { "protocol 2.1" });
        let password = if how & 14 == 14 { "wrong" } else { "pw" };
        self.say(at, &format!("login u{} {password}", usize::from(how >> 4) % 12 + at % 2));
        if how & 2 == 0 {
            self.answer(15);
        }
    }

    /// About games, before they begin and beside their moves.
    fn meet(&mut self, at: usize, how: u8) {
        let (kind, which) = (how / 16, usize::from(how % 16));
        let game = GAMES[which % GAMES.len()];
        let line = match kind {
            0..=2 => format!("newgame \"{game}\" standard"),
            3..=5 => format!("join \"{game}\""),
            6 => format!("watch \"{game}\""),
            7 => format!("setteam {}", TEAMS[which % 3]),
            8..=10 => format!("#{which} votestart {}", which != 0),
            11 => format!("chatall {}", "x\\\"".repeat(which * 5)),
            12 => format!("chatteam {which}"),
            13 => format!("listplayers \"{game}\""),
            _ => SHORT[which].to_string(),
        };
        self.say(at, &line);
    }

    /// A move that can be made in one of the games; whose it is, everybody finds out.
    fn play(&mut self, at: usize, how: u8) {
        let game = GAMES[usize::from(how) % GAMES.len()];
        let Some(game) = self.yard.game(game).filter(|game| has_begun(game)) else { return };
        let (pawn, nth) = (game.next(), usize::from(how) / GAMES.len());
        let count = game.moves(pawn).count().max(1);
        let Some(hop) = game.moves(pawn).nth(nth % count) else { return };
        let (to, ticket) = (hop.to.number(), hop.ticket.name());
        let line = match how % 11 {
            0 => {
                let second = hop.to.rides(Ticket::Taxi).next().map_or(0, |station| station.number());
                format!("doublemove {to} {ticket} {second} taxi")
            }
            1 => format!("move {} {to} {ticket}", pawn.name()),
            2 => format!("move {to} black"),
            _ => format!("#7 move {to} {ticket}"),
        };
        // Whoever has the pawn is among those who say it.
        for other in 0..LINKS {
            self.say((at + other) % LINKS, &line);
        }
    }

    fn pull(&mut self, at: usize, most: usize) {
        let seq = self.yard.produced();
        self.yard.release(seq);
        while let Some(link) = self.yard.next_ready() {
            if let Some(client) = self.clients.iter_mut().find(|client| client.link == Some(link)) {
                while self.yard.receive(link, &mut client.framer, self.now) == Intake::More {}
            }
        }
        self.ask();
        let Some(link) = self.clients[at].link else { return };
        let mut out = [0; BoardYard::MAX_FRAME];
        for _ in 0..most {
            let n = self.yard.pull(link, &mut out);
            if n == 0 {
                break;
            }
            assert!(out[..n].ends_with(b"\r\n"), "a line was cut in two");
        }
        if self.yard.closing(link) {
            self.yard.close(link, self.now);
            self.clients[at].link = None;
        }
    }

    fn step(&mut self) {
        let what = self.byte();
        let at = usize::from(what) % LINKS;
        let how = self.byte();
        match what / LINKS as u8 {
            0..=3 => self.enter(at, how),
            4 | 5 => {
                let bytes = self.bytes(usize::from(how));
                self.send(at, bytes);
            }
            6 => {
                self.now = self.now.plus(1 << (how % 24));
                self.yard.tick(self.now);
            }
            7 => {
                if let Some(link) = self.clients[at].link.take() {
                    self.yard.close(link, self.now);
                }
            }
            8 | 9 => self.answer(how),
            10..=14 => self.pull(at, 1 + usize::from(how % 8)),
            15..=26 => self.meet(at, how),
            _ => self.play(at, how),
        }
        self.look();
    }

    /// What holds at any time.
    fn look(&mut self) {
        for game in GAMES.iter().filter_map(|name| self.yard.game(name)).filter(|game| has_begun(game)) {
            game.audit().unwrap();
            assert!(game.outcome() == Outcome::Open || !game.log().is_empty());
        }
        if self.yard.deadline().is_some_and(|due| due <= self.now) {
            // A deadline that lies behind must be met by a tick, or an adapter would spin.
            self.yard.tick(self.now);
            assert!(self.yard.deadline().is_none_or(|due| due > self.now));
        }
    }
}

/// Before, all pawns stand at one place.
fn has_begun(game: &Game) -> bool {
    let [x, red, ..] = game.starts();
    x != red
}

fuzz_target!(|data: &[u8]| {
    let Some((&[options, seed], script)) = data.split_first_chunk() else { return };
    let mut config = Config { rate: 0, ..Config::BOARD };
    config.rate = if options & 1 == 0 { 0 } else { 8 };
    config.deserted = if options & 2 == 0 { 3_600_000 } else { 1 };
    config.login_timeout = if options & 4 == 0 { 60_000 } else { 0 };
    let mut yard = Box::new(BoardYard::new());
    yard.begin(&[seed; 32], &config);
    let mut run = Run { yard, clients: Default::default(), asked: Vec::new(), now: Millis(1), rest: script };
    while !run.rest.is_empty() {
        run.step();
    }
});

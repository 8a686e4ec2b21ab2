//! A table with clients that say anything at any time: connections come and go, read or don't, clocks jump.

use std::boxed::Box;
use std::vec::Vec;

use super::*;
use crate::dice::Stream;
use crate::driver::Driver;
use crate::pimp::limits::BoardTable;
use crate::pimp::rules::Phase;
use crate::server::Framer as _;

/// What was done to the table: what a journal keeps.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "postcard"), allow(dead_code, reason = "only a replay reads it"))]
enum Input {
    Open,
    Receive(u16, Vec<u8>),
    Close(u16),
    Tick,
    Lag(Lagging),
}

struct Chaos {
    driver: Driver<BoardTable>,
    journal: Vec<(Input, Millis, Sum)>,
    /// Connected clients, and whether they read what they are sent.
    clients: Vec<(usize, bool)>,
    fate: Dice,
    /// What users were told: (id, password).
    passwords: Vec<(u8, u32)>,
    frames: [u32; 256],
}

/// What a client may send.
const CODES: [u8; 40] = [
    0x00, 0x02, 0x08, 0x09, 0x0A, 0x0D, 0x11, 0x21, 0x2B, 0x2C, 0x31, 0x32, 0x34, 0x36, 0x3B, 0x3C, 0x42, 0x43, 0x46,
    0x47, 0x4B, 0x4C, 0x50, 0x60, 0x63, 0x64, 0x69, 0x6A, 0x70, 0x73, 0x76, 0x7A, 0x7E, 0x90, 0xD1, 0xD3, 0xD4, 0xD5,
    0xFC, 0xFE,
];

impl Chaos {
    fn new(seed: u8, config: &Config) -> Self {
        let mut driver = Driver::new(Box::new(BoardTable::new()));
        driver.server.begin(&[seed; 32], config, driver.now);
        let mut fate = Dice::new();
        fate.begin(&[!seed; 32]);
        let (journal, clients, passwords) = (Vec::new(), Vec::new(), Vec::new());
        Self { driver, journal, clients, fate, passwords, frames: [0; 256] }
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.fate.below(Stream::Dice, bound)
    }

    /// Some frame: mostly one that could mean something.
    fn frame(&mut self) -> Vec<u8> {
        // The turn goes on more often than anything else.
        let likely = [0x21, 0x31, 0x2B, 0x2C, 0x76, 0x47, 0x4C, 0x08, 0x36, 0x34, 0x7A];
        let code = match self.below(10) {
            0..6 => likely[self.below(likely.len() as u32) as usize],
            6..9 if self.below(4) > 0 => likely[self.below(3) as usize],
            6..9 => CODES[self.below(CODES.len() as u32) as usize],
            _ => self.below(256) as u8,
        };
        let number = if self.below(3) == 0 {
            self.below(2000)
        } else {
            self.driver.server.game().next_id.saturating_sub(1 + self.below(4))
        };
        let [a, b, c, d] = number.to_be_bytes();
        let (user, small) = (self.below(10) as u8, self.below(33) as u8);
        let payload = match code {
            0x00 => Vec::from([u8::from(self.below(9) > 0)]),
            0x02 => {
                let letter = b'a' + self.below(12) as u8;
                Vec::from([self.below(13) as u8, 1, 2, letter, letter])
            }
            0x08 | 0x09 => (self.driver.server.hall.votes.numbers).to_be_bytes().to_vec(),
            0x0A if !self.passwords.is_empty() => {
                let which = self.below(self.passwords.len() as u32) as usize;
                let (id, password) = self.passwords[which];
                [&[id][..], &password.to_be_bytes()].concat()
            }
            0x2B => Vec::from([user, small]),
            0x34 => Vec::from([0, 0, self.below(3) as u8, self.below(256) as u8]),
            0x50 | 0xD3 | 0xD4 => Vec::from([user]),
            0x2C | 0x3B | 0x3C => Vec::from([small]),
            0x60 => Vec::from([a, b, c, d, 0, 0, 0, small]),
            0x90 => Vec::from([1, small, 1, 0]),
            _ => Vec::from([a, b, c, d, small, user]),
        };
        let cut = if self.below(40) == 0 { self.below(payload.len() as u32 + 1) as usize } else { payload.len() };
        [&[code, cut as u8][..], &payload[..cut]].concat()
    }

    fn step(&mut self) {
        let who = self.below(self.clients.len().max(1) as u32) as usize;
        match self.below(60) {
            0 | 1 => {
                if let Ok(at) = self.driver.open() {
                    self.note(Input::Open);
                    let reads = self.below(12) > 0;
                    self.clients.push((at, reads));
                    self.feed(at, &[0, 1, 1]);
                }
            }
            2 if !self.clients.is_empty() && self.below(4) == 0 => {
                let (at, _) = self.clients.swap_remove(who);
                let link = self.driver.connections[at].link.unwrap();
                self.close(at);
                // A late close does nothing.
                self.driver.server.close(link, self.driver.now);
            }
            3 => {
                let jumps = [10, 500, 1500, 3000, 31_000, 61_000, 310_000];
                let choice = if self.below(20) == 0 { 7 } else { 4 };
                let jump = jumps[self.below(choice) as usize];
                self.driver.tick(jump);
                self.note(Input::Tick);
            }
            _ if self.clients.is_empty() => {}
            _ => {
                let frame = self.frame();
                // Often the client for whom the game waits.
                let coin = self.below(2) == 0;
                let slot = self.driver.server.game().waited_for().and_then(|id| self.driver.server.hall.users.slot(id));
                let waited = self.clients.iter().find(|(at, _)| self.slot(*at) == slot);
                let at = waited.filter(|_| coin).map_or(self.clients[who].0, |client| client.0);
                self.feed(at, &frame);
            }
        }
        self.check();
        self.pump();
    }

    fn slot(&self, at: usize) -> Option<u16> {
        self.driver.connections[at].link.map(|link| link.slot)
    }

    /// A frame that finds no room is not sent.
    fn feed(&mut self, at: usize, bytes: &[u8]) {
        if self.driver.connections[at].framer.window().len() >= bytes.len() {
            self.driver.write(at, bytes);
        }
        self.hear(at);
    }

    fn hear(&mut self, at: usize) {
        self.driver.receive(at);
        let taken = self.driver.connections[at].framer.taken().to_vec();
        if !taken.is_empty() {
            self.note(Input::Receive(self.slot(at).unwrap(), taken));
        }
    }

    fn close(&mut self, at: usize) {
        let slot = self.slot(at).unwrap();
        self.driver.close(at);
        self.note(Input::Close(slot));
    }

    fn note(&mut self, input: Input) {
        self.journal.push((input, self.driver.now, sum(&self.driver.server)));
    }

    /// Tells of links that lag, then releases everything.
    fn let_out(&mut self) {
        while let Some(lagging) = self.driver.next_lag() {
            self.note(Input::Lag(lagging));
        }
        self.driver.release();
    }

    /// Reads for the clients that read, lets stalled links try again, closes doomed ones.
    fn pump(&mut self) {
        self.let_out();
        for _ in 0..1000 {
            let Some(at) = self.driver.next_ready() else { return };
            let reads = self.clients.contains(&(at, true));
            if !reads && self.below(50) > 0 {
                continue;
            }
            let mut out = [0; 256];
            loop {
                let n = self.driver.pull(at, &mut out);
                if n == 0 {
                    break;
                }
                self.read(&out[..n]);
            }
            if self.driver.is_closing(at) {
                self.clients.retain(|client| client.0 != at);
                self.close(at);
            } else {
                self.hear(at);
            }
            self.let_out();
            self.check();
        }
        panic!("links are ready for ever");
    }

    fn read(&mut self, mut bytes: &[u8]) {
        while let [code, length, rest @ ..] = bytes {
            let (payload, next) = rest.split_at(usize::from(*length));
            let message = Message::from_server(*code, payload).unwrap();
            if let Message::WelcomeDetails { player, password } = message {
                self.passwords.push((player, password));
            }
            self.frames[usize::from(*code)] += 1;
            bytes = next;
        }
    }

    fn check(&self) {
        let table = &self.driver.server;
        let hall = &table.hall;
        assert_eq!(hall.game.audit(), Ok(()));
        for (id, user) in hall.users.iter() {
            if let Some(slot) = user.slot() {
                assert_eq!(table.lines[usize::from(slot)].user, id);
                assert!(table.out.link(slot).is_some());
            }
            assert!(user.is_user() || user.is_connected());
        }
        for (slot, line) in (0..).zip(&table.lines) {
            if line.user != 0 {
                assert_eq!(hall.users.get(line.user).and_then(|user| user.slot()), Some(slot));
            }
            if line.state == State::User && line.user != 0 {
                assert!(hall.users.user(line.user).is_some());
            }
        }
        for player in &hall.game.players {
            let user = hall.users.user(player.id).unwrap();
            assert_eq!(player.absent, user.afk || !user.is_present(), "{}", player.id);
        }
    }
}

#[test]
fn anything_at_any_time() {
    let strict = Config { ping_interval: 20_000, rate: 8, ..Config::DEFAULT };
    let loose = Config { claim_grace: 0, rate: 0, join_timeout: 3_600_000, ..Config::DEFAULT };
    let (mut frames, mut turns, mut over, mut lags) = ([0; 256], 0, 0, [0; 2]);
    for seed in 0..12 {
        let mut chaos = Chaos::new(seed, if seed % 3 == 0 { &strict } else { &loose });
        for _ in 0..6000 {
            chaos.step();
            turns = turns.max(chaos.driver.server.game().turn);
            over += u32::from(matches!(chaos.driver.server.game().phase, Phase::Over { .. }));
        }
        #[cfg(feature = "postcard")]
        replay(seed, if seed % 3 == 0 { &strict } else { &loose }, &chaos);
        for (input, ..) in &chaos.journal {
            if let Input::Lag(lagging) = input {
                lags[usize::from(lagging.again)] += 1;
            }
        }
        frames.iter_mut().zip(chaos.frames).for_each(|(sum, n)| *sum += n);
    }
    let kinds = frames.iter().filter(|n| **n > 0).count();
    std::println!(
        "{kinds} kinds of message, {turns} turns at most, over for {over} steps, {lags:?} closed and told anew"
    );
    assert!(kinds > 70 && turns > 15, "{kinds} kinds, {turns} turns");
    // Here hardly anybody sits there and does not read what all are told: who does is closed in `slow_reader.talk`.
    assert!(lags[1] > 0, "{lags:?}");
}

#[cfg(feature = "postcard")]
type Sum = u8;
#[cfg(feature = "postcard")]
fn sum(table: &BoardTable) -> Sum {
    crate::save::Durable::sum(table)
}

#[cfg(not(feature = "postcard"))]
type Sum = ();
#[cfg(not(feature = "postcard"))]
fn sum(_: &BoardTable) -> Sum {}

/// The same inputs to a table whose every link reads at once: it says the same, and comes to the same.
#[cfg(feature = "postcard")]
fn replay(seed: u8, config: &Config, chaos: &Chaos) {
    use crate::save::Durable as _;
    let mut table = Box::new(BoardTable::new());
    table.begin(&[seed; 32], config, Millis(1_000));
    for (nth, (input, now, sum)) in chaos.journal.iter().enumerate() {
        match input {
            Input::Open => _ = table.open(*now),
            Input::Receive(slot, bytes) => {
                let mut framer = Framer::new();
                framer.window()[..bytes.len()].copy_from_slice(bytes);
                framer.commit(bytes.len());
                table.recall(table.link(*slot).unwrap(), &mut framer, *now);
                assert_eq!(framer.taken(), bytes, "{nth}");
            }
            Input::Close(slot) => table.close(table.link(*slot).unwrap(), *now),
            Input::Tick => table.tick(*now),
            Input::Lag(lagging) => table.lag(*lagging, *now),
        }
        assert_eq!(table.sum(), *sum, "{nth}: {input:?}");
        table.release(table.produced());
        for slot in 0..10 {
            let Some(link) = table.link(slot) else { continue };
            while table.pull(link, &mut [0; 256]) > 0 {}
        }
    }
    let saved = |table: &BoardTable| {
        let mut out = std::vec![0; crate::pimp::limits::save_max(8)];
        let n = table.save(&mut out).unwrap();
        out.truncate(n);
        out
    };
    assert_eq!(saved(&table), saved(&chaos.driver.server));
}

//! A table among people who say anything at any time: connections come and go, read or don't, clocks jump.

use std::boxed::Box;
use std::vec::Vec;

use super::*;
use crate::dice::Stream;
use crate::pimp::limits::BoardTable;
use crate::pimp::rules::Phase;
use crate::server::Framer as _;

struct Client {
    link: Link,
    framer: Framer,
    /// Reads what it is sent.
    reads: bool,
}

struct Chaos {
    table: Box<BoardTable>,
    clients: Vec<Client>,
    fate: Dice,
    now: Millis,
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
        let mut table = Box::new(BoardTable::new());
        table.begin(&[seed; 32], config, Millis(5));
        let mut fate = Dice::new();
        fate.begin(&[!seed; 32]);
        Self { table, clients: Vec::new(), fate, now: Millis(5), passwords: Vec::new(), frames: [0; 256] }
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
            self.table.game().next_id.saturating_sub(1 + self.below(4))
        };
        let [a, b, c, d] = number.to_be_bytes();
        let (user, small) = (self.below(10) as u8, self.below(33) as u8);
        let payload = match code {
            0x00 => Vec::from([u8::from(self.below(9) > 0)]),
            0x02 => {
                let letter = b'a' + self.below(12) as u8;
                Vec::from([self.below(13) as u8, 1, 2, letter, letter])
            }
            0x08 | 0x09 => (self.table.hall.votes.numbers).to_be_bytes().to_vec(),
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
                if let Ok(link) = self.table.open(self.now) {
                    let reads = self.below(12) > 0;
                    self.clients.push(Client { link, framer: Framer::new(), reads });
                    let last = self.clients.len() - 1;
                    self.feed(last, &[0, 1, 1]);
                }
            }
            2 if !self.clients.is_empty() && self.below(4) == 0 => {
                let gone = self.clients.swap_remove(who);
                self.table.close(gone.link, self.now);
                self.table.close(gone.link, self.now);
            }
            3 => {
                let jumps = [10, 500, 1500, 3000, 31_000, 61_000, 310_000];
                let choice = if self.below(20) == 0 { 7 } else { 4 };
                let jump = jumps[self.below(choice) as usize];
                self.now = self.now.plus(jump);
                self.table.tick(self.now);
                let due = self.table.deadline();
                assert!(due.is_none_or(|due| due > self.now), "{due:?} at {:?}", self.now);
            }
            _ if self.clients.is_empty() => {}
            _ => {
                let frame = self.frame();
                // Often the one for whom the game waits.
                let slot = self.table.game().waited_for().and_then(|id| self.table.hall.users.slot(id));
                let waited = self.clients.iter().position(|client| Some(client.link.slot) == slot);
                let who = if self.below(2) == 0 { waited.unwrap_or(who) } else { who };
                self.feed(who, &frame);
            }
        }
        self.check();
        self.pump();
    }

    fn feed(&mut self, who: usize, bytes: &[u8]) {
        let Client { link, framer, .. } = &mut self.clients[who];
        let window = framer.window();
        if window.len() >= bytes.len() {
            window[..bytes.len()].copy_from_slice(bytes);
            framer.commit(bytes.len());
        }
        self.table.receive(*link, framer, self.now);
    }

    /// Reads for whoever reads, lets stalled links try again, closes what is to be closed.
    fn pump(&mut self) {
        self.table.release(self.table.produced());
        for _ in 0..1000 {
            let Some(link) = self.table.next_ready() else { return };
            let Some(at) = self.clients.iter().position(|client| client.link == link) else { continue };
            if !self.clients[at].reads && self.below(50) > 0 {
                continue;
            }
            let mut out = [0; 256];
            loop {
                let n = self.table.pull(link, &mut out);
                if n == 0 {
                    break;
                }
                self.read(&out[..n]);
            }
            if self.table.closing(link) {
                self.clients.swap_remove(at);
                self.table.close(link, self.now);
            } else {
                let client = &mut self.clients[at];
                self.table.receive(client.link, &mut client.framer, self.now);
            }
            self.table.release(self.table.produced());
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
        let (table, hall) = (&self.table, &self.table.hall);
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
            assert_eq!(player.absent, user.afk || !user.is_connected(), "{}", player.id);
        }
    }
}

#[test]
fn anything_at_any_time() {
    let strict = Config { ping_interval: 20_000, rate: 8, ..Config::DEFAULT };
    let loose = Config { claim_grace: 0, rate: 0, join_timeout: 3_600_000, ..Config::DEFAULT };
    let (mut frames, mut turns, mut over) = ([0; 256], 0, 0);
    for seed in 0..12 {
        let mut chaos = Chaos::new(seed, if seed % 3 == 0 { &strict } else { &loose });
        for _ in 0..6000 {
            chaos.step();
            turns = turns.max(chaos.table.game().turn);
            over += u32::from(matches!(chaos.table.game().phase, Phase::Over { .. }));
        }
        frames.iter_mut().zip(chaos.frames).for_each(|(sum, n)| *sum += n);
    }
    let kinds = frames.iter().filter(|n| **n > 0).count();
    std::println!("{kinds} kinds of message, {turns} turns at most, over for {over} steps");
    assert!(kinds > 70 && turns > 15, "{kinds} kinds, {turns} turns");
}

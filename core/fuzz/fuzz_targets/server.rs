//! Any sequence of connects, frames, torn bytes, pulls, ticks and closes on a board-size table: never a panic, and the
//! rules' audit holds after each.
//!
//! The input is a script: a byte says what happens and to which of six connections, the bytes after it say how. Most
//! steps are whole frames, or the fuzzer would spend its life at the handshake. In core/:
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none server -- -max_len=4096 -max_total_time=1800
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_core::pimp::limits::BoardTable;
use parlor_core::pimp::server::Config;
use parlor_core::pimp::wire::{FRAME_MAX, Framer};
use parlor_core::server::{Framer as _, Intake, Link, Millis, Server};

const LINKS: usize = 6;

/// A connection, and what it was told when it was let in.
#[derive(Default)]
struct Client {
    link: Option<Link>,
    framer: Framer,
    id: u8,
    password: [u8; 4],
}

struct Run<'a> {
    table: Box<BoardTable>,
    clients: [Client; LINKS],
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

    fn send(&mut self, at: usize, bytes: &[u8]) {
        let client = &mut self.clients[at];
        let Some(link) = client.link else { return };
        let window = client.framer.window();
        let n = bytes.len().min(window.len());
        window[..n].copy_from_slice(&bytes[..n]);
        client.framer.commit(n);
        while self.table.receive(link, &mut client.framer, self.now) == Intake::More {}
    }

    fn frame(&mut self, at: usize, code: u8, payload: &[u8]) {
        let mut frame = [0; FRAME_MAX];
        let n = payload.len().min(254);
        frame[0] = code;
        frame[1] = n as u8;
        frame[2..2 + n].copy_from_slice(&payload[..n]);
        self.send(at, &frame[..2 + n]);
    }

    /// Connects, shakes hands, and asks to join or to come back.
    fn enter(&mut self, at: usize, how: u8) {
        if self.clients[at].link.is_none() {
            self.clients[at].link = self.table.open(self.now).ok();
            self.clients[at].framer = Framer::default();
        }
        self.frame(at, 0x00, &[1]);
        if how & 1 == 0 || self.clients[at].id == 0 {
            self.frame(at, 0x02, &[how >> 4, how >> 1 & 1 ^ 1, 2, b'a', b'a' + at as u8]);
        } else {
            let [a, b, c, d] = self.clients[at].password;
            let id = self.clients[at].id;
            self.frame(at, 0x0A, &[id, a, b, c, d]);
        }
    }

    fn pull(&mut self, at: usize, most: usize) {
        let seq = self.table.produced();
        self.table.release(seq);
        while let Some(link) = self.table.next_ready() {
            if let Some(client) = self.clients.iter_mut().find(|client| client.link == Some(link)) {
                while self.table.receive(link, &mut client.framer, self.now) == Intake::More {}
            }
        }
        let Some(link) = self.clients[at].link else { return };
        let mut out = [0; 1024];
        for _ in 0..most {
            let n = self.table.pull(link, &mut out);
            if n == 0 {
                break;
            }
            self.read(at, &out[..n]);
        }
        if self.table.closing(link) {
            self.table.close(link, self.now);
            self.clients[at].link = None;
        }
    }

    /// Whole frames only; WELCOME_DETAILS is kept.
    fn read(&mut self, at: usize, mut bytes: &[u8]) {
        while let [code, length, rest @ ..] = bytes {
            let (payload, later) = rest.split_at(usize::from(*length));
            if let (0x03, [id, password @ ..]) = (*code, payload) {
                self.clients[at].id = *id;
                self.clients[at].password.copy_from_slice(password);
            }
            bytes = later;
        }
        assert!(bytes.is_empty(), "a frame was cut in two");
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
            6 | 7 => {
                self.now = self.now.plus(1 << (how % 20));
                self.table.tick(self.now);
            }
            8 => {
                if let Some(link) = self.clients[at].link.take() {
                    self.table.close(link, self.now);
                }
            }
            9..=13 => self.pull(at, 1 + usize::from(how % 8)),
            _ => {
                let length = usize::from(self.byte() % 12);
                let payload = self.bytes(length);
                self.frame(at, how, payload);
            }
        }
        self.table.game().audit().unwrap();
        if let Some(due) = self.table.deadline() {
            // A deadline that lies behind must be met by a tick, or an adapter would spin.
            assert!(
                due > self.now || {
                    self.table.tick(self.now);
                    self.table.deadline().is_none_or(|due| due > self.now)
                }
            );
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&[options, seed], script)) = data.split_first_chunk() else { return };
    let mut config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
    config.rules.debt_blocks_roll = options & 1 == 0;
    config.rules.estate_to_creditor = options & 2 == 0;
    config.rules.bail_ends_turn = options & 4 != 0;
    config.rules.pot = (options & 8 == 0).then_some(100);
    config.ping_interval = if options & 16 == 0 { 0 } else { 5_000 };
    config.rate = if options & 32 == 0 { 0 } else { 32 };
    let mut table = Box::new(BoardTable::new());
    table.begin(&[seed; 32], &config, Millis(1));
    let mut run = Run { table, clients: Default::default(), now: Millis(1), rest: script };
    while !run.rest.is_empty() {
        run.step();
    }
});

//! A script of what happens to a server: a byte says what and to which of six connections, the bytes after it say how.

use parlor_core::driver::{Asked, Driver, Reply};
use parlor_core::game::Game;
use parlor_core::server::Server as _;

pub const LINKS: usize = 6;

/// What people say at a game. Most of it is what a client could say, or the fuzzer would spend its life at the door. The
/// value is what they remember.
pub trait Speaker: Default {
    type Game: Game;

    fn config(options: u8) -> <Self::Game as Game>::Config;
    /// What is said first on a connection, or again.
    fn enter(run: &mut Run<'_, Self>, at: usize, how: u8);
    /// Anything; `kind` is 15 to 42.
    fn speak(run: &mut Run<'_, Self>, at: usize, kind: u8, how: u8);
    /// What one pull gave to a connection.
    fn read(&mut self, at: usize, bytes: &[u8]);
    /// What the rules hold at any time.
    fn audit(server: &Self::Game);
}

pub struct Run<'a, S: Speaker> {
    pub driver: Driver<S::Game>,
    pub speaker: S,
    rest: &'a [u8],
    out: Vec<u8>,
}

/// Plays all of a script.
pub fn play<S: Speaker>(options: u8, seed: u8, script: &[u8]) {
    let mut driver = Driver::new(Box::new(S::Game::NEW));
    driver.server.begin(&[seed; 32], &S::config(options), driver.now);
    driver.connections.resize_with(LINKS, Default::default);
    let out = vec![0; S::Game::MAX_FRAME.max(1024)];
    let mut run = Run { driver, speaker: S::default(), rest: script, out };
    while !run.rest.is_empty() {
        run.step();
    }
}

impl<'a, S: Speaker> Run<'a, S> {
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.rest = rest;
        *first
    }

    pub fn bytes(&mut self, n: usize) -> &'a [u8] {
        let (some, rest) = self.rest.split_at(n.min(self.rest.len()));
        self.rest = rest;
        some
    }

    /// What finds no room is lost: what comes next is then torn.
    pub fn send(&mut self, at: usize, bytes: &[u8]) {
        if self.driver.connections[at].link.is_some() {
            self.driver.write(at, bytes);
            self.driver.receive_all(at);
            self.driver.collect_requests();
        }
    }

    /// Answers one request as it should be, with a failure, or with what was not asked for.
    pub fn answer(&mut self, how: u8) {
        if self.driver.asked.is_empty() {
            return;
        }
        let which = usize::from(how >> 4) % self.driver.asked.len();
        let Asked { id, reply, .. } = self.driver.asked.swap_remove(which);
        let reply = match how % 16 {
            0 => Reply::Failed,
            1 => Reply::Verified(true),
            2 => Reply::Hash(vec![7; 65]),
            _ => reply.unwrap_or(Reply::Done),
        };
        self.driver.answer(id, &reply);
    }

    fn step(&mut self) {
        let what = self.byte();
        let at = usize::from(what) % LINKS;
        let how = self.byte();
        match what / LINKS as u8 {
            0..=3 => {
                if self.driver.connections[at].link.is_none() {
                    _ = self.driver.open_at(at);
                }
                S::enter(self, at, how);
            }
            4 | 5 => {
                let bytes = self.bytes(usize::from(how));
                self.send(at, bytes);
            }
            6 => self.driver.tick(1 << (how % 24)),
            7 => self.driver.close(at),
            8 | 9 => self.answer(how),
            10..=14 => self.pull(at, 1 + usize::from(how % 8)),
            kind => S::speak(self, at, kind, how),
        }
        S::audit(&self.driver.server);
        if self.driver.server.deadline().is_some_and(|due| due <= self.driver.now) {
            // A deadline that lies behind must be met by a tick, or an adapter would spin.
            self.driver.tick(0);
        }
    }

    /// Everybody whom the server takes input from again is heard; one connection reads.
    fn pull(&mut self, at: usize, most: usize) {
        self.driver.release();
        while let Some(ready) = self.driver.next_ready() {
            self.driver.receive_all(ready);
        }
        self.driver.collect_requests();
        for _ in 0..most {
            let n = self.driver.pull(at, &mut self.out);
            if n == 0 {
                break;
            }
            self.speaker.read(at, &self.out[..n]);
        }
        if self.driver.is_closing(at) {
            self.driver.close(at);
        }
    }
}

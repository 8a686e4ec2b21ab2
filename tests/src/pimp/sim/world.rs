//! A table and its clients in one tight loop: the smallest network there is.
//!
//! A round is: everything said is delivered, then one client says one thing. Nothing is allocated once a world stands.

use parlor_core::driver::Driver;
use parlor_core::pimp::rules::Phase;
use parlor_core::pimp::server::{Config, Table};
use parlor_core::pimp::wire::{FRAME_MAX, Message};
use parlor_core::server::{Framer as _, Intake, Link, Server as _};

use super::census::Census;
use super::client::{Client, Player, Stage};
use super::tamper::Tamper;
use crate::rng::Rng;

/// Room for what one pull gives.
const PULL: usize = 4096;

pub struct World<const USERS: usize, const LINKS: usize, const RING: usize> {
    /// The table, and a connection a client, in the clients' order.
    pub driver: Driver<Table<USERS, LINKS, RING>>,
    pub clients: Vec<Client<USERS>>,
    pub census: Census,
    buffer: Box<[u8; PULL]>,
    /// Whose turn it is to speak: nobody is always first.
    turn: usize,
    pub tamper: Option<Tamper>,
    /// Connections whose client came again from elsewhere.
    pub orphans: Vec<Link>,
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> World<USERS, LINKS, RING> {
    /// A table with players who have not come yet.
    pub fn new(seed: u64, config: &Config, players: &[Player]) -> Self {
        let mut driver = Driver::new(Box::new(Table::new()));
        driver.server.begin(&Rng::new(seed).seed(), config, driver.now);
        let mut world = Self {
            driver,
            clients: Vec::with_capacity(players.len()),
            census: Census::default(),
            buffer: Box::new([0; PULL]),
            turn: 0,
            tamper: None,
            orphans: Vec::with_capacity(LINKS),
        };
        players.iter().for_each(|player| world.add(*player, true, seed));
        world
    }

    /// One client more, who has not come yet.
    pub fn add(&mut self, player: Player, plays: bool, seed: u64) {
        let index = self.clients.len();
        self.clients.push(Client::new(index, player, plays, seed ^ index as u64));
        self.driver.connections.resize_with(index + 1, Default::default);
    }

    pub fn phase(&self) -> Phase {
        self.driver.server.game().phase
    }

    /// Everybody reads what was said to them.
    pub fn deliver(&mut self) {
        self.driver.release();
        while let Some(at) = self.driver.next_ready() {
            let was_stalled = core::mem::take(&mut self.driver.connections[at].stalled);
            if self.clients[at].deaf == 0 {
                self.drain(at);
            }
            // It may be heard again: what waits in its framer comes first.
            if was_stalled && self.is_connected(at) {
                self.receive(at);
                self.driver.release();
            }
        }
    }

    pub fn is_connected(&self, at: usize) -> bool {
        self.driver.connections[at].link.is_some()
    }

    /// One client reads until there is nothing more; hangs up if the server is done with it.
    pub fn drain(&mut self, at: usize) {
        let client = &mut self.clients[at];
        if self.driver.connections[at].link.is_none() {
            return;
        }
        loop {
            let n = self.driver.pull(at, &mut self.buffer[..]);
            let bytes = &self.buffer[..n];
            match &mut self.tamper {
                Some(tamper) if tamper.client == at => client.hear(&tamper.pass(bytes), &mut self.census),
                Some(tamper) => {
                    tamper.overhear(bytes);
                    client.hear(bytes, &mut self.census);
                }
                _ if n > 0 => client.hear(bytes, &mut self.census),
                _ => {}
            }
            // Room was left for any frame: there is none.
            if n + FRAME_MAX <= PULL {
                break;
            }
        }
        if self.driver.is_closing(at) {
            self.hang_up(at, 1);
        }
    }

    /// The connection ends; the client comes again after so many rounds.
    pub fn hang_up(&mut self, at: usize, rounds: u32) {
        if self.is_connected(at) {
            self.driver.close(at);
            self.lost(at, rounds);
        }
    }

    /// The client has no connection; it comes again after so many rounds.
    pub fn lost(&mut self, at: usize, rounds: u32) {
        self.driver.connections[at].stalled = false;
        self.clients[at].lost(rounds);
    }

    /// Bytes from a client reach the server, cut or whole.
    pub fn send(&mut self, at: usize, bytes: &[u8]) {
        let mut rest = bytes;
        loop {
            let n = self.driver.write(at, rest);
            rest = &rest[n..];
            // What does not fit waits in vain: a client that is not listened to has stopped writing.
            if self.receive(at) != Intake::More && (n == 0 || rest.is_empty()) {
                return;
            }
        }
    }

    fn receive(&mut self, at: usize) -> Intake {
        if !self.is_connected(at) {
            return Intake::Hungry;
        }
        loop {
            let intake = self.driver.receive(at);
            self.census.sent(self.driver.connections[at].framer.taken());
            if intake != Intake::More {
                return intake;
            }
        }
    }

    /// One client says one thing; `false` if nobody has anything to say.
    pub fn speak(&mut self) -> bool {
        for offset in 0..self.clients.len() {
            let at = (self.turn + offset) % self.clients.len();
            if self.speaks(at) {
                self.turn = at + 1;
                return true;
            }
        }
        false
    }

    /// Does this client have something to say? Then it was said.
    fn speaks(&mut self, at: usize) -> bool {
        let client = &mut self.clients[at];
        if client.silent > 0 || self.driver.connections[at].stalled || client.torn {
            return false;
        }
        let mut out = [0; FRAME_MAX];
        let n = match client.stage {
            Stage::Gone => return false,
            Stage::Away(0) => return self.connect(at),
            Stage::Away(rounds) => {
                client.stage = Stage::Away(rounds - 1);
                return true;
            }
            Stage::Shaking if !core::mem::take(&mut client.news) => return false,
            Stage::Shaking => Message::Handshake { version: 1 }.encode(&mut out).unwrap_or_default(),
            Stage::Asking if core::mem::take(&mut client.refused) => {
                self.hang_up(at, 40);
                return true;
            }
            Stage::Asking if core::mem::replace(&mut client.asked, true) => return false,
            Stage::Asking => client.ask_to_sit(&mut out),
            Stage::Seated => match client.ping.take() {
                Some(nonce) => Message::Pong { nonce }.encode(&mut out).unwrap_or_default(),
                None if !client.news => return false,
                None => client.decide(&mut out),
            },
        };
        if n == 0 {
            client.news = false;
            return false;
        }
        let (half, sent, end) = client.half;
        if sent < end {
            client.half = ([0; FRAME_MAX], 0, 0);
            self.send(at, &half[sent..end]);
        }
        self.send(at, &out[..n]);
        true
    }

    fn connect(&mut self, at: usize) -> bool {
        if self.driver.open_at(at).is_err() {
            self.clients[at].stage = Stage::Away(20);
            return false;
        }
        self.clients[at].connected();
        true
    }

    /// Time moves to the next thing that the table waits for, or by `ms` at most; `false` if it waits for nothing.
    pub fn wait(&mut self) -> bool {
        let Some(due) = self.driver.server.deadline() else { return false };
        self.driver.tick(due.since(self.driver.now));
        true
    }
}

//! A table and its clients in one tight loop: the smallest network there is.
//!
//! A round is: everything said is delivered, then one client says one thing. Nothing is allocated once a world stands.

use parlor_core::pimp::rules::Phase;
use parlor_core::pimp::server::{Config, Table};
use parlor_core::pimp::wire::{FRAME_MAX, Message};
use parlor_core::server::{Framer as _, Intake, Link, Millis, Server};

use super::census::Census;
use super::client::{Client, Player, Stage};
use super::rng::Rng;
use super::tamper::Tamper;

/// Room for what one pull gives.
const PULL: usize = 4096;

pub struct World<const USERS: usize, const LINKS: usize, const RING: usize> {
    pub table: Box<Table<USERS, LINKS, RING>>,
    pub clients: Vec<Client<USERS>>,
    pub now: Millis,
    pub census: Census,
    /// The client behind each link slot.
    slots: [u16; LINKS],
    buffer: Box<[u8; PULL]>,
    /// Whose turn it is to speak: nobody is always first.
    turn: usize,
    pub tamper: Option<Tamper>,
    /// Connections whose client came again from elsewhere.
    pub orphans: Vec<Link>,
}

/// No client behind this slot.
const NOBODY: u16 = u16::MAX;

impl<const USERS: usize, const LINKS: usize, const RING: usize> World<USERS, LINKS, RING> {
    /// A table with players who have not come yet.
    pub fn new(seed: u64, config: &Config, players: &[Player]) -> Self {
        let now = Millis(1_000);
        let mut table = Box::new(Table::new());
        table.begin(&Rng::new(seed).seed(), config, now);
        let clients =
            players.iter().enumerate().map(|(i, player)| Client::new(i, *player, true, seed ^ i as u64)).collect();
        Self {
            table,
            clients,
            now,
            census: Census::default(),
            slots: [NOBODY; LINKS],
            buffer: Box::new([0; PULL]),
            turn: 0,
            tamper: None,
            orphans: Vec::with_capacity(LINKS),
        }
    }

    pub fn phase(&self) -> Phase {
        self.table.game().phase
    }

    /// Everybody reads what was said to them.
    pub fn deliver(&mut self) {
        self.table.lag_all(self.now);
        let seq = self.table.produced();
        self.table.release(seq);
        while let Some(link) = self.table.next_ready() {
            let Some(at) = self.behind(link) else { continue };
            let was_stalled = core::mem::take(&mut self.clients[at].stalled);
            if self.clients[at].deaf == 0 {
                self.drain(at);
            }
            // It may be heard again: what waits in its framer comes first.
            if was_stalled && self.clients[at].link.is_some() {
                self.receive(at);
                self.table.lag_all(self.now);
                let seq = self.table.produced();
                self.table.release(seq);
            }
        }
    }

    fn behind(&self, link: Link) -> Option<usize> {
        let at = usize::from(*self.slots.get(usize::from(link.slot))?);
        self.clients.get(at).filter(|client| client.link == Some(link)).map(|_| at)
    }

    /// One client reads until there is nothing more; hangs up if the server is done with it.
    pub fn drain(&mut self, at: usize) {
        let client = &mut self.clients[at];
        let Some(link) = client.link else { return };
        loop {
            let n = self.table.pull(link, &mut self.buffer[..]);
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
        if self.table.closing(link) {
            self.hang_up(at, 1);
        }
    }

    /// The connection ends; the client comes again after so many rounds.
    pub fn hang_up(&mut self, at: usize, rounds: u32) {
        if let Some(link) = self.clients[at].link {
            self.table.close(link, self.now);
            self.slots[usize::from(link.slot)] = NOBODY;
            self.clients[at].lost(rounds);
        }
    }

    /// Bytes from a client reach the server, cut or whole.
    pub fn send(&mut self, at: usize, bytes: &[u8]) {
        let mut rest = bytes;
        loop {
            let n = self.clients[at].write(rest);
            rest = &rest[n..];
            // What does not fit waits in vain: a client that is not listened to has stopped writing.
            if self.receive(at) != Intake::More && (n == 0 || rest.is_empty()) {
                return;
            }
        }
    }

    fn receive(&mut self, at: usize) -> Intake {
        let client = &mut self.clients[at];
        let Some(link) = client.link else { return Intake::Hungry };
        loop {
            let intake = self.table.receive(link, &mut client.framer, self.now);
            self.census.sent(client.framer.taken());
            client.stalled = intake == Intake::Stalled;
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
        if client.silent > 0 || client.stalled || client.torn {
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
        let Ok(link) = self.table.open(self.now) else {
            self.clients[at].stage = Stage::Away(20);
            return false;
        };
        if let Some(slot) = self.slots.get_mut(usize::from(link.slot)) {
            *slot = at as u16;
        }
        self.clients[at].connected(link);
        true
    }

    /// Time moves to the next thing that the table waits for, or by `ms` at most; `false` if it waits for nothing.
    pub fn wait(&mut self) -> bool {
        let Some(due) = self.table.deadline() else { return false };
        self.now = self.now.max(due);
        self.table.tick(self.now);
        true
    }

    /// Time moves on, stopping at no deadline on the way.
    pub fn jump(&mut self, ms: u64) {
        self.now = self.now.plus(ms);
        self.table.tick(self.now);
    }
}

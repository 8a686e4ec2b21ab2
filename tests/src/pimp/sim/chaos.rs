//! What real networks and real people do: connections that break, readers that sleep, bytes that mean nothing.

use parlor_core::driver::Driver;
use parlor_core::pimp::wire::{FRAME_MAX, Message};
use parlor_core::server::{Framer as _, Server as _};

use super::client::Stage;
use super::commands::{Knowledge, random};
use super::told::frames;
use super::world::World;
use crate::rng::Rng;

/// Once in so many rounds something happens to somebody.
const RARITY: u64 = 12;

impl<const USERS: usize, const LINKS: usize, const RING: usize> World<USERS, LINKS, RING> {
    /// Time passes, silences end, and now and then something goes wrong.
    pub fn trouble(&mut self, rng: &mut Rng) {
        let driver = &mut self.driver;
        driver.now = driver.now.plus(rng.below(60));
        if driver.server.deadline().is_some_and(|due| due <= driver.now) {
            driver.tick(0);
        }
        for at in 0..self.clients.len() {
            let client = &mut self.clients[at];
            client.silent = client.silent.saturating_sub(1);
            if client.deaf > 0 {
                client.deaf -= 1;
                if client.deaf == 0 {
                    self.drain(at);
                }
            } else if client.torn && rng.one_in(6) {
                self.hang_up(at, rng.below(20) as u32);
            }
        }
        self.bury_orphans(rng);
        if rng.one_in(RARITY) {
            let at = rng.below(self.clients.len() as u64) as usize;
            self.befall(at, rng);
        }
    }

    fn befall(&mut self, at: usize, rng: &mut Rng) {
        let seated = self.clients[at].stage == Stage::Seated;
        match rng.below(24) {
            0 => self.hang_up(at, rng.below(60) as u32),
            1 if seated => self.clients[at].silent = rng.below(80) as u32,
            2 if seated => self.clients[at].deaf = 1 + rng.below(150) as u32,
            3 if seated => {
                self.say(at, &Message::Afk {});
                self.clients[at].silent = rng.below(80) as u32;
            }
            4 => self.garbage(at, rng),
            5 => self.stranger(rng),
            6 => self.driver.tick(rng.below(5_000)),
            7 if rng.one_in(8) => self.driver.tick(rng.below(120_000)),
            8 if seated => self.say(at, &Message::RequestState {}),
            9 | 10 if seated => self.half(at, rng),
            11 if seated => self.repeat(at),
            12 => self.rejoin_elsewhere(at, rng),
            13 if seated => self.kick(at),
            _ if seated => self.mischief(at, rng),
            _ => {}
        }
    }

    fn say(&mut self, at: usize, message: &Message<'_>) {
        let mut out = [0; FRAME_MAX];
        let n = message.encode(&mut out).unwrap_or_default();
        let (_, sent, end) = self.clients[at].half;
        if sent == end && !self.clients[at].torn {
            self.send(at, &out[..n]);
        }
    }

    /// Bytes that are no frames. Whatever the server makes of them, this link is of no use any more.
    fn garbage(&mut self, at: usize, rng: &mut Rng) {
        let mut bytes = [0; 64];
        rng.fill(&mut bytes);
        let n = 1 + rng.below(64) as usize;
        if self.is_connected(at) {
            self.clients[at].torn = true;
            self.send(at, &bytes[..n]);
        }
    }

    /// Somebody connects, says something odd, reads the answer and goes.
    fn stranger(&mut self, rng: &mut Rng) {
        // Behind the clients' connections there is one more, for whoever comes by.
        let at = self.clients.len();
        if self.driver.open_at(at).is_err() {
            return;
        }
        let mut bytes = [0; FRAME_MAX];
        rng.fill(&mut bytes);
        match rng.below(5) {
            // A password that is nobody's.
            0 => bytes[..10].copy_from_slice(&[0, 1, 1, 0x0A, 5, 1 + rng.below(8) as u8, 0, 0, 0, 0]),
            // A new name, and one that the first client has.
            1 => bytes[..9].copy_from_slice(&[0, 1, 1, 2, 4, 0, 0, 1, b'x']),
            2 if self.clients[0].view.me() != 0 => {
                bytes[..12].copy_from_slice(&[0, 1, 1, 2, 7, 0, 0, 4, b'b', b'0', b'0', b'0'])
            }
            // A version that there is not.
            3 => bytes[..3].copy_from_slice(&[0, 1, 2]),
            _ => {}
        }
        self.driver.write(at, &bytes[..64]);
        self.driver.receive(at);
        self.census.sent(self.driver.connections[at].framer.taken());
        self.driver.release();
        loop {
            let n = self.driver.pull(at, &mut bytes);
            if n == 0 {
                break;
            }
            frames(&bytes[..n], |code, _| self.census.to_clients[usize::from(code)] += 1);
        }
        self.driver.close(at);
    }

    /// The first part of a frame now, the rest before the next command.
    fn half(&mut self, at: usize, rng: &mut Rng) {
        let client = &mut self.clients[at];
        if client.half.1 < client.half.2 || client.torn || self.driver.connections[at].stalled {
            return;
        }
        let mut out = [0; FRAME_MAX];
        let n = client.decide(&mut out);
        let cut = rng.below(n as u64) as usize;
        if cut > 0 {
            client.half = (out, cut, n);
            self.send(at, &out[..cut]);
        }
    }

    /// The same command twice.
    fn repeat(&mut self, at: usize) {
        let client = &mut self.clients[at];
        if client.half.1 < client.half.2 || client.torn || self.driver.connections[at].stalled {
            return;
        }
        let mut out = [0; FRAME_MAX];
        let n = client.decide(&mut out);
        if n > 0 {
            self.send(at, &out[..n]);
            self.send(at, &out[..n]);
        }
    }

    /// The client comes again from elsewhere while its old connection still stands.
    fn rejoin_elsewhere(&mut self, at: usize, rng: &mut Rng) {
        if self.clients[at].stage == Stage::Seated {
            // The server finds out by the REJOIN, or never: then the old link breaks some day.
            self.orphans.extend(self.driver.connections[at].link.take());
            self.lost(at, rng.below(3) as u32);
        }
    }

    /// Links that nobody reads from any more.
    fn bury_orphans(&mut self, rng: &mut Rng) {
        let Self { orphans, driver: Driver { server, now, .. }, .. } = self;
        orphans.retain(|link| {
            let done = server.closing(*link) || rng.one_in(200);
            if done {
                server.close(*link, *now);
            } else if rng.one_in(10) {
                while server.pull(*link, &mut [0; FRAME_MAX]) > 0 {}
            }
            !done
        });
    }

    /// Votes against whoever holds up the game.
    fn kick(&mut self, at: usize) {
        let player = self.clients[at].view.turn();
        self.say(at, &Message::Kick { player });
    }

    fn mischief(&mut self, at: usize, rng: &mut Rng) {
        let client = &self.clients[at];
        if client.half.1 < client.half.2 || client.torn {
            return;
        }
        let mut deals = [0; 8];
        let known = client.view.deals();
        deals.iter_mut().zip(known).for_each(|(id, deal)| *id = deal.id);
        let knowledge = Knowledge {
            users: client.view.users().len() as u8,
            cash: client.view.cash(),
            deals: &deals[..known.len().min(8)],
            candidate: client.view.vote().map_or(1, |vote| vote.candidate),
        };
        let mut out = [0; FRAME_MAX];
        let n = random(rng, &knowledge, &mut out);
        self.send(at, &out[..n]);
    }
}

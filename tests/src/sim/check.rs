//! What must hold after every command: the rules' own audit, and that every mirror shows what the server would dump.

use parlor_core::pimp::server::Table;
use parlor_core::pimp::view::View;
use parlor_core::pimp::wire::{FRAME_MAX, Framer, Message};
use parlor_core::server::{Framer as _, Server};

use super::client::Client;
use super::told::{Told, frames};
use super::world::World;

/// A copy of the table that can be asked anything, and room for both sides of a comparison.
pub struct Check<const USERS: usize, const LINKS: usize, const RING: usize> {
    copy: Box<Table<USERS, LINKS, RING>>,
    dump: Vec<u8>,
    dumped: Told,
    seen: Told,
    pub mirrors: u64,
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Default for Check<USERS, LINKS, RING> {
    fn default() -> Self {
        Self {
            copy: Box::new(Table::new()),
            dump: Vec::with_capacity(8192),
            dumped: Told::default(),
            seen: Told::default(),
            mirrors: 0,
        }
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Check<USERS, LINKS, RING> {
    /// The invariants of pimp 14 that the rules can tell by themselves.
    pub fn audit(&self, world: &World<USERS, LINKS, RING>) -> Result<(), String> {
        world.table.game().audit().map_err(|law| format!("the audit fails: {law}"))?;
        let claims = world.table.game().claims.len();
        if claims > 9 { Err(format!("{claims} claims are open, 9 at most can be")) } else { Ok(()) }
    }

    /// Everybody's mirror.
    pub fn mirrors(&mut self, world: &World<USERS, LINKS, RING>) -> Result<(), String> {
        (0..world.clients.len()).try_for_each(|at| self.mirror(world, at))
    }

    /// One client's mirror against what the server would dump to it now.
    pub fn mirror(&mut self, world: &World<USERS, LINKS, RING>, at: usize) -> Result<(), String> {
        let client = &world.clients[at];
        if !client.is_up_to_date() || !self.ask(world, client) {
            return Ok(());
        }
        self.mirrors += 1;
        self.dumped = Told::default();
        self.dumped.read(&self.dump);
        self.seen.of(&client.view.known());
        self.seen.forget_ghosts(&self.dumped);
        match self.seen.difference(&self.dumped) {
            Some(difference) => {
                Err(format!("client {at} (user {}) sees another table: {difference}", client.view.me()))
            }
            None => Ok(()),
        }
    }

    /// What a client would see that comes in now, in the place of this one.
    pub fn newcomer(&mut self, world: &World<USERS, LINKS, RING>, at: usize) -> Option<Box<View<USERS>>> {
        let client = &world.clients[at];
        if !client.is_up_to_date() || !self.ask(world, client) {
            return None;
        }
        let mut view = Box::new(View::new());
        frames(&self.dump, |code, payload| {
            if let Ok(message) = Message::from_server(code, payload) {
                view.take(&message);
            }
        });
        Some(view)
    }

    /// A copy of the table is asked, as a second connection of that user would ask: the table itself is not touched.
    fn ask(&mut self, world: &World<USERS, LINKS, RING>, client: &Client<USERS>) -> bool {
        self.copy.clone_from(&world.table);
        self.dump.clear();
        // Who sleeps must not be run over by the dump: its end would be told in the middle of it.
        let asleep = world.clients.iter().filter(|client| client.deaf > 0).filter_map(|client| client.link);
        for link in asleep.chain(world.orphans.iter().copied()) {
            while self.copy.pull(link, &mut [0; 1024]) > 0 {}
        }
        let Ok(link) = self.copy.open(world.now) else { return false };
        let mut framer = Framer::new();
        let mut commands = [0; FRAME_MAX];
        let hello = Message::Handshake { version: 1 }.encode(&mut commands).unwrap_or_default();
        let rejoin = Message::Rejoin { player: client.view.me(), password: client.view.password() };
        let n = hello + rejoin.encode(&mut commands[hello..]).unwrap_or_default();
        framer.window()[..n].copy_from_slice(&commands[..n]);
        framer.commit(n);
        self.copy.receive(link, &mut framer, world.now);
        self.copy.lag_all(world.now);
        let seq = self.copy.produced();
        self.copy.release(seq);
        let mut buffer = [0; 4096];
        loop {
            let n = self.copy.pull(link, &mut buffer);
            self.dump.extend_from_slice(&buffer[..n]);
            if n == 0 {
                return true;
            }
        }
    }
}

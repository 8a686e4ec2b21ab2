//! What must hold after every command: the rules' own audit, and that every mirror shows what the server would dump.

use parlor_core::driver::Driver;
use parlor_core::pimp::server::Table;
use parlor_core::pimp::view::View;
use parlor_core::pimp::wire::{FRAME_MAX, Message};
use parlor_core::server::Server as _;

use super::client::Client;
use super::told::{Told, frames};
use super::world::World;

/// A copy of the table that can be asked anything, and room for both sides of a comparison.
pub struct Check<const USERS: usize, const LINKS: usize, const RING: usize> {
    copy: Driver<Table<USERS, LINKS, RING>>,
    dump: Vec<u8>,
    dumped: Told,
    seen: Told,
    pub mirrors: u64,
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Default for Check<USERS, LINKS, RING> {
    fn default() -> Self {
        Self {
            copy: Driver::new(Box::new(Table::new())),
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
        world.driver.server.game().audit().map_err(|law| format!("the audit fails: {law}"))?;
        let claims = world.driver.server.game().claims.len();
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
        let World { driver, clients, orphans, .. } = world;
        let Self { copy, dump, .. } = self;
        copy.server.clone_from(&driver.server);
        copy.now = driver.now;
        dump.clear();
        // Who sleeps must not be run over by the dump: its end would be told in the middle of it.
        let asleep = clients.iter().zip(&driver.connections).filter(|(client, _)| client.deaf > 0);
        for link in asleep.filter_map(|(_, connection)| connection.link).chain(orphans.iter().copied()) {
            while copy.server.pull(link, &mut [0; 1024]) > 0 {}
        }
        if copy.open_at(0).is_err() {
            return false;
        }
        let mut commands = [0; FRAME_MAX];
        let hello = Message::Handshake { version: 1 }.encode(&mut commands).unwrap_or_default();
        let rejoin = Message::Rejoin { player: client.view.me(), password: client.view.password() };
        let n = hello + rejoin.encode(&mut commands[hello..]).unwrap_or_default();
        copy.write(0, &commands[..n]);
        copy.receive(0);
        copy.release();
        let mut buffer = [0; 4096];
        loop {
            let n = copy.pull(0, &mut buffer);
            dump.extend_from_slice(&buffer[..n]);
            if n == 0 {
                return true;
            }
        }
    }
}

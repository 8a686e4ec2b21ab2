//! The tables of this process.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::bot;
use crate::cli::Strength;
use crate::config::{Rules, Seed};
use crate::games::Game;
use crate::net::Room;

/// Bytes on their way between a table and a bot in this process.
const PIPE: usize = 1024;

/// One table and where it can be reached.
pub struct Table {
    /// From 1, across all games.
    pub number: u32,
    pub game: &'static Game,
    pub room: Arc<dyn Room>,
    ports: RwLock<Ports>,
}

/// A table's own ports.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    pub tcp: Vec<SocketAddr>,
    pub ws: Vec<SocketAddr>,
}

impl Table {
    pub fn ports(&self) -> Ports {
        self.ports.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Seats bots of our own. They speak bytes like everybody else.
    pub fn seat_bots(&self, count: u8, strength: Strength, seed: u32) {
        for index in 1..=count {
            let (near, far) = tokio::io::duplex(PIPE);
            let seed = seed.wrapping_add(u32::from(index));
            tokio::spawn(self.room.clone().attend(Box::new(far)));
            tokio::spawn((self.game.bot)(near, bot::name(index), strength, seed));
        }
    }

    pub fn add_tcp(&self, address: SocketAddr) {
        self.ports.write().unwrap_or_else(PoisonError::into_inner).tcp.push(address);
    }

    pub fn add_ws(&self, address: SocketAddr) {
        self.ports.write().unwrap_or_else(PoisonError::into_inner).ws.push(address);
    }
}

/// There are as many tables as there may be.
pub struct HouseFull;

pub struct House {
    rules: Rules,
    seed: Seed,
    limit: u32,
    made: AtomicU32,
    tables: RwLock<Vec<Arc<Table>>>,
}

impl House {
    pub fn new(rules: Rules, seed: Seed, limit: u32) -> Self {
        Self { rules, seed, limit, made: AtomicU32::new(0), tables: RwLock::default() }
    }

    /// Makes a table and starts its clock.
    pub fn open(&self, game: &'static Game) -> Result<Arc<Table>, HouseFull> {
        let take = |made: u32| (made < self.limit).then_some(made + 1);
        let made = self.made.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_err(|_| HouseFull)?;
        let number = made + 1;
        let room = (game.make)(&self.seed.of_table(number), &self.rules);
        tokio::spawn(room.clone().keep_time());
        let table = Arc::new(Table { number, game, room, ports: RwLock::default() });
        self.tables.write().unwrap_or_else(PoisonError::into_inner).push(table.clone());
        tracing::debug!(number, game = game.name, "table opened");
        Ok(table)
    }

    /// What every table is made with.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub fn tables(&self) -> Vec<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn table(&self, number: u32) -> Option<Arc<Table>> {
        self.tables().into_iter().find(|table| table.number == number)
    }

    /// Of this game, the table that has been there longest.
    pub fn first(&self, game: &str) -> Option<Arc<Table>> {
        self.tables().into_iter().find(|table| table.game.name == game)
    }

    pub fn stop(&self) {
        self.tables().iter().for_each(|table| table.room.stop());
    }
}

//! The tables of this process, and the halls of games that have one.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::bot;
use crate::cli::Strength;
use crate::config::{Rules, Seed};
use crate::games::{self, Game, PIMP_LOBBY};
use crate::journal::{Card, Journal, Resting, restore};
use crate::net::{Help, Room};
use crate::table_id::TableId;
use crate::yard::Butler;

/// Bytes on their way between a table and a bot in this process.
const PIPE: usize = 1024;

/// One table and where it can be reached.
pub struct Table {
    /// From 1, across all games; a hall has a number of its own.
    pub number: u32,
    pub game: &'static Game,
    pub room: Arc<dyn Room>,
    /// One of the tables that are always there; else somebody made it.
    pub is_house: bool,
    /// The port of its own that it had before the process was started again.
    pub saved_port: Option<SocketAddr>,
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
        let Some(play) = self.game.bot else { return };
        for index in 1..=count {
            let (near, far) = tokio::io::duplex(PIPE);
            let seed = seed.wrapping_add(u32::from(index));
            tokio::spawn(self.room.clone().attend(Box::new(far), None));
            tokio::spawn(play(near, bot::name(index), strength, seed));
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
    journal: Option<Arc<Journal>>,
    tables: RwLock<Vec<Arc<Table>>>,
    halls: RwLock<Vec<Arc<Table>>>,
    /// Halls that were saved and are not open yet.
    saved_halls: Mutex<Vec<restore::Table>>,
}

impl House {
    pub fn new(rules: Rules, seed: Seed, limit: u32, journal: Option<Arc<Journal>>) -> Self {
        let (tables, halls, saved_halls) = (RwLock::default(), RwLock::default(), Mutex::default());
        Self { rules, seed, limit, journal, tables, halls, saved_halls }
    }

    /// Makes a table and starts its clock.
    pub fn open(&self, game: &'static Game) -> Result<Arc<Table>, HouseFull> {
        self.make(game, false)
    }

    /// The tables of a game that are always there: those that were saved, and as many new ones as are missing.
    pub fn standing(&self, game: &'static Game, count: u16) -> Result<Vec<Arc<Table>>, HouseFull> {
        let mut standing = self.tables();
        standing.retain(|table| table.is_house && table.game.name == game.name);
        standing.truncate(usize::from(count));
        while standing.len() < usize::from(count) {
            standing.push(self.make(game, true)?);
        }
        Ok(standing)
    }

    /// The hall of a game that has one: that which was saved, or a new one with this seed.
    pub fn hall(&self, game: &'static Game, number: u32, seed: Seed, butler: &Butler) -> Arc<Table> {
        let mut saved = self.saved_halls.lock().unwrap_or_else(PoisonError::into_inner);
        let found = saved.iter().position(|table| table.game.name == game.name).map(|at| saved.swap_remove(at));
        let (rest, card) = match found {
            Some(restore::Table { rest, card, .. }) => (rest, card),
            None => {
                let card = Card { game: game.name.into(), house: true, port: None };
                ((game.make)(&seed.of_table(1), &self.rules), card)
            }
        };
        let players = games::players(&*rest);
        let hall = self.set_up(number, game, rest, card, Some(Arc::new(butler.clone())));
        butler.enter(&hall.room, &players);
        self.halls.write().unwrap_or_else(PoisonError::into_inner).push(hall.clone());
        hall
    }

    fn make(&self, game: &'static Game, is_house: bool) -> Result<Arc<Table>, HouseFull> {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        if tables.len() >= self.limit as usize {
            return Err(HouseFull);
        }
        let number = tables.iter().map(|table| table.number).max().unwrap_or_default() + 1;
        let rest = (game.make)(&self.seed.of_table(number), &self.rules);
        let table = self.set_up(number, game, rest, Card { game: game.name.into(), house: is_house, port: None }, None);
        tables.push(table.clone());
        tracing::debug!(number, game = game.name, "table opened");
        Ok(table)
    }

    fn set_up(
        &self,
        number: u32,
        game: &'static Game,
        rest: Box<dyn Resting>,
        card: Card,
        help: Option<Arc<dyn Help>>,
    ) -> Arc<Table> {
        let (is_house, saved_port) = (card.house, card.port);
        let id = TableId::new(game.name, number);
        let room = rest.open(self.journal.clone().map(|journal| (journal, id, card)), help);
        tokio::spawn(room.clone().keep_time());
        Arc::new(Table { number, game, room, is_house, saved_port, ports: RwLock::default() })
    }

    /// Saved tables go on, under their numbers.
    pub fn revive(&self, saved: restore::House) {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        for (id, table) in saved.tables {
            if table.game.hall.is_some() {
                self.saved_halls.lock().unwrap_or_else(PoisonError::into_inner).push(table);
                continue;
            }
            let restore::Table { game, card, rest, .. } = table;
            // A lobby's, and there is none now: it is kept for another time.
            if game.name == PIMP_LOBBY.name {
                continue;
            }
            tables.push(self.set_up(id.number, game, rest, card, None));
        }
    }

    /// A table has a port of its own, and will have it again.
    pub fn note_port(&self, table: &Table, port: SocketAddr) {
        if let Some(journal) = &self.journal {
            journal.port(TableId::new(table.game.name, table.number), port);
        }
    }

    /// Returns when everything that happened until now is safe.
    pub async fn saved(&self) {
        if let Some(journal) = self.journal.as_ref().filter(|journal| journal.is_strict()) {
            journal.flush().await;
        }
    }

    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// What every table is made with.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub fn tables(&self) -> Vec<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn halls(&self) -> Vec<Arc<Table>> {
        self.halls.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn table(&self, number: u32) -> Option<Arc<Table>> {
        self.tables().into_iter().find(|table| table.number == number)
    }

    /// Of this game, the hall, or the table that has been there longest.
    pub fn first(&self, game: &str) -> Option<Arc<Table>> {
        self.tables().into_iter().chain(self.halls()).find(|table| table.game.name == game)
    }

    pub fn stop(&self) {
        self.tables().iter().chain(&self.halls()).for_each(|table| table.room.stop());
    }
}

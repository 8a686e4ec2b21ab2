//! Every server of this process, by game and number: tables that are always there, tables made by request, halls, and
//! the tables of lobbies. All listing, counting, stopping and finding of servers is done here.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use parlor_core::game::{Scope, Seat};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use crate::bot::{self, Pace};
use crate::cli::Strength;
use crate::config::Seed;
use crate::flags::{Asked, Chosen};
use crate::games::Entry;
use crate::house_bots::Waiting;
use crate::journal::{AnyTable, Journal, Kept, TableMeta, restore};
use crate::metrics::Sums;
use crate::net::strangers::Strangers;
use crate::net::{GameServices, TableHandle};
use crate::services::HostServices;
use crate::table_id::TableId;
use crate::task;

/// Bots of ours at one table at once.
pub const BOTS: u8 = 16;
/// Bytes on their way between a table and a bot in this process.
const PIPE: usize = 1024;
/// A table made by request is dropped when it was empty for this long.
const UNUSED: Duration = Duration::from_secs(600);
/// How often that is looked at.
const LOOK: Duration = Duration::from_secs(30);
/// How long the connections of a table that is removed may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Why a server is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It always is.
    Standing,
    /// A request made it, and another may remove it.
    Asked,
    /// A lobby made it and will drop it.
    Lobby,
}

/// One server and where it can be reached.
pub struct Served {
    pub id: TableId,
    pub entry: &'static Entry,
    pub table: Arc<dyn TableHandle>,
    pub cause: Cause,
    /// The port of its own that it had before the process was started again.
    pub saved_port: Option<SocketAddr>,
    ports: RwLock<Ports>,
    /// The tasks of its clock and its ports.
    tasks: Mutex<Vec<AbortHandle>>,
    /// Since when it is empty, as far as was looked.
    unused_since: Mutex<Option<Instant>>,
    /// Free places for bots.
    bots: Arc<Semaphore>,
    /// How long bots at this table think.
    pace: Arc<Mutex<Pace>>,
}

/// A server's own ports.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    pub tcp: Vec<SocketAddr>,
    pub ws: Vec<SocketAddr>,
}

impl Served {
    fn new(id: TableId, entry: &'static Entry, table: Arc<dyn TableHandle>, cause: Cause) -> Self {
        let (ports, tasks, unused_since) = (RwLock::default(), Mutex::default(), Mutex::default());
        let (bots, pace) = (Arc::new(Semaphore::new(BOTS.into())), Arc::new(Mutex::new(Pace::NONE)));
        Self { id, entry, table, cause, saved_port: None, ports, tasks, unused_since, bots, pace }
    }

    pub fn ports(&self) -> Ports {
        self.ports.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn add_tcp(&self, address: SocketAddr, watch: AbortHandle) {
        self.ports.write().unwrap_or_else(PoisonError::into_inner).tcp.push(address);
        lock(&self.tasks).push(watch);
    }

    pub fn add_ws(&self, address: SocketAddr, watch: AbortHandle) {
        self.ports.write().unwrap_or_else(PoisonError::into_inner).ws.push(address);
        lock(&self.tasks).push(watch);
    }

    /// From now on the bots that were called to this table think so long; whether there are any.
    pub fn set_pace(&self, pace: Pace) -> bool {
        *lock(&self.pace) = pace;
        self.bots.available_permits() < BOTS.into()
    }

    /// Seats bots of our own, which think as long as is wanted last. They speak bytes like other clients. `false`, and
    /// none came: with those that are here they would be more than [`BOTS`].
    pub fn seat_bots(&self, count: u8, strength: Strength, seed: u32, pace: Pace) -> bool {
        let Ok(mut places) = self.bots.clone().try_acquire_many_owned(count.into()) else { return false };
        self.set_pace(pace);
        for index in 1..=count {
            let (name, seed) = (bot::name(index), seed.wrapping_add(u32::from(index)));
            let seat = Seat {
                name: &name,
                password: "",
                game: "",
                is_guest: true,
                players: 1,
                strength: strength.into(),
                seed,
            };
            let Some(mut player) = (self.entry.player)(&seat) else { continue };
            let Some(place) = places.split(1) else { continue };
            let (mut near, far) = tokio::io::duplex(PIPE);
            tokio::spawn(self.table.clone().attend(Box::new(far), None));
            let (table, pace) = (Arc::downgrade(&self.table), self.pace.clone());
            task::spawn(async move {
                let mut waiting = Waiting::default();
                // Where no turn has begun, no one plays: the bot's caller may be gone.
                let end = bot::play(
                    &mut *player,
                    &mut near,
                    || *lock(&pace),
                    |_, _| {
                        let has_begun = table.upgrade().is_none_or(|table| table.summary().turn > 0);
                        !waiting.is_in_vain(!has_begun, Instant::now())
                    },
                );
                let end = end.await;
                tracing::debug!(name, ?end, "a bot has left");
                drop(place);
            });
        }
        true
    }

    /// It has no users and no connections.
    fn is_unused(&self) -> bool {
        self.table.traffic().links == 0 && self.table.summary().users == 0
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is chosen for a game, told in words.
pub fn settings(entry: &Entry, chosen: &Chosen) -> Vec<(&'static str, String)> {
    let told = (entry.told)(chosen).into_iter();
    told.map(|(setting, _, words)| (setting.name, words)).collect()
}

/// Why there is no such table to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRemoved {
    Unknown,
    /// It is always there, or a lobby's.
    NotAskedFor,
}

/// There are as many tables as there may be.
#[derive(Debug)]
pub struct RegistryFull;

#[derive(Default)]
struct Book {
    served: BTreeMap<TableId, Arc<Served>>,
    /// The highest number that a table of each game has had: none is given twice.
    numbers: BTreeMap<&'static str, u32>,
    /// What removed servers counted.
    past: Sums,
}

pub struct Registry {
    /// By game: what its servers begin with.
    games: RwLock<BTreeMap<&'static str, (Chosen, Seed)>>,
    limit: AtomicU32,
    journal: Option<Arc<Journal>>,
    book: RwLock<Book>,
    /// Saved servers that are not open yet.
    saved: Mutex<Vec<restore::Table>>,
    /// The saved servers that stay so.
    resting: Mutex<Vec<Arc<dyn Kept>>>,
    /// Clients that have not joined anywhere yet.
    pub strangers: Arc<Strangers>,
}

impl Registry {
    /// Each game has a seed of its own, so that the dice of one tell nothing about another's; unless one was asked for.
    pub fn new(
        asked: &[Asked],
        seeds: &[Seed],
        limit: u32,
        journal: Option<Arc<Journal>>,
        strangers: Arc<Strangers>,
    ) -> Self {
        let games = asked.iter().zip(seeds).map(|(asked, seed)| (asked.entry.name, (asked.chosen.clone(), *seed)));
        Self {
            games: RwLock::new(games.collect()),
            limit: AtomicU32::new(limit),
            journal,
            book: RwLock::default(),
            saved: Mutex::default(),
            resting: Mutex::default(),
            strangers,
        }
    }

    fn games(&self) -> RwLockReadGuard<'_, BTreeMap<&'static str, (Chosen, Seed)>> {
        self.games.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Servers go by these settings from now on: limits and times at once, rules from their next game.
    pub fn adopt(&self, asked: &[Asked], limit: u32) {
        self.limit.store(limit, Relaxed);
        for asked in asked {
            let mut games = self.games.write().unwrap_or_else(PoisonError::into_inner);
            if let Some((chosen, _)) = games.get_mut(asked.entry.name) {
                chosen.clone_from(&asked.chosen);
            }
        }
        for served in self.all().iter().filter(|served| served.cause != Cause::Lobby) {
            served.table.clone().set(self.settings(served.entry));
        }
    }

    /// What the servers of a game go by, told in words.
    fn settings(&self, entry: &Entry) -> Vec<(&'static str, String)> {
        self.games().get(entry.name).map(|(chosen, _)| settings(entry, chosen)).unwrap_or_default()
    }

    /// By table, the settings that wait for its next game.
    pub fn waiting(&self) -> Vec<(TableId, Vec<&'static str>)> {
        let waiting = self.all().into_iter().map(|served| (served.id, served.table.waiting()));
        waiting.filter(|(_, names)| !names.is_empty()).collect()
    }

    /// Everything that is served is open: what was saved of the rest is kept for another time, and keeps nothing else.
    pub fn put_to_rest(&self) {
        let Some(journal) = &self.journal else { return };
        let resting = lock(&self.saved).iter().map(|table| journal.rest(table)).collect();
        *lock(&self.resting) = resting;
    }

    fn book(&self) -> RwLockReadGuard<'_, Book> {
        self.book.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn book_mut(&self) -> RwLockWriteGuard<'_, Book> {
        self.book.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a table by request.
    pub fn make(&self, entry: &'static Entry) -> Result<Arc<Served>, RegistryFull> {
        self.make_for(entry, Cause::Asked)
    }

    /// The tables of a game that are always there: those that were saved, and as many new ones as are missing.
    pub fn standing(&self, entry: &'static Entry, count: u16) -> Result<Vec<Arc<Served>>, RegistryFull> {
        let mut standing = self.of(entry.name);
        standing.retain(|served| served.cause == Cause::Standing);
        standing.truncate(usize::from(count));
        while standing.len() < usize::from(count) {
            standing.push(self.make_for(entry, Cause::Standing)?);
        }
        Ok(standing)
    }

    /// The one server of a game that has all in one: that which was saved, or a new one.
    pub fn hall(&self, entry: &'static Entry, services: &HostServices) -> Arc<Served> {
        let mut book = self.book_mut();
        let id = TableId::new(entry.name, 1);
        let (stored, meta) = match self.take_saved(entry.name).pop() {
            Some(restore::Table { stored, meta, .. }) => (stored, meta),
            None => (self.fresh(entry, 1), TableMeta { game: entry.name.into(), house: true, port: None }),
        };
        let players = (entry.players)(&*stored);
        let hall = self.open(&mut book, (id, entry), stored, meta, Some(Arc::new(services.clone())));
        services.enter(&hall.table, &players);
        hall
    }

    fn fresh(&self, entry: &Entry, number: u32) -> Box<dyn AnyTable> {
        match self.games().get(entry.name) {
            Some((chosen, seed)) => (entry.make)(&seed.of_table(number), chosen),
            None => (entry.blank)(),
        }
    }

    fn make_for(&self, entry: &'static Entry, cause: Cause) -> Result<Arc<Served>, RegistryFull> {
        let mut book = self.book_mut();
        let tables = book.served.values().filter(|served| served.is_counted()).count();
        if tables >= self.limit.load(Relaxed) as usize {
            return Err(RegistryFull);
        }
        let number = book.numbers.get(entry.name).copied().unwrap_or_default() + 1;
        let meta = TableMeta { game: entry.name.into(), house: cause == Cause::Standing, port: None };
        let id = TableId::new(entry.name, number);
        let served = self.open(&mut book, (id, entry), self.fresh(entry, number), meta, None);
        tracing::debug!(%id, "table opened");
        Ok(served)
    }

    /// Opens a server for connections and starts its clock.
    fn open(
        &self,
        book: &mut Book,
        (id, entry): (TableId, &'static Entry),
        stored: Box<dyn AnyTable>,
        meta: TableMeta,
        services: Option<Arc<dyn GameServices>>,
    ) -> Arc<Served> {
        let (cause, saved_port) = (if meta.house { Cause::Standing } else { Cause::Asked }, meta.port);
        let table = stored.open(self.journal.clone().map(|journal| (journal, id, meta)), services);
        table.watch(self.strangers.place());
        // One that was saved may go by others.
        table.clone().set(self.settings(entry));
        let clock = tokio::spawn(table.clone().keep_time()).abort_handle();
        let served = Arc::new(Served { saved_port, ..Served::new(id, entry, table, cause) });
        lock(&served.tasks).push(clock);
        book.add(served.clone());
        served
    }

    /// A lobby has a table in this space. It sees to the clock itself.
    pub fn add(&self, id: TableId, entry: &'static Entry, table: Arc<dyn TableHandle>, clock: AbortHandle) {
        let served = Arc::new(Served::new(id, entry, table, Cause::Lobby));
        lock(&served.tasks).push(clock);
        self.book_mut().add(served);
    }

    /// A server is gone, without connections: its clock ends, and its journal.
    pub fn drop_unused(&self, id: TableId) {
        let Some(served) = self.book_mut().take(id) else { return };
        self.end(&served);
    }

    /// Removes a table made by request: its clients are sent what is due, and its connections are closed.
    pub fn remove(self: &Arc<Self>, id: TableId) -> Result<(), NotRemoved> {
        let mut book = self.book_mut();
        let served = book.served.get(&id).ok_or(NotRemoved::Unknown)?;
        if served.cause != Cause::Asked {
            return Err(NotRemoved::NotAskedFor);
        }
        let Some(served) = book.take(id) else { return Err(NotRemoved::Unknown) };
        drop(book);
        served.table.stop();
        let registry = self.clone();
        task::spawn(async move {
            let end = Instant::now() + FAREWELL;
            while served.table.traffic().links > 0 && Instant::now() < end {
                sleep(Duration::from_millis(20)).await;
            }
            registry.end(&served);
        });
        Ok(())
    }

    /// Ends the game of this name in a hall; whether there was one. It is not there after a crash either.
    pub async fn end_game(&self, served: &Served, name: &str) -> bool {
        let is_ended = served.table.clone().end_game(name);
        self.saved().await;
        is_ended
    }

    /// All clients of a table are sent away, and another game begins there; `false`: not all left in time, or it is a
    /// hall, which has many games, and accounts.
    pub async fn renew(&self, served: &Served) -> bool {
        if served.entry.scope == Scope::Hall {
            return false;
        }
        // A lobby's table has its dice from the lobby, which drops it by itself once it is empty.
        if served.cause == Cause::Lobby {
            return self.end_game(served, "").await;
        }
        let end = Instant::now() + FAREWELL;
        loop {
            served.table.kick(&|_| true);
            // Other dice and passwords than ever before.
            let Ok(seed) = Seed::from_system() else { return false };
            let chosen = self.chosen(served.entry.name).unwrap_or_default();
            if served.table.renew((served.entry.make)(&seed.of_table(1), &chosen)) {
                return self.saved().await;
            }
            if Instant::now() > end {
                return false;
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    fn end(&self, served: &Served) {
        lock(&served.tasks).drain(..).for_each(|task| task.abort());
        if let Some(journal) = &self.journal {
            journal.retire(served.id);
        }
        tracing::debug!(id = %served.id, "table gone");
    }

    /// Drops tables made by request that are not used, for ever.
    pub async fn sweep_for_ever(self: Arc<Self>) {
        loop {
            sleep(LOOK).await;
            self.sweep(Instant::now());
        }
    }

    fn sweep(self: &Arc<Self>, now: Instant) {
        for served in self.all().iter().filter(|served| served.cause == Cause::Asked) {
            let mut since = lock(&served.unused_since);
            *since = if served.is_unused() { since.or(Some(now)) } else { None };
            if since.is_some_and(|since| now.duration_since(since) >= UNUSED) {
                tracing::info!(id = %served.id, "nobody used the table for long: it is gone");
                let _ = self.remove(served.id);
            }
        }
    }

    /// Saved servers go on, under their numbers.
    pub fn revive(&self, saved: restore::House) {
        let mut book = self.book_mut();
        for (id, table) in saved.tables {
            // A hall is opened when its ports are; a lobby's table is kept for another time if there is no lobby now.
            if table.game.scope == Scope::Hall || !self.games().contains_key(table.game.name) {
                lock(&self.saved).push(table);
                continue;
            }
            let restore::Table { game, meta, stored, .. } = table;
            self.open(&mut book, (id, game), stored, meta, None);
        }
    }

    /// The saved tables of this kind that are not open yet.
    pub fn take_saved(&self, game: &str) -> Vec<restore::Table> {
        lock(&self.saved).extract_if(.., |table| table.id.game == game).collect()
    }

    /// A table has a port of its own, and will have it again.
    pub fn note_port(&self, served: &Served, port: SocketAddr) {
        if let Some(journal) = &self.journal {
            journal.port(served.id, port);
        }
    }

    /// Returns when everything that happened until now is safe; `false`: it never will be.
    pub async fn saved(&self) -> bool {
        match self.journal.as_ref().filter(|journal| journal.is_strict()) {
            Some(journal) => journal.flush().await,
            None => true,
        }
    }

    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// What the servers of a game begin with.
    pub fn chosen(&self, game: &str) -> Option<Chosen> {
        self.games().get(game).map(|(chosen, _)| chosen.clone())
    }

    pub fn all(&self) -> Vec<Arc<Served>> {
        self.book().served.values().cloned().collect()
    }

    /// The servers of one game, by number.
    pub fn of(&self, game: &str) -> Vec<Arc<Served>> {
        self.book().served.values().filter(|served| served.id.game == game).cloned().collect()
    }

    pub fn find(&self, game: &str, number: u32) -> Option<Arc<Served>> {
        self.book().served.values().find(|served| served.id.game == game && served.id.number == number).cloned()
    }

    /// A table by the number that its players know: its own, or, in a lobby, that of the game there.
    pub fn find_told(&self, game: &str, number: u32) -> Option<Arc<Served>> {
        let found = self.find(game, number).filter(|served| served.cause != Cause::Lobby);
        let is_it = |served: &Arc<Served>| served.cause == Cause::Lobby && served.table.summary().own.1 == number;
        found.or_else(|| self.of(game).into_iter().find(is_it))
    }

    /// The hall of this game, or the table that has been there longest.
    pub fn first(&self, game: &str) -> Option<Arc<Served>> {
        self.book().served.values().find(|served| served.id.game == game).cloned()
    }

    /// Of all servers; what only counts up counts those that are gone too.
    pub fn sums(&self) -> Sums {
        let (served, mut sums) = {
            let book = self.book();
            (book.served.values().cloned().collect::<Vec<_>>(), book.past)
        };
        served.iter().for_each(|served| sums.add(&*served.table));
        sums
    }

    pub fn stop(&self) {
        self.all().iter().for_each(|served| served.table.stop());
    }

    /// Connections at all servers.
    pub fn links(&self) -> u64 {
        self.book().served.values().map(|served| served.table.traffic().links).sum()
    }

    /// No server is here any more: clocks stop, and what is noted of them is for their next owner.
    pub fn close(&self) {
        let served = std::mem::take(&mut self.book_mut().served);
        for served in served.values() {
            served.table.stop();
            lock(&served.tasks).drain(..).for_each(|task| task.abort());
        }
    }
}

impl Served {
    /// One of the tables that there may be only so many of.
    fn is_counted(&self) -> bool {
        self.entry.scope == Scope::Table && self.cause != Cause::Lobby
    }
}

impl Book {
    fn add(&mut self, served: Arc<Served>) {
        let highest = self.numbers.entry(served.id.game).or_default();
        *highest = served.id.number.max(*highest);
        self.served.insert(served.id, served);
    }

    fn take(&mut self, id: TableId) -> Option<Arc<Served>> {
        let served = self.served.remove(&id)?;
        self.past.keep_of(&*served.table);
        Some(served)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cli::Command;
    use crate::games::GAMES;
    use crate::net::strangers::Most;

    pub(crate) fn registry(limit: u32) -> Arc<Registry> {
        let Ok(Command::Serve(serve)) = crate::cli::read(["parlor".into()].into_iter()) else { panic!() };
        let seeds = vec!["00".parse::<Seed>().unwrap(); serve.games.len()];
        let strangers = Arc::new(Strangers::new(serve.lobby.allowance(), Most::default()));
        Arc::new(Registry::new(&serve.games, &seeds, limit, None, strangers))
    }

    fn tables(registry: &Registry) -> Vec<u32> {
        registry.all().iter().map(|served| served.id.number).collect()
    }

    #[tokio::test]
    async fn tables_asked_for_can_be_removed_and_make_room() {
        let (registry, game) = (registry(3), &GAMES[0]);
        assert_eq!(registry.standing(game, 1).ok().unwrap().len(), 1);
        let (two, three) = (registry.make(game).unwrap().id, registry.make(game).unwrap().id);
        assert!(registry.make(game).is_err());
        assert_eq!(registry.remove(TableId::new(game.name, 1)), Err(NotRemoved::NotAskedFor));
        assert_eq!(registry.remove(TableId::new(game.name, 9)), Err(NotRemoved::Unknown));
        assert_eq!(registry.remove(two), Ok(()));
        assert_eq!(registry.remove(two), Err(NotRemoved::Unknown));
        // Its number was taken once: no other table gets it.
        assert_eq!(registry.make(game).unwrap().id.number, three.number + 1);
        assert_eq!(tables(&registry), [1, 3, 4]);
    }

    #[tokio::test]
    async fn a_table_that_nobody_uses_is_dropped_after_a_while() {
        let (registry, game) = (registry(9), &GAMES[0]);
        let _standing = registry.standing(game, 1);
        let asked = registry.make(game).unwrap();
        let used = registry.make(game).unwrap();
        used.seat_bots(1, Strength::Plain, 0, Pace::NONE);
        while used.table.summary().users == 0 {
            sleep(Duration::from_millis(5)).await;
        }
        let now = Instant::now();
        registry.sweep(now);
        registry.sweep(now + UNUSED / 2);
        assert_eq!(tables(&registry), [1, 2, 3]);
        registry.sweep(now + UNUSED);
        assert_eq!(tables(&registry), [1, 3]);
        drop(asked);
        // Full registries get room again by themselves.
        let small = self::registry(1);
        small.make(game).unwrap();
        small.sweep(now);
        small.sweep(now + UNUSED);
        assert!(small.make(game).is_ok());
    }
}

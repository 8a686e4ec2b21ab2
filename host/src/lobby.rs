//! Any number of tables behind one port. Who sits where is core's to say (`parlor_core::pimp::lobby`); here are the
//! tables, each behind its own lock and with its own clock, and the way of a connection from one to another.
//!
//! The lobby's own lock is held for a moment when somebody comes, comes back or leaves, never while a game is played. A
//! link is opened at a lobby's table under it alone, so a table that is found empty under it can be dropped.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_core::id_space::{IdSpace, SPACES};
use parlor_core::pimp::limits::LobbyTable;
use parlor_core::pimp::lobby::{Lobby as Rules, Place, Terms};
use parlor_core::pimp::server::Config;
use parlor_core::pimp::wire::Framer;
use parlor_core::server::{Framer as _, Intake, Link, Millis};
use serde::Serialize;
use tokio::io::AsyncReadExt as _;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::games::{PIMP_LOBBY, rest_in_lobby};
use crate::journal::disk::write_whole;
use crate::journal::{Card, Disk, Journal, Rest, restore};
use crate::metrics::Sums;
use crate::net::{Parting, Room as _, Shared, Stream, hang_up};

/// Tables of the house count up from 1: those of the lobby are beyond any of them.
const IN_JOURNAL: u32 = 1 << 24;

/// A table's number in the journal.
fn in_journal(lane: IdSpace) -> u32 {
    IN_JOURNAL + u32::from(lane.number)
}

/// What a lobby has of its earlier lives.
pub struct Past {
    /// That of all its tables: passwords lead back to their tables by it.
    pub seed: [u8; 32],
    /// Lives in which the seed was used.
    pub lives: u32,
}

impl Past {
    pub const fn none(seed: [u8; 32]) -> Self {
        Self { seed, lives: 0 }
    }

    /// Where it is kept.
    const FILE: (&str, &str) = ("tables", "lobby");

    /// Reads what is kept and notes that another life begins; `fresh` is the seed if there was none.
    pub fn begin(disk: &dyn Disk, fresh: [u8; 32]) -> io::Result<Self> {
        let (folder, name) = Self::FILE;
        let kept = disk.read(&format!("{folder}/{name}")).unwrap_or_default();
        let past = postcard::from_bytes(&kept).map_or(Self::none(fresh), |(seed, lives)| Self { seed, lives });
        let next =
            postcard::to_extend(&(past.seed, past.lives.saturating_add(1)), Vec::new()).map_err(io::Error::other)?;
        write_whole(disk, folder, name, &next)?;
        Ok(past)
    }
}

/// No link is free at the table where somebody belongs: it is tried again after this, as long as it may take to join.
const ANOTHER_TRY: Duration = Duration::from_millis(100);

type Table = Shared<LobbyTable>;

/// A table and its clock.
struct Entry {
    table: Arc<Table>,
    clock: AbortHandle,
}

/// What the lobby has counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub made: u64,
    pub retired: u64,
    /// Newcomers who found no table filling.
    pub late: u64,
    /// REJOINs that no table knew.
    pub wrong: u64,
}

struct Book {
    rules: Box<Rules<SPACES>>,
    /// By lane, from 1.
    tables: Vec<Option<Entry>>,
    figures: Figures,
    /// What retired tables had counted.
    past: Sums,
    /// Connections that found no link at any table.
    full: u64,
}

pub struct Lobby {
    seed: [u8; 32],
    journal: Option<Arc<Journal>>,
    config: Config,
    terms: Terms,
    start: Instant,
    book: Mutex<Book>,
    stop: watch::Sender<bool>,
}

/// A lobby as the list of tables shows it.
#[derive(Serialize)]
pub struct Overview {
    limit: u16,
    /// The lane of the table that fills; 0: none yet.
    filling: u16,
    path: &'static str,
    pub tables: Vec<Row>,
}

#[derive(Serialize)]
pub struct Row {
    pub lane: u16,
    /// Of the game being played.
    pub number: u32,
    users: u16,
    players: u16,
    watchers: u16,
    connected: u16,
    links: u64,
    turn: u32,
    phase: &'static str,
    /// Commands ever handled.
    pub commands: u64,
}

/// Whose a REJOIN is.
enum Home {
    /// The table's at which the link is.
    Here,
    /// This one's, where a link is open for it now.
    There(Arc<Table>, Link),
    /// Another's, which has no link left now.
    Busy,
    /// Nobody's.
    Nowhere,
}

/// One connection at one table.
struct Seat {
    table: Arc<Table>,
    link: Link,
}

impl Book {
    fn table(&self, lane: u16) -> Option<&Arc<Table>> {
        let entry = self.tables.get(usize::from(lane.checked_sub(1)?))?.as_ref()?;
        Some(&entry.table)
    }

    /// With their lanes.
    fn tables(&self) -> Vec<(u16, Arc<Table>)> {
        (1..).zip(&self.tables).filter_map(|(lane, entry)| Some((lane, entry.as_ref()?.table.clone()))).collect()
    }
}

impl Lobby {
    /// Where there is a journal its tables are kept, and `past` is what it kept of the lobby itself.
    pub fn new(past: &Past, config: &Config, terms: &Terms, journal: Option<Arc<Journal>>) -> Self {
        let Past { seed, lives } = past;
        let mut rules = Box::new(Rules::new());
        rules.begin(seed, terms);
        rules.reborn(*lives);
        let (figures, past) = (Figures::default(), Sums::default());
        Self {
            seed: *seed,
            journal,
            config: config.clone(),
            terms: *terms,
            start: Instant::now(),
            book: Mutex::new(Book { rules, tables: Vec::new(), figures, past, full: 0 }),
            stop: watch::Sender::new(false),
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Millis {
        Millis(self.start.elapsed().as_millis() as u64)
    }

    /// One connection, from its first byte to its last; `origin` is what its wrong passwords are counted by.
    pub async fn attend(self: Arc<Self>, mut stream: impl Stream, origin: u128) {
        let mut framer = Framer::default();
        let n = self.first_word(&mut stream, &mut framer).await;
        self.journal_has_room().await;
        let Some(mut seat) = (n > 0).then(|| self.place()).flatten() else { return };
        seat.table.enter(n);
        if let Err(error) = self.talk(&mut stream, &mut seat, &mut framer, origin).await {
            tracing::debug!(slot = seat.link.slot, %error, "connection lost");
        }
        self.part(&seat);
    }

    /// Waits for the first bytes: who says nothing takes nobody's place. How many came.
    async fn first_word(&self, stream: &mut impl Stream, framer: &mut Framer) -> usize {
        // It may be silent as long as it may take to join.
        let patience = Duration::from_millis(u64::from(self.config.join_timeout));
        let mut stop = self.stop.subscribe();
        let read = tokio::select! {
            read = timeout(patience, stream.read(framer.window())) => read.ok(),
            _ = stop.wait_for(|stop| *stop) => None,
        };
        let Some(read) = read else {
            let _ = hang_up(stream).await;
            return 0;
        };
        let n = read.unwrap_or_default();
        framer.commit(n);
        n
    }

    /// From table to table, until the connection ends.
    async fn talk(
        self: &Arc<Self>,
        stream: &mut impl Stream,
        seat: &mut Seat,
        framer: &mut Framer,
        origin: u128,
    ) -> io::Result<()> {
        let mut intake = Intake::More;
        loop {
            match seat.table.talk(stream, seat.link, framer, intake).await? {
                Parting::Over => return Ok(()),
                Parting::Elsewhere => {}
            }
            // What was said here comes before what is said there.
            while seat.table.look(|table| table.owes(seat.link)) {
                seat.table.woken(seat.link).await;
                seat.table.send_all(stream, seat.link).await?;
            }
            self.journal_has_room().await;
            let home = self.home(&seat.table, framer, origin);
            let known = !matches!(home, Home::Nowhere);
            match home {
                Home::There(table, link) => {
                    table.enter(0);
                    self.part(&std::mem::replace(seat, Seat { table, link }));
                    seat.table.receive(seat.link, &mut LobbyTable::greeting());
                }
                Home::Busy => {
                    // The link where it is will be closed if this takes too long.
                    sleep(ANOTHER_TRY).await;
                    intake = Intake::Elsewhere;
                    continue;
                }
                Home::Here | Home::Nowhere => {}
            }
            let link = seat.link;
            intake = seat.table.take_in(link, framer, |table, framer, now| table.judge(link, framer, known, now));
        }
    }

    /// Opens a link for somebody new.
    fn place(self: &Arc<Self>) -> Option<Seat> {
        let mut book = self.book();
        let Book { rules, tables, .. } = &mut *book;
        let place = rules.place(|lane| {
            let entry = tables.get(usize::from(lane.checked_sub(1)?))?.as_ref()?;
            Some(entry.table.look(LobbyTable::standing))
        });
        let lane = match place {
            Place::At(lane) => lane,
            Place::Make(lane) => self.make(&mut book, lane),
            Place::Late(lane) => {
                book.figures.late += 1;
                lane
            }
            Place::Nowhere => 0,
        };
        let seat = book.table(lane).cloned().and_then(open);
        if seat.is_none() {
            book.full += 1;
        }
        seat
    }

    /// A new table, with its clock; its lane.
    fn make(self: &Arc<Self>, book: &mut Book, lane: IdSpace) -> u16 {
        let mut table = Box::new(LobbyTable::new());
        table.begin_in(&self.seed, lane, &self.config, Millis(0));
        let card = Card { game: PIMP_LOBBY.name.into(), house: false, port: None };
        let table = rest_in_lobby(table);
        let table = table.share(self.journal.clone().map(|journal| (journal, in_journal(lane), card)), None);
        self.put(book, lane, table);
        book.figures.made += 1;
        tracing::debug!(lane = lane.number, "table opened in the lobby");
        lane.number
    }

    /// Saved tables go on, in their lanes.
    pub fn revive(self: &Arc<Self>, saved: Vec<(u32, restore::Table)>) {
        let mut book = self.book();
        for (number, restore::Table { card, rest, point, .. }) in saved {
            let Ok(rest) = rest.into_any().downcast::<Rest<LobbyTable>>() else { continue };
            let lane = rest.server().space();
            if in_journal(lane) != number || !book.rules.adopt(lane) {
                tracing::warn!(number, "a saved table fits no lane of the lobby and is left out");
                continue;
            }
            if let Some(journal) = &self.journal {
                journal.remember(number, card.clone(), point);
            }
            let table = rest.share(self.journal.clone().map(|journal| (journal, number, card)), None);
            self.put(&mut book, lane, table);
        }
    }

    fn put(self: &Arc<Self>, book: &mut Book, lane: IdSpace, table: Arc<Table>) {
        if *self.stop.borrow() {
            table.stop();
        }
        let clock = tokio::spawn(keep_time(self.clone(), table.clone())).abort_handle();
        let at = usize::from(lane.number).saturating_sub(1);
        if book.tables.len() <= at {
            book.tables.resize_with(at + 1, || None);
        }
        if let Some(entry) = book.tables.get_mut(at) {
            *entry = Some(Entry { table, clock });
        }
    }

    async fn journal_has_room(&self) {
        if let Some(journal) = &self.journal {
            journal.room().await;
        }
    }

    /// Whose the REJOIN in the framer is. Counts it if it is nobody's.
    fn home(&self, here: &Arc<Table>, framer: &Framer, origin: u128) -> Home {
        let now = self.now();
        let mut book = self.book();
        let lane = if book.rules.may_guess(origin, now) { book.rules.home(framer) } else { None };
        let table = lane.and_then(|lane| book.table(lane)).filter(|table| table.look(|table| table.claims(framer)));
        match table.cloned() {
            Some(table) if Arc::ptr_eq(&table, here) => Home::Here,
            Some(table) => open(table).map_or(Home::Busy, |Seat { table, link }| Home::There(table, link)),
            None => {
                book.rules.wrong(origin, now);
                book.figures.wrong += 1;
                Home::Nowhere
            }
        }
    }

    /// A connection leaves its table.
    fn part(&self, seat: &Seat) {
        seat.table.leave(seat.link);
        self.retire_if_empty(&seat.table);
    }

    fn retire_if_empty(&self, table: &Arc<Table>) {
        // Most leave others behind, or a seat: that needs no lock but the table's.
        if !table.look(|table| table.standing().is_empty) {
            return;
        }
        let mut book = self.book();
        let (lane, standing) = table.look(|table| (table.space(), table.standing()));
        let at = usize::from(lane.number).saturating_sub(1);
        // Somebody else may have retired it, and another may have its lane.
        let is_its_own = book.table(lane.number).is_some_and(|other| Arc::ptr_eq(other, table));
        if !is_its_own || !book.rules.retire(lane, &standing) {
            return;
        }
        let entry = book.tables.get_mut(at).and_then(Option::take);
        // Under the lobby's lock: what another table says in this lane comes after it in the journal.
        if let Some(journal) = &self.journal {
            journal.retire(in_journal(lane));
        }
        book.past.add(&**table);
        book.figures.retired += 1;
        drop(book);
        tracing::debug!(lane = lane.number, "table of the lobby retired");
        if let Some(entry) = entry {
            entry.clock.abort();
        }
    }

    pub fn tables(&self) -> u16 {
        self.book().rules.tables()
    }

    pub fn figures(&self) -> Figures {
        self.book().figures
    }

    /// Of all tables; what only counts up counts those that were retired too.
    pub fn sums(&self) -> Sums {
        let (tables, mut sums) = {
            let book = self.book();
            let mut sums = Sums { tables: 0, ..book.past };
            sums.traffic.full += book.full;
            (book.tables(), sums)
        };
        tables.iter().for_each(|(_, table)| sums.add(&**table));
        sums
    }

    pub fn overview(&self) -> Overview {
        let (tables, filling) = {
            let book = self.book();
            (book.tables(), book.rules.filling())
        };
        let row = |(lane, table): (u16, Arc<Table>)| {
            let (summary, traffic) = (table.summary(), table.traffic());
            Row {
                lane,
                number: summary.own.1,
                users: summary.users,
                players: summary.players,
                watchers: summary.watchers,
                connected: summary.connected,
                links: traffic.links,
                turn: summary.turn,
                phase: summary.phase,
                commands: summary.commands,
            }
        };
        let tables = tables.into_iter().map(row).collect();
        Overview { limit: self.terms.tables, filling, path: "/ws/pimp/lobby", tables }
    }

    /// Every connection is sent what is due and closed; new ones too.
    pub fn stop(&self) {
        self.stop.send_replace(true);
        self.book().tables().iter().for_each(|(_, table)| table.stop());
    }
}

fn open(table: Arc<Table>) -> Option<Seat> {
    let link = table.open().ok()?;
    Some(Seat { table, link })
}

/// A table's clock; it ends with the table. While nobody is there, nothing wakes it.
async fn keep_time(lobby: Arc<Lobby>, table: Arc<Table>) {
    loop {
        table.strike().await;
        lobby.retire_if_empty(&table);
    }
}

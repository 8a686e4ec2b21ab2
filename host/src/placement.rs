//! A lobby: any number of tables of a game behind one port. Which table a newcomer gets is core's to say
//! ([`parlor_core::lobby`]); the tables are the registry's, each behind its own lock and with its own clock; here is
//! the way of a connection to them and from one to another.
//!
//! The lobby's own lock is held for a moment when a client comes, comes back or leaves, never while a game is played. A
//! link is opened at a lobby's table under it alone, so a table that is found empty under it can be dropped.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use parlor_core::id_space::{IdSpace, SPACES};
use parlor_core::lobby::{Lobbied, Lobby as Rules, Place, Terms};
use parlor_core::server::{Framer as _, Intake, Link, Millis};
use serde::Serialize;
use tokio::io::AsyncReadExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::flags::Chosen;
use crate::games::{Entry, Hosted, at_rest, guard};
use crate::journal::{Cabinet, StoredTable, TableMeta, restore};
use crate::net::strangers::{ANOTHER_TRY, Caller, Gate, Strangers};
use crate::net::{Parting, Stream, TableDriver, TableHandle as _, hang_up};
use crate::registry::{Registry, settings};
use crate::table_id::TableId;
use crate::task::{self, Task};

/// A lobby of any game.
pub trait Placement: Send + Sync {
    /// The entry of its tables.
    fn entry(&self) -> &'static Entry;
    /// Is it this game's?
    fn is_for(&self, game: &str) -> bool;
    /// One connection, from its first byte to its last; `origin` is what its wrong passwords are counted by.
    fn attend(self: Arc<Self>, stream: Box<dyn Stream>, origin: u128) -> Task;
    fn overview(&self) -> Overview;
    fn figures(&self) -> Figures;
    /// It goes by these from now on: limits and times at once, rules at each table from its next game.
    fn adopt(&self, chosen: &Chosen, terms: Terms);
    /// New connections are closed from now on.
    fn stop(&self);
}

/// What a lobby is opened with.
pub struct Plan<'a> {
    /// The entry of its tables.
    pub entry: &'static Entry,
    pub past: &'a Past,
    pub chosen: &'a Chosen,
    pub terms: Terms,
    pub registry: &'a Arc<Registry>,
}

/// Opens a lobby with the tables that were saved of it.
pub fn open<G: Hosted + Lobbied>(plan: Plan<'_>) -> Arc<dyn Placement> {
    let lobby = Arc::new(Lobby::<G>::new(&plan));
    lobby.revive(plan.registry.take_saved(plan.entry.name));
    lobby
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

    const FOLDER: &str = "tables";
    /// Where it was kept when there could be only one lobby.
    const OLD: &str = "lobby";

    /// Reads what is kept of this lobby and notes that another life begins; `fresh` is the seed if there was none.
    pub fn begin(cabinet: &dyn Cabinet, name: &str, fresh: [u8; 32]) -> io::Result<Self> {
        let folder = Self::FOLDER;
        let (kept, is_old) = match cabinet.get(folder, name) {
            Ok(kept) => (kept, false),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => cabinet.get(folder, Self::OLD).map_or_else(|_| (Vec::new(), false), |kept| (kept, true)),
        };
        let past = match postcard::from_bytes(&kept) {
            Ok((seed, lives)) => Self { seed, lives },
            Err(_) if kept.is_empty() => Self::none(fresh),
            // With another seed, no player would find the way back to a table.
            Err(_) => {
                let strange = format!("{folder}/{name} is damaged, or another version's");
                return Err(io::Error::new(io::ErrorKind::InvalidData, strange));
            }
        };
        let next =
            postcard::to_extend(&(past.seed, past.lives.saturating_add(1)), Vec::new()).map_err(io::Error::other)?;
        cabinet.put(folder, name, &next)?;
        if is_old {
            cabinet.throw_away(folder, Self::OLD)?;
        }
        Ok(past)
    }
}

/// What the lobby has counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub made: u64,
    pub retired: u64,
    /// Newcomers who found no table filling.
    pub late: u64,
    /// Secrets that no table knew.
    pub wrong: u64,
    /// Connections that found no link at any table.
    pub full: u64,
}

struct Book<G: Lobbied> {
    rules: Box<Rules<SPACES>>,
    /// By id space, from 1.
    tables: Vec<Option<Arc<TableDriver<G>>>>,
    figures: Figures,
}

pub struct Lobby<G: Lobbied> {
    entry: &'static Entry,
    seed: [u8; 32],
    registry: Arc<Registry>,
    chosen: RwLock<(Chosen, Terms)>,
    start: Instant,
    book: Mutex<Book<G>>,
    /// Where clients that have not joined are counted, at all its tables together.
    gate: Gate,
    stop: watch::Sender<bool>,
}

/// A lobby as the list of tables shows it.
#[derive(Serialize)]
pub struct Overview {
    game: &'static str,
    limit: u16,
    /// The number of the table that fills; 0: none yet.
    filling: u16,
    path: String,
}

/// Where the seat is that a client asks for.
enum Home<G: Lobbied> {
    /// At the link's own table.
    Here,
    /// At this table, where a link is open for it now.
    There(Seat<G>),
    /// At a table without a free link; or not looked for yet, as too many from there were wrong.
    Busy,
    /// At no table.
    Nowhere,
}

/// One connection at one table.
struct Seat<G: Lobbied> {
    table: Arc<TableDriver<G>>,
    link: Link,
}

impl<G: Lobbied> Book<G> {
    fn table(&self, space: u16) -> Option<&Arc<TableDriver<G>>> {
        self.tables.get(usize::from(space.checked_sub(1)?))?.as_ref()
    }
}

impl<G: Hosted + Lobbied> Lobby<G> {
    pub fn new(plan: &Plan<'_>) -> Self {
        let Past { seed, lives } = plan.past;
        let mut rules = Box::new(Rules::new());
        rules.begin(seed, &plan.terms);
        rules.reborn(*lives);
        Self {
            entry: plan.entry,
            seed: *seed,
            registry: plan.registry.clone(),
            chosen: RwLock::new((plan.chosen.clone(), plan.terms)),
            start: Instant::now(),
            book: Mutex::new(Book { rules, tables: Vec::new(), figures: Figures::default() }),
            gate: plan.registry.strangers.place(),
            stop: watch::Sender::new(false),
        }
    }

    fn config(&self) -> G::Config {
        self.chosen.read().unwrap_or_else(PoisonError::into_inner).0.config::<G>()
    }

    fn book(&self) -> MutexGuard<'_, Book<G>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Millis {
        Millis(self.start.elapsed().as_millis() as u64)
    }

    async fn serve(self: Arc<Self>, mut stream: impl Stream, origin: u128) {
        let mut framer = G::Framer::default();
        let n = self.first_word(&mut stream, &mut framer).await;
        self.journal_has_room().await;
        let Some(stranger) = (n > 0).then(|| self.gate.enter(Some(origin))).flatten() else { return };
        let came = self.now();
        let Some(mut seat) = self.place(origin) else { return };
        seat.table.put_caller(seat.link, Caller::new(Some(origin), stranger));
        seat.table.enter(n);
        if let Err(error) = self.talk(&mut stream, &mut seat, &mut framer, origin).await {
            tracing::debug!(slot = seat.link.slot, %error, "connection lost");
        }
        let standing = seat.table.read(G::standing);
        self.part(&seat);
        let now = self.now();
        self.book().rules.left(origin, &standing, came, now);
    }

    /// Waits for the first bytes: a silent client takes no link. How many came.
    async fn first_word(&self, stream: &mut impl Stream, framer: &mut G::Framer) -> usize {
        // It may be silent as long as it may take to join.
        let patience = Duration::from_millis(u64::from(G::patience(&self.config())));
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
        seat: &mut Seat<G>,
        framer: &mut G::Framer,
        origin: u128,
    ) -> io::Result<()> {
        let mut intake = Intake::More;
        loop {
            match seat.table.talk(stream, seat.link, framer, intake).await? {
                Parting::Over => return Ok(()),
                Parting::Elsewhere => {}
            }
            // What was said here comes before what is said there.
            while seat.table.read(|table| table.owes(seat.link)) {
                // What waits for a journal that is lost is never said.
                if seat.table.is_done_with(seat.link) {
                    return hang_up(stream).await;
                }
                seat.table.woken(seat.link).await;
                seat.table.send_all(stream, seat.link).await?;
            }
            self.journal_has_room().await;
            let home = self.home(&seat.table, framer, origin);
            let known = !matches!(home, Home::Nowhere);
            match home {
                Home::There(other) => {
                    other.table.enter(0);
                    let caller = seat.table.take_caller(seat.link);
                    other.table.put_caller(other.link, caller);
                    self.part(&std::mem::replace(seat, other));
                    seat.table.receive(seat.link, &mut G::greeting());
                }
                Home::Busy => {
                    // The link where it is will be closed if this takes too long.
                    if seat.table.is_done_with(seat.link) {
                        return hang_up(stream).await;
                    }
                    let _ = timeout(ANOTHER_TRY, seat.table.woken(seat.link)).await;
                    intake = Intake::Elsewhere;
                    continue;
                }
                Home::Here | Home::Nowhere => {}
            }
            let link = seat.link;
            intake = seat.table.take_in(link, framer, |table, framer, now| table.judge(link, framer, known, now));
        }
    }

    /// Opens a link for a newcomer.
    fn place(self: &Arc<Self>, origin: u128) -> Option<Seat<G>> {
        let now = self.now();
        let mut book = self.book();
        let Book { rules, tables, .. } = &mut *book;
        let company = rules.company(origin, now);
        let place = rules.place(company, |space| {
            let table = tables.get(usize::from(space.checked_sub(1)?))?.as_ref()?;
            Some(table.read(G::standing))
        });
        let space = match place {
            Place::At(space) => space,
            Place::Make(space) => self.make(&mut book, space),
            Place::Late(space) => {
                book.figures.late += 1;
                space
            }
            Place::Nowhere => 0,
        };
        let seat = book.table(space).cloned().and_then(sit);
        if seat.is_none() {
            book.figures.full += 1;
        }
        seat
    }

    fn id(&self, space: IdSpace) -> TableId {
        TableId::new(self.entry.name, u32::from(space.number))
    }

    /// A new table; the number of its id space.
    fn make(self: &Arc<Self>, book: &mut Book<G>, space: IdSpace) -> u16 {
        let mut table = Box::new(G::NEW);
        table.begin_in(&self.seed, space, &self.config(), Millis(0));
        let meta = TableMeta { game: self.entry.name.into(), house: false, port: None };
        self.put(book, space, at_rest(table).guarded(guard()), meta);
        book.figures.made += 1;
        tracing::debug!(id = %self.id(space), "table opened in the lobby");
        space.number
    }

    /// Saved tables go on, in their id spaces.
    fn revive(self: &Arc<Self>, saved: Vec<restore::Table>) {
        let mut book = self.book();
        for restore::Table { id, meta, stored, .. } in saved {
            let Ok(stored) = stored.into_any().downcast::<StoredTable<G>>() else { continue };
            let space = stored.server().space();
            if self.id(space) != id || !book.rules.adopt(space) {
                tracing::warn!(%id, "a saved table fits no id space of the lobby and is left out");
                continue;
            }
            self.put(&mut book, space, *stored, meta);
        }
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner).0.clone();
        self.set_all(&book, &chosen);
    }

    fn set_all(&self, book: &Book<G>, chosen: &Chosen) {
        for table in book.tables.iter().flatten() {
            table.clone().set(settings(self.entry, chosen));
        }
    }

    /// Opens a table and starts its clock.
    fn put(self: &Arc<Self>, book: &mut Book<G>, space: IdSpace, stored: StoredTable<G>, meta: TableMeta) {
        let id = self.id(space);
        let table = stored.share(self.registry.journal().cloned().map(|journal| (journal, id, meta)), None);
        table.count_holdings(self.gate.clone());
        if *self.stop.borrow() {
            table.stop();
        }
        let clock = task::spawn(keep_time(self.clone(), table.clone())).abort_handle();
        self.registry.add(id, self.entry, table.clone(), clock);
        let at = usize::from(space.number).saturating_sub(1);
        if book.tables.len() <= at {
            book.tables.resize_with(at + 1, || None);
        }
        if let Some(place) = book.tables.get_mut(at) {
            *place = Some(table);
        }
    }

    async fn journal_has_room(&self) {
        if let Some(journal) = self.registry.journal() {
            journal.room().await;
        }
    }

    /// Where the seat is that the next frame asks for. Counts a wrong guess if it is at no table.
    fn home(&self, here: &Arc<TableDriver<G>>, framer: &G::Framer, origin: u128) -> Home<G> {
        let now = self.now();
        let mut book = self.book();
        if !book.rules.may_guess(origin, now) {
            return Home::Busy;
        }
        let claims = |space| book.table(space).is_some_and(|table| table.read(|table| table.claims(framer)));
        let space = G::secret(framer).and_then(|(_, secret)| book.rules.home(secret, claims));
        match space.and_then(|space| book.table(space)).cloned() {
            Some(table) if Arc::ptr_eq(&table, here) => Home::Here,
            Some(table) => sit(table).map_or(Home::Busy, Home::There),
            None => {
                book.rules.wrong(origin, now);
                book.figures.wrong += 1;
                if !book.rules.may_guess(origin, now) {
                    Strangers::tell_of(Some(origin));
                }
                Home::Nowhere
            }
        }
    }

    /// A connection leaves its table.
    fn part(&self, seat: &Seat<G>) {
        seat.table.leave(seat.link);
        self.retire_if_empty(&seat.table);
    }

    fn retire_if_empty(&self, table: &Arc<TableDriver<G>>) {
        // Most leave others behind, or a seat: that needs no lock but the table's.
        if !table.read(|table| table.standing().is_empty) {
            return;
        }
        let mut book = self.book();
        let (space, standing) = table.read(|table| (table.space(), table.standing()));
        // Another task may have retired it, and another may have its id space.
        let is_its_own = book.table(space.number).is_some_and(|other| Arc::ptr_eq(other, table));
        if !is_its_own || !book.rules.retire(space, &standing) {
            return;
        }
        if let Some(place) = book.tables.get_mut(usize::from(space.number).saturating_sub(1)) {
            *place = None;
        }
        book.figures.retired += 1;
        // Under the lobby's lock: what another table says in this id space comes after it in the journal.
        self.registry.drop_unused(self.id(space));
    }
}

impl<G: Hosted + Lobbied> Placement for Lobby<G> {
    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn is_for(&self, game: &str) -> bool {
        G::NAME == game
    }

    fn attend(self: Arc<Self>, stream: Box<dyn Stream>, origin: u128) -> Task {
        Box::pin(self.serve(stream, origin))
    }

    fn overview(&self) -> Overview {
        let filling = self.book().rules.filling();
        Overview {
            game: G::NAME,
            limit: self.chosen.read().unwrap_or_else(PoisonError::into_inner).1.tables,
            filling,
            path: format!("/ws/{}/lobby", G::NAME),
        }
    }

    fn figures(&self) -> Figures {
        self.book().figures
    }

    fn adopt(&self, chosen: &Chosen, terms: Terms) {
        *self.chosen.write().unwrap_or_else(PoisonError::into_inner) = (chosen.clone(), terms);
        let mut book = self.book();
        book.rules.begin(&self.seed, &terms);
        self.set_all(&book, chosen);
    }

    fn stop(&self) {
        self.stop.send_replace(true);
    }
}

fn sit<G: Hosted + Lobbied>(table: Arc<TableDriver<G>>) -> Option<Seat<G>> {
    table.make_room();
    let link = table.open().ok()?;
    Some(Seat { table, link })
}

/// A table's clock; it ends with the table. While the table is empty, nothing wakes it.
async fn keep_time<G: Hosted + Lobbied>(lobby: Arc<Lobby<G>>, table: Arc<TableDriver<G>>) {
    loop {
        table.tick_when_due().await;
        lobby.retire_if_empty(&table);
    }
}

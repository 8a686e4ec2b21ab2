//! Drives one server of core over byte streams, as the head of `parlor_core::server` asks.
//!
//! One task a connection, one for the clock. The server stands behind a lock that is never held across an await; a task
//! sleeps until its stream or the server has something for it. A peer that stops reading keeps only its own task waiting.
//! While nothing is said, a connection costs its framer and its task: buffers for output live only while they are written.
//!
//! Here are the calls of a server and its clock; a connection is in `talk.rs`, its brake in `flood.rs`.

mod flood;
pub mod holdings;
mod services;
mod settled;
pub mod strangers;
mod talk;
mod turns;

pub use flood::{Braked, PerSecond};
pub use services::{GameServices, Origin, Outcome, ServiceFuture, ServiceRequest};
pub use talk::LAST_WORDS;
pub(crate) use talk::{Parting, hang_up};
pub use turns::Awaited;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use parlor_core::fair::Key;
use parlor_core::server::{Ask, Framer as _, Full, Intake, Link, Millis, Request, Seq, Server, Sight, Summary};
use parlor_core::settings::Refused;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

use crate::bot::Pace;
use crate::fair::Games;
use crate::frames::Frames;
use crate::journal::{AnyTable, Event, Kept, StoredTable, TableJournal};
use crate::task::{self, Task};
use holdings::{Holding, Holdings};
use settled::Settled;
use strangers::{Caller, Gate, Guard, Told, Work};
use turns::Turns;

/// Anything that carries a game's bytes: TCP, TLS, WebSocket.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A table of any game, as the doors and the status page know it.
pub trait TableHandle: Send + Sync {
    /// One connection, from its first byte to its last.
    fn attend(self: Arc<Self>, stream: Box<dyn Stream>, from: Origin) -> Task;
    /// The table's clock: one such task for each table.
    fn keep_time(self: Arc<Self>) -> Task;
    fn summary(&self) -> Summary;
    fn each_sight(&self, tell: &mut dyn FnMut(Sight<'_>));
    /// What everybody may know of the dice of its games; `None`: they can't be checked.
    fn games(&self) -> Option<Games>;
    /// The key of a game that is over, and how often dice were thrown in it.
    fn key(&self, game: u32) -> Option<(Key, u32)>;
    /// Whether it keeps track of the players whom its games wait for.
    fn follow_turns(&self, is_followed: bool);
    /// The players whom its games wait for, where it keeps track.
    fn awaited(&self) -> Vec<Awaited>;
    fn traffic(&self) -> Traffic;
    /// Where its strangers are counted. Told once, before the first connection.
    fn watch(&self, gate: Gate);
    /// Each open link: its client's address, and whether it has joined.
    fn callers(&self) -> Vec<(u16, Origin, bool)>;
    /// Ends the game of this name; whether there was one.
    fn end_game(self: Arc<Self>, name: &str) -> bool;
    /// The bots that its game of this name called think about so long from now on, or as all do; whether it has any.
    fn set_pace(&self, game: &str, pace: Option<Pace>) -> bool;
    /// Closes the connections that are meant; how many.
    fn kick(&self, is_meant: &dyn Fn(Origin) -> bool) -> usize;
    /// Another server takes its place, if it is of the same kind and no link is open; whether it has.
    fn renew(&self, fresh: Box<dyn AnyTable>) -> bool;
    /// Its settings are these from now on: limits and times at once, rules from the next game.
    fn set(self: Arc<Self>, settings: Vec<(&'static str, String)>);
    /// The settings that wait for the next game.
    fn waiting(&self) -> Vec<&'static str>;
    /// Every connection is sent what is due and closed; new ones too.
    fn stop(&self);
}

/// What went over a table's connections so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    pub received: u64,
    pub sent: u64,
    /// Connections now.
    pub links: u64,
    /// Connections ever turned away because no link was left.
    pub full: u64,
}

#[derive(Default)]
struct Meters {
    received: AtomicU64,
    sent: AtomicU64,
    links: AtomicU64,
    full: AtomicU64,
}

/// A server, shared by the tasks that drive it.
pub struct TableDriver<S: Server> {
    /// Boxed: it may be large, and moves while all this is put together.
    server: Mutex<Box<S>>,
    /// For each link slot: there is output, or input is taken again.
    wakes: Vec<Notify>,
    /// The server's deadline has moved earlier than what its clock waits for.
    rearm: Notify,
    /// What its clock waits for, in milliseconds. Written under the server's lock.
    armed: AtomicU64,
    start: Instant,
    /// The table's time at `start`: it goes on where it was before the process was started again.
    origin: Millis,
    services: Option<Arc<dyn GameServices>>,
    /// One a link slot.
    callers: Mutex<Vec<Caller>>,
    settled: Settled,
    guard: Option<Guard<S>>,
    /// Where clients that have not joined are counted.
    gate: OnceLock<Gate>,
    /// The game tells who joins: where it never does, no link is taken for a stranger that gives way.
    hears_of_joins: AtomicBool,
    holdings: Holdings,
    /// Output waits for [`TableDriver::release`]: a journal is being written.
    held: bool,
    /// Where every call is noted.
    journal: TableJournal<S>,
    /// Settings that wait for the next game. While there are none, none are looked for.
    waiting: Mutex<Vec<(&'static str, String)>>,
    is_waiting: AtomicBool,
    turns: Turns,
    stopping: AtomicBool,
    meters: Meters,
    frames: Option<&'static Frames>,
}

impl<S: Server + Send + 'static> TableDriver<S> {
    /// `links` as the server was made for.
    pub fn new(server: Box<S>, links: usize) -> Self {
        Self {
            server: Mutex::new(server),
            wakes: (0..links).map(|_| Notify::new()).collect(),
            rearm: Notify::new(),
            armed: AtomicU64::new(u64::MAX),
            start: Instant::now(),
            origin: Millis(0),
            services: None,
            callers: Mutex::new((0..links).map(|_| Caller::default()).collect()),
            settled: Settled::new(links),
            guard: None,
            gate: OnceLock::new(),
            hears_of_joins: AtomicBool::new(false),
            holdings: Holdings::default(),
            held: false,
            journal: TableJournal::default(),
            waiting: Mutex::default(),
            is_waiting: AtomicBool::new(false),
            turns: Turns::default(),
            stopping: AtomicBool::new(false),
            meters: Meters::default(),
            frames: None,
        }
    }

    /// Does what the game asks for. Without it, requests are answered as failed.
    pub fn with_services(self, services: Arc<dyn GameServices>) -> Self {
        Self { services: Some(services), ..self }
    }

    /// Wrong passwords are counted that the game checks by itself.
    pub fn guarded(self, guard: Guard<S>) -> Self {
        Self { guard: Some(guard), hears_of_joins: AtomicBool::new(true), ..self }
    }

    /// What is held here is counted by address.
    pub fn keeping(self, holding: Holding) -> Self {
        Self { holdings: Holdings::of(holding), ..self }
    }

    /// Its frames are counted here.
    pub fn counting(self, frames: &'static Frames) -> Self {
        Self { frames: Some(frames), ..self }
    }

    /// Nothing is sent before [`TableDriver::release`].
    pub fn holding(self) -> Self {
        Self { held: true, ..self }
    }

    /// The table's time is this now.
    pub fn since(self, origin: Millis) -> Self {
        Self { origin, ..self }
    }

    /// Every call is noted, and what it leads to is sent as the journal allows.
    pub fn journalled(self, journal: TableJournal<S>) -> Self {
        Self { journal, ..self }
    }

    /// What was produced until now may be sent.
    pub fn release(self: &Arc<Self>) {
        self.with(|server, _| {
            let produced = server.produced();
            server.release(produced);
        });
    }

    pub fn now(&self) -> Millis {
        self.origin.plus(self.start.elapsed().as_millis() as u64)
    }

    /// Calls the server, then does what every call may have made necessary. Whatever changes a table passes here or in
    /// `serve`, and notes in the journal what it did.
    fn with<T>(self: &Arc<Self>, call: impl FnOnce(&mut S, &TableJournal<S>) -> T) -> T {
        let mut server = self.lock();
        let result = call(&mut server, &self.journal);
        self.take_settings(&mut server);
        self.take_requests(&mut server);
        self.find_lagging(&mut server);
        self.let_out(&mut server);
        self.wake_ready(&mut server, None);
        self.set_clock(&server);
        result
    }

    /// What waited for a game to end counts as soon as it may.
    fn take_settings(&self, server: &mut S) {
        if !self.is_waiting.load(Ordering::Relaxed) {
            return;
        }
        let mut waiting = lock(&self.waiting);
        waiting.retain(|(name, text)| {
            let now = self.now();
            let changed = server.set(name, text);
            if changed == Ok(true) {
                self.journal.note(server, &Event::Set { name, text: text.as_str(), now });
            }
            changed == Err(Refused::Later)
        });
        self.is_waiting.store(!waiting.is_empty(), Ordering::Relaxed);
    }

    fn take_requests(self: &Arc<Self>, server: &mut S) {
        while let Some(request) = server.next_request() {
            self.take_request(request);
        }
    }

    /// Tells the server and the journal of links that lag; whether there were any.
    fn find_lagging(&self, server: &mut S) -> bool {
        let mut any = false;
        while let Some(lagging) = server.next_lagging() {
            let now = self.now();
            server.lag(lagging, now);
            self.journal.note(server, &Event::Lagged { lagging, now });
            any = true;
        }
        any
    }

    /// Wakes the links' tasks that have something to do, but the calling one (`served`).
    fn wake_ready(&self, server: &mut S, served: Option<Link>) {
        while let Some(link) = server.next_ready() {
            if Some(link) != served {
                self.wake(link);
            }
        }
    }

    /// Wakes the clock if it must ring earlier.
    fn set_clock(&self, server: &S) {
        let due = server.deadline().map_or(u64::MAX, |due| due.0);
        if due < self.armed.load(Ordering::Relaxed) {
            self.armed.store(due, Ordering::Relaxed);
            self.rearm.notify_one();
        }
    }

    /// What was produced may be sent: at once, or when the journal says so.
    fn let_out(&self, server: &mut S) {
        self.turns.look(server);
        if !self.held {
            self.journal.after_call(server, || self.now());
        }
    }

    /// It may take long: it is done elsewhere and only the link that asked waits.
    fn take_request(self: &Arc<Self>, Request { id, link, ask }: Request<'_>) {
        let from = self.caller(link, |caller| caller.from).flatten();
        // A file that is being kept is kept, even if its link is gone.
        let is_for_link = matches!(ask, Ask::Hash(_) | Ask::Verify { .. });
        let answering = self.services.as_ref().map(|services| services.serve(ask.into(), from));
        let driver = self.clone();
        let task = task::spawn(async move {
            let outcome = match answering {
                Some(answering) => answering.await,
                None => Outcome::Failed,
            };
            if matches!(outcome, Outcome::Hash(_) | Outcome::Verified(true)) {
                driver.has_joined(link);
            }
            let (answer, now) = (outcome.answer(), driver.now());
            driver.with(|server, journal| {
                server.answer(id, answer, now);
                journal.note(server, &Event::Answer { id: id.0, answer, now });
            });
        });
        if is_for_link {
            self.hears_of_joins.store(true, Ordering::Relaxed);
            self.caller(link, |caller| caller.work = Work(Some(task.abort_handle())));
        }
    }

    /// Calls `ask` on the client at a link; not on a later client in the same slot.
    fn caller<T>(&self, link: Link, ask: impl FnOnce(&mut Caller) -> T) -> Option<T> {
        lock(&self.callers).get_mut(usize::from(link.slot)).filter(|caller| caller.link == Some(link)).map(ask)
    }

    /// A client is at a link now.
    pub(crate) fn put_caller(&self, link: Link, caller: Caller) {
        let mut callers = lock(&self.callers);
        self.settled.forget(link.slot);
        let before = callers
            .get_mut(usize::from(link.slot))
            .map(|there| std::mem::replace(there, Caller { link: Some(link), ..caller }));
        // What is dropped with it takes other locks.
        drop(callers);
        drop(before);
    }

    /// Takes the client that was at a link away from it.
    pub(crate) fn take_caller(&self, link: Link) -> Caller {
        let taken = self.caller(link, |caller| {
            self.settled.forget(link.slot);
            std::mem::take(caller)
        });
        taken.unwrap_or_default()
    }

    /// Links are nearly all taken: of the address that has most strangers here, the one that came first gives way.
    pub(crate) fn make_room(&self) {
        if !self.hears_of_joins.load(Ordering::Relaxed) {
            return;
        }
        let mut callers = lock(&self.callers);
        let Some(slot) = strangers::who_gives_way(&callers) else { return };
        if let (Some(caller), Some(wake)) = (callers.get_mut(slot), self.wakes.get(slot)) {
            caller.is_kicked = true;
            wake.notify_one();
        }
    }

    /// The client at this link is a stranger no more.
    fn has_joined(&self, link: Link) {
        self.caller(link, |caller| {
            if !caller.is_kicked {
                self.settled.note(link);
            }
            caller.stranger.take()
        });
    }

    /// A stranger's address; `None`: the client has joined, or is of this process.
    fn stranger(&self, link: Link) -> Origin {
        if self.settled.has(link) {
            return None;
        }
        self.caller(link, |caller| caller.from.filter(|_| caller.stranger.is_some())).flatten()
    }

    /// What was pulled for a link may be that it has joined, or that its password was wrong.
    fn overhear(&self, server: &S, link: Link, frames: &[u8]) {
        let Some(guard) = &self.guard else { return };
        let Some(from) = self.stranger(link) else { return };
        let Told { is_welcome, is_seated, is_wrong } = guard.told(frames);
        if is_seated {
            self.note_seat(server, from);
        }
        if is_welcome {
            self.has_joined(link);
        }
        let was_counted = is_wrong && self.caller(link, |caller| std::mem::take(&mut caller.is_counted)) == Some(true);
        if let (true, false, Some(gate)) = (is_wrong, was_counted, self.gate.get()) {
            gate.strangers.note_wrong(Some(from));
        }
    }

    /// Too much waits to be written: a connection that would add to it waits here.
    async fn journal_has_room(&self) {
        if let Some(journal) = self.journal.journal() {
            journal.room().await;
        }
    }

    /// Until what was noted is on the disk.
    async fn journal_is_safe(&self) {
        if let Some(journal) = self.journal.journal() {
            journal.flush().await;
        }
    }

    /// Nothing is sent before the journal has how the table stands.
    pub fn begin_journal(&self) {
        self.journal.wait();
    }

    /// The whole table, where there is a journal.
    pub fn frozen(&self) -> Vec<u8> {
        self.journal.frozen(&self.lock())
    }

    /// Closes what was open before the process was started again.
    pub fn close_all(self: &Arc<Self>) {
        for slot in 0..self.wakes.len() as u16 {
            let link = self.journal.link(&self.lock(), slot);
            if let Some(link) = link {
                self.close(link);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Box<S>> {
        lock(&self.server)
    }

    /// Asks the server what changes nothing.
    pub(crate) fn read<T>(&self, ask: impl FnOnce(&S) -> T) -> T {
        ask(&self.lock())
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    pub(crate) fn is_done_with(&self, link: Link) -> bool {
        self.is_stopping() || self.is_kicked(link) || self.lock().closing(link)
    }

    /// The client at this link is to go, whatever the game says.
    fn is_kicked(&self, link: Link) -> bool {
        !self.settled.has(link) && self.caller(link, |caller| caller.is_kicked) == Some(true)
    }

    fn wake(&self, link: Link) {
        if let Some(wake) = self.wakes.get(usize::from(link.slot)) {
            wake.notify_one();
        }
    }

    pub(crate) async fn woken(&self, link: Link) {
        match self.wakes.get(usize::from(link.slot)) {
            Some(wake) => wake.notified().await,
            None => std::future::pending().await,
        }
    }

    pub fn open(self: &Arc<Self>) -> Result<Link, Full> {
        let now = self.now();
        self.with(|server, journal| {
            let link = server.open(now)?;
            journal.note(server, &Event::Open { slot: link.slot, now });
            Ok(link)
        })
    }

    pub fn receive(self: &Arc<Self>, link: Link, framer: &mut S::Framer) -> Intake {
        self.take_in(link, framer, |server, framer, now| server.receive(link, framer, now))
    }

    /// Bytes of this link, by whichever of the server's entrances `take` uses.
    pub(crate) fn take_in(
        self: &Arc<Self>,
        link: Link,
        framer: &mut S::Framer,
        take: impl FnOnce(&mut S, &mut S::Framer, Millis) -> Intake,
    ) -> Intake {
        let is_confined = self.is_confined(link);
        self.with(|server, _| self.hear(server, (link, is_confined), framer, take))
    }

    fn hear(
        &self,
        server: &mut S,
        (link, is_confined): (Link, bool),
        framer: &mut S::Framer,
        take: impl FnOnce(&mut S, &mut S::Framer, Millis) -> Intake,
    ) -> Intake {
        let (now, journal) = (self.now(), &self.journal);
        if is_confined {
            server.confine();
        }
        let intake = take(server, framer, now);
        if let Some(frames) = self.frames {
            frames.note_received::<S>(framer.taken());
        }
        // What was not taken leaves no trace in a table.
        if !framer.taken().is_empty() {
            if self.note_asked(server, link, framer.taken(), is_confined) {
                journal.note(server, &Event::Confine { slot: link.slot, now });
            }
            journal.note(server, &Event::Receive { slot: link.slot, now, bytes: framer.taken() });
        }
        intake
    }

    pub fn close(self: &Arc<Self>, link: Link) {
        let now = self.now();
        self.with(|server, journal| {
            let is_live = journal.link(server, link.slot) == Some(link);
            server.close(link, now);
            if is_live {
                journal.note(server, &Event::Close { slot: link.slot, now });
            }
        });
    }

    pub fn tick(self: &Arc<Self>) {
        let now = self.now();
        self.with(|server, journal| {
            server.tick(now);
            journal.note(server, &Event::Tick { now });
        });
        self.forget_holdings();
    }

    /// Writes to `out` what the server has for this link; how many bytes.
    pub fn pull_into(self: &Arc<Self>, link: Link, out: &mut [u8]) -> usize {
        self.with(|server, _| self.draw(server, link, out))
    }

    fn draw(&self, server: &mut S, link: Link, out: &mut [u8]) -> usize {
        let n = server.pull(link, out);
        let pulled = out.get(..n).unwrap_or_default();
        if let Some(frames) = self.frames {
            frames.note_sent::<S>(pulled);
        }
        if n > 0 {
            self.overhear(server, link, pulled);
        }
        n
    }

    /// Ticks when the server asks for it.
    pub async fn keep_time(self: Arc<Self>) {
        loop {
            self.tick_when_due().await;
        }
    }

    /// Waits until the server's next deadline and ticks, or until the deadline moves. Without a deadline nothing wakes it.
    pub(crate) async fn tick_when_due(self: &Arc<Self>) {
        let deadline = {
            let server = self.lock();
            let deadline = server.deadline();
            self.armed.store(deadline.map_or(u64::MAX, |due| due.0), Ordering::Relaxed);
            deadline
        };
        let Some(due) = deadline else { return self.rearm.notified().await };
        tokio::select! {
            () = sleep_until(self.start + Duration::from_millis(due.since(self.origin))) => self.tick(),
            () = self.rearm.notified() => {}
        }
    }
}

/// Core does not panic; if it ever did, the state is still the best there is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Server + Send + 'static> Kept for TableDriver<S> {
    fn release(&self, upto: Seq, next: u64) {
        let mut server = self.lock();
        self.journal.release(&mut server, upto, next);
        while let Some(link) = server.next_ready() {
            self.wake(link);
        }
    }

    fn snapshot(&self) {
        let server = self.lock();
        self.journal.snapshot(&server, self.now());
    }

    fn begin_anew(&self) {
        let server = self.lock();
        self.journal.begin_anew(&server, self.now());
    }

    fn lose(&self) {
        TableHandle::stop(self);
    }
}

impl<S: Server + Send + 'static> TableHandle for TableDriver<S> {
    fn attend(self: Arc<Self>, stream: Box<dyn Stream>, from: Origin) -> Task {
        Box::pin(TableDriver::attend(self, stream, from))
    }

    fn keep_time(self: Arc<Self>) -> Task {
        Box::pin(TableDriver::keep_time(self))
    }

    fn summary(&self) -> Summary {
        self.lock().summary()
    }

    fn each_sight(&self, tell: &mut dyn FnMut(Sight<'_>)) {
        self.lock().each_sight(tell);
    }

    fn games(&self) -> Option<Games> {
        let (server, mut going_on) = (self.lock(), Vec::new());
        server.each_number(&mut |name, number| going_on.push((name.to_owned(), number)));
        server.record().map(|record| Games::of(&record, going_on))
    }

    fn key(&self, game: u32) -> Option<(Key, u32)> {
        self.lock().record()?.key(game)
    }

    fn follow_turns(&self, is_followed: bool) {
        self.turns.follow(&**self.lock(), is_followed);
    }

    fn awaited(&self) -> Vec<Awaited> {
        self.turns.awaited()
    }

    fn traffic(&self) -> Traffic {
        let Meters { received, sent, links, full } = &self.meters;
        let [received, sent, links, full] = [received, sent, links, full].map(|meter| meter.load(Ordering::Relaxed));
        Traffic { received, sent, links, full }
    }

    fn watch(&self, gate: Gate) {
        self.count_holdings(gate.clone());
        let _ = self.gate.set(gate);
    }

    fn end_game(self: Arc<Self>, name: &str) -> bool {
        let now = self.now();
        let is_ended = self.with(|server, journal| {
            let is_ended = server.end_game(name, now);
            if is_ended {
                journal.note(server, &Event::EndGame { name, now });
            }
            is_ended
        });
        self.forget_holdings();
        is_ended
    }

    fn set_pace(&self, game: &str, pace: Option<Pace>) -> bool {
        self.services.as_ref().is_some_and(|services| services.set_pace(game, pace))
    }

    fn callers(&self) -> Vec<(u16, Origin, bool)> {
        let callers = lock(&self.callers);
        let there = (0..).zip(&*callers).filter(|(_, caller)| caller.link.is_some());
        there.map(|(slot, caller)| (slot, caller.from, caller.stranger.is_none())).collect()
    }

    fn kick(&self, is_meant: &dyn Fn(Origin) -> bool) -> usize {
        let mut kicked = 0;
        for (caller, wake) in lock(&self.callers).iter_mut().zip(&self.wakes) {
            if let Some(link) = caller.link.filter(|_| is_meant(caller.from)) {
                caller.is_kicked = true;
                self.settled.forget(link.slot);
                kicked += 1;
                wake.notify_one();
            }
        }
        kicked
    }

    fn renew(&self, fresh: Box<dyn AnyTable>) -> bool {
        let Ok(fresh) = fresh.into_any().downcast::<StoredTable<S>>() else { return false };
        let mut server = self.lock();
        if lock(&self.callers).iter().any(|caller| caller.link.is_some()) {
            return false;
        }
        *server = fresh.into_server();
        self.journal.begin_anew(&server, self.now());
        true
    }

    fn set(self: Arc<Self>, settings: Vec<(&'static str, String)>) {
        *lock(&self.waiting) = settings;
        self.is_waiting.store(true, Ordering::Relaxed);
        self.with(|_, _| ());
    }

    fn waiting(&self) -> Vec<&'static str> {
        lock(&self.waiting).iter().map(|(name, _)| *name).collect()
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.wakes.iter().for_each(Notify::notify_one);
    }
}

/// One server on one port, for ever: no limits, no TLS.
pub async fn serve<S: Server + Send + 'static>(listener: TcpListener, driver: Arc<TableDriver<S>>) {
    task::spawn(TableDriver::keep_time(driver.clone()));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let _ = stream.set_nodelay(true);
                task::spawn(TableDriver::attend(driver.clone(), stream, None));
            }
            // Out of descriptors, most likely: it passes when a connection ends.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

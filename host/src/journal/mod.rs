//! Nothing acknowledged is lost: every call that changes a table is journalled before what it led to is sent.
//!
//! One journal for the process, in the data directory, readable by its owner only:
//!
//! - `journal/NUMBER.log`: segments of records, named by the number of their first ([`record`]).
//! - `tables/TABLE.NUMBER.snap`: tables as they stood before that record ([`archive`]); the last two of each are kept.
//! - `damaged/`: what could not be read when the process was started, for whoever wants to know why.
//!
//! A table's calls pass [`crate::net::Shared`], which notes them here while it holds the table: so the records of a table
//! stand in the order of its calls. [`writer`] is a thread that takes all that was noted, writes it, syncs it and then
//! lets the tables release what they had said by then: one sync for as many moves as came meanwhile. [`archive`] is a
//! thread that writes snapshots of copies, so that a table is held only while it is copied. [`restore`] does the rest.
//!
//! Strict: nothing is sent before its cause is safe. Relaxed: everything is sent at once and the journal follows within a
//! second, so a crash may take back the last second.
//!
//! No password is in any of these files: core overwrites one by whether it was right, and seals what it keeps of it. The
//! seed is in them, or nothing could be played again, and with it whoever may read the files could work out passwords:
//! hence the owner alone may. What the passwords of our own bots are made with lies there for the same eyes, in
//! `tables/bots`. A lost record is followed by no other, so what is read back is always a moment that was.
//!
//! What can never happen here: a queue without a bound (connections wait while it is full), a byte released in strict mode
//! whose cause could be lost.

pub mod archive;
pub mod disk;
pub mod figures;
pub mod record;
pub mod resting;
pub mod restore;
pub mod writer;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use parlor_core::server::{Link, Millis, Seq, Server};
use tokio::sync::watch;

use archive::Job;
pub use disk::{Disk, Files};
pub use figures::Figures;
pub use record::{Card, Event};
pub use resting::{Rest, Resting};

/// Bytes noted but not yet taken by the writer, beyond which connections wait.
const FULL: usize = 1 << 20;
/// Bytes of a table's records after which a snapshot is taken.
const SNAPSHOT_AFTER: u64 = 256 << 10;
/// What nobody waits for is written after this.
const LAZY: Duration = Duration::from_secs(1);

/// A copy of a table, to be frozen elsewhere.
pub type Frost = Box<dyn FnOnce() -> Vec<u8> + Send>;

/// A table, as its journal knows it.
pub trait Kept: Send + Sync {
    /// What was said up to here is safe.
    fn release(&self, upto: Seq);
    /// Takes a snapshot now.
    fn snapshot(&self);
}

/// What was noted since the writer came last.
#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    /// The number of the next record.
    next: u64,
    /// How far each table may release its output when all of this is safe.
    promises: BTreeMap<u32, Seq>,
    /// Somebody waits for it.
    urgent: bool,
    since: Option<Instant>,
    stop: bool,
}

/// What the writer writes at once.
struct Batch {
    bytes: Vec<u8>,
    first: u64,
    next: u64,
    promises: BTreeMap<u32, Seq>,
    since: Instant,
}

/// A table in the journal's books.
struct Member {
    kept: Weak<dyn Kept>,
    card: Card,
    /// The last two records before which its state is known, by a snapshot or by [`Event::Begin`].
    points: [u64; 2],
}

pub struct Journal {
    strict: bool,
    queue: Mutex<Queue>,
    /// The writer has something to do.
    stirred: Condvar,
    members: Mutex<BTreeMap<u32, Member>>,
    jobs: Mutex<Vec<Job>>,
    jobs_stirred: Condvar,
    /// Records before this one are safe.
    safe: watch::Sender<u64>,
    /// The first record of the batch that the writer will take next.
    taken: AtomicU64,
    pub figures: Figures,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Journal {
    /// The first record will have the number `next`.
    pub fn new(strict: bool, next: u64) -> Arc<Self> {
        Arc::new(Self {
            strict,
            queue: Mutex::new(Queue { next, ..Queue::default() }),
            stirred: Condvar::new(),
            members: Mutex::default(),
            jobs: Mutex::default(),
            jobs_stirred: Condvar::new(),
            safe: watch::Sender::new(next),
            taken: AtomicU64::new(next),
            figures: Figures::default(),
        })
    }

    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// A table begins here, or goes on: its records follow.
    pub fn admit(&self, table: u32, kept: Weak<dyn Kept>, card: Card, now: Millis, state: &[u8]) {
        let begin = Event::Begin { card: card.clone(), now, gated: self.strict, state };
        let (number, _) = self.note(table, &begin);
        let mut members = lock(&self.members);
        let before = members.get(&table).map_or(number, |member| member.points[1]);
        members.insert(table, Member { kept, card, points: [before, number] });
    }

    /// Where a table's state was known before this process, so that nothing it needs is thrown away.
    pub fn remember(&self, table: u32, card: Card, point: u64) {
        struct Nobody;
        impl Kept for Nobody {
            fn release(&self, _: Seq) {}
            fn snapshot(&self) {}
        }
        let kept: Weak<dyn Kept> = Weak::<Nobody>::new();
        lock(&self.members).insert(table, Member { kept, card, points: [point; 2] });
    }

    /// A table is no more.
    pub fn retire(&self, table: u32) {
        self.note(table, &Event::End);
        lock(&self.members).remove(&table);
        lock(&self.jobs).retain(|job| job.table != table);
    }

    /// A table has a port of its own from now on.
    pub fn port(&self, table: u32, port: std::net::SocketAddr) {
        if let Some(member) = lock(&self.members).get_mut(&table) {
            member.card.port = Some(port);
        }
        self.note(table, &Event::Port(port));
    }

    /// Notes what happened; the record's number and its length. The caller holds the table.
    fn note(&self, table: u32, event: &Event<'_>) -> (u64, u64) {
        let mut queue = lock(&self.queue);
        let (number, before) = (queue.next, queue.bytes.len());
        record::append(&mut queue.bytes, number, table, event);
        queue.next += 1;
        if queue.since.is_none() {
            queue.since = Some(Instant::now());
            self.stirred.notify_one();
        }
        (number, (queue.bytes.len() - before) as u64)
    }

    /// What this table has said is sent when everything noted until now is safe.
    fn promise(&self, table: u32, upto: Seq) {
        let mut queue = lock(&self.queue);
        queue.promises.insert(table, upto);
        if !std::mem::replace(&mut queue.urgent, true) {
            self.stirred.notify_one();
        }
    }

    /// Waits while too much is noted: whoever would note more comes here first.
    pub async fn room(&self) {
        if !self.is_full() {
            return;
        }
        self.figures.full.fetch_add(1, Relaxed);
        self.hurry();
        let mut safe = self.safe.subscribe();
        while self.is_full() && safe.changed().await.is_ok() {}
    }

    fn is_full(&self) -> bool {
        lock(&self.queue).bytes.len() > FULL
    }

    /// Returns when everything noted until now is safe.
    pub async fn flush(&self) {
        let upto = self.hurry();
        let _ = self.safe.subscribe().wait_for(|safe| *safe >= upto).await;
    }

    fn hurry(&self) -> u64 {
        let mut queue = lock(&self.queue);
        queue.urgent = true;
        self.stirred.notify_one();
        queue.next
    }

    /// What there is to write, if there is anything.
    fn take_batch(&self, queue: &mut Queue) -> Option<Batch> {
        queue.urgent = false;
        let since = queue.since.take();
        if queue.bytes.is_empty() && queue.promises.is_empty() {
            return None;
        }
        let first = self.taken.swap(queue.next, Relaxed);
        Some(Batch {
            bytes: std::mem::take(&mut queue.bytes),
            first,
            next: queue.next,
            promises: std::mem::take(&mut queue.promises),
            since: since.unwrap_or_else(Instant::now),
        })
    }

    /// A batch is safe: its tables may speak.
    fn commit(&self, batch: &Batch) {
        self.safe.send_replace(batch.next);
        self.jobs_stirred.notify_one();
        for (table, upto) in &batch.promises {
            let kept = lock(&self.members).get(table).and_then(|member| member.kept.upgrade());
            if let Some(kept) = kept {
                kept.release(*upto);
            }
        }
    }

    /// No more is noted: what there is, is written, and the threads end.
    pub fn stop(&self) {
        lock(&self.queue).stop = true;
        self.stirred.notify_one();
        let _jobs = lock(&self.jobs);
        self.jobs_stirred.notify_one();
    }

    fn is_stopping(&self) -> bool {
        lock(&self.queue).stop
    }
}

/// What a journal needs of a table's kind beside [`Server`]: [`parlor_core::save::Durable`], as functions, so that a
/// table without a journal need not have it.
pub struct Ways<S> {
    pub copy: fn(&S) -> Frost,
    pub place: fn(&S, Link) -> u64,
    pub link: fn(&S, u16) -> Option<Link>,
}

/// One table's side of the journal. Every method is called by whoever holds the table.
pub struct Ledger<S> {
    journal: Arc<Journal>,
    table: u32,
    ways: Ways<S>,
    /// What was promised last.
    promised: Mutex<Option<Seq>>,
    /// Bytes noted since the last snapshot.
    noted: AtomicU64,
}

impl<S: Server> Ledger<S> {
    pub fn new(journal: Arc<Journal>, table: u32, ways: Ways<S>) -> Self {
        Self { journal, table, ways, promised: Mutex::default(), noted: AtomicU64::new(0) }
    }

    pub fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    pub fn note(&self, event: &Event<'_>) {
        let (_, length) = self.journal.note(self.table, event);
        self.noted.fetch_add(length, Relaxed);
    }

    /// After a call: what it led to is sent at once, or when its cause is safe. A snapshot is taken if it is time.
    pub fn settle(&self, server: &mut S, now: Millis) {
        let produced = server.produced();
        if self.journal.strict {
            let mut promised = lock(&self.promised);
            if *promised != Some(produced) {
                *promised = Some(produced);
                self.journal.promise(self.table, produced);
            }
        } else {
            server.release(produced);
        }
        if self.noted.load(Relaxed) > SNAPSHOT_AFTER {
            self.snapshot(server, now);
        }
    }

    /// Copies the table; the rest is done elsewhere.
    pub fn snapshot(&self, server: &S, now: Millis) {
        let start = Instant::now();
        self.noted.store(0, Relaxed);
        let frost = (self.ways.copy)(server);
        let number = lock(&self.journal.queue).next;
        self.journal.ask(Job { table: self.table, number, now, frost });
        self.journal.figures.held(start.elapsed());
    }

    pub fn place(&self, server: &S, link: Link) -> u64 {
        (self.ways.place)(server, link)
    }

    pub fn link(&self, server: &S, slot: u16) -> Option<Link> {
        (self.ways.link)(server, slot)
    }

    pub fn frozen(&self, server: &S) -> Vec<u8> {
        (self.ways.copy)(server)()
    }
}

/// The journal's threads; they end when it is stopped.
pub struct Threads {
    writer: std::thread::JoinHandle<bool>,
    archivist: std::thread::JoinHandle<()>,
}

impl Threads {
    pub fn start(journal: &Arc<Journal>, disk: &Arc<dyn Disk>) -> std::io::Result<Self> {
        let mut writer = writer::Writer::new(journal.clone(), disk.clone());
        let archivist = archive::Archivist::new(journal.clone(), disk.clone());
        Ok(Self {
            writer: std::thread::Builder::new().name("journal".into()).spawn(move || writer.run())?,
            archivist: std::thread::Builder::new().name("snapshots".into()).spawn(move || archivist.run())?,
        })
    }

    /// `false`: something could not be written.
    pub fn join(self) -> bool {
        let written = self.writer.join().unwrap_or(false);
        self.archivist.join().is_ok() && written
    }
}

/// Set while the disk refuses; read by health checks.
pub(crate) type Failing = AtomicBool;

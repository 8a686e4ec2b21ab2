//! Nothing acknowledged is lost: every call that changes a table is journalled before what it led to is sent.
//!
//! One journal for the process, readable by its owner only, in a [`store`]: a log of records ([`record`]) and snapshots of
//! tables ([`archive`]), of which the last two of each are kept. [`files`] says how that lies on a disk.
//!
//! What stands in the log are inputs and decisions, never deliveries: how much a link has read when is of no concern to
//! a replay. A table's calls pass [`crate::net::TableDriver`], which notes them here while it holds the table: so the
//! records of a table stand in the order of its calls. [`writer`] is a thread that takes all that was noted and has it
//! made safe; then the tables release what they had said by then: one sync for as many moves as came meanwhile
//! (`group_commit.rs`). [`archive`] is a thread that writes snapshots of copies, so that a table is held only while it
//! is copied. [`restore`] does the rest.
//!
//! Strict: nothing is sent before its cause is safe. What changed nothing, a refusal or an answer to a question, has no
//! cause but what came before: it is noted, and sent as soon as that is safe. Relaxed: everything is sent at once and the journal follows within a
//! second, so a crash may take back the last second.
//!
//! No password is in any of these files: core overwrites one by whether it was right, and seals what it keeps of it.
//! The seed is in them, or nothing could be played again, and with it a reader of the files could work out passwords:
//! hence the owner alone may. What the passwords of our own bots are made with lies there for the same eyes, in
//! `tables/bots`. A lost record is followed by no other, so what is read back is always a moment that was.
//!
//! What can never happen here: a queue without a bound (connections wait while it is full), a byte released in strict mode
//! whose cause could be lost.

pub mod archive;
pub mod disk;
pub mod figures;
pub mod files;
mod group_commit;
pub mod record;
pub mod restore;
pub mod simulated;
pub mod store;
pub mod stored_table;
mod table_journal;
pub mod writer;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use parlor_core::server::{Millis, Seq};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::table_id::TableId;
use archive::Job;
pub use disk::{Disk, Files};
pub use figures::Figures;
pub use files::FileStore;
use group_commit::GroupCommit;
use record::Block;
pub use record::{Event, TableMeta};
use store::Batch;
pub use store::{Cabinet, Store, StoreError};
pub use stored_table::{AnyTable, StoredTable};
pub use table_journal::{DurableOps, TableJournal};

/// Bytes noted but not yet taken by the writer, beyond which connections wait.
const FULL: usize = 1 << 20;
/// A block is closed when it is longer: what is torn is lost with its block.
const BLOCK: usize = 32 << 10;
/// Bytes of a table's records after which a snapshot is taken.
const SNAPSHOT_AFTER: u64 = 256 << 10;
/// Records that no connection waits for are written after this.
const LAZY: Duration = Duration::from_secs(1);

/// A copy of a table, to be frozen elsewhere.
pub type DeferredFreeze = Box<dyn FnOnce() -> Vec<u8> + Send>;

/// A table, as its journal knows it.
pub trait Kept: Send + Sync {
    /// Everything before the record `next` is safe; by then the table had said what `upto` says.
    fn release(&self, upto: Seq, next: u64);
    /// Takes a snapshot now.
    fn snapshot(&self);
    /// Notes how the table stands, whatever was noted before.
    fn begin_anew(&self);
    /// Nothing will be safe any more: connections are closed.
    fn lose(&self);
}

/// A table that is not open: no one can play at it.
struct AtRest {
    journal: Weak<Journal>,
    table: u32,
    now: Millis,
    state: Arc<[u8]>,
}

impl Kept for AtRest {
    fn release(&self, _: Seq, _: u64) {}

    fn snapshot(&self) {
        let Some(journal) = self.journal.upgrade() else { return };
        let state = self.state.clone();
        let freeze: DeferredFreeze = Box::new(move || state.to_vec());
        journal.ask(Job { table: self.table, next: journal.next(), now: self.now, freeze });
    }

    fn begin_anew(&self) {
        if let Some(journal) = self.journal.upgrade() {
            journal.begin_anew(self.table, self.now, &self.state);
        }
    }

    fn lose(&self) {}
}

/// What the writer waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Awaits {
    /// It does not wait, or was told.
    #[default]
    Nothing,
    /// Tables that are ready to speak; then it is told.
    Gathering,
    /// A connection that waits for it. The rest it will write by itself, a second later at most.
    Urgent,
    /// Any record.
    Anything,
}

/// What was noted since the writer came last.
#[derive(Default)]
struct Queue {
    /// Whole blocks.
    bytes: Vec<u8>,
    /// The block that is being filled, and the number of its first record.
    block: Block,
    block_first: u64,
    /// The number of the next record.
    next: u64,
    /// The index of the next table.
    next_table: u32,
    /// How far each table may release its output when all of this is safe.
    promises: BTreeMap<u32, Seq>,
    /// A connection waits for it.
    urgent: bool,
    since: Option<Instant>,
    /// What the writer waits for and was not told yet. It is told when the lock is free, as it would wait for that.
    awaits: Awaits,
    stop: bool,
}

/// What the writer writes at once, and what may be said then.
struct Pending {
    batch: Batch,
    promises: BTreeMap<u32, Seq>,
    since: Instant,
}

/// A table in the journal's books, under its index.
struct Member {
    id: TableId,
    /// `None`: it was read, and is not open yet.
    kept: Option<Weak<dyn Kept>>,
    meta: TableMeta,
    /// Nothing has happened since the last of its points.
    is_unchanged: bool,
    /// The last two records before which its state is known, by a snapshot or by [`Event::Begin`].
    points: [u64; 2],
}

pub struct Journal {
    strict: bool,
    /// Others may take the store from this process.
    shared: bool,
    queue: Mutex<Queue>,
    /// The writer has something to do.
    stirred: Condvar,
    group_commit: GroupCommit,
    members: Mutex<BTreeMap<u32, Member>>,
    jobs: Mutex<Vec<Job>>,
    jobs_stirred: Condvar,
    /// Records before this one are safe; for tasks that wait for it, and for those that ask in passing.
    safe: watch::Sender<u64>,
    safe_now: AtomicU64,
    /// The first record of the batch that the writer will take next.
    taken: AtomicU64,
    /// Another process writes now; for tasks that wait, and for those that ask in passing.
    lost: watch::Sender<bool>,
    is_lost: AtomicBool,
    pub figures: Figures,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Journal {
    /// The first record will have the number `next`.
    pub fn new(strict: bool, next: u64) -> Arc<Self> {
        Arc::new(Self::begin(strict, false, next))
    }

    fn begin(strict: bool, shared: bool, next: u64) -> Self {
        Self {
            strict,
            shared,
            queue: Mutex::new(Queue { next, block_first: next, ..Queue::default() }),
            stirred: Condvar::new(),
            group_commit: GroupCommit::default(),
            members: Mutex::default(),
            jobs: Mutex::default(),
            jobs_stirred: Condvar::new(),
            safe: watch::Sender::new(next),
            safe_now: AtomicU64::new(next),
            taken: AtomicU64::new(next),
            lost: watch::Sender::new(false),
            is_lost: AtomicBool::new(false),
            figures: Figures::default(),
        }
    }

    /// Goes on where what was read ends: nothing that its tables need is thrown away.
    pub fn resume(strict: bool, read: &restore::House) -> Arc<Self> {
        Self::begin(strict, false, read.next).go_on(read)
    }

    /// The same in a store that another process may take at any time. A process that has lost it must not answer even a
    /// question by what it knew: every answer waits until what was asked is safe.
    pub fn resume_shared(read: &restore::House) -> Arc<Self> {
        Self::begin(true, true, read.next).go_on(read)
    }

    fn go_on(self, read: &restore::House) -> Arc<Self> {
        let journal = Arc::new(self);
        lock(&journal.queue).next_table = read.next_table;
        let members = read.tables.iter().map(|(id, table)| {
            let (meta, is_unchanged) = (table.meta.clone(), table.is_unchanged());
            (table.index, Member { id: *id, kept: None, meta, is_unchanged, points: [table.point; 2] })
        });
        *lock(&journal.members) = members.collect();
        journal
    }

    pub fn is_strict(&self) -> bool {
        self.strict
    }

    fn is_shared(&self) -> bool {
        self.shared
    }

    /// The index under which a table's records stand: that which it had, or a new one.
    pub fn index(&self, id: TableId) -> u32 {
        if let Some((index, _)) = lock(&self.members).iter().find(|(_, member)| member.id == id) {
            return *index;
        }
        let mut queue = lock(&self.queue);
        queue.next_table += 1;
        queue.next_table - 1
    }

    /// A table begins here, or goes on: its records follow. `state` is how it stands, unless the journal knows already.
    pub fn admit(
        &self,
        (id, table): (TableId, u32),
        kept: Weak<dyn Kept>,
        meta: TableMeta,
        now: Millis,
        state: impl FnOnce() -> Vec<u8>,
    ) {
        let mut members = lock(&self.members);
        let known = members.remove(&table);
        let points = match known {
            Some(Member { is_unchanged: true, points, .. }) => points,
            known => {
                let begin = Event::Begin { number: id.number, meta: meta.clone(), now, state: &state() };
                let (number, _) = self.note(table, 0, &begin);
                [known.map_or(number, |member| member.points[1]), number]
            }
        };
        members.insert(table, Member { id, kept: Some(kept), meta, is_unchanged: false, points });
        self.remind();
    }

    /// Another game begins at a table: nothing of it is known by what was before.
    fn begin_anew(&self, table: u32, now: Millis, state: &[u8]) {
        let mut members = lock(&self.members);
        let Some(member) = members.get_mut(&table) else { return };
        let begin = Event::Begin { number: member.id.number, meta: member.meta.clone(), now, state };
        let (number, _) = self.note(table, 0, &begin);
        member.points = [member.points[1], number];
        lock(&self.jobs).retain(|job| job.table != table);
        self.remind();
    }

    /// A table that was read and is not opened: it stands as it stood. It is snapshotted like the others as long as
    /// what this gives back lives, else every record since its last snapshot would be kept.
    pub fn rest(self: &Arc<Self>, read: &restore::Table) -> Arc<dyn Kept> {
        let state: Arc<[u8]> = read.stored.freeze().into();
        let kept: Arc<dyn Kept> =
            Arc::new(AtRest { journal: Arc::downgrade(self), table: read.index, now: read.stored.now(), state });
        if let Some(member) = lock(&self.members).get_mut(&read.index) {
            member.kept = Some(Arc::downgrade(&kept));
        }
        kept
    }

    /// A table is no more.
    pub fn retire(&self, id: TableId) {
        let mut members = lock(&self.members);
        let Some(table) = members.iter().find(|(_, member)| member.id == id).map(|(index, _)| *index) else { return };
        self.note(table, 0, &Event::End);
        self.remind();
        members.remove(&table);
        lock(&self.jobs).retain(|job| job.table != table);
    }

    /// A table has a port of its own from now on.
    pub fn port(&self, id: TableId, port: std::net::SocketAddr) {
        if let Some((table, member)) = lock(&self.members).iter_mut().find(|(_, member)| member.id == id) {
            member.meta.port = Some(port);
            self.note(*table, 0, &Event::Port(port));
            self.remind();
        }
    }

    /// Notes what happened, and what the table has said by then; the record's number and its length. The caller holds
    /// the table, and waits for it or [reminds](Journal::remind) the writer.
    fn note(&self, table: u32, sum: u8, event: &Event<'_>) -> (u64, u64) {
        let mut queue = lock(&self.queue);
        let (number, before) = (queue.next, queue.block.len());
        // The writer will never take it.
        if self.is_lost() {
            return (number, 0);
        }
        queue.block.push(table, sum, event);
        queue.next += 1;
        let length = (queue.block.len() - before) as u64;
        if queue.block.len() > BLOCK {
            queue.close_block();
        }
        queue.since.get_or_insert_with(Instant::now);
        (number, length)
    }

    /// What was noted is written within a second, though no connection waits for it.
    fn remind(&self) {
        let mut queue = lock(&self.queue);
        if queue.since.is_some() && queue.awaits == Awaits::Anything {
            queue.awaits = Awaits::Nothing;
            drop(queue);
            self.stirred.notify_one();
        }
    }

    /// The number of the next record.
    fn next(&self) -> u64 {
        lock(&self.queue).next
    }

    /// Records before this one are safe.
    fn safe(&self) -> u64 {
        self.safe_now.load(Acquire)
    }

    /// What this table has said is sent when everything noted until now is safe.
    fn promise(&self, table: u32, upto: Seq) {
        let mut queue = lock(&self.queue);
        if self.is_lost() {
            return;
        }
        queue.promises.insert(table, upto);
        // A writer that is at work comes for it next.
        queue.urgent = true;
        if matches!(queue.awaits, Awaits::Urgent | Awaits::Anything) {
            queue.awaits = Awaits::Gathering;
            drop(queue);
            self.group_commit.promised(self);
        }
    }

    /// Waits while too much is noted: a connection that would note more comes here first.
    pub async fn room(&self) {
        if !self.is_full() {
            return;
        }
        self.figures.full.fetch_add(1, Relaxed);
        self.hurry();
        let mut safe = self.safe.subscribe();
        let room = async { while self.is_full() && safe.changed().await.is_ok() {} };
        tokio::select! {
            () = room => {}
            () = self.lost() => {}
        }
    }

    /// Ends when another process writes: nothing more is said here.
    pub async fn lost(&self) {
        let _ = self.lost.subscribe().wait_for(|lost| *lost).await;
    }

    fn is_full(&self) -> bool {
        let queue = lock(&self.queue);
        queue.bytes.len() + queue.block.len() > FULL
    }

    /// Returns when everything noted until now is safe; `false`: it never will be.
    pub async fn flush(&self) -> bool {
        let (upto, mut safe) = (self.hurry(), self.safe.subscribe());
        tokio::select! {
            _ = safe.wait_for(|safe| *safe >= upto) => true,
            () = self.lost() => false,
        }
    }

    /// Records that are noted and not yet safe.
    pub fn lag(&self) -> u64 {
        self.next().saturating_sub(self.safe())
    }

    /// The writer comes now; the number of the next record.
    fn hurry(&self) -> u64 {
        let mut queue = lock(&self.queue);
        queue.urgent = true;
        let (next, awaits) = (queue.next, std::mem::take(&mut queue.awaits));
        drop(queue);
        if awaits != Awaits::Nothing {
            self.stirred.notify_one();
        }
        next
    }

    /// What there is to write, if there is anything.
    fn take_batch(&self) -> Option<Pending> {
        let mut queue = lock(&self.queue);
        queue.urgent = false;
        if self.is_lost() {
            return None;
        }
        queue.close_block();
        let since = queue.since.take();
        // A promise may come after its record was taken: it is kept when that is safe, which it is by then.
        if queue.bytes.is_empty() && queue.promises.is_empty() {
            return None;
        }
        let first = self.taken.swap(queue.next, Relaxed);
        Some(Pending {
            batch: Batch { bytes: std::mem::take(&mut queue.bytes), first, next: queue.next },
            promises: std::mem::take(&mut queue.promises),
            since: since.unwrap_or_else(Instant::now),
        })
    }

    /// A batch is safe: its tables may speak.
    fn commit(&self, pending: &Pending) {
        let next = pending.batch.next;
        self.safe_now.store(next, Release);
        self.safe.send_replace(next);
        if !lock(&self.jobs).is_empty() {
            self.jobs_stirred.notify_one();
        }
        self.group_commit.committed(self, &pending.promises, next);
    }

    /// Idle tables would keep old records for ever: they get a snapshot too.
    fn refresh(&self, before: u64) {
        let stale: Vec<_> = {
            let members = lock(&self.members);
            members.values().filter(|member| member.points[0] < before).filter_map(Member::kept).collect()
        };
        stale.iter().for_each(|kept| kept.snapshot());
    }

    /// What was safe is not all there any more. The tables have in them all that ever was noted, the batch that could not be
    /// written too: how they stand takes its place.
    fn write_anew(&self, pending: Pending) {
        let all: Vec<_> = lock(&self.members).values().filter_map(Member::kept).collect();
        all.iter().for_each(|kept| kept.begin_anew());
        let mut queue = lock(&self.queue);
        for (table, upto) in pending.promises {
            queue.promises.entry(table).or_insert(upto);
        }
        queue.urgent = true;
    }

    /// Another process writes now: nothing more is said.
    fn lose(&self) {
        {
            let mut queue = lock(&self.queue);
            self.is_lost.store(true, Relaxed);
            (queue.bytes, queue.block, queue.promises) = Default::default();
        }
        self.lost.send_replace(true);
        self.figures.failing.store(true, Relaxed);
        let all: Vec<_> = lock(&self.members).values().filter_map(Member::kept).collect();
        all.iter().for_each(|kept| kept.lose());
    }

    fn is_lost(&self) -> bool {
        self.is_lost.load(Relaxed)
    }

    /// Nothing waits to be written.
    fn is_written(&self) -> bool {
        let queue = lock(&self.queue);
        queue.bytes.is_empty() && queue.block.is_empty()
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

impl Queue {
    fn close_block(&mut self) {
        let Self { bytes, block, block_first, next, .. } = self;
        block.seal(*block_first, bytes);
        *block_first = *next;
    }
}

impl Member {
    fn kept(&self) -> Option<Arc<dyn Kept>> {
        self.kept.as_ref().and_then(Weak::upgrade)
    }
}

/// The journal's threads; they end when it is stopped.
pub struct Threads {
    journal: Arc<Journal>,
    writer: std::thread::JoinHandle<bool>,
    archivist: std::thread::JoinHandle<()>,
    tasks: Option<[AbortHandle; 2]>,
}

impl Threads {
    pub fn start(journal: &Arc<Journal>, store: &Arc<dyn Store>) -> std::io::Result<Self> {
        Self::start_lingering(journal, store, Duration::ZERO)
    }

    /// Batches follow each other no sooner than `linger`.
    pub fn start_lingering(journal: &Arc<Journal>, store: &Arc<dyn Store>, linger: Duration) -> std::io::Result<Self> {
        let mut writer = writer::Writer::new(journal.clone(), store.clone()).with_linger(linger);
        let archivist = archive::Archivist::new(journal.clone(), store.clone());
        Ok(Self {
            journal: journal.clone(),
            tasks: GroupCommit::serve(journal),
            writer: std::thread::Builder::new().name("journal".into()).spawn(move || writer.run())?,
            archivist: std::thread::Builder::new().name("snapshots".into()).spawn(move || archivist.run())?,
        })
    }

    /// `false`: something could not be written.
    pub fn join(self) -> bool {
        let written = self.writer.join().unwrap_or(false);
        self.tasks.iter().flatten().for_each(AbortHandle::abort);
        GroupCommit::end(&self.journal);
        self.archivist.join().is_ok() && written
    }
}

/// Set while the disk refuses; read by health checks.
pub(crate) type Failing = AtomicBool;

//! One table's side of the journal.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use parlor_core::server::{Link, Millis, Seq, Server};

use super::archive::Job;
use super::record::Event;
use super::{DeferredFreeze, Journal, SNAPSHOT_AFTER, lock};

/// What a journal needs of a table's kind beside [`Server`]: [`parlor_core::save::Durable`], as functions, so that a
/// table without a journal need not have it.
pub struct DurableOps<S> {
    pub copy: fn(&S) -> DeferredFreeze,
    pub sum: fn(&S) -> u8,
    pub link: fn(&S, u16) -> Option<Link>,
}

/// What waits for the disk.
#[derive(Clone, Copy, Default)]
struct Gate {
    /// What the table had said when it was looked at last.
    seen: Seq,
    /// The record after the last one that must not be lost.
    due: u64,
    /// The last record noted.
    last: u64,
}

/// What a table's driver notes in the journal and what it may send by it; without a journal, nothing and everything. Every
/// method is called by the task that holds the table.
pub struct TableJournal<S>(Option<Entry<S>>);

struct Entry<S> {
    journal: Arc<Journal>,
    /// The table's index in the log.
    table: u32,
    ops: DurableOps<S>,
    gate: Mutex<Gate>,
    /// Bytes noted since the last snapshot.
    noted: AtomicU64,
}

impl<S> Default for TableJournal<S> {
    fn default() -> Self {
        Self(None)
    }
}

impl<S: Server> TableJournal<S> {
    pub fn new(journal: Arc<Journal>, table: u32, ops: DurableOps<S>) -> Self {
        Self(Some(Entry { journal, table, ops, gate: Mutex::default(), noted: AtomicU64::new(0) }))
    }

    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.0.as_ref().map(|entry| &entry.journal)
    }

    /// Nothing is sent before what was noted until now is safe.
    pub fn wait(&self) {
        if let Some(entry) = &self.0 {
            lock(&entry.gate).due = entry.journal.next();
        }
    }

    /// After the call that is noted.
    pub fn note(&self, server: &S, event: &Event<'_>) {
        if let Some(entry) = &self.0 {
            entry.note(server, event);
        }
    }

    /// After a call: what it led to is sent when its cause is safe. Where it changed nothing, that is when everything
    /// before is. A snapshot is taken if it is time.
    pub fn after_call(&self, server: &mut S, now: impl FnOnce() -> Millis) {
        let produced = server.produced();
        let Some(entry) = &self.0 else { return server.release(produced) };
        entry.release_when_safe(server, produced);
        if entry.noted.load(Relaxed) > SNAPSHOT_AFTER {
            entry.snapshot(server, now());
        }
    }

    /// Everything before the record `next` is safe; by then the table had said what `upto` says.
    pub fn release(&self, server: &mut S, upto: Seq, next: u64) {
        let Some(entry) = &self.0 else { return };
        let is_safe = lock(&entry.gate).due <= next;
        server.release(if is_safe { server.produced() } else { upto });
    }

    /// Copies the table; the rest is done elsewhere.
    pub fn snapshot(&self, server: &S, now: Millis) {
        if let Some(entry) = &self.0 {
            entry.snapshot(server, now);
        }
    }

    /// The table stands as it stands from here on, whatever was before.
    pub fn begin_anew(&self, server: &S, now: Millis) {
        if let Some(entry) = &self.0 {
            entry.journal.begin_anew(entry.table, now, &(entry.ops.copy)(server)());
            self.wait();
        }
    }

    /// The link in this slot, where there is a journal.
    pub fn link(&self, server: &S, slot: u16) -> Option<Link> {
        self.0.as_ref().and_then(|entry| (entry.ops.link)(server, slot))
    }

    /// The whole table, where there is a journal.
    pub fn frozen(&self, server: &S) -> Vec<u8> {
        self.0.as_ref().map(|entry| (entry.ops.copy)(server)()).unwrap_or_default()
    }
}

impl<S: Server> Entry<S> {
    fn note(&self, server: &S, event: &Event<'_>) {
        let (number, length) = self.journal.note(self.table, (self.ops.sum)(server), event);
        lock(&self.gate).last = number;
        self.noted.fetch_add(length, Relaxed);
    }

    fn release_when_safe(&self, server: &mut S, produced: Seq) {
        if !self.journal.is_strict() {
            server.release(produced);
            return self.journal.remind();
        }
        let mut gate = lock(&self.gate);
        let is_unsafe = self.journal.is_shared() && gate.last >= self.journal.safe();
        if is_unsafe || produced.has_changed_since(gate.seen) {
            gate.due = gate.last + 1;
            self.journal.promise(self.table, produced);
        } else {
            if gate.due <= self.journal.safe() && !self.journal.is_lost() {
                server.release(produced);
            }
            self.journal.remind();
        }
        gate.seen = produced;
    }

    fn snapshot(&self, server: &S, now: Millis) {
        let start = Instant::now();
        self.noted.store(0, Relaxed);
        let freeze = (self.ops.copy)(server);
        self.journal.ask(Job { table: self.table, next: self.journal.next(), now, freeze });
        self.journal.figures.held(start.elapsed());
    }
}

//! One table's side of the journal.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use parlor_core::server::{Link, Millis, Seq, Server};

use super::archive::Job;
use super::record::Event;
use super::{Frost, Journal, SNAPSHOT_AFTER, lock};

/// What a journal needs of a table's kind beside [`Server`]: [`parlor_core::save::Durable`], as functions, so that a
/// table without a journal need not have it.
pub struct Ways<S> {
    pub copy: fn(&S) -> Frost,
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

/// Every method is called by whoever holds the table.
pub struct Ledger<S> {
    journal: Arc<Journal>,
    /// The table's index in the log.
    table: u32,
    ways: Ways<S>,
    gate: Mutex<Gate>,
    /// Bytes noted since the last snapshot.
    noted: AtomicU64,
}

impl<S: Server> Ledger<S> {
    pub fn new(journal: Arc<Journal>, table: u32, ways: Ways<S>) -> Self {
        Self { journal, table, ways, gate: Mutex::default(), noted: AtomicU64::new(0) }
    }

    pub fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    /// Nothing is sent before what was noted until now is safe.
    pub fn wait(&self) {
        lock(&self.gate).due = self.journal.next();
    }

    /// After the call that is noted.
    pub fn note(&self, server: &S, event: &Event<'_>) {
        let (number, length) = self.journal.note(self.table, (self.ways.sum)(server), event);
        lock(&self.gate).last = number;
        self.noted.fetch_add(length, Relaxed);
    }

    /// After a call: what it led to is sent when its cause is safe. Where it changed nothing, that is when everything
    /// before is. A snapshot is taken if it is time.
    pub fn settle(&self, server: &mut S, now: impl FnOnce() -> Millis) {
        let produced = server.produced();
        if self.journal.is_strict() {
            let mut gate = lock(&self.gate);
            if produced.has_changed_since(gate.seen) {
                gate.due = gate.last + 1;
                self.journal.promise(self.table, produced);
            } else if gate.due <= self.journal.safe() && !self.journal.is_lost() {
                server.release(produced);
            }
            gate.seen = produced;
        } else {
            server.release(produced);
        }
        if self.noted.load(Relaxed) > SNAPSHOT_AFTER {
            self.snapshot(server, now());
        }
    }

    /// Everything before the record `next` is safe; by then the table had said what `upto` says.
    pub fn release(&self, server: &mut S, upto: Seq, next: u64) {
        let is_settled = lock(&self.gate).due <= next;
        server.release(if is_settled { server.produced() } else { upto });
    }

    /// Copies the table; the rest is done elsewhere.
    pub fn snapshot(&self, server: &S, now: Millis) {
        let start = Instant::now();
        self.noted.store(0, Relaxed);
        let frost = (self.ways.copy)(server);
        self.journal.ask(Job { table: self.table, next: self.journal.next(), now, frost });
        self.journal.figures.held(start.elapsed());
    }

    pub fn link(&self, server: &S, slot: u16) -> Option<Link> {
        (self.ways.link)(server, slot)
    }

    pub fn frozen(&self, server: &S) -> Vec<u8> {
        (self.ways.copy)(server)()
    }
}

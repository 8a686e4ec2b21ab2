//! The journal in figures.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::Failing;

/// Upper bounds of a wait, in microseconds.
pub const BOUNDS: [u64; 10] = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 250_000, 1_000_000];

#[derive(Default)]
pub struct Figures {
    pub bytes: AtomicU64,
    pub records: AtomicU64,
    pub syncs: AtomicU64,
    /// From the first record of a batch to its safety: all of it, and how many waits ended below each bound.
    pub waited_micros: AtomicU64,
    pub waits: [AtomicU64; BOUNDS.len()],
    pub snapshots: AtomicU64,
    /// The longest that a snapshot held a table, in nanoseconds.
    pub held_nanos: AtomicU64,
    /// How often a connection waited because too much was noted.
    pub full: AtomicU64,
    pub failures: AtomicU64,
    pub failing: Failing,
}

impl Figures {
    pub(super) fn synced(&self, records: u64, bytes: usize, wait: Duration) {
        let micros = wait.as_micros() as u64;
        self.syncs.fetch_add(1, Relaxed);
        self.records.fetch_add(records, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
        self.waited_micros.fetch_add(micros, Relaxed);
        for (count, bound) in self.waits.iter().zip(BOUNDS) {
            if micros <= bound {
                count.fetch_add(1, Relaxed);
            }
        }
    }

    pub(super) fn held(&self, time: Duration) {
        self.held_nanos.fetch_max(time.as_nanos() as u64, Relaxed);
    }

    /// Counts those of another journal too.
    pub fn add(&self, other: &Self) {
        let Self { bytes, records, syncs, waited_micros, waits, snapshots, held_nanos, full, failures, failing } =
            other;
        let sums = [
            (&self.bytes, bytes),
            (&self.records, records),
            (&self.syncs, syncs),
            (&self.waited_micros, waited_micros),
            (&self.snapshots, snapshots),
            (&self.full, full),
            (&self.failures, failures),
        ];
        for (sum, count) in sums.into_iter().chain(self.waits.iter().zip(waits)) {
            sum.fetch_add(count.load(Relaxed), Relaxed);
        }
        self.held_nanos.fetch_max(held_nanos.load(Relaxed), Relaxed);
        self.failing.fetch_or(failing.load(Relaxed), Relaxed);
    }

    pub fn is_failing(&self) -> bool {
        self.failing.load(Relaxed)
    }
}

//! How tables and the writer hear of each other while a runtime serves the tables.
//!
//! A table that has something to say does not wake the writer itself: the writer would begin with that one record, and what
//! the next connection says a moment later would wait for two syncs. A task tells it as soon as every connection that was
//! ready has been served, so all of that shares a sync. A writer that is at work takes what has come when it is done, and
//! waits for no task: there may be thousands before it. What is safe is released by a task: the writer never waits for a table
//! that a connection holds, and begins with the next batch at once.
//!
//! Without a runtime, in tests that are the writer themselves, both happen in the call itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use parlor_core::server::Seq;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, yield_now};

use super::{Awaits, Journal, lock};
use crate::task::boxed;

#[derive(Default)]
pub(super) struct GroupCommit {
    /// Tasks carry the word.
    is_served: AtomicBool,
    /// A table has something to say, and the writer was not told yet.
    promised: Notify,
    /// Something is safe, and not yet released.
    committed: Notify,
    safe: Mutex<Safe>,
}

/// What may be released.
#[derive(Default)]
struct Safe {
    /// How far each table may speak.
    promises: BTreeMap<u32, Seq>,
    /// The record after the last one that is safe.
    next: u64,
}

impl GroupCommit {
    /// The tasks; they end when they are aborted. `None`: there is no runtime.
    pub fn serve(journal: &Arc<Journal>) -> Option<[AbortHandle; 2]> {
        let runtime = Handle::try_current().ok()?;
        journal.group_commit.is_served.store(true, Relaxed);
        let gather = runtime.spawn(boxed(gather(journal.clone())));
        let release = runtime.spawn(boxed(release(journal.clone())));
        Some([gather.abort_handle(), release.abort_handle()])
    }

    /// From now on each table tells the writer itself.
    pub fn end(journal: &Journal) {
        journal.group_commit.is_served.store(false, Relaxed);
        journal.group_commit.release(journal);
    }

    /// A table has something to say, and the writer has nothing to do.
    pub fn promised(&self, journal: &Journal) {
        if self.is_served.load(Relaxed) {
            self.promised.notify_one();
        } else {
            journal.hurry();
        }
    }

    /// Everything before the record `next` is safe, and what these tables had said by then.
    pub fn committed(&self, journal: &Journal, promises: &BTreeMap<u32, Seq>, next: u64) {
        {
            let mut safe = lock(&self.safe);
            safe.promises.extend(promises);
            safe.next = next;
        }
        if self.is_served.load(Relaxed) {
            self.committed.notify_one();
        } else {
            self.release(journal);
        }
    }

    fn release(&self, journal: &Journal) {
        let Safe { promises, next } = std::mem::take(&mut *lock(&self.safe));
        for (table, upto) in promises {
            let kept = lock(&journal.members).get(&table).and_then(super::Member::kept);
            if let Some(kept) = kept {
                kept.release(upto, next);
            }
        }
    }
}

async fn gather(journal: Arc<Journal>) {
    loop {
        journal.group_commit.promised.notified().await;
        // Connections that are ready now come first.
        yield_now().await;
        // Unless it was told meanwhile, for another table.
        if lock(&journal.queue).awaits == Awaits::Gathering {
            journal.hurry();
        }
    }
}

async fn release(journal: Arc<Journal>) {
    loop {
        journal.group_commit.committed.notified().await;
        journal.group_commit.release(&journal);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    use parlor_core::server::Millis;

    use super::super::simulated::{Memory, Simulated};
    use super::super::{Event, Kept, Store, TableMeta, Threads, restore};
    use super::*;
    use crate::table_id::TableId;

    const TICK: Event<'_> = Event::Tick { now: Millis(1) };

    fn begin(memory: &Memory) -> (Arc<Journal>, Threads) {
        let store: Arc<dyn Store> = Arc::new(Simulated::new(memory));
        store.take().unwrap();
        let journal = Journal::resume(true, &restore::House::default());
        let threads = Threads::start(&journal, &store).unwrap();
        (journal, threads)
    }

    #[tokio::test]
    async fn whoever_is_ready_shares_a_sync() {
        let memory = Memory::default();
        let (journal, threads) = begin(&memory);
        while lock(&journal.queue).awaits != Awaits::Anything {
            std::thread::sleep(Duration::from_millis(1));
        }
        let speak = |table| {
            let journal = journal.clone();
            tokio::spawn(async move {
                journal.note(table, 0, &TICK);
                journal.promise(table, Seq::default());
                // A writer that was told by then would have begun.
                std::thread::sleep(Duration::from_millis(20));
            })
        };
        let speakers: Vec<_> = (0..4).map(speak).collect();
        for speaker in speakers {
            speaker.await.unwrap();
        }
        while journal.lag() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(memory.writers(), [(0, 1)]);
        journal.stop();
        assert!(threads.join());
    }

    /// A table that a connection holds.
    #[derive(Default)]
    struct Held {
        by: Mutex<()>,
        released: AtomicU64,
    }

    impl Kept for Held {
        fn release(&self, _: Seq, next: u64) {
            let _own = lock(&self.by);
            self.released.fetch_max(next, Relaxed);
        }
        fn snapshot(&self) {}
        fn begin_anew(&self) {}
        fn lose(&self) {}
    }

    #[test]
    fn the_writer_waits_for_no_table_and_each_is_released_in_the_end() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let _runtime = runtime.enter();
        let (journal, threads) = begin(&Memory::default());
        let table = Arc::new(Held::default());
        let kept: Weak<dyn Kept> = Arc::<Held>::downgrade(&table);
        let meta = TableMeta { game: "game".into(), house: true, port: None };
        journal.admit((TableId::new("game", 1), 0), kept, meta, Millis(0), Vec::new);
        let held = lock(&table.by);
        for _ in 0..2 {
            journal.note(0, 0, &TICK);
            journal.promise(0, Seq::default());
            let flush = tokio::time::timeout(Duration::from_secs(20), journal.flush());
            assert_eq!(runtime.block_on(flush), Ok(true), "the writer waits for the table");
        }
        assert_eq!(table.released.load(Relaxed), 0);
        drop(held);
        journal.stop();
        assert!(threads.join());
        // By the task, which may be at it still, or by the end of it.
        let end = std::time::Instant::now() + Duration::from_secs(20);
        while table.released.load(Relaxed) < 3 && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(table.released.load(Relaxed), 3);
    }
}

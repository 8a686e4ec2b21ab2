//! The thread that writes: everything noted meanwhile, one append, then the tables speak.
//!
//! A batch that may not have been written is written again until it was. Where a store has lost what was safe, the
//! tables still know how they stand, and say so: no client was told what they do not know. Until then nothing is
//! released. Where another process writes now, nothing is ever released again, and every table is closed.

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::store::{Append, Store};
use super::{Awaits, Journal, LAZY, Pending, lock};

/// After so many bytes, idle tables get a snapshot too, unless told otherwise.
const REFRESH: u64 = 8 << 20;
/// How long to wait before a batch is tried again.
const PAUSE: Duration = Duration::from_millis(500);
/// How often it is tried again once the process wants to end.
const LAST_TRIES: u32 = 4;

pub struct Writer {
    journal: Arc<Journal>,
    store: Arc<dyn Store>,
    refresh: u64,
    /// The shortest time from one batch to the next: what comes meanwhile shares it.
    linger: Duration,
    /// When the last batch was begun.
    begun: Option<Instant>,
    /// Bytes written since tables were refreshed.
    written: u64,
    /// The record before which tables were refreshed last.
    refreshed: u64,
    /// What could not be written yet.
    pending: Option<Pending>,
}

impl Writer {
    pub fn new(journal: Arc<Journal>, store: Arc<dyn Store>) -> Self {
        let (linger, begun) = (Duration::ZERO, None);
        Self { journal, store, refresh: REFRESH, linger, begun, written: 0, refreshed: 0, pending: None }
    }

    /// Batches follow each other no sooner than this. One that comes alone is written at once.
    pub fn with_linger(self, linger: Duration) -> Self {
        Self { linger, ..self }
    }

    /// Tables are refreshed after so many bytes.
    pub fn with_refresh(self, refresh: u64) -> Self {
        Self { refresh, ..self }
    }

    /// Writes what there is to write; `Ok(false)`: nothing.
    pub fn round(&mut self) -> io::Result<bool> {
        let Some(pending) = self.pending.take().or_else(|| self.journal.take_batch()) else { return Ok(false) };
        let is_nothing = pending.batch.bytes.is_empty();
        match if is_nothing { Append::Safe } else { self.store.append(&pending.batch) } {
            Append::Safe => {}
            Append::Unsure(error) => {
                self.pending = Some(pending);
                self.complain(&error);
                return Err(error);
            }
            Append::Gone => {
                tracing::error!("the store has lost what it had kept: how every table stands is written to it anew");
                self.journal.figures.failures.fetch_add(1, Relaxed);
                self.journal.write_anew(pending);
                return Ok(true);
            }
            Append::Fenced => {
                tracing::error!("another process keeps these games now: nothing more is said here");
                self.journal.lose();
                return Ok(false);
            }
        }
        let (figures, batch) = (&self.journal.figures, &pending.batch);
        figures.synced(batch.next - batch.first, batch.bytes.len(), pending.since.elapsed());
        if figures.failing.swap(false, Relaxed) {
            tracing::info!("the journal can be written again");
        }
        self.journal.commit(&pending);
        self.written += batch.bytes.len() as u64;
        if self.written > self.refresh {
            let before = std::mem::replace(&mut self.refreshed, batch.next);
            self.written = 0;
            self.journal.refresh(before);
        }
        Ok(true)
    }

    /// Until the journal is stopped; `false` if something could not be written.
    pub fn run(&mut self) -> bool {
        let mut last_tries = LAST_TRIES;
        loop {
            if self.pending.is_none() {
                self.wait();
                self.wait_for_others();
                self.begun = Some(Instant::now());
            }
            match self.round() {
                Ok(_) if self.journal.is_lost() => return false,
                Ok(_) if self.journal.is_stopping() && self.journal.is_written() => {
                    self.store.rest();
                    return true;
                }
                Ok(_) => {}
                Err(_) => {
                    if self.journal.is_stopping() {
                        last_tries -= 1;
                        if last_tries == 0 {
                            return false;
                        }
                    }
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// A connection waits; but soon after the last batch others will, too.
    fn wait_for_others(&self) {
        let mut queue = lock(&self.journal.queue);
        while !queue.stop
            && let Some(left) = self.begun.and_then(|begun| self.linger.checked_sub(begun.elapsed()))
            && !left.is_zero()
        {
            queue = self.journal.stirred.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn complain(&self, error: &io::Error) {
        let figures = &self.journal.figures;
        figures.failures.fetch_add(1, Relaxed);
        if !figures.failing.swap(true, Relaxed) {
            tracing::error!(%error, "the journal can't be written: nothing is sent until it can. Is the disk full?");
        }
    }

    /// Until a connection waits for something, or something has waited long enough.
    fn wait(&self) {
        let mut queue = lock(&self.journal.queue);
        while !queue.urgent && !queue.stop {
            let waited = queue.since.map(|since| since.elapsed());
            queue.awaits = if waited.is_some() { Awaits::Urgent } else { Awaits::Anything };
            match waited {
                Some(waited) if waited >= LAZY => return,
                Some(waited) => {
                    let left = LAZY - waited;
                    let woken = self.journal.stirred.wait_timeout(queue, left);
                    queue = woken.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => queue = self.journal.stirred.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Memory, Simulated};
    use super::super::{Event, restore};
    use super::*;
    use parlor_core::server::Millis;

    #[tokio::test]
    async fn one_who_comes_alone_is_served_at_once_and_the_next_waits_for_others() {
        let memory = Memory::default();
        let store = Arc::new(Simulated::new(&memory));
        store.take().unwrap();
        let journal = Journal::resume_shared(&restore::House::default());
        let mut writer = Writer::new(journal.clone(), store).with_linger(Duration::from_secs(3600));
        let thread = std::thread::spawn(move || writer.run());
        let note = || _ = journal.note(1, 0, &Event::Tick { now: Millis(1) });
        note();
        assert!(journal.flush().await);
        for _ in 0..3 {
            note();
            journal.hurry();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!((journal.lag(), memory.writers().len()), (3, 1), "they did not wait");
        // An end waits for no one, and loses nothing.
        journal.stop();
        assert!(thread.join().unwrap());
        assert_eq!((journal.lag(), memory.writers().len()), (0, 2));
    }
}

//! The thread that writes: everything noted meanwhile, one write, one sync, then the tables speak.
//!
//! A write or a sync that fails leaves the file in an unknown state, and a second sync of it may lie. So the batch is
//! written again to a segment of its own, until that works; whoever reads takes, of two records with one number, the one
//! of the later segment. Until then nothing is released.

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::disk::{Disk, Sheet};
use super::{Batch, Journal, LAZY, lock, record};

/// A segment is closed when it is longer, unless told otherwise.
const SEGMENT: u64 = 8 << 20;
/// How long to wait before a batch is tried again.
const PAUSE: Duration = Duration::from_millis(500);
/// How often it is tried again once the process wants to end.
const LAST_TRIES: u32 = 4;

pub struct Writer {
    journal: Arc<Journal>,
    disk: Arc<dyn Disk>,
    segment: Option<Box<dyn Sheet>>,
    length: u64,
    longest: u64,
    /// Where the current segment begins.
    first: u64,
    /// What could not be written yet.
    pending: Option<Batch>,
}

/// The name of a segment.
pub fn name(first: u64) -> String {
    format!("{first:016x}.log")
}

/// The number in a segment's name.
pub fn number(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_suffix(".log")?, 16).ok()
}

impl Writer {
    pub fn new(journal: Arc<Journal>, disk: Arc<dyn Disk>) -> Self {
        Self { journal, disk, segment: None, length: 0, longest: SEGMENT, first: 0, pending: None }
    }

    /// Segments of this length.
    pub fn with_segments(self, longest: u64) -> Self {
        Self { longest, ..self }
    }

    /// Writes what there is to write; `Ok(false)`: nothing.
    pub fn round(&mut self) -> io::Result<bool> {
        let batch = match self.pending.take() {
            Some(batch) => batch,
            None => {
                let journal = self.journal.clone();
                match journal.take_batch(&mut lock(&journal.queue)) {
                    Some(batch) => batch,
                    None => return Ok(false),
                }
            }
        };
        if let Err(error) = self.write(&batch) {
            self.segment = None;
            self.pending = Some(batch);
            self.complain(&error);
            return Err(error);
        }
        let figures = &self.journal.figures;
        figures.synced(batch.next - batch.first, batch.bytes.len(), batch.since.elapsed());
        if figures.failing.swap(false, Relaxed) {
            tracing::info!("the journal can be written again");
        }
        self.journal.commit(&batch);
        Ok(true)
    }

    fn write(&mut self, batch: &Batch) -> io::Result<()> {
        if batch.bytes.is_empty() {
            return Ok(());
        }
        if let Some(segment) = self.segment.as_mut().filter(|_| self.length < self.longest) {
            segment.write(&batch.bytes)?;
            segment.sync()?;
            self.length += batch.bytes.len() as u64;
            return Ok(());
        }
        let before = self.first;
        self.segment = None;
        let mut segment = self.disk.create(&format!("journal/{}", name(batch.first)))?;
        segment.write(&record::head(batch.first))?;
        segment.write(&batch.bytes)?;
        segment.sync()?;
        self.disk.sync_folder("journal")?;
        self.segment = Some(segment);
        self.length = (record::HEAD + batch.bytes.len()) as u64;
        self.first = batch.first;
        self.refresh(before);
        Ok(())
    }

    /// Tables that nobody plays at would keep old segments for ever: they get a snapshot too.
    fn refresh(&self, before: u64) {
        let stale: Vec<_> = {
            let members = lock(&self.journal.members);
            members.values().filter(|member| member.points[0] < before).filter_map(|m| m.kept.upgrade()).collect()
        };
        stale.iter().for_each(|kept| kept.snapshot());
    }

    /// Until the journal is stopped; `false` if something could not be written.
    pub fn run(&mut self) -> bool {
        let mut last_tries = LAST_TRIES;
        loop {
            if self.pending.is_none() {
                self.wait();
            }
            match self.round() {
                Ok(_) if self.journal.is_stopping() && lock(&self.journal.queue).bytes.is_empty() => return true,
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

    fn complain(&self, error: &io::Error) {
        let figures = &self.journal.figures;
        figures.failures.fetch_add(1, Relaxed);
        if !figures.failing.swap(true, Relaxed) {
            tracing::error!(%error, "the journal can't be written: nothing is sent until it can. Is the disk full?");
        }
    }

    /// Until somebody waits for something, or something has waited long enough.
    fn wait(&self) {
        let mut queue = lock(&self.journal.queue);
        while !queue.urgent && !queue.stop {
            let waited = queue.since.map(|since| since.elapsed());
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
    use super::*;

    #[test]
    fn a_segment_is_named_by_its_first_record() {
        assert_eq!(name(0x1f), "000000000000001f.log");
        assert_eq!(number(&name(77)), Some(77));
        assert_eq!(number("77.snap"), None);
    }
}

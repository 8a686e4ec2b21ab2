//! Snapshots: tables as they stood before a record, so that older records can go.
//!
//! A snapshot is kept only when every record before it is safe. The last two of each table are kept, and every record
//! since the older one.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use parlor_core::server::Millis;
use serde::{Deserialize, Serialize};

use super::record::crc;
use super::store::Store;
use super::{DeferredFreeze, Journal, TableMeta, lock};
use crate::table_id::TableId;

/// What a snapshot begins with; its version and a checksum of the rest follow.
pub const WORD: &[u8; 16] = b"parlor snapshot ";
/// Goes with that of the log.
pub const VERSION: u8 = super::record::VERSION;
/// What its name ends with.
pub const ENDING: &str = ".snap";

/// So many snapshots are written at most before what they make useless is looked for, which means a look at all there are.
const CLEAR_AFTER: u32 = 64;

/// A snapshot to be written.
pub struct Job {
    /// The table's index in the log.
    pub table: u32,
    /// The first record that is not in it.
    pub next: u64,
    pub now: Millis,
    pub freeze: DeferredFreeze,
}

/// What a snapshot holds.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot<'a> {
    /// The table's index in the log.
    pub table: u32,
    /// The table's number among its game's.
    pub number: u32,
    /// The first record that is not in it.
    pub next: u64,
    pub meta: TableMeta,
    pub now: Millis,
    pub state: &'a [u8],
}

impl<'a> Snapshot<'a> {
    pub fn encode(&self) -> Vec<u8> {
        let start = [&WORD[..], &[VERSION], &[0; 4]].concat();
        // Only a serializer that runs out of room fails, and a vector has room.
        let mut bytes = postcard::to_extend(self, start).unwrap_or_default();
        if let Some((head, body)) = bytes.split_at_mut_checked(WORD.len() + 5) {
            head[WORD.len() + 1..].copy_from_slice(&crc(&[body]).to_le_bytes());
        }
        bytes
    }

    /// `None`: it is damaged, or of another version.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(WORD)?.strip_prefix(&[VERSION])?;
        let (sum, body) = rest.split_first_chunk::<4>()?;
        if u32::from_le_bytes(*sum) != crc(&[body]) {
            return None;
        }
        postcard::from_bytes(body).ok()
    }
}

/// The name of a snapshot.
pub fn name(TableId { game, number }: TableId, next: u64) -> String {
    format!("{game}.{number}.{next:016x}{ENDING}")
}

/// Game, table and record in a snapshot's name.
pub fn parse(name: &str) -> Option<(&str, u32, u64)> {
    let mut words = name.strip_suffix(ENDING)?.split('.');
    let (game, number, next) = (words.next()?, words.next()?, words.next()?);
    let next = u64::from_str_radix(next, 16).ok()?;
    words.next().is_none().then_some((game, number.parse().ok()?, next))
}

impl Journal {
    /// A snapshot is to be written; one of the same table that still waits is not needed any more.
    pub(super) fn ask(&self, job: Job) {
        let mut jobs = lock(&self.jobs);
        jobs.retain(|other| other.table != job.table);
        jobs.push(job);
        self.jobs_stirred.notify_one();
    }
}

pub struct Archivist {
    journal: Arc<Journal>,
    store: Arc<dyn Store>,
    /// Snapshots written since it was cleared.
    written: AtomicU32,
}

impl Archivist {
    pub fn new(journal: Arc<Journal>, store: Arc<dyn Store>) -> Self {
        Self { journal, store, written: AtomicU32::new(0) }
    }

    /// Writes one snapshot whose records are safe; `Ok(false)`: there is none.
    pub fn round(&self) -> io::Result<bool> {
        if self.journal.is_lost() {
            return Ok(false);
        }
        let (job, is_last) = {
            let (mut jobs, safe) = (lock(&self.journal.jobs), self.journal.safe());
            let mut due = (0..).zip(&*jobs).filter(|(_, job)| job.next <= safe).map(|(at, _)| at);
            let Some(at) = due.next() else { return Ok(false) };
            let is_last = due.next().is_none();
            (jobs.remove(at), is_last)
        };
        self.write(job)?;
        if is_last || self.written.load(Relaxed) >= CLEAR_AFTER {
            self.written.store(0, Relaxed);
            self.clear()?;
        }
        Ok(true)
    }

    fn write(&self, job: Job) -> io::Result<()> {
        let Job { table, next, now, freeze } = job;
        let known = lock(&self.journal.members).get(&table).map(|member| (member.id, member.meta.clone()));
        let Some((id, meta)) = known else { return Ok(()) };
        let state = freeze();
        let snapshot = Snapshot { table, number: id.number, next, meta, now, state: &state };
        self.store.keep(&name(id, next), &snapshot.encode())?;
        self.journal.figures.snapshots.fetch_add(1, Relaxed);
        if let Some(member) = lock(&self.journal.members).get_mut(&table) {
            member.points = [member.points[1], next];
        }
        self.written.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Throws away what no table needs.
    fn clear(&self) -> io::Result<()> {
        // By table, the older of its two points.
        let points: BTreeMap<(&str, u32), u64> = {
            let members = lock(&self.journal.members);
            members.values().map(|member| ((member.id.game, member.id.number), member.points[0])).collect()
        };
        let least = points.values().min().copied().unwrap_or_default();
        let is_needed = |name: &str| {
            let needed = |(game, number, next)| points.get(&(game, number)).is_some_and(|point| next >= *point);
            parse(name).is_none_or(needed)
        };
        self.store.trim(least, &is_needed)
    }

    /// Until the journal is stopped.
    pub fn run(&self) {
        loop {
            match self.round() {
                Ok(true) => {}
                Ok(false) if self.journal.is_stopping() => return,
                Ok(false) => {
                    let jobs = lock(&self.journal.jobs);
                    // One that waits for its records may become due between the look and the wait: look again soon.
                    let long = if jobs.is_empty() { Duration::from_secs(3600) } else { Duration::from_millis(100) };
                    drop(self.journal.jobs_stirred.wait_timeout(jobs, long).unwrap_or_else(PoisonError::into_inner));
                }
                Err(error) => tracing::warn!(%error, "a snapshot can't be written; the journal goes on without it"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_snapshot_is_none() {
        let meta = TableMeta { game: "pimp".into(), house: true, port: None };
        let snapshot = Snapshot { table: 3, number: 4, next: 9, meta, now: Millis(5), state: &[1, 2, 3] };
        let bytes = snapshot.encode();
        assert_eq!(Snapshot::decode(&bytes), Some(snapshot));
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Snapshot::decode(&bytes).is_none());
        }
    }

    #[test]
    fn a_snapshot_is_named_by_its_table_and_the_record_after_it() {
        let id = TableId::new("pimp-lobby", 3);
        assert_eq!(name(id, 255), "pimp-lobby.3.00000000000000ff.snap");
        assert_eq!(parse(&name(id, 255)), Some(("pimp-lobby", 3, 255)));
        assert_eq!([parse("pimp.3.00.snap.new"), parse("3.00.snap"), parse("a.3.00.1.snap")], [None; 3]);
    }
}

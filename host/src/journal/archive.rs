//! Snapshots: tables as they stood before a record, in files of their own, so that older records can go.
//!
//! A snapshot is written under another name, synced and renamed, and only when every record before it is safe. The last
//! two of each table are kept, and every record since the older one.

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use parlor_core::server::Millis;
use serde::{Deserialize, Serialize};

use super::disk::{Disk, write_whole};
use super::record::crc;
use super::{Card, Frost, Journal, lock, writer};

/// What a snapshot begins with; a checksum of the rest follows.
const WORD: &[u8; 17] = b"parlor snapshot 1";

/// A snapshot to be written.
pub struct Job {
    pub table: u32,
    /// The first record that is not in it.
    pub number: u64,
    pub now: Millis,
    pub frost: Frost,
}

/// What a snapshot holds.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot<'a> {
    pub table: u32,
    pub number: u64,
    pub card: Card,
    pub now: Millis,
    pub gated: bool,
    pub state: &'a [u8],
}

impl<'a> Snapshot<'a> {
    fn encode(&self) -> Vec<u8> {
        let start = [&WORD[..], &[0; 4]].concat();
        // Only a serializer that runs out of room fails, and a vector has room.
        let mut bytes = postcard::to_extend(self, start).unwrap_or_default();
        if let Some((head, body)) = bytes.split_at_mut_checked(WORD.len() + 4) {
            head[WORD.len()..].copy_from_slice(&crc(&[body]).to_le_bytes());
        }
        bytes
    }

    /// `None`: it is damaged, or of another version.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (sum, body) = bytes.strip_prefix(WORD)?.split_first_chunk::<4>()?;
        if u32::from_le_bytes(*sum) != crc(&[body]) {
            return None;
        }
        postcard::from_bytes(body).ok()
    }
}

/// The name of a snapshot.
pub fn name(table: u32, number: u64) -> String {
    format!("{table}.{number:016x}.snap")
}

/// Table and number in a snapshot's name.
pub fn parse(name: &str) -> Option<(u32, u64)> {
    let (table, number) = name.strip_suffix(".snap")?.split_once('.')?;
    Some((table.parse().ok()?, u64::from_str_radix(number, 16).ok()?))
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
    disk: Arc<dyn Disk>,
}

impl Archivist {
    pub fn new(journal: Arc<Journal>, disk: Arc<dyn Disk>) -> Self {
        Self { journal, disk }
    }

    /// Writes one snapshot whose records are safe; `Ok(false)`: there is none.
    pub fn round(&self) -> io::Result<bool> {
        let job = {
            let (mut jobs, safe) = (lock(&self.journal.jobs), *self.journal.safe.borrow());
            let Some(at) = jobs.iter().position(|job| job.number <= safe) else { return Ok(false) };
            jobs.remove(at)
        };
        self.write(job)?;
        Ok(true)
    }

    fn write(&self, job: Job) -> io::Result<()> {
        let Job { table, number, now, frost } = job;
        let Some(card) = lock(&self.journal.members).get(&table).map(|member| member.card.clone()) else {
            return Ok(());
        };
        let state = frost();
        let snapshot = Snapshot { table, number, card, now, gated: self.journal.strict, state: &state };
        write_whole(&*self.disk, "tables", &name(table, number), &snapshot.encode())?;
        self.journal.figures.snapshots.fetch_add(1, Relaxed);
        if let Some(member) = lock(&self.journal.members).get_mut(&table) {
            member.points = [member.points[1], number];
        }
        self.clear()
    }

    /// Throws away what no table needs.
    fn clear(&self) -> io::Result<()> {
        let (points, least) = {
            let members = lock(&self.journal.members);
            let points: Vec<_> = members.iter().map(|(table, member)| (*table, member.points)).collect();
            (points, members.values().map(|member| member.points[0]).min().unwrap_or_default())
        };
        for name in self.disk.list("tables")? {
            let Some((table, number)) = parse(&name) else { continue };
            let kept = |(of, points): &(u32, [u64; 2])| *of == table && number >= points[0];
            if !points.iter().any(kept) {
                self.disk.remove(&format!("tables/{name}"))?;
            }
        }
        let mut segments: Vec<u64> =
            self.disk.list("journal")?.iter().filter_map(|name| writer::number(name)).collect();
        segments.sort_unstable();
        for pair in segments.windows(2) {
            if pair[1] <= least {
                self.disk.remove(&format!("journal/{}", writer::name(pair[0])))?;
            }
        }
        Ok(())
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
        let card = Card { game: "pimp".into(), house: true, port: None };
        let snapshot = Snapshot { table: 3, number: 9, card, now: Millis(5), gated: true, state: &[1, 2, 3] };
        let bytes = snapshot.encode();
        assert_eq!(Snapshot::decode(&bytes), Some(snapshot));
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Snapshot::decode(&bytes).is_none());
        }
        assert_eq!(parse(&name(3, 255)), Some((3, 255)));
        assert_eq!(parse("3.00.snap.new"), None);
    }
}

//! Where a journal is kept: one log of records in their order, written in batches, and whole files beside it, of which
//! a snapshot is one. The disk of this machine is one such place ([`super::FileStore`]); a log that several machines
//! keep is another, so nothing here speaks of files, and a store may say that another process writes now.

use std::fmt;
use std::io;

use super::disk::{Disk, write_whole};

/// What is written at once. It is safe as a whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Blocks, as [`super::record::Records`] reads them.
    pub bytes: Vec<u8>,
    /// The number of the first record.
    pub first: u64,
    /// The number of the record after the last.
    pub next: u64,
}

/// What became of a batch.
#[derive(Debug)]
pub enum Append {
    /// It is there for good.
    Safe,
    /// Another process writes here: nothing of ours will ever be safe again.
    Fenced,
    /// It may be there or not: the same batch is to be appended again until it is known.
    Unsure(io::Error),
    /// It is not there, and what was safe before it is not all there any more: the store has lost what it had said it
    /// kept. The process, which knows how the tables stand, is to say so anew.
    Gone,
}

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    Snapshot(String),
    /// Of the part of the log that begins with `first`, so many bytes are good; `None`: all, but a table says something
    /// else than it said.
    Part {
        first: u64,
        good: Option<usize>,
    },
    /// The part of the log that begins with this record is not there.
    Missing(u64),
}

/// Why a store can't be had.
#[derive(Debug)]
pub enum StoreError {
    /// Another process has it.
    Taken,
    /// Something in it was written by another version; what that is and what can be done, in a sentence.
    Version(String),
    Io(io::Error),
}

impl StoreError {
    /// `what` was written by another version.
    pub fn other_version(what: &str) -> Self {
        Self::Version(format!(
            "it holds games that another version of parlor wrote ({what}), and this one does not read them: \
             finish them with the parlor that wrote them, or give this one another directory (--data DIR)"
        ))
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken => f.write_str("another process keeps its games there"),
            Self::Version(text) => f.write_str(text),
            Self::Io(error) => error.fmt(f),
        }
    }
}

/// What is kept, to be read.
pub trait Source {
    /// The parts of the log, by the number of the first record of each, in order. Two may overlap: then the later one is
    /// right.
    fn parts(&self) -> io::Result<Vec<u64>>;
    /// One part, as [`super::record::Records`] reads it.
    fn part(&self, first: u64) -> io::Result<Vec<u8>>;
    /// Parts that must be there, by the number of the first record of each, where the store knows it.
    fn listed(&self) -> io::Result<Vec<u64>> {
        Ok(Vec::new())
    }
    /// The names of the snapshots, in no order.
    fn snapshots(&self) -> io::Result<Vec<String>>;
    fn snapshot(&self, name: &str) -> io::Result<Vec<u8>>;
}

/// Where a journal is written.
pub trait Store: Source + Send + Sync {
    /// No other process writes here from now on. Where it fails, nothing was changed.
    fn take(&self) -> Result<(), StoreError>;
    /// Adds to the log, behind everything that is safe.
    fn append(&self, batch: &Batch) -> Append;
    /// Keeps a snapshot, whole or not at all.
    fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Lets go of all snapshots but some, and of the parts of the log that end before this record.
    fn trim(&self, before: u64, is_needed: &dyn Fn(&str) -> bool) -> io::Result<()>;
    /// Something is damaged: it is kept where it is not read, and taken out of the way. Whether that works or not, the
    /// process goes on.
    fn put_aside(&self, damage: &Damage);
    /// No more is written for now: room that was set aside is given back.
    fn rest(&self) {}
}

/// What is kept beside a journal under a name of its own: a lobby's seed, the bots' key, games saved by name. Each is
/// there whole or not at all.
pub trait Cabinet: Send + Sync {
    /// `NotFound` where there is none.
    fn get(&self, folder: &str, name: &str) -> io::Result<Vec<u8>>;
    /// It is safe when this returns.
    fn put(&self, folder: &str, name: &str, bytes: &[u8]) -> io::Result<()>;
    fn throw_away(&self, folder: &str, name: &str) -> io::Result<()>;
}

impl<D: Disk + ?Sized> Cabinet for D {
    fn get(&self, folder: &str, name: &str) -> io::Result<Vec<u8>> {
        self.read(&format!("{folder}/{name}"))
    }

    fn put(&self, folder: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.make_folder(folder)?;
        write_whole(self, folder, name, bytes)
    }

    fn throw_away(&self, folder: &str, name: &str) -> io::Result<()> {
        self.remove(&format!("{folder}/{name}"))
    }
}

//! The journal in files of this machine:
//!
//! - `journal/NUMBER.log`: segments of the log, named by the number of their first record ([`super::record`]).
//! - `tables/GAME.TABLE.NUMBER.snap`: snapshots ([`super::archive`]).
//! - `tables/segments`: which segments there must be. One that is written to is named there until it is not needed; so
//!   one that is missing or empty is noticed.
//! - `tables/spare`: the next segment, made ahead: it can be had when the system has no file left.
//! - `damaged/`: what could not be read when the process was started, for a look at the cause.
//! - `lock`: its holder writes here.
//!
//! A write or a sync that fails leaves the file in an unknown state, and a second sync of it may lie. So a batch that
//! failed is written again to a segment of its own; a reader takes, of two records with one number, the one of the
//! later segment. Room is set aside ahead of what is written: then a sync need not wait for the file system to note
//! that the file has grown.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};

use super::disk::{Disk, Sheet, write_whole};
use super::store::{Append, Batch, Damage, Source, Store, StoreError};
use super::{archive, lock, record};
use crate::quiet::warn_seldom;

/// A segment is closed when it is longer, unless told otherwise.
const SEGMENT: u64 = 8 << 20;
/// Room that is set aside at once.
const AHEAD: u64 = 256 << 10;

/// The segment that is being written.
struct Segment {
    sheet: Box<dyn Sheet>,
    length: u64,
    reserved: u64,
}

pub struct FileStore {
    disk: Arc<dyn Disk>,
    longest: u64,
    segment: Mutex<Option<Segment>>,
    spare: Mutex<Option<Box<dyn Sheet>>>,
    /// The segments that must be there, by their first records, once they were read.
    listed: Mutex<Option<BTreeSet<u64>>>,
}

/// Beside the snapshots, which are told by their ending.
const FOLDER: &str = "tables";
const LIST: &str = "segments";
const SPARE: &str = "tables/spare";
/// The first line of the list, with its version.
const WORD: &str = "parlor segments 1";
/// It without the version.
const ANY_VERSION: &str = "parlor segments ";

/// The name of a segment.
pub fn name(first: u64) -> String {
    format!("{first:016x}.log")
}

/// The number in a segment's name.
pub fn number(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_suffix(".log")?, 16).ok()
}

fn path(first: u64) -> String {
    format!("journal/{}", name(first))
}

impl FileStore {
    pub fn new(disk: Arc<dyn Disk>) -> Self {
        Self { disk, longest: SEGMENT, segment: Mutex::default(), spare: Mutex::default(), listed: Mutex::default() }
    }

    /// Segments of this length.
    pub fn with_segments(self, longest: u64) -> Self {
        Self { longest, ..self }
    }

    fn write(&self, open: &mut Option<Segment>, batch: &Batch) -> io::Result<()> {
        if let Some(segment) = open.as_mut().filter(|segment| segment.length < self.longest) {
            return segment.write(&batch.bytes);
        }
        if let Some(full) = open.take() {
            full.close();
        }
        let sheet = match lock(&self.spare).take() {
            Some(sheet) => self.disk.rename(SPARE, &path(batch.first)).map(|()| sheet)?,
            None => self.disk.create(&path(batch.first))?,
        };
        let mut segment = Segment { sheet, length: 0, reserved: 0 };
        segment.write(&[&record::head(batch.first), &batch.bytes[..]].concat())?;
        self.disk.sync_folder("journal")?;
        *open = Some(segment);
        self.change_list(|listed| _ = listed.insert(batch.first));
        *lock(&self.spare) = self.disk.create(SPARE).ok();
        Ok(())
    }

    /// The list as it was written last; none is empty.
    fn read_list(&self) -> io::Result<BTreeSet<u64>> {
        let text = match self.disk.read(&format!("{FOLDER}/{LIST}")) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(error),
        };
        let mut lines = text.lines();
        if lines.next() != Some(WORD) {
            tracing::warn!("{FOLDER}/{LIST} is damaged: segments of the journal that are missing would not be noticed");
            return Ok(BTreeSet::new());
        }
        Ok(lines.filter_map(number).collect())
    }

    /// What can't be listed is written all the same: the list only helps to notice.
    fn change_list(&self, change: impl FnOnce(&mut BTreeSet<u64>)) {
        let mut listed = lock(&self.listed);
        let segments = listed.get_or_insert_with(|| self.read_list().unwrap_or_default());
        let before = segments.clone();
        change(segments);
        if *segments == before {
            return;
        }
        let lines = segments.iter().map(|first| name(*first));
        let text: String = [WORD.to_owned()].into_iter().chain(lines).map(|line| line + "\n").collect();
        if let Err(error) = write_whole(&*self.disk, FOLDER, LIST, text.as_bytes()) {
            *segments = before;
            warn_seldom!(%error, "the list of the journal's segments can't be written");
        }
    }

    /// Finds what another version wrote, before anything is changed.
    pub fn check_versions(&self) -> Result<(), StoreError> {
        let of = |name: &str, word: &[u8], ours: u8| -> io::Result<Option<char>> {
            let bytes = self.disk.read(name)?;
            let version = bytes.strip_prefix(word).and_then(|rest| rest.first()).copied();
            Ok(version.filter(|version| *version != ours).map(char::from))
        };
        let logs = self.parts()?.into_iter().map(path);
        let snapshots = self.snapshots()?.into_iter().map(|name| format!("tables/{name}"));
        // A snapshot that can't be read is as good as none: there is one before it.
        let of_snapshot = |name: String| Ok(of(&name, archive::WORD, archive::VERSION).unwrap_or_default());
        let other = (logs.map(|name| of(&name, record::WORD, record::VERSION)))
            .chain(snapshots.map(of_snapshot))
            .find_map(Result::transpose)
            .transpose()?;
        let list = self.disk.read(&format!("{FOLDER}/{LIST}")).unwrap_or_default();
        let line = list.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if line.starts_with(ANY_VERSION.as_bytes()) && line != WORD.as_bytes() {
            return Err(StoreError::other_version(&line.escape_ascii().to_string()));
        }
        match other {
            Some(version) => Err(StoreError::other_version(&format!("journal format {}", version.escape_default()))),
            None => Ok(()),
        }
    }

    fn keep_copy(&self, name: &str) {
        let kept = name.replace('/', "-");
        let copied = self.disk.read(name).and_then(|bytes| write_whole(&*self.disk, "damaged", &kept, &bytes));
        match copied {
            Ok(()) => tracing::warn!(file = name, "a copy is kept in the data directory as damaged/{kept}"),
            Err(error) => tracing::warn!(file = name, %error, "no copy of what is damaged could be kept"),
        }
    }
}

impl Segment {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let end = self.length + bytes.len() as u64;
        if end > self.reserved {
            self.reserved = end + AHEAD;
            // A file system that can't is slower, no more.
            let _ = self.sheet.reserve(self.reserved);
        }
        self.sheet.write(bytes)?;
        self.sheet.sync()?;
        self.length = end;
        Ok(())
    }

    /// Gives back the room that was set aside. What was written is safe already.
    fn close(mut self) {
        let _ = self.sheet.cut(self.length);
    }
}

impl Source for FileStore {
    fn parts(&self) -> io::Result<Vec<u64>> {
        let mut parts: Vec<u64> = self.disk.list("journal")?.iter().filter_map(|name| number(name)).collect();
        parts.sort_unstable();
        Ok(parts)
    }

    fn part(&self, first: u64) -> io::Result<Vec<u8>> {
        self.disk.read(&path(first))
    }

    fn listed(&self) -> io::Result<Vec<u64>> {
        Ok(self.read_list()?.into_iter().collect())
    }

    fn snapshots(&self) -> io::Result<Vec<String>> {
        let mut names = self.disk.list("tables")?;
        names.retain(|name| name.ends_with(archive::ENDING));
        Ok(names)
    }

    fn snapshot(&self, name: &str) -> io::Result<Vec<u8>> {
        self.disk.read(&format!("tables/{name}"))
    }
}

impl Store for FileStore {
    fn take(&self) -> Result<(), StoreError> {
        self.check_versions()?;
        self.disk.lock().map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => StoreError::Taken,
            _ => StoreError::Io(error),
        })
    }

    fn append(&self, batch: &Batch) -> Append {
        let mut open = lock(&self.segment);
        match self.write(&mut open, batch) {
            Ok(()) => Append::Safe,
            Err(error) => {
                *open = None;
                Append::Unsure(error)
            }
        }
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        write_whole(&*self.disk, "tables", name, bytes)
    }

    fn trim(&self, before: u64, is_needed: &dyn Fn(&str) -> bool) -> io::Result<()> {
        for name in self.snapshots()?.iter().filter(|name| !is_needed(name)) {
            self.disk.remove(&format!("tables/{name}"))?;
        }
        let parts = self.parts()?;
        let useless: Vec<u64> = parts.windows(2).filter(|pair| pair[1] <= before).map(|pair| pair[0]).collect();
        // One that is gone before it is off the list would be missed.
        self.change_list(|listed| listed.retain(|first| parts.contains(first) && !useless.contains(first)));
        useless.iter().try_for_each(|first| self.disk.remove(&path(*first)))
    }

    fn put_aside(&self, damage: &Damage) {
        match damage {
            Damage::Snapshot(name) => {
                let name = format!("tables/{name}");
                self.keep_copy(&name);
                let _ = self.disk.remove(&name);
            }
            Damage::Missing(first) => self.change_list(|listed| _ = listed.remove(first)),
            Damage::Part { first, good } => {
                let path = path(*first);
                self.keep_copy(&path);
                match good {
                    None => {}
                    // What can't be read at all is not read again.
                    Some(0) => {
                        let _ = self.disk.remove(&path);
                        self.change_list(|listed| _ = listed.remove(first));
                    }
                    Some(good) => {
                        let whole = self.disk.read(&path).unwrap_or_default();
                        if let Some(good) = whole.get(..*good) {
                            let _ = write_whole(&*self.disk, "journal", &name(*first), good);
                        }
                    }
                }
            }
        }
    }

    fn rest(&self) {
        if let Some(segment) = lock(&self.segment).take() {
            segment.close();
        }
        if lock(&self.spare).take().is_some() {
            let _ = self.disk.remove(SPARE);
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

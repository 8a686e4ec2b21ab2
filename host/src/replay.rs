//! `parlor replay`: plays a journal again and tells what was said, as it was said.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use parlor_core::server::{Answer, Lagging, Millis};

use crate::cli::{self, Exit};
use crate::games::Saying;
use crate::journal::record::{self, Event, Record, Records};
use crate::journal::restore::{self, From, Table, Witness};
use crate::journal::store::{Source, StoreError};
use crate::journal::stored_table::{Disagreement, Heard};
use crate::journal::{FileStore, Files};
use crate::table_id::TableId;

pub fn run(args: &cli::Replay) -> Result<(), Exit> {
    let failure = |error: StoreError| Exit::failure(format!("can't read {}: {error}", args.file.display()));
    let folder = Folder::of(&args.file).map_err(failure)?;
    let mut teller = Teller::new(BufWriter::new(io::stdout().lock()), args.verbose);
    let read = restore::read(&folder, From::Oldest, &mut teller).map_err(failure)?;
    let Teller { mut out, told, unknown, warnings, disagreed, .. } = teller;
    // A reader that closed the pipe has seen enough.
    let _ = writeln!(out, "{} records, {told} bytes said again as they were said", read.replayed);
    let _ = out.flush();
    drop(out);
    for (index, records) in unknown {
        eprintln!("parlor: {records} records of index {index} before the first state of their table that is here");
    }
    warnings.iter().for_each(|text| eprintln!("parlor: {text}"));
    if disagreed { Err(Exit::failure("the journal and the replay do not agree")) } else { Ok(()) }
}

/// A hash is not for people to read.
fn in_words(answer: &Answer<'_>) -> &'static str {
    match answer {
        Answer::Hash(_) | Answer::Done => "done",
        Answer::Verified(true) => "right",
        Answer::Verified(false) => "wrong",
        _ => "failed",
    }
}

/// A data directory, or one segment of it.
struct Folder {
    files: Option<FileStore>,
    only: Option<(u64, Vec<u8>)>,
}

impl Folder {
    fn of(path: &Path) -> Result<Self, StoreError> {
        let store = |root: &Path| FileStore::new(Arc::new(Files::unlocked(root)));
        if path.is_dir() {
            let files = store(path);
            files.check_versions()?;
            // Nothing would be told of a name that is mistyped, and nothing found wrong.
            if files.parts()?.is_empty() && files.snapshots()?.is_empty() {
                return Err(io::Error::new(io::ErrorKind::NotFound, "no data directory with a journal").into());
            }
            return Ok(Self { files: Some(files), only: None });
        }
        let bytes = fs::read(path)?;
        let Some(first) = Records::new(&bytes).map(|records| records.number) else {
            let version = bytes.strip_prefix(record::WORD).and_then(|rest| rest.first());
            return Err(match version.filter(|version| **version != record::VERSION) {
                Some(version) => StoreError::other_version(&format!("journal format {}", version.escape_ascii())),
                None => io::Error::new(io::ErrorKind::InvalidData, "this is no journal").into(),
            });
        };
        // Where it lies in its data directory, the snapshots beside it tell how its tables stood.
        let folder = path.canonicalize()?.parent().filter(|folder| folder.ends_with("journal")).map(Path::to_path_buf);
        let files = folder.and_then(|folder| folder.parent().map(store));
        Ok(Self { files, only: Some((first, bytes)) })
    }
}

impl Source for Folder {
    fn parts(&self) -> io::Result<Vec<u64>> {
        match (&self.only, &self.files) {
            (Some((first, _)), _) => Ok(vec![*first]),
            (None, files) => files.as_ref().map_or(Ok(Vec::new()), FileStore::parts),
        }
    }
    fn part(&self, first: u64) -> io::Result<Vec<u8>> {
        match (&self.only, &self.files) {
            (Some((_, bytes)), _) => Ok(bytes.clone()),
            (None, files) => files.as_ref().map_or(Ok(Vec::new()), |files| files.part(first)),
        }
    }
    fn listed(&self) -> io::Result<Vec<u64>> {
        match (&self.only, &self.files) {
            (None, Some(files)) => files.listed(),
            _ => Ok(Vec::new()),
        }
    }
    fn snapshots(&self) -> io::Result<Vec<String>> {
        self.files.as_ref().map_or(Ok(Vec::new()), FileStore::snapshots)
    }
    fn snapshot(&self, name: &str) -> io::Result<Vec<u8>> {
        self.files.as_ref().map_or(Ok(Vec::new()), |files| files.snapshot(name))
    }
}

/// Writes a line for everything that happened.
struct Teller<W> {
    out: W,
    verbose: bool,
    /// Each table's time.
    clocks: BTreeMap<TableId, Millis>,
    /// Bytes that links heard.
    told: u64,
    unknown: BTreeMap<u32, u64>,
    warnings: Vec<String>,
    disagreed: bool,
}

impl<W: Write> Teller<W> {
    fn new(out: W, verbose: bool) -> Self {
        let (clocks, unknown) = (BTreeMap::new(), BTreeMap::new());
        Self { out, verbose, clocks, told: 0, unknown, warnings: Vec::new(), disagreed: false }
    }

    fn line(&mut self, id: TableId, text: &str) {
        let Millis(now) = self.clocks.get(&id).copied().unwrap_or_default();
        let TableId { game, number } = id;
        let _ = writeln!(self.out, "{:>9}.{:03} {game} table {number} {text}", now / 1000, now % 1000);
    }

    fn said(&mut self, table: &Table, slot: u16, bytes: &[u8], by_client: bool) {
        let arrow = if by_client { '>' } else { '<' };
        for Saying { words, raw } in (table.game.tell)(bytes, by_client) {
            let mut text = format!("link {slot} {arrow} {words}");
            if self.verbose {
                text += "   |";
                raw.iter().for_each(|byte| text += &format!(" {byte:02x}"));
            }
            self.line(table.id, &text);
        }
    }
}

impl<W: Write> Witness for Teller<W> {
    fn saw(&mut self, table: &Table, record: &Record<'_>, heard: &Heard, agreed: Result<(), &Disagreement>) {
        let (id, number) = (table.id, record.number);
        if let Some(now) = record.event.now() {
            self.clocks.insert(id, now);
        }
        match &record.event {
            Event::Begin { meta, state, .. } => {
                self.line(id, &format!("begins at record {number}: {}, {} bytes of state", meta.game, state.len()));
            }
            Event::Open { slot, .. } => self.line(id, &format!("link {slot} opened")),
            Event::Receive { slot, bytes, .. } => self.said(table, *slot, bytes, true),
            Event::Close { slot, .. } => self.line(id, &format!("link {slot} closed")),
            Event::Tick { .. } if self.verbose => self.line(id, "tick"),
            Event::Answer { id: request, answer, .. } if self.verbose => {
                self.line(id, &format!("request {request} answered: {}", in_words(answer)));
            }
            Event::Lagged { lagging: Lagging { slot, again }, .. } => {
                let what = if *again { "told everything anew" } else { "closed" };
                self.line(id, &format!("link {slot} fell behind and is {what}"));
            }
            Event::Set { name, text, .. } => self.line(id, &format!("goes by {name} = {text}")),
            Event::Confine { slot, .. } => self.line(id, &format!("link {slot} makes nothing more")),
            Event::EndGame { name, .. } => self.line(id, &format!("game {name:?} was ended")),
            Event::Port(port) => self.line(id, &format!("has the port {port}")),
            _ => {}
        }
        for (slot, bytes) in heard {
            self.told += bytes.len() as u64;
            self.said(table, *slot, bytes, false);
        }
        if let Err(why) = agreed {
            self.disagreed = true;
            self.line(id, &format!("DISAGREES at record {number}: {why}"));
        }
    }

    fn passed(&mut self, record: &Record<'_>) {
        *self.unknown.entry(record.table).or_default() += 1;
    }

    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }
}

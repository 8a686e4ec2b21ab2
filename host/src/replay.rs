//! `parlor replay`: plays a journal again and tells what was said, as it was said.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use parlor_core::server::{Answer, Millis};

use crate::cli::{self, Exit};
use crate::games::{Entry as Game, Saying};
use crate::journal::disk::{Disk, Files, Sheet};
use crate::journal::record::{Event, Record, Records};
use crate::journal::resting::Disagreement;
use crate::journal::restore::{self, From, Witness};
use crate::journal::writer;

pub fn run(args: &cli::Replay) -> Result<(), Exit> {
    let failure = |error: io::Error| Exit::failure(format!("can't read {}: {error}", args.file.display()));
    let folder = Folder::of(&args.file).map_err(failure)?;
    let mut teller = Teller::new(BufWriter::new(io::stdout().lock()), args.verbose);
    let read = restore::read(&folder, From::Oldest, &mut teller).map_err(failure)?;
    let Teller { mut out, verified, unknown, warnings, disagreed, .. } = teller;
    // Whoever closed the pipe has seen enough.
    let _ = writeln!(out, "{} records, {verified} bytes sent again as they were sent", read.replayed);
    let _ = out.flush();
    drop(out);
    for (table, records) in unknown {
        eprintln!("parlor: table {table}: {records} records before the first state of it that is here");
    }
    warnings.iter().for_each(|text| eprintln!("parlor: {text}"));
    if disagreed { Err(Exit::failure("the journal and the replay do not agree")) } else { Ok(()) }
}

/// A hash is nobody's to read.
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
    files: Option<Files>,
    only: Option<(String, PathBuf)>,
}

impl Folder {
    fn of(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            return Ok(Self { files: Some(Files::look(path)), only: None });
        }
        let bytes = fs::read(path)?;
        let first = Records::new(&bytes).map(|records| records.number);
        let first = first.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "this is no journal"))?;
        // Where it lies in its data directory, the snapshots beside it tell how its tables stood.
        let folder = path.canonicalize()?.parent().filter(|folder| folder.ends_with("journal")).map(Path::to_path_buf);
        let files = folder.and_then(|folder| folder.parent().map(Files::look));
        Ok(Self { files, only: Some((writer::name(first), path.into())) })
    }
}

impl Disk for Folder {
    fn create(&self, _: &str) -> io::Result<Box<dyn Sheet>> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        match (&self.only, &self.files) {
            (Some((only, path)), _) if name.strip_prefix("journal/") == Some(only) => fs::read(path),
            (_, Some(files)) => files.read(name),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }
    fn remove(&self, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }
    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        match (&self.only, &self.files) {
            (Some((only, _)), _) if folder == "journal" => Ok(vec![only.clone()]),
            (_, Some(files)) => files.list(folder),
            _ => Ok(Vec::new()),
        }
    }
    fn sync_folder(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a line for everything that happened.
struct Teller<W> {
    out: W,
    verbose: bool,
    /// Each table's time.
    clocks: BTreeMap<u32, Millis>,
    verified: u64,
    unknown: BTreeMap<u32, u64>,
    warnings: Vec<String>,
    disagreed: bool,
}

impl<W: Write> Teller<W> {
    fn new(out: W, verbose: bool) -> Self {
        let (clocks, unknown) = (BTreeMap::new(), BTreeMap::new());
        Self { out, verbose, clocks, verified: 0, unknown, warnings: Vec::new(), disagreed: false }
    }

    fn line(&mut self, table: u32, text: &str) {
        let Millis(now) = self.clocks.get(&table).copied().unwrap_or_default();
        let _ = writeln!(self.out, "{:>9}.{:03} table {table} {text}", now / 1000, now % 1000);
    }

    fn said(&mut self, game: &Game, table: u32, slot: u16, bytes: &[u8], by_client: bool) {
        let arrow = if by_client { '>' } else { '<' };
        for Saying { words, raw } in (game.tell)(bytes, by_client) {
            let mut text = format!("link {slot} {arrow} {words}");
            if self.verbose {
                text += "   |";
                raw.iter().for_each(|byte| text += &format!(" {byte:02x}"));
            }
            self.line(table, &text);
        }
    }
}

impl<W: Write> Witness for Teller<W> {
    fn saw(&mut self, game: &Game, record: &Record<'_>, heard: &[u8], agreed: Result<(), &Disagreement>) {
        let (table, number) = (record.table, record.number);
        match record.event {
            Event::Begin { now, .. }
            | Event::Open { now, .. }
            | Event::Receive { now, .. }
            | Event::Close { now, .. }
            | Event::Tick { now }
            | Event::Answer { now, .. } => {
                self.clocks.insert(table, now);
            }
            _ => {}
        }
        match &record.event {
            Event::Begin { card, state, .. } => {
                self.line(table, &format!("begins at record {number}: {}, {} bytes of state", card.game, state.len()));
            }
            Event::Open { slot, .. } => self.line(table, &format!("link {slot} opened")),
            Event::Receive { slot, bytes, .. } => self.said(game, table, *slot, bytes, true),
            Event::Close { slot, .. } => self.line(table, &format!("link {slot} closed")),
            Event::Tick { .. } if self.verbose => self.line(table, "tick"),
            Event::Answer { id, answer, .. } if self.verbose => {
                self.line(table, &format!("request {id} answered: {}", in_words(answer)));
            }
            Event::Pull { slot, .. } => {
                self.verified += heard.len() as u64;
                self.said(game, table, *slot, heard, false);
            }
            Event::Release { ring, replies } if self.verbose => {
                self.line(table, &format!("released up to {ring} and {replies}"));
            }
            Event::Port(port) => self.line(table, &format!("has the port {port}")),
            _ => {}
        }
        if let Err(why) = agreed {
            self.disagreed = true;
            self.line(table, &format!("DISAGREES at record {number}: {why}"));
        }
    }

    fn passed(&mut self, record: &Record<'_>) {
        *self.unknown.entry(record.table).or_default() += 1;
    }

    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }
}

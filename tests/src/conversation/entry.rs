//! Conversations of any game, for runners that need not know which.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parlor_core::game::{Encoding, Game as _};
use parlor_core::protocol::Protocol;

use super::{Conversation, Coverage, Dialect, Made, Message, Reading, Setup, Told, Wire as _};
use crate::peer::Backend;

/// A conversation of some game.
pub trait Talk: Send + Sync {
    fn file(&self) -> &str;
    fn setup(&self) -> &Setup;
    /// How long it lets time pass, all in all.
    fn waits(&self) -> Duration;
    /// Says nothing that is no text.
    fn is_text(&self) -> bool;
    /// Its server's settings by name, in words that the game's table of settings reads, the usual ones too.
    fn settings(&self) -> Told<Vec<(&'static str, String)>>;
    /// The core in this process, as its header asks. It receives what is sent to it in pieces of at most `piece` bytes.
    fn in_memory(&self, piece: usize) -> Told<Box<dyn Backend>>;
    /// Says and hears every line of it.
    fn run(&self, backend: &mut dyn Backend, coverage: &mut Coverage) -> Told;
}

/// A game in the list of those whose conversations are held.
#[derive(Clone, Copy)]
pub struct Entry {
    pub game: &'static str,
    pub parse: fn(&str, &str) -> Told<Box<dyn Talk>>,
    pub messages: fn() -> Vec<Message>,
    /// What no conversation can bring about, and why.
    pub silent: &'static [(&'static str, &'static str)],
    /// What other readers need of core's tables.
    pub made: fn() -> Vec<Made>,
    /// Writes what a client in another language is held against, with so many whole games.
    pub client_data: fn(&mut dyn io::Write, u8) -> Told,
    pub port: u16,
    pub encoding: Encoding,
    pub protocol: Option<&'static Protocol>,
    /// How long the first message of these bytes is, if all of it has come.
    pub cut: fn(&[u8]) -> Option<usize>,
    /// What core's codec makes of a message.
    pub read: fn(&[u8], bool) -> Reading,
}

impl Entry {
    pub const fn of<D: Dialect>() -> Self {
        let parse = |file: &str, text: &str| Ok(Box::new(Conversation::<D>::parse(file, text)?) as Box<dyn Talk>);
        Self {
            game: D::Board::NAME,
            parse,
            messages: D::messages,
            silent: D::SILENT,
            made: D::made,
            client_data: D::client_data,
            port: D::Board::PORT,
            encoding: D::Board::ENCODING,
            protocol: D::Board::PROTOCOL,
            cut: D::Wire::cut,
            read: D::read,
        }
    }

    /// The names of its files, sorted.
    pub fn files(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(folder().join(self.game))?.map(|entry| Ok(entry?.file_name()));
        let names = entries.collect::<io::Result<Vec<_>>>()?.into_iter().filter_map(|name| name.into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".talk")).collect();
        names.sort();
        Ok(names)
    }

    pub fn read(&self, file: &str) -> Told<Box<dyn Talk>> {
        let text = fs::read_to_string(folder().join(self.game).join(file)).map_err(|e| format!("{file}: {e}"))?;
        (self.parse)(&format!("conversations/{}/{file}", self.game), &text)
    }

    /// All its files, read.
    pub fn talks(&self) -> Told<Vec<Box<dyn Talk>>> {
        let files = self.files().map_err(|e| format!("{}: {e}", self.game))?;
        files.iter().map(|file| self.read(file)).collect()
    }
}

/// Where the conversations stand.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conversations")
}

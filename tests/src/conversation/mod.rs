//! Tests that a player can read: files of table talk, held with any backend.
//!
//! The files stand in `tests/conversations`, a folder a game, and the README there says how they are written. A file
//! chooses its server (script, settings) in its header; [`Conversation::run`] then speaks and listens, line by line. All
//! that differs from game to game is a [`Dialect`]: how a line becomes bytes and bytes a line ([`Wire`]), what a header
//! scripts, and the exchanges that the game's files have a short form for.

mod coverage;
mod entry;
mod lines;
mod parse;
mod run;

pub use coverage::{Coverage, Message};
pub use entry::{Entry, Talk, folder};
pub use lines::Lines;
pub use parse::{Conversation, Limits, Need, Setup, Who};
pub(crate) use parse::{arrow, list, number};
pub use run::{Link, Runner};

use std::io;

use parlor_core::game::Game;

/// What came of something that may go wrong: how, in words for whoever reads the file.
pub type Told<T = ()> = Result<T, String>;

/// A file of this project that is made from core's tables: its path, and what it says.
pub type Made = (&'static str, String);

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a game's codec makes of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Its name, and each value by the name that it has in the protocol's description: in a frame its bytes in
    /// hexadecimal, in a line its text.
    Message(String, Vec<(String, String)>),
    /// It has a name, and is not as it should be, or the other end's to send.
    Flawed(String),
    /// No message at all.
    Unknown,
}

/// How a game's messages are written in a file, and how they go over the wire. The value is what a conversation has found
/// out so far and later lines may refer to.
pub trait Wire: Default {
    /// A message with what it should say.
    type Line: Clone + Send + Sync;

    /// A line of a file without what is only for its readers.
    fn without_comment(line: &str) -> &str;
    /// The message that a text stands for; it is to be said so many times in one piece.
    fn parse(text: &str, times: usize) -> Told<Self::Line>;
    fn bytes(&self, line: &Self::Line) -> Told<Vec<u8>>;
    /// How long the first message of these bytes is, if all of it has come.
    fn cut(unread: &[u8]) -> Option<usize>;
    /// Does this message say what the line says? What the line leaves open may be found out by it.
    fn matches(&mut self, line: &Self::Line, message: &[u8]) -> Told<bool>;
    /// A line as the file has it, with what is known by now.
    fn show_line(&self, line: &Self::Line) -> String;
    /// A message as a person reads it.
    fn show(&self, message: &[u8]) -> String;
}

/// How the conversations of a game are written and held. The value is what its exchanges must remember.
pub trait Dialect: Default + Sized + Send + Sync + 'static {
    /// The game as a board serves it. Its name is the folder of its files, and how their titles cite it.
    type Board: Game + 'static;
    /// The same as a PC does.
    type Host: Game<Config = <Self::Board as Game>::Config> + 'static;

    /// The lines of a header that script what is random.
    const SCRIPTED: &'static [&'static str];
    /// Settings that only slow people down: 0 unless a file says otherwise, for files talk faster than people do.
    const CALM: &'static [&'static str];
    /// What no conversation can bring about, and why.
    const SILENT: &'static [(&'static str, &'static str)] = &[];

    type Wire: Wire;
    /// A short form for what many files would repeat.
    type Exchange: Clone + Send + Sync;
    /// What one link's client believes.
    type Mirror: Default;

    /// The steps of a script that a line of the header stands for.
    fn scripted(key: &str, value: &str) -> Told<Vec<u8>>;
    /// Reads a short form; `None` if it is none.
    fn exchange(line: &str) -> Told<Option<Self::Exchange>>;
    fn hold(runner: &mut Runner<'_, Self>, exchange: &Self::Exchange) -> Told;

    /// Is a link among `all`?
    fn has_joined(_mirror: &Self::Mirror) -> bool {
        true
    }
    /// A link has heard this.
    fn note(_runner: &mut Runner<'_, Self>, _link: usize, _message: &[u8]) {}
    /// What must hold at the end of any conversation.
    fn end(_runner: &mut Runner<'_, Self>) -> Told {
        Ok(())
    }

    /// What can be said, and by whom.
    fn messages() -> Vec<Message>;
    /// What this message is called among them.
    fn kind(message: &[u8], from_client: bool) -> Option<String>;
    /// What core's codec makes of it.
    fn read(_message: &[u8], _from_client: bool) -> Reading {
        Reading::Unknown
    }

    /// What other readers need of core's tables.
    fn made() -> Vec<Made> {
        Vec::new()
    }
    /// Writes what a client in another language is held against, a line each, with so many whole games.
    fn client_data(_out: &mut dyn io::Write, _games: u8) -> Told {
        Ok(())
    }
}

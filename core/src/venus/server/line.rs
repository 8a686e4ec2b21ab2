//! What the server knows of one connection.

use super::rooms::RoomId;
use crate::accounts::AccountId;
use crate::bytes;
use crate::pacing::Pace;
#[cfg(feature = "postcard")]
use crate::save::{LoadError, Reader, SaveError, Writer};
use crate::server::Millis;
use crate::venus::pieces::Seat;
use crate::venus::rules::Script;
use crate::venus::wire::PASSWORD_MAX;

/// How far a connection has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum State {
    #[default]
    New,
    /// Waits for the adapter to make or check a hash.
    Asking,
    /// Logged in.
    User,
}

/// What the adapter is asked for this link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Wanted {
    #[default]
    Nothing,
    /// The hash of a new account's password.
    Hash,
    /// Whether the password is this account's.
    Verdict,
    /// The same, to close the link that this account has.
    Eviction,
    /// To keep the game of its room in a file.
    Save,
    /// To give a file back.
    Load,
    /// To send a bot to its room.
    Bot,
}

/// What a link is being told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Tale {
    /// Everything about rooms and users, after a login.
    #[default]
    Hall,
    /// A game from its beginning to where it stands.
    Refresh,
    /// What the start of a game brings.
    Start,
    /// A game from its beginning to its start: the state is told to everybody right afterwards.
    Opening,
}

/// One connection's record. New, it is all zero bytes.
#[derive(Clone)]
pub(super) struct Line {
    pub state: State,
    /// The account it logged in to or wants to; means nothing before.
    pub account: AccountId,
    /// The room it is in, plus 1; 0: the Great Hall.
    room: RoomId,
    /// The rest of a line that was too long is skipped.
    pub skipping: bool,
    pub wanted: Wanted,
    /// The adapter has the request in hand.
    pub handed: bool,
    /// A password, or the name of a file.
    word: [u8; PASSWORD_MAX],
    word_length: u8,
    /// Wrong passwords.
    pub wrong: u8,
    /// What it is being told, from which snapshot, and to which seat, plus 1.
    pub tale: Tale,
    pub shot: u8,
    listener: u8,
    /// How far it has been told, where it is of a game, and how often that began anew.
    pub script: Script,
    pub retold: u8,
    /// Actions taken in the second that began at `second`.
    pub taken: u16,
    pub second: Millis,
    /// Opened: from here it has its time to log in.
    pub since: Millis,
    /// Not read before this.
    pub deaf_until: Millis,
    /// Stalled until this; 0: no such wait.
    pub wake_at: Millis,
}

impl Line {
    pub const BLANK: Self = Self {
        state: State::New,
        account: 0,
        room: 0,
        skipping: false,
        wanted: Wanted::Nothing,
        handed: false,
        word: [0; PASSWORD_MAX],
        word_length: 0,
        wrong: 0,
        tale: Tale::Hall,
        shot: 0,
        listener: 0,
        // Means nothing before a tale of a game begins, and is all zero bytes.
        script: Script::refresh(None),
        retold: 0,
        taken: 0,
        second: Millis(0),
        since: Millis(0),
        deaf_until: Millis(0),
        wake_at: Millis(0),
    };

    /// The record now belongs to a new connection.
    pub fn begin(&mut self, now: Millis) {
        *self = Self { second: now, since: now, ..Self::BLANK };
    }

    /// The record belongs to no user any more; tales on their way go on.
    pub fn clear(&mut self) {
        let Self { account, tale, shot, listener, script, retold, .. } = *self;
        *self = Self { account, tale, shot, listener, script, retold, ..Self::BLANK };
    }

    pub fn is_user(&self) -> bool {
        self.state == State::User
    }

    /// `None`: the Great Hall.
    pub fn room(&self) -> Option<RoomId> {
        self.room.checked_sub(1)
    }

    pub fn set_room(&mut self, room: Option<RoomId>) {
        self.room = room.map_or(0, |room| room.saturating_add(1));
    }

    /// The player who hears the tale, if it is one.
    pub fn listener(&self) -> Option<Seat> {
        self.listener.checked_sub(1).map(Seat)
    }

    pub fn tell(&mut self, tale: Tale, shot: u8, listener: Option<Seat>) {
        (self.tale, self.shot, self.retold) = (tale, shot, 0);
        self.listener = listener.map_or(0, |seat| seat.0.saturating_add(1));
        self.script = if tale == Tale::Start { Script::start() } else { Script::refresh(listener) };
    }

    pub fn word(&self) -> &[u8] {
        self.word.get(..usize::from(self.word_length)).unwrap_or_default()
    }

    /// Waits for the adapter, and remembers what it is asked about: at most [`PASSWORD_MAX`] bytes.
    pub fn want(&mut self, wanted: Wanted, word: &str) {
        (self.wanted, self.handed) = (wanted, false);
        bytes::copy(&mut self.word, word.as_bytes());
        self.word_length = word.len().min(PASSWORD_MAX) as u8;
    }

    /// The answer has come: the word is forgotten.
    pub fn forget(&mut self) {
        (self.wanted, self.handed) = (Wanted::Nothing, false);
        self.word = [0; PASSWORD_MAX];
        self.word_length = 0;
    }

    pub fn pace(&mut self) -> Pace<'_> {
        let Self { second, taken, deaf_until, wake_at, .. } = self;
        Pace { second, taken, deaf_until, wake_at }
    }
}

#[cfg(feature = "postcard")]
impl Line {
    /// All but a password: a link that waits for its hash is answered from a journal, or not at all.
    pub fn freeze(&self, writer: &mut Writer<'_>) -> Result<(), SaveError> {
        let marks = (self.state, self.account, self.room, self.skipping, self.wanted);
        let tale = (self.tale, self.shot, self.listener, self.script, self.retold);
        let times = (self.second, self.since, self.deaf_until, self.wake_at);
        let names_a_file = matches!(self.wanted, Wanted::Save | Wanted::Load);
        let file = if names_a_file { self.word() } else { &[] };
        writer.put(&(marks, self.wrong, self.taken, tale, times, file))
    }

    pub fn thaw(&mut self, reader: &mut Reader<'_>) -> Result<(), LoadError> {
        *self = Self::BLANK;
        let (marks, tale, times, file): (_, _, _, &[u8]);
        (marks, self.wrong, self.taken, tale, times, file) = reader.take()?;
        (self.state, self.account, self.room, self.skipping, self.wanted) = marks;
        (self.tale, self.shot, self.listener, self.script, self.retold) = tale;
        (self.second, self.since, self.deaf_until, self.wake_at) = times;
        self.handed = true;
        self.word_length = bytes::put(&mut self.word, file).ok_or(LoadError::Malformed)? as u8;
        Ok(())
    }
}

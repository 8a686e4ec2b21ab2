//! What the server knows of one connection (yard 2.1).

use super::dump::Snapshot;
use super::rooms::RoomId;
use crate::accounts::AccountId;
use crate::bytes;
use crate::lines::{TAG_MAX, Tag};
use crate::pacing::Pace;
#[cfg(feature = "postcard")]
use crate::save::{LoadError, Reader, SaveError, Writer};
use crate::server::Millis;

/// The longest password.
pub const PASSWORD_MAX: usize = 64;

/// How far a connection has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum State {
    #[default]
    New,
    /// Has named a protocol that we speak.
    Spoken,
    /// Waits for the adapter to make or check a hash.
    Asking,
    /// Logged in.
    User,
}

/// What the adapter is asked about this link's password, or else for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Wanted {
    #[default]
    Nothing,
    /// The hash of a new account's.
    Hash,
    /// Whether it is this account's.
    Verdict,
    /// Not its password, but a bot for its game.
    Bot,
}

/// What a link is to the game it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Role {
    #[default]
    MrX,
    Detective,
    Watcher,
}

/// One connection's record. New, it is all zero bytes.
#[derive(Clone)]
pub(super) struct Line {
    pub state: State,
    /// The account it logged in to or wants to; means nothing before.
    pub account: AccountId,
    /// The game it is in, plus 1; 0: none.
    room: RoomId,
    pub role: Role,
    /// The rest of a line that was too long is skipped.
    pub skipping: bool,
    pub wanted: Wanted,
    /// The adapter has the request in hand.
    pub handed: bool,
    secret: [u8; PASSWORD_MAX],
    secret_length: u8,
    tag: [u8; TAG_MAX],
    tag_length: u8,
    /// Wrong passwords.
    pub wrong: u8,
    /// Commands taken in the second that began at `second`.
    pub taken: u16,
    pub second: Millis,
    /// Opened: from here it has its time to log in.
    pub since: Millis,
    /// Not read before this.
    pub deaf_until: Millis,
    /// Stalled until this; 0: no such wait.
    pub wake_at: Millis,
    pub snapshot: Snapshot,
}

impl Line {
    pub const BLANK: Self = Self {
        state: State::New,
        account: 0,
        room: 0,
        role: Role::MrX,
        skipping: false,
        wanted: Wanted::Nothing,
        handed: false,
        secret: [0; PASSWORD_MAX],
        secret_length: 0,
        tag: [0; TAG_MAX],
        tag_length: 0,
        wrong: 0,
        taken: 0,
        second: Millis(0),
        since: Millis(0),
        deaf_until: Millis(0),
        wake_at: Millis(0),
        snapshot: Snapshot::BLANK,
    };

    /// The record now belongs to a new connection.
    pub fn begin(&mut self, now: Millis) {
        *self = Self { second: now, since: now, ..Self::BLANK };
    }

    /// The record belongs to no user any more; answers on their way go on.
    pub fn clear(&mut self) {
        *self = Self { snapshot: self.snapshot, ..Self::BLANK };
    }

    pub fn room(&self) -> Option<RoomId> {
        self.room.checked_sub(1)
    }

    pub fn set_room(&mut self, room: Option<RoomId>) {
        self.room = room.map_or(0, |room| room.saturating_add(1));
    }

    pub fn secret(&self) -> &[u8] {
        self.secret.get(..usize::from(self.secret_length)).unwrap_or_default()
    }

    /// The command that is answered later.
    pub fn tag(&self) -> Tag<'_> {
        let tag = self.tag.get(..usize::from(self.tag_length)).unwrap_or_default();
        core::str::from_utf8(tag).ok().and_then(Tag::new).unwrap_or(Tag::NONE)
    }

    /// Remembers what an answer to come will need. The password has at most [`PASSWORD_MAX`] bytes.
    pub fn ask(&mut self, wanted: Wanted, account: AccountId, tag: Tag<'_>, password: &str) {
        (self.state, self.account) = (State::Asking, account);
        bytes::copy(&mut self.secret, password.as_bytes());
        self.secret_length = password.len().min(PASSWORD_MAX) as u8;
        self.want(wanted, tag);
    }

    /// Waits for the adapter, and remembers what its answer will be told with.
    pub fn want(&mut self, wanted: Wanted, tag: Tag<'_>) {
        (self.wanted, self.handed) = (wanted, false);
        let tag = if tag == Tag::NONE { "" } else { tag.text() };
        bytes::copy(&mut self.tag, tag.as_bytes());
        self.tag_length = tag.len().min(TAG_MAX) as u8;
    }

    /// The answer has come: the password is forgotten.
    pub fn forget(&mut self) {
        (self.wanted, self.handed) = (Wanted::Nothing, false);
        self.secret = [0; PASSWORD_MAX];
        self.secret_length = 0;
    }

    pub fn pace(&mut self) -> Pace<'_> {
        let Self { second, taken, deaf_until, wake_at, .. } = self;
        Pace { second, taken, deaf_until, wake_at }
    }
}

#[cfg(feature = "postcard")]
impl Line {
    /// All but the password: a link that waits for its hash is answered from a journal, or not at all.
    pub fn freeze(&self, writer: &mut Writer<'_>) -> Result<(), SaveError> {
        let marks = (self.state, self.account, self.room, self.role, self.skipping, self.wanted);
        let times = (self.second, self.since, self.deaf_until, self.wake_at);
        let tag = self.tag();
        let tag = if tag == Tag::NONE { "" } else { tag.text() };
        writer.put(&(marks, self.wrong, self.taken, times, self.snapshot, tag))
    }

    pub fn thaw(&mut self, reader: &mut Reader<'_>) -> Result<(), LoadError> {
        *self = Self::BLANK;
        let (marks, times, tag): (_, _, &str);
        (marks, self.wrong, self.taken, times, self.snapshot, tag) = reader.take()?;
        (self.state, self.account, self.room, self.role, self.skipping, self.wanted) = marks;
        (self.second, self.since, self.deaf_until, self.wake_at) = times;
        self.handed = true;
        self.tag_length = bytes::put(&mut self.tag, tag.as_bytes()).ok_or(LoadError::Malformed)? as u8;
        Ok(())
    }
}

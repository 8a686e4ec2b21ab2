//! What the server knows of one connection (pimp 2).

use super::dump::Snapshot;
use crate::pacing::Pace;
use crate::pimp::rules::UserId;
use crate::server::Millis;

/// How far a connection has come (pimp 2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum State {
    /// May only shake hands.
    #[default]
    Fresh,
    /// Has shaken hands, may join or rejoin.
    Spoken,
    /// Waits for a vote.
    Candidate,
    /// A user, player or observer.
    User,
}

/// One connection's record. New, it is all zero bytes.
#[derive(Clone)]
pub(super) struct Line<const USERS: usize> {
    pub state: State,
    /// The user or candidate behind it; 0 before it joins.
    pub user: UserId,
    /// Wrong passwords in a row.
    pub wrong: u8,
    /// Refused candidacies.
    pub refused: u8,
    /// Asked for a dump that has to wait for its time.
    pub wants_dump: bool,
    /// Its time has come: it begins when the one before was read.
    pub owed_dump: bool,
    /// Its throw stays unread while others may claim (pimp 16.4).
    pub waits_for_claims: bool,
    /// In this call an offer of its user was reopened. Never so between calls.
    pub reopened: bool,
    /// Commands taken in the second that began at `second`.
    pub taken: u16,
    pub second: Millis,
    /// Opened, or was refused: from here it has 30 s to join. A user's was opened, or an offer of that user was reopened: it
    /// stays so for a while from here (pimp 16.1.10).
    pub since: Millis,
    /// Not read before this (pimp 16.6).
    pub deaf_until: Millis,
    /// Stalled until this; 0: no such wait.
    pub wake_at: Millis,
    pub dumped_at: Millis,
    pub snapshot: Snapshot<USERS>,
}

impl<const USERS: usize> Line<USERS> {
    pub const fn new() -> Self {
        Self {
            state: State::Fresh,
            user: 0,
            wrong: 0,
            refused: 0,
            wants_dump: false,
            owed_dump: false,
            waits_for_claims: false,
            reopened: false,
            taken: 0,
            second: Millis(0),
            since: Millis(0),
            deaf_until: Millis(0),
            wake_at: Millis(0),
            dumped_at: Millis(0),
            snapshot: Snapshot::new(),
        }
    }

    /// Belongs to a new connection; the snapshot is filled when a dump begins.
    pub fn begin(&mut self, now: Millis) {
        self.state = State::Fresh;
        self.user = 0;
        self.wrong = 0;
        self.refused = 0;
        self.forget_dumps();
        self.waits_for_claims = false;
        self.reopened = false;
        self.taken = 0;
        self.second = now;
        self.since = now;
        self.deaf_until = Millis(0);
        self.wake_at = Millis(0);
        self.dumped_at = Millis(0);
    }

    /// The user who asked for a dump is gone.
    pub fn forget_dumps(&mut self) {
        (self.wants_dump, self.owed_dump) = (false, false);
    }

    pub fn pace(&mut self) -> Pace<'_> {
        let Self { second, taken, deaf_until, wake_at, .. } = self;
        Pace { second, taken, deaf_until, wake_at }
    }

    /// Back to the state after the handshake.
    pub fn step_back(&mut self, now: Millis) {
        self.state = State::Spoken;
        self.user = 0;
        self.since = now;
    }
}

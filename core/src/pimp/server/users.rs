//! The users of a table: players, observers, and candidates that wait for a vote.
//!
//! A user's number is its place here, from 1. Whether a user plays is the game's to know, so it can't be told two ways.

use super::names;
use crate::pimp::rules::{Game, UserId};
use crate::pimp::wire::{NAME_MAX, Name};
use crate::server::Millis;

/// What a place in the table holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Standing {
    #[default]
    Free,
    /// Asked to join; no user yet.
    Candidate,
    /// A player or an observer.
    User,
}

/// A vote on the open candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Ballot {
    #[default]
    None,
    Yes,
    No,
}

/// One user or candidate. [`User::BLANK`] is all zero bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct User {
    pub standing: Standing,
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    name: [u8; NAME_MAX],
    length: u8,
    /// As announced; for an observer, its wish.
    pub piece: u8,
    /// Its password, sealed: it can't be read here. 0: none.
    pub seal: u64,
    /// The slot of its link, plus 1; 0: not connected.
    line: u16,
    pub afk: bool,
    /// LINK_DEAD was sent.
    pub dead: bool,
    /// Got its start cash, or took over a seat: not again in this game (pimp 16.3).
    pub paid: bool,
    /// Gone, but so short a time that it still counts as present.
    pub lingering: bool,
    /// Went AFK while a vote was open: stays in its count (pimp 16.3).
    pub stays_counted: bool,
    /// As a candidate: wants to play.
    pub wants_play: bool,
    /// A PING was not answered yet.
    pub pinged: bool,
    pub ballot: Ballot,
    /// The player whom this one wants kicked; 0: none.
    pub kick: UserId,
    /// Its number as a candidate, also the order of the queue; 0: none.
    pub candidate: u32,
    pub nonce: u32,
    /// When the last PING was sent, or when the wait for the next began.
    pub ping_at: Millis,
    /// Its last message but PONG.
    pub spoke_at: Millis,
    pub gone_since: Millis,
}

impl User {
    pub const BLANK: Self = Self {
        standing: Standing::Free,
        name: [0; NAME_MAX],
        length: 0,
        piece: 0,
        seal: 0,
        line: 0,
        afk: false,
        dead: false,
        paid: false,
        lingering: false,
        stays_counted: false,
        wants_play: false,
        pinged: false,
        ballot: Ballot::None,
        kick: 0,
        candidate: 0,
        nonce: 0,
        ping_at: Millis(0),
        spoke_at: Millis(0),
        gone_since: Millis(0),
    };

    pub fn name(&self) -> Name<'_> {
        self.name.get(..usize::from(self.length)).and_then(Name::new).unwrap_or_default()
    }

    pub fn set_name(&mut self, name: Name<'_>) {
        crate::bytes::copy(&mut self.name, name.bytes());
        // A name is at most 32 bytes long.
        self.length = name.bytes().len() as u8;
    }

    pub fn slot(&self) -> Option<u16> {
        self.line.checked_sub(1)
    }

    pub fn connect(&mut self, slot: Option<u16>) {
        self.line = slot.map_or(0, |slot| slot.saturating_add(1));
    }

    pub fn is_connected(&self) -> bool {
        self.line != 0
    }

    pub fn is_user(&self) -> bool {
        self.standing == Standing::User
    }

    /// Connected, or gone for a moment only (pimp 16.3).
    pub fn is_present(&self) -> bool {
        self.is_user() && (self.is_connected() || self.lingering)
    }
}

/// Places for `N` users, `N` at most 255.
#[derive(Clone)]
pub(super) struct Users<const N: usize> {
    all: [User; N],
    /// One more than the last place that is taken. The lowest free one is taken, so where few are at the table few are looked at.
    used: u8,
}

impl<const N: usize> Users<N> {
    pub const fn new() -> Self {
        assert!(N <= 255);
        Self { all: [User::BLANK; N], used: 0 }
    }

    /// All places that may be taken: those behind them are free.
    fn used(&self) -> &[User] {
        self.all.get(..usize::from(self.used)).unwrap_or_default()
    }

    fn used_mut(&mut self) -> &mut [User] {
        self.all.get_mut(..usize::from(self.used)).unwrap_or_default()
    }

    /// Users and candidates, by ascending id. Counted in u16, as `1..=255` would cost more than looking at the users: its
    /// end is looked for with every step.
    pub fn iter(&self) -> impl Iterator<Item = (UserId, &User)> {
        let places = (1_u16..).zip(self.used()).filter(|(_, user)| user.standing != Standing::Free);
        places.map(|(id, user)| (id as UserId, user))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (UserId, &mut User)> {
        let places = (1_u16..).zip(self.used_mut()).filter(|(_, user)| user.standing != Standing::Free);
        places.map(|(id, user)| (id as UserId, user))
    }

    /// A user or candidate.
    pub fn get(&self, id: UserId) -> Option<&User> {
        self.all.get(usize::from(id.checked_sub(1)?)).filter(|user| user.standing != Standing::Free)
    }

    pub fn get_mut(&mut self, id: UserId) -> Option<&mut User> {
        self.all.get_mut(usize::from(id.checked_sub(1)?)).filter(|user| user.standing != Standing::Free)
    }

    /// A user, not a candidate.
    pub fn user(&self, id: UserId) -> Option<&User> {
        self.get(id).filter(|user| user.is_user())
    }

    pub fn slot(&self, id: UserId) -> Option<u16> {
        self.user(id)?.slot()
    }

    pub fn is_name_taken(&self, name: &[u8]) -> bool {
        self.iter().any(|(_, user)| names::same(user.name().bytes(), name))
    }

    pub fn anybody_connected(&self) -> bool {
        self.used().iter().any(|user| user.is_user() && user.is_connected())
    }

    /// There are users or candidates, and none of the users is connected. Looked at after every command, so in one pass.
    pub fn is_deserted(&self) -> bool {
        let mut is_deserted = false;
        for user in self.used() {
            if user.standing != Standing::Free {
                if user.is_user() && user.is_connected() {
                    return false;
                }
                is_deserted = true;
            }
        }
        is_deserted
    }

    /// A candidate that is no user yet waits for a vote.
    pub fn anybody_waits(&self) -> bool {
        self.used().iter().any(|user| user.standing == Standing::Candidate)
    }

    /// Users leave, candidates stay.
    pub fn keep_candidates(&mut self) {
        let users = self.used_mut().iter_mut().filter(|user| user.standing == Standing::User);
        users.for_each(|user| *user = User::BLANK);
        self.find_last();
    }

    /// A candidate, user or not, waits for a vote.
    pub fn any_candidate(&self) -> bool {
        self.used().iter().any(|user| user.candidate != 0)
    }

    /// The lowest free place, or that of the observer without candidacy who is gone longest.
    pub fn vacancy(&self, game: &Game) -> Option<UserId> {
        self.lowest_free().or_else(|| {
            self.iter()
                .filter(|(id, user)| {
                    user.is_user() && !user.is_connected() && user.candidate == 0 && !game.is_player(*id)
                })
                .min_by_key(|(_, user)| user.gone_since)
                .map(|(id, _)| id)
        })
    }

    pub fn lowest_free(&self) -> Option<UserId> {
        (1..=u8::MAX).zip(&self.all).find(|(_, user)| user.standing == Standing::Free).map(|(id, _)| id)
    }

    /// Places were made free.
    fn find_last(&mut self) {
        self.used = self.all.iter().rposition(|user| user.standing != Standing::Free).map_or(0, |last| last as u8 + 1);
    }

    /// Makes a place free; the votes against its user go too.
    pub fn clear(&mut self, id: UserId) {
        if let Some(user) = self.get_mut(id) {
            *user = User::BLANK;
        }
        self.find_last();
        self.forget_kicks(id);
    }

    /// Sets up a place that is free.
    pub fn put(&mut self, id: UserId, user: User) {
        if let Some(place) = id.checked_sub(1).and_then(|i| self.all.get_mut(usize::from(i))) {
            *place = user;
            self.used = self.used.max(id);
        }
    }

    pub fn clear_all(&mut self) {
        self.all.iter_mut().for_each(|user| *user = User::BLANK);
        self.used = 0;
    }

    /// No votes are open any more.
    pub fn clear_ballots(&mut self) {
        for user in self.used_mut() {
            user.ballot = Ballot::None;
            user.stays_counted = false;
        }
    }

    /// Votes to kick this user are dropped, and its own.
    pub fn forget_kicks(&mut self, id: UserId) {
        self.used_mut().iter_mut().filter(|user| user.kick == id).for_each(|user| user.kick = 0);
        if let Some(user) = self.get_mut(id) {
            user.kick = 0;
        }
    }

    pub fn clear_kicks(&mut self) {
        self.used_mut().iter_mut().for_each(|user| user.kick = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_there_is_found_whoever_came_and_went_before() {
        let mut users = Users::<4>::new();
        let user = |slot| {
            let mut user = User { standing: Standing::User, ..User::BLANK };
            user.connect(slot);
            user
        };
        let ids = |users: &Users<4>| users.iter().map(|(id, _)| id).collect::<std::vec::Vec<_>>();
        assert!(ids(&users).is_empty() && !users.is_deserted() && !users.anybody_connected());
        users.put(4, user(None));
        assert!(users.is_deserted());
        users.put(2, user(Some(7)));
        assert_eq!((ids(&users), users.is_deserted(), users.anybody_connected()), (std::vec![2, 4], false, true));
        users.clear(4);
        assert_eq!((ids(&users), users.anybody_connected()), (std::vec![2], true));
        users.put(3, User { standing: Standing::Candidate, candidate: 9, ..User::BLANK });
        users.clear(2);
        // A candidate alone, connected or not, keeps no game alive.
        assert_eq!((ids(&users), users.is_deserted(), users.any_candidate()), (std::vec![3], true, true));
        users.put(1, user(Some(0)));
        users.put(4, user(None));
        users.keep_candidates();
        assert_eq!((ids(&users), users.anybody_waits()), (std::vec![3], true));
        users.put(1, user(Some(0)));
        users.clear(3);
        assert_eq!((ids(&users), users.is_deserted(), users.any_candidate()), (std::vec![1], false, false));
        users.clear_all();
        assert!(ids(&users).is_empty() && !users.is_deserted());
    }
}

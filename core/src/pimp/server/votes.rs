//! Votes on newcomers and on users who switch to play: one at a time, the others queue (pimp 3, 16.3).
//!
//! The queue is the users' table itself: a candidate's number is its turn.

use super::users::{Ballot, Standing, User};
use super::{Hall, Table, say};
use crate::outbox::Audience;
use crate::pimp::board::START_CASH;
use crate::pimp::rules::{Refusal, UserId, Verdict};
use crate::pimp::wire::Message;
use crate::server::Millis;

/// The longest that a vote at a table of a lobby is open, in milliseconds (pimp 3.11).
const LOBBY_VOTE: u32 = 5_000;

/// The vote that is open. New, it is all zero bytes.
#[derive(Clone)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Votes {
    /// The number given last.
    pub numbers: u32,
    /// The candidate voted on; 0: none.
    open: u32,
    opened_at: Millis,
    /// A vote was open before: the next keeps its distance.
    opened_any: bool,
    /// A newcomer was refused in this game: the table is complete.
    pub refused_any: bool,
}

impl Votes {
    pub const fn new() -> Self {
        Self { numbers: 0, open: 0, opened_at: Millis(0), opened_any: false, refused_any: false }
    }

    pub fn is_open(&self) -> bool {
        self.open != 0
    }
}

/// What a count says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Open,
    Accepted,
    Refused,
}

impl User {
    /// The question put to everybody.
    pub(super) fn query(&self) -> Message<'_> {
        if self.wants_play {
            Message::QueryJoinPlay { candidate: self.candidate, name: self.name() }
        } else {
            Message::QueryJoinObserve { candidate: self.candidate, name: self.name() }
        }
    }
}

impl<const USERS: usize> Hall<USERS> {
    /// The candidate voted on now.
    pub(super) fn open_candidate(&self) -> Option<(UserId, &User)> {
        let open = self.votes.open;
        self.users.iter().find(|(_, user)| open != 0 && user.candidate == open)
    }

    /// There will be a vote on this user or newcomer. Candidates count from 1.
    pub(super) fn queue(&mut self, id: UserId) {
        self.votes.numbers = self.votes.numbers.saturating_add(1);
        if let Some(user) = self.users.get_mut(id) {
            user.candidate = self.votes.numbers;
        }
        self.watch.stir = true;
    }

    fn next_candidate(&self) -> Option<UserId> {
        self.users
            .iter()
            .filter(|(_, user)| user.candidate != 0)
            .min_by_key(|(_, user)| user.candidate)
            .map(|(id, _)| id)
    }

    /// Players who are present; if there are none, observers who are (pimp 3.1).
    fn electors(&self, requester: UserId) -> impl Iterator<Item = &User> {
        let may_vote =
            move |id: UserId, user: &User| id != requester && user.is_present() && (!user.afk || user.stays_counted);
        let players = self.users.iter().any(|(id, user)| may_vote(id, user) && self.game.is_player(id));
        self.users
            .iter()
            .filter(move |(id, user)| may_vote(*id, user) && self.game.is_player(*id) == players)
            .map(|(_, user)| user)
    }

    /// No one is asked. A lobby seats strangers with each other, so its users have no say in who joins before the first
    /// throw: the first to sit down could shut out all others (pimp 3.11).
    pub(super) fn is_electorate_empty(&self, requester: UserId) -> bool {
        let is_open = self.dice.is_of_lobby() && !self.watch.has_thrown;
        is_open || self.electors(requester).next().is_none()
    }

    fn is_elector(&self, id: UserId, requester: UserId) -> bool {
        self.users.user(id).is_some_and(|user| self.electors(requester).any(|elector| core::ptr::eq(elector, user)))
    }

    /// More than half of all; at the end of its time more than half of those who voted, and without any vote the
    /// candidate is let in (pimp 3.4): silence keeps no one out. If all electors have gone, the vote waits for its end.
    fn count(&self, requester: UserId, now: Millis) -> Outcome {
        let (mut n, mut yes, mut no) = (0u32, 0u32, 0u32);
        for elector in self.electors(requester) {
            n += 1;
            yes += u32::from(elector.ballot == Ballot::Yes);
            no += u32::from(elector.ballot == Ballot::No);
        }
        if now >= self.vote_ends() {
            return if yes > no || yes + no == 0 { Outcome::Accepted } else { Outcome::Refused };
        }
        if n == 0 {
            Outcome::Open
        } else if 2 * yes > n {
            Outcome::Accepted
        } else if 2 * no > n {
            Outcome::Refused
        } else {
            Outcome::Open
        }
    }

    fn vote_ends(&self) -> Millis {
        let timeout = self.config.vote_timeout;
        let timeout = if self.dice.is_of_lobby() { timeout.min(LOBBY_VOTE) } else { timeout };
        self.votes.opened_at.plus(u64::from(timeout))
    }

    /// When time will do something about the votes.
    pub(super) fn votes_due(&self) -> Option<Millis> {
        if self.votes.is_open() {
            return Some(self.vote_ends());
        }
        self.users.any_candidate().then(|| self.votes.opened_at.plus(u64::from(self.config.vote_pause)))
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// ACCEPT_JOIN and REFUSE_JOIN. What can't count is ignored in silence (pimp 3.3).
    pub(super) fn vote(&mut self, user: UserId, candidate: u32, yes: bool) {
        let Some((requester, _)) = self.hall.open_candidate().filter(|_| candidate == self.hall.votes.open) else {
            return;
        };
        if !self.hall.is_elector(user, requester) {
            return;
        }
        if let Some(voter) = self.hall.users.get_mut(user).filter(|voter| voter.ballot == Ballot::None) {
            voter.ballot = if yes { Ballot::Yes } else { Ballot::No };
            self.hall.watch.stir = true;
        }
    }

    /// SWITCH_PLAY (pimp 3.6): always JOIN_PENDING first, so that its sender knows it was heard.
    pub(super) fn switch_play(&mut self, slot: u16, id: UserId, now: Millis) -> Verdict {
        if self.hall.game.is_player(id) {
            return Err(Refusal::Unexpected);
        }
        let Some(user) = self.hall.users.get(id) else { return Err(Refusal::Unexpected) };
        if user.candidate != 0 {
            return Ok(());
        }
        if self.hall.is_full_of_players() {
            self.reply(slot, &Message::ErrorTooManyUsers {});
            return Ok(());
        }
        self.reply(slot, &Message::JoinPending {});
        if let Some(user) = self.hall.users.get_mut(id) {
            user.wants_play = true;
        }
        if self.hall.is_electorate_empty(id) {
            self.accept(id, now);
        } else {
            self.hall.queue(id);
        }
        Ok(())
    }

    /// Decides what can be decided and opens the next vote. Each round ends one candidacy, so it ends.
    pub(super) fn settle_votes(&mut self, now: Millis) {
        for _ in 0..USERS + LINKS {
            let Some((id, _)) = self.hall.open_candidate() else {
                if !self.open_next_vote(now) {
                    return;
                }
                continue;
            };
            match self.hall.count(id, now) {
                Outcome::Open => return,
                Outcome::Accepted => self.accept(id, now),
                Outcome::Refused => self.refuse(id, now),
            }
        }
    }

    /// `false`: there is nothing to open now.
    fn open_next_vote(&mut self, now: Millis) -> bool {
        self.hall.votes.open = 0;
        let Some(id) = self.hall.next_candidate() else { return false };
        if self.hall.is_electorate_empty(id) {
            self.accept(id, now);
            return true;
        }
        let votes = &mut self.hall.votes;
        if votes.opened_any && now < votes.opened_at.plus(u64::from(self.hall.config.vote_pause)) {
            return false;
        }
        let Some(candidate) = self.hall.users.get(id) else { return false };
        votes.open = candidate.candidate;
        votes.opened_at = now;
        votes.opened_any = true;
        // A candidate that has not joined is not in the room; one that switches is.
        let to = candidate.slot().map_or(Audience::Room, Audience::RoomBut);
        say(&mut self.out, to, &candidate.query());
        true
    }

    /// The vote on this candidate is over, or never opened; `true` if it was open.
    fn end_vote(&mut self, id: UserId) -> bool {
        let candidate = self.hall.users.get(id).map_or(0, |user| user.candidate);
        if candidate == 0 || candidate != self.hall.votes.open {
            return false;
        }
        self.hall.votes.open = 0;
        self.hall.users.clear_ballots();
        true
    }

    fn accept(&mut self, id: UserId, now: Millis) {
        let Some(user) = self.hall.users.get(id) else { return };
        let (standing, wants_play) = (user.standing, user.wants_play);
        if wants_play && self.hall.is_full_of_players() {
            // The last seat went while they voted (pimp 16.3).
            return self.turn_away(id, &Message::ErrorTooManyUsers {}, now);
        }
        self.end_vote(id);
        if standing == Standing::Candidate {
            return self.admit(id, now);
        }
        let Some(user) = self.hall.users.get_mut(id) else { return };
        user.candidate = 0;
        // Once a user and game: else handing over and coming back would make money (pimp 16.3).
        let cash = if user.paid { 0 } else { START_CASH };
        user.paid = true;
        let away = user.afk || !user.is_present();
        self.say_all(&Message::ObserverBecamePlayer { player: id });
        self.play(|game, cx| {
            let _ = game.sit(id, cash, cx);
            game.start(id, cx);
        });
        self.set_absent(id, away);
        self.hall.watch.stir = true;
    }

    fn refuse(&mut self, id: UserId, now: Millis) {
        let slot = self.hall.users.get(id).filter(|user| !user.is_user()).and_then(User::slot);
        self.turn_away(id, &Message::ErrorNotWelcome {}, now);
        let limit = self.hall.config.refusals;
        let Some((slot, line)) = slot.and_then(|slot| Some((slot, self.line_mut(slot)?))) else { return };
        line.refused = line.refused.saturating_add(1);
        if line.refused >= limit {
            self.out.doom(slot);
        }
        self.hall.votes.refused_any = true;
    }

    /// Ends a candidacy with this answer. A user who wanted to play stays a user.
    pub(super) fn turn_away(&mut self, id: UserId, answer: &Message<'_>, now: Millis) {
        let slot = self.hall.users.get(id).and_then(User::slot);
        self.withdraw(id, now);
        if let Some(slot) = slot {
            self.reply(slot, answer);
        }
    }

    /// Ends a candidacy without an answer: the others are told if they were asked.
    pub(super) fn withdraw(&mut self, id: UserId, now: Millis) {
        let was_open = self.end_vote(id);
        let Some(user) = self.hall.users.get_mut(id) else { return };
        let candidate = core::mem::take(&mut user.candidate);
        if was_open {
            let message = Message::JoinRefused { candidate, name: user.name() };
            say(&mut self.out, Audience::Room, &message);
        }
        if user.standing == Standing::Candidate {
            let slot = user.slot();
            self.hall.users.clear(id);
            if let Some(line) = slot.and_then(|slot| self.line_mut(slot)) {
                line.step_back(now);
            }
        }
        self.hall.watch.stir = true;
    }
}

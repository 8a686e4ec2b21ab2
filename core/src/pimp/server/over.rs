//! How a game ends, and the next begins (pimp 12.7, 16.3, 16.4).

use super::link::State;
use super::{Hall, Table};
use crate::id_space::Kind;
use crate::pimp::wire::Message;
use crate::server::Millis;

/// A game without a throw ends after this, once deserted, in milliseconds (pimp 16.3.7): else few could fill all tables
/// of a lobby with users who are gone.
const UNPLAYED: u32 = 10_000;

/// When a won game's table is cleared, or one that all users have left.
pub(super) fn due<const USERS: usize>(hall: &Hall<USERS>) -> Option<Millis> {
    let (watch, config) = (&hall.watch, &hall.config);
    if watch.is_over {
        return Some(watch.over_at.plus(u64::from(config.farewell)));
    }
    let patience = match (watch.has_thrown, config.deserted) {
        (true, 0) => return None,
        (true, deserted) => deserted,
        (false, 0) => UNPLAYED,
        (false, deserted) => deserted.min(UNPLAYED),
    };
    hall.users.is_deserted().then(|| watch.deserted_at.plus(u64::from(patience)))
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// A player won: no one can join any more.
    pub(super) fn enter_over(&mut self, now: Millis) {
        self.hall.watch.is_over = true;
        self.hall.watch.over_at = now;
        self.hall.dice.close_game();
        self.refuse_all(now);
    }

    fn refuse_all(&mut self, now: Millis) {
        for id in 1..=USERS as u8 {
            if self.hall.users.get(id).is_some_and(|user| user.candidate != 0) {
                self.turn_away(id, &Message::ErrorNotWelcome {}, now);
            }
        }
    }

    /// A won game ends when everybody left or after a minute, any other when no user was connected for `deserted`.
    pub(super) fn end_if_deserted(&mut self, now: Millis) {
        let everybody_left = self.hall.watch.is_over && !self.hall.users.anybody_connected();
        if everybody_left || due(&self.hall).is_some_and(|due| now >= due) {
            self.out.note_change();
            let watch = &self.hall.watch;
            if !watch.is_over && !watch.has_thrown && self.hall.users.anybody_waits() {
                return self.leave_to_candidates(now);
            }
            self.refuse_all(now);
            if self.hall.watch.is_over {
                self.close_all();
            }
            self.new_game(now);
        }
    }

    /// Candidates wait for the votes of users who are gone for good, at a game without a throw. It is theirs now
    /// (pimp 16.3.7). It keeps its number, which they were told; the first of them has no one to ask.
    fn leave_to_candidates(&mut self, now: Millis) {
        self.hall.users.keep_candidates();
        // Candidates keep their numbers, and no newcomer gets one of them.
        let votes = core::mem::replace(&mut self.hall.votes, super::Votes::new());
        self.hall.votes.numbers = votes.numbers;
        self.begin_game(now);
        self.settle(now);
    }

    /// The table's operator has ended the game: all its users are sent away.
    pub(super) fn break_off(&mut self, now: Millis) {
        self.refuse_all(now);
        self.close_all();
        self.new_game(now);
    }

    /// "May be followed by the server disconnecting." A link without a handshake knows nothing of the game that has
    /// ended, and comes to the next one (pimp 12.7.2).
    pub(super) fn close_all(&mut self) {
        for (slot, line) in (0..).zip(&mut self.lines).filter(|(_, line)| line.state != State::Fresh) {
            line.state = State::Fresh;
            line.user = 0;
            line.forget_dumps();
            self.out.doom(slot);
        }
    }

    /// No users, a new number. Links that are about to join may go on. Field by field: a second table on a small stack
    /// would overrun it.
    pub(super) fn new_game(&mut self, now: Millis) {
        let hall = &mut self.hall;
        hall.users.clear_all();
        hall.votes = super::Votes::new();
        hall.number = other_secret(&mut hall.dice, hall.number);
        self.begin_game(now);
    }

    fn begin_game(&mut self, now: Millis) {
        let hall = &mut self.hall;
        hall.dice.close_game();
        hall.dice.open_game();
        hall.game.begin(&mut hall.dice, &hall.config.rules);
        hall.watch.begin(hall.game.turn, now);
    }
}

/// A number unlike the last: a client that rejoins can tell the games apart.
fn other_secret(dice: &mut crate::dice::Dice, last: u32) -> u32 {
    loop {
        let number = dice.secret(Kind::Game);
        if number != last {
            return number;
        }
    }
}

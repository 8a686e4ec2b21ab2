//! The games there are, and the players of each.

use heapless::Vec;

use super::names::Text;
use crate::accounts::AccountId;
use crate::fair::Draws;
use crate::server::Millis;
use crate::yard::pieces::{Pawn, Pawns, Team};
use crate::yard::rules::Game;
use crate::yard::wire::{GAME_BYTES, Stage};

/// Seats at a game: Mr. X and five detectives.
pub const SEATS: usize = 6;

/// A place in the table of games.
pub(super) type RoomId = u8;

/// One player of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Seat {
    pub account: AccountId,
    pub team: Team,
    pub vote: bool,
    /// Has left the game that is over, or was absent at its end: the player hears no more, but its pawns keep its name.
    pub gone: bool,
}

/// One game. New, it is all zero bytes: no game.
#[derive(Clone)]
pub(super) struct Room {
    pub name: Text<GAME_BYTES>,
    pub stage: Stage,
    /// There is no such game any more. It stays as it was until its place is needed: an answer about it may still be on
    /// its way.
    pub removed: bool,
    /// In the order of joining.
    pub seats: Vec<Seat, SEATS, u8>,
    pub game: Game,
    pub draws: Draws,
    /// Since when no player is connected.
    pub deserted_since: Millis,
    /// When the player whose move it is has had all the time there is; 0: never (yard 2.24).
    pub due: Millis,
    /// For which move that is: one more than were made; 0: none.
    pub timed: u8,
}

impl Room {
    pub const BLANK: Self = Self {
        name: Text::EMPTY,
        stage: Stage::New,
        removed: false,
        seats: Vec::new(),
        game: Game::new(),
        draws: Draws::NONE,
        deserted_since: Millis(0),
        due: Millis(0),
        timed: 0,
    };

    pub fn is_open(&self) -> bool {
        !self.removed && !self.name.as_str().is_empty()
    }

    /// The move that is waited for, as [`Room::timed`] counts.
    pub fn awaited_move(&self) -> u8 {
        let is_played = self.is_open() && self.stage == Stage::InProgress;
        // A game has at most 134 moves.
        if is_played { self.game.log().len() as u8 + 1 } else { 0 }
    }

    /// A move that is waited for since now may take this long.
    pub fn start_clock(&mut self, timeout: u32, now: Millis) {
        let awaited = self.awaited_move();
        if core::mem::replace(&mut self.timed, awaited) != awaited {
            let runs = timeout != 0 && awaited != 0;
            self.due = if runs { now.plus(u64::from(timeout)) } else { Millis(0) };
        }
    }

    /// The players who count: all but the gone.
    pub fn players(&self) -> impl Iterator<Item = &Seat> {
        self.seats.iter().filter(|seat| !seat.gone)
    }

    pub fn count(&self, team: Team) -> usize {
        self.players().filter(|seat| seat.team == team).count()
    }

    pub fn has_room(&self, team: Team) -> bool {
        self.count(team) < if team == Team::MrX { 1 } else { SEATS - 1 }
    }

    pub fn seat_of(&self, account: AccountId) -> Option<&Seat> {
        self.players().find(|seat| seat.account == account)
    }

    pub fn seat_mut(&mut self, account: AccountId) -> Option<&mut Seat> {
        self.seats.iter_mut().find(|seat| !seat.gone && seat.account == account)
    }

    /// Where a newcomer sits: the team with fewest players that has room, Mr. X first (yard 2.8).
    pub fn team_for_newcomer(&self) -> Option<Team> {
        Team::ALL.into_iter().filter(|team| self.has_room(*team)).min_by_key(|team| self.count(*team))
    }

    /// The pawns of each seat: the detectives' in contiguous blocks in the order of joining, the first (5 mod n) get
    /// one more. A player who is gone keeps them.
    pub fn pawns_of(&self, account: AccountId) -> Pawns {
        let mine = |pawn: &Pawn| self.owner(*pawn) == Some(account);
        Pawn::ALL.into_iter().filter(mine).fold(Pawns::NONE, Pawns::with)
    }

    /// The owner of a pawn.
    pub fn owner(&self, pawn: Pawn) -> Option<AccountId> {
        let team = self.seats.iter().filter(|seat| seat.team == pawn.team());
        let Some(nth) = pawn.index().checked_sub(1) else { return team.map(|seat| seat.account).next() };
        let count = team.clone().count();
        let (each, more) = (5usize.checked_div(count)?, 5usize.checked_rem(count)?);
        let mut end = 0;
        for (place, seat) in team.enumerate() {
            end += each + usize::from(place < more);
            if nth < end {
                return Some(seat.account);
            }
        }
        None
    }

    /// Both teams are there and everybody wants to begin.
    pub fn is_ready(&self) -> bool {
        Team::ALL.iter().all(|team| self.count(*team) > 0) && self.players().all(|seat| seat.vote)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn room(detectives: u16) -> Room {
        let mut room = Room::BLANK;
        for account in 0..=detectives {
            let team = if account == 1 { Team::MrX } else { Team::Detectives };
            room.seats.push(Seat { account, team, vote: true, gone: false }).unwrap();
        }
        room
    }

    /// Account 1 is Mr. X; the others are detectives in the order 0, 2, 3, …
    #[test]
    fn pawns_are_dealt_in_blocks() {
        let dealt = |detectives| Pawn::ALL.map(|pawn| room(detectives).owner(pawn).unwrap());
        assert_eq!(dealt(1), [1, 0, 0, 0, 0, 0]);
        assert_eq!(dealt(2), [1, 0, 0, 0, 2, 2]);
        assert_eq!(dealt(3), [1, 0, 0, 2, 2, 3]);
        assert_eq!(dealt(4), [1, 0, 0, 2, 3, 4]);
        assert_eq!(dealt(5), [1, 0, 2, 3, 4, 5]);
        assert_eq!(Room::BLANK.owner(Pawn::X), None);
        assert_eq!(Room::BLANK.owner(Pawn::Red), None);
        let pawns: Vec<Pawn> = room(2).pawns_of(2).iter().collect();
        assert_eq!(pawns, [Pawn::Blue, Pawn::Black]);
    }

    #[test]
    fn a_newcomer_sits_where_fewest_are() {
        let mut room = Room::BLANK;
        let mut teams = Vec::new();
        while let Some(team) = room.team_for_newcomer() {
            teams.push(team);
            room.seats.push(Seat { team, ..Seat::default() }).unwrap();
        }
        let five = [Team::Detectives; 5];
        assert_eq!((teams[0], &teams[1..]), (Team::MrX, &five[..]));
    }

    #[test]
    fn a_game_begins_with_both_teams_and_all_votes() {
        let mut room = room(1);
        assert!(room.is_ready());
        room.seats[0].vote = false;
        assert!(!room.is_ready());
        room.seats[0] = Seat { team: Team::MrX, vote: true, ..room.seats[0] };
        assert!(!room.is_ready());
    }
}

//! Answers of many lines, told as their reader drains them: pawninfo, history, and what a rejoin brings.
//!
//! A game's log only grows, so the state at one moment is the log's length then: see [`Past`]. Names are those of
//! seats, which stay as they are once a game has begun; a game that is removed stays as it was until its place is
//! needed, and a link that is still being told of it then loses its place.

use super::Hall;
use super::rooms::{Room, RoomId};
use crate::outbox::Dumped;
use crate::yard::pieces::Pawn;
use crate::yard::rules::{Eye, Past};
use crate::yard::wire::{Said, Stage, Status};

/// Which lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Kind {
    #[default]
    Pawns,
    History,
    /// Both, then whose turn it is.
    Whole,
}

/// The state that is told. New, it is all zero bytes.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Snapshot {
    pub room: RoomId,
    kind: Kind,
    eye: Eye,
    /// Moves made until then.
    steps: u8,
    turn: u8,
    next: Pawn,
    is_over: bool,
}

impl Snapshot {
    pub const BLANK: Self =
        Self { room: 0, kind: Kind::Pawns, eye: Eye::Public, steps: 0, turn: 0, next: Pawn::X, is_over: false };

    /// Tells nothing: there are at most 62 games.
    #[cfg(feature = "postcard")]
    pub const SILENT: Self = Self { room: RoomId::MAX, ..Self::BLANK };

    pub fn take(room: RoomId, game: &Room, kind: Kind, eye: Eye) -> Self {
        let is_over = game.stage == Stage::Complete;
        let eye = if is_over { Eye::All } else { eye };
        let game = &game.game;
        // A log has at most 134 moves.
        let steps = game.log().len() as u8;
        Self { room, kind, eye, steps, turn: game.turn(), next: game.next(), is_over }
    }

    /// The line of this step.
    pub fn next<const A: usize, const G: usize>(&self, hall: &Hall<A, G>, step: &mut u16, room: &mut [u8]) -> Dumped {
        let Some(line) = self.line(hall, usize::from(*step)) else { return Dumped::Done };
        match line.write(room) {
            Some(n) => {
                *step += 1;
                Dumped::Frames(n)
            }
            None => Dumped::NoRoom,
        }
    }

    fn line<'a, const A: usize, const G: usize>(&self, hall: &'a Hall<A, G>, step: usize) -> Option<Said<'a>> {
        let room = hall.rooms.get(usize::from(self.room))?;
        let past = Past::new(&room.game, usize::from(self.steps), self.eye);
        let mut step = step;
        if self.kind != Kind::History {
            if let Some(pawn) = Pawn::ALL.get(step) {
                return Some(Said::Status(pawninfo(hall, room, past, *pawn)));
            }
            step -= Pawn::ALL.len();
        }
        if self.kind == Kind::Pawns {
            return None;
        }
        let lines = usize::from(past.turns()) + 1;
        if step < lines {
            let turn = step as u8;
            return Some(Said::Status(Status::History { turn, round: past.round(turn)? }));
        }
        match step - lines {
            0 => Some(Said::HistoryEnd),
            1 if self.kind == Kind::Whole && !self.is_over => Some(Said::Status(Status::TurnNum { turn: self.turn })),
            2 if self.kind == Kind::Whole && !self.is_over => Some(Said::Status(Status::Turn { pawn: self.next })),
            _ => None,
        }
    }
}

/// One pawn as this link may see it.
pub(super) fn pawninfo<'a, const A: usize, const G: usize>(
    hall: &'a Hall<A, G>,
    room: &'a Room,
    past: Past<'_>,
    pawn: Pawn,
) -> Status<'a> {
    let user = room.owner(pawn).map_or("", |account| hall.name(account));
    Status::PawnInfo { pawn, user, at: past.spot(pawn), purse: past.purse(pawn) }
}

//! A game as it stood when so many moves had been made, as one side sees it.
//!
//! The log only grows, so an answer that is told bit by bit needs no copy of the state: it remembers how long the log was.

use super::game::{Game, Step, is_reveal};
use super::{BLACKS, DOUBLES, TICKETS};
use crate::yard::map::Station;
use crate::yard::pieces::{Pawn, Ticket};
use crate::yard::wire::{Made, Purse, Round, Spot};

/// What may be seen of Mr. X.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Eye {
    /// What everybody may know.
    #[default]
    Public,
    /// Everything: his own player, and everybody once the game is over.
    All,
}

/// The first `steps` moves of a game.
#[derive(Clone, Copy)]
pub struct Past<'a> {
    game: &'a Game,
    steps: usize,
    eye: Eye,
}

impl<'a> Past<'a> {
    pub fn new(game: &'a Game, steps: usize, eye: Eye) -> Self {
        Self { game, steps, eye }
    }

    fn log(&self) -> impl Iterator<Item = Step> + Clone + 'a {
        self.game.log.iter().copied().take(self.steps)
    }

    /// Moves of Mr. X so far: a turn each.
    pub fn turns(&self) -> u8 {
        self.log().filter(|step| step.pawn() == Pawn::X).count() as u8
    }

    /// Where a pawn was, or that it was hidden. Mr. X is seen only if his latest move fell on a reveal turn.
    pub fn spot(&self, pawn: Pawn) -> Spot {
        let start = self.game.starts.get(pawn.index()).copied().unwrap_or_default();
        let at = self.log().filter(|step| step.pawn() == pawn).last().map_or(start, Step::to);
        self.show(pawn, at, self.turns())
    }

    fn show(&self, pawn: Pawn, at: Station, turn: u8) -> Spot {
        Spot((pawn != Pawn::X || self.eye == Eye::All || is_reveal(turn)).then_some(at))
    }

    /// The tickets that a pawn had left.
    pub fn purse(&self, pawn: Pawn) -> Purse {
        let spent = |ticket| self.log().filter(|step| step.pawn() == pawn && step.ticket() == ticket).count() as i8;
        if pawn == Pawn::X {
            let moves = self.log().map(Step::pawn);
            let doubles = moves.clone().zip(moves.skip(1)).filter(|two| *two == (Pawn::X, Pawn::X)).count() as i8;
            return Purse([-1, -1, -1, BLACKS as i8 - spent(Ticket::Black), DOUBLES as i8 - doubles]);
        }
        let [taxi, bus, underground] = TICKETS.map(|count| count as i8);
        let spent = [Ticket::Taxi, Ticket::Bus, Ticket::Underground].map(spent);
        let [a, b, c] = spent;
        Purse([taxi - a, bus - b, underground - c, 0, 0])
    }

    /// The history's line of this turn; 0 is the starts. `None`: that turn had no move yet.
    pub fn round(&self, turn: u8) -> Option<Round> {
        let mut round = Round::default();
        if turn == 0 {
            for (pawn, start) in Pawn::ALL.into_iter().zip(self.game.starts) {
                round.set(pawn, Made { to: self.show(pawn, start, 0), ticket: None });
            }
            return Some(round);
        }
        let mut counted = 0;
        for step in self.log() {
            counted += u8::from(step.pawn() == Pawn::X);
            if counted == turn {
                let to = self.show(step.pawn(), step.to(), turn);
                round.set(step.pawn(), Made { to, ticket: Some(step.ticket()) });
            }
        }
        (counted >= turn).then_some(round)
    }
}

//! What holds for every game at any time, for tests and simulations.

use super::game::{Game, LAST_TURN, Outcome};
use super::past::{Eye, Past};
use super::{BLACKS, TICKETS};
use crate::yard::pieces::{Pawn, Ticket};
use crate::yard::wire::Spot;

impl Game {
    /// Tickets and moves add up, the log leads to where the pawns are, no two detectives share a station.
    pub fn audit(&self) -> Result<(), &'static str> {
        let must = |holds: bool, otherwise| if holds { Ok(()) } else { Err(otherwise) };
        let past = Past::new(self, self.log.len(), Eye::All);
        for pawn in Pawn::ALL {
            must(past.spot(pawn) == Spot(Some(self.at(pawn))), "a pawn is not where its moves lead")?;
            must(past.purse(pawn) == self.purse(pawn), "tickets and moves do not add up")?;
        }
        for (n, pawn) in Pawn::DETECTIVES.iter().enumerate() {
            let others = Pawn::DETECTIVES.iter().skip(n + 1);
            must(!others.into_iter().any(|other| self.at(*other) == self.at(*pawn)), "two detectives share a station")?;
            let made = self.log.iter().filter(|step| step.pawn() == *pawn).count();
            let left: u8 = self.purse(*pawn).0.iter().map(|count| *count as u8).sum();
            must(made + usize::from(left) == usize::from(TICKETS.iter().sum::<u8>()), "a detective's tickets")?;
        }
        let blacks = self.log.iter().filter(|step| step.ticket() == Ticket::Black).count();
        must(blacks + usize::from(self.blacks) == usize::from(BLACKS), "black tickets")?;
        must((self.outcome == Outcome::Caught) == self.catcher().is_some(), "caught and not caught")?;
        let due = past.turns() + u8::from(self.next == Pawn::X && self.outcome == Outcome::Open);
        must(self.turn == due && self.turn <= LAST_TURN, "the turn's number")?;
        must(self.outcome != Outcome::Open || self.moves(self.next).next().is_some(), "nobody can move")
    }
}

//! A player like any other: it looks at a [`View`] and says what it would send.
//!
//! [`Bot::next`] says at most one command and is called again whenever something was received. It never panics, allocates
//! or draws on anything but its view and its seed: the same lines give the same game.
//!
//! [`Strength::Random`] makes any move that the rules allow. [`Strength::Shrewd`] knows where Mr. X can be: as a detective
//! it closes in on those stations, as Mr. X it keeps them many and the detectives far.

mod detective;
mod distance;
mod mr_x;
pub mod session;

use crate::game;

use super::pieces::Pawn;
use super::view::View;
use super::wire::{Command, Hop};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    Random,
    Shrewd,
}

impl From<game::Strength> for Strength {
    fn from(strength: game::Strength) -> Self {
        match strength {
            game::Strength::Plain => Self::Random,
            game::Strength::Shrewd => Self::Shrewd,
        }
    }
}

/// What a bot would do: one ride, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    first: Hop,
    second: Option<Hop>,
}

#[derive(Clone, Debug)]
pub struct Bot {
    strength: Strength,
    state: u32,
    /// The question that was answered last: how much had moved, and whose turn it was.
    asked: Option<(u16, Pawn)>,
}

impl Bot {
    pub const fn new(strength: Strength, seed: u32) -> Self {
        Self { strength, state: seed ^ 0x9E37_79B9, asked: None }
    }

    pub const fn strength(&self) -> Strength {
        self.strength
    }

    /// What it would say now, if anything: each question is answered once.
    pub fn next(&mut self, view: &View) -> Option<Command<'static>> {
        let pawn = view.to_move()?;
        if self.asked.replace((view.moves(), pawn)) == Some((view.moves(), pawn)) {
            return None;
        }
        let plan = match (self.strength, pawn) {
            (Strength::Random, _) => self.any(view, pawn),
            (Strength::Shrewd, Pawn::X) => mr_x::plan(view, self.chance(1 << 16)),
            (Strength::Shrewd, _) => detective::plan(view, pawn, self.chance(1 << 16)),
        };
        let Plan { first, second } = plan.or_else(|| self.any(view, pawn))?;
        Some(match second {
            Some(second) => Command::DoubleMove { pawn: None, first, second },
            None => Command::Move { pawn: None, hop: first },
        })
    }

    /// Call it when nothing came for long, and after a reconnection: what was said may be said again.
    pub fn nudge(&mut self) {
        self.asked = None;
    }

    /// Any move at all.
    fn any(&mut self, view: &View, pawn: Pawn) -> Option<Plan> {
        let count = view.hops(pawn).count();
        let first = view.hops(pawn).nth(self.chance(count as u32) as usize)?;
        Some(Plan { first, second: None })
    }

    /// A number below `bound`; 0 for a bound of 0.
    fn chance(&mut self, bound: u32) -> u32 {
        // Numerical Recipes' generator: its high bits are good enough to pick a street.
        self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.state >> 8).checked_rem(bound).unwrap_or_default()
    }
}

/// A small number that differs from hop to hop: breaks ties without favouring low stations.
fn whim(seed: u32, hop: Hop) -> i32 {
    let mixed = (seed ^ u32::from(hop.to.number()) << 3 ^ hop.ticket as u32).wrapping_mul(0x9E37_79B1);
    (mixed >> 28) as i32
}

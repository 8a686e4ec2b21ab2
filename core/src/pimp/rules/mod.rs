//! The rules of the game: state and actions to events. Knows no byte and no connection.
//!
//! [`Game::apply`] is all or nothing: it checks first, then commits; a refused action leaves the state as it was.
//! Actions are the client's messages and events are the server's, as the table in `wire` types them: a second
//! vocabulary would say the same 140 things in other words.
//!
//! What can never happen here: a panic, an allocation, unbounded work.

mod apply;
mod auction;
mod audit;
mod cards;
mod claims;
mod deal;
mod estate;
mod game;
mod houses;
mod idle;
mod jail;
mod leave;
mod money;
mod mortgage;
mod options;
#[cfg(test)]
mod random_play;
mod sale;
mod tax;
#[cfg(test)]
mod testing;
mod throw;
mod turn;
mod walk;
mod worth;

pub use deal::{Cause, Deal, Deals, Side, Step};
pub use game::{CLAIMS, Claim, ClaimKind, Game, PLAYERS, Phase, Player, Standing};
pub use leave::TransferTo;
pub use options::Options;

use super::wire::Message;
use crate::dice::Dice;

/// A user's number on the wire; 0 is the bank.
pub type UserId = u8;
pub const BANK: UserId = 0;

/// Where events go. The rules name users; connections are not their concern.
pub trait Herald {
    fn all(&mut self, event: Message<'_>);
    fn one(&mut self, user: UserId, event: Message<'_>);
}

/// Why an action did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not now, or not from this player: the server answers UNEXPECTED_MESSAGE.
    Unexpected,
    /// An id that means nothing: the server answers INVALID_PAYLOAD.
    Invalid,
    /// The rules have told the player why, with the protocol's own error.
    Told,
}

pub type Verdict = Result<(), Refusal>;

/// What an action needs beside the state.
pub struct Cx<'a, H> {
    pub dice: &'a mut Dice,
    pub options: &'a Options,
    pub out: &'a mut H,
}

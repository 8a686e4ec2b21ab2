//! The rules of the game: moves to events. Knows no byte and no connection.
//!
//! [`Game::apply`] is all or nothing: it checks first, then commits; a refused move leaves the state as it was. A game is
//! its starts and its log: everything else follows from them, so a saved game is played again when it is loaded.
//!
//! What can never happen here: a panic, an allocation, unbounded work.

mod audit;
mod game;
mod past;
#[cfg(test)]
mod random_play;
mod sight;
#[cfg(test)]
mod tests;

pub use game::{Event, Game, LAST_TURN, LOG_MAX, Outcome, Refusal, Step, is_reveal};
pub use past::{Eye, Past};
pub use sight::Sight;

/// What a detective starts with: taxi, bus, underground.
pub const TICKETS: [u8; 3] = [10, 8, 4];
/// Mr. X's black tickets and double moves; of the others he has no end.
pub const BLACKS: u8 = 5;
pub const DOUBLES: u8 = 2;

//! Tests that a player can read: files of table talk, held with any backend.
//!
//! The files stand in `tests/conversations`, and the README beside them says how they are written. A file chooses its
//! table (dice, cards, house rules) in its header; [`Conversation::run`] then speaks and listens, line by line.

mod coverage;
mod ledger;
mod parse;
mod run;
mod short;
mod table;
mod text;

pub use coverage::Coverage;
pub use parse::{Conversation, Limits, Need, Setup};

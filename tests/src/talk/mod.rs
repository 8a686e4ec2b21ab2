//! Tests that a player can read, for the games that talk in lines: what is said and heard stands in the files as it is.
//!
//! The files stand in `tests/conversations/yard`, and the README beside them says how they are written.

mod parse;
mod run;
mod table;

pub use parse::{Conversation, Setup};
pub use run::Heard;

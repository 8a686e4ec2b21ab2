//! Scotland Yard over the line protocol of London Law, version 2.0.
//!
//! Sections cited as "yard Moves" are those of the protocol's decided points; "the document" is the protocol as written.

pub mod bot;
pub mod limits;
pub mod map;
pub mod pieces;
mod player;
pub mod rules;
pub mod server;
pub mod view;
pub mod wire;

pub use player::Player;

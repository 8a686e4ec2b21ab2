//! Monopoly over PIMP, the Portable Internet Monopoly Protocol.
//!
//! `pimp 16.3` in a comment is a section of PROTOCOL.md beside this file, which [`wire`] shows; "the document" is the
//! protocol as it was published.

pub mod board;
pub mod bot;
pub mod limits;
pub mod lobby;
mod player;
pub mod rules;
pub mod server;
pub mod view;
pub mod wire;

pub use player::Player;

//! Scotland Yard over the line protocol of London Law, version 2.0.
//!
//! `yard 3.2` in a comment is a section of PROTOCOL.md beside this file, which [`wire`] shows; "the document" is the
//! protocol as it was published.

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

//! Monopoly over PIMP, the Portable Internet Monopoly Protocol.

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

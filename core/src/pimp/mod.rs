//! Monopoly over PIMP, the Portable Internet Monopoly Protocol.

pub mod board;
pub mod bot;
pub mod lobby;
pub mod rules;
pub mod server;
pub mod view;
pub mod wire;

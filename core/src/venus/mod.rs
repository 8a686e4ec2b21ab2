//! Merchant of Venus over the comma lines of AlbertsGameMachine.
//!
//! Sections cited as "venus 12.3" are those of PROTOCOL.md; "the document" is the protocol as written.

pub mod board;
pub mod bot;
pub mod limits;
pub mod pieces;
pub mod player;
pub mod rules;
pub mod server;
pub mod tokens;
pub mod view;
pub mod wire;

//! Scotland Yard: how its conversations are written, players who speak the protocol, and games of theirs.

pub mod arena;
mod client_data;
mod dialect;
mod made;
mod mirror;
pub mod player;
mod reading;
pub mod sim;
pub mod told;

pub use dialect::Dialect;

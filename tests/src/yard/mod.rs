//! Scotland Yard with any server in this process: players who speak the protocol, and games of theirs.

pub mod arena;
pub mod player;
pub mod sim;
pub mod tcp;
pub mod told;

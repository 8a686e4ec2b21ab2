//! Lines to commands and statuses, and back. Knows no rule.
//!
//! What can never happen here: a panic, an allocation. Reading is total over all byte strings; what we write is read
//! back as it was.
//!
//! `table.rs` lists every line there is; `field.rs` says how each kind of argument is written. What each means, from
//! PROTOCOL.md in the folder above:
#![doc = include_str!("../PROTOCOL.md")]

mod field;
mod protocol;
mod said;
mod table;
#[cfg(test)]
mod tests;

pub use field::{Field, Hop, Made, Purse, Round, Spot, Stage, Vote};
pub use protocol::PROTOCOL;
pub use said::{Reply, Said};
pub use table::{COMMANDS, Command, NoCommand, Put, STATUSES, Status};

/// The longest line a client may send, without its end.
pub const LINE_MAX: usize = 4096;
/// A user's name: at most 25 characters (yard 2.4) and 75 bytes, so that a record has a size.
pub const USER_CHARS: usize = 25;
pub const USER_BYTES: usize = 75;
/// A game's name: at most 40 characters and 120 bytes.
pub const GAME_CHARS: usize = 40;
pub const GAME_BYTES: usize = 120;

/// The longest line sent where a client's longest line has `line` bytes: chat, with every byte of name and text
/// escaped: 11 /* "* chatteam " */ + 2 * 75 + 2 /* name */ + 1 + 2 * line + 2 /* text */ + 2 /* CRLF */.
pub const fn longest_said(line: usize) -> usize {
    11 + 2 * USER_BYTES + 2 + 1 + 2 * line + 2 + 2
}

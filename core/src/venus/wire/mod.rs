//! Lines to actions and events, and back. Knows no rule and no board: spaces and systems are names here.
//!
//! What can never happen here: a panic, an allocation. Reading is total over all byte strings; what we write is read
//! back as it was.
//!
//! `table.rs` lists every line there is; `field.rs` says how each kind of field is written, `token.rs` and `steps.rs`
//! the two that are lists of their own.

mod field;
mod protocol;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod token;

pub use field::{Field, Left, Names, Order};
pub use protocol::PROTOCOL;
pub use steps::{Destinations, Step};
pub use table::{ACTIONS, Action, EVENTS, Event, NoAction, Put, Verb};

/// The longest line a client may send, without its end (venus 1.5); a board may choose less.
pub const LINE_MAX: usize = 1024;
/// The least that a board may choose: the longest action, a token with its name, is shorter.
pub const LINE_MIN: usize = 256;

/// The longest names and texts, in bytes (venus 3.2).
pub const USER_MAX: usize = 20;
pub const ROOM_MAX: usize = 24;
pub const PASSWORD_MAX: usize = 64;
pub const TALK_MAX: usize = 200;
pub const SAVE_MAX: usize = 32;

/// The longest MESSAGE before it is escaped: `(USER to room 'ROOM') TEXT`.
pub const MESSAGE_MAX: usize = 1 + USER_MAX + 10 + ROOM_MAX + 3 + TALK_MAX;
/// The longest line but SAVEGAMES, every byte of MESSAGE escaped: 8 /* "MESSAGE," */ + text + 1 /* LF */. DESTINATION has
/// at most 11 /* neighbours and gates */ * 28 bytes.
const LONGEST_SAID: usize = 8 + 2 * MESSAGE_MAX + 1;

/// The longest line sent where so many games can be saved: 10 /* "SAVEGAMES," */ + the names, and a comma behind each.
pub const fn longest_line(saves: usize) -> usize {
    let list = 10 + saves * (SAVE_MAX + 2) + 1;
    if list > LONGEST_SAID { list } else { LONGEST_SAID }
}

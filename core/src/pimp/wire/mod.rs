//! Bytes to messages and back. Knows no rule.
//!
//! What can never happen here: a panic, an allocation, a copy of a payload. Decoding is total over all byte strings;
//! [`Message::from_client`] and [`Message::from_server`] tell an unknown code from one that is the other end's to
//! send. What we encode is of exact length, at most the message's [`MaxLen`].
//!
//! The list of all messages, from MESSAGES.md beside this file:
#![doc = include_str!("MESSAGES.md")]
#![doc = include_str!("../PROTOCOL.md")]

mod field;
mod framer;
mod message;
mod protocol;
mod table;

pub use field::{Kind, LOTS_MAX, Lot, Lots, NAME_MAX, Name};
pub use framer::{Endless, Frame, Framer, codes};
pub use message::{Direction, Entry, FRAME_MAX, FieldEntry, Flaw, HEADER, MaxLen, Message, TABLE};
pub use protocol::PROTOCOL;

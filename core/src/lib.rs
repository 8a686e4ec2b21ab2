//! parlor's core: every byte format and every rule of the games, and nothing else.
//!
//! No std, no allocation, no unsafe code, no clock, no socket, no entropy of its own. The rooms:
//!
//! - [`server`] is the trait that an adapter drives; its head says how.
//! - [`game`] is what an adapter lists: a server with its name, port, settings, saves and players.
//! - [`settings`](mod@settings) is one table of settings a game.
//! - [`outbox`] keeps bounded outgoing bytes, shared by all games.
//! - [`dice`] is the only randomness: seeded, portable bit for bit.
//! - [`lobby`] places newcomers at any number of tables behind one address.
//! - [`id_space`] keeps the secrets of a lobby's tables apart.
//! - [`text`] is a short text in a place of a fixed size.
//! - [`throttle`] counts by address what nobody should do often.
//! - [`echo`] is the smallest server there is: read it first.
//! - [`protocol`] is a game's wire format as data, for what is generated from it.
//! - [`lines`] cuts, splits and writes lines, for the games that talk in them.
//! - [`mdns`] is being found by a name, as bytes, for adapters that announce themselves.
//! - [`web`] is HTTP and WebSocket as bytes, for adapters that serve pages.
//! - [`pimp`] is Monopoly.
//! - [`yard`] is Scotland Yard.
//! - [`venus`] is Merchant of Venus.
//!
//! A game's capacities are in its own `limits`.
//!
//! With the feature `postcard`, `save` keeps a table in a file.
//!
#![doc = include_str!("../ARCHITECTURE.md")]
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::string_slice,
        clippy::indexing_slicing
    )
)]
#[cfg(any(test, feature = "testing"))]
extern crate std;

mod accounts;
mod bounded;
mod bytes;
pub mod dice;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod driver;
pub mod echo;
mod fmt;
pub mod game;
pub mod id_space;
pub mod lines;
pub mod lobby;
pub mod mdns;
pub mod names;
pub mod outbox;
mod pacing;
pub mod pimp;
pub mod protocol;
#[cfg(feature = "postcard")]
pub mod save;
pub mod server;
pub mod settings;
pub mod text;
pub mod throttle;
pub mod venus;
pub mod web;
pub mod yard;

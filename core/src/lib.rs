//! parlor's core: every byte format and every rule of the games, and nothing else.
//!
//! No std, no allocation, no unsafe code, no clock, no socket, no entropy of its own.
//!
//! # A guided tour
//!
//! Seven stops, in the order in which they build on each other. Each names what to read there and what to do with it.
//!
//! 1. **Bytes in, bytes out.** [`echo`] is the smallest server there is: read it whole, it fits a few screens. The first of the
//!    [examples](#examples) below drives it.
//! 2. **The contract.** [`server`] is the trait behind which every game stands; its head is the loop that an adapter must run, in
//!    seven sentences. An adapter for another system is that loop and nothing else.
//! 3. **Who hears what.** [`outbox`] keeps what is said: one ring for what many hear, a slot for each link's answers, a cursor for
//!    each reader. It is why no link waits for a reader that stops.
//! 4. **Chance and time.** [`dice`] is the only randomness, seeded and the same on every machine; time is an argument of every call.
//!    [`fair`] is how everybody can check afterwards that no throw was chosen.
//!    [`throttle`] counts by address what nobody should do often.
//! 5. **A wire format.** [`lines`] cuts, splits and writes lines, for games that talk in them; [`text`] is a short text in a place of
//!    a fixed size. [`protocol`] is a format as data: documents, pages and Wireshark's dissector are made from it.
//! 6. **A game.** [`game`] is what an adapter lists: a server with its name, port, saves and players; [`settings`](mod@settings) is
//!    its table of settings. Then read one: [`yard`] is Scotland Yard, [`pimp`] Monopoly, [`venus`] Merchant of Venus. Each has its
//!    `wire`, `rules`, `server`, `view` and `bot`, and its capacities in `limits`, as sums.
//! 7. **Around games.** [`lobby`] places newcomers at any number of tables behind one address, and [`id_space`] keeps the secrets of
//!    those tables apart; [`web`] is HTTP and WebSocket as bytes, for adapters that serve pages, and [`mdns`] how
//!    they are found by a name; with the feature `postcard`, `save`
//!    keeps a table in a file.
//!
//! To write a game of your own, take the last step of the course in `firmware/learn`, Nim in an afternoon: rules, wire, server and
//! bot on nothing but what is public here. The course's other steps come to this crate from below, beginning with a frame on a wire.
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
pub mod fair;
mod finding;
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
pub mod sha256;
pub mod text;
pub mod throttle;
pub mod venus;
pub mod web;
pub mod yard;

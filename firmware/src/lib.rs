//! What every board shares: tables driven through core's [`Server`](parlor_core::server::Server) over embassy-net.
//!
//! A board brings pins, clocks and a network driver; nothing here names a chip, and nothing but [`settings`] knows a game.
//! embassy's tasks can't be generic, so these are plain async functions that a board wraps in tasks of its own:
//!
//! - [`table`]: a game's one server value, and what wakes its links.
//! - [`serve`]: a link's whole life from accept to close, and the tables' clock.
//! - [`address`]: DHCP, with a fixed address where nobody answers.
//! - [`lamp`]: what a lamp says about cable, address and talk.
//! - [`options`]: `key=value` words from whoever started the image.
//! - [`settings`]: those of them that are a game's.
//! - [`liveness`]: what a watchdog is fed for.
//! - [`gate`]: output held back, as where a journal is written.
//! - [`entropy`]: many weak sources, one seed.
//! - [`hash`]: what a table asks of its adapter.
//! - `shelf`, `keep`: saved games in flash (feature `keep`).
//! - `w5500`: an Ethernet chip on SPI (feature `w5500`).
//! - [`watermark`]: how deep the stack has ever been.
#![no_std]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)
)]
#[cfg(test)]
extern crate std;

mod fmt;

pub mod address;
pub mod entropy;
pub mod gate;
pub mod hash;
#[cfg(feature = "keep")]
pub mod keep;
pub mod lamp;
pub mod liveness;
pub mod options;
pub mod serve;
pub mod settings;
#[cfg(feature = "keep")]
pub mod shelf;
pub mod table;
#[cfg(feature = "w5500")]
pub mod w5500;
pub mod watermark;

//! What every board shares: tables driven through core's [`Server`](parlor_core::server::Server) over embassy-net.
//!
//! A board brings pins, clocks and a network driver; nothing here names a chip but its driver, and nothing but [`games`]
//! knows a game. embassy's tasks can't be generic, so these are plain async functions, and [`board!`] makes a board's
//! tasks and statics of them:
//!
//! - [`games`]: the list of games, and all of them as one value.
//! - `bots`: players of the board's own (feature `bots`).
//! - `button`: held, it makes the board forget everything (feature `settings`).
//! - [`links`]: one pool of links for games, WebSocket and pages; the clock and the watchdog.
//! - [`backlog`], [`cookies`]: calls that no listener can take are overheard, a flood of them answered without memory.
//! - `settings`: what its owner chooses in a browser (feature `settings`).
//! - [`shared`]: the games behind a cell.
//! - [`address`], [`link_local`]: DHCP, with an address of the board's own choice where no server answers.
//! - [`lamp`]: what a lamp says about cable, address and talk.
//! - [`options`]: `key=value` words from the start of the image.
//! - [`liveness`]: what a watchdog is fed for.
//! - [`entropy`]: many weak sources, one seed.
//! - [`hash`]: what a game asks of its adapter.
//! - `mdns`: the board is found as parlor.local (feature `mdns`).
//! - `memory`: memory is moved in few instructions (feature `small-memory`).
//! - `store`, `autosave`: saved games in flash (feature `autosave`).
//! - `w5500`: an Ethernet chip on SPI (feature `w5500`).
//! - `bad_wire`: a network that is bad on purpose (feature `bad-wire`).
//! - [`watermark`]: how deep the stack has ever been.
//! - [`bare`]: a board that serves nothing, as a yardstick.
#![no_std]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)
)]
#[cfg(test)]
extern crate std;

mod fmt;

pub mod address;
#[cfg(feature = "autosave")]
pub mod autosave;
pub mod backlog;
#[cfg(feature = "bad-wire")]
pub mod bad_wire;
pub mod bare;
pub mod board;
#[cfg(feature = "bots")]
pub mod bots;
#[cfg(feature = "settings")]
pub mod button;
mod calls;
pub mod cookies;
pub mod entropy;
pub mod games;
pub mod hash;
pub mod lamp;
pub mod link_local;
pub mod links;
pub mod liveness;
#[cfg(feature = "mdns")]
pub mod mdns;
#[cfg(any(test, feature = "small-memory"))]
mod memory;
pub mod options;
#[cfg(feature = "settings")]
pub mod settings;
pub mod shared;
#[cfg(feature = "autosave")]
pub mod store;
#[cfg(feature = "w5500")]
pub mod w5500;
pub mod watermark;

//! The std adapter: sockets, TLS, clock and entropy for the games of parlor-core.
//!
//! - [`cli`] and [`config`]: what can be asked for, by flag, environment and file.
//! - [`games`]: where a game is registered. [`house`]: the tables of this process.
//! - [`net`]: one table and its connections. [`door`]: who comes in. [`tls`] and [`ws`]: what they speak.
//! - [`http`]: health, metrics, tables; `web`: the page. [`serve`]: all of it together.
//! - [`client`], [`bot`], [`status`]: the other end.
//!
//! Nothing that serves looks inside a message; a bot does, for it is a player.

mod access;
pub mod bot;
pub mod cli;
pub mod client;
pub mod config;
pub mod door;
pub mod games;
pub mod house;
pub mod http;
mod metrics;
pub mod net;
mod notify;
pub mod serve;
pub mod status;
pub mod tls;
mod web;
pub mod ws;

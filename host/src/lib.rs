//! The std adapter: sockets, TLS, clock and entropy for the games of parlor-core.
//!
//! - [`cli`] and [`config`]: what can be asked for, by flag, environment and file.
//! - [`games`]: where a game is registered. [`house`]: the tables of this process.
//! - [`lobby`]: any number of tables behind one port.
//! - [`net`]: one table and its connections. [`door`]: who comes in. [`tls`] and [`ws`]: what they speak.
//! - [`vault`]: passwords, hashed. [`yard`]: what Scotland Yard asks of the host.
//! - [`journal`]: what makes games outlive the process. [`replay`]: tells one.
//! - [`frames`]: what they say, counted.
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
pub mod frames;
pub mod games;
pub mod house;
pub mod http;
pub mod journal;
pub mod lobby;
mod metrics;
pub mod net;
mod notify;
pub mod replay;
pub mod serve;
pub mod status;
pub mod table_id;
pub mod tls;
pub mod vault;
mod web;
pub mod ws;
pub mod yard;

//! The std adapter: sockets, TLS, clock and entropy for the games of parlor-core.
//!
//! - [`cli`] and [`config`]: what can be asked for, by flag, environment and file.
//! - [`games`]: the one list of games. [`flags`]: what can be asked of them. [`registry`]: every server of this process.
//! - [`placement`]: any number of tables behind one port.
//! - [`net`]: one table and its connections. [`door`]: who comes in. [`tls`] and [`ws`]: what they speak.
//! - [`services`]: what a game may ask for: [`vault`], passwords hashed; [`house_bots`], bots.
//! - [`journal`]: what makes games outlive the process. [`replay`]: tells one.
//! - [`frames`]: what they say, counted.
//! - [`http`]: health, metrics, tables; `web`: the page. [`serve`]: all of it together.
//! - [`client`], [`bot`], [`status`], [`inspect`]: the other end. [`dissector`]: the protocols, for Wireshark.
//! - [`bad_wire`]: a network that is bad on purpose.
//!
//! Nothing that serves looks inside a message; a bot does, for it is a player.

mod access;
pub mod bad_wire;
pub mod bot;
pub mod cli;
pub mod client;
pub mod config;
pub mod dissector;
pub mod door;
pub mod flags;
pub mod frames;
pub mod games;
pub mod house_bots;
pub mod http;
pub mod inspect;
pub mod journal;
mod metrics;
pub mod net;
mod notify;
pub mod placement;
pub mod registry;
pub mod replay;
pub mod serve;
pub mod services;
pub mod status;
pub mod table_id;
pub mod tls;
pub mod vault;
mod web;
pub mod ws;

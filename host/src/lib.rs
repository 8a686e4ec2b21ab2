//! The std adapter: sockets, TLS, clock and entropy for the games of parlor-core.
//!
//! - [`program`]: what a command line leads to. [`cli`] and [`config`]: what can be asked for, by flag, environment and file.
//! - [`games`]: the one list of games. [`flags`]: what can be asked of them. [`registry`]: every server of this process.
//! - [`placement`]: any number of tables behind one port.
//! - [`net`]: one table and its connections. [`door`]: how connections come in. [`tls`] and [`ws`]: what they speak.
//!   `proxy_protocol`: a proxy's word on its client.
//! - [`services`]: what a game may ask for: [`vault`], passwords hashed; [`house_bots`], bots.
//! - [`journal`]: what makes games outlive the process. [`replay`]: tells one.
//! - [`frames`]: what they say, counted.
//! - [`http`]: health, metrics, tables; `admin` and `bans`: what the owner may do; `web`: pages; `front`: games now;
//!   `network`: where friends come in; `mdns`: by which name; `talk`: what they say beside a game; `webhook`: turns,
//!   told elsewhere. [`serve`]: all of it together.
//! - `quiet`: log lines that strangers can cause.
//! - [`client`], [`bot`], [`status`], [`operator`], [`inspect`]: the other end. [`dissector`]: the protocols, for Wireshark.
//! - [`shards`] and `cluster`: tables beyond one machine.
//! - [`bad_wire`]: a network that is bad on purpose. `pcap`: what connections say, for Wireshark.
//!
//! Nothing that serves looks inside a message; a bot does, for it is a player.

pub mod access;
mod admin;
pub mod bad_wire;
mod bans;
pub mod bot;
pub mod cli;
pub mod client;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod config;
pub mod dissector;
pub mod door;
pub mod fair;
pub mod flags;
pub mod frames;
mod front;
pub mod games;
pub mod house_bots;
pub mod http;
pub mod inspect;
pub mod journal;
mod mdns;
mod metrics;
pub mod net;
mod network;
mod notify;
pub mod operator;
pub mod pcap;
pub mod placement;
mod ports;
pub mod program;
mod proxy_protocol;
mod quiet;
pub mod registry;
mod reload;
pub mod replay;
pub mod serve;
pub mod services;
pub mod shards;
pub mod status;
pub mod table_id;
mod talk;
mod task;
pub mod tls;
pub mod vault;
pub mod verify;
mod web;
mod webhook;
pub mod ws;

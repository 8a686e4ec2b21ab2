//! The real program over real sockets, and what it is made of: one binary, as each would link the whole host again. A file is a
//! module, so its name picks its tests: `cargo nextest run -p parlor --test program restart::`.

#[path = "../common/mod.rs"]
mod common;

mod bad_wire;
mod bots;
mod commands;
mod conversations;
mod echo;
#[cfg(feature = "example-game")]
mod example_game;
mod fair;
mod faults;
mod formats;
mod front;
mod hostile;
mod http;
mod kill;
mod lobby;
mod mdns;
mod operators;
mod passwords;
mod pcap;
mod proxies;
mod proxy_protocol;
mod restart;
mod serve;
mod siege;
mod stores;
mod strangers;
mod transports;
mod venus;
mod webhooks;
mod yard;

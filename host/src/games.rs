//! Where a game is registered: everything the rest of the host must know of it. A new game is a new entry here, its two
//! flags in `cli.rs` and its line in [`asked`].

use std::net::SocketAddr;
use std::sync::Arc;

use parlor_core::limits::HostTable;
use parlor_core::server::Millis;
use tokio::io::DuplexStream;

use crate::bot::Seat;
use crate::cli::{Serve, Strength, addresses};
use crate::config::Rules;
use crate::net::{Room, Shared, Task};

/// How a game's bytes travel in WebSocket messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    Binary,
    /// For games of lines.
    Text,
}

/// One game, as the host knows it. Default ports stand with the flags.
pub struct Game {
    /// As flags, paths and metrics name it.
    pub name: &'static str,
    pub words: Words,
    pub make: fn(seed: &[u8; 32], rules: &Rules) -> Arc<dyn Room>,
    /// A bot of this name and strength that plays over the stream until its game is over.
    pub bot: fn(stream: DuplexStream, name: String, strength: Strength, seed: u32) -> Task,
}

/// Monopoly.
pub static PIMP: Game = Game { name: "pimp", words: Words::Binary, make: make_pimp, bot: play_pimp };

fn make_pimp(seed: &[u8; 32], rules: &Rules) -> Arc<dyn Room> {
    let mut table = HostTable::new();
    table.begin(seed, &rules.pimp, Millis(0));
    Arc::new(Shared::new(table, HostTable::LINKS))
}

fn play_pimp(mut stream: DuplexStream, name: String, strength: Strength, seed: u32) -> Task {
    Box::pin(async move {
        let end = Seat::new(&name, strength.into(), seed).play(&mut stream).await;
        tracing::debug!(name, ?end, "a bot has left");
    })
}

/// A game's ports, as asked for.
pub struct Ports {
    pub game: &'static Game,
    pub tcp: Vec<SocketAddr>,
    pub ws: Vec<SocketAddr>,
}

/// Every game with the ports it is to have.
pub fn asked(serve: &Serve) -> Vec<Ports> {
    let network = &serve.network;
    vec![Ports { game: &PIMP, tcp: addresses(&network.pimp), ws: addresses(&network.pimp_ws) }]
}

//! Where a game is registered: everything the rest of the host must know of it. A new game is a new entry here, its two
//! flags in `cli.rs` and its line in [`asked`].
//!
//! A game has tables, each a server with a number and ports; or a hall, one server on one port for all games played.

use std::net::SocketAddr;

use parlor_core::game::Game as _;
use parlor_core::pimp::limits::{HostTable, LobbyTable};
use parlor_core::pimp::wire::{HEADER, Message};
use parlor_core::server::Millis;
use parlor_core::yard::limits::HostYard;
use tokio::io::DuplexStream;

use crate::bot::Seat;
use crate::cli::{Serve, Strength, addresses};
use crate::config::Rules;
use crate::frames::Frames;
use crate::journal::{Rest, Resting};
use crate::net::Task;
use crate::yard;

/// How a game's bytes travel in WebSocket messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    Binary,
    /// For games of lines.
    Text,
}

/// Plays over a stream.
pub type Play = fn(stream: DuplexStream, name: String, strength: Strength, seed: u32) -> Task;

/// One game, as the host knows it. Default ports stand with the flags.
pub struct Game {
    /// As flags, paths and metrics name it.
    pub name: &'static str,
    pub words: Words,
    /// It has a hall, of this number in the journal; `None`: it has tables.
    pub hall: Option<u32>,
    /// A new table, not yet opened.
    pub make: fn(seed: &[u8; 32], rules: &Rules) -> Box<dyn Resting>,
    /// A table that has not begun: what a frozen one is thawed to.
    pub blank: fn() -> Box<dyn Resting>,
    /// A bot of this name and strength that plays at a table over the stream until its game is over. A hall has none: it
    /// asks for bots itself.
    pub bot: Option<Play>,
    /// Those of all its tables.
    pub frames: &'static Frames,
    /// Cuts bytes of a table into what was said; no password is told.
    pub tell: fn(bytes: &[u8], by_client: bool) -> Vec<Saying>,
}

/// One thing said, for people to read.
pub struct Saying {
    pub words: String,
    pub raw: Vec<u8>,
}

/// Monopoly.
pub static PIMP: Game = Game {
    name: "pimp",
    words: Words::Binary,
    hall: None,
    make: make_pimp,
    blank: || Box::new(rest(Box::new(HostTable::new()))),
    bot: Some(play_pimp),
    frames: &PIMP_FRAMES,
    tell: tell_pimp,
};

pub static PIMP_FRAMES: Frames = Frames::of::<HostTable>();

/// Monopoly at the tables of a lobby: smaller, and many. Nobody asks for one by name.
pub static PIMP_LOBBY: Game = Game {
    name: "pimp-lobby",
    make: |seed, rules| {
        let mut table = Box::new(LobbyTable::new());
        table.begin(seed, &rules.pimp, Millis(0));
        Box::new(rest_in_lobby(table))
    },
    blank: || Box::new(rest_in_lobby(Box::new(LobbyTable::new()))),
    ..PIMP
};

pub fn rest_in_lobby(table: Box<LobbyTable>) -> Rest<LobbyTable> {
    Rest::new(table, LobbyTable::LINKS).counting(&PIMP_FRAMES)
}

/// Scotland Yard.
pub static YARD: Game = Game {
    name: "yard",
    words: Words::Text,
    // Beyond the tables of the house and those of the lobby.
    hall: Some(1 << 25),
    make: |seed, rules| {
        let mut yard = Box::new(HostYard::new());
        yard.begin(seed, &rules.yard);
        Box::new(rest_in_yard(yard))
    },
    blank: || Box::new(rest_in_yard(Box::new(HostYard::new()))),
    bot: None,
    frames: &YARD_FRAMES,
    tell: yard::tell,
};

static YARD_FRAMES: Frames = Frames::of::<HostYard>();

fn rest_in_yard(yard: Box<HostYard>) -> Rest<HostYard> {
    Rest::new(yard, HostYard::LINKS).counting(&YARD_FRAMES)
}

/// Every player of every game in progress in a hall, by game and name.
pub fn players(rest: &dyn Resting) -> Vec<(String, String)> {
    let mut players = Vec::new();
    if let Some(yard) = rest.any().downcast_ref::<HostYard>() {
        yard.each_player(|game, name| players.push((game.into(), name.into())));
    }
    players
}

/// Every game there is.
pub static GAMES: [&Game; 2] = [&PIMP, &YARD];

/// The game of this name, as it stands in a journal.
pub fn named(name: &str) -> Option<&'static Game> {
    GAMES.into_iter().chain([&PIMP_LOBBY]).find(|game| game.name == name)
}

fn make_pimp(seed: &[u8; 32], rules: &Rules) -> Box<dyn Resting> {
    let mut table = Box::new(HostTable::new());
    table.begin(seed, &rules.pimp, Millis(0));
    Box::new(rest(table))
}

fn rest(table: Box<HostTable>) -> Rest<HostTable> {
    Rest::new(table, HostTable::LINKS).counting(&PIMP_FRAMES)
}

fn play_pimp(mut stream: DuplexStream, name: String, strength: Strength, seed: u32) -> Task {
    Box::pin(async move {
        let end = Seat::new(&name, strength.into(), seed).play(&mut stream).await;
        tracing::debug!(name, ?end, "a bot has left");
    })
}

fn tell_pimp(mut bytes: &[u8], by_client: bool) -> Vec<Saying> {
    let mut told = Vec::new();
    while let [code, length, rest @ ..] = bytes {
        let payload = rest.get(..usize::from(*length)).unwrap_or(rest);
        let read = if by_client { Message::from_client(*code, payload) } else { Message::from_server(*code, payload) };
        let (whole, after) = bytes.split_at(HEADER + payload.len());
        let mut raw = whole.to_vec();
        let words = match read {
            // The journal knows only whether it was right.
            Ok(Message::Rejoin { player, password }) => {
                format!("REJOIN player={player} password={}", if password == 1 { "(right)" } else { "(wrong)" })
            }
            Ok(Message::WelcomeDetails { player, .. }) => {
                raw.iter_mut().skip(HEADER + 1).for_each(|byte| *byte = 0);
                format!("WELCOME_DETAILS player={player} password=(told)")
            }
            Ok(message) => message.to_string(),
            Err(flaw) => format!("{flaw:?}"),
        };
        told.push(Saying { words, raw });
        bytes = after;
    }
    told
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
    vec![
        Ports { game: &PIMP, tcp: addresses(&network.pimp), ws: addresses(&network.pimp_ws) },
        Ports { game: &YARD, tcp: addresses(&network.yard), ws: addresses(&network.yard_ws) },
    ]
}

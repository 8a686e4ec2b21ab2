//! The games of this program: [`GAMES`] is the one place on a PC that names any. Flags, ports, pages' paths, metrics,
//! journals, bots and replays have all they know of a game from its entry.

use std::fmt;

use parlor_core::game::{Encoding, Game, Player, Scope, Seat};
use parlor_core::lobby::Lobbied;
use parlor_core::pimp::limits::{HostTable, LobbyTable};
use parlor_core::protocol::Protocol;
use parlor_core::save::Durable;
use parlor_core::server::Millis;
use parlor_core::settings::{Setting, Settings as _, Value};
use parlor_core::venus::limits::HostVenus;
use parlor_core::yard::limits::HostYard;

use crate::bot::{AnyPlayer, Playing};
use crate::flags::Chosen;
use crate::frames::Frames;
use crate::journal::{AnyTable, StoredTable};
use crate::net::holdings::Holding;
use crate::net::strangers::Guard;
use crate::placement::{self, Placement};

/// Every game there is. A game is a line.
pub static GAMES: [Entry; 3 + cfg!(feature = "example-game") as usize] = [
    table_entry::<HostTable>().with_lobby(&PIMP_LOBBY),
    entry::<HostYard>(),
    entry::<HostVenus>(),
    // The smallest server there is: what a new game needs, and that it needs no more.
    #[cfg(feature = "example-game")]
    entry::<parlor_core::echo::HostEcho>(),
];

/// Monopoly at the tables of a lobby: smaller, and many.
static PIMP_LOBBY: LobbyEntry = lobby_entry::<LobbyTable>("pimp-lobby");

/// A game that can be served here without any other line.
pub trait Hosted: Game<Player: Send, Framer: Send> + Durable + Clone + Send + 'static {}
impl<G: Game<Player: Send, Framer: Send> + Durable + Clone + Send + 'static> Hosted for G {}

/// One game, as the host knows it.
pub struct Entry {
    /// As flags, paths, metrics and journals name it.
    pub name: &'static str,
    pub title: &'static str,
    pub port: u16,
    pub web_port: Option<u16>,
    pub encoding: Encoding,
    pub scope: Scope,
    /// Dice that fall in one throw; 0: none are thrown.
    pub dice: usize,
    pub protocol: Option<&'static Protocol>,
    /// A new server, not yet opened.
    pub make: fn(seed: &[u8; 32], chosen: &Chosen) -> Box<dyn AnyTable>,
    /// A server that has not begun: what a frozen one is thawed to.
    pub blank: fn() -> Box<dyn AnyTable>,
    /// Tells each row of its settings, with what a server here has unless something else was chosen, in words.
    pub settings: fn(tell: &mut dyn FnMut(&'static Setting, String)),
    /// What a server here has, as chosen: as a number, and in words.
    pub told: fn(chosen: &Chosen) -> Vec<(&'static Setting, Value, String)>,
    /// A bot; `None`: a text is longer than the game can say.
    pub player: fn(seat: &Seat<'_>) -> Option<Box<dyn AnyPlayer>>,
    /// Everybody at play, by game and name.
    pub players: fn(server: &dyn AnyTable) -> Vec<(String, String)>,
    /// Cuts bytes of a server into what was said; no password is told.
    pub tell: fn(bytes: &[u8], by_client: bool) -> Vec<Saying>,
    /// The frames of all its servers.
    pub frames: Frames,
    /// Its tables can be behind a lobby.
    pub lobby: Option<&'static LobbyEntry>,
}

/// The tables of a game's lobby.
pub struct LobbyEntry {
    pub tables: Entry,
    pub open: fn(placement::Plan<'_>) -> std::sync::Arc<dyn Placement>,
}

/// One thing said, for people to read.
pub struct Saying {
    pub words: String,
    pub raw: Vec<u8>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Entry {
    const fn with_lobby(self, lobby: &'static LobbyEntry) -> Self {
        Self { lobby: Some(lobby), ..self }
    }
}

const fn entry<G: Hosted>() -> Entry {
    Entry {
        name: G::NAME,
        title: G::TITLE,
        port: G::PORT,
        web_port: G::WEB_PORT,
        encoding: G::ENCODING,
        scope: G::SCOPE,
        dice: G::DICE,
        protocol: G::PROTOCOL,
        make: make::<G>,
        blank: blank::<G>,
        settings: settings::<G>,
        told: told::<G>,
        player: player::<G>,
        players: players::<G>,
        tell: tell::<G>,
        frames: Frames::of::<G>(),
        lobby: None,
    }
}

/// A game that looks at passwords by itself: how often they are wrong is counted.
const fn table_entry<G: Hosted + Lobbied>() -> Entry {
    Entry { make: make_guarded::<G>, blank: blank_guarded::<G>, ..entry::<G>() }
}

/// The name is what journals call such a table.
const fn lobby_entry<G: Hosted + Lobbied>(name: &'static str) -> LobbyEntry {
    LobbyEntry { tables: Entry { name, ..table_entry::<G>() }, open: placement::open::<G> }
}

/// Monopoly's words for it; no other game has such frames.
pub const fn guard<G: Hosted + Lobbied>() -> Guard<G> {
    Guard {
        offers: |framer| G::secret(framer).is_some(),
        is_right: |server, framer| server.claims(framer),
        welcome: &["WELCOME_DETAILS", "WELCOME_BACK"],
        wrong: &["ERROR_WRONG_PASSWORD"],
        seated: &["WELCOME_DETAILS"],
    }
}

/// The game of this name, as it stands in a journal.
pub fn named(name: &str) -> Option<&'static Entry> {
    let lobbies = GAMES.iter().filter_map(|entry| entry.lobby).map(|lobby| &lobby.tables);
    GAMES.iter().chain(lobbies).find(|entry| entry.name == name)
}

/// A server that is not open yet. Its frames are counted with those of all servers of its game.
pub fn at_rest<G: Hosted>(server: Box<G>) -> StoredTable<G> {
    let stored = StoredTable::new(server, G::LINKS).keeping(Holding { scope: G::SCOPE, makes: G::MAKES });
    match GAMES.iter().find(|entry| entry.name == G::NAME) {
        Some(entry) => stored.counting(&entry.frames),
        None => stored,
    }
}

fn make<G: Hosted>(seed: &[u8; 32], chosen: &Chosen) -> Box<dyn AnyTable> {
    let mut server = Box::new(G::NEW);
    server.begin(seed, &chosen.config::<G>(), Millis(0));
    Box::new(at_rest(server))
}

fn blank<G: Hosted>() -> Box<dyn AnyTable> {
    Box::new(at_rest(Box::new(G::NEW)))
}

fn make_guarded<G: Hosted + Lobbied>(seed: &[u8; 32], chosen: &Chosen) -> Box<dyn AnyTable> {
    let mut server = Box::new(G::NEW);
    server.begin(seed, &chosen.config::<G>(), Millis(0));
    Box::new(at_rest(server).guarded(guard()))
}

fn blank_guarded<G: Hosted + Lobbied>() -> Box<dyn AnyTable> {
    Box::new(at_rest(Box::new(G::NEW)).guarded(guard()))
}

fn settings<G: Game>(tell: &mut dyn FnMut(&'static Setting, String)) {
    G::Config::each(&mut |row| tell(row, G::HOST.shown(row).to_string()));
}

fn told<G: Game>(chosen: &Chosen) -> Vec<(&'static Setting, Value, String)> {
    let (config, mut rows) = (chosen.config::<G>(), Vec::new());
    G::Config::each(&mut |row| rows.push((row, config.get(row.name).flatten(), config.shown(row).to_string())));
    rows
}

fn player<G: Hosted>(seat: &Seat<'_>) -> Option<Box<dyn AnyPlayer>> {
    Some(Box::new(Playing::new(G::Player::new(seat)?)))
}

fn players<G: Hosted>(server: &dyn AnyTable) -> Vec<(String, String)> {
    let mut players = Vec::new();
    if let Some(server) = server.any().downcast_ref::<G>() {
        Game::each_player(server, &mut |game, name| players.push((game.into(), name.into())));
    }
    players
}

fn tell<G: Game>(bytes: &[u8], by_client: bool) -> Vec<Saying> {
    let mut told = Vec::new();
    G::tell(bytes, by_client, &mut |words, raw| told.push(Saying { words: words.to_string(), raw: raw.into() }));
    told
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_entries_have_a_name_or_a_port_in_common() {
        let names = || GAMES.iter().flat_map(|entry| [Some(entry.name), entry.lobby.map(|lobby| lobby.tables.name)]);
        let ports = || GAMES.iter().flat_map(|entry| [Some(entry.port), entry.web_port]);
        assert_eq!(names().flatten().collect::<BTreeSet<_>>().len(), names().flatten().count());
        assert_eq!(ports().flatten().collect::<BTreeSet<_>>().len(), ports().flatten().count());
        assert!(names().flatten().all(|name| named(name).is_some_and(|entry| entry.name == name)));
        assert!(named("chess").is_none());
    }
}

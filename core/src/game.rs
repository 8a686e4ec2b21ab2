//! A game as an adapter lists it: a [`Server`] that can be begun by settings, saved, told to people, and played by a
//! [`Player`]. What differs from game to game is a constant here or a method with an answer for the rest, so no adapter
//! asks which game it has before it.
//!
//! A room implements [`Game`] once for its server of any size; an adapter names the size in its list of games and knows
//! nothing else of it.

use core::fmt::Display;

use crate::protocol::Protocol;
#[cfg(feature = "postcard")]
use crate::save::{LoadError, SaveError};
use crate::server::{Framer, Millis, Server};
use crate::settings::Settings;

/// How a game's bytes travel in WebSocket messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Binary,
    /// For games of lines.
    Text,
}

/// How much one server of a game holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One table. An adapter may begin any number of them, each with a number and ports of its own.
    Table,
    /// All games, and the accounts of their players: one server is enough. It asks for what it needs, hashes and bots
    /// too ([`crate::server::Ask`]).
    Hall,
}

/// A game that an adapter can serve without knowing which it is.
pub trait Game: Server + Sized {
    /// As flags, paths, metrics and journals name it.
    const NAME: &'static str;
    /// As people call it.
    const TITLE: &'static str;
    /// The TCP port that its clients try first.
    const PORT: u16;
    /// The same for WebSocket, if there is such a port.
    const WEB_PORT: Option<u16> = None;
    const ENCODING: Encoding;
    const SCOPE: Scope;
    /// Connections it can hold.
    const LINKS: usize;
    /// All zero bytes: a server that has not begun.
    const NEW: Self;

    /// Kinds of frames ([`Server::kind_name`]) by which a client makes a game that others see, and that may stay when the
    /// client is gone: an adapter may count by address what was made.
    const MAKES: &'static [&'static str] = &[];

    /// Dice that fall in one throw, as [`crate::fair`] counts throws; 0: none are thrown.
    const DICE: usize = 0;

    /// Its wire format as data, for what is generated from it.
    const PROTOCOL: Option<&'static Protocol> = None;

    type Config: Settings;
    /// What a small board's server begins with unless told otherwise.
    const BOARD: Self::Config = Self::Config::DEFAULT;
    /// The same for a PC's, where bots come for players who ask.
    const HOST: Self::Config = Self::Config::DEFAULT;

    /// Makes an all-zero server, or one without links, a new one. All that is random in it comes from the seed.
    fn begin(&mut self, seed: &[u8; 32], config: &Self::Config, now: Millis);

    /// Cuts bytes, as taken from or pulled for a link, into what was said, for people to read: the words of each message,
    /// and its bytes. Neither has a password in it.
    fn tell(bytes: &[u8], by_client: bool, told: Told<'_>);

    /// Tells every player at play, by the name of the game where games have names, and the player's own, connected or
    /// not: for an adapter whose own players may be among them.
    fn each_player(&self, tell: &mut dyn FnMut(&str, &str));

    /// The longest save.
    #[cfg(feature = "postcard")]
    const SAVE_MAX: usize;
    /// Writes what outlives a restart; how long it became.
    #[cfg(feature = "postcard")]
    fn save(&self, out: &mut [u8]) -> Result<usize, SaveError>;
    /// Goes on with what was saved; links that are open are closed. On an error nothing has happened.
    #[cfg(feature = "postcard")]
    fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError>;

    type Player: Player;
}

/// Is told the words of a message and its bytes.
pub type Told<'t> = &'t mut dyn FnMut(&dyn Display, &[u8]);

/// Is given bytes to send, whole messages at a time.
pub type Out<'o> = &'o mut dyn FnMut(&[u8]);

/// How well a bot plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    Plain,
    Shrewd,
}

/// A player's name and manner, and where it wants to sit. A game that has no use for one of these passes over it.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    pub name: &'a str,
    pub password: &'a str,
    /// The name of the game, where games have names.
    pub game: &'a str,
    /// Sits down at a game that is there, and makes none.
    pub is_guest: bool,
    /// Begins once so many players are there.
    pub players: u8,
    pub strength: Strength,
    /// Small differences in taste.
    pub seed: u32,
}

/// How far a player has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    Outside,
    /// Its name and password were right, where there are any.
    Known,
    Seated,
}

/// How a player's evening ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A player won; was it this one?
    Over { won: bool },
    /// The server will not have it.
    Refused,
}

/// For how many seconds a bot that an adapter seats waits for its game to begin before it leaves.
pub const BEGIN_SECONDS: u64 = 5 * 60;

/// A bot at its end of a connection: session, view and bot in one. It knows what it knows over any number of connections.
///
/// How it is driven: [`Player::connect`] when a connection has opened; bytes that came go into a framer, then
/// [`Player::receive`]; [`Player::nudge`] when nothing came for some seconds. Each hands out what is to be sent. After
/// each, [`Player::end`] says whether that was all.
pub trait Player: Sized {
    type Framer: Framer;

    /// `None`: a text is longer than the game can say.
    fn new(seat: &Seat<'_>) -> Option<Self>;
    fn connect(&mut self, out: Out<'_>);
    /// Takes every whole message out of the framer.
    fn receive(&mut self, framer: &mut Self::Framer, out: Out<'_>);
    /// What was said may be said again.
    fn nudge(&mut self, out: Out<'_>);
    fn progress(&self) -> Progress;
    fn end(&self) -> Option<End>;
    /// Tells the players at the same game, this one counted, as long as the game has not begun and it is known.
    fn each_companion(&self, _tell: &mut dyn FnMut(&str)) {}
    /// It has a seat at a game that has not begun.
    fn is_waiting(&self) -> bool {
        let mut any = false;
        self.each_companion(&mut |_| any = true);
        any
    }
}

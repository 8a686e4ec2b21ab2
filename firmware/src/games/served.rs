//! A server as the links see it, whichever game it plays.

use core::any::Any;

#[cfg(feature = "fair")]
use parlor_core::fair::Record;
use parlor_core::game::Game;
#[cfg(feature = "autosave")]
use parlor_core::save::{LoadError, SaveError};
#[cfg(feature = "autosave")]
use parlor_core::server::Seq;
use parlor_core::server::{Answer, Ask, Framer, Full, Intake, Link, Millis, Request, RingFill, Server, Summary};
#[cfg(feature = "settings")]
use parlor_core::settings::Refused;

use crate::calls::Calls;
use crate::hash;

/// A connection's unread bytes, whichever game they are for.
pub(crate) trait AnyFramer {
    fn window(&mut self) -> &mut [u8];
    fn commit(&mut self, count: usize);
    fn taken(&self) -> &[u8];
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<F: Framer + 'static> AnyFramer for F {
    fn window(&mut self) -> &mut [u8] {
        Framer::window(self)
    }
    fn commit(&mut self, count: usize) {
        Framer::commit(self, count);
    }
    fn taken(&self) -> &[u8] {
        Framer::taken(self)
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// What came of a pull.
pub(crate) struct Pulled {
    pub(crate) length: usize,
    /// Nothing was left for lack of room: whatever the server may have next, the link is named for it.
    pub(crate) is_all: bool,
    /// The server is done with this link, which has everything.
    pub(crate) is_closing: bool,
    /// Some link was told that it has fallen behind, which is an input.
    pub(crate) has_lagged: bool,
}

/// [`Server`] and [`Game`] without their types.
pub(crate) trait Served {
    fn open(&mut self, now: Millis) -> Result<Link, Full>;
    /// `None`: the framer is another game's.
    fn receive(&mut self, link: Link, framer: &mut dyn AnyFramer, now: Millis) -> Option<Intake>;
    /// Pulls; then the server is told of links that lag: a board keeps no journal of it.
    fn pull(&mut self, link: Link, out: &mut [u8], now: Millis) -> Pulled;
    fn closing(&self, link: Link) -> bool;
    fn close(&mut self, link: Link, now: Millis);
    fn tick(&mut self, now: Millis);
    fn deadline(&self) -> Option<Millis>;
    fn hastens(&self) -> bool;
    fn next_ready(&mut self) -> Option<Link>;
    #[cfg(feature = "autosave")]
    fn produced(&self) -> Seq;
    fn release_all(&mut self);
    /// What is due after every call: its requests are answered, lagging links are told, its output is let out unless it
    /// is held. Whether the deadline may be another one by it.
    fn settle(&mut self, key: &[u8; 32], salts: &mut u32, calls: &mut Calls, holds: bool, now: Millis) -> bool;
    /// Tells every player at play: the name of the game, and the player's.
    #[cfg(feature = "bots")]
    fn each_player(&self, tell: &mut dyn FnMut(&str, &str));
    #[cfg(feature = "settings")]
    fn set(&mut self, name: &str, value: &str) -> Result<bool, Refused>;
    fn summary(&self) -> Summary;
    #[cfg(feature = "fair")]
    fn record(&self) -> Option<Record<'_>>;
    fn ring(&self) -> RingFill;
    fn behind(&self, link: Link) -> u32;
    #[cfg(feature = "autosave")]
    fn save(&self, out: &mut [u8]) -> Result<usize, SaveError>;
    #[cfg(feature = "autosave")]
    fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError>;
}

/// [`Server::lag_all`]; whether there was any.
fn lag_all<S: Server>(server: &mut S, now: Millis) -> bool {
    let mut any = false;
    while let Some(lagging) = server.next_lagging() {
        server.lag(lagging, now);
        any = true;
    }
    any
}

impl<G: Game<Framer: 'static>> Served for G {
    fn open(&mut self, now: Millis) -> Result<Link, Full> {
        Server::open(self, now)
    }
    fn receive(&mut self, link: Link, framer: &mut dyn AnyFramer, now: Millis) -> Option<Intake> {
        Some(Server::receive(self, link, framer.as_any().downcast_mut()?, now))
    }
    fn pull(&mut self, link: Link, out: &mut [u8], now: Millis) -> Pulled {
        let length = Server::pull(self, link, out);
        let has_lagged = lag_all(self, now);
        let (is_all, is_closing) = (length + G::MAX_FRAME <= out.len(), Server::closing(self, link));
        Pulled { length, is_all, is_closing, has_lagged }
    }
    fn closing(&self, link: Link) -> bool {
        Server::closing(self, link)
    }
    fn close(&mut self, link: Link, now: Millis) {
        Server::close(self, link, now);
    }
    fn tick(&mut self, now: Millis) {
        Server::tick(self, now);
    }
    fn deadline(&self) -> Option<Millis> {
        Server::deadline(self)
    }
    fn hastens(&self) -> bool {
        Server::hastens(self)
    }
    fn next_ready(&mut self) -> Option<Link> {
        Server::next_ready(self)
    }
    #[cfg(feature = "autosave")]
    fn produced(&self) -> Seq {
        Server::produced(self)
    }
    fn release_all(&mut self) {
        let produced = Server::produced(self);
        self.release(produced);
    }
    #[cfg(feature = "bots")]
    fn each_player(&self, tell: &mut dyn FnMut(&str, &str)) {
        Game::each_player(self, tell);
    }
    fn settle(&mut self, key: &[u8; 32], salts: &mut u32, calls: &mut Calls, holds: bool, now: Millis) -> bool {
        let mut has_acted = false;
        while let Some(Request { id, ask, .. }) = self.next_request() {
            has_acted = true;
            // Drawn for a check too: it must take as long as a new hash.
            let salt = hash::salt(key, *salts);
            *salts = salts.wrapping_add(1);
            match ask {
                Ask::Hash(secret) => {
                    let hashed = hash::make(&salt, secret);
                    self.answer(id, Answer::Hash(&hashed), now);
                }
                Ask::Verify { secret, hash } => {
                    let verdict = hash::is_of(hash, secret);
                    self.answer(id, Answer::Verified(verdict), now);
                }
                Ask::Bot { game } => {
                    let is_coming = calls.take(G::NAME, game, None);
                    self.answer(id, if is_coming { Answer::Done } else { Answer::Failed }, now);
                }
                // A board has no place for files.
                _ => self.answer(id, Answer::Failed, now),
            }
        }
        has_acted |= lag_all(self, now);
        if !holds {
            Served::release_all(self);
        }
        has_acted
    }
    #[cfg(feature = "settings")]
    fn set(&mut self, name: &str, value: &str) -> Result<bool, Refused> {
        Server::set(self, name, value)
    }
    #[cfg(feature = "fair")]
    fn record(&self) -> Option<Record<'_>> {
        Server::record(self)
    }
    fn ring(&self) -> RingFill {
        Server::ring(self)
    }
    fn behind(&self, link: Link) -> u32 {
        Server::behind(self, link)
    }
    fn summary(&self) -> Summary {
        Server::summary(self)
    }
    #[cfg(feature = "autosave")]
    fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        Game::save(self, out)
    }
    #[cfg(feature = "autosave")]
    fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError> {
        Game::load(self, bytes, now)
    }
}

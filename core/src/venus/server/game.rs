//! The server as adapters list it.

use core::fmt::{self, Display, Formatter};

use super::{Config, Venus};
use crate::game::{Encoding, Game, Scope, Told};
use crate::lines::{Fields, Plain};
#[cfg(feature = "postcard")]
use crate::save::{LoadError, SaveError};
use crate::server::Millis;
#[cfg(feature = "postcard")]
use crate::venus::limits::save_max;
use crate::venus::player::Player;
use crate::venus::wire::{LINE_MAX, Verb};

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Game for Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    const NAME: &'static str = "venus";
    const TITLE: &'static str = "Merchant of Venus";
    const PORT: u16 = 4356;
    const ENCODING: Encoding = Encoding::Text;
    const SCOPE: Scope = Scope::Hall;
    const LINKS: usize = LINKS;
    const NEW: Self = Self::new();

    type Config = Config;
    const BOARD: Config = Config::BOARD;
    const HOST: Config = Config::HOST;
    type Player = Player;

    fn begin(&mut self, seed: &[u8; 32], config: &Config, _now: Millis) {
        self.begin(seed, config);
    }

    fn tell(bytes: &[u8], by_client: bool, told: Told<'_>) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if by_client { tell_action(line, told) } else { told(&Plain(line.trim_ascii_end()), line) }
        }
    }

    fn each_player(&self, tell: &mut dyn FnMut(&str, &str)) {
        self.each_player(tell);
    }

    #[cfg(feature = "postcard")]
    const SAVE_MAX: usize = save_max(ACCOUNTS, ROOMS, SAVES);

    #[cfg(feature = "postcard")]
    fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        self.save(out)
    }

    #[cfg(feature = "postcard")]
    fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError> {
        self.load(bytes, now)
    }
}

/// A password was written over when it was taken; here not even its length is told.
fn tell_action(line: &[u8], told: Told<'_>) {
    let text = line.trim_ascii_end();
    let mut room = [0; LINE_MAX + 2];
    let fields = room.get_mut(..text.len()).and_then(|room| Fields::split(text, room).ok());
    let Some(mut fields) = fields else { return told(&Plain(text), line) };
    let name = fields.next().unwrap_or_default();
    match Verb::named(name) {
        Some(Verb::Login | Verb::LogoutOther) => told(&Secret(name, fields.next().unwrap_or_default()), &[]),
        _ => told(&Plain(text), line),
    }
}

struct Secret<'a>(&'a str, &'a str);

impl Display for Secret<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},(password)", self.0, self.1.escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::venus::limits::BoardVenus;
    use std::string::{String, ToString as _};
    use std::vec::Vec;

    #[test]
    fn lines_are_told_and_passwords_are_not() {
        let told = |bytes: &[u8], by_client| {
            let mut all: Vec<(String, usize)> = Vec::new();
            <BoardVenus as Game>::tell(bytes, by_client, &mut |words, raw| all.push((words.to_string(), raw.len())));
            all
        };
        assert_eq!(
            told(b"LOGIN,j%Co,xxx\r\nJOIN\nROOMTALK,\x1b[2J\n", true),
            [("LOGIN,j,o,(password)".into(), 0), ("JOIN".into(), 5), ("ROOMTALK,\\u{1b}[2J".into(), 14)]
        );
        assert_eq!(told(b"WELCOME\nIAM,0\n", false), [("WELCOME".into(), 8), ("IAM,0".into(), 6)]);
        assert_eq!(told(b"\xff\n", true), [("\u{fffd}".into(), 2)]);
    }
}

//! The server as adapters list it.

use core::fmt::{self, Display, Formatter};

use super::{Config, Yard};
use crate::game::{Encoding, Game, Scope, Told};
use crate::lines::{Plain, Tag, Tagged, TooLong, Words, split_tag};
use crate::protocol::Protocol;
#[cfg(feature = "postcard")]
use crate::save::{LoadError, SaveError};
use crate::server::Millis;
#[cfg(feature = "postcard")]
use crate::yard::limits::save_max;
use crate::yard::player::Player;
use crate::yard::wire::{self, Command, LINE_MAX};

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize> Game
    for Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    const NAME: &'static str = "yard";
    const TITLE: &'static str = "Scotland Yard";
    const PORT: u16 = 7921;
    const ENCODING: Encoding = Encoding::Text;
    const SCOPE: Scope = Scope::Hall;
    const LINKS: usize = LINKS;
    const NEW: Self = Self::new();
    const MAKES: &'static [&'static str] = &["newgame"];

    const PROTOCOL: Option<&'static Protocol> = Some(&wire::PROTOCOL);

    type Config = Config;
    const HOST: Config = Config::HOST;
    type Player = Player;

    fn begin(&mut self, seed: &[u8; 32], config: &Config, _now: Millis) {
        self.begin(seed, config);
    }

    fn tell(bytes: &[u8], by_client: bool, told: Told<'_>) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if by_client { tell_command(line, told) } else { told(&Plain(line.trim_ascii_end()), line) }
        }
    }

    fn each_player(&self, tell: &mut dyn FnMut(&str, &str)) {
        self.each_player(tell);
    }

    #[cfg(feature = "postcard")]
    const SAVE_MAX: usize = save_max(ACCOUNTS, GAMES);

    #[cfg(feature = "postcard")]
    fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        self.save(out)
    }

    #[cfg(feature = "postcard")]
    fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError> {
        self.load(bytes, now)
    }
}

/// A password was written over when it was taken; here not even its length is told, and of its line only what is no
/// secret. What is too long for a command is told without its words.
fn tell_command(line: &[u8], told: Told<'_>) {
    let text = line.trim_ascii_end();
    let mut room = [0; LINE_MAX + 2];
    let Some(room) = room.get_mut(..text.len()) else { return told(&TooLong(text.len()), &[]) };
    let tagged = split_tag(text).ok();
    let command = tagged.as_ref().and_then(|Tagged { tag, rest, .. }| {
        let words = Words::split(rest, room.get_mut(..rest.len())?).ok()?;
        Some((*tag, Command::parse(words).ok()?))
    });
    match command {
        Some((tag, Command::Login { name, .. })) => told(&Login(tag, name), &[]),
        _ => told(&Plain(text), line),
    }
}

struct Login<'a>(Tag<'a>, &'a str);

impl Display for Login<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} login {:?} (password)", self.0.text(), self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yard::limits::BoardYard;
    use std::string::{String, ToString as _};
    use std::vec::Vec;

    fn told(bytes: &[u8], by_client: bool) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        <BoardYard as Game>::tell(bytes, by_client, &mut |words, raw| all.push((words.to_string(), raw.to_vec())));
        all
    }

    #[test]
    fn lines_are_told_and_passwords_are_not() {
        let words =
            |bytes: &[u8], by_client| told(bytes, by_client).into_iter().map(|(words, _)| words).collect::<Vec<_>>();
        let said = b"protocol 2.0\r\n#7 login \"j o\" xxx  \r\nnoop\n\xff";
        assert_eq!(words(said, true), ["protocol 2.0", "#7 login \"j o\" (password)", "noop", "\u{fffd}"]);
        assert_eq!(told(b"login a xx\r\n", true), [("- login \"a\" (password)".into(), Vec::new())]);
        assert_eq!(words(b"- ok\r\n* turn X\r\n", false), ["- ok", "* turn X"]);
        assert_eq!(words(&[b'x'; 5000], true), ["(5000 bytes)"]);
    }
}

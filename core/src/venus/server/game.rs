//! The server as adapters list it.

use core::fmt::{self, Display, Formatter};

use super::{Config, Venus};
use crate::game::{Encoding, Game, Scope, Told};
use crate::lines::{Fields, Plain, TooLong};
use crate::protocol::Protocol;
#[cfg(feature = "postcard")]
use crate::save::{LoadError, SaveError};
use crate::server::Millis;
#[cfg(feature = "postcard")]
use crate::venus::limits::save_max;
use crate::venus::player::Player;
use crate::venus::wire::{self, Action, LINE_MAX, Verb};

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
    const DICE: usize = 1;
    const NEW: Self = Self::new();
    const MAKES: &'static [&'static str] = &["NEWROOM"];

    const PROTOCOL: Option<&'static Protocol> = Some(&wire::PROTOCOL);

    type Config = Config;
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

/// A password was written over when it was taken; here not even its length is told. What is too long for an action is told
/// without its words.
fn tell_action(line: &[u8], told: Told<'_>) {
    let text = line.trim_ascii_end();
    let mut room = [0; LINE_MAX + 2];
    let Some(room) = room.get_mut(..text.len()) else { return told(&TooLong(text.len()), &[]) };
    let action = Fields::split(text, room).ok().and_then(|mut fields| {
        let verb = fields.next().and_then(Verb::named)?;
        Action::parse(verb, fields).ok()
    });
    match action {
        Some(action @ (Action::Login { user, .. } | Action::LogoutOther { user, .. })) => {
            told(&Login(action.name(), user), &[]);
        }
        _ => told(&Plain(text), line),
    }
}

struct Login<'a>(&'a str, &'a str);

impl Display for Login<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} (password)", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::venus::limits::BoardVenus;
    use std::string::{String, ToString as _};
    use std::vec::Vec;

    fn words(bytes: &[u8], by_client: bool) -> Vec<String> {
        let mut all = Vec::new();
        <BoardVenus as Game>::tell(bytes, by_client, &mut |words, _| all.push(words.to_string()));
        all
    }

    #[test]
    fn lines_are_told_and_passwords_are_not() {
        let said = b"LOGIN,j%Co,xxx\r\nNEWROOM,den\nLOGOUTOTHER,a,xx\n\xff";
        assert_eq!(
            words(said, true),
            ["LOGIN \"j,o\" (password)", "NEWROOM,den", "LOGOUTOTHER \"a\" (password)", "\u{fffd}"]
        );
        assert_eq!(words(b"WELCOME\nGUIIAM,a\x1b\n", false), ["WELCOME", "GUIIAM,a\\u{1b}"]);
        assert_eq!(words(&[b'x'; 1100], true), ["(1100 bytes)"]);
    }
}

//! The table as adapters list it.

use core::fmt::{self, Display, Formatter};

use super::{Config, Table};
use crate::bytes;
use crate::game::{Encoding, Game, Scope, Told};
#[cfg(feature = "postcard")]
use crate::pimp::limits::save_max;
use crate::pimp::player::Player;
use crate::pimp::wire::{self, FRAME_MAX, Flaw, HEADER, Message};
use crate::protocol::Protocol;
#[cfg(feature = "postcard")]
use crate::save::{LoadError, SaveError};
use crate::server::Millis;

impl<const USERS: usize, const LINKS: usize, const RING: usize> Game for Table<USERS, LINKS, RING> {
    const NAME: &'static str = "pimp";
    const TITLE: &'static str = "Monopoly";
    const PORT: u16 = 13220;
    const WEB_PORT: Option<u16> = Some(23220);
    const ENCODING: Encoding = Encoding::Binary;
    const SCOPE: Scope = Scope::Table;
    const LINKS: usize = LINKS;
    const DICE: usize = 2;
    const NEW: Self = Self::new();
    const MAKES: &'static [&'static str] = &["JOIN"];

    const PROTOCOL: Option<&'static Protocol> = Some(&wire::PROTOCOL);

    type Config = Config;
    type Player = Player;

    fn begin(&mut self, seed: &[u8; 32], config: &Config, now: Millis) {
        self.begin(seed, config, now);
    }

    fn tell(bytes: &[u8], by_client: bool, told: Told<'_>) {
        tell(bytes, by_client, told);
    }

    fn each_player(&self, tell: &mut dyn FnMut(&str, &str)) {
        for player in &self.hall.game.players {
            if let Some(user) = self.hall.users.user(player.id) {
                tell("", user.name().text().unwrap_or_default());
            }
        }
    }

    #[cfg(feature = "postcard")]
    const SAVE_MAX: usize = save_max(USERS);

    #[cfg(feature = "postcard")]
    fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        self.save(out)
    }

    #[cfg(feature = "postcard")]
    fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError> {
        self.load(bytes, now)
    }
}

/// Frames in words. Where a password stood in a REJOIN, a journal knows only whether it was right.
fn tell(mut bytes: &[u8], by_client: bool, told: Told<'_>) {
    while let [code, length, rest @ ..] = bytes {
        let payload = rest.get(..usize::from(*length)).unwrap_or(rest);
        let read = if by_client { Message::from_client(*code, payload) } else { Message::from_server(*code, payload) };
        let (whole, after) = bytes.split_at_checked(HEADER + payload.len()).unwrap_or((bytes, &[]));
        if let Ok(Message::WelcomeDetails { .. }) = read {
            let mut raw = [0; FRAME_MAX];
            // Code, length and id; the password's place stays zero.
            bytes::copy(&mut raw, whole.get(..HEADER + 1).unwrap_or_default());
            told(&Saying(read), raw.get(..whole.len()).unwrap_or_default());
        } else {
            told(&Saying(read), whole);
        }
        bytes = after;
    }
}

/// A frame for people, without a password.
struct Saying<'a>(Result<Message<'a>, Flaw>);

impl Display for Saying<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(Message::Rejoin { player, password }) => {
                write!(f, "REJOIN player={player} password={}", if *password == 1 { "(right)" } else { "(wrong)" })
            }
            Ok(Message::WelcomeDetails { player, .. }) => write!(f, "WELCOME_DETAILS player={player} password=(told)"),
            Ok(message) => message.fmt(f),
            Err(flaw) => write!(f, "{flaw:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pimp::limits::BoardTable;
    use std::string::{String, ToString as _};
    use std::vec::Vec;

    fn told(bytes: &[u8], by_client: bool) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        BoardTable::tell(bytes, by_client, &mut |words, raw| all.push((words.to_string(), raw.to_vec())));
        all
    }

    #[test]
    fn frames_are_told_and_passwords_are_not() {
        let said = told(&[0, 1, 1, 0x0A, 5, 7, 0, 0, 0, 1, 0x21], true);
        assert_eq!(said[0], ("HANDSHAKE version=1".into(), [0, 1, 1].to_vec()));
        assert_eq!(said[1].0, "REJOIN player=7 password=(right)");
        assert_eq!(said.len(), 2);
        let mut frame = [0; 16];
        let length = Message::WelcomeDetails { player: 4, password: 0x0102_0304 }.encode(&mut frame).unwrap();
        let (words, raw) = told(&frame[..length], false).remove(0);
        assert_eq!(words, "WELCOME_DETAILS player=4 password=(told)");
        assert_eq!((raw.len(), &raw[..3], &raw[3..]), (7, &frame[..3], &[0; 4][..]));
    }

    #[test]
    fn a_frame_that_is_cut_is_told_as_far_as_it_goes() {
        assert_eq!(told(&[0xFE, 9, 1, 2], false)[0].1, [0xFE, 9, 1, 2]);
    }
}

//! Echo as adapters list it: what a game must have beside a [`Server`](crate::server::Server), in its smallest form.

use core::fmt::{self, Display, Formatter};

use super::Echo;
use crate::game::{self, Encoding, End, Game, Out, Progress, Scope, Seat, Told};
use crate::pimp::wire::{FRAME_MAX, Framer};
#[cfg(feature = "postcard")]
use crate::save::{LoadError, Reader, SaveError, Writer};
use crate::server::Millis;

crate::settings! {
    /// Echo has nothing to decide.
    pub struct Config {}
}

impl<const LINKS: usize, const RING: usize> Game for Echo<LINKS, RING> {
    const NAME: &'static str = "echo";
    const TITLE: &'static str = "Echo";
    /// The port of the echo service (RFC 862), moved up to where no rights are needed.
    const PORT: u16 = 10007;
    const ENCODING: Encoding = Encoding::Binary;
    const SCOPE: Scope = Scope::Table;
    const LINKS: usize = LINKS;
    const NEW: Self = Self::new();

    type Config = Config;
    type Player = Player;

    /// Echo has nothing to draw by lot.
    fn begin(&mut self, _seed: &[u8; 32], _config: &Config, _now: Millis) {
        *self = Self::NEW;
    }

    fn tell(mut bytes: &[u8], _by_client: bool, told: Told<'_>) {
        while let [code, length, rest @ ..] = bytes {
            let (payload, after) = rest.split_at_checked(usize::from(*length)).unwrap_or((rest, &[]));
            let whole = bytes.get(..bytes.len() - after.len()).unwrap_or_default();
            match code {
                // A secret to be hashed.
                b'H' => told(&Saying(*code, &[]), &[]),
                _ => told(&Saying(*code, payload), whole),
            }
            bytes = after;
        }
    }

    fn each_player(&self, _tell: &mut dyn FnMut(&str, &str)) {}

    #[cfg(feature = "postcard")]
    const SAVE_MAX: usize = SAVE_MAX;

    #[cfg(feature = "postcard")]
    fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let mut writer = Writer::new(out);
        writer.put(&self.moved)?;
        writer.seal(MAGIC, VERSION)
    }

    #[cfg(feature = "postcard")]
    fn load(&mut self, bytes: &[u8], _now: Millis) -> Result<(), LoadError> {
        let mut body = Reader::open(bytes, MAGIC, VERSION)?;
        let moved = body.take()?;
        body.end()?;
        check(&moved)?;
        self.moved = moved;
        for slot in 0..LINKS as u16 {
            self.outbox.doom(slot);
        }
        Ok(())
    }
}

#[cfg(feature = "postcard")]
const MAGIC: [u8; 4] = *b"ECHO";
#[cfg(feature = "postcard")]
const VERSION: u16 = 1;
/// 14 /* header */ + a byte a counter.
#[cfg(feature = "postcard")]
const SAVE_MAX: usize = 14 + super::COUNTERS;

/// A move never changes the sum of the counters, and none is below zero.
#[cfg(feature = "postcard")]
pub(super) fn check(moved: &[i8; super::COUNTERS]) -> Result<(), LoadError> {
    let is_sound =
        moved.iter().all(|by| *by >= -(super::START as i8)) && moved.iter().map(|by| i32::from(*by)).sum::<i32>() == 0;
    if is_sound { Ok(()) } else { Err(LoadError::Unsound("counters that no moves lead to")) }
}

/// A frame for people: its letter, and its payload in hexadecimal.
struct Saying<'a>(u8, &'a [u8]);

impl Display for Saying<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())?;
        self.1.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
    }
}

/// Comes into the room, moves one counter, and is content once everybody was told.
#[derive(Clone, Debug)]
pub struct Player {
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Outside,
    Inside,
    Moved,
    Refused,
}

impl game::Player for Player {
    type Framer = Framer;

    fn new(_seat: &Seat<'_>) -> Option<Self> {
        Some(Self { step: Step::Outside })
    }

    fn connect(&mut self, out: Out<'_>) {
        self.step = Step::Outside;
        out(b"J\x01\x00");
    }

    fn receive(&mut self, framer: &mut Framer, out: Out<'_>) {
        while let Ok(Some(frame)) = framer.peek() {
            match (self.step, frame.code) {
                (Step::Outside, b'J') => {
                    self.step = Step::Inside;
                    out(b"M\x03\x00\x01\x01");
                }
                (Step::Inside, b'M') => self.step = Step::Moved,
                (Step::Inside | Step::Outside, b'X') => self.step = Step::Refused,
                _ => {}
            }
            framer.skip();
        }
    }

    fn nudge(&mut self, _out: Out<'_>) {}

    fn progress(&self) -> Progress {
        if matches!(self.step, Step::Inside | Step::Moved) { Progress::Seated } else { Progress::Outside }
    }

    fn end(&self) -> Option<End> {
        match self.step {
            Step::Moved => Some(End::Over { won: true }),
            Step::Refused => Some(End::Refused),
            Step::Outside | Step::Inside => None,
        }
    }
}

const _: () = assert!(FRAME_MAX >= 5, "what the player says fits a frame");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Player as _, Strength};
    use crate::server::{Framer as _, Server as _};
    use std::string::ToString as _;
    use std::vec::Vec;

    type Small = Echo<4, 1024>;

    #[test]
    fn its_player_plays() {
        let mut echo = Small::NEW;
        echo.begin(&[0; 32], &Config::DEFAULT, Millis(0));
        let seat =
            Seat { name: "", password: "", game: "", is_guest: false, players: 1, strength: Strength::Plain, seed: 0 };
        let mut player = Player::new(&seat).unwrap();
        let (link, mut heard, mut said) = (echo.open(Millis(0)).unwrap(), Framer::new(), Vec::new());
        player.connect(&mut |bytes| said.extend_from_slice(bytes));
        while player.end().is_none() {
            let mut framer = Framer::new();
            framer.window()[..said.len()].copy_from_slice(&said);
            framer.commit(said.len());
            echo.receive(link, &mut framer, Millis(0));
            said.clear();
            let produced = echo.produced();
            echo.release(produced);
            let n = echo.pull(link, heard.window());
            assert!(n > 0, "nobody says anything");
            heard.commit(n);
            player.receive(&mut heard, &mut |bytes| said.extend_from_slice(bytes));
        }
        assert_eq!((player.progress(), player.end()), (Progress::Seated, Some(End::Over { won: true })));
        assert_eq!(echo.counters()[..2], [99, 101]);
    }

    #[test]
    fn secrets_are_not_told() {
        let mut told = Vec::new();
        Small::tell(b"E\x02hiH\x02pwM\x03\x00\x01", true, &mut |words, raw| {
            told.push((words.to_string(), raw.to_vec()))
        });
        let words: Vec<_> = told.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(words, ["E 68 69", "H", "M 00 01"]);
        assert!(told.iter().all(|(_, raw)| !raw.windows(2).any(|two| two == b"pw")));
    }

    #[cfg(feature = "postcard")]
    #[test]
    fn counters_outlive_a_restart() {
        let mut echo = Small::NEW;
        assert!(echo.shift(3, 4, 7));
        let mut out = [0; SAVE_MAX];
        let n = echo.save(&mut out).unwrap();
        let mut later = Small::NEW;
        assert_eq!(later.load(&out[..n], Millis(0)), Ok(()));
        assert_eq!(later.counters(), echo.counters());
        out[n - 1] ^= 1;
        assert!(later.load(&out[..n], Millis(0)).is_err());
    }
}

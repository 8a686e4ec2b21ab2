//! What a board's owner chooses in a browser: its name, which games it serves, how long its bots think, and every setting of
//! the games.
//!
//! A change needs the board's code. The board logs it at each start, and shows it once, to the first browser on its own
//! network that asks. It is drawn at the first start, and anew when everything is forgotten.
//!
//! What is chosen counts at once, a rule of a game from its next game on. It is kept as text, words like those of
//! [`crate::options`], and counts after those: where a board keeps its games ([`crate::autosave`]) it keeps this too.
//!
//! What can never happen here: a change without the code, the code shown twice, a word kept that is not understood.

use core::fmt::Write as _;

use heapless::String;
use parlor_core::settings::Kind;

use crate::entropy::Pool;
use crate::games::{Games, Id, Settings};

/// All words that are chosen have room in one part of a store.
pub const LONGEST: usize = 480;
const CODE: usize = 8;
/// 2 /* version */ + 9 /* code */ + 2 /* whether it was shown */ are told before the words.
const WORDS: usize = LONGEST - 13;
const VERSION: &str = "1";
/// No letter here looks like another one. 32 of them.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// The longest name: 63 bytes are a name's limit in DNS (RFC 1035 2.3.4), 32 embassy-net's with DHCP.
const NAME: usize = 24;
/// The name of a board that its owner has not named.
const PARLOR: &str = "parlor";
/// The longest that a bot may think, in milliseconds.
const SLOWEST: u32 = 10_000;

pub type Name = String<NAME>;

/// What is the board's own, and no game's. All zero bytes when new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    name: Name,
    /// Games that are not served, the lowest bit for the first of [`Id::ALL`].
    closed: u32,
    /// Milliseconds that a bot thinks before it speaks.
    pace: u32,
}

impl Own {
    pub const fn new() -> Self {
        Self { name: String::new(), closed: 0, pace: 0 }
    }

    pub fn name(&self) -> &str {
        if self.name.is_empty() { PARLOR } else { &self.name }
    }
    pub fn pace(&self) -> u32 {
        self.pace
    }
    /// Games that are not served, the lowest bit for the first of [`Id::ALL`].
    pub fn closed(&self) -> u32 {
        self.closed
    }
    pub fn is_open(&self, id: Id) -> bool {
        Id::ALL.iter().position(|one| *one == id).is_none_or(|at| self.closed >> at & 1 == 0)
    }

    /// `name=den`, `games=pimp,yard`, `pace=0.5`. `None`, and nothing has changed: it is none of these, or can't be so.
    pub fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "name" if is_name(value) => self.name = String::try_from(value).ok()?,
            "games" => self.closed = !open(value)?,
            "pace" => self.pace = Kind::Time.read(value)?.filter(|pace| *pace <= SLOWEST)?,
            _ => return None,
        }
        Some(())
    }
}

/// Letters, digits and strokes between them: what may be a name in a network. Small ones only, so that two are equal or not.
fn is_name(text: &str) -> bool {
    let is_inner = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    is_inner && !text.is_empty() && text.len() <= NAME && !text.starts_with('-') && !text.ends_with('-')
}

/// The games that are named, a bit for each. At least one.
fn open(names: &str) -> Option<u32> {
    names.split(',').try_fold(0, |open, name| {
        let at = Id::ALL.iter().position(|id| id.entry().name == name)?;
        Some(open | 1 << at)
    })
}

/// What was chosen. All zero bytes when new.
pub struct Chosen {
    /// Zeros before the board has begun: then it opens nothing.
    code: [u8; CODE],
    is_shown: bool,
    words: String<WORDS>,
    /// Grows with each change.
    changes: u32,
    /// A rule waits for the end of a game.
    waits: bool,
}

/// Why nothing was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Code,
    Word,
}

impl Chosen {
    pub const fn new() -> Self {
        Self { code: [0; CODE], is_shown: false, words: String::new(), changes: 0, waits: false }
    }

    /// Goes on with what was kept, and draws a code where none was. Once, before any client is served.
    pub fn begin(&mut self, kept: &[u8], pool: &mut Pool) {
        let drawn = pool.draw();
        if self.read(kept).is_none() {
            let letter = |byte: &u8| LETTERS.get(usize::from(*byte) % LETTERS.len()).copied().unwrap_or_default();
            self.code.iter_mut().zip(&drawn).for_each(|(to, from)| *to = letter(from));
            // It is kept too.
            self.changes = 1;
        }
        // Words of a board with another choice of games are passed over when they are read.
        self.waits = true;
    }

    pub fn is_begun(&self) -> bool {
        self.code != [0; CODE]
    }
    pub fn code(&self) -> &str {
        str::from_utf8(&self.code).unwrap_or_default()
    }
    pub fn is_shown(&self) -> bool {
        self.is_shown
    }
    /// A rule waits for the end of a game.
    pub fn waits(&self) -> bool {
        self.waits
    }
    /// Another one after each change.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// The code, the first time.
    pub fn show(&mut self) -> Option<&str> {
        if self.is_shown {
            return None;
        }
        (self.is_shown, self.changes) = (true, self.changes.wrapping_add(1));
        Some(self.code())
    }

    /// `CODE key=value`: keeps the word, in the place of an earlier one of this key.
    pub fn choose<'t>(&mut self, text: &'t str) -> Result<(&'t str, &'t str), Wrong> {
        let (code, word) = text.split_once(' ').ok_or(Wrong::Word)?;
        if code.len() != CODE || code != self.code() {
            return Err(Wrong::Code);
        }
        let (key, value) = word.split_once('=').ok_or(Wrong::Word)?;
        let is_plain = word.bytes().all(|byte| byte.is_ascii_graphic());
        let is_understood =
            is_plain && (Own::new().set(key, value).is_some() || Settings::default().set(key, value).is_some());
        if !is_understood {
            return Err(Wrong::Word);
        }
        let mut words = String::new();
        let others = self.words.split(' ').filter(|one| one.split_once('=').is_some_and(|(other, _)| other != key));
        for one in others.chain([word]) {
            let fits = (words.is_empty() || words.push(' ').is_ok()) && words.push_str(one).is_ok();
            if !fits {
                return Err(Wrong::Word);
            }
        }
        (self.words, self.changes, self.waits) = (words, self.changes.wrapping_add(1), true);
        Ok((key, value))
    }

    /// Tells every word.
    pub fn each(&self, mut tell: impl FnMut(&str, &str)) {
        self.words.split(' ').filter_map(|word| word.split_once('=')).for_each(|(key, value)| tell(key, value));
    }

    /// All of it, as it is kept. `None`: it does not fit.
    pub fn write<'o>(&self, out: &'o mut [u8]) -> Option<&'o [u8]> {
        let mut text = String::<LONGEST>::new();
        write!(text, "{VERSION} {} {} {}", self.code(), u8::from(self.is_shown), self.words).ok()?;
        let to = out.get_mut(..text.len())?;
        to.copy_from_slice(text.as_bytes());
        Some(to)
    }

    fn read(&mut self, kept: &[u8]) -> Option<()> {
        let mut parts = str::from_utf8(kept).ok()?.splitn(4, ' ');
        let (version, code, shown, words) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let code: [u8; CODE] = code.as_bytes().try_into().ok()?;
        let is_ours = version == VERSION && code.iter().all(|letter| LETTERS.contains(letter));
        let words = String::try_from(words).ok().filter(|_| is_ours)?;
        (self.code, self.is_shown, self.words) = (code, shown == "1", words);
        Some(())
    }

    /// Tells the games what they have not yet been told.
    pub(crate) fn apply(&mut self, games: &mut Games) {
        if !core::mem::take(&mut self.waits) {
            return;
        }
        let mut waits = false;
        self.each(|key, value| waits |= games.set(key, value));
        self.waits = waits;
    }
}

impl Default for Chosen {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, feature = "pimp", feature = "yard"))]
mod tests {
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;

    fn begun(kept: &[u8]) -> Chosen {
        let mut chosen = Chosen::new();
        chosen.begin(kept, &mut Pool::new());
        chosen
    }

    fn said(chosen: &Chosen, word: &str) -> String {
        [chosen.code(), " ", word].concat()
    }

    fn words(chosen: &Chosen) -> Vec<(String, String)> {
        let mut words = Vec::new();
        chosen.each(|key, value| words.push((key.to_string(), value.to_string())));
        words
    }

    #[test]
    fn the_code_is_shown_once_and_kept() {
        let mut chosen = begun(b"");
        let code = chosen.code().to_string();
        assert!(code.len() == CODE && code.bytes().all(|letter| LETTERS.contains(&letter)), "{code}");
        assert_eq!(chosen.show().map(str::to_string), Some(code.clone()));
        assert_eq!(chosen.show(), None);
        let mut out = [0; LONGEST];
        let mut again = begun(chosen.write(&mut out).unwrap());
        assert_eq!((again.code(), again.is_shown()), (&*code, true));
        assert_eq!(again.show(), None);
    }

    #[test]
    fn without_the_code_nothing_is_chosen() {
        let mut chosen = begun(b"");
        for text in ["name=den", " name=den", "aaaaaaaa name=den", "\0\0\0\0\0\0\0\0 name=den", ""] {
            assert!(chosen.choose(text).is_err(), "{text}");
        }
        assert_eq!(Chosen::new().choose(" name=den"), Err(Wrong::Code));
        assert_eq!((words(&chosen).len(), chosen.changes()), (0, 1));
    }

    #[test]
    fn the_last_word_of_a_key_counts() {
        let mut chosen = begun(b"");
        for word in ["pot=100", "name=den", "pimp-rate=0", "games=yard", "pace=0.5", "pot=off", "name=attic"] {
            let text = said(&chosen, word);
            assert_eq!(chosen.choose(&text).map(|(key, value)| [key, "=", value].concat()), Ok(word.into()));
        }
        let mut out = [0; LONGEST];
        let again = begun(chosen.write(&mut out).unwrap());
        let expected = [("pimp-rate", "0"), ("games", "yard"), ("pace", "0.5"), ("pot", "off"), ("name", "attic")];
        assert_eq!(words(&again), expected.map(|(key, value)| (key.to_string(), value.to_string())));
    }

    #[test]
    fn what_is_not_understood_is_not_kept() {
        let mut chosen = begun(b"");
        for word in [
            "name=",
            "name=-a",
            "name=Den",
            "name=a.b",
            "games=",
            "games=chess",
            "pace=11",
            "pace=x",
            "seed=1",
            "keep=no",
            "address=10.0.0.1/8",
            "pot",
            "=",
            "dice=6",
            "pot=1 name=den",
            "yard-pot=1",
            "name=0123456789012345678901234",
        ] {
            let text = said(&chosen, word);
            assert_eq!(chosen.choose(&text), Err(Wrong::Word), "{word}");
        }
        assert_eq!(chosen.changes(), 1);
        for kept in [&b"2 aaaaaaaa 1 pot=1"[..], b"1 aaaa 1 pot=1", b"1 AAAAAAAA 1 ", b"\xFF", b"1 aaaaaaaa 1"] {
            assert_eq!(words(&begun(kept)).len(), 0);
            assert!(!begun(kept).is_shown());
        }
    }

    #[test]
    fn a_board_is_full_one_day() {
        let mut chosen = begun(b"");
        let taken = (0..200).filter(|nth| {
            let mut key = String::new();
            Settings::default().tell(Id::Pimp, &mut |setting, _| key.push_str(&[setting.name, "\n"].concat()));
            let key = key.lines().nth(nth % 20).unwrap_or_default().to_string();
            let value = "0".repeat(nth / 4).to_string() + "1";
            chosen.choose(&said(&chosen, &[&key, "=", &value].concat())).is_ok()
        });
        assert!(taken.count() > 20);
        assert!(chosen.write(&mut [0; LONGEST]).is_some());
    }

    #[test]
    fn a_board_has_its_own() {
        let mut own = Own::new();
        assert_eq!((own.name(), own.pace(), own.is_open(Id::Pimp)), ("parlor", 0, true));
        own.set("name", "den-2").unwrap();
        own.set("games", "yard").unwrap();
        own.set("pace", "1.5").unwrap();
        assert_eq!((own.name(), own.pace()), ("den-2", 1_500));
        assert_eq!((own.is_open(Id::Pimp), own.is_open(Id::Yard)), (false, true));
        own.set("games", "yard,pimp").unwrap();
        assert!(own.is_open(Id::Pimp));
    }

    #[test]
    fn a_rule_waits_for_the_end_of_a_game() {
        let mut games = std::boxed::Box::new(Games::new());
        games.begin(&mut || [1; 32], &Settings::default(), false, crate::shared::now());
        let mut chosen = begun(b"");
        chosen.choose(&said(&chosen, "pot=77")).unwrap();
        chosen.apply(&mut games);
        assert!(!chosen.waits);
        assert!(!games.set("pot", "77"));
        assert_eq!(games.server(Id::Pimp).set("pot", "77"), Ok(false));
    }
}

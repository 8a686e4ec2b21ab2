//! One table of settings a game: name, type, default, one sentence. Whatever tells a game's settings or takes them from
//! people (flags, a file, the environment, a board's options, the header of a conversation, the reference in the docs)
//! goes through the table, so a setting is spelt out once, where its game is.
//!
//! Values are told in words: switches are `on` and `off` (`yes`, `no`, `true`, `false` will do), times are seconds with or
//! without a fraction, or `250ms`. Within a game a time is a number of milliseconds. An address is an [`Url`], of a length
//! that its type bounds.
//!
//! [`settings!`](crate::settings!) makes the struct and its table:
//!
//! ```
//! parlor_core::settings! {
//!     /// What a game of ours may decide.
//!     pub struct Config {
//!         /// Who is silent for this long is skipped; 0: nobody is.
//!         time patience: u32 = 30_000;
//!         /// Players at a table.
//!         rule players: u8 = 4, 2..=6;
//!         /// Commands a second and connection; 0: no limit.
//!         limit rate: u16 = 32;
//!     }
//! }
//! use parlor_core::settings::Settings as _;
//!
//! let mut config = Config::DEFAULT;
//! config.set("patience", "2.5").unwrap();
//! assert_eq!((config.patience, config.players), (2_500, 4));
//! assert!(config.set("players", "7").is_err() && config.set("dice", "2").is_err());
//! ```
//!
//! What can never happen here: a panic on any text, a setting out of its bounds, a change by what was refused.

use core::fmt;

use crate::text::Text;

/// Under which heading a setting is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Rule,
    Time,
    Limit,
}

/// What a setting can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Switch,
    /// Milliseconds, told in seconds.
    Time,
    /// From the first to the second.
    Number(u32, u32),
    /// A number, or none of the kind.
    NumberOrOff,
    /// An absolute URL of at most so many bytes: see [`Url`].
    Url(u32),
}

/// A value as a number, if its kind has any: a switch is 0 or 1, a time is milliseconds; `None`: off, or an address.
pub type Value = Option<u32>;

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// As the field is called. Where a name is read, `-` will do for `_`.
    pub name: &'static str,
    pub group: Group,
    pub kind: Kind,
    /// One sentence for people, with a blank before it where the compiler put one. Empty on a board, which shows none and whose flash
    /// is short.
    pub help: &'static str,
}

/// Why a setting was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Refused {
    /// There is none of this name.
    Name,
    /// It can't have this value.
    Value,
    /// It is a rule of a game that is being played.
    Later,
}

/// Changes one setting of a server that runs, told in words; whether it is another than before. A rule stays as it is while
/// a game is played by it.
pub fn change<C: Settings>(config: &mut C, name: &str, text: &str, is_playing: bool) -> Result<bool, Refused> {
    let mut group = None;
    C::each(&mut |row| {
        if is_named(name, row.name) {
            group = Some(row.group);
        }
    });
    let before = config.get(name);
    let mut changed = config.clone();
    changed.set(name, text)?;
    if changed.get(name) == before {
        return Ok(false);
    }
    if is_playing && group == Some(Group::Rule) {
        return Err(Refused::Later);
    }
    *config = changed;
    Ok(true)
}

/// The settings of a game. [`settings!`](crate::settings!) implements it.
pub trait Settings: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    const DEFAULT: Self;

    /// Each row, in the order of the fields.
    fn each(tell: &mut dyn FnMut(&'static Setting));
    fn get(&self, name: &str) -> Option<Value>;
    /// The value of a setting that is an address.
    fn text(&self, name: &str) -> Option<&str>;
    /// Changes one setting, told in words. What is refused changes nothing.
    fn set(&mut self, name: &str, text: &str) -> Result<(), Refused>;

    /// The value of a row in words that [`Settings::set`] understands.
    fn shown(&self, row: &Setting) -> Shown<'_> {
        Shown { kind: row.kind, value: self.get(row.name).flatten(), text: self.text(row.name).unwrap_or_default() }
    }
}

impl Kind {
    /// The value that a text tells. Not inlined: settings are read once, so small is better than quick.
    #[inline(never)]
    pub fn read(self, text: &str) -> Option<Value> {
        match self {
            Self::Switch => switch(text).map(|on| Some(u32::from(on))),
            Self::Time => time(text).map(Some),
            Self::Number(least, most) => text.parse().ok().filter(|number| (least..=most).contains(number)).map(Some),
            Self::NumberOrOff if switch(text) == Some(false) => Some(None),
            Self::NumberOrOff => text.parse().ok().map(Some),
            Self::Url(most) => (text.len() <= most as usize && is_url(text)).then_some(None),
        }
    }
}

/// `on` and `off`, and other words for them.
pub fn switch(text: &str) -> Option<bool> {
    match text {
        "on" | "yes" | "true" => Some(true),
        "off" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// Milliseconds. Without floating point, which a small part has none of.
fn time(text: &str) -> Option<u32> {
    if let Some(milliseconds) = text.strip_suffix("ms") {
        return milliseconds.parse().ok();
    }
    let seconds = text.strip_suffix('s').unwrap_or(text);
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || whole.is_empty() {
        return None;
    }
    let digits = part.bytes().map(|digit| u32::from(digit - b'0')).chain([0; 4]);
    let (milliseconds, _) = digits.take(4).fold((0, 1000), |(sum, unit), digit| (sum + digit * unit, unit / 10));
    // A fourth digit rounds.
    whole.parse::<u32>().ok()?.checked_mul(1_000)?.checked_add((milliseconds + 5) / 10)
}

/// A scheme, a colon and a slash, and no blank, comma or percent sign: these mean something of their own in
/// lines of games, where an address must stand as it is.
fn is_url(text: &str) -> bool {
    let scheme = text.split_once(":/").map_or("", |(scheme, _)| scheme);
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_scheme && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b',' | b'%'))
}

/// An absolute URL of at most `N` bytes, without blank, comma or percent sign. New, it is all zero bytes, and none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize))]
pub struct Url<const N: usize>(Text<N>);

impl<const N: usize> Url<N> {
    pub const NONE: Self = Self(Text::EMPTY);

    /// One that the program itself has.
    pub const fn fixed(url: &str) -> Self {
        Self(Text::fixed(url))
    }

    /// `None` if it is too long, or no absolute URL.
    pub fn new(url: &str) -> Option<Self> {
        Text::new(url).filter(|_| is_url(url)).map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// What was saved is looked at like what is told: a file may say anything.
#[cfg(feature = "postcard")]
impl<'de, const N: usize> serde::Deserialize<'de> for Url<N> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(from)?;
        let is_sound = text.is_empty() || is_url(text.as_str());
        if is_sound { Ok(Self(text)) } else { Err(serde::de::Error::custom("no URL")) }
    }
}

/// A value for people.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    kind: Kind,
    value: Value,
    text: &'a str,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.value) {
            (Kind::Url(_), _) => f.write_str(self.text),
            (_, None) | (Kind::Switch, Some(0)) => f.write_str("off"),
            (Kind::Switch, _) => f.write_str("on"),
            (Kind::Time, Some(time)) if time.is_multiple_of(1_000) => write!(f, "{}", time / 1_000),
            (Kind::Time, Some(time)) => write!(f, "{}ms", time),
            (_, Some(number)) => write!(f, "{number}"),
        }
    }
}

/// A type that a setting can have: its values as numbers, or as a text.
#[doc(hidden)]
pub trait Field: Sized {
    const KIND: Kind;
    /// All its bytes are zero.
    const ZERO: Self;
    fn of(value: Value) -> Option<Self>;
    fn value(&self) -> Value;
    fn read(kind: Kind, text: &str) -> Option<Self> {
        kind.read(text).and_then(Self::of)
    }
    fn text(&self) -> Option<&str> {
        None
    }
}

impl Field for bool {
    const KIND: Kind = Kind::Switch;
    const ZERO: Self = false;
    fn of(value: Value) -> Option<Self> {
        Some(value? != 0)
    }
    fn value(&self) -> Value {
        Some(u32::from(*self))
    }
}

impl Field for Option<u32> {
    const KIND: Kind = Kind::NumberOrOff;
    const ZERO: Self = None;
    fn of(value: Value) -> Option<Self> {
        Some(value)
    }
    fn value(&self) -> Value {
        *self
    }
}

impl<const N: usize> Field for Url<N> {
    const KIND: Kind = Kind::Url(N as u32);
    const ZERO: Self = Self::NONE;
    fn of(_value: Value) -> Option<Self> {
        None
    }
    fn value(&self) -> Value {
        None
    }
    fn read(_kind: Kind, text: &str) -> Option<Self> {
        Self::new(text)
    }
    fn text(&self) -> Option<&str> {
        Some(self.as_str())
    }
}

macro_rules! number {
    ($($type:ty)*) => {$(
        impl Field for $type {
            const KIND: Kind = Kind::Number(0, <$type>::MAX as u32);
            const ZERO: Self = 0;
            fn of(value: Value) -> Option<Self> {
                value?.try_into().ok()
            }
            fn value(&self) -> Value {
                Some(u32::from(*self))
            }
        }
    )*};
}
number!(u8 u16 u32);

/// Is it the name of this field?
#[doc(hidden)]
pub fn is_named(name: &str, field: &str) -> bool {
    let plain = |byte: u8| if byte == b'-' { b'_' } else { byte };
    name.len() == field.len() && name.bytes().map(plain).eq(field.bytes())
}

/// A struct of settings with its table. Each row: its sentence; its group (`rule`, `time`, `limit`); name, type and
/// default; for a number its bounds, if it has any. `in NAME: TYPE;` takes in another table, whose rows come first.
/// `, skip` at the end of a row leaves it out of what is saved of the struct, as saves of older versions have no such row:
/// its game saves it behind everything else, and tells by the version whether it is there.
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Name:ident {
            $(in $part:ident: $Part:ty;)*
            $($(#[doc = $help:literal])+ $group:ident $field:ident: $type:ty = $default:expr
                $(, $least:literal..=$most:expr)? $(, $skip:ident)?;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
        $vis struct $Name {
            $(pub $part: $Part,)*
            $($(#[doc = $help])+ $(#[cfg_attr(feature = "postcard", serde($skip))])? pub $field: $type,)*
        }

        impl $Name {
            pub const DEFAULT: Self = Self {
                $($part: <$Part>::DEFAULT,)*
                $($field: $default,)*
            };

            /// All zero bytes: what a server holds before it begins.
            pub const BLANK: Self = Self {
                $($part: <$Part>::BLANK,)*
                $($field: <$type as $crate::settings::Field>::ZERO,)*
            };
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::DEFAULT
            }
        }

        #[allow(unused_variables, reason = "a table may have no rows")]
        impl $crate::settings::Settings for $Name {
            const DEFAULT: Self = Self::DEFAULT;

            fn each(tell: &mut dyn FnMut(&'static $crate::settings::Setting)) {
                $(<$Part as $crate::settings::Settings>::each(tell);)*
                $(tell(&const {
                    $crate::settings::Setting {
                        name: stringify!($field),
                        group: $crate::settings!(@group $group),
                        kind: $crate::settings!(@kind $group $type $(, $least, $most)?),
                        help: if cfg!(target_os = "none") { "" } else { concat!($($help),+) },
                    }
                });)*
            }

            fn get(&self, name: &str) -> Option<$crate::settings::Value> {
                $(if let Some(value) = $crate::settings::Settings::get(&self.$part, name) {
                    return Some(value);
                })*
                $(if $crate::settings::is_named(name, stringify!($field)) {
                    return Some($crate::settings::Field::value(&self.$field));
                })*
                None
            }

            fn text(&self, name: &str) -> Option<&str> {
                $(if let Some(text) = $crate::settings::Settings::text(&self.$part, name) {
                    return Some(text);
                })*
                $(if $crate::settings::is_named(name, stringify!($field)) {
                    return $crate::settings::Field::text(&self.$field);
                })*
                None
            }

            #[inline(never)]
            fn set(&mut self, name: &str, text: &str) -> Result<(), $crate::settings::Refused> {
                $(match $crate::settings::Settings::set(&mut self.$part, name, text) {
                    Err($crate::settings::Refused::Name) => {}
                    known => return known,
                })*
                $(if $crate::settings::is_named(name, stringify!($field)) {
                    let kind = $crate::settings!(@kind $group $type $(, $least, $most)?);
                    let value = $crate::settings::Field::read(kind, text);
                    self.$field = value.ok_or($crate::settings::Refused::Value)?;
                    return Ok(());
                })*
                Err($crate::settings::Refused::Name)
            }
        }
    };
    (@group rule) => { $crate::settings::Group::Rule };
    (@group time) => { $crate::settings::Group::Time };
    (@group limit) => { $crate::settings::Group::Limit };
    (@kind time $type:ty) => { $crate::settings::Kind::Time };
    (@kind $group:ident $type:ty) => { <$type as $crate::settings::Field>::KIND };
    (@kind $group:ident $type:ty, $least:literal, $most:expr) => {
        $crate::settings::Kind::Number($least, $most)
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString as _;
    use std::vec::Vec;

    settings! {
        pub struct Part {
            /// Fines go to a pot;
            /// off: there is none.
            rule pot: Option<u32> = Some(100);
        }
    }

    settings! {
        pub struct Whole {
            in part: Part;
            /// How long.
            time pause_first: u32 = 1_500;
            /// How often.
            limit rate: u16 = 32;
            /// How many.
            rule seats: u8 = 4, 2..=6;
            /// Whether.
            rule fancy: bool = false;
            /// Where.
            rule home: Url<20> = Url::fixed("http://a/b");
        }
    }

    #[test]
    fn values_are_set_by_name_and_shown_as_they_are_read() {
        let mut whole = Whole::DEFAULT;
        let words = [
            ("pot", "0"),
            ("pause-first", "0.25"),
            ("rate", "65535"),
            ("seats", "6"),
            ("fancy", "yes"),
            ("home", "file:///x"),
        ];
        for (name, text) in words {
            assert_eq!(whole.set(name, text), Ok(()), "{name}");
        }
        let home = Url::new("file:///x").unwrap();
        let wanted = Whole { part: Part { pot: Some(0) }, pause_first: 250, rate: 65535, seats: 6, fancy: true, home };
        assert_eq!(whole, wanted);
        let mut shown = Vec::new();
        Whole::each(&mut |row| shown.push((row.name, whole.shown(row).to_string())));
        let words = [
            ("pot", "0"),
            ("pause_first", "250ms"),
            ("rate", "65535"),
            ("seats", "6"),
            ("fancy", "on"),
            ("home", "file:///x"),
        ];
        assert_eq!(shown, words.map(|(name, text)| (name, text.to_string())));
        let mut again = Whole::DEFAULT;
        shown.iter().for_each(|(name, text)| again.set(name, text).unwrap());
        assert_eq!(again, whole);
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut whole = Whole::DEFAULT;
        for (name, text) in [
            ("rate", "65536"),
            ("rate", "-1"),
            ("rate", ""),
            ("seats", "1"),
            ("seats", "7"),
            ("fancy", "1"),
            ("fancy", ""),
            ("pot", "none"),
            ("pause_first", "ms"),
            ("pause_first", "."),
            ("pause_first", "1.x"),
            ("pause_first", "s"),
            ("pause_first", "1.5ms"),
            ("pause_first", "4294968"),
            ("pause_first", "é"),
            ("home", ""),
            ("home", "a/b"),
            ("home", "/srv/a"),
            ("home", "://a"),
            ("home", "http://a/b c"),
            ("home", "http://a/b,c"),
            ("home", "http://a/%20"),
            ("home", "http://a/é"),
            ("home", "http://a/b/c/d/e/f/gh"),
        ] {
            assert_eq!(whole.set(name, text), Err(Refused::Value), "{name}={text}");
        }
        for name in ["", "part", "paus", "pause_firs", "PAUSE_FIRST", "é"] {
            assert_eq!(whole.set(name, "1"), Err(Refused::Name), "{name}");
        }
        assert_eq!(whole, Whole::DEFAULT);
    }

    #[test]
    fn times_are_seconds_or_milliseconds() {
        let read = |text| Kind::Time.read(text).flatten();
        let words = [("3", 3_000), ("3s", 3_000), ("0.25", 250), ("0.0004", 0), ("0.0005", 1), ("1.9999", 2_000)];
        assert!(words.iter().all(|(text, time)| read(text) == Some(*time)), "{:?}", words.map(|(text, _)| read(text)));
        assert_eq!((read("250ms"), read("0.5s"), read("4294967.295")), (Some(250), Some(500), Some(u32::MAX)));
        assert_eq!(read("4294967.296"), None);
    }

    #[test]
    fn while_a_game_is_played_its_rules_stay() {
        let mut whole = Whole::DEFAULT;
        assert_eq!(change(&mut whole, "rate", "5", true), Ok(true));
        assert_eq!(change(&mut whole, "rate", "5", true), Ok(false));
        assert_eq!(change(&mut whole, "pause-first", "1", true), Ok(true));
        assert_eq!(change(&mut whole, "seats", "4", true), Ok(false), "it is so already");
        assert_eq!(change(&mut whole, "seats", "5", true), Err(Refused::Later));
        assert_eq!(change(&mut whole, "pot", "off", true), Err(Refused::Later));
        assert_eq!((whole.seats, whole.part.pot, whole.rate, whole.pause_first), (4, Some(100), 5, 1_000));
        assert_eq!(change(&mut whole, "seats", "5", false), Ok(true));
        assert_eq!(change(&mut whole, "seats", "7", false), Err(Refused::Value));
        assert_eq!(change(&mut whole, "dice", "7", false), Err(Refused::Name));
    }

    #[test]
    fn before_a_game_begins_all_is_zero() {
        let blank =
            Whole { part: Part { pot: None }, pause_first: 0, rate: 0, seats: 0, fancy: false, home: Url::NONE };
        assert_eq!(Whole::BLANK, blank);
    }

    #[test]
    fn an_address_is_a_text_and_a_number_is_none() {
        let whole = Whole::DEFAULT;
        assert_eq!((whole.text("home"), whole.get("home")), (Some("http://a/b"), Some(None)));
        assert_eq!((whole.text("rate"), whole.text("nothing")), (None, None));
        assert_eq!(Url::<20>::new("http://a/b"), Some(Url::fixed("http://a/b")));
    }

    #[test]
    fn a_table_tells_each_row_once() {
        let mut rows = Vec::new();
        Whole::each(&mut |row| rows.push(*row));
        assert_eq!(
            rows.iter().map(|row| row.name).collect::<Vec<_>>(),
            ["pot", "pause_first", "rate", "seats", "fancy", "home"]
        );
        assert_eq!(rows[0].help, " Fines go to a pot; off: there is none.");
        assert_eq!((rows[1].group, rows[1].kind), (Group::Time, Kind::Time));
        assert_eq!((rows[3].group, rows[3].kind), (Group::Rule, Kind::Number(2, 6)));
        assert_eq!((rows[5].group, rows[5].kind), (Group::Rule, Kind::Url(20)));
    }
}

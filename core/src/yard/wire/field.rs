//! How each kind of argument is read and written.

use crate::lines::{Words, Writer};
use crate::protocol::{Kind, Part};
use crate::yard::map::{STATIONS, Station};
use crate::yard::pieces::{Pawn, Pawns, Team, Ticket};

/// One argument of a line, or several that belong together.
pub trait Field<'a>: Sized {
    /// What stands for it in a line.
    const PARTS: &'static [Part];
    /// Takes what it needs of the words; `None`: missing or malformed.
    fn take(words: &mut Words<'a>) -> Option<Self>;
    fn put(&self, line: &mut Writer<'_>);
}

impl<'a> Field<'a> for &'a str {
    const PARTS: &'static [Part] = &[Part::of(Kind::Text)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        words.next()
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.word(self);
    }
}

/// Only where it is the last argument.
impl<'a> Field<'a> for Option<&'a str> {
    const PARTS: &'static [Part] = &[Part::if_there(Kind::Text)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        Some(words.next())
    }
    fn put(&self, line: &mut Writer<'_>) {
        if let Some(text) = self {
            line.word(text);
        }
    }
}

impl<'a> Field<'a> for u8 {
    const PARTS: &'static [Part] = &[Part::of(Kind::Byte)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        number(words.next()?)?.try_into().ok()
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.number(i32::from(*self));
    }
}

/// Digits, with a minus before them or not; no plus.
fn number(word: &str) -> Option<i32> {
    word.parse().ok().filter(|_| !word.starts_with('+'))
}

/// True or False.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vote(pub bool);

impl<'a> Field<'a> for Vote {
    const PARTS: &'static [Part] = &[Part::of(Kind::Named(|n| ["False", "True"].get(usize::from(n)).copied()))];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        let word = words.next()?;
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        (is("True") || is("False")).then(|| Self(is("True")))
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.plain(if self.0 { "True" } else { "False" });
    }
}

impl<'a> Field<'a> for Team {
    const PARTS: &'static [Part] = &[Part::of(Kind::Named(|n| Team::ALL.get(usize::from(n)).map(|team| team.name())))];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        Team::named(words.next()?)
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.word(self.name());
    }
}

const PAWN: Kind = Kind::Named(|n| Pawn::ALL.get(usize::from(n)).map(|pawn| pawn.name()));
const TICKET: Kind = Kind::Named(|n| Ticket::ALL.get(usize::from(n)).map(|ticket| ticket.name()));
const STATION: Kind = Kind::Number(1, STATIONS as u32);

impl<'a> Field<'a> for Pawn {
    const PARTS: &'static [Part] = &[Part::of(PAWN)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        Pawn::named(words.next()?)
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.plain(self.name());
    }
}

/// Before a move, as London Law's clients send it: there or not.
impl<'a> Field<'a> for Option<Pawn> {
    const PARTS: &'static [Part] = &[Part::if_there(PAWN)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        let pawn = words.peek().and_then(Pawn::named);
        if pawn.is_some() {
            words.next();
        }
        Some(pawn)
    }
    fn put(&self, line: &mut Writer<'_>) {
        if let Some(pawn) = self {
            pawn.put(line);
        }
    }
}

/// One word: `"Red Yellow Green"`, `X`, or nothing in quotes.
impl<'a> Field<'a> for Pawns {
    const PARTS: &'static [Part] = &[Part::of(Kind::Text)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        words.next()?.split_whitespace().try_fold(Pawns::NONE, |pawns, name| Some(pawns.with(Pawn::named(name)?)))
    }
    fn put(&self, line: &mut Writer<'_>) {
        let mut one = self.iter();
        match (one.next(), one.next()) {
            (Some(pawn), None) => line.plain(pawn.name()),
            _ => line.group(|line| self.iter().for_each(|pawn| line.plain(pawn.name()))),
        }
    }
}

/// How far a game has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Stage {
    #[default]
    New,
    InProgress,
    Complete,
}

impl Stage {
    pub const ALL: [Self; 3] = [Self::New, Self::InProgress, Self::Complete];

    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::InProgress => "in progress",
            Self::Complete => "complete",
        }
    }
}

impl<'a> Field<'a> for Stage {
    const PARTS: &'static [Part] =
        &[Part::of(Kind::Named(|n| Self::ALL.get(usize::from(n)).map(|stage| stage.name())))];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        let word = words.next()?;
        Self::ALL.into_iter().find(|stage| stage.name() == word)
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.word(self.name());
    }
}

/// A station that may be hidden: `-1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot(pub Option<Station>);

impl Spot {
    fn parse(word: &str) -> Option<Self> {
        match number(word)? {
            -1 => Some(Self(None)),
            n => Some(Self(Some(Station::new(n.try_into().ok()?)?))),
        }
    }
    fn put(self, line: &mut Writer<'_>) {
        line.number(self.0.map_or(-1, |station| i32::from(station.number())));
    }
}

impl<'a> Field<'a> for Spot {
    const PARTS: &'static [Part] = &[Part::of(Kind::Number(-1, STATIONS as u32))];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        Self::parse(words.next()?)
    }
    fn put(&self, line: &mut Writer<'_>) {
        Spot::put(*self, line);
    }
}

impl<'a> Field<'a> for Ticket {
    const PARTS: &'static [Part] = &[Part::of(TICKET)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        Ticket::named(words.next()?)
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.plain(self.name());
    }
}

/// One ride: where to and with which ticket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Hop {
    pub to: Station,
    pub ticket: Ticket,
}

impl<'a> Field<'a> for Hop {
    const PARTS: &'static [Part] = &[Part::called("to", STATION), Part::called("ticket", TICKET)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        let to = Station::new(u8::take(words)?)?;
        Some(Self { to, ticket: Ticket::take(words)? })
    }
    fn put(&self, line: &mut Writer<'_>) {
        line.number(i32::from(self.to.number()));
        self.ticket.put(line);
    }
}

/// The tickets that a pawn has: taxi, bus, underground, black, double; -1 is any number of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Purse(pub [i8; 5]);

const COUNT: Kind = Kind::Number(-1, i8::MAX as u32);

impl<'a> Field<'a> for Purse {
    const PARTS: &'static [Part] = &[
        Part::called("taxi", COUNT),
        Part::called("bus", COUNT),
        Part::called("underground", COUNT),
        Part::called("black", COUNT),
        Part::called("double", COUNT),
    ];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        let mut purse = Self::default();
        for count in &mut purse.0 {
            *count = number(words.next()?)?.try_into().ok().filter(|count: &i8| *count >= -1)?;
        }
        Some(purse)
    }
    fn put(&self, line: &mut Writer<'_>) {
        self.0.iter().for_each(|count| line.number(i32::from(*count)));
    }
}

/// What a pawn did in one turn, as the history tells it; the starts have no ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    pub to: Spot,
    pub ticket: Option<Ticket>,
}

/// A line of the history: what each pawn did, in the order of play. A word each: `"Red 140 taxi"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round(pub [Option<Made>; 6]);

impl Round {
    pub fn set(&mut self, pawn: Pawn, made: Made) {
        if let Some(place) = self.0.get_mut(pawn.index()) {
            *place = Some(made);
        }
    }

    pub fn get(&self, pawn: Pawn) -> Option<Made> {
        self.0.get(pawn.index()).copied().flatten()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Pawn, Made)> + '_ {
        Pawn::ALL.into_iter().filter_map(|pawn| Some((pawn, self.get(pawn)?)))
    }
}

impl<'a> Field<'a> for Round {
    const PARTS: &'static [Part] = &[Part::of(Kind::Words)];
    fn take(words: &mut Words<'a>) -> Option<Self> {
        let mut round = Self::default();
        for word in words {
            let mut parts = word.split_whitespace();
            let (pawn, to) = (Pawn::named(parts.next()?)?, Spot::parse(parts.next()?)?);
            let ticket = match parts.next() {
                Some(name) => Some(Ticket::named(name)?),
                None => None,
            };
            round.set(pawn, Made { to, ticket });
        }
        Some(round)
    }
    fn put(&self, line: &mut Writer<'_>) {
        for (pawn, made) in self.iter() {
            line.group(|line| {
                line.plain(pawn.name());
                made.to.put(line);
                if let Some(ticket) = made.ticket {
                    line.plain(ticket.name());
                }
            });
        }
    }
}

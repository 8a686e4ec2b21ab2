//! How each kind of field is read and written (venus 2).

use crate::lines::FieldWriter;
use crate::protocol::{Kind, Part};
use crate::text::Text;
use crate::venus::pieces::{
    Colour, Contents, Culture, DICE, Named, Numbers, Phase, Relic, Roll, SEATS, Seat, Secrecy, Switch, Switches, Token,
};

use super::token;
use super::{SAVE_MAX, Verb};

/// One field of a line.
pub trait Field<'a>: Sized {
    /// How it stands in a line. What is a list of its own is a text here.
    const KIND: Kind = Kind::Text;
    const PARTS: &'static [Part] = &[Part::of(Self::KIND)];
    /// `None`: malformed.
    fn take(text: &'a str) -> Option<Self>;
    fn put(&self, line: &mut FieldWriter<'_>);
}

impl<'a> Field<'a> for &'a str {
    fn take(text: &'a str) -> Option<Self> {
        Some(text)
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        line.text(self);
    }
}

/// Digits, at most nine.
impl<'a> Field<'a> for u32 {
    const KIND: Kind = Kind::Number(0, 999_999_999);
    fn take(text: &'a str) -> Option<Self> {
        let fits = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| fits)
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        // No sum of a game comes near.
        line.number(i32::try_from(*self).unwrap_or(i32::MAX));
    }
}

impl<'a> Field<'a> for u8 {
    const KIND: Kind = Kind::Byte;
    fn take(text: &'a str) -> Option<Self> {
        u32::take(text)?.try_into().ok()
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        line.number(i32::from(*self));
    }
}

/// `1` or `0`.
impl<'a> Field<'a> for bool {
    const KIND: Kind = Kind::Bool;
    fn take(text: &'a str) -> Option<Self> {
        match text {
            "1" => Some(true),
            "0" => Some(false),
            _ => None,
        }
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        line.text(if *self { "1" } else { "0" });
    }
}

impl<'a> Field<'a> for Seat {
    const KIND: Kind = Kind::Number(0, SEATS as u32 - 1);
    fn take(text: &'a str) -> Option<Self> {
        u8::take(text).filter(|seat| usize::from(*seat) < SEATS).map(Self)
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        self.0.put(line);
    }
}

impl<'a> Field<'a> for Culture {
    const KIND: Kind = Kind::Named(|n| Self::ALL.get(usize::from(n)).map(|culture| culture.id()));
    fn take(text: &'a str) -> Option<Self> {
        Self::by_id(text)
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        line.text(self.id());
    }
}

impl<'a> Field<'a> for Phase {
    const KIND: Kind = Kind::Named(|n| Self::ALL.get(usize::from(n)).map(|phase| phase.name()));
    fn take(text: &'a str) -> Option<Self> {
        Self::ALL.iter().copied().find(|phase| phase.name() == text)
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        line.text(self.name());
    }
}

impl<'a> Field<'a> for Verb {
    const KIND: Kind = Kind::Named(|n| Self::ALL.get(usize::from(n)).map(|verb| verb.name()));
    fn take(text: &'a str) -> Option<Self> {
        Self::named(text)
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        line.text(self.name());
    }
}

impl<'a> Field<'a> for Named {
    fn take(text: &'a str) -> Option<Self> {
        token::read(text)
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        // A line takes all that is written to it.
        let _ = token::write(*self, line);
    }
}

/// How many buys or sells are left; -1 on the wire: no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Left(pub Option<u8>);

impl<'a> Field<'a> for Left {
    const KIND: Kind = Kind::Number(-1, u8::MAX as u32);
    fn take(text: &'a str) -> Option<Self> {
        if text == "-1" { Some(Self(None)) } else { u8::take(text).map(|left| Self(Some(left))) }
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        line.number(self.0.map_or(-1, i32::from));
    }
}

/// The seats in the order of their turns: a digit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Order {
    seats: [Seat; SEATS],
    count: u8,
}

impl Order {
    /// At most six.
    pub fn of(seats: impl IntoIterator<Item = Seat>) -> Self {
        let mut order = Self::default();
        for (place, seat) in order.seats.iter_mut().zip(seats) {
            *place = seat;
            order.count += 1;
        }
        order
    }

    pub fn iter(&self) -> impl Iterator<Item = Seat> + '_ {
        self.seats.iter().copied().take(usize::from(self.count))
    }
}

impl<'a> Field<'a> for Order {
    fn take(text: &'a str) -> Option<Self> {
        let is_seat = |byte: u8| (b'0'..b'0' + SEATS as u8).contains(&byte);
        let fits = text.len() <= SEATS && text.bytes().all(is_seat);
        fits.then(|| Self::of(text.bytes().map(|byte| Seat(byte - b'0'))))
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        self.iter().for_each(|seat| seat.put(line));
    }
}

/// `public`, or `1` in the place of each player who knows; what is left out is `0`.
impl<'a> Field<'a> for Secrecy {
    fn take(text: &'a str) -> Option<Self> {
        if text == "public" {
            return Some(Self::PUBLIC);
        }
        let fits = text.len() <= SEATS && text.bytes().all(|byte| matches!(byte, b'0' | b'1'));
        let knows = Seat::all().zip(text.bytes()).filter(|(_, byte)| *byte == b'1');
        fits.then(|| knows.fold(Self::NOBODY, |secrecy, (seat, _)| secrecy.with(seat)))
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        if self.is_public() {
            return line.text("public");
        }
        let last = Seat::all().filter(|seat| self.is_known_to(*seat)).last();
        let upto = last.map_or(0, |seat| seat.index() + 1);
        Seat::all().take(upto).for_each(|seat| self.is_known_to(seat).put(line));
    }
}

/// Codes joined by `-`, in any order when they are read; `-` alone is none.
impl<'a> Field<'a> for Switches {
    fn take(text: &'a str) -> Option<Self> {
        let mut codes = text.split(['-']).filter(|code| !code.is_empty());
        codes.try_fold(Self::NONE, |switches, code| {
            Some(switches.with(Switch::ALL.iter().copied().find(|switch| switch.code() == code)?))
        })
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        if self.is_empty() {
            return line.text("-");
        }
        for (nth, switch) in self.iter().enumerate() {
            line.text(if nth == 0 { "" } else { "-" });
            line.text(switch.code());
        }
    }
}

/// A digit a die, or `?` while no one has seen them.
impl<'a> Field<'a> for Roll {
    fn take(text: &'a str) -> Option<Self> {
        let is_die = |byte: u8| matches!(byte, b'1'..=b'6' | b'?');
        let fits = text.len() <= DICE && text.bytes().all(is_die);
        fits.then(|| Self::of(text.bytes().map(|byte| if byte == b'?' { 0 } else { byte - b'0' })))
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        for die in self.iter() {
            if die == 0 { line.text("?") } else { die.put(line) }
        }
    }
}

/// Ascending digits.
impl<'a> Field<'a> for Numbers {
    fn take(text: &'a str) -> Option<Self> {
        let mut least = b'1';
        let ascends = text.bytes().all(|byte| {
            let fits = (least..=b'6').contains(&byte);
            least = byte.saturating_add(1);
            fits
        });
        ascends.then(|| text.bytes().fold(Self::NONE, |numbers, byte| numbers.with(byte - b'0')))
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        self.iter().for_each(|number| number.put(line));
    }
}

impl<'a> Field<'a> for Contents {
    fn take(text: &'a str) -> Option<Self> {
        let (kind, what) = text.split_once(' ').map_or((text, None), |(kind, what)| (kind, Some(what)));
        match (kind, what) {
            ("Telegate", Some(number)) => u8::take(number).filter(|n| (1..=6).contains(n)).map(Self::Telegate),
            ("Station", None) => Some(Self::Station(None)),
            ("Station", Some(seat)) => Some(Self::Station(Some(Seat::take(seat)?))),
            ("Penalty", Some(rest)) => {
                let (letter, sum) = rest.split_once(' ')?;
                let colour = Colour::ALL.iter().copied().find(|colour| letter_of(*colour) == letter)?;
                Some(Self::Penalty(colour, u8::take(sum)?))
            }
            ("Asteroid", None) => Some(Self::Asteroid(None)),
            ("Asteroid", Some(token)) => match token::read(token)?.token {
                Token::Relic(relic) => Some(Self::Asteroid(Some(relic))),
                _ => None,
            },
            _ => None,
        }
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        match *self {
            Self::Telegate(number) => {
                line.text("Telegate ");
                number.put(line);
            }
            Self::Station(None) => line.text("Station"),
            Self::Station(Some(seat)) => {
                line.text("Station ");
                seat.put(line);
            }
            Self::Penalty(colour, sum) => {
                line.text("Penalty ");
                line.text(letter_of(colour));
                line.text(" ");
                sum.put(line);
            }
            Self::Asteroid(None) => line.text("Asteroid"),
            Self::Asteroid(Some(relic)) => put_relic(relic, line),
        }
    }
}

const fn letter_of(colour: Colour) -> &'static str {
    match colour {
        Colour::Blue => "B",
        Colour::Yellow => "Y",
        Colour::Red => "R",
    }
}

fn put_relic(relic: Relic, line: &mut FieldWriter<'_>) {
    use crate::venus::pieces::Age;
    line.text("Asteroid ");
    Named { token: Token::Relic(relic), age: Some(Age::Old) }.put(line);
}

/// Names joined by commas, as one field.
#[derive(Clone, Copy, Debug)]
pub enum Names<'a> {
    /// As they came.
    Joined(&'a str),
    /// Those of saved games; an empty one is none.
    Each(&'a [Text<SAVE_MAX>]),
}

impl Names<'_> {
    pub const NONE: Self = Self::Joined("");

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let (joined, each) = match self {
            Self::Joined(joined) => (*joined, &[][..]),
            Self::Each(each) => ("", *each),
        };
        joined.split([',']).chain(each.iter().map(Text::as_str)).filter(|name| !name.is_empty())
    }
}

impl PartialEq for Names<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Names<'_> {}

impl<'a> Field<'a> for Names<'a> {
    fn take(text: &'a str) -> Option<Self> {
        Some(Self::Joined(text))
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        for (nth, name) in self.iter().enumerate() {
            line.text(if nth == 0 { "" } else { "," });
            line.text(name);
        }
    }
}

//! The five kinds of field a PIMP message is made of, and how each is read, written and shown.
//!
//! Nothing here panics: a reader that runs dry gives `None`, a writer that runs full stops and says so.
//!
//! On a PC every field is read and written in line, which is fastest. With 159 messages that is much code, so on a board, whose
//! flash is short, all fields but the shortest are a call.

use core::fmt;

/// The longest name, in bytes, that any message carries (the document's `string (max length 32)`).
pub const NAME_MAX: usize = 32;
/// The most items a PURCHASE_HOUSES frame has room for: (254 /* payload */ - 1 /* count */) / 3.
pub const LOTS_MAX: usize = 84;

/// What kind of value a field holds: for generated pages, for tests, for clients in other languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Byte,
    Bool,
    Number,
    Name,
    Lots,
}

/// Hands out a payload from front to back.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    #[inline(always)]
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }
    #[inline(always)]
    fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }
}

/// Fills a buffer from front to back.
pub(super) struct Writer<'a> {
    rest: &'a mut [u8],
}

impl<'a> Writer<'a> {
    #[inline(always)]
    pub(super) fn new(buffer: &'a mut [u8]) -> Self {
        Self { rest: buffer }
    }
    #[inline(always)]
    fn put_byte(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = core::mem::take(&mut self.rest).split_first_mut()?;
        *first = byte;
        self.rest = rest;
        Some(())
    }
    #[inline(always)]
    pub(super) fn put(&mut self, bytes: &[u8]) -> Option<()> {
        let (head, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len())?;
        // A loop, not memcpy: most are one to four bytes, and a call would cost every message its saved registers.
        head.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.rest = rest;
        Some(())
    }
    /// Is there room for `n` bytes more?
    #[inline(always)]
    pub(super) fn spare(&self, n: usize) -> Option<()> {
        self.rest.get(..n).map(|_| ())
    }
    /// Bytes not written yet.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        self.rest.len()
    }
}

/// One field of a message: the codec asks nothing else of it.
pub(super) trait Field<'a>: Sized {
    const KIND: Kind;
    /// Fewest and most bytes on the wire.
    const MIN: usize;
    const MAX: usize;
    fn read(from: &mut Reader<'a>) -> Option<Self>;
    fn write(&self, to: &mut Writer<'_>) -> Option<()>;
    fn len(&self) -> usize {
        Self::MIN
    }
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl Field<'_> for u8 {
    const KIND: Kind = Kind::Byte;
    const MIN: usize = 1;
    const MAX: usize = 1;
    #[inline(always)]
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.byte()
    }
    #[inline(always)]
    fn write(&self, to: &mut Writer<'_>) -> Option<()> {
        to.put_byte(*self)
    }
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Only bit 0 counts on input; output is exactly 0 or 1 (pimp 1.8).
impl Field<'_> for bool {
    const KIND: Kind = Kind::Bool;
    const MIN: usize = 1;
    const MAX: usize = 1;
    #[inline(always)]
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(from.byte()? & 1 == 1)
    }
    #[inline(always)]
    fn write(&self, to: &mut Writer<'_>) -> Option<()> {
        to.put_byte(u8::from(*self))
    }
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Field<'_> for u32 {
    const KIND: Kind = Kind::Number;
    const MIN: usize = 4;
    const MAX: usize = 4;
    #[inline(always)]
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (head, rest) = from.0.split_first_chunk::<4>()?;
        from.0 = rest;
        Some(number(head))
    }
    #[inline(always)]
    fn write(&self, to: &mut Writer<'_>) -> Option<()> {
        let (head, rest) = core::mem::take(&mut to.rest).split_first_chunk_mut::<4>()?;
        put_number(head, *self);
        to.rest = rest;
        Some(())
    }
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg_attr(not(target_os = "none"), inline(always))]
#[cfg_attr(target_os = "none", inline(never))]
fn number(bytes: &[u8; 4]) -> u32 {
    u32::from_be_bytes(*bytes)
}

#[cfg_attr(not(target_os = "none"), inline(always))]
#[cfg_attr(target_os = "none", inline(never))]
fn put_number(to: &mut [u8; 4], number: u32) {
    *to = number.to_be_bytes();
}

/// A user's name as it stands in the frame: at most 32 bytes, not necessarily UTF-8 (that a name is not UTF-8 is
/// answered with NAME_IN_USE, so it must survive decoding).
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Name<'a>(&'a [u8]);

impl<'a> Name<'a> {
    /// `None` if it is longer than 32 bytes.
    pub const fn new(bytes: &'a [u8]) -> Option<Self> {
        if bytes.len() <= NAME_MAX { Some(Self(bytes)) } else { None }
    }
    pub const fn bytes(self) -> &'a [u8] {
        self.0
    }
    pub fn text(self) -> Option<&'a str> {
        core::str::from_utf8(self.0).ok()
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                fmt::Display::fmt(&c.escape_debug(), f)?;
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_str("\"")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Name<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self.text() {
            Some(text) => defmt::write!(f, "\"{=str}\"", text),
            None => defmt::write!(f, "{=[u8]:x}", self.0),
        }
    }
}

impl<'a> Field<'a> for Name<'a> {
    const KIND: Kind = Kind::Name;
    const MIN: usize = 1;
    const MAX: usize = 1 /* length */ + NAME_MAX;
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[cfg_attr(target_os = "none", inline(never))]
    fn read(from: &mut Reader<'a>) -> Option<Self> {
        let n = from.byte()?;
        Self::new(from.bytes(usize::from(n))?)
    }
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[cfg_attr(target_os = "none", inline(never))]
    fn write(&self, to: &mut Writer<'_>) -> Option<()> {
        // A name is at most 32 bytes long: `new` is its only door.
        to.put_byte(self.0.len() as u8)?;
        to.put(self.0)
    }
    fn len(&self) -> usize {
        1 + self.0.len()
    }
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One line of PURCHASE_HOUSES: buildings bought (+) or sold (-) on one lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Lot {
    pub property: u8,
    pub houses: i8,
    pub hotels: i8,
}

/// The items of PURCHASE_HOUSES, still in the frame: three bytes each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Lots<'a>(&'a [u8]);

impl<'a> Lots<'a> {
    /// `bytes` as on the wire, without the count; `None` unless they are whole items, 84 at most.
    pub const fn new(bytes: &'a [u8]) -> Option<Self> {
        if bytes.len().is_multiple_of(3) && bytes.len() <= 3 * LOTS_MAX { Some(Self(bytes)) } else { None }
    }
    pub const fn len(self) -> usize {
        self.0.len() / 3
    }
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }
    pub fn iter(self) -> impl Iterator<Item = Lot> + Clone + 'a {
        self.0.as_chunks::<3>().0.iter().map(|&[property, houses, hotels]| Lot {
            property,
            houses: houses as i8,
            hotels: hotels as i8,
        })
    }
}

impl fmt::Debug for Lots<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, lot) in self.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(f, "{gap}{}:{:+}/{:+}", lot.property, lot.houses, lot.hotels)?;
        }
        f.write_str("]")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Lots<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=[u8]}", self.0);
    }
}

impl<'a> Field<'a> for Lots<'a> {
    const KIND: Kind = Kind::Lots;
    const MIN: usize = 1;
    const MAX: usize = 1 /* count */ + 3 * LOTS_MAX;
    fn read(from: &mut Reader<'a>) -> Option<Self> {
        let n = from.byte()?;
        Self::new(from.bytes(3 * usize::from(n))?)
    }
    fn write(&self, to: &mut Writer<'_>) -> Option<()> {
        // At most 84 items: `new` is the only door.
        to.put_byte((self.0.len() / 3) as u8)?;
        to.put(self.0)
    }
    fn len(&self) -> usize {
        1 + self.0.len()
    }
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;

    #[test]
    fn a_name_has_at_most_32_bytes() {
        assert_eq!(Name::new(&[b'n'; 33]), None);
        assert_eq!(Name::new(&[b'n'; 32]).map(Name::bytes), Some(&[b'n'; 32][..]));
        assert_eq!(Name::new("Zoë".as_bytes()).and_then(Name::text), Some("Zoë"));
        assert_eq!(Name::new(&[0xC3]).and_then(Name::text), None);
    }

    #[test]
    fn a_name_is_shown_without_touching_the_terminal() {
        let name = Name::new(b"a\"\x1b[2J\xff").unwrap();
        assert_eq!(format!("{name:?}"), r#""a\"\u{1b}[2J\xff""#);
    }

    #[test]
    fn lots_are_whole_and_at_most_84() {
        assert_eq!(Lots::new(&[1, 2]), None);
        assert_eq!(Lots::new(&[0; 3 * 85]), None);
        assert_eq!(Lots::new(&[0; 3 * 84]).map(Lots::len), Some(84));
        let lots = Lots::new(&[1, 2, 0xFF, 39, 0x80, 0]).unwrap();
        assert_eq!(format!("{lots:?}"), "[1:+2/-1 39:-128/+0]");
    }

    #[test]
    fn readers_and_writers_stop_at_the_end() {
        let mut from = Reader(&[0, 0, 1, 2, 7]);
        assert_eq!(u32::read(&mut from), Some(258));
        assert_eq!(bool::read(&mut from), Some(true));
        assert_eq!(u8::read(&mut from), None);

        let mut three = [0; 3];
        let mut to = Writer::new(&mut three);
        assert_eq!(true.write(&mut to), Some(()));
        assert_eq!(to.room(), 2);
        assert_eq!(258u32.write(&mut to), None);
        assert_eq!(three, [1, 0, 0]);
    }
}

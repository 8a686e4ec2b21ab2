//! Saved games: a header that says what follows and whether it is whole, then postcard.
//!
//! A wrong version, a flipped bit or a cut file is an error found before anything of the table is touched; what passes
//! is decoded and audited once before it is decoded into the table. So a load can't fail half way.
//!
//! What can never happen here: a panic on any bytes, a half-loaded game.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::server::{Intake, Link, Millis, Server};

/// A table that can be stopped at any moment and go on elsewhere as if nothing had happened: with its connections, and
/// with every byte that waits for them. What a journal needs.
pub trait Durable: Server {
    /// Room that [`Durable::freeze`] is content with.
    const FROZEN_MAX: usize;

    /// As [`Server::receive`], of bytes that [`crate::server::Framer::taken`] gave: they are taken, however little room
    /// or time there seems to be, and what was secret in them is a verdict by now. Not for what a client sends: it
    /// could claim any verdict.
    fn recall(&mut self, link: Link, framer: &mut Self::Framer, now: Millis) -> Intake;
    /// The link that has this slot.
    fn link(&self, slot: u16) -> Option<Link>;
    /// Eight bits of everything ever said: a replay of a journal compares them.
    fn sum(&self) -> u8;
    /// Writes all of it; how long it became. It holds no secret in the clear but the seed.
    fn freeze(&self, out: &mut [u8]) -> Result<usize, SaveError>;
    /// After a thaw of what an earlier version froze, and once every later call was made again: games that begin from
    /// now on can be checked ([`crate::fair`]). Whether that is new. No input: an adapter then stores the state anew.
    fn begin_keys(&mut self) -> bool {
        false
    }
    /// Becomes what was frozen. On an error the table holds anything and is not to be used.
    fn thaw(&mut self, bytes: &[u8]) -> Result<(), LoadError>;
}

/// 4 /* magic */ + 2 /* version */ + 4 /* length of the body */ + 4 /* checksum */.
pub const HEADER: usize = 14;
/// Where the checksum stands: it covers all before and after.
const CHECKSUM: usize = 10;

/// Why a game could not be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SaveError {
    /// The buffer is too short: `limits` says how long it must be.
    NoRoom,
}

/// Why these bytes are no game that this table can go on with. The table is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum LoadError {
    /// Not a saved game of this kind.
    Foreign,
    /// Saved by another version.
    Version(u16),
    /// Cut short, or longer than it says.
    Length,
    /// The checksum is wrong.
    Damaged,
    /// Whole, but not what any game writes.
    Malformed,
    /// Well formed, but no game can have come to this.
    Unsound(&'static str),
    /// More users than this table has places for.
    TooManyUsers,
}

/// What is decoded can be no game otherwise.
pub(crate) fn must(holds: bool, otherwise: &'static str) -> Result<(), LoadError> {
    if holds { Ok(()) } else { Err(LoadError::Unsound(crate::finding::words(otherwise))) }
}

/// Fills a buffer with one value after another, leaving room for the header.
pub(crate) struct Writer<'a> {
    out: &'a mut [u8],
    used: usize,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out, used: HEADER }
    }

    pub fn put(&mut self, value: &impl Serialize) -> Result<(), SaveError> {
        let room = self.out.get_mut(self.used..).ok_or(SaveError::NoRoom)?;
        self.used += postcard::to_slice(value, room).map_err(|_| SaveError::NoRoom)?.len();
        Ok(())
    }

    /// Writes the header; the length of the whole.
    pub fn seal(self, magic: [u8; 4], version: u16) -> Result<usize, SaveError> {
        let whole = self.out.get_mut(..self.used).ok_or(SaveError::NoRoom)?;
        let (header, body) = whole.split_first_chunk_mut::<HEADER>().ok_or(SaveError::NoRoom)?;
        let ([a, b, c, d], [e, f]) = (magic, version.to_le_bytes());
        let [g, h, i, j] = (body.len() as u32).to_le_bytes();
        let front = [a, b, c, d, e, f, g, h, i, j];
        let [k, l, m, n] = checksum(&front, body).to_le_bytes();
        *header = [a, b, c, d, e, f, g, h, i, j, k, l, m, n];
        Ok(self.used)
    }
}

/// Reads back what a [`Writer`] wrote.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// The version that wrote the file.
    pub version: u16,
}

impl<'a> Reader<'a> {
    /// Checks the header and everything it covers.
    pub fn open(bytes: &'a [u8], magic: [u8; 4], version: u16) -> Result<Self, LoadError> {
        Self::open_since(bytes, magic, version, version)
    }

    /// The same, where older versions are read as well.
    pub fn open_since(bytes: &'a [u8], magic: [u8; 4], oldest: u16, newest: u16) -> Result<Self, LoadError> {
        let (header, body) = bytes.split_first_chunk::<HEADER>().ok_or(LoadError::Length)?;
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = *header;
        if [a, b, c, d] != magic {
            return Err(LoadError::Foreign);
        }
        let version = u16::from_le_bytes([e, f]);
        if !(oldest..=newest).contains(&version) {
            return Err(LoadError::Version(version));
        }
        if u32::from_le_bytes([g, h, i, j]) as usize != body.len() {
            return Err(LoadError::Length);
        }
        let (front, _) = header.split_at(CHECKSUM);
        if u32::from_le_bytes([k, l, m, n]) != checksum(front, body) {
            return Err(LoadError::Damaged);
        }
        Ok(Self { rest: body, version })
    }

    pub fn take<T: Deserialize<'a>>(&mut self) -> Result<T, LoadError> {
        let (value, rest) = postcard::take_from_bytes(self.rest).map_err(|_| LoadError::Malformed)?;
        self.rest = rest;
        Ok(value)
    }

    /// As [`Reader::take`], for an array: see [`array`].
    pub fn take_array<T: Deserialize<'a> + Clone, const N: usize>(&mut self) -> Result<[T; N], LoadError> {
        #[derive(Deserialize)]
        #[serde(bound(deserialize = "T: Deserialize<'de> + Clone"))]
        struct Whole<T, const N: usize>(#[serde(deserialize_with = "array")] [T; N]);
        self.take().map(|Whole(elements)| elements)
    }

    /// Nothing may be left over.
    pub fn end(self) -> Result<(), LoadError> {
        if self.rest.is_empty() { Ok(()) } else { Err(LoadError::Malformed) }
    }
}

/// For the fields that are arrays: as serde reads one, from the same bytes. serde writes out a read for each element, which for long
/// ones takes kilobytes of a board's flash; this is a loop.
pub(crate) fn array<'de, D: Deserializer<'de>, T: Deserialize<'de> + Clone, const N: usize>(
    from: D,
) -> Result<[T; N], D::Error> {
    const { assert!(N > 0, "the first element is read before there is an array") };
    from.deserialize_tuple(N, Elements(PhantomData))
}

struct Elements<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Clone, const N: usize> Visitor<'de> for Elements<T, N> {
    type Value = [T; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut next = || from.next_element::<T>()?.ok_or_else(|| A::Error::invalid_length(N, &"an array"));
        let first = next()?;
        let mut all: [T; N] = core::array::from_fn(|_| first.clone());
        for element in all.iter_mut().skip(1) {
            *element = next()?;
        }
        Ok(all)
    }
}

/// CRC-32 as zip and Ethernet have it, bit by bit: a save is rare and a table of 1 KB is not free on a small part.
fn checksum(front: &[u8], body: &[u8]) -> u32 {
    !front.iter().chain(body).fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| sum >> 1 ^ if sum & 1 == 1 { 0xEDB8_8320 } else { 0 })
    })
}

/// A right header for any body, for tests of what a right header does not tell.
#[cfg(test)]
pub(crate) fn reseal(whole: &mut [u8], magic: [u8; 4], version: u16) -> usize {
    let used = whole.len();
    Writer { out: whole, used }.seal(magic, version).unwrap()
}

/// What a server freezes to.
#[cfg(test)]
pub(crate) fn frozen<S: Durable>(server: &S) -> std::vec::Vec<u8> {
    let mut out = std::vec![0; S::FROZEN_MAX];
    let length = server.freeze(&mut out).unwrap();
    out.truncate(length);
    out
}

/// Thaws what is cut short, which must be refused, and what has a wrong byte under a right checksum, at every `step`th place:
/// whatever that makes of the server, it can be spoken to.
#[cfg(test)]
pub(crate) fn assert_damage_is_harmless(server: &mut impl Durable, bytes: &[u8], seal: ([u8; 4], u16), step: usize) {
    for length in (0..bytes.len()).step_by(step) {
        assert!(server.thaw(&bytes[..length]).is_err(), "{length} bytes");
    }
    let mut refused = 0;
    for at in (HEADER..bytes.len()).step_by(step) {
        let mut out = bytes.to_vec();
        out[at] ^= 0x55;
        assert_eq!(reseal(&mut out, seal.0, seal.1), bytes.len());
        if server.thaw(&out).is_err() {
            refused += 1;
            continue;
        }
        server.tick(Millis(10_000_000));
        let seq = server.produced();
        server.release(seq);
        for slot in 0..10 {
            let Some(link) = server.link(slot) else { continue };
            while server.pull(link, &mut [0; 1_000]) > 0 {}
            server.close(link, Millis(10_000_001));
        }
    }
    assert!(refused > 100, "{refused}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(checksum(b"1234", b"56789"), 0xCBF4_3926);
    }

    #[test]
    fn an_array_is_read_as_serde_reads_it() {
        #[derive(Serialize, Deserialize, Debug, PartialEq)]
        struct Plain([u16; 5], u8);
        #[derive(Deserialize, Debug, PartialEq)]
        struct Looped(#[serde(deserialize_with = "array")] [u16; 5], u8);
        let (plain, mut out) = (Plain([1, 300, 3, 65_535, 5], 7), [0; 16]);
        let bytes = postcard::to_slice(&plain, &mut out).unwrap();
        assert_eq!(postcard::from_bytes(bytes), Ok(Looped(plain.0, plain.1)));
        for cut in 0..bytes.len() {
            assert!(postcard::from_bytes::<Looped>(&bytes[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn the_header_is_checked_in_order() {
        let mut out = [0; 32];
        let mut writer = Writer::new(&mut out);
        writer.put(&0x1234u16).unwrap();
        assert_eq!(writer.seal(*b"test", 3), Ok(16));
        let open = |bytes| Reader::open(bytes, *b"test", 3).map(|_| ());
        assert_eq!(open(&out[..16]), Ok(()));
        assert_eq!(open(&out[..13]), Err(LoadError::Length));
        assert_eq!(open(&out[..17]), Err(LoadError::Length));
        assert_eq!(Reader::open(&out[..16], *b"rest", 3).map(|_| ()), Err(LoadError::Foreign));
        assert_eq!(Reader::open(&out[..16], *b"test", 4).map(|_| ()), Err(LoadError::Version(3)));
        let mut reader = Reader::open(&out[..16], *b"test", 3).unwrap();
        assert!(reader.end().is_err());
        assert_eq!(reader.take::<u16>(), Ok(0x1234));
        assert_eq!(reader.end(), Ok(()));
        assert_eq!(reader.take::<u16>(), Err(LoadError::Malformed));
        assert_eq!(Writer::new(&mut [0; 14]).put(&1u8), Err(SaveError::NoRoom));
    }
}

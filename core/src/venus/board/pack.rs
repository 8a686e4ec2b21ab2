//! Rows of a board turned into tables by the compiler.

use super::Kind;
use crate::venus::pieces::{Colour, Numbers, Space};

/// A way out of a space in 16 bits: 9 for where it leads, 6 for the numbers on it, 1 if only an Air Foil flies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way(u16);

impl Way {
    pub const fn to(self) -> Space {
        Space(self.0 & 0x1ff)
    }

    /// The numbers of a navigation circle that lead this way; none elsewhere.
    pub const fn numbers(self) -> Numbers {
        Numbers::from_bits((self.0 >> 9) as u8)
    }

    pub const fn is_fly(self) -> bool {
        self.0 >> 15 != 0
    }
}

/// A plain way.
pub(super) const fn to(space: u16) -> Way {
    Way(space & 0x1ff)
}

/// A way for some numbers, given as digits: 125 is 1, 2 or 5.
pub(super) const fn by(digits: u16, space: u16) -> Way {
    let mut numbers = Numbers::NONE;
    let mut rest = digits;
    while rest != 0 {
        numbers = numbers.with((rest % 10) as u8);
        rest /= 10;
    }
    Way(space & 0x1ff | (numbers.bits() as u16) << 9)
}

/// A way between cities of one planet, through its air.
pub(super) const fn fly(space: u16) -> Way {
    Way(space & 0x1ff | 1 << 15)
}

/// A space as it is written down.
#[derive(Clone, Copy)]
pub(super) struct Row {
    name: &'static str,
    kind: Kind,
    ways: &'static [Way],
}

pub(super) const fn row(name: &'static str, kind: Kind, ways: &'static [Way]) -> Row {
    Row { name, kind, ways }
}

/// A space as it is kept: where its name and its ways begin, and what it is in one byte: the kind in the low 3 bits, the
/// colour in the next 2, tens of penalty above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub name: u16,
    pub way: u16,
    what: u8,
}

impl Spot {
    pub const fn kind(self) -> Kind {
        let colour = match self.what >> 3 & 3 {
            0 => Colour::Blue,
            1 => Colour::Yellow,
            _ => Colour::Red,
        };
        match self.what & 7 {
            0 => Kind::Dot(colour),
            1 => Kind::Penalty(colour, (self.what >> 5) * 10),
            2 => Kind::Asteroid,
            3 => Kind::Qbox,
            4 => Kind::City,
            _ => Kind::SpaceCity,
        }
    }
}

const fn what(kind: Kind) -> u8 {
    match kind {
        Kind::Dot(colour) => (colour as u8) << 3,
        Kind::Penalty(colour, sum) => 1 | (colour as u8) << 3 | (sum / 10) << 5,
        Kind::Asteroid => 2,
        Kind::Qbox => 3,
        Kind::City => 4,
        Kind::SpaceCity => 5,
    }
}

/// How many ways all rows have.
pub(super) const fn way_count(rows: &[Row]) -> usize {
    let (mut sum, mut rest) = (0, rows);
    while let [row, others @ ..] = rest {
        sum += row.ways.len();
        rest = others;
    }
    sum
}

/// How long all names are together.
pub(super) const fn name_bytes(rows: &[Row]) -> usize {
    let (mut sum, mut rest) = (0, rows);
    while let [row, others @ ..] = rest {
        sum += row.name.len();
        rest = others;
    }
    sum
}

#[allow(clippy::indexing_slicing, reason = "run by the compiler alone, which would refuse it")]
pub(super) const fn spots<const N: usize>(rows: &[Row; N]) -> [Spot; N] {
    let mut spots = [Spot { name: 0, way: 0, what: 0 }; N];
    let (mut n, mut name, mut way) = (0, 0, 0);
    while n < N {
        spots[n] = Spot { name, way, what: what(rows[n].kind) };
        name += rows[n].name.len() as u16;
        way += rows[n].ways.len() as u16;
        n += 1;
    }
    spots
}

#[allow(clippy::indexing_slicing, reason = "run by the compiler alone, which would refuse it")]
pub(super) const fn ways<const N: usize>(rows: &[Row]) -> [Way; N] {
    let mut ways = [Way(0); N];
    let (mut n, mut filled) = (0, 0);
    while n < rows.len() {
        let mut k = 0;
        while k < rows[n].ways.len() {
            ways[filled] = rows[n].ways[k];
            filled += 1;
            k += 1;
        }
        n += 1;
    }
    ways
}

#[allow(clippy::indexing_slicing, reason = "run by the compiler alone, which would refuse it")]
pub(super) const fn names<const N: usize>(rows: &[Row]) -> [u8; N] {
    let mut names = [0; N];
    let (mut n, mut filled) = (0, 0);
    while n < rows.len() {
        let name = rows[n].name.as_bytes();
        let mut k = 0;
        while k < name.len() {
            names[filled] = name[k];
            filled += 1;
            k += 1;
        }
        n += 1;
    }
    names
}

#[allow(clippy::panic, reason = "run by the compiler alone, which would refuse it")]
pub(super) const fn text(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("names are UTF-8"),
    }
}

/// The places of all ? boxes.
#[allow(clippy::indexing_slicing, reason = "run by the compiler alone, which would refuse it")]
pub(super) const fn qboxes<const N: usize>(rows: &[Row]) -> [u16; N] {
    let mut found = [0; N];
    let (mut n, mut filled) = (0, 0);
    while n < rows.len() {
        if let Kind::Qbox = rows[n].kind {
            found[filled] = n as u16;
            filled += 1;
        }
        n += 1;
    }
    found
}

//! Where a token is of which there is only one, in a byte.

use crate::venus::pieces::{Age, Culture, SEATS, Seat};

/// Where a single token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Not yet in play: under a ? box, or a deed that is not on sale, or a good whose factory is not built.
    Hidden,
    Cup,
    /// Out of the game.
    Gone,
    Base(Culture),
    Player(Seat, Age),
}

/// The same in a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Place(u8);

const CUP: u8 = 1;
const GONE: u8 = 2;
const BASE: u8 = 16;
const OLD: u8 = 32;
const NEW: u8 = 48;

impl Place {
    pub const HIDDEN: Self = Self(0);

    pub const fn new(place: Where) -> Self {
        Self(match place {
            Where::Hidden => 0,
            Where::Cup => CUP,
            Where::Gone => GONE,
            Where::Base(culture) => BASE + culture as u8,
            Where::Player(seat, Age::Old) => OLD + seat.0,
            Where::Player(seat, Age::New) => NEW + seat.0,
        })
    }

    /// A byte that means nothing is out of the game.
    pub fn get(self) -> Where {
        match self.0 {
            0 => Where::Hidden,
            CUP => Where::Cup,
            BASE..OLD => Culture::at(usize::from(self.0 - BASE)).map_or(Where::Gone, Where::Base),
            OLD..NEW if usize::from(self.0 - OLD) < SEATS => Where::Player(Seat(self.0 - OLD), Age::Old),
            NEW.. if usize::from(self.0 - NEW) < SEATS => Where::Player(Seat(self.0 - NEW), Age::New),
            _ => Where::Gone,
        }
    }

    /// The seat that has it.
    pub fn owner(self) -> Option<Seat> {
        match self.get() {
            Where::Player(seat, _) => Some(seat),
            _ => None,
        }
    }
}

/// How many of one kind a player has, old ones in the low half and new ones above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Pair(u8);

impl Pair {
    pub const NONE: Self = Self(0);

    pub const fn count(self, age: Age) -> u8 {
        match age {
            Age::Old => self.0 & 15,
            Age::New => self.0 >> 4,
        }
    }

    pub const fn both(self) -> u8 {
        (self.0 & 15) + (self.0 >> 4)
    }

    const fn unit(age: Age) -> u8 {
        match age {
            Age::Old => 1,
            Age::New => 16,
        }
    }

    /// One more. A hold has no room for 16 of a kind.
    pub fn add(&mut self, age: Age) {
        if self.count(age) < 15 {
            self.0 += Self::unit(age);
        }
    }

    /// One less, if there is one.
    pub fn take(&mut self, age: Age) -> bool {
        let has = self.count(age) > 0;
        if has {
            self.0 -= Self::unit(age);
        }
        has
    }

    /// All new ones become old.
    pub fn grow_old(&mut self) {
        self.0 = self.both().min(15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_byte_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        let bases = Culture::ALL.iter().map(|culture| Where::Base(*culture));
        let players = Seat::all().flat_map(|seat| [Where::Player(seat, Age::Old), Where::Player(seat, Age::New)]);
        for place in [Where::Hidden, Where::Cup, Where::Gone].into_iter().chain(bases).chain(players) {
            assert_eq!(Place::new(place).get(), place);
            assert!(seen.insert(Place::new(place).0));
        }
        assert_eq!((seen.len(), Place(255).get(), Place(31).get()), (3 + 15 + 12, Where::Gone, Where::Gone));
    }

    #[test]
    fn pairs_count_old_and_new_apart() {
        let mut pair = Pair::NONE;
        pair.add(Age::Old);
        pair.add(Age::New);
        pair.add(Age::New);
        assert_eq!((pair.count(Age::Old), pair.count(Age::New), pair.both()), (1, 2, 3));
        assert!(pair.take(Age::Old) && !pair.take(Age::Old));
        pair.grow_old();
        assert_eq!((pair.count(Age::Old), pair.count(Age::New)), (2, 0));
    }
}

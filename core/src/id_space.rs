//! Numbers that no two tables of a lobby can have in common, though the tables know nothing of each other.
//!
//! A table has a space: the space's number and a count make 32 bits, and a permutation of all 32-bit numbers, keyed by the
//! lobby's seed, hides both. Two id spaces can't meet, as a permutation gives no number twice; whoever lacks the seed can't
//! tell which numbers a space gives. Whoever has it can turn the permutation round and learn whose number one is, without
//! asking any table.
//!
//! A count that has used up its 2^20 numbers begins anew: by then a million passwords of this one table are forgotten.

use crate::dice::{chacha, key};

/// Lanes that a lobby can have: the numbers from 1.
pub const SPACES: usize = (1 << SPACE_BITS) - 1;

const SPACE_BITS: u32 = 12;
const COUNT_BITS: u32 = 32 - SPACE_BITS;
/// The least that is taken for sound is four.
const ROUNDS: u64 = 8;
/// The dice's own streams are numbered from 0 and have the space in the upper half: this is none of them.
const NONCE: u64 = 1 << 16;

/// A table's part of a lobby's randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdSpace {
    /// From 1; 0: the table of no lobby.
    pub number: u16,
    /// Where the streams go on: what an earlier table in this space has drawn is not drawn again.
    pub far: u64,
}

impl IdSpace {
    pub const NONE: Self = Self { number: 0, far: 0 };
}

/// What a number is for: each kind has a permutation of its own, so that one that is told to everybody says nothing about
/// one that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Password,
    Game,
}

/// The number that `space` gives at `count`.
pub(crate) fn number(key: &[u32; 8], kind: Kind, space: u16, count: u64) -> u32 {
    let index = u32::from(space) << COUNT_BITS | (count as u32 & ((1 << COUNT_BITS) - 1));
    let (mut left, mut right) = halves(index);
    for round in 0..ROUNDS {
        (left, right) = (right, left ^ mix(key, kind, round, right));
    }
    whole(left, right)
}

/// The space that gives this number; 0: none does.
pub fn space_of(seed: &[u8; 32], kind: Kind, number: u32) -> u16 {
    let key = key(seed);
    let (mut left, mut right) = halves(number);
    for round in (0..ROUNDS).rev() {
        (left, right) = (right ^ mix(&key, kind, round, left), left);
    }
    (whole(left, right) >> COUNT_BITS) as u16
}

fn halves(number: u32) -> (u16, u16) {
    ((number >> 16) as u16, number as u16)
}

fn whole(left: u16, right: u16) -> u32 {
    u32::from(left) << 16 | u32::from(right)
}

/// The round function.
fn mix(key: &[u32; 8], kind: Kind, round: u64, half: u16) -> u16 {
    let [word, ..] = chacha::<4>(key, round << 16 | u64::from(half), NONCE + kind as u64);
    word as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::vec::Vec;

    const SEED: [u8; 32] = [0x5A; 32];

    #[test]
    fn a_number_leads_back_to_its_lane() {
        let key = key(&SEED);
        for space in [1, 2, 77, 2_000, SPACES as u16] {
            for count in [0, 1, 99_999, (1 << COUNT_BITS) - 1] {
                let number = number(&key, Kind::Password, space, count);
                assert_eq!(space_of(&SEED, Kind::Password, number), space);
            }
        }
    }

    #[test]
    fn a_count_begins_anew_within_its_lane() {
        let key = key(&SEED);
        assert_eq!(number(&key, Kind::Game, 3, 1 << COUNT_BITS), number(&key, Kind::Game, 3, 0));
        assert_eq!(space_of(&SEED, Kind::Game, number(&key, Kind::Game, 3, u64::MAX)), 3);
    }

    #[test]
    fn no_number_comes_twice_from_any_lane() {
        let key = key(&SEED);
        let mut seen = HashSet::new();
        for space in [1, 2, 3, SPACES as u16] {
            for count in 0..100_000 {
                assert!(seen.insert(number(&key, Kind::Password, space, count)), "space {space}, count {count}");
            }
        }
    }

    #[test]
    fn numbers_look_random() {
        let key = key(&SEED);
        let numbers: Vec<u32> = (0..10_000).map(|count| number(&key, Kind::Password, 1, count)).collect();
        for bit in 0..32 {
            let set = numbers.iter().filter(|number| *number >> bit & 1 == 1).count();
            assert!((4_800..5_200).contains(&set), "bit {bit} is set in {set} of 10000");
        }
        // What follows tells nothing: neighbours differ in half of their bits.
        let differing: u32 = numbers.windows(2).map(|two| (two[0] ^ two[1]).count_ones()).sum();
        assert!((159_000..161_000).contains(&differing), "{differing}");
        let other = number(&key, Kind::Game, 1, 0);
        assert_ne!(other, numbers[0]);
    }
}

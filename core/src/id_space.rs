//! Numbers that no two tables of a lobby can have in common, though the tables know nothing of each other, and that nobody
//! can foretell, however many were given before.
//!
//! A table has a space: the space's number and a count make 31 bits, and a permutation of all 31-bit numbers, keyed by the
//! lobby's seed, hides both. Two id spaces can't meet, as a permutation gives no number twice; whoever lacks the seed can't
//! tell which numbers a space gives. Whoever has it can turn the permutation round and learn whose number one is, without
//! asking any table.
//!
//! A count has 2^19 numbers; before they come again, and with every start of the lobby, the permutation becomes another: an
//! epoch has one of its own. So a list of numbers that were given says nothing of those to come, but that none of the same
//! epoch is among them. Numbers of different epochs can be the same by chance alone, once in 2^31 tries.

use crate::dice::{QUICK, chacha, key};

/// Lanes that a lobby can have: the numbers from 1.
pub const SPACES: usize = (1 << SPACE_BITS) - 1;

/// The highest number: there are clients that read them with a sign (pimp 2.3).
pub(crate) const NUMBER_MAX: u32 = u32::MAX >> 1;

const SPACE_BITS: u32 = 12;
const COUNT_BITS: u32 = 31 - SPACE_BITS;
/// The least that is taken for sound is four.
const ROUNDS: u64 = 8;
/// Bits of the half that has one bit less than the other.
const LESS: u16 = u16::MAX >> 1;
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

/// What a number is for: each kind has permutations of its own, so that one that is told to everybody says nothing about
/// one that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Password,
    Game,
}

/// The epoch of the number that is given at `count`.
pub(crate) const fn epoch_of(count: u64) -> u64 {
    count >> COUNT_BITS
}

/// The number that `space` gives at `count`.
pub(crate) fn number(key: &[u32; 8], kind: Kind, space: u16, count: u64) -> u32 {
    let index = u32::from(space) << COUNT_BITS | (count as u32 & ((1 << COUNT_BITS) - 1));
    let epoch = epoch_of(count);
    whole((0..ROUNDS).fold(halves(index), |halves, round| turn(halves, key, kind, epoch, round)))
}

/// The space that gave this number in this epoch; 0: none did.
pub fn space_of(seed: &[u8; 32], kind: Kind, epoch: u64, number: u32) -> u16 {
    if number > NUMBER_MAX {
        return 0;
    }
    let key = key(seed);
    let index = (0..ROUNDS).rev().fold(halves(number), |halves, round| turn(halves, &key, kind, epoch, round));
    (whole(index) >> COUNT_BITS) as u16
}

/// 16 bits and 15.
fn halves(number: u32) -> (u16, u16) {
    ((number >> 15) as u16, number as u16 & LESS)
}

fn whole((left, right): (u16, u16)) -> u32 {
    u32::from(left) << 15 | u32::from(right)
}

/// One round: one half is changed by what the other says, by turns. Done twice, nothing has changed.
fn turn((left, right): (u16, u16), key: &[u32; 8], kind: Kind, epoch: u64, round: u64) -> (u16, u16) {
    let mix = |half: u16| {
        let [word, ..] = chacha(key, epoch << 20 | round << 16 | u64::from(half), NONCE + kind as u64, QUICK);
        word as u16
    };
    if round.is_multiple_of(2) { (left ^ mix(right), right) } else { (left, right ^ mix(left) & LESS) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::vec::Vec;

    const SEED: [u8; 32] = [0x5A; 32];

    fn numbers(space: u16, counts: core::ops::Range<u64>) -> Vec<u32> {
        let key = key(&SEED);
        counts.map(|count| number(&key, Kind::Password, space, count)).collect()
    }

    #[test]
    fn a_number_leads_back_to_its_lane() {
        let key = key(&SEED);
        for space in [1, 2, 77, 2_000, SPACES as u16] {
            for count in [0, 1, 99_999, (1 << COUNT_BITS) - 1, 1 << COUNT_BITS, 5 << 32, u64::MAX] {
                let number = number(&key, Kind::Password, space, count);
                assert!(number <= NUMBER_MAX);
                assert_eq!(space_of(&SEED, Kind::Password, epoch_of(count), number), space);
                assert_eq!(space_of(&SEED, Kind::Password, epoch_of(count), number | 1 << 31), 0);
            }
        }
    }

    #[test]
    fn no_number_comes_twice_from_any_lane() {
        let mut seen = HashSet::new();
        for space in [1, 2, 3, SPACES as u16] {
            for (count, number) in numbers(space, 0..100_000).into_iter().enumerate() {
                assert!(seen.insert(number), "space {space}, count {count}");
            }
        }
    }

    /// A list of 2^16 numbers is no help: by chance one in 2^15 of another epoch's stands in it.
    #[test]
    fn what_was_given_before_a_start_or_a_wrap_is_not_given_after_it() {
        let known: HashSet<u32> = numbers(1, 0..1 << 16).into_iter().collect();
        for far in [1 << COUNT_BITS, 1 << 32, 64 << 32, 65 << 32, 1 << 62] {
            let met = numbers(1, far..far + 4_096).iter().filter(|number| known.contains(number)).count();
            assert!(met <= 3, "{met} of 4096 from {far} on were known");
        }
    }

    #[test]
    fn numbers_look_random() {
        let numbers = numbers(1, 0..10_000);
        for bit in 0..31 {
            let set = numbers.iter().filter(|number| *number >> bit & 1 == 1).count();
            assert!((4_800..5_200).contains(&set), "bit {bit} is set in {set} of 10000");
        }
        // What follows tells nothing: neighbours differ in half of their bits.
        let differing: u32 = numbers.windows(2).map(|two| (two[0] ^ two[1]).count_ones()).sum();
        assert!((154_000..156_000).contains(&differing), "{differing}");
        assert_ne!(number(&key(&SEED), Kind::Game, 1, 0), numbers[0]);
    }
}

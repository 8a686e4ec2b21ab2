//! Many weak sources, one seed.
//!
//! A pool of 32 bytes that is stirred by ChaCha8 (core's generator). It makes no entropy: the seeds drawn from it are as
//! hard to guess as everything absorbed before, taken together, and a source that an attacker knows does no harm.

use parlor_core::dice::{Dice, Stream, with_keys};

pub struct Pool {
    key: [u8; 32],
}

impl Pool {
    pub const fn new() -> Self {
        Self { key: [0; 32] }
    }

    /// Mixes a source in. The order counts, too.
    pub fn absorb(&mut self, source: &[u8]) {
        // The length keeps "ab", "c" apart from "a", "bc".
        self.stir(&(source.len() as u64).to_le_bytes());
        for part in source.chunks(self.key.len()) {
            self.stir(part);
        }
    }

    /// 32 bytes that tell nothing about the pool, nor about what is drawn later.
    pub fn draw(&mut self) -> [u8; 32] {
        let mut dice = self.generator();
        self.key = bytes(&mut dice);
        bytes(&mut dice)
    }

    /// As [`Pool::draw`], for tables: their games have keys, on a board that gives any.
    pub fn draw_seed(&mut self) -> [u8; 32] {
        with_keys(self.draw())
    }

    /// As [`Pool::draw`], as a number.
    pub fn draw_word(&mut self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.draw();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    fn stir(&mut self, part: &[u8]) {
        self.key.iter_mut().zip(part).for_each(|(to, from)| *to ^= from);
        self.key = bytes(&mut self.generator());
    }

    fn generator(&self) -> Dice {
        let mut dice = Dice::new();
        dice.begin(&self.key);
        dice
    }
}

/// An Ethernet address of our own making: local, no group's, and always the same for the same name.
pub fn own_address(name: &[u8]) -> [u8; 6] {
    let mut pool = Pool::new();
    pool.absorb(name);
    let [a, b, c, d, e, ..] = pool.draw();
    [0x02, a, b, c, d, e]
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

fn bytes(dice: &mut Dice) -> [u8; 32] {
    let mut bytes = [0; 32];
    for word in bytes.as_chunks_mut::<4>().0 {
        *word = dice.word(Stream::Secret).to_le_bytes();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(sources: &[&[u8]]) -> [u8; 32] {
        let mut pool = Pool::new();
        sources.iter().for_each(|source| pool.absorb(source));
        pool.draw()
    }

    #[test]
    fn every_source_counts() {
        let seeds = [
            drawn(&[]),
            drawn(&[b""]),
            drawn(&[b"ab", b"c"]),
            drawn(&[b"a", b"bc"]),
            drawn(&[b"c", b"ab"]),
            drawn(&[&[0; 40]]),
            drawn(&[&[0; 41]]),
        ];
        for (i, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..i].contains(seed), "{i}");
        }
        assert_eq!(drawn(&[b"ab", b"c"]), seeds[2]);
    }

    #[test]
    fn an_address_follows_its_name() {
        assert_eq!(own_address(b"one"), own_address(b"one"));
        assert_ne!(own_address(b"one"), own_address(b"two"));
        assert_eq!(own_address(b"one")[0], 2);
    }

    #[test]
    fn no_draw_is_like_the_last() {
        let mut pool = Pool::new();
        pool.absorb(b"once");
        let (one, two) = (pool.draw(), pool.draw());
        assert_ne!(one, two);
        assert_ne!(pool.key, two);
        assert_ne!(pool.draw_word(), pool.draw_word());
    }
}

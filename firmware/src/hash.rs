//! The hash that a table asks of its adapter: SHA-256, salted and iterated 64 times, with its salt before it.
//!
//! The salt travels with the hash, so a board that keeps its accounts in flash can check them after a restart, whatever
//! its seed is then. 64 rounds are about 10 ms on a 50 MHz chip, during which the table stands still. That is far too
//! little for passwords that are worth something elsewhere, if a thief can read the flash: the boards' READMEs say so.

use core::hint::black_box;

use parlor_core::sha256::sha256;

const ROUNDS: u32 = 64;
const SALT: usize = 16;

pub type Salt = [u8; SALT];
/// The salt, and what it makes of a secret.
pub type Hashed = [u8; SALT + 32];

/// A salt that can't be foreseen without `key`, and another one for each number.
pub fn salt(key: &[u8; 32], number: u32) -> Salt {
    sha256(&[key, &number.to_le_bytes()]).first_chunk().copied().unwrap_or_default()
}

/// The same secret gives the same bytes only under the same salt.
pub fn make(salt: &Salt, secret: &[u8]) -> Hashed {
    let mut hashed = [0; SALT + 32];
    hashed.iter_mut().zip(salt.iter().chain(&rounds(salt, secret))).for_each(|(to, from)| *to = *from);
    hashed
}

/// Whether `hash` is one of this secret. It takes as long as making one, whatever `hash` is, and equally long wherever the
/// two differ.
pub fn is_of(hash: &[u8], secret: &[u8]) -> bool {
    let salt = hash.first_chunk().copied().unwrap_or_default();
    let made = make(&salt, secret);
    let difference = made.iter().zip(hash).fold(0, |seen, (one, other)| black_box(seen | (one ^ other)));
    hash.len() == made.len() && difference == 0
}

fn rounds(salt: &Salt, secret: &[u8]) -> [u8; 32] {
    let mut hashed = sha256(&[salt, secret]);
    for _ in 1..ROUNDS {
        hashed = sha256(&[salt, &hashed]);
    }
    hashed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salt_and_secret_both_count() {
        let one = make(&[1; 16], b"kerz");
        assert_eq!(one[..16], [1; 16]);
        assert_eq!(one, make(&[1; 16], b"kerz"));
        assert_ne!(one[16..], make(&[2; 16], b"kerz")[16..]);
        assert_ne!(one, make(&[1; 16], b"kerx"));
        assert_ne!(salt(&[1; 32], 0), salt(&[1; 32], 1));
        assert_ne!(salt(&[1; 32], 0), salt(&[2; 32], 0));
    }

    #[test]
    fn a_hash_is_of_one_secret_only() {
        let mut hash = make(&salt(&[1; 32], 7), b"kerz");
        assert!(is_of(&hash, b"kerz"));
        assert!(!is_of(&hash, b"kerx") && !is_of(&hash, b""));
        assert!(!is_of(&hash[..47], b"kerz") && !is_of(&[], b"kerz") && !is_of(&[0; 64], b"kerz"));
        for at in 0..hash.len() {
            hash[at] ^= 1;
            assert!(!is_of(&hash, b"kerz"), "byte {at}");
            hash[at] ^= 1;
        }
    }
}

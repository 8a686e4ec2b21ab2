//! SHA-256 (FIPS 180-4), written to be small: what is hashed here is a few dozen bytes, and a board has no room for a quick one.

const FRACTIONS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The hash of these bytes, one part after the other.
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Hasher { state: START, words: [0; 16], taken: 0 };
    parts.iter().for_each(|part| part.iter().for_each(|byte| hasher.take(*byte)));
    // Then a bit, zeros up to eight bytes before the end of a block, and how many bits there were.
    let bits = hasher.taken.wrapping_mul(8);
    hasher.take(0x80);
    while hasher.taken % 64 != 56 {
        hasher.take(0);
    }
    bits.to_be_bytes().into_iter().for_each(|byte| hasher.take(byte));
    let mut hash = [0; 32];
    for (bytes, word) in hash.as_chunks_mut::<4>().0.iter_mut().zip(hasher.state) {
        *bytes = word.to_be_bytes();
    }
    hash
}

struct Hasher {
    state: [u32; 8],
    /// The block that is being filled.
    words: [u32; 16],
    /// Bytes, of all blocks.
    taken: u64,
}

impl Hasher {
    #[inline(never)]
    fn take(&mut self, byte: u8) {
        if let Some(word) = self.words.get_mut((self.taken % 64 / 4) as usize) {
            *word = *word << 8 | u32::from(byte);
        }
        self.taken += 1;
        if self.taken.is_multiple_of(64) {
            compress(&mut self.state, &mut self.words);
        }
    }
}

/// Takes in one block, whose words are used up.
#[inline(never)]
#[allow(clippy::indexing_slicing, reason = "indices modulo 16 into an array of 16")]
fn compress(state: &mut [u32; 8], words: &mut [u32; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, constant) in FRACTIONS.iter().enumerate() {
        let word = words[round % 16];
        let first = h
            .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
            .wrapping_add(e & f ^ !e & g)
            .wrapping_add(*constant)
            .wrapping_add(word);
        let other = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22)).wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(other));
        // The word of sixteen rounds later takes this one's place.
        let (second, fifteenth) = (words[(round + 1) % 16], words[(round + 14) % 16]);
        let near = second.rotate_right(7) ^ second.rotate_right(18) ^ second >> 3;
        let far = fifteenth.rotate_right(17) ^ fifteenth.rotate_right(19) ^ fifteenth >> 10;
        words[round % 16] = word.wrapping_add(near).wrapping_add(words[(round + 9) % 16]).wrapping_add(far);
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| std::format!("{byte:02x}")).collect()
    }

    #[test]
    fn hashes_are_the_published_ones() {
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        for (parts, hash) in [
            (&[&b""[..]][..], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (&[b"a", b"bc"], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (&[long], "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            (&[&[b'a'; 1000][..]; 1000], "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ] {
            assert_eq!(hex(&sha256(parts)), hash);
        }
    }

    /// Around the lengths at which the padding takes another block.
    #[test]
    fn parts_are_one_text() {
        let text = [0x5A; 130];
        for length in [54, 55, 56, 63, 64, 65, 119, 120, 128] {
            let whole = sha256(&[&text[..length]]);
            assert_eq!(sha256(&[&text[..length / 3], &[], &text[length / 3..length]]), whole, "{length}");
            assert_ne!(sha256(&[&text[..=length]]), whole);
        }
    }
}

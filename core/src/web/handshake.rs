//! A WebSocket's key and the answer to it (RFC 6455 4.1, 4.2.2): SHA-1 of a short text, in base64. Nothing secret hangs on it.

const GUID: &[u8; 36] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// 24 /* key */ + 36 /* GUID */.
const LENGTH: u64 = 60;

/// What the server says before [`accept`]'s answer and two line ends.
pub const SWITCHING: &[u8] =
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";

/// A client's key, of bytes that nobody can foresee.
pub fn key(random: &[u8; 16]) -> [u8; 24] {
    let (mut bytes, mut key) = ([0; 21], [b'='; 24]);
    bytes.iter_mut().zip(random).for_each(|(to, from)| *to = *from);
    // 22 digits tell sixteen bytes.
    key.iter_mut().take(22).zip(base64(&bytes)).for_each(|(to, from)| *to = from);
    key
}

/// The answer to a key.
#[inline(never)]
pub fn accept(key: &[u8; 24]) -> [u8; 28] {
    // The text, a one, zeros and the text's length in bits fill two blocks.
    let mut text = [0; 128];
    text.iter_mut().zip(key.iter().chain(GUID).chain(&[0x80])).for_each(|(to, from)| *to = *from);
    if let Some(end) = text.last_chunk_mut::<8>() {
        *end = (LENGTH * 8).to_be_bytes();
    }
    let mut state = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    text.as_chunks::<64>().0.iter().for_each(|block| compress(&mut state, block));
    let mut digest = [0; 21];
    digest.iter_mut().zip(state.iter().flat_map(|word: &u32| word.to_be_bytes())).for_each(|(to, from)| *to = from);
    base64(&digest)
}

fn compress(state: &mut [u32; 5], block: &[u8; 64]) {
    let mut words = [0; 16];
    words.iter_mut().zip(block.as_chunks::<4>().0).for_each(|(to, from)| *to = u32::from_be_bytes(*from));
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for round in 0..80 {
        let back = |steps: usize| words.get((round + 16 - steps) % 16).copied().unwrap_or_default();
        let word = if round < 16 { back(16) } else { (back(3) ^ back(8) ^ back(14) ^ back(16)).rotate_left(1) };
        if let Some(slot) = words.get_mut(round % 16) {
            *slot = word;
        }
        let (mix, constant) = match round / 20 {
            0 => (b & c | !b & d, 0x5A82_7999),
            1 => (b ^ c ^ d, 0x6ED9_EBA1),
            2 => (b & c | b & d | c & d, 0x8F1B_BCDC),
            _ => (b ^ c ^ d, 0xCA62_C1D6_u32),
        };
        let next = a.rotate_left(5).wrapping_add(mix).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
    }
    state.iter_mut().zip([a, b, c, d, e]).for_each(|(to, from)| *to = to.wrapping_add(from));
}

/// Of 20 bytes and a zero after them: 27 digits that mean something, and a `=`.
fn base64(bytes: &[u8; 21]) -> [u8; 28] {
    let mut text = [b'='; 28];
    for (to, [a, b, c]) in text.as_chunks_mut::<4>().0.iter_mut().zip(bytes.as_chunks::<3>().0) {
        let bits = u32::from_be_bytes([0, *a, *b, *c]);
        *to = [18, 12, 6, 0].map(|shift| DIGITS.get((bits >> shift & 63) as usize).copied().unwrap_or(b'='));
    }
    if let Some(last) = text.last_mut() {
        *last = b'=';
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{accept, key};

    #[test]
    fn as_in_the_rfc() {
        assert_eq!(&accept(b"dGhlIHNhbXBsZSBub25jZQ=="), b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn a_key_is_as_in_the_rfc() {
        assert_eq!(&key(b"the sample nonce"), b"dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(&key(&[0xFF; 16]), b"/////////////////////w==");
    }

    #[test]
    fn as_others_have_it() {
        assert_eq!(&accept(b"x3JJHMbDL1EzLkh9GBhXDw=="), b"HSmrc0sMlYUkAGmm5OPpG2HaGWk=");
    }
}

//! Whether bytes that come in pieces are text (RFC 6455 8.1).
//!
//! A character may be cut anywhere, between two messages too: for a game they are one stream.

/// What is known of the character that comes in.
#[derive(Debug)]
pub struct Utf8 {
    /// Bytes of it that have still to come.
    left: u8,
    /// What the next one of them may be.
    from: u8,
    to: u8,
}

/// Any byte but the first of a character (RFC 3629).
const REST: (u8, u8) = (0x80, 0xBF);

impl Utf8 {
    pub const fn new() -> Self {
        Self { left: 0, from: REST.0, to: REST.1 }
    }

    /// How many of these bytes go on with text. Nothing more may be asked where that is not all of them.
    pub fn go_on(&mut self, bytes: &[u8]) -> usize {
        if self.left == 0 && bytes.is_ascii() {
            return bytes.len();
        }
        bytes.iter().position(|byte| !self.take(*byte)).unwrap_or(bytes.len())
    }

    fn take(&mut self, byte: u8) -> bool {
        if self.left > 0 {
            let fits = (self.from..=self.to).contains(&byte);
            (self.left, (self.from, self.to)) = (self.left - 1, REST);
            return fits;
        }
        // The second byte has fewer choices where a shorter way to write the character, a surrogate or none at all would
        // begin so.
        let (left, next) = match byte {
            0x00..=0x7F => (0, REST),
            0xC2..=0xDF => (1, REST),
            0xE0 => (2, (0xA0, 0xBF)),
            0xED => (2, (0x80, 0x9F)),
            0xE1..=0xEF => (2, REST),
            0xF0 => (3, (0x90, 0xBF)),
            0xF1..=0xF3 => (3, REST),
            0xF4 => (3, (0x80, 0x8F)),
            _ => return false,
        };
        (self.left, (self.from, self.to)) = (left, next);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Utf8;

    #[test]
    fn the_same_is_text_as_elsewhere_however_it_is_cut() {
        // Every beginning of three bytes, and the fourth at its edges.
        for bytes in 0..1_u32 << 24 {
            let [_, first, second, third] = bytes.to_be_bytes();
            // After an ASCII character the next one begins anew, so these tell nothing that others do not.
            if first < 0x7F || second < 0x7F && third != 0 {
                continue;
            }
            for fourth in [0x7F, 0x80, 0xBF, 0xC0] {
                let bytes = [first, second, third, fourth];
                let mut cut = Utf8::new();
                let is_text = bytes.chunks(1).all(|piece| cut.go_on(piece) == 1);
                let is_cut = cut.left > 0;
                let whole = str::from_utf8(&bytes);
                let expected = whole.is_ok() || whole.is_err_and(|error| error.error_len().is_none());
                assert_eq!((is_text, is_text && is_cut), (expected, expected && whole.is_err()), "{bytes:x?}");
            }
        }
    }

    #[test]
    fn text_goes_on_where_it_was_cut() {
        let text = "noop é ∞ 🎲 ok".as_bytes();
        for size in 1..text.len() {
            let mut utf8 = Utf8::new();
            assert!(text.chunks(size).all(|piece| utf8.go_on(piece) == piece.len()), "{size}");
        }
        let mut utf8 = Utf8::new();
        assert_eq!(utf8.go_on(b"a\xC3"), 2);
        assert_eq!(utf8.go_on(b"b"), 0);
        assert_eq!(Utf8::new().go_on(b"a\xC3\xA9\xFFb"), 3);
    }
}

//! A short text in a place of a fixed size: names of users, games and rooms.

use crate::bytes;

/// A text of at most `N` bytes, `N` below 256. New, it is all zero bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    length: u8,
}

impl<const N: usize> Text<N> {
    pub const EMPTY: Self = Self { bytes: [0; N], length: 0 };

    /// `None` if it is too long.
    pub fn new(text: &str) -> Option<Self> {
        let length = u8::try_from(text.len()).ok().filter(|length| usize::from(*length) <= N)?;
        let mut kept = Self { length, ..Self::EMPTY };
        bytes::copy(&mut kept.bytes, text.as_bytes());
        Some(kept)
    }

    /// A text that the program itself has; of one that is too long the beginning.
    pub const fn fixed(text: &str) -> Self {
        let mut kept = Self::EMPTY;
        let (mut room, mut rest) = (&mut kept.bytes as &mut [u8], text.as_bytes());
        while let ([place, later @ ..], [byte, others @ ..]) = (room, rest) {
            *place = *byte;
            kept.length += 1;
            (room, rest) = (later, others);
        }
        kept
    }

    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }

    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// As a string: a saved text that is too long is none.
#[cfg(feature = "postcard")]
mod saved {
    use super::Text;

    impl<const N: usize> serde::Serialize for Text<N> {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            to.serialize_str(self.as_str())
        }
    }

    impl<'de, const N: usize> serde::Deserialize<'de> for Text<N> {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            let text = <&str>::deserialize(from)?;
            Self::new(text).ok_or_else(|| serde::de::Error::invalid_length(text.len(), &"a shorter text"))
        }
    }
}

//! Answers to one link: a small queue of its own, never pushed out by what others do.

#[cfg(any(test, feature = "postcard"))]
use crate::bytes;

/// What a reply costs beside its frame: 2 /* length */ + 4 /* ring position */ + 4 /* serial */.
pub const HEADER: usize = 10;

/// When a reply is due: after the ring up to `at`, and in the order of `serial` among what one link alone gets. Both
/// are the low halves of longer counters; they are only compared with near ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    pub at: u32,
    pub serial: u32,
}

/// `N` bytes of replies, oldest first.
#[derive(Clone)]
pub struct Replies<const N: usize> {
    bytes: [u8; N],
    used: u16,
}

impl<const N: usize> Replies<N> {
    pub const fn new() -> Self {
        assert!(N <= u16::MAX as usize);
        Self { bytes: [0; N], used: 0 }
    }

    pub const fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// How long a reply may be now.
    pub const fn room(&self) -> usize {
        (N - self.used as usize).saturating_sub(HEADER)
    }

    /// `fill` writes the frame where it waits, and says how long it is. `false` if it does not fit: a server asks
    /// [`Replies::room`] before it takes a command, so that this can't be.
    pub fn push(&mut self, due: Due, fill: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
        let room = self.bytes.get_mut(usize::from(self.used)..).and_then(|room| room.split_first_chunk_mut::<HEADER>());
        let Some((header, room)) = room else { return false };
        let Some(length) = fill(room).filter(|length| *length <= room.len()) else { return false };
        let [low, high] = (length as u16).to_le_bytes();
        let ([a, b, c, d], [e, f, g, h]) = (due.at.to_le_bytes(), due.serial.to_le_bytes());
        *header = [low, high, a, b, c, d, e, f, g, h];
        self.used += (HEADER + length) as u16;
        true
    }

    /// All that wait.
    #[cfg(feature = "postcard")]
    pub(super) fn waiting(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.used)).unwrap_or_default()
    }

    /// Takes back what [`Replies::waiting`] gave; `false` if those are no replies.
    #[cfg(feature = "postcard")]
    pub(super) fn refill(&mut self, waiting: &[u8]) -> bool {
        if bytes::put(&mut self.bytes, waiting).is_none() {
            return false;
        }
        self.used = waiting.len() as u16;
        let mut rest = waiting;
        while let [low, high, _, _, _, _, _, _, _, _, after @ ..] = rest {
            let Some(next) = after.get(usize::from(u16::from_le_bytes([*low, *high]))..) else { return false };
            rest = next;
        }
        rest.is_empty()
    }

    /// Makes every frame unreadable, or readable again: `pad` gives 8 bytes for a reply's serial and a place in it.
    #[cfg(feature = "postcard")]
    pub(super) fn mask(&mut self, pad: impl Fn(u32, u32) -> u64) {
        let mut rest = self.bytes.get_mut(..usize::from(self.used)).unwrap_or_default();
        while let [low, high, _, _, _, _, e, f, g, h, after @ ..] = rest {
            let serial = u32::from_le_bytes([*e, *f, *g, *h]);
            let length = usize::from(u16::from_le_bytes([*low, *high]));
            let Some((frame, next)) = after.split_at_mut_checked(length) else { return };
            for (chunk, place) in frame.chunks_mut(8).zip(0..) {
                chunk.iter_mut().zip(pad(serial, place).to_le_bytes()).for_each(|(byte, pad)| *byte ^= pad);
            }
            rest = next;
        }
    }

    pub fn front(&self) -> Option<(Due, &[u8])> {
        let used = self.bytes.get(..usize::from(self.used))?;
        let [low, high, a, b, c, d, e, f, g, h, rest @ ..] = used else { return None };
        let due = Due { at: u32::from_le_bytes([*a, *b, *c, *d]), serial: u32::from_le_bytes([*e, *f, *g, *h]) };
        Some((due, rest.get(..usize::from(u16::from_le_bytes([*low, *high])))?))
    }

    /// Takes the first one away, which is so long.
    pub fn pop(&mut self, length: usize) {
        let gone = (HEADER + length).min(usize::from(self.used));
        for i in gone..usize::from(self.used) {
            let byte = self.bytes.get(i).copied().unwrap_or_default();
            if let Some(to) = self.bytes.get_mut(i - gone) {
                *to = byte;
            }
        }
        self.used -= gone as u16;
    }
}

impl<const N: usize> Default for Replies<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_until_full() {
        let mut replies = Replies::<34>::new();
        let due = |n| Due { at: n, serial: n + 1 };
        assert!(replies.push(due(7), |room| bytes::put(room, &[1, 2, 3])));
        assert!(replies.push(due(8), |room| bytes::put(room, &[4; 10])));
        assert_eq!(replies.room(), 0);
        assert!(!replies.push(due(9), |room| bytes::put(room, &[5, 6])));
        assert!(!replies.push(due(9), |room| Some(room.len() + 1)));
        assert_eq!(replies.front(), Some((due(7), &[1, 2, 3][..])));
        replies.pop(3);
        assert_eq!(replies.front(), Some((due(8), &[4; 10][..])));
        replies.pop(10);
        assert!(replies.is_empty() && replies.front().is_none());
        replies.pop(10);
        assert!(replies.is_empty());
    }
}

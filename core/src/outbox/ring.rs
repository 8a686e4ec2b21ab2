//! One ring of frames, each stored once with its audience beside it.
//!
//! A frame is never split: where the end of the memory is too near, a pad fills it. So every read is one slice. The
//! oldest frames make room for the newest; a cursor that pointed at them is lost, and its owner finds out by
//! [`Ring::kept`].

use crate::bytes;

/// The receivers of a frame. It travels with it: whether a link hears it must not depend on when that link reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// One link, by its slot.
    One(u16),
    /// Every link that has entered.
    Room,
    /// Every link that has entered, but one.
    RoomBut(u16),
    /// Every link that has entered with this team.
    Team(u16),
    /// A mark: from here on this link is in the room. The frame is one byte, its team.
    Enter(u16),
    /// A mark: from here on this link is not in the room.
    Leave(u16),
    /// Every link that has entered with one of four teams: the one of four times this number, and the next three.
    Teams(u16),
}

/// 2 /* length and kind */ + 2 /* slot, or teams */.
const HEADER: usize = 4;
/// The kind of a pad: no audience at all.
const PAD: u16 = 6;

impl Audience {
    const fn pack(self) -> (u16, u16) {
        match self {
            Audience::One(who) => (0, who),
            Audience::Room => (1, 0),
            Audience::RoomBut(who) => (2, who),
            Audience::Team(team) => (3, team),
            Audience::Enter(who) => (4, who),
            Audience::Leave(who) => (5, who),
            Audience::Teams(four) => (7, four),
        }
    }
    const fn unpack(kind: u16, who: u16) -> Option<Self> {
        Some(match kind {
            0 => Audience::One(who),
            1 => Audience::Room,
            2 => Audience::RoomBut(who),
            3 => Audience::Team(who),
            4 => Audience::Enter(who),
            5 => Audience::Leave(who),
            7 => Audience::Teams(who),
            _ => return None,
        })
    }
}

/// What lies at a cursor.
pub struct Stored<'a> {
    /// `None`: a pad.
    pub to: Option<Audience>,
    pub frame: &'a [u8],
    /// The cursor after it.
    pub next: u64,
}

/// `N` bytes, a power of two, so that a position is a mask away. Cursors count bytes ever written.
#[derive(Clone)]
pub struct Ring<const N: usize> {
    bytes: [u8; N],
    head: u64,
    tail: u64,
}

impl<const N: usize> Ring<N> {
    const POWER_OF_TWO: () = assert!(N.is_power_of_two() && N >= 16 && N <= 1 << 24);

    pub const fn new() -> Self {
        let () = Self::POWER_OF_TWO;
        Self { bytes: [0; N], head: 0, tail: 0 }
    }

    /// Where the next frame will start.
    pub const fn head(&self) -> u64 {
        self.head
    }

    /// Where the oldest frame that is still there starts.
    pub const fn tail(&self) -> u64 {
        self.tail
    }

    /// Is what lies at this cursor still there?
    pub const fn kept(&self, cursor: u64) -> bool {
        cursor >= self.tail
    }

    /// The longest frame that can be stored: half the ring, so that no frame can push itself out.
    pub const LONGEST: usize = if N / 2 - HEADER < 0x1fff { N / 2 - HEADER } else { 0x1fff };

    /// Stores a frame of `length` bytes, which `fill` writes. Longer than [`Ring::LONGEST`]: `false`, nothing happened.
    pub fn push(&mut self, to: Audience, length: usize, fill: impl FnOnce(&mut [u8])) -> bool {
        if length > Self::LONGEST {
            return false;
        }
        let gap = N - Self::place(self.head);
        if gap < HEADER + length {
            self.make_room(gap);
            if gap >= HEADER {
                self.write_header(PAD, 0, gap - HEADER);
            }
            self.head += gap as u64;
        }
        self.make_room(HEADER + length);
        let (kind, who) = to.pack();
        self.write_header(kind, who, length);
        let start = Self::place(self.head) + HEADER;
        if let Some(room) = self.bytes.get_mut(start..start + length) {
            fill(room);
        }
        self.head += (HEADER + length) as u64;
        true
    }

    /// What lies at `cursor`; `None` at the head or where it was lost.
    #[inline]
    pub fn at(&self, cursor: u64) -> Option<Stored<'_>> {
        if cursor >= self.head || cursor < self.tail {
            return None;
        }
        let place = Self::place(cursor);
        let Some(&[a, b, c, d]) = self.bytes.get(place..).and_then(|rest| rest.first_chunk::<HEADER>()) else {
            // Too near the end even for a header: the next frame starts at the front.
            return Some(Stored { to: None, frame: &[], next: cursor + (N - place) as u64 });
        };
        let first = u16::from_le_bytes([a, b]);
        let length = usize::from(first & 0x1fff);
        let start = place + HEADER;
        Some(Stored {
            to: Audience::unpack(first >> 13, u16::from_le_bytes([c, d])),
            frame: self.bytes.get(start..start + length).unwrap_or_default(),
            next: cursor + (HEADER + length) as u64,
        })
    }

    /// Lets the oldest frames go until `need` bytes are free.
    fn make_room(&mut self, need: usize) {
        while self.head + need as u64 - self.tail > N as u64 {
            match self.at(self.tail) {
                Some(oldest) => self.tail = oldest.next,
                None => {
                    self.tail = self.head;
                    return;
                }
            }
        }
    }

    fn write_header(&mut self, kind: u16, who: u16, length: usize) {
        let [a, b] = (kind << 13 | length.min(0x1fff) as u16).to_le_bytes();
        let [c, d] = who.to_le_bytes();
        if let Some(room) = self.bytes.get_mut(Self::place(self.head)..) {
            bytes::copy(room, &[a, b, c, d]);
        }
    }

    /// Head, tail, and what lies between them, as it lies in memory.
    #[cfg(feature = "postcard")]
    pub(super) fn kept_bytes(&self) -> (u64, u64, [&[u8]; 2]) {
        let (head, tail) = (self.head, self.tail);
        let length = (head - tail) as usize;
        let first = length.min(N - Self::place(tail));
        let piece = |from: usize, length: usize| self.bytes.get(from..from + length).unwrap_or_default();
        (head, tail, [piece(Self::place(tail), first), piece(0, length - first)])
    }

    /// Takes back what [`Ring::kept_bytes`] gave; `false` if that is no ring. Positions are below 2^62.
    #[cfg(feature = "postcard")]
    pub(super) fn refill(&mut self, head: u64, tail: u64, [first, second]: [&[u8]; 2]) -> bool {
        let Some(length) = head.checked_sub(tail).filter(|length| *length <= N as u64) else { return false };
        let whole = first.len() == (N - Self::place(tail)).min(length as usize);
        if !whole || (first.len() + second.len()) as u64 != length {
            return false;
        }
        (self.head, self.tail) = (head, tail);
        if let Some(room) = self.bytes.get_mut(Self::place(tail)..) {
            bytes::copy(room, first);
        }
        bytes::copy(&mut self.bytes, second);
        let mut cursor = tail;
        while let Some(stored) = self.at(cursor) {
            cursor = stored.next;
        }
        cursor == head
    }

    const fn place(cursor: u64) -> usize {
        (cursor & (N as u64 - 1)) as usize
    }
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn frames_come_back_as_stored_round_and_round() {
        let mut ring = Ring::<64>::new();
        let mut cursor = 0;
        for n in 0..500u16 {
            let length = usize::from(n * 7 % 29);
            assert!(ring.push(Audience::RoomBut(n), length, |room| room.fill(n as u8)));
            let stored = loop {
                let stored = ring.at(cursor).unwrap();
                cursor = stored.next;
                if stored.to.is_some() {
                    break (stored.to, stored.frame.to_vec());
                }
            };
            assert_eq!(stored, (Some(Audience::RoomBut(n)), std::vec![n as u8; length]));
            assert_eq!(cursor, ring.head());
            assert!(ring.at(cursor).is_none());
        }
    }

    #[test]
    fn the_oldest_go_first_and_whole() {
        let mut ring = Ring::<64>::new();
        let mut starts = Vec::new();
        for n in 0..20u8 {
            starts.push(ring.head());
            ring.push(Audience::Room, 5, |room| room.fill(n));
        }
        let kept: Vec<bool> = starts.iter().map(|s| ring.kept(*s)).collect();
        let lost = kept.iter().filter(|k| !**k).count();
        assert!(lost >= 13 && kept[lost..].iter().all(|k| *k), "{kept:?}");
        assert!(!ring.push(Audience::Room, 29, |_| ()));
    }
}

//! What stands in a journal: every input of a table and every decision about it, in the order of the calls, and how bytes
//! say it.
//!
//! A segment is a head (a word with the version, the number of its first record, a checksum) and blocks. A block is what
//! was written at once: its length, a checksum over the number of its first record and its payload, and the payload:
//! records, each postcard of the table's index, eight bits of all that the table has said, and the event. A table is given
//! its index by [`Event::Begin`]. The first time of a table in a block is the table's own, the others are counted from the
//! one before. Records are numbered without gaps through all segments. Zeros behind the last block are room for more.
//!
//! What can never happen here: a panic on any bytes, a record taken that was not written whole.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use parlor_core::server::{Answer, Lagging, Millis};
use serde::{Deserialize, Serialize};

/// What a segment begins with; the version follows.
pub const WORD: &[u8; 15] = b"parlor journal ";
/// Of segments and blocks. 1 kept what was sent beside what was said.
pub const VERSION: u8 = b'2';
/// 15 /* word */ + 1 /* version */ + 8 /* number of the first record */ + 4 /* checksum */.
pub const HEAD: usize = 28;
/// No block is longer: a frozen table of 255 users is far below.
const LONGEST: u64 = 8 << 20;

/// What is known of a table beside its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMeta {
    pub game: String,
    /// One of the tables that are always there; else it was made by request.
    pub house: bool,
    /// The port that was opened for it alone.
    pub port: Option<SocketAddr>,
}

/// One call, or what else must be known to make the same calls again. New ones go to the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event<'a> {
    /// The table of this number among its game's stands as `state` says: it was made, or the process was started again.
    Begin {
        number: u32,
        meta: TableMeta,
        now: Millis,
        state: &'a [u8],
    },
    Open {
        slot: u16,
        now: Millis,
    },
    /// Whole frames, as the framer said they were taken: what was secret in them is a verdict.
    Receive {
        slot: u16,
        now: Millis,
        bytes: &'a [u8],
    },
    Close {
        slot: u16,
        now: Millis,
    },
    Tick {
        now: Millis,
    },
    Answer {
        id: u32,
        #[serde(borrow)]
        answer: Answer<'a>,
        now: Millis,
    },
    /// A link fell behind: how far links have read is not in the journal, what followed from it is.
    Lagged {
        lagging: Lagging,
        now: Millis,
    },
    Port(SocketAddr),
    /// The table is no more.
    End,
    /// A setting of the table is another from now on.
    Set {
        name: &'a str,
        text: &'a str,
        now: Millis,
    },
    /// In the call that follows, which is this link's, nothing is made that would stay: too much is held from where it comes.
    Confine {
        slot: u16,
        now: Millis,
    },
    /// The server's operator has ended the game of this name.
    EndGame {
        name: &'a str,
        now: Millis,
    },
}

impl Event<'_> {
    /// The table's own time of the call.
    pub fn now(&self) -> Option<Millis> {
        match self {
            Event::Begin { now, .. }
            | Event::Open { now, .. }
            | Event::Receive { now, .. }
            | Event::Close { now, .. }
            | Event::Tick { now }
            | Event::Answer { now, .. }
            | Event::Lagged { now, .. }
            | Event::Set { now, .. }
            | Event::Confine { now, .. }
            | Event::EndGame { now, .. } => Some(*now),
            Event::Port(_) | Event::End => None,
        }
    }

    fn with_now(mut self, time: Millis) -> Self {
        match &mut self {
            Event::Begin { now, .. }
            | Event::Open { now, .. }
            | Event::Receive { now, .. }
            | Event::Close { now, .. }
            | Event::Tick { now }
            | Event::Answer { now, .. }
            | Event::Lagged { now, .. }
            | Event::Set { now, .. }
            | Event::Confine { now, .. }
            | Event::EndGame { now, .. } => *now = time,
            Event::Port(_) | Event::End => {}
        }
        self
    }
}

/// The last time of each table in a block.
#[derive(Default)]
struct Clocks(BTreeMap<u32, Millis>);

impl Clocks {
    /// As the block says it.
    fn pack(&mut self, table: u32, now: Millis) -> Millis {
        let before = self.0.insert(table, now).unwrap_or_default();
        Millis(now.0.wrapping_sub(before.0))
    }

    fn unpack(&mut self, table: u32, said: Millis) -> Millis {
        let clock = self.0.entry(table).or_default();
        *clock = Millis(clock.0.wrapping_add(said.0));
        *clock
    }
}

/// CRC-32 as zip and Ethernet have it.
pub fn crc(parts: &[&[u8]]) -> u32 {
    let step = |sum: u32, byte: &u8| sum >> 8 ^ TABLE[usize::from((sum as u8) ^ byte)];
    !parts.iter().flat_map(|part| part.iter()).fold(u32::MAX, step)
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = at as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0xEDB8_8320 } else { 0 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
};

/// The head of a segment.
pub fn head(first: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..15].copy_from_slice(WORD);
    head[15] = VERSION;
    head[16..24].copy_from_slice(&first.to_le_bytes());
    let sum = crc(&[&head[..24]]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// Records on their way into a block.
#[derive(Default)]
pub struct Block {
    payload: Vec<u8>,
    clocks: Clocks,
}

impl Block {
    /// How long it is so far.
    pub fn len(&self) -> usize {
        self.payload.len()
    }

    pub fn is_empty(&self) -> bool {
        self.payload.is_empty()
    }

    /// Adds a record.
    pub fn push(&mut self, table: u32, sum: u8, event: &Event<'_>) {
        let payload = std::mem::take(&mut self.payload);
        let said = event.now().map(|now| event.clone().with_now(self.clocks.pack(table, now)));
        // Only a serializer that runs out of room fails, and a vector has room.
        self.payload = postcard::to_extend(&(table, sum, said.as_ref().unwrap_or(event)), payload).unwrap_or_default();
    }

    /// Writes the block, whose first record has this number, and is empty again.
    pub fn seal(&mut self, first: u64, out: &mut Vec<u8>) {
        if self.payload.is_empty() {
            return;
        }
        let start = std::mem::take(out);
        *out = postcard::to_extend(&(self.payload.len() as u64), start).unwrap_or_default();
        out.extend_from_slice(&crc(&[&first.to_le_bytes(), &self.payload]).to_le_bytes());
        out.extend_from_slice(&self.payload);
        self.payload.clear();
        self.clocks.0.clear();
    }
}

/// Something else than a record stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The record that should have been.
    pub number: u64,
    /// Where in the segment the block begins that is none.
    pub at: usize,
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<'a> {
    pub number: u64,
    /// The index that the table was given.
    pub table: u32,
    /// Eight bits of all that the table has said by then.
    pub sum: u8,
    pub event: Event<'a>,
}

/// The records of a segment, up to its end or to what is no block.
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What is left of the block that is being read.
    block: &'a [u8],
    clocks: Clocks,
    /// The number of the next.
    pub number: u64,
}

impl<'a> Records<'a> {
    /// `None`: the head is not that of a segment.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let written = bytes.get(..HEAD)?;
        let first = u64::from_le_bytes(*written.get(16..)?.first_chunk()?);
        let records = Self { bytes, at: HEAD, block: &[], clocks: Clocks::default(), number: first };
        (written == head(first)).then_some(records)
    }

    /// Where the room for more begins: behind the last block that was read.
    pub fn end(&self) -> usize {
        self.at
    }

    /// Finds the next block; `None`: what stands there is none.
    fn next_block(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let (length, after) = postcard::take_from_bytes::<u64>(rest).ok()?;
        let (sum, after) = after.split_first_chunk::<4>()?;
        let payload = after.get(..usize::try_from(length).ok()?).filter(|_| (1..=LONGEST).contains(&length))?;
        if u32::from_le_bytes(*sum) != crc(&[&self.number.to_le_bytes(), payload]) {
            return None;
        }
        // All of it can be read, or none of it is taken.
        let mut left = payload;
        while !left.is_empty() {
            left = postcard::take_from_bytes::<(u32, u8, Event<'_>)>(left).ok()?.1;
        }
        self.at = self.bytes.len() - after.len() + payload.len();
        self.block = payload;
        self.clocks.0.clear();
        Some(())
    }

    fn take(&mut self) -> Option<Record<'a>> {
        let ((table, sum, event), left) = postcard::take_from_bytes::<(u32, u8, Event<'a>)>(self.block).ok()?;
        self.block = left;
        let event = match event.now() {
            Some(said) => event.with_now(self.clocks.unpack(table, said)),
            None => event,
        };
        let record = Record { number: self.number, table, sum, event };
        self.number += 1;
        Some(record)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Torn>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.block.is_empty() {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if rest.iter().all(|byte| *byte == 0) {
                return None;
            }
            if self.next_block().is_none() {
                let torn = Torn { number: self.number, at: self.at };
                self.bytes = self.bytes.get(..self.at).unwrap_or_default();
                return Some(Err(torn));
            }
        }
        self.take().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two blocks, and room for more.
    fn segment() -> Vec<u8> {
        let (mut bytes, mut block) = (head(7).to_vec(), Block::default());
        block.push(1, 9, &Event::Open { slot: 0, now: Millis(500) });
        block.push(2, 8, &Event::Tick { now: Millis(70_000) });
        block.push(1, 7, &Event::Receive { slot: 0, now: Millis(503), bytes: &[0, 1, 1] });
        block.seal(7, &mut bytes);
        block.push(1, 6, &Event::Lagged { lagging: Lagging { slot: 3, again: true }, now: Millis(504) });
        block.seal(10, &mut bytes);
        bytes.extend([0; 9]);
        bytes
    }

    #[test]
    fn records_come_back_as_written() {
        let bytes = segment();
        // The length of the first block, its checksum; table, sum, kind, slot, time of the first record.
        assert_eq!(bytes[HEAD], 21);
        assert_eq!(bytes[HEAD + 5..HEAD + 11], [1, 9, 1, 0, 0xF4, 3]);
        // The third record: three milliseconds later.
        assert_eq!(bytes[HEAD + 17..HEAD + 25], [1, 7, 2, 0, 3, 3, 0, 1]);
        let records: Vec<_> = Records::new(&bytes).unwrap().map(Result::unwrap).collect();
        let told: Vec<_> = records.iter().map(|record| (record.number, record.table, record.sum)).collect();
        assert_eq!(told, [(7, 1, 9), (8, 2, 8), (9, 1, 7), (10, 1, 6)]);
        assert_eq!(records[1].event, Event::Tick { now: Millis(70_000) });
        assert_eq!(records[2].event, Event::Receive { slot: 0, now: Millis(503), bytes: &[0, 1, 1] });
        assert_eq!(records[3].event.now(), Some(Millis(504)));
    }

    #[test]
    fn what_is_cut_or_flipped_ends_the_segment_there() {
        let (bytes, all) = (segment(), Records::new(&segment()).unwrap().count());
        for length in HEAD..bytes.len() - 9 {
            let whole = Records::new(&bytes[..length]).unwrap().filter(|record| record.is_ok()).count();
            assert!(whole < all);
        }
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Some(records) = Records::new(&bytes) else { continue };
            let records: Vec<_> = records.collect();
            assert!(records.last().unwrap().is_err(), "bit {bit}");
            // What was whole before it stays.
            let good: Vec<_> = records.iter().flatten().map(|record| record.number).collect();
            assert!([vec![], vec![7, 8, 9], vec![7, 8, 9, 10]].contains(&good), "bit {bit}: {good:?}");
        }
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(crc(&[b"1234", b"56789"]), 0xCBF4_3926);
    }
}

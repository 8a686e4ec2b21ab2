//! What stands in a journal: every call that changed a table, in the order of the calls, and how bytes on a disk say it.
//!
//! A segment is a head (a word, the number of its first record, a checksum) and records. A record is its length, a
//! checksum over its number and its payload, and the payload: postcard of the table's number and the event. Records are
//! numbered without gaps through all segments.
//!
//! What can never happen here: a panic on any bytes, a record taken that was not written whole.

use std::net::SocketAddr;

use parlor_core::server::{Answer, Millis};
use serde::{Deserialize, Serialize};

/// What a segment begins with.
const WORD: &[u8; 16] = b"parlor journal 1";
/// 16 /* word */ + 8 /* number of the first record */ + 4 /* checksum */.
pub const HEAD: usize = 28;
/// 4 /* length */ + 4 /* checksum */.
const PREFIX: usize = 8;
/// No record is longer: a frozen table of 255 users is far below.
const LONGEST: usize = 4 << 20;

/// What is known of a table beside its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    pub game: String,
    /// One of the tables that are always there; else somebody made it.
    pub house: bool,
    /// The port that was opened for it alone.
    pub port: Option<SocketAddr>,
}

/// One call, or what else must be known to make the same calls again. Times are the table's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event<'a> {
    /// The table stands as `state` says: it was made, or the process was started again.
    Begin {
        card: Card,
        now: Millis,
        /// Output waits for [`Event::Release`]; else it is released with every call.
        gated: bool,
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
    /// A link's output went out. How far a link has come decides whether it lags, so a replay must know.
    Pull {
        slot: u16,
        /// The room that was given.
        room: u32,
        length: u32,
        sum: u8,
    },
    Release {
        ring: u64,
        replies: u64,
    },
    Port(SocketAddr),
    /// The table is no more.
    End,
}

/// Eight bits of what was sent: enough to see a replay go astray within a few messages, too few to guess a password by.
pub fn sum(bytes: &[u8]) -> u8 {
    crc(&[bytes]).to_le_bytes().into_iter().fold(0, |sum, byte| sum ^ byte)
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
    head[..16].copy_from_slice(WORD);
    head[16..24].copy_from_slice(&first.to_le_bytes());
    let sum = crc(&[&head[..24]]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// Adds a record.
pub fn append(out: &mut Vec<u8>, number: u64, table: u32, event: &Event<'_>) {
    let start = out.len();
    out.extend_from_slice(&[0; PREFIX]);
    let taken = std::mem::take(out);
    // Only a serializer that runs out of room fails, and a vector has room.
    *out = postcard::to_extend(&(table, event), taken).unwrap_or_default();
    let Some((prefix, payload)) = out.get_mut(start..).and_then(|record| record.split_at_mut_checked(PREFIX)) else {
        return;
    };
    let (length, sum) = prefix.split_at_mut(4);
    length.copy_from_slice(&(payload.len() as u32).to_le_bytes());
    sum.copy_from_slice(&crc(&[&number.to_le_bytes(), payload]).to_le_bytes());
}

/// Something else than a record stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The record that should have been.
    pub number: u64,
    /// Where in the segment.
    pub at: usize,
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<'a> {
    pub number: u64,
    pub table: u32,
    pub event: Event<'a>,
}

/// The records of a segment, up to its end or to what is no record.
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The number of the next.
    pub number: u64,
}

impl<'a> Records<'a> {
    /// `None`: the head is not that of a segment.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let written = bytes.get(..HEAD)?;
        let first = u64::from_le_bytes(*written.get(16..)?.first_chunk()?);
        (written == head(first)).then_some(Self { bytes, at: HEAD, number: first })
    }

    fn take(&mut self) -> Option<Record<'a>> {
        let rest = self.bytes.get(self.at..)?;
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (sum, after) = after.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let payload = after.get(..length).filter(|_| length <= LONGEST)?;
        if u32::from_le_bytes(*sum) != crc(&[&self.number.to_le_bytes(), payload]) {
            return None;
        }
        let (table, event) = postcard::from_bytes(payload).ok()?;
        let record = Record { number: self.number, table, event };
        self.at += PREFIX + length;
        self.number += 1;
        Some(record)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Torn>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        match self.take() {
            Some(record) => Some(Ok(record)),
            None => {
                let torn = Torn { number: self.number, at: self.at };
                self.at = self.bytes.len();
                Some(Err(torn))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment() -> Vec<u8> {
        let mut bytes = head(7).to_vec();
        append(&mut bytes, 7, 1, &Event::Open { slot: 0, now: Millis(5) });
        append(&mut bytes, 8, 1, &Event::Receive { slot: 0, now: Millis(300), bytes: &[0, 1, 1] });
        append(&mut bytes, 9, 2, &Event::Pull { slot: 3, room: 4096, length: 6, sum: 9 });
        bytes
    }

    #[test]
    fn records_come_back_as_written() {
        let bytes = segment();
        // 8 /* prefix */ + table, kind, slot, time.
        assert_eq!(
            bytes[HEAD..HEAD + 12],
            [4, 0, 0, 0, bytes[HEAD + 4], bytes[HEAD + 5], bytes[HEAD + 6], bytes[HEAD + 7], 1, 1, 0, 5]
        );
        let records: Vec<_> = Records::new(&bytes).unwrap().map(Result::unwrap).collect();
        assert_eq!(
            records.iter().map(|record| (record.number, record.table)).collect::<Vec<_>>(),
            [(7, 1), (8, 1), (9, 2)]
        );
        assert_eq!(records[1].event, Event::Receive { slot: 0, now: Millis(300), bytes: &[0, 1, 1] });
    }

    #[test]
    fn what_is_cut_or_flipped_ends_the_segment_there() {
        let bytes = segment();
        for length in HEAD..bytes.len() {
            let whole = Records::new(&bytes[..length]).unwrap().filter(|record| record.is_ok()).count();
            assert!(whole < 3);
        }
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Some(records) = Records::new(&bytes) else { continue };
            let records: Vec<_> = records.collect();
            assert!(records.last().unwrap().is_err(), "bit {bit}");
            // What was whole before it stays.
            let good: Vec<_> = records.iter().flatten().cloned().collect();
            let first: Vec<_> =
                Records::new(&segment()[..]).unwrap().flatten().take(good.len()).map(|r| r.number).collect();
            assert_eq!(good.iter().map(|record| record.number).collect::<Vec<_>>(), first);
        }
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(crc(&[b"1234", b"56789"]), 0xCBF4_3926);
    }
}

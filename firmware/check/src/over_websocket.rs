//! Connections to a game through the board's page: what is said goes in WebSocket messages of several frames, what is heard
//! is the bytes of all messages.

use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_core::game::Encoding;
use parlor_tests::peer::{Backend, Peer, over};

use crate::door::Door;
use crate::web;

/// Less than a frame of the shortest kind carries: most lines take several.
const PIECE: usize = 20;
const FINAL: u8 = 0x80;
const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;

pub struct OverWebSocket<'g> {
    pub door: Door,
    pub game: &'g str,
    pub encoding: Encoding,
}

impl Backend for OverWebSocket<'_> {
    fn connect(&mut self) -> Box<dyn Peer> {
        let kind = if self.encoding == Encoding::Text { TEXT } else { BINARY };
        match web::websocket(&self.door, self.game) {
            Ok(stream) => Box::new(Messages { peer: over(stream), kind, unread: Vec::new() }),
            Err(error) => panic!("the board should take a WebSocket: {error}"),
        }
    }
    fn wait(&mut self, ms: u64) {
        sleep(Duration::from_millis(ms));
    }
}

struct Messages {
    peer: Box<dyn Peer>,
    kind: u8,
    /// The beginning of a frame.
    unread: Vec<u8>,
}

impl Messages {
    /// The payload of the first frame, if all of it has come. Boards send messages of one frame, and no other kind.
    fn take(&mut self) -> Option<Vec<u8>> {
        let [first, length, rest @ ..] = &self.unread[..] else { return None };
        assert_eq!(*first, FINAL | self.kind, "a frame of another kind");
        let (front, length) = match (length, rest) {
            (126, [high, low, ..]) => (4, usize::from(u16::from_be_bytes([*high, *low]))),
            (126, _) => return None,
            (length, _) => (2, usize::from(*length)),
        };
        let payload = self.unread.get(front..front + length)?.to_vec();
        self.unread.drain(..front + length);
        Some(payload)
    }
}

impl Peer for Messages {
    fn send(&mut self, bytes: &[u8]) {
        let count = bytes.len().div_ceil(PIECE).max(1);
        let pieces = (0..count).map(|nth| &bytes[nth * PIECE..bytes.len().min((nth + 1) * PIECE)]);
        let frames = pieces.enumerate().flat_map(|(nth, piece)| {
            let kind = if nth == 0 { self.kind } else { 0 };
            let end = if nth + 1 == count { FINAL } else { 0 };
            web::frame(kind | end, piece)
        });
        self.peer.send(&frames.collect::<Vec<u8>>());
    }
    fn arrived(&mut self, patience: Duration) -> Vec<u8> {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            self.unread.extend(self.peer.arrived(left));
            let heard: Vec<u8> = std::iter::from_fn(|| self.take()).flatten().collect();
            if !heard.is_empty() || left.is_zero() || self.peer.is_closed() {
                return heard;
            }
        }
    }
    fn is_closed(&mut self) -> bool {
        self.peer.is_closed() && self.unread.is_empty()
    }
    fn stop_reading(&mut self, stop: bool) {
        self.peer.stop_reading(stop);
    }
    fn hang_up(&mut self) {
        self.peer.hang_up();
    }
}

//! Writes down what every connection of a backend has heard, so that two backends can be held against each other.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::peer::{Backend, Peer};

/// What each connection has heard, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard(pub Vec<Vec<u8>>);

impl Heard {
    /// All bytes of all connections.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// The first place where the two differ.
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let connections = self.0.len().max(other.0.len());
        let none = Vec::new();
        (0..connections).find_map(|connection| {
            let [mine, theirs] = [self, other].map(|heard| heard.0.get(connection).unwrap_or(&none));
            if mine == theirs {
                return None;
            }
            let at = mine.iter().zip(theirs).take_while(|(mine, theirs)| mine == theirs).count();
            let from = |bytes: &Vec<u8>| bytes[at..].iter().take(16).copied().collect();
            Some(Difference { connection, at, mine: from(mine), theirs: from(theirs) })
        })
    }
}

/// Where a connection heard something else, and how it went on there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub connection: usize,
    pub at: usize,
    pub mine: Vec<u8>,
    pub theirs: Vec<u8>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { connection, at, mine, theirs } = self;
        write!(f, "connection {connection}, byte {at}: {mine:02x?} here, {theirs:02x?} there")
    }
}

/// Bytes that went over one connection, as they were sent or taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub connection: usize,
    pub by_client: bool,
    pub bytes: Vec<u8>,
}

/// A backend whose connections are written down.
pub struct Recorded<'a> {
    backend: &'a mut dyn Backend,
    heard: Rc<RefCell<Heard>>,
    pieces: Rc<RefCell<Vec<Piece>>>,
    to_the_end: bool,
}

impl<'a> Recorded<'a> {
    pub fn new(backend: &'a mut dyn Backend) -> Self {
        Self { backend, heard: Rc::default(), pieces: Rc::default(), to_the_end: false }
    }

    /// What a connection was sent and its client never looked at is written down as well, when the client is dropped. On a
    /// network that depends on the moment: this is for the core in this process.
    pub fn to_the_end(backend: &'a mut dyn Backend) -> Self {
        Self { to_the_end: true, ..Self::new(backend) }
    }

    pub fn heard(&self) -> Heard {
        self.heard.borrow().clone()
    }

    /// All that was said and heard, in that order.
    pub fn pieces(&self) -> Vec<Piece> {
        self.pieces.borrow().clone()
    }
}

impl Backend for Recorded<'_> {
    fn connect(&mut self) -> Box<dyn Peer> {
        let peer = self.backend.connect();
        let mut heard = self.heard.borrow_mut();
        heard.0.push(Vec::new());
        let (connection, heard) = (heard.0.len() - 1, self.heard.clone());
        let pieces = self.pieces.clone();
        Box::new(RecordedPeer { peer, connection, heard, pieces, to_the_end: self.to_the_end })
    }
    fn wait(&mut self, ms: u64) {
        self.backend.wait(ms);
    }
    fn patience(&self) -> Duration {
        self.backend.patience()
    }
    fn settle(&mut self) {
        self.backend.settle();
    }
}

struct RecordedPeer {
    peer: Box<dyn Peer>,
    connection: usize,
    heard: Rc<RefCell<Heard>>,
    pieces: Rc<RefCell<Vec<Piece>>>,
    to_the_end: bool,
}

impl RecordedPeer {
    fn note(&self, by_client: bool, bytes: &[u8]) {
        if !bytes.is_empty() {
            let piece = Piece { connection: self.connection, by_client, bytes: bytes.to_vec() };
            self.pieces.borrow_mut().push(piece);
        }
    }
}

impl Drop for RecordedPeer {
    fn drop(&mut self) {
        if self.to_the_end {
            self.arrived(Duration::ZERO);
        }
    }
}

impl Peer for RecordedPeer {
    fn send(&mut self, bytes: &[u8]) {
        self.note(true, bytes);
        self.peer.send(bytes);
    }
    fn arrived(&mut self, patience: Duration) -> Vec<u8> {
        let bytes = self.peer.arrived(patience);
        self.heard.borrow_mut().0[self.connection].extend_from_slice(&bytes);
        self.note(false, &bytes);
        bytes
    }
    fn is_closed(&mut self) -> bool {
        self.peer.is_closed()
    }
    fn stop_reading(&mut self, stop: bool) {
        self.peer.stop_reading(stop);
    }
    fn hang_up(&mut self) {
        self.peer.hang_up();
    }
}

#[cfg(test)]
mod tests {
    use parlor_core::echo::Echo;

    use super::*;
    use crate::peer::{InMemory, Talk};

    fn heard(word: &[u8; 2]) -> Heard {
        let mut memory = InMemory::new(Box::new(Echo::<2, 1024>::new()));
        let mut recorded = Recorded::new(&mut memory);
        let (mut ann, mut bob) = (Talk::new(&mut recorded), Talk::new(&mut recorded));
        ann.send(b"E\x01a");
        assert_eq!(ann.frame(), b"E\x01a");
        bob.send(&[&b"E\x02"[..], word].concat());
        assert_eq!(bob.frame()[2..], word[..]);
        recorded.heard()
    }

    #[test]
    fn the_first_other_byte_is_found() {
        let (one, other) = (heard(b"ab"), heard(b"ac"));
        assert_eq!(one.bytes(), 3 + 4);
        assert_eq!(one.difference(&heard(b"ab")), None);
        let told = one.difference(&other).unwrap().to_string();
        assert_eq!(told, "connection 1, byte 3: [62] here, [63] there");
    }
}

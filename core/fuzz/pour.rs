//! A stream as a connection brings it: in pieces.

use parlor_core::server::Framer;

/// What is left of a stream, and how long its next pieces are: over and over as `pieces` says, where 0 counts as 256.
pub struct Stream<'a> {
    pub rest: &'a [u8],
    pieces: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl<'a> Stream<'a> {
    pub fn new(rest: &'a [u8], pieces: &'a [u8]) -> Self {
        Self { rest, pieces: pieces.iter().cycle() }
    }

    /// Reads the next piece, as far as there is room for it. Whether there was none at all.
    pub fn pour(&mut self, framer: &mut impl Framer) -> bool {
        let window = framer.window();
        let piece = self.pieces.next().map_or(256, |&n| if n == 0 { 256 } else { usize::from(n) });
        let (now, later) = self.rest.split_at(window.len().min(piece).min(self.rest.len()));
        let is_full = window.is_empty();
        window[..now.len()].copy_from_slice(now);
        framer.commit(now.len());
        self.rest = later;
        is_full
    }
}

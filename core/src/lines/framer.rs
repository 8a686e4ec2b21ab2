//! Cuts a byte stream into lines, wherever its pieces were cut before.

use crate::bytes;
use crate::server;

/// What a framer has to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A whole line, without its end.
    Line(&'a [u8]),
    /// A line longer than the framer has room for. Its end may still have to come: then what follows is the rest of it.
    TooLong { ended: bool },
    /// More of a line that is skipped, up to its end or as far as it has come.
    Rest { ended: bool },
}

/// One connection's unread bytes. CRLF ends a line, and a bare LF too; the longest line has `N` - 2 bytes.
///
/// That a line is being skipped is for the server to remember: so the bytes of [`server::Framer::taken`] mean the same
/// in any framer.
#[derive(Clone)]
pub struct Lines<const N: usize> {
    bytes: [u8; N],
    /// Lines before this were handed out by the call in progress: `mark..start` is `taken`.
    mark: usize,
    /// First byte not handed out.
    start: usize,
    /// One past the last byte read.
    end: usize,
}

impl<const N: usize> Lines<N> {
    pub const fn new() -> Self {
        assert!(N > 2);
        Self { bytes: [0; N], mark: 0, start: 0, end: 0 }
    }

    /// From here on, lines count as taken by a new call.
    pub fn mark(&mut self) {
        self.mark = self.start;
    }

    /// The next piece, without taking it: [`Lines::skip`] it once it was handled. `skipping`: the last piece was the
    /// beginning of a line without an end.
    pub fn peek(&self, skipping: bool) -> Option<Piece<'_>> {
        let unread = self.bytes.get(self.start..self.end)?;
        let length = unread.iter().position(|byte| *byte == b'\n');
        match (length, skipping) {
            (_, true) if unread.is_empty() => None,
            (length, true) => Some(Piece::Rest { ended: length.is_some() }),
            (Some(length), false) => {
                let line = unread.get(..length).unwrap_or_default();
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                Some(if line.len() > N - 2 { Piece::TooLong { ended: true } } else { Piece::Line(line) })
            }
            (None, false) => (unread.len() >= N).then_some(Piece::TooLong { ended: false }),
        }
    }

    /// Takes the piece that [`Lines::peek`] showed: all up to the end of the line, or all there is.
    pub fn skip(&mut self) {
        let unread = self.bytes.get(self.start..self.end).unwrap_or_default();
        let length = unread.iter().position(|byte| *byte == b'\n');
        self.start += length.map_or(unread.len(), |length| length + 1);
    }

    /// Takes all lines that are whole and have room, and passes over longer ones: for a client, which answers to none.
    pub(crate) fn each_line(&mut self, skipping: &mut bool, mut hear: impl FnMut(&[u8])) {
        while let Some(piece) = self.peek(*skipping) {
            match piece {
                Piece::Line(line) => hear(line),
                Piece::TooLong { ended } | Piece::Rest { ended } => *skipping = !ended,
            }
            self.skip();
        }
    }

    /// Writes over a part of the line that [`Lines::peek`] showed, from `from` on: so that a secret in it can't be found
    /// among the bytes taken.
    pub fn scrub(&mut self, from: usize, with: &[u8]) {
        if let Some(room) = self.bytes.get_mut(self.start..self.end).and_then(|line| line.get_mut(from..)) {
            bytes::copy(room, with);
        }
    }

    /// All that was not taken yet: how a line that is too long begins.
    pub fn unread(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Writes over all of the piece that [`Lines::peek`] showed, from `from` on, but its end: it is skipped, and it may
    /// hold a secret.
    pub fn blank(&mut self, from: usize) {
        let unread = self.bytes.get_mut(self.start..self.end).unwrap_or_default();
        let piece = unread.iter_mut().take_while(|byte| **byte != b'\n');
        piece.skip(from).for_each(|byte| *byte = b'x');
    }
}

impl<const N: usize> Default for Lines<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> server::Framer for Lines<N> {
    fn window(&mut self) -> &mut [u8] {
        // `start <= end <= N` always holds; saying it once more keeps the panic of a failed check out of images.
        let end = self.end.min(N);
        let start = self.start.min(end);
        if start > 0 {
            self.bytes.copy_within(start..end, 0);
        }
        (self.mark, self.start, self.end) = (0, 0, end - start);
        self.bytes.get_mut(self.end..).unwrap_or_default()
    }
    /// More than the window holds counts as the window.
    fn commit(&mut self, n: usize) {
        self.end = self.end.saturating_add(n).min(N);
    }
    fn taken(&self) -> &[u8] {
        self.bytes.get(self.mark..self.start).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Framer as _;
    use std::vec::Vec;

    fn read(framer: &mut Lines<12>, bytes: &[u8]) {
        framer.window()[..bytes.len()].copy_from_slice(bytes);
        framer.commit(bytes.len());
    }

    #[test]
    fn a_line_cut_anywhere_waits_for_its_end() {
        let mut framer = Lines::<12>::new();
        for byte in b"noop\r" {
            read(&mut framer, &[*byte]);
            assert_eq!(framer.peek(false), None);
        }
        read(&mut framer, b"\na\n");
        assert_eq!(framer.peek(false), Some(Piece::Line(b"noop")));
        framer.mark();
        framer.skip();
        assert_eq!(framer.peek(false), Some(Piece::Line(b"a")));
        framer.skip();
        assert_eq!(framer.taken(), b"noop\r\na\n");
        assert_eq!(framer.peek(false), None);
        assert_eq!(framer.window().len(), 12);
        assert_eq!(framer.taken(), b"");
    }

    #[test]
    fn ten_bytes_fit_and_eleven_do_not() {
        let mut framer = Lines::<12>::new();
        read(&mut framer, b"0123456789\r\n");
        assert_eq!(framer.peek(false), Some(Piece::Line(b"0123456789")));
        framer.skip();
        read(&mut framer, b"0123456789a\n");
        assert_eq!(framer.peek(false), Some(Piece::TooLong { ended: true }));
        framer.skip();
        assert_eq!(framer.peek(false), None);
    }

    #[test]
    fn a_line_without_end_is_skipped_to_its_end() {
        let mut framer = Lines::<12>::new();
        let mut pieces = Vec::new();
        let mut skipping = false;
        for chunk in [&b"0123456789ab"[..], b"cdef", b"gh\nnoop\n", b""] {
            read(&mut framer, chunk);
            while let Some(piece) = framer.peek(skipping) {
                skipping = matches!(piece, Piece::TooLong { ended: false } | Piece::Rest { ended: false });
                pieces.push(std::format!("{piece:?}"));
                framer.skip();
            }
        }
        assert_eq!(
            pieces,
            ["TooLong { ended: false }", "Rest { ended: false }", "Rest { ended: true }", "Line([110, 111, 111, 112])"]
        );
    }

    #[test]
    fn what_is_scrubbed_is_not_among_what_was_taken() {
        let mut framer = Lines::<12>::new();
        read(&mut framer, b"login a b\r\n");
        framer.mark();
        framer.scrub(8, b"x");
        framer.scrub(100, b"x");
        framer.skip();
        assert_eq!(framer.taken(), b"login a x\r\n");
    }

    #[test]
    fn what_is_skipped_is_blank_and_as_long_as_it_was() {
        let mut framer = Lines::<12>::new();
        read(&mut framer, b"login a bcd\n");
        framer.mark();
        framer.blank(0);
        assert_eq!(framer.peek(false), Some(Piece::TooLong { ended: true }));
        framer.skip();
        assert_eq!(framer.taken(), b"xxxxxxxxxxx\n");
        read(&mut framer, b"#1 a bcdefg\n");
        assert_eq!(framer.unread(), b"#1 a bcdefg\n");
        framer.mark();
        framer.blank(3);
        framer.skip();
        assert_eq!(framer.taken(), b"#1 xxxxxxxx\n");
    }

    #[test]
    fn a_commit_past_the_window_counts_as_the_window() {
        let mut framer = Lines::<12>::new();
        framer.commit(usize::MAX);
        assert!(framer.window().is_empty());
        assert_eq!(framer.peek(false), Some(Piece::TooLong { ended: false }));
    }
}

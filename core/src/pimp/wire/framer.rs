//! Cuts a byte stream into frames, wherever its pieces were cut before.

use super::message::{FRAME_MAX, HEADER};
use crate::server;

/// A whole frame, still in the framer's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub code: u8,
    pub payload: &'a [u8],
}

/// A frame said it is 255 bytes long, which the document reserves: where it ends can't be known, so nothing after it
/// can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endless;

/// One connection's unread bytes: room for the longest frame, or for many short ones.
pub struct Framer {
    bytes: [u8; FRAME_MAX],
    /// Frames before this were handed out by the call in progress: `mark..start` is `taken`.
    mark: usize,
    /// First byte not handed out.
    start: usize,
    /// One past the last byte read.
    end: usize,
}

impl Framer {
    pub const fn new() -> Self {
        Self { bytes: [0; FRAME_MAX], mark: 0, start: 0, end: 0 }
    }

    /// From here on, frames count as taken by a new call.
    #[inline]
    pub fn mark(&mut self) {
        self.mark = self.start;
    }

    /// Nothing of what was read is left.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.start == self.end
    }

    /// The next frame, without taking it: [`Framer::skip`] it once it was handled.
    #[inline]
    pub fn peek(&self) -> Result<Option<Frame<'_>>, Endless> {
        let Some(unread) = self.bytes.get(self.start..self.end) else { return Ok(None) };
        let [code, length, rest @ ..] = unread else { return Ok(None) };
        match rest.get(..usize::from(*length)) {
            Some(payload) => Ok(Some(Frame { code: *code, payload })),
            // 255 bytes never fit behind a header here, so whole frames are spared this question.
            None if *length == 255 => Err(Endless),
            None => Ok(None),
        }
    }

    /// Takes the frame that [`Framer::peek`] showed.
    #[inline]
    pub fn skip(&mut self) {
        let length = self.bytes.get(self.start + 1).copied().unwrap_or_default();
        let end = self.start + HEADER + usize::from(length);
        // A frame that is not whole, or has no end, ends behind what was read.
        if end <= self.end {
            self.start = end;
        }
    }

    /// Takes the head of a frame without an end, and nothing after it: what it led to is an input like any other.
    #[inline(never)]
    pub fn give_up(&mut self) {
        if self.peek() == Err(Endless) {
            self.start += HEADER;
        }
    }

    /// Overwrites the payload of the next frame behind its first byte with zeros and a last byte: a secret was compared,
    /// and from here on only what came of it is known.
    #[inline(never)]
    pub fn scrub(&mut self, verdict: bool) {
        let Ok(Some(frame)) = self.peek() else { return };
        let (from, to) = (self.start + HEADER + 1, self.start + HEADER + frame.payload.len());
        if let Some([secret @ .., last]) = self.bytes.get_mut(from..to) {
            secret.fill(0);
            *last = u8::from(verdict);
        }
    }

    /// Out of line: it happens only when a read ended in the middle of a frame.
    #[inline(never)]
    fn move_to_front(&mut self) {
        // `start <= end <= FRAME_MAX` always holds; saying it once more keeps the panic of a failed check out of images.
        let end = self.end.min(FRAME_MAX);
        let start = self.start.min(end);
        self.bytes.copy_within(start..end, 0);
        self.end = end - start;
    }
}

impl Default for Framer {
    fn default() -> Self {
        Self::new()
    }
}

impl server::Framer for Framer {
    #[inline]
    fn window(&mut self) -> &mut [u8] {
        if self.start == self.end {
            self.end = 0;
        } else if self.start > 0 {
            self.move_to_front();
        }
        self.start = 0;
        self.mark = 0;
        self.bytes.get_mut(self.end..).unwrap_or_default()
    }
    /// More than the window holds counts as the window.
    #[inline]
    fn commit(&mut self, n: usize) {
        self.end = self.end.saturating_add(n).min(FRAME_MAX);
    }
    #[inline]
    fn taken(&self) -> &[u8] {
        self.bytes.get(self.mark..self.start).unwrap_or_default()
    }
}

/// The codes of whole frames, one behind the other.
#[inline]
pub fn codes(mut frames: &[u8]) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        let [code, length, rest @ ..] = frames else { return None };
        frames = rest.get(usize::from(*length)..)?;
        Some(*code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Framer as _;

    fn read(framer: &mut Framer, bytes: &[u8]) {
        framer.window()[..bytes.len()].copy_from_slice(bytes);
        framer.commit(bytes.len());
    }

    #[test]
    fn codes_are_those_of_whole_frames() {
        assert!(codes(&[0x00, 1, 1, 0x21, 0, 0xC0, 2, 7, 7]).eq([0x00, 0x21, 0xC0]));
        assert!(codes(&[0x21, 0, 0xC0, 2, 7]).eq([0x21]));
        assert!(codes(&[]).eq([]));
    }

    #[test]
    fn a_frame_cut_anywhere_waits_for_its_end() {
        let mut framer = Framer::new();
        for byte in [0x02, 0x02, 0xAA] {
            read(&mut framer, &[byte]);
            assert_eq!(framer.peek(), Ok(None));
        }
        read(&mut framer, &[0xBB, 0x0D]);
        assert_eq!(framer.peek(), Ok(Some(Frame { code: 0x02, payload: &[0xAA, 0xBB] })));
        framer.skip();
        assert_eq!(framer.peek(), Ok(None));
        // The cut frame's first byte moves to the front and is not lost.
        read(&mut framer, &[0x00]);
        assert_eq!(framer.peek(), Ok(Some(Frame { code: 0x0D, payload: &[] })));
    }

    #[test]
    fn taken_is_what_was_skipped_since_the_mark() {
        let mut framer = Framer::new();
        read(&mut framer, &[0x0D, 0, 0x00, 1, 1, 0x11, 0]);
        framer.skip();
        framer.mark();
        assert_eq!(framer.taken(), []);
        framer.skip();
        framer.skip();
        assert_eq!(framer.taken(), [0x00, 1, 1, 0x11, 0]);
        // Nothing is left: a skip too many does nothing.
        framer.skip();
        assert_eq!(framer.taken(), [0x00, 1, 1, 0x11, 0]);
        assert_eq!(framer.window().len(), 256);
        assert_eq!(framer.taken(), []);
    }

    #[test]
    fn length_255_has_no_end() {
        let mut framer = Framer::new();
        read(&mut framer, &[0x02]);
        assert_eq!(framer.peek(), Ok(None));
        read(&mut framer, &[0xFF]);
        assert_eq!(framer.peek(), Err(Endless));
        framer.skip();
        assert_eq!(framer.peek(), Err(Endless));
        // Only `give_up` takes it.
        assert_eq!(framer.taken(), []);
        framer.give_up();
        assert_eq!(framer.taken(), [0x02, 0xFF]);
        framer.give_up();
        assert_eq!(framer.taken(), [0x02, 0xFF]);
    }

    #[test]
    fn a_scrubbed_frame_keeps_its_length_and_its_first_byte() {
        let mut framer = Framer::new();
        framer.scrub(true);
        read(&mut framer, &[0x0A, 5, 3, 9, 8, 7, 6, 0x0A, 1, 4, 0x0A, 0]);
        for taken in [&[0x0A, 5, 3, 0, 0, 0, 1][..], &[0x0A, 1, 4], &[0x0A, 0]] {
            framer.mark();
            framer.scrub(true);
            framer.skip();
            assert_eq!(framer.taken(), taken);
        }
    }

    #[test]
    fn the_longest_frame_fills_the_buffer() {
        let mut framer = Framer::new();
        read(&mut framer, &[0x90, 254]);
        assert_eq!(framer.window().len(), 254);
        framer.commit(254);
        assert!(framer.window().is_empty());
        assert_eq!(framer.peek(), Ok(Some(Frame { code: 0x90, payload: &[0; 254] })));
        framer.skip();
        assert_eq!(framer.window().len(), 256);
    }

    #[test]
    fn a_commit_past_the_window_counts_as_the_window() {
        let mut framer = Framer::new();
        framer.commit(usize::MAX);
        assert!(framer.window().is_empty());
        assert_eq!(framer.peek(), Ok(Some(Frame { code: 0, payload: &[] })));
    }
}

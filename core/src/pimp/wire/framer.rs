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
    mark: u16,
    /// First byte not handed out.
    start: u16,
    /// One past the last byte read.
    end: u16,
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

    /// The next frame, without taking it: [`Framer::skip`] it once it was handled.
    #[inline]
    pub fn peek(&self) -> Result<Option<Frame<'_>>, Endless> {
        let Some(unread) = self.bytes.get(usize::from(self.start)..usize::from(self.end)) else {
            return Ok(None);
        };
        let [code, length, rest @ ..] = unread else { return Ok(None) };
        if *length == 255 {
            return Err(Endless);
        }
        Ok(rest.get(..usize::from(*length)).map(|payload| Frame { code: *code, payload }))
    }

    /// Takes the frame that [`Framer::peek`] showed.
    #[inline]
    pub fn skip(&mut self) {
        if let Ok(Some(frame)) = self.peek() {
            // At most 256: it lies inside the buffer.
            self.start += (HEADER + frame.payload.len()) as u16;
        }
    }
}

impl Default for Framer {
    fn default() -> Self {
        Self::new()
    }
}

impl server::Framer for Framer {
    fn window(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.bytes.copy_within(usize::from(self.start.min(self.end))..usize::from(self.end), 0);
            self.end -= self.start.min(self.end);
            self.start = 0;
            self.mark = 0;
        }
        self.bytes.get_mut(usize::from(self.end)..).unwrap_or_default()
    }
    fn commit(&mut self, n: usize) {
        self.end = (usize::from(self.end) + n).min(FRAME_MAX) as u16;
    }
    fn taken(&self) -> &[u8] {
        self.bytes.get(usize::from(self.mark)..usize::from(self.start)).unwrap_or_default()
    }
}

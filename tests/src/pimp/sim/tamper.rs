//! A network that lies to one client, to see that the mirror check notices.

use super::client::Fault;
use super::told;

/// Alters the frames to one client from a given moment on, once.
pub struct Tamper {
    pub client: usize,
    pub fault: Fault,
    /// Frames of the kind to alter that pass unharmed first.
    pub after: u32,
    pub done: bool,
    held: Option<Vec<u8>>,
    /// What somebody else was told.
    stray: Option<Vec<u8>>,
}

const DELTA_CASH: u8 = 0xC0;
/// Where the amount of a DELTA_CASH ends.
const CASH_END: usize = 7;

/// The six requests that open a deal: each goes to its parties alone, and everything about the deal comes after it.
const fn opens_deal(code: u8) -> bool {
    matches!(code, 0x51..=0x56)
}

impl Tamper {
    pub const fn new(client: usize, fault: Fault, after: u32) -> Self {
        Self { client, fault, after, done: false, held: None, stray: None }
    }

    /// Another client was told this.
    pub fn overhear(&mut self, bytes: &[u8]) {
        if self.fault == Fault::WrongRecipient && !self.done {
            told::frames(bytes, |code, payload| {
                if opens_deal(code) {
                    self.stray = Some([&[code, payload.len() as u8], payload].concat());
                }
            });
        }
    }

    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        told::frames(bytes, |code, payload| {
            let frame = [&[code, payload.len() as u8], payload].concat();
            self.frame(code, frame, &mut out);
        });
        // What should have come first comes last.
        out.extend(self.held.take().unwrap_or_default());
        out
    }

    fn frame(&mut self, code: u8, mut frame: Vec<u8>, out: &mut Vec<u8>) {
        let wanted = match self.fault {
            // Not a trade: it begins with nothing in it.
            Fault::Reordered => opens_deal(code) && code != 0x51,
            Fault::WrongRecipient => self.stray.is_some(),
            _ => code == DELTA_CASH,
        };
        if self.done || !wanted {
            return out.extend(frame);
        }
        if self.after > 0 {
            self.after -= 1;
            return out.extend(frame);
        }
        self.done = true;
        match self.fault {
            Fault::DroppedDelta => {}
            Fault::DoubledDelta => {
                out.extend(&frame);
                out.extend(&frame);
            }
            Fault::WrongRecipient => {
                out.extend(frame);
                out.extend(self.stray.take().unwrap_or_default());
            }
            Fault::AlteredAmount => {
                frame[CASH_END] ^= 1;
                out.extend(frame);
            }
            Fault::Reordered => self.held = Some(frame),
        }
    }
}

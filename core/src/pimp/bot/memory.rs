//! What a bot has said and what came of it, in bounded memory.
//!
//! A line is a message together with a stamp of what it was an answer to. The same line is never said twice: while no
//! reply came it is on its way, and once refused it is barred until its stamp changes. So no refusal, no lost race and
//! no misreading of the table can make a bot repeat itself for ever.

use heapless::{Deque, Vec};

use crate::pimp::view::Refusal;
use crate::pimp::wire::Message;

/// How many lines are remembered: more than one prompt, its deals and its claims can ask for at once.
const LINES: usize = 24;
/// How many deals are counted at once, the oldest forgotten first.
const DEALS: usize = 16;

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Now,
    /// Said before; the answer is still to come.
    Before,
    /// Said before, and refused.
    Refused,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    message: u64,
    stamp: u64,
    code: u8,
    refused: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Memory {
    lines: Deque<Line, LINES>,
    /// Deals and how often this bot has spoken in each.
    touched: Vec<(u32, u8), DEALS>,
    refusals: u32,
}

impl Memory {
    pub(super) const fn new() -> Self {
        Self { lines: Deque::new(), touched: Vec::new(), refusals: 0 }
    }

    /// Says `message` unless the same was said about the same.
    pub(super) fn say(&mut self, message: Message<'_>, stamp: u64, out: &mut dyn FnMut(Message<'_>)) -> Said {
        let key = digest(&message);
        if let Some(line) = self.lines.iter().find(|line| line.message == key && line.stamp == stamp) {
            return if line.refused { Said::Refused } else { Said::Before };
        }
        if self.lines.is_full() {
            self.lines.pop_front();
        }
        let _ = self.lines.push_back(Line { message: key, stamp, code: message.code(), refused: false });
        out(message);
        Said::Now
    }

    /// Was this the last thing said?
    pub(super) fn is_last(&self, message: &Message<'_>) -> bool {
        self.lines.back().is_some_and(|line| line.message == digest(message))
    }

    /// Looks whether a refusal came in since the last time, and bars the line that it answers.
    pub(super) fn learn(&mut self, refusals: u32, refusal: Option<Refusal>) {
        if self.refusals == refusals {
            return;
        }
        self.refusals = refusals;
        let Some(refusal) = refusal else { return };
        if let Some(line) = self.lines.iter_mut().rev().find(|line| !line.refused && answers(refusal, line.code)) {
            line.refused = true;
        }
    }

    /// Forgets what was said, so that it can be said again: for answers that seem lost.
    pub(super) fn forget(&mut self) {
        self.lines.clear();
    }

    /// Counts one more word in a deal, and says how many there were.
    pub(super) fn touch(&mut self, deal: u32) -> u8 {
        if let Some((_, count)) = self.touched.iter_mut().find(|(id, _)| *id == deal) {
            *count = count.saturating_add(1);
            return *count;
        }
        push_over(&mut self.touched, (deal, 1));
        1
    }
}

/// Appends; what has been there longest makes room.
pub(super) fn push_over<T, const N: usize>(all: &mut Vec<T, N>, last: T) {
    if all.is_full() {
        all.rotate_left(1);
        all.pop();
    }
    let _ = all.push(last);
}

/// Can a refusal be the answer to a command of this code?
fn answers(refusal: Refusal, code: u8) -> bool {
    match refusal.code {
        0xFC | 0xFE => refusal.about == u32::from(code),
        0x91..=0x9B => code == 0x90,
        0xE0 => code == 0x2B,
        0xE1 => code == 0x2C,
        0xE2 | 0xEE => matches!(code, 0x31 | 0x34),
        0xE3 => code == 0x3C,
        0xE4..=0xEB => (0x50..0x80).contains(&code),
        _ => false,
    }
}

/// A number that tells messages apart.
fn digest(message: &Message<'_>) -> u64 {
    // The longest a bot says through here: 2 /* header */ + 1 /* count */ + 3 * 3 /* lots */.
    let mut frame = [0; 16];
    let length = message.encode(&mut frame).unwrap_or(frame.len());
    frame.iter().take(length).fold(0, |sum, byte| fold(sum, u64::from(*byte)))
}

/// Folds one more number into a stamp. Small numbers are spread over all bits first: a mere xor would take 36 in answer
/// to question 177 for 41 in answer to question 188.
pub(super) fn fold(sum: u64, more: u64) -> u64 {
    let spread = more.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (sum ^ spread ^ spread >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THROW: Message<'static> = Message::ThrowDice {};

    #[test]
    fn a_line_is_said_once_a_stamp() {
        let mut memory = Memory::new();
        let mut count = 0;
        let mut out = |_: Message<'_>| count += 1;
        assert_eq!(memory.say(THROW, 1, &mut out), Said::Now);
        assert_eq!(memory.say(THROW, 1, &mut out), Said::Before);
        assert_eq!(memory.say(THROW, 2, &mut out), Said::Now);
        assert_eq!(count, 2);
    }

    #[test]
    fn a_refusal_bars_the_line_it_answers() {
        let mut memory = Memory::new();
        let mut out = |_: Message<'_>| {};
        memory.say(THROW, 1, &mut out);
        memory.say(Message::BuyProperty {}, 1, &mut out);
        memory.learn(1, Some(Refusal { code: 0xFE, about: 0x21 }));
        assert_eq!(memory.say(THROW, 1, &mut out), Said::Refused);
        assert_eq!(memory.say(Message::BuyProperty {}, 1, &mut out), Said::Before);
        memory.learn(1, Some(Refusal { code: 0xE2, about: 3 }));
        assert_eq!(memory.say(Message::BuyProperty {}, 1, &mut out), Said::Before, "an old refusal");
        memory.learn(2, Some(Refusal { code: 0xE2, about: 3 }));
        assert_eq!(memory.say(Message::BuyProperty {}, 1, &mut out), Said::Refused);
        memory.forget();
        assert_eq!(memory.say(THROW, 1, &mut out), Said::Now);
    }

    #[test]
    fn stamps_differ() {
        let mut seen = std::collections::HashSet::new();
        for (cash, asked) in (0..300).flat_map(|cash| (0..300).map(move |asked| (cash, asked))) {
            assert!(seen.insert(fold(cash, asked)), "{cash} {asked}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut memory = Memory::new();
        let mut out = |_: Message<'_>| {};
        assert!((0..100).all(|stamp| memory.say(THROW, stamp, &mut out) == Said::Now));
        assert_eq!(memory.say(THROW, 0, &mut out), Said::Now, "forgotten");
        assert_eq!((0..3).map(|_| memory.touch(7)).last(), Some(3));
        assert!((10..40).all(|deal| memory.touch(deal) == 1));
        assert_eq!(memory.touch(7), 1, "forgotten");
    }
}

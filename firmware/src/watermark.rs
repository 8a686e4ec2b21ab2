//! How deep the stack has ever been: start-up code paints it, what is no longer painted was used.

use embassy_time::Timer;

use crate::fmt::{error, info};

/// The frame of [`Painted::repaint`] and of what it calls, in bytes, and more.
const FRAME: usize = 128;

/// How deep the stack was, and how deep it had been, before a [`Painted::repaint`].
#[derive(Clone, Copy, Debug)]
pub struct Before {
    used: usize,
    in_use: usize,
}

/// The stack's memory and what it was painted with.
#[derive(Clone, Copy, Debug)]
pub struct Painted {
    low: *const u32,
    high: *const u32,
    paint: u32,
}

impl Painted {
    /// No stack at all.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { low: core::ptr::null(), high: core::ptr::null(), paint: 0 };

    /// A stack that grows down from `high` to `low`.
    ///
    /// # Safety
    /// Every word from `low` up to, not including, `high` may be read at any time, and written where the stack does not reach
    /// now; both are aligned.
    #[allow(unsafe_code, reason = "the caller alone knows where its stack lies")]
    pub const unsafe fn new(low: *const u32, high: *const u32, paint: u32) -> Self {
        Self { low, high, paint }
    }

    /// All of it, in bytes.
    pub fn size(self) -> usize {
        self.high.addr().saturating_sub(self.low.addr())
    }

    /// How much of it was ever used, in bytes. Too little only if something used holds the paint's very value.
    pub fn used(self) -> usize {
        let words = self.size() / size_of::<u32>();
        let free = (0..words).take_while(|word| self.word(*word) == self.paint).count();
        (words - free) * size_of::<u32>()
    }

    /// Paints anew all that is not in use now, so that what comes next is seen alone.
    #[inline(never)]
    pub fn repaint(self) -> Before {
        let here = 0_u32;
        self.paint_below((&raw const here).addr().saturating_sub(FRAME))
    }

    fn paint_below(self, end: usize) -> Before {
        let end = end.min(self.high.addr());
        let before = Before { used: self.used(), in_use: self.high.addr().saturating_sub(end) };
        let free = end.saturating_sub(self.low.addr()) / size_of::<u32>();
        (0..free).for_each(|word| self.set_word(word, self.paint));
        before
    }

    /// How many bytes deeper than then it went since then. What was used before that counts again from now on.
    pub fn since(self, before: Before) -> usize {
        let deeper = self.used().saturating_sub(before.in_use);
        if self.used() < before.used {
            self.set_word((self.size() - before.used) / size_of::<u32>(), !self.paint);
        }
        deeper
    }

    #[allow(unsafe_code, reason = "writes where the stack is not in use")]
    fn set_word(self, at: usize, value: u32) {
        // SAFETY: both callers name words below the frames that are in use, not below `low`: `new` lets them be
        // written. An interrupt between has left its frame when this goes on.
        unsafe { self.low.cast_mut().add(at).write_volatile(value) }
    }

    #[allow(unsafe_code, reason = "reads the stack that is in use, so no reference to it may be made")]
    fn word(self, at: usize) -> u32 {
        // SAFETY: `at` is less than the words between `low` and `high`, which may be read as `new` demands.
        unsafe { self.low.add(at).read_volatile() }
    }
}

/// Logs the watermark whenever it has risen.
pub async fn report(stack: Painted) -> ! {
    let mut last = 0;
    loop {
        let used = stack.used();
        if used != last {
            last = used;
            info!("stack: {} of {} bytes used", used, stack.size());
        }
        if used >= stack.size() {
            error!("stack: overrun");
        }
        Timer::after_secs(1).await;
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "an array plays the stack")]
mod tests {
    use super::*;

    #[test]
    fn paint_that_is_left_was_never_used() {
        let mut memory = [0xCCCC_CCCC_u32; 8];
        memory[5] = 1;
        memory[7] = 2;
        let ends = memory.as_ptr_range();
        // SAFETY: the array outlives `stack` and is aligned.
        let stack = unsafe { Painted::new(ends.start, ends.end, 0xCCCC_CCCC) };
        assert_eq!((stack.used(), stack.size()), (12, 32));
        // SAFETY: as above.
        let empty = unsafe { Painted::new(ends.start, ends.start, 0xCCCC_CCCC) };
        assert_eq!((empty.used(), empty.size()), (0, 0));
    }

    #[test]
    fn what_is_done_after_a_repaint_is_seen_alone() {
        let mut memory = [0xCCCC_CCCC_u32; 8];
        memory[2..].fill(7);
        let ends = memory.as_mut_ptr_range();
        // SAFETY: the array outlives `stack`, is aligned, and is written by no other code meanwhile.
        let stack = unsafe { Painted::new(ends.start, ends.end, 0xCCCC_CCCC) };
        // SAFETY: as above.
        let at = |word: usize| unsafe { ends.start.add(word) };
        // Two words are in use.
        let before = stack.paint_below(at(6).addr());
        assert_eq!(stack.used(), 8);
        // SAFETY: as above.
        unsafe { at(4).write_volatile(7) };
        assert_eq!((stack.used(), stack.since(before)), (16, 8));
        assert_eq!(stack.used(), 24, "what was used before is forgotten");
        // Deeper than ever.
        let before = stack.paint_below(at(6).addr());
        // SAFETY: as above.
        unsafe { at(1).write_volatile(7) };
        assert_eq!((stack.since(before), stack.used()), (20, 28));
    }
}

//! How deep the stack has ever been: start-up code paints it, what is no longer painted was used.

use embassy_time::Timer;

use crate::fmt::{error, info};

/// The stack's memory and what it was painted with.
#[derive(Clone, Copy, Debug)]
pub struct Painted {
    low: *const u32,
    high: *const u32,
    paint: u32,
}

impl Painted {
    /// A stack that grows down from `high` to `low`.
    ///
    /// # Safety
    /// Every word from `low` up to, not including, `high` may be read at any time; both are aligned.
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
}

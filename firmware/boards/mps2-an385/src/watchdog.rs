//! The machine's watchdog: it resets a board that stands still.

use crate::clock::CORE_HZ;
use crate::registers::watchdog::*;
use crate::time;

/// It barks after this and bites after as long again, in which a healthy board feeds it thirty times.
const BARK_SECONDS: u32 = 15;
/// Where its counter begins, in cycles of the core.
pub const FULL: u32 = BARK_SECONDS * CORE_HZ;

/// Where its counter is, on its way down.
pub fn left() -> u32 {
    VALUE.read()
}

/// It runs.
pub struct Watchdog(());

impl Watchdog {
    /// From here on it must be fed.
    pub fn start() -> Self {
        LOCK.write(LOCK_OPEN);
        LOAD.write(FULL);
        CONTROL.write(CONTROL_ON);
        LOCK.write(LOCK_SHUT);
        Self(())
    }
}

impl parlor_firmware::board::Watchdog for Watchdog {
    fn feed(&mut self) {
        LOCK.write(LOCK_OPEN);
        time::while_fed(|| {
            CLEAR.write(1);
            LOAD.write(FULL);
        });
        LOCK.write(LOCK_SHUT);
    }
}

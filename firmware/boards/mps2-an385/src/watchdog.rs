//! The machine's watchdog: it resets a board that stands still.

use crate::clock::CORE_HZ;
use crate::registers::watchdog::*;

/// It barks after this and bites after as long again, in which a healthy board feeds it thirty times.
const BARK_SECONDS: u32 = 15;

/// It runs.
pub struct Watchdog(());

impl Watchdog {
    /// From here on it must be fed.
    pub fn start() -> Self {
        LOCK.write(LOCK_OPEN);
        LOAD.write(BARK_SECONDS * CORE_HZ);
        CONTROL.write(CONTROL_ON);
        LOCK.write(LOCK_SHUT);
        Self(())
    }
}

impl parlor_firmware::board::Watchdog for Watchdog {
    fn feed(&mut self) {
        LOCK.write(LOCK_OPEN);
        CLEAR.write(1);
        LOAD.write(BARK_SECONDS * CORE_HZ);
        LOCK.write(LOCK_SHUT);
    }
}

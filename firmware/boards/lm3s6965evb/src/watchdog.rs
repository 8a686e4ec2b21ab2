//! The chip's watchdog: it resets a board that stands still. A saved game there is not, so the table begins anew.

use crate::clock::CORE_HZ;
use crate::registers::{system, watchdog::*};
use crate::time;

/// It barks after this and bites after as long again: half a minute, in which a healthy board feeds it thirty times.
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
        system::RCGC0.set(system::RCGC0_WDT);
        // A gated block may be touched three cycles after its clock was let through.
        cortex_m::asm::delay(3);
        LOCK.write(LOCK_OPEN);
        LOAD.write(FULL);
        TEST.write(TEST_STALL);
        CTL.write(CTL_RESET | CTL_START);
        LOCK.write(LOCK_SHUT);
        Self(())
    }
}

impl parlor_firmware::board::Watchdog for Watchdog {
    /// Any write here takes back a bark and starts the count again.
    fn feed(&mut self) {
        LOCK.write(LOCK_OPEN);
        time::while_fed(|| {
            ICR.write(1);
            LOAD.write(FULL);
        });
        LOCK.write(LOCK_SHUT);
    }
}

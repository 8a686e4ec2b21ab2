//! Where a fault or a panic ends: it is logged, and the board starts anew. A module of every board whose log nobody need
//! listen to: handlers are linked by name, so each image has its own.
#![allow(unsafe_code, reason = "fault handlers are linked by name")]

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m::peripheral::SCB;
use cortex_m_rt::{ExceptionFrame, exception};

/// Cycles, half a second to a second of them: time for a debugger to take the log, and a board that panics at each start
/// rests in between.
const REST: u32 = 125_000_000;

/// The log itself may be what panics, and must then not be used again.
static FAILED: AtomicBool = AtomicBool::new(false);

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    restart(|| defmt::error!("fault at {=u32:#010x}, called from {=u32:#010x}", frame.pc(), frame.lr()))
}

/// What a panic says, and where it was, takes flash: the feature `panic-text` is for who looks for one.
#[panic_handler]
fn panic(_info: &PanicInfo) -> ! {
    #[cfg(feature = "panic-text")]
    restart(|| defmt::error!("panic: {}", defmt::Display2Format(_info)));
    #[cfg(not(feature = "panic-text"))]
    restart(|| defmt::error!("panic: build it with the feature panic-text to hear where"));
}

/// Says why, and starts the board anew.
pub fn restart(say: impl FnOnce()) -> ! {
    cortex_m::interrupt::disable();
    if !FAILED.load(Ordering::Relaxed) {
        FAILED.store(true, Ordering::Relaxed);
        say();
        cortex_m::asm::delay(REST);
    }
    SCB::sys_reset()
}

//! Where a fault or a panic ends: the emulator exits with code 1.
#![allow(unsafe_code, reason = "fault handlers are linked by name")]

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use cortex_m_semihosting::debug::{EXIT_FAILURE, exit};

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    cortex_m::interrupt::disable();
    defmt::error!("fault at {=u32:#010x}, called from {=u32:#010x}", frame.pc(), frame.lr());
    stop()
}

/// What a panic says, and where it was, takes flash that the pages need.
#[panic_handler]
fn panic(_info: &PanicInfo) -> ! {
    cortex_m::interrupt::disable();
    #[cfg(feature = "panic-text")]
    defmt::error!("panic: {}", defmt::Display2Format(_info));
    #[cfg(not(feature = "panic-text"))]
    defmt::error!("panic: build it with the feature panic-text to hear where");
    stop()
}

fn stop() -> ! {
    exit(EXIT_FAILURE);
    // Only where a debugger lets the chip go on.
    loop {
        cortex_m::asm::wfi();
    }
}

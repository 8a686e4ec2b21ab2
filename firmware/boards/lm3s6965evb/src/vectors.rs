//! The chip's interrupts, and where a fault or a panic ends: the emulator exits with code 1.
#![allow(unsafe_code, reason = "a vector table is linked by name and place")]

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use cortex_m_semihosting::debug::{EXIT_FAILURE, exit};

use crate::mac;

type Handler = unsafe extern "C" fn();

unsafe extern "C" {
    fn DefaultHandler();
}

extern "C" fn ethernet() {
    mac::on_interrupt();
}

/// Interrupts 0 to 43; only the Ethernet controller's (42) is ever unmasked.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".vector_table.interrupts")]
pub static __INTERRUPTS: [Handler; 44] = {
    let mut handlers = [DefaultHandler as Handler; 44];
    handlers[42] = ethernet;
    handlers
};

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    cortex_m::interrupt::disable();
    defmt::error!("fault at {=u32:#010x}, called from {=u32:#010x}", frame.pc(), frame.lr());
    stop()
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    cortex_m::interrupt::disable();
    defmt::error!("panic: {}", defmt::Display2Format(info));
    stop()
}

fn stop() -> ! {
    exit(EXIT_FAILURE);
    // Only where a debugger lets the chip go on.
    loop {
        cortex_m::asm::wfi();
    }
}

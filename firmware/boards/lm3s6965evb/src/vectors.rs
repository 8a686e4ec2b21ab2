//! The chip's interrupts.
#![allow(unsafe_code, reason = "a vector table is linked by name and place")]

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

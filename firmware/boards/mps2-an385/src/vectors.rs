//! The machine's interrupts.
#![allow(unsafe_code, reason = "a vector table is linked by name and place")]

use crate::lan9118;

type Handler = unsafe extern "C" fn();

unsafe extern "C" {
    fn DefaultHandler();
}

extern "C" fn ethernet() {
    lan9118::on_interrupt();
}

const _: () = assert!(lan9118::INTERRUPT == 13);

/// Interrupts 0 to 31; only the Ethernet controller's (13) is ever unmasked.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".vector_table.interrupts")]
pub static __INTERRUPTS: [Handler; 32] = {
    let mut handlers = [DefaultHandler as Handler; 32];
    handlers[13] = ethernet;
    handlers
};

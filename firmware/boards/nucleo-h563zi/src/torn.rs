//! Words of flash that a power cut tore. When one is read, this chip's error correction raises an interrupt that can't
//! be masked, and hands out whatever bits there are.
//!
//! Where games are saved that is no fault: the store knows by its own sums what is whole, and erases the rest. Anywhere
//! else, and from any other source, the interrupt is a fault, and the board starts anew.
#![allow(unsafe_code, reason = "the interrupt's handler is linked by name")]

use cortex_m::peripheral::SCB;
use cortex_m_rt::exception;
use embassy_stm32::pac::FLASH;
use parlor_nucleo::SAVED;

/// The register counts words of 16 bytes from the beginning of a bank; the first bank has the program and some of the saved games.
const FIRST_SAVED: u32 = (SAVED / 16) as u32;

#[exception]
unsafe fn NonMaskableInt() {
    let torn = FLASH.eccdetr().read();
    let is_elsewhere = torn.sysf_ecc() || torn.otp_ecc() || torn.obk_ecc() || torn.edata_ecc();
    let is_saved = torn.bk_ecc() || u32::from(torn.addr_ecc()) >= FIRST_SAVED;
    if !torn.eccd() || is_elsewhere || !is_saved {
        SCB::sys_reset();
    }
    // Written back as it was read: what is set in it, this clears.
    FLASH.eccdetr().write_value(torn);
}

//! What lies in flash beside the image. `memory.x` decides where.

use embassy_rp::flash::{Blocking, Flash};
use embassy_rp::peripherals::FLASH;

/// All of it, in bytes.
pub const SIZE: usize = 2 * 1024 * 1024;

pub type Chip = Flash<'static, FLASH, Blocking, SIZE>;

/// The page of options, as it was when the board was switched on: nothing here ever writes to it.
#[allow(unsafe_code, reason = "the linker knows where the page lies")]
pub fn settings() -> &'static [u8] {
    unsafe extern "C" {
        static _settings_start: u8;
        static _settings_end: u8;
    }
    let (start, end) = (&raw const _settings_start, &raw const _settings_end);
    // SAFETY: memory.x keeps these bytes of flash free of everything else; they can be read and never change.
    unsafe { core::slice::from_raw_parts(start, end.addr().saturating_sub(start.addr())) }
}

/// The number that its maker gave the flash chip. `None` from chips without one, which answer with ones or zeros.
pub fn number(chip: &mut Chip) -> Option<[u8; 8]> {
    let mut number = [0; 8];
    chip.blocking_unique_id(&mut number).ok()?;
    (number != [0; 8] && number != [0xFF; 8]).then_some(number)
}

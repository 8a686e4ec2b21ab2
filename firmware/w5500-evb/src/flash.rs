//! What lies in flash beside the image. A board's `memory.x` decides where.

use core::ops::Range;

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_rp::flash::{Blocking, FLASH_BASE, Flash};
use embassy_rp::peripherals::FLASH;
use embassy_time::Duration;
use parlor_firmware::autosave::{self, Buffer, Place};
use parlor_firmware::games::LONGEST_SAVE;
use static_cell::{ConstStaticCell, StaticCell};

/// All of it, in bytes, on both boards.
const SIZE: usize = 2 * 1024 * 1024;
/// Erases of a sector, as the data sheet of the boards' flash chip promises (W25Q16JV, 9.6).
const ENDURANCE: u32 = 100_000;

/// After a sector was erased, in which nothing runs for 45 ms: a side takes 10 s at the longest then.
const REST: Duration = Duration::from_millis(100);

pub type Chip = Flash<'static, FLASH, Blocking, SIZE>;
/// Nothing runs while flash is written to, since all code lies in it: there is nothing to wait for.
pub type Patient = BlockingAsync<Chip>;

static ALL: StaticCell<autosave::Flash<Patient>> = StaticCell::new();
static BUFFER: ConstStaticCell<Buffer> = ConstStaticCell::new([0; LONGEST_SAVE]);

/// Where games are saved. Once.
pub fn place(chip: Chip) -> Place<Patient> {
    let flash = ALL.init(autosave::Flash::new(Patient::new(chip)));
    let (range, chosen) = ranges();
    Place { flash, range, chosen, endurance: ENDURANCE, rest: REST, buffer: BUFFER.take() }
}

/// The saved games, and what the owner has chosen. Counted from the beginning of flash.
#[allow(unsafe_code, reason = "the linker knows where they lie")]
fn ranges() -> (Range<u32>, Range<u32>) {
    unsafe extern "C" {
        static _chosen_start: u8;
        static _chosen_end: u8;
        static _saved_start: u8;
        static _saved_end: u8;
    }
    let offset = |place: *const u8| place.addr().saturating_sub(FLASH_BASE.addr()) as u32;
    let range = |start: *const u8, end: *const u8| offset(start)..offset(end);
    (range(&raw const _saved_start, &raw const _saved_end), range(&raw const _chosen_start, &raw const _chosen_end))
}

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

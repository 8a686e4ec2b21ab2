//! What lies in flash beside the image. Both chips have 2 MB; the image has the first 512 KB, less the last 4.

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_stm32::Peri;
use embassy_stm32::flash::{Blocking, FLASH_BASE, FLASH_SIZE, Flash};
use embassy_stm32::peripherals::FLASH;
use embassy_time::Duration;
use parlor_firmware::autosave::{self, Buffer, Place};
use parlor_firmware::games::LONGEST_SAVE;
use static_cell::{ConstStaticCell, StaticCell};

/// Where saved games begin, counted from the beginning of flash. The other 1.5 MB are six of the F767's largest sectors, two for
/// each game, and 192 of the H563's.
pub const SAVED: usize = 512 * 1024;
/// Before them, a page of options as text: key=value words, as the board's owner wrote them there.
const SETTINGS: usize = SAVED - 4096;
/// Erases of a sector, as both data sheets promise.
const ENDURANCE: u32 = 10_000;

const _: () = assert!(FLASH_SIZE == 4 * SAVED);

/// After a sector was erased.
const REST: Duration = Duration::from_millis(100);

/// Code runs from the same flash, so nothing goes on while it is written: there is nothing to wait for. The F767 takes up to
/// two seconds for a sector of 256 KB, once in some hundred saves.
pub type Patient = BlockingAsync<Flash<'static, Blocking>>;

static ALL: StaticCell<autosave::Flash<Patient>> = StaticCell::new();
static BUFFER: ConstStaticCell<Buffer> = ConstStaticCell::new([0; LONGEST_SAVE]);

/// Where games are saved. Once.
pub fn place(chip: Peri<'static, FLASH>) -> Place<Patient> {
    let flash = ALL.init(autosave::Flash::new(Patient::new(Flash::new_blocking(chip))));
    let range = SAVED as u32..FLASH_SIZE as u32;
    Place { flash, range, endurance: ENDURANCE, rest: REST, buffer: BUFFER.take() }
}

/// The page of options, as it was when the board was switched on: nothing here ever writes to it.
#[allow(unsafe_code, reason = "flash that no program owns")]
pub fn settings() -> &'static [u8] {
    let page: *const u8 = core::ptr::without_provenance(FLASH_BASE + SETTINGS);
    // SAFETY: flash is mapped there, the image ends far below (tests/parts/firmware-nucleo holds it to its budget), and
    // nothing writes to it: it can be read and never changes.
    unsafe { core::slice::from_raw_parts(page, SAVED - SETTINGS) }
}

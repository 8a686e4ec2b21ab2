//! The saved game: where it lies, and the task that writes it.

use core::ops::Range;

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_rp::flash::FLASH_BASE;
use parlor_core::limits::save_max;
use parlor_firmware::{keep, shelf::Shelf};
use static_cell::ConstStaticCell;

use crate::{SEATS, Table, flash};

/// Nothing runs while flash is written to, since all code lies in it: there is nothing to wait for.
type Patient = BlockingAsync<flash::Chip>;

/// The longest game of a table with this many users.
const LONGEST: usize = save_max(SEATS);

static GAME: ConstStaticCell<[u8; LONGEST]> = ConstStaticCell::new([0; LONGEST]);

/// Flash for a game, and memory for one.
pub struct Saved {
    shelf: Shelf<Patient>,
    game: &'static mut [u8],
}

impl Saved {
    /// Once. `None`: memory.x leaves too little room.
    pub fn new(flash: flash::Chip) -> Option<Self> {
        let shelf = Shelf::new(Patient::new(flash), place(), LONGEST);
        let shelf = shelf.inspect_err(|why| defmt::error!("no saved games: {}", why)).ok()?;
        Some(Self { shelf, game: GAME.take() })
    }

    /// The game that was saved last.
    pub async fn load(&mut self) -> Option<&[u8]> {
        self.shelf.load(self.game).await
    }
}

#[embassy_executor::task]
pub async fn keep(table: &'static Table, saved: Saved) -> ! {
    keep::keep_saved(table, saved.shelf, saved.game, |pimp, out| pimp.save(out)).await
}

/// Where the saved game lies, counted from the beginning of flash.
#[allow(unsafe_code, reason = "the linker knows where it lies")]
fn place() -> Range<u32> {
    unsafe extern "C" {
        static _saved_start: u8;
        static _saved_end: u8;
    }
    let offset = |place: *const u8| place.addr().saturating_sub(FLASH_BASE.addr()) as u32;
    offset(&raw const _saved_start)..offset(&raw const _saved_end)
}

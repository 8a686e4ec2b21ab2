//! The saved games: where they lie, and the tasks that write them.

use core::ops::Range;

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_embedded_hal::flash::partition::Partition;
use embassy_rp::flash::FLASH_BASE;
use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use embassy_sync::mutex::Mutex;
use parlor_core::game::Game as _;
use parlor_core::yard::limits::BoardYard;
use parlor_firmware::{keep, shelf::Shelf};
use static_cell::{ConstStaticCell, StaticCell};

use crate::{YardTable, flash};

/// Nothing runs while flash is written to, since all code lies in it: there is nothing to wait for.
type Patient = BlockingAsync<flash::Chip>;
/// One game's half of it, which waits for the other's.
type Half = Partition<'static, NoopRawMutex, Patient>;

/// The longest save of Scotland Yard.
const YARD_LONGEST: usize = BoardYard::SAVE_MAX;

static FLASH: StaticCell<Mutex<NoopRawMutex, Patient>> = StaticCell::new();
static YARD: ConstStaticCell<[u8; YARD_LONGEST]> = ConstStaticCell::new([0; YARD_LONGEST]);

/// Flash for a game, and memory for one.
pub struct Saved {
    shelf: Shelf<Half>,
    game: &'static mut [u8],
}

/// What is kept of each game; `None`: memory.x leaves too little room.
pub struct Shelves {
    #[cfg(not(feature = "echo"))]
    pub pimp: Option<Saved>,
    pub yard: Option<Saved>,
}

impl Shelves {
    /// Once.
    pub fn new(flash: flash::Chip) -> Self {
        let flash: &'static _ = FLASH.init(Mutex::new(Patient::new(flash)));
        Self {
            #[cfg(not(feature = "echo"))]
            pimp: Saved::new(flash, pimp::place(), pimp::GAME.take()),
            yard: Saved::new(flash, yard_place(), YARD.take()),
        }
    }
}

impl Saved {
    fn new(flash: &'static Mutex<NoopRawMutex, Patient>, place: Range<u32>, game: &'static mut [u8]) -> Option<Self> {
        let shelf = Shelf::new(Half::new(flash, 0, flash::SIZE as u32), place, game.len());
        let shelf = shelf.inspect_err(|why| defmt::error!("no saved games: {}", why)).ok()?;
        Some(Self { shelf, game })
    }

    /// The game that was saved last.
    pub async fn load(&mut self) -> Option<&[u8]> {
        self.shelf.load(self.game).await
    }
}

#[embassy_executor::task]
pub async fn keep_yard(table: &'static YardTable, saved: Saved) -> ! {
    keep::keep_saved(table, saved.shelf, saved.game, |yard, out| yard.save(out)).await
}

/// Monopoly's, where it is served.
#[cfg(not(feature = "echo"))]
pub mod pimp {
    use super::*;
    use crate::Table;
    use parlor_core::pimp::limits::BoardTable;

    /// The longest save of a table.
    const LONGEST: usize = BoardTable::SAVE_MAX;

    pub(super) static GAME: ConstStaticCell<[u8; LONGEST]> = ConstStaticCell::new([0; LONGEST]);

    #[embassy_executor::task]
    pub async fn keep(table: &'static Table, saved: Saved) -> ! {
        keep::keep_saved(table, saved.shelf, saved.game, |pimp, out| pimp.save(out)).await
    }

    pub(super) fn place() -> Range<u32> {
        let [_, pimp, end] = bounds();
        pimp..end
    }
}

fn yard_place() -> Range<u32> {
    let [start, pimp, _] = bounds();
    start..pimp
}

/// Where the saved games lie, counted from the beginning of flash: Scotland Yard's, then Monopoly's, then their end.
#[allow(unsafe_code, reason = "the linker knows where they lie")]
fn bounds() -> [u32; 3] {
    unsafe extern "C" {
        static _saved_start: u8;
        static _saved_pimp: u8;
        static _saved_end: u8;
    }
    let offset = |place: *const u8| place.addr().saturating_sub(FLASH_BASE.addr()) as u32;
    [&raw const _saved_start, &raw const _saved_pimp, &raw const _saved_end].map(offset)
}

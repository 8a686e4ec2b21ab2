//! Drives a board-size PIMP table through every call of its trait.
//!
//! `black_box` stands for the network: the compiler knows nothing of bytes, links and time, so no rule is left out.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::hint::black_box;
use core::panic::PanicInfo;

use parlor_core::pimp::limits::BoardTable;
use parlor_core::pimp::server::Config;
use parlor_core::pimp::wire::{FRAME_MAX, Framer};
use parlor_core::server::{Framer as _, Link, Millis, Server};

/// The table as firmware keeps it: static, all zero bytes, so it lies in .bss.
struct Only(UnsafeCell<BoardTable>);
// SAFETY: there is one thread and no interrupt; `main` alone takes the reference, once.
unsafe impl Sync for Only {}
static TABLE: Only = Only(UnsafeCell::new(BoardTable::new()));

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, and nothing else names TABLE.
    let table = unsafe { &mut *TABLE.0.get() };
    let mut framer = Framer::new();
    let mut out = [0; FRAME_MAX];
    table.begin(&black_box([7; 32]), &Config::DEFAULT, black_box(Millis(1)));
    loop {
        let now = black_box(Millis(2));
        black_box(table.open(now).ok());
        let link = black_box(Link { slot: 1, generation: 1 });
        let read = black_box(framer.window()).len();
        framer.commit(black_box(read));
        black_box(table.receive(link, &mut framer, now));
        black_box(framer.taken());
        table.release(black_box(table.produced()));
        while let Some(ready) = table.next_ready() {
            black_box(table.pull(ready, &mut out));
            black_box(table.closing(ready));
        }
        black_box(table.next_request().is_some());
        black_box(table.deadline());
        table.tick(now);
        table.close(link, now);
    }
}

/// Must not be linked: tests/parts/pimp-image looks for it.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

//! Drives a board-size server of Scotland Yard through every call of its trait.
//!
//! `black_box` stands for the network: the compiler knows nothing of bytes, links and time, so no rule is left out.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::hint::black_box;
use core::panic::PanicInfo;

use parlor_core::yard::limits::BoardYard;
use parlor_core::server::{Answer, Framer as _, Link, Millis, RequestId, Server};
use parlor_core::yard::server::Config;

/// The server as firmware keeps it: static, all zero bytes, so it lies in .bss.
struct Only(UnsafeCell<BoardYard>);
// SAFETY: there is one thread and no interrupt; `main` alone takes the reference, once.
unsafe impl Sync for Only {}
static YARD: Only = Only(UnsafeCell::new(BoardYard::new()));

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, and nothing else names YARD.
    let yard = unsafe { &mut *YARD.0.get() };
    let mut framer = <BoardYard as Server>::Framer::new();
    let mut out = [0; <BoardYard as Server>::MAX_FRAME];
    yard.begin(&black_box([7; 32]), &Config::BOARD);
    loop {
        let now = black_box(Millis(2));
        black_box(yard.open(now).ok());
        let link = black_box(Link { slot: 1, generation: 1 });
        let read = black_box(framer.window()).len();
        framer.commit(black_box(read));
        black_box(yard.receive(link, &mut framer, now));
        black_box(framer.taken());
        yard.release(black_box(yard.produced()));
        while let Some(ready) = yard.next_ready() {
            black_box(yard.pull(ready, &mut out));
            black_box(yard.closing(ready));
        }
        while let Some(request) = yard.next_request() {
            black_box(request.ask);
        }
        let hash = black_box([9; 32]);
        yard.answer(black_box(RequestId(1)), black_box(Answer::Hash(&hash)), now);
        yard.answer(black_box(RequestId(1)), black_box(Answer::Verified(true)), now);
        black_box(yard.deadline());
        black_box(yard.summary());
        yard.tick(now);
        yard.close(link, now);
    }
}

/// Must not be linked: tests/parts/yard-image looks for it.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

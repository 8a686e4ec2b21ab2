//! What things cost on a chip with 64 KB: sizes that the compiler knows, and the one that it does not, the stack.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use parlor_core::echo::Echo;
use parlor_core::pimp::limits::BoardTable;
use smoltcp::socket::tcp;

/// One room, in memory that is there from the start. `new` is all zero bytes: it lies in .bss, and costs no flash.
#[cfg(not(feature = "broken"))]
static mut ROOM: Echo<4, 1024> = Echo::new();
/// Too much for the chip: the linker will say so, not a player in the middle of a game.
#[cfg(feature = "broken")]
static mut ROOM: Echo<96, 16384> = Echo::new();

unsafe extern "C" {
    static __sbss: u32;
    static __ebss: u32;
    static _stack_start: u32;
    static _stack_end: u32;
}

/// How much of the stack was ever used: before `main`, start-up code painted all of it.
fn used() -> usize {
    let (top, bottom) = ((&raw const _stack_start).addr(), (&raw const _stack_end).addr());
    let painted = (bottom..top).step_by(4).take_while(|at| {
        // SAFETY: aligned words of RAM between the two ends of the stack.
        (unsafe { (*at as *const u32).read_volatile() }) == cortex_m_rt::STACK_PAINT_VALUE
    });
    top - bottom - painted.count() * 4
}

/// Uses stack: 64 bytes and what a call costs, at every level.
#[inline(never)]
fn dig(depth: u32) -> u32 {
    let hole = black_box([depth as u8; 64]);
    if depth == 0 { 0 } else { dig(black_box(depth - 1)) + u32::from(hole[0]) }
}

#[entry]
fn main() -> ! {
    hprintln!("a link of echo        {:>6} bytes", size_of::<Echo<5, 1024>>() - size_of::<Echo<4, 1024>>());
    hprintln!("echo for 4 links      {:>6} bytes", size_of::<Echo<4, 1024>>());
    hprintln!("a table of Monopoly  ~{:>6} bytes", size_of::<BoardTable>());
    // Two buffers of its own, and what it must remember.
    hprintln!("a TCP socket         ~{:>6} bytes, and its buffers", size_of::<tcp::Socket>());
    let bss = (&raw const __ebss).addr() - (&raw const __sbss).addr();
    // Somebody must want it, or the linker leaves it out.
    black_box(&raw mut ROOM);
    hprintln!(".bss                  {:>6} bytes, the room among them", bss);

    let mut before = used();
    hprintln!("stack used so far    ~{:>6} bytes", before);
    for depth in [10, 20, 40] {
        black_box(dig(depth));
        let now = used();
        hprintln!(
            "after {} levels       ~{:>6} bytes, {} than before",
            depth,
            now,
            if now > before { "more" } else { "no more" }
        );
        before = now;
    }
    black_box(dig(5));
    hprintln!(
        "after 5 levels        {} than before: a mark stays where the water was highest",
        if used() > before { "more" } else { "no more" }
    );
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {
        cortex_m::asm::wfi();
    }
}

//! What the W5500-EVB boards share: everything but their chips' clocks, memory and noise. Which games they serve is in their
//! Cargo.toml, all else in `parlor-firmware`.
//!
//! A board's `main` starts the [`Guard`], then its chip, gathers entropy, and hands all of it to [`open`]. In this order: a
//! crystal that does not swing, or a chip that does not answer, must not keep the board from starting anew.
//!
//! The log goes through RTT, which costs nothing while nobody listens. Options come from a page of flash, which whoever
//! owns the board may write: see the board's README.
#![no_std]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

mod ethernet;
#[path = "../../fault.rs"]
mod fault;
mod flash;
mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}

use defmt_rtt as _;
use embassy_executor::Spawner;
use embassy_rp::gpio::Output;
use embassy_rp::peripherals::WATCHDOG;
use embassy_rp::watchdog::Watchdog;
use embassy_time::Duration;
use parlor_firmware::button;
use parlor_firmware::entropy::{self, Pool};
use parlor_firmware::liveness::Heartbeat;
use parlor_firmware::options::Options;

pub use crate::ethernet::Wires;
use crate::ethernet::{Mover, Port};
pub use crate::flash::Chip;

/// As long as the RP2040's watchdog can wait (RP2040-E1), nearly: a healthy board feeds it eight times in it.
const BITE: Duration = Duration::from_secs(8);
/// Both boards have this crystal.
pub const CRYSTAL_MHZ: u8 = 12;

#[cfg(not(feature = "bad-wire"))]
type Network = Port;
#[cfg(feature = "bad-wire")]
type Network = &'static mut BadWire;
#[cfg(feature = "bad-wire")]
type BadWire = parlor_firmware::bad_wire::BadWire<Port, 6>;
#[cfg(feature = "bad-wire")]
static BAD_WIRE: static_cell::StaticCell<BadWire> = static_cell::StaticCell::new();

parlor_firmware::board! {
    driver: Network;
    watchdog: Guard;
    meter: ();
    links: 20, receive 864, send 2048;
    alive: 2;
    stack: 20 * 1024;
    sockets: StaticCell;
    names: parlor_firmware::mdns::Buffers;
    bots: 7;
    lamp: Output<'static>;
    flash: flash::Patient;
}

/// A watchdog that bites after [`BITE`].
pub struct Guard(Watchdog);

impl parlor_firmware::board::Watchdog for Guard {
    fn feed(&mut self) {
        self.0.feed(BITE);
    }
}

impl Guard {
    /// From here on it must be fed. Before the clocks are set, and once. `tick` has it count microseconds, as fast as the
    /// crystal will be; the ring oscillator is slower, so until then it waits longer.
    #[allow(unsafe_code, reason = "the chip's parts are handed out after its clocks are set, which may hang")]
    pub fn start(tick: impl FnOnce(&mut Watchdog)) -> Self {
        // SAFETY: nobody else takes the watchdog out of the chip's parts.
        let mut watchdog = Watchdog::new(unsafe { WATCHDOG::steal() });
        tick(&mut watchdog);
        watchdog.pause_on_debug(true);
        watchdog.start(BITE);
        Self(watchdog)
    }
}

#[embassy_executor::task]
async fn move_frames(mover: Mover, alive: &'static Heartbeat) -> ! {
    mover.run(alive).await
}

#[embassy_executor::task]
async fn watch_button(is_pressed: fn() -> bool, shared: &'static parlor_firmware::shared::Shared) -> ! {
    button::watch(shared, is_pressed).await
}

/// What differs from board to board, and what a board has taken out of its chip.
pub struct Board {
    pub guard: Guard,
    pub flash: Chip,
    /// What tells this board from others.
    pub number: Option<[u8; 8]>,
    pub wires: Wires,
    pub lamp: Output<'static>,
    /// Whether the button is pressed that makes the board forget everything, if it can be read.
    pub button: Option<fn() -> bool>,
    pub pool: Pool,
}

/// Not inlined: a task that waits below would keep the room for it.
#[inline(never)]
fn options() -> Options {
    Options::stored(flash::settings())
}

/// Begins the games, goes on with those that were saved, and serves them. Once.
pub fn open(spawner: Spawner, board: Board) {
    if start(spawner, board).map(|task| spawner.spawn(task)).is_err() {
        fault::restart(|| defmt::error!("a task pool is too small"));
    }
}

/// A task, and not what the board's `main` waits for: each crate that waits has a copy of all that it waits for, in which the
/// store and the W5500's driver are.
#[embassy_executor::task]
async fn start(spawner: Spawner, board: Board) {
    let Board { mut guard, flash, number, wires, lamp, button, mut pool } = board;
    let options = options();
    pool.absorb(&options.entropy.unwrap_or_default());
    let shared = parlor::begin(&options, &mut pool);
    let mut autosave = (!options.forgetful).then(|| parlor::saves(flash::place(flash)));
    if let Some(autosave) = &mut autosave {
        shared.load(autosave, parlor::stack_memory(), &options, &mut pool).await;
    }
    // Reading and checking what was saved takes a while.
    parlor_firmware::board::Watchdog::feed(&mut guard);

    // The same at each start if the board can be told from others.
    let address = entropy::own_address(&number.unwrap_or_else(|| pool.draw_word().to_le_bytes()));
    let Some((driver, mover)) = ethernet::start(wires, address).await else {
        fault::restart(|| defmt::error!("no network: starting anew"));
    };
    let alive = parlor::heartbeats();
    let [_, mover_alive] = alive;
    let is_moving = move_frames(mover, mover_alive).map(|task| spawner.spawn(task)).is_ok();
    let is_watched = |is_pressed| watch_button(is_pressed, shared).map(|task| spawner.spawn(task)).is_ok();
    if !is_moving || !button.is_none_or(is_watched) {
        defmt::error!("a task pool is too small");
    }
    #[cfg(feature = "bad-wire")]
    let driver = {
        let wire = BAD_WIRE.init_with(BadWire::new);
        wire.start(driver, options.wire);
        defmt::warn!("the network is bad on purpose");
        wire
    };
    // Bots of a saved game come back to it where the board keeps a secret of its own.
    let key = autosave.is_some().then(|| shared.secret());
    let (options, pool, pages, watchdog) = (&options, &mut pool, pages::PAGES, guard);
    parlor::open(spawner, parlor::Parts { shared, driver, watchdog, alive, pages, options, pool, key, lamp, autosave });
}

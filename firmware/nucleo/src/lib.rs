//! What the Nucleo boards with an Ethernet port share: everything but clocks and pins. Which games they serve is in
//! Cargo.toml, all else in `parlor-firmware`.
//!
//! A board's `main` starts the [`watchdog`], sets its clocks, gathers entropy with [`gather`], makes its Ethernet
//! [`Device`] and hands all of it to [`open`]. In this order: a MAC without a clock from its PHY, or a random number
//! generator without one, waits forever, and then somebody must be there to bite.
#![no_std]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

#[path = "../../fault.rs"]
mod fault;
mod flash;
mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}

use defmt_rtt as _;
use embassy_executor::Spawner;
use embassy_stm32::Peri;
use embassy_stm32::eth::{Ethernet, GenericPhy, PacketQueue, Sma};
use embassy_stm32::gpio::Output;
use embassy_stm32::peripherals::{ETH, ETH_SMA, FLASH, IWDG, RNG};
use embassy_stm32::rng::Rng;
use embassy_stm32::uid::uid;
use embassy_stm32::wdg::IndependentWatchdog;
use parlor_firmware::entropy::{self, Pool};
use parlor_firmware::options::Options;
use static_cell::ConstStaticCell;

pub use crate::flash::SAVED;

/// Microseconds until the watchdog bites, as near as its own oscillator knows: a healthy board feeds it each second.
const BITE: u32 = 15_000_000;

/// The chip's MAC, with the PHY that is on the board.
pub type Device = Ethernet<'static, ETH, GenericPhy<Sma<'static, ETH_SMA>>>;
/// Where the MAC puts frames and takes them from.
pub type Packets = PacketQueue<4, 8>;

/// For [`Device`]: once.
pub static PACKETS: ConstStaticCell<Packets> = ConstStaticCell::new(Packets::new());

parlor_firmware::board! {
    driver: Device;
    watchdog: Watchdog;
    meter: ();
    links: 24, receive 1024, send 2920;
    alive: 1;
    stack: 24 * 1024;
    sockets: StaticCell;
    lamp: Output<'static>;
    flash: flash::Patient;
}

/// A watchdog that bites after [`BITE`].
pub struct Watchdog(IndependentWatchdog<'static, IWDG>);

impl parlor_firmware::board::Watchdog for Watchdog {
    fn feed(&mut self) {
        self.0.pet();
    }
}

/// From here on it must be fed, which [`open`] sees to. Once, before the clocks are set: it has one of its own, and theirs
/// may never come.
#[allow(unsafe_code, reason = "the chip's parts are handed out after its clocks are set, which may hang")]
pub fn watchdog() -> Watchdog {
    // SAFETY: nobody else takes the watchdog out of the chip's parts.
    let mut watchdog = IndependentWatchdog::new(unsafe { IWDG::steal() }, BITE);
    watchdog.unleash();
    Watchdog(watchdog)
}

/// Everything on this chip that someone far away can't know: its random number generator, above all.
pub fn gather(rng: &mut Rng<'static, RNG>) -> Pool {
    let mut pool = Pool::new();
    let mut noise = [0; 64];
    rng.fill_bytes(&mut noise);
    pool.absorb(&noise);
    pool.absorb(&uid());
    pool
}

/// The board's Ethernet address: the same at each start of this chip.
pub fn own_address() -> [u8; 6] {
    entropy::own_address(&uid())
}

/// What differs from board to board.
pub struct Board {
    pub driver: Device,
    pub lamp: Output<'static>,
    pub watchdog: Watchdog,
    /// Where games are saved.
    pub flash: Peri<'static, FLASH>,
    pub pool: Pool,
}

/// Begins the games, goes on with those that were saved, and serves them. Once.
pub fn open(spawner: Spawner, board: Board) {
    if start(spawner, board).map(|task| spawner.spawn(task)).is_err() {
        fault::restart(|| defmt::error!("a task pool is too small"));
    }
}

/// A task, and not what the board's `main` waits for: each crate that waits has a copy of all that it waits for.
#[embassy_executor::task]
async fn start(spawner: Spawner, board: Board) {
    let Board { driver, lamp, watchdog, flash, mut pool } = board;
    let options = Options::stored(flash::settings());
    pool.absorb(&options.entropy.unwrap_or_default());
    let shared = parlor::begin(&options, &mut pool);
    let mut autosave = (!options.forgetful).then(|| parlor::saves(flash::place(flash)));
    if let Some(autosave) = &mut autosave {
        shared.load(autosave, parlor::stack_memory(), &options, &mut pool).await;
    }
    let (alive, options, pool, pages) = (parlor::heartbeats(), &options, &mut pool, pages::PAGES);
    parlor::open(spawner, parlor::Parts { shared, driver, watchdog, alive, pages, options, pool, lamp, autosave });
}

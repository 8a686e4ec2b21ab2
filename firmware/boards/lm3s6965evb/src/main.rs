//! parlor on the LM3S6965 evaluation board: clocks and the network. Which games it serves is in its Cargo.toml, all else in
//! `parlor-firmware`.
//!
//! 64 KB of RAM: what fits here fits everywhere. The log and the options go through semihosting, so the image wants an
//! emulator or a debugger around it. There is no saved game: the chip has no flash to spare for one.
#![no_std]
#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

#[cfg(feature = "bare")]
mod bare;
mod clock;
#[cfg(feature = "count")]
mod count;
mod mac;
mod noise;
#[cfg(not(feature = "bare"))]
mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}
mod phy;
mod registers;
#[path = "../../../semihosted/run.rs"]
mod run;
#[path = "../../../semihosted/semihost.rs"]
mod semihost;
#[path = "../../../semihosted/stop.rs"]
mod stop;
#[path = "../../../semihosted/time.rs"]
mod time;
mod vectors;
mod watchdog;

use cortex_m_rt::entry;
use defmt_semihosting as _;
use embassy_executor::{Spawner, raw::Executor};
use parlor_firmware::entropy::{self, Pool};
use parlor_firmware::options::Options;
use static_cell::{ConstStaticCell, StaticCell};

use crate::mac::Mac;
use crate::watchdog::Watchdog;

#[cfg(not(any(feature = "bare", feature = "count")))]
type Meter = ();
#[cfg(all(feature = "count", not(feature = "bare")))]
type Meter = count::Instructions;

#[cfg(not(any(feature = "bare", feature = "bad-wire")))]
type Network = &'static mut Mac;
#[cfg(all(feature = "bad-wire", not(feature = "bare")))]
type Network = &'static mut BadWire;
/// As many frames as fit beside the games.
#[cfg(all(feature = "bad-wire", not(feature = "bare")))]
type BadWire = parlor_firmware::bad_wire::BadWire<&'static mut Mac, 6, { mac::FRAME_MAX }>;
#[cfg(all(feature = "bad-wire", not(feature = "bare")))]
static BAD_WIRE: ConstStaticCell<BadWire> = ConstStaticCell::new(BadWire::new());

#[cfg(not(feature = "bare"))]
parlor_firmware::board! {
    driver: Network;
    watchdog: Watchdog;
    meter: Meter;
    links: 12, receive 256, send 1072;
    alive: 1;
    stack: 8 * 1024;
    sockets: ConstStaticCell;
}

static MAC: ConstStaticCell<Mac> = ConstStaticCell::new(Mac::new());
static EXECUTOR: StaticCell<Executor> = StaticCell::new();

#[embassy_executor::task]
async fn cable() -> ! {
    mac::watch_cable().await
}

#[entry]
fn main() -> ! {
    let locked_after = clock::start();
    // Before anything can hang: the clock's wait for its PLL has an end.
    let watchdog = Watchdog::start();
    if let Some(core) = cortex_m::Peripherals::take() {
        time::start(core.SYST);
    }
    let options = options();
    let mut pool = gather(&options, locked_after);
    let executor = EXECUTOR.init(Executor::new(core::ptr::null_mut()));
    #[cfg(feature = "count")]
    let watch = count::watch;
    #[cfg(not(feature = "count"))]
    let watch = |poll: &mut dyn FnMut()| poll();
    run::forever(executor, |spawner| spawn(spawner, &options, &mut pool, watchdog), watch)
}

/// Not inlined: the line is done with when it is read.
#[inline(never)]
fn options() -> Options {
    let mut line = [0; 512];
    Options::parse(semihost::command_line(&mut line))
}

/// Everything on this chip that someone far away can't know. In an emulator that is next to nothing: `run` adds
/// `entropy=` from its host.
fn gather(options: &Options, locked_after: Option<u32>) -> Pool {
    let mut pool = Pool::new();
    pool.absorb(&mac::makers_address().unwrap_or_default());
    pool.absorb(&locked_after.unwrap_or_default().to_le_bytes());
    noise::samples().for_each(|sample| pool.absorb(&sample.to_le_bytes()));
    pool.absorb(&semihost::time().to_le_bytes());
    pool.absorb(&time::phase().to_le_bytes());
    pool.absorb(&options.entropy.unwrap_or_default());
    pool
}

#[inline(never)]
fn spawn(spawner: Spawner, options: &Options, pool: &mut Pool, watchdog: Watchdog) {
    let driver = MAC.take();
    let own = || entropy::own_address(&pool.draw());
    let phy = driver.start(mac::makers_address().unwrap_or_else(own));
    defmt::info!("parlor on lm3s6965evb, PHY {}", phy);
    if cable().map(|task| spawner.spawn(task)).is_err() {
        defmt::error!("a task pool is too small");
    }
    #[cfg(feature = "bare")]
    {
        // There are no games to be told anything.
        let _ = options;
        bare::open(spawner, driver, pool.draw_word(), watchdog);
    }
    #[cfg(not(feature = "bare"))]
    {
        #[cfg(feature = "bad-wire")]
        let driver = {
            let wire = BAD_WIRE.take();
            wire.start(driver, options.wire);
            defmt::warn!("the network is bad on purpose");
            wire
        };
        let shared = parlor::begin(options, pool);
        let (alive, pages) = (parlor::heartbeats(), pages::PAGES);
        parlor::open(spawner, parlor::Parts { shared, driver, watchdog, alive, pages, options, pool });
    }
}

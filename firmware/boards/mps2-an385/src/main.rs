//! parlor on the MPS2 with the image AN385, as QEMU has it: clock, watchdog and network.
//!
//! It has the memory of a W5500-EVB-Pico and serves all that the Pico serves, so that tests run it in an emulator that is
//! fast. There is no saved game: the machine has no flash that could be written.
#![no_std]
#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

mod clock;
mod lan9118;
mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}
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

use crate::lan9118::Lan;
use crate::watchdog::Watchdog;

static LAN: ConstStaticCell<Lan> = ConstStaticCell::new(Lan::new());
static EXECUTOR: StaticCell<Executor> = StaticCell::new();

#[cfg(not(feature = "bad-wire"))]
type Network = &'static mut Lan;
#[cfg(feature = "bad-wire")]
type Network = &'static mut BadWire;
#[cfg(feature = "bad-wire")]
type BadWire = parlor_firmware::bad_wire::BadWire<&'static mut Lan, 6>;
#[cfg(feature = "bad-wire")]
static BAD_WIRE: ConstStaticCell<BadWire> = ConstStaticCell::new(BadWire::new());

parlor_firmware::board! {
    driver: Network;
    watchdog: Watchdog;
    meter: ();
    links: 20, receive 1024, send 2048;
    alive: 1;
    stack: 20 * 1024;
    sockets: ConstStaticCell;
    names: parlor_firmware::mdns::Buffers;
    bots: 7;
}

#[embassy_executor::task]
async fn cable() -> ! {
    lan9118::watch_cable().await
}

#[entry]
fn main() -> ! {
    // Before anything can hang.
    let watchdog = Watchdog::start();
    if let Some(core) = cortex_m::Peripherals::take() {
        time::start(core.SYST);
    }
    let options = options();
    let mut pool = gather(&options);
    let executor = EXECUTOR.init(Executor::new(core::ptr::null_mut()));
    run::forever(executor, |spawner| spawn(spawner, &options, &mut pool, watchdog), |poll| poll())
}

/// Not inlined: the line is done with when it is read.
#[inline(never)]
fn options() -> Options {
    let mut line = [0; 512];
    Options::parse(semihost::command_line(&mut line))
}

/// An emulated machine has no noise: `run` adds `entropy=` from its host.
fn gather(options: &Options) -> Pool {
    let mut pool = Pool::new();
    pool.absorb(&semihost::time().to_le_bytes());
    pool.absorb(&time::phase().to_le_bytes());
    pool.absorb(&options.entropy.unwrap_or_default());
    pool
}

#[inline(never)]
fn spawn(spawner: Spawner, options: &Options, pool: &mut Pool, watchdog: Watchdog) {
    let driver = LAN.take();
    let chip = driver.start(entropy::own_address(&pool.draw()));
    defmt::info!("parlor on mps2-an385, LAN {=u32:#010x}", chip);
    if cable().map(|task| spawner.spawn(task)).is_err() {
        defmt::error!("a task pool is too small");
    }
    #[cfg(feature = "bad-wire")]
    let driver = {
        let wire = BAD_WIRE.take();
        wire.start(driver, options.wire);
        defmt::warn!("the network is bad on purpose");
        wire
    };
    let shared = parlor::begin(options, pool);
    let (alive, pages) = (parlor::heartbeats(), pages::PAGES);
    // A board that saves no games needs no bots that come back to them.
    let key = None;
    parlor::open(spawner, parlor::Parts { shared, driver, watchdog, alive, pages, options, pool, key });
}

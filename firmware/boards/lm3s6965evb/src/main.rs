//! parlor on the LM3S6965 evaluation board: pins, clocks and the network; about games only which one is served.
//!
//! 64 KB of RAM: what fits here fits everywhere. The log and the options go through semihosting, so the image wants an
//! emulator or a debugger around it. There is no saved game: the chip has no flash to spare for one.
#![no_std]
#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

mod clock;
#[cfg(feature = "count")]
mod count;
mod mac;
mod noise;
mod phy;
mod registers;
mod run;
mod semihost;
#[cfg_attr(feature = "echo", path = "served/echo.rs")]
#[cfg_attr(all(feature = "yard", not(feature = "echo")), path = "served/yard.rs")]
#[cfg_attr(not(any(feature = "yard", feature = "echo")), path = "served/monopoly.rs")]
mod served;
mod time;
mod vectors;
mod watchdog;

use cortex_m_rt::entry;
use defmt_semihosting as _;
use embassy_executor::{Spawner, raw::Executor};
use embassy_net::{Ipv4Address, Ipv4Cidr, Runner, Stack, StackResources};
use parlor_core::server::Server;
use parlor_firmware::{
    address::{self, Plan},
    entropy::Pool,
    liveness::{self, Heartbeat},
    options::Words,
    serve::{self, Buffers},
    table,
    watermark::{self, Painted},
};
use static_cell::{ConstStaticCell, StaticCell};

use crate::mac::Mac;
use crate::served::{PORT, Served};

/// Eight seats, and two more so that whoever finds no seat can be told so. In Scotland Yard all ten can play or look on.
const LINKS: usize = 8 + 2;
/// One for each link, and one for DHCP.
const SOCKETS: usize = LINKS + 1;
/// Where the board is found when no router gives it an address.
const FALLBACK: Ipv4Cidr = Ipv4Cidr::new(Ipv4Address::new(192, 168, 13, 220), 24);

type Options = Words<served::Settings>;
#[cfg(not(feature = "count"))]
type Meter = ();
#[cfg(feature = "count")]
type Meter = count::Instructions;
type Table = table::Table<Served, LINKS, Meter>;
type LinkBuffers = Buffers<512, 1024, { Served::MAX_FRAME }>;

static TABLE: ConstStaticCell<Table> = ConstStaticCell::new(Table::new(served::new()));
static BUFFERS: ConstStaticCell<[LinkBuffers; LINKS]> = ConstStaticCell::new([const { LinkBuffers::new() }; LINKS]);
static MAC: ConstStaticCell<Mac> = ConstStaticCell::new(Mac::new());
static SOCKET_SET: ConstStaticCell<StackResources<SOCKETS>> = ConstStaticCell::new(StackResources::new());
static ALIVE: ConstStaticCell<Heartbeat> = ConstStaticCell::new(Heartbeat::new());
static EXECUTOR: StaticCell<Executor> = StaticCell::new();

defmt::timestamp!("{=u64:ms}", embassy_time::Instant::now().as_millis());

#[embassy_executor::task]
async fn network(runner: Runner<'static, &'static mut Mac>, alive: &'static Heartbeat) -> ! {
    liveness::network(runner, alive).await
}

#[embassy_executor::task]
async fn cable() -> ! {
    mac::watch_cable().await
}

#[embassy_executor::task]
async fn keep_address(stack: Stack<'static>, plan: Plan) -> ! {
    address::keep(stack, plan).await
}

#[embassy_executor::task(pool_size = LINKS)]
async fn link(stack: Stack<'static>, table: &'static Table, buffers: &'static mut LinkBuffers) -> ! {
    if cfg!(feature = "bare") {
        serve::bare(stack, PORT, buffers).await
    } else {
        serve::link(stack, PORT, table, buffers).await
    }
}

#[embassy_executor::task]
async fn tick(table: &'static Table, alive: &'static Heartbeat) -> ! {
    watchdog::start();
    serve::clock(table, &[alive], watchdog::feed).await
}

#[embassy_executor::task]
async fn report_stack(stack: Painted) -> ! {
    watermark::report(stack).await
}

#[entry]
fn main() -> ! {
    let locked_after = clock::start();
    if let Some(core) = cortex_m::Peripherals::take() {
        time::start(core.SYST);
    }
    let options = options();
    let mut pool = gather(&options, locked_after);
    let executor = EXECUTOR.init(Executor::new(core::ptr::null_mut()));
    run::forever(executor, |spawner| spawn(spawner, &options, &mut pool))
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

/// Not inlined: the stack's halves that are put together here would stay on the stack below every task, forever.
#[inline(never)]
fn spawn(spawner: Spawner, options: &Options, pool: &mut Pool) {
    let mac = MAC.take();
    let phy = mac.start(mac::makers_address().unwrap_or_else(|| own_address(pool)));
    defmt::info!("parlor on lm3s6965evb, PHY {}", phy);

    let (stack, runner) = embassy_net::new(mac, Default::default(), SOCKET_SET.take(), pool.draw_word());
    let plan = options.address.map_or(Plan::AskOr(FALLBACK), Plan::Fixed);

    let table = TABLE.take();
    let seed = options.seed.unwrap_or_else(|| pool.draw());
    table.begin(seed, |server, seed, now| served::begin(server, seed, &options.config, now));
    let table: &'static Table = table;

    let alive: &'static Heartbeat = ALIVE.take();
    let tasks = [
        network(runner, alive).map(|task| spawner.spawn(task)).is_ok(),
        cable().map(|task| spawner.spawn(task)).is_ok(),
        keep_address(stack, plan).map(|task| spawner.spawn(task)).is_ok(),
        tick(table, alive).map(|task| spawner.spawn(task)).is_ok(),
        report_stack(stack_memory()).map(|task| spawner.spawn(task)).is_ok(),
    ];
    let links = BUFFERS.take().iter_mut().filter_map(|buffers| link(stack, table, buffers).ok());
    let links = links.map(|task| spawner.spawn(task)).count();
    defmt::info!("port {}: {} links", PORT, links);
    // Each task is spawned once into a pool of its size, so this can't be.
    if links != LINKS || tasks.contains(&false) {
        defmt::error!("a task pool is too small");
    }
}

/// An address of our own making: local, and nobody's group.
fn own_address(pool: &mut Pool) -> [u8; 6] {
    let [a, b, c, d, e, ..] = pool.draw();
    [0x02, a, b, c, d, e]
}

#[allow(unsafe_code, reason = "the linker knows where the stack lies")]
fn stack_memory() -> Painted {
    unsafe extern "C" {
        static _stack_end: u32;
        static _stack_start: u32;
    }
    // SAFETY: cortex-m-rt's symbols: aligned ends of RAM that belongs to the stack alone, painted before main.
    unsafe { Painted::new(&raw const _stack_end, &raw const _stack_start, cortex_m_rt::STACK_PAINT_VALUE) }
}

//! parlor on the W5500-EVB-Pico: pins, clocks and the network; about games only which are served, and where.
//!
//! The log goes through RTT, which costs nothing while nobody listens. Options come from a page of flash, which whoever
//! owns the board may write: see the board's README.
#![no_std]
#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

mod ethernet;
#[path = "../../../fault.rs"]
mod fault;
mod flash;
mod noise;
mod saved;

use defmt_rtt as _;
use embassy_executor::Spawner;
use embassy_net::{Ipv4Address, Ipv4Cidr, Runner, Stack, StackResources};
use embassy_rp::gpio::{Level, Output};
use embassy_rp::watchdog::Watchdog;
use embassy_time::Duration;
use parlor_core::limits::BoardYard;
use parlor_core::server::Server;
use parlor_firmware::{
    address::{self, Plan},
    entropy::Pool,
    keep, lamp,
    options::Words,
    pulse::{self, Pulse},
    serve::{self, Buffers},
    settings::Both,
    table,
    watermark::{self, Painted},
};
use static_cell::{ConstStaticCell, StaticCell};

use crate::ethernet::{Mover, Port, Wires};
use crate::saved::{Saved, Shelves};

/// What is served on Monopoly's port.
#[cfg(not(feature = "echo"))]
type Served = parlor_core::limits::BoardTable;
#[cfg(feature = "echo")]
type Served = parlor_core::echo::Echo<LINKS, 4096>;

type Options = Words<Both>;

const SEATS: usize = 8;
/// Two more, so that whoever finds no seat can be told so. As many for Scotland Yard, where all ten can play or look on.
const LINKS: usize = SEATS + 2;
const PORT: u16 = 13220;
const YARD_PORT: u16 = 7921;
/// One for each link of both games, and one for DHCP.
const SOCKETS: usize = 2 * LINKS + 1;
/// Where the board is found when no router gives it an address.
const FALLBACK: Ipv4Cidr = Ipv4Cidr::new(Ipv4Address::new(192, 168, 13, 220), 24);
/// As long as this watchdog can wait (RP2040-E1), nearly: a healthy board feeds it eight times in it.
const BITE: Duration = Duration::from_secs(8);
/// What the stack may use. There is four times as much, but somebody should hear of it when it is used. At the start the
/// network's sockets are put together there.
const STACK: usize = 24 * 1024;

type Table = table::Table<Served, LINKS>;
type YardTable = table::Table<BoardYard, LINKS>;
/// Both games, as the clock and the lamp see them.
type Tables = (&'static Table, &'static YardTable);
type LinkBuffers = Buffers<1024, 2048, { Served::MAX_FRAME }>;
type YardBuffers = Buffers<1024, 2048, { BoardYard::MAX_FRAME }>;

static TABLE: ConstStaticCell<Table> = ConstStaticCell::new(Table::new(Served::new()));
static YARD: ConstStaticCell<YardTable> = ConstStaticCell::new(YardTable::new(BoardYard::new()));
static BUFFERS: ConstStaticCell<[LinkBuffers; LINKS]> = ConstStaticCell::new([const { LinkBuffers::new() }; LINKS]);
static YARD_BUFFERS: ConstStaticCell<[YardBuffers; LINKS]> =
    ConstStaticCell::new([const { YardBuffers::new() }; LINKS]);
static SOCKET_SET: StaticCell<StackResources<SOCKETS>> = StaticCell::new();
static PULSE: ConstStaticCell<Pulse> = ConstStaticCell::new(Pulse::new());

defmt::timestamp!("{=u64:ms}", embassy_time::Instant::now().as_millis());

#[embassy_executor::task]
async fn move_frames(mover: Mover) -> ! {
    mover.run().await
}

#[embassy_executor::task]
async fn network(runner: Runner<'static, Port>, pulse: &'static Pulse) -> ! {
    pulse::network(runner, pulse).await
}

#[embassy_executor::task]
async fn keep_address(stack: Stack<'static>, plan: Plan) -> ! {
    address::keep(stack, plan).await
}

#[embassy_executor::task(pool_size = LINKS)]
async fn link(stack: Stack<'static>, table: &'static Table, buffers: &'static mut LinkBuffers) -> ! {
    serve::link(stack, PORT, table, buffers).await
}

#[embassy_executor::task(pool_size = LINKS)]
async fn yard_link(stack: Stack<'static>, table: &'static YardTable, buffers: &'static mut YardBuffers) -> ! {
    serve::link(stack, YARD_PORT, table, buffers).await
}

#[embassy_executor::task]
async fn tick(tables: Tables, pulse: &'static Pulse, mut watchdog: Watchdog) -> ! {
    watchdog.pause_on_debug(true);
    watchdog.start(BITE);
    serve::clock(&tables, pulse, || watchdog.feed(BITE)).await
}

#[embassy_executor::task]
async fn show(stack: Stack<'static>, tables: Tables, mut lamp: Output<'static>) -> ! {
    lamp::show(stack, &tables, |on| lamp.set_level(on.into())).await
}

#[embassy_executor::task]
async fn report_stack(stack: Painted) -> ! {
    watermark::report(stack).await
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let chip = embassy_rp::init(Default::default());
    defmt::info!("parlor on w5500-evb-pico");
    let options = Options::stored(flash::settings());
    let mut flash = flash::Chip::new_blocking(chip.FLASH);
    let number = flash::number(&mut flash);

    let mut pool = Pool::new();
    pool.absorb(&number.unwrap_or_default());
    noise::gather(&mut pool, chip.ADC, chip.ADC_TEMP_SENSOR);
    pool.absorb(&options.entropy.unwrap_or_default());

    let wires = Wires {
        spi: chip.SPI0,
        miso: chip.PIN_16,
        select: chip.PIN_17,
        clock: chip.PIN_18,
        mosi: chip.PIN_19,
        reset: chip.PIN_20,
        interrupt: chip.PIN_21,
        send: chip.DMA_CH0,
        receive: chip.DMA_CH1,
    };
    let address = own_address(number, &mut pool);
    let Some((port, mover)) = ethernet::start(wires, address).await else {
        fault::restart(|| defmt::error!("no network: starting anew"));
    };
    let tables @ (table, yard) = begin(spawner, flash, &options, &mut pool).await;
    let pulse: &'static Pulse = PULSE.take();
    let sockets = SOCKET_SET.init_with(StackResources::new);
    let (stack, runner) = embassy_net::new(port, Default::default(), sockets, pool.draw_word());
    let plan = options.address.map_or(Plan::AskOr(FALLBACK), Plan::Fixed);
    let lamp = Output::new(chip.PIN_25, Level::Low);
    let tasks = [
        move_frames(mover).map(|task| spawner.spawn(task)).is_ok(),
        network(runner, pulse).map(|task| spawner.spawn(task)).is_ok(),
        keep_address(stack, plan).map(|task| spawner.spawn(task)).is_ok(),
        tick(tables, pulse, Watchdog::new(chip.WATCHDOG)).map(|task| spawner.spawn(task)).is_ok(),
        show(stack, tables, lamp).map(|task| spawner.spawn(task)).is_ok(),
        report_stack(stack_memory()).map(|task| spawner.spawn(task)).is_ok(),
    ];
    let links = BUFFERS.take().iter_mut().filter_map(|buffers| link(stack, table, buffers).ok());
    let links = links.map(|task| spawner.spawn(task)).count();
    let yard_links = YARD_BUFFERS.take().iter_mut().filter_map(|buffers| yard_link(stack, yard, buffers).ok());
    let yard_links = yard_links.map(|task| spawner.spawn(task)).count();
    defmt::info!("port {}: {} links, port {}: {} links", PORT, links, YARD_PORT, yard_links);
    // Each task is spawned once into a pool of its size, so this can't be.
    if links != LINKS || yard_links != LINKS || tasks.contains(&false) {
        defmt::error!("a task pool is too small");
    }
}

/// The tables, with the games that were saved if there are any. Saves them from now on.
async fn begin(spawner: Spawner, flash: flash::Chip, options: &Options, pool: &mut Pool) -> Tables {
    let shelves = (!options.forgetful).then(|| Shelves::new(flash));
    #[cfg(not(feature = "echo"))]
    let (pimp, yard) = shelves.map_or((None, None), |shelves| (shelves.pimp, shelves.yard));
    #[cfg(feature = "echo")]
    let (pimp, yard) = (None, shelves.and_then(|shelves| shelves.yard));
    (begin_pimp(spawner, pimp, options, pool).await, begin_yard(spawner, yard, options, pool).await)
}

#[cfg(not(feature = "echo"))]
async fn begin_pimp(spawner: Spawner, mut saved: Option<Saved>, options: &Options, pool: &mut Pool) -> &'static Table {
    let table = TABLE.take();
    let game = match &mut saved {
        Some(saved) => Some(saved.load().await),
        None => None,
    };
    table.begin(options.seed.unwrap_or_else(|| pool.draw()), |pimp, seed, now| {
        pimp.begin(seed, &options.config.pimp, now);
        if let Some(game) = game {
            keep::resume(game, |game| pimp.load(game, now));
        }
    });
    let table: &'static Table = table;
    if let Some(saved) = saved
        && saved::pimp::keep(table, saved).map(|task| spawner.spawn(task)).is_err()
    {
        defmt::error!("a task pool is too small");
    }
    table
}

/// Echo has nothing to draw by lot and nothing to save: it begins as it is.
#[cfg(feature = "echo")]
async fn begin_pimp(_: Spawner, _: Option<Saved>, options: &Options, pool: &mut Pool) -> &'static Table {
    let table = TABLE.take();
    table.begin(options.seed.unwrap_or_else(|| pool.draw()), |_echo, _seed, _now| ());
    table
}

async fn begin_yard(
    spawner: Spawner,
    mut saved: Option<Saved>,
    options: &Options,
    pool: &mut Pool,
) -> &'static YardTable {
    let table = YARD.take();
    let games = match &mut saved {
        Some(saved) => Some(saved.load().await),
        None => None,
    };
    table.begin(options.seed.unwrap_or_else(|| pool.draw()), |yard, seed, now| {
        yard.begin(seed, &options.config.yard.0);
        if let Some(games) = games {
            keep::resume(games, |games| yard.load(games, now));
        }
    });
    let table: &'static YardTable = table;
    if let Some(saved) = saved
        && saved::keep_yard(table, saved).map(|task| spawner.spawn(task)).is_err()
    {
        defmt::error!("a task pool is too small");
    }
    table
}

/// An address of our own making: local, nobody's group, and the same at each start if the board can be told from others.
fn own_address(number: Option<[u8; 8]>, pool: &mut Pool) -> [u8; 6] {
    let bytes = match number {
        Some(number) => {
            let mut name = Pool::new();
            name.absorb(&number);
            name.draw()
        }
        None => pool.draw(),
    };
    let [a, b, c, d, e, ..] = bytes;
    [0x02, a, b, c, d, e]
}

#[allow(unsafe_code, reason = "the linker knows where the stack lies")]
fn stack_memory() -> Painted {
    unsafe extern "C" {
        static _stack_start: u32;
    }
    let high = &raw const _stack_start;
    // SAFETY: cortex-m-rt's symbol: the aligned end of RAM, below which all that no static occupies was painted before
    // main, which is far more than this.
    unsafe { Painted::new(high.byte_sub(STACK), high, cortex_m_rt::STACK_PAINT_VALUE) }
}

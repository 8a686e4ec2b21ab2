//! What the Nucleo boards with an Ethernet port share: everything but clocks and pins; about games only which are served,
//! and where.
//!
//! A board's `main` sets its clocks, starts the [`watchdog`], gathers entropy with [`gather`], makes its Ethernet
//! [`Device`] and hands all of it to [`open`]. In this order: a MAC without a clock from its PHY, or a random number
//! generator without one, waits forever, and then somebody must be there to bite.
#![no_std]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

#[path = "../../fault.rs"]
mod fault;

use defmt_rtt as _;
use embassy_executor::Spawner;
use embassy_net::{Ipv4Address, Ipv4Cidr, Runner, Stack, StackResources};
use embassy_stm32::Peri;
use embassy_stm32::eth::{Ethernet, GenericPhy, PacketQueue, Sma};
use embassy_stm32::gpio::Output;
use embassy_stm32::peripherals::{ETH, ETH_SMA, IWDG, RNG};
use embassy_stm32::rng::Rng;
use embassy_stm32::uid::uid;
use embassy_stm32::wdg::IndependentWatchdog;
use parlor_core::game::Game;
use parlor_core::pimp::limits::BoardTable;
use parlor_core::yard::limits::BoardYard;
use parlor_core::server::Server;
use parlor_firmware::{
    address::{self, Plan},
    entropy::Pool,
    lamp,
    liveness::{self, Heartbeat},
    serve::{self, Buffers},
    table,
    watermark::{self, Painted},
};
use static_cell::{ConstStaticCell, StaticCell};

/// Eight seats, and two more so that whoever finds no seat can be told so. As many for Scotland Yard, where all ten can play
/// or look on.
const LINKS: usize = 8 + 2;
const PORT: u16 = 13220;
const YARD_PORT: u16 = 7921;
/// One for each link of both games, and one for DHCP.
const SOCKETS: usize = 2 * LINKS + 1;
/// Where the board is found when no router gives it an address.
const FALLBACK: Ipv4Cidr = Ipv4Cidr::new(Ipv4Address::new(192, 168, 13, 220), 24);
/// Microseconds until the watchdog bites, as near as its own oscillator knows: a healthy board feeds it each second.
const BITE: u32 = 15_000_000;
/// What the stack may use. There is far more, but somebody should hear of it when it is used.
const STACK: usize = 16 * 1024;

/// The chip's MAC, with the PHY that is on the board.
pub type Device = Ethernet<'static, ETH, GenericPhy<Sma<'static, ETH_SMA>>>;
/// Where the MAC puts frames and takes them from.
pub type Packets = PacketQueue<4, 8>;
pub type Watchdog = IndependentWatchdog<'static, IWDG>;

type Table = table::Table<BoardTable, LINKS>;
type YardTable = table::Table<BoardYard, LINKS>;
/// Both games, as the clock and the lamp see them.
type Tables = (&'static Table, &'static YardTable);
type LinkBuffers = Buffers<1024, 2048, { BoardTable::MAX_FRAME }>;
type YardBuffers = Buffers<1024, 2048, { BoardYard::MAX_FRAME }>;

/// For [`Device`]: once.
pub static PACKETS: ConstStaticCell<Packets> = ConstStaticCell::new(Packets::new());
static TABLE: ConstStaticCell<Table> = ConstStaticCell::new(Table::new(BoardTable::new()));
static YARD: ConstStaticCell<YardTable> = ConstStaticCell::new(YardTable::new(BoardYard::new()));
static BUFFERS: ConstStaticCell<[LinkBuffers; LINKS]> = ConstStaticCell::new([const { LinkBuffers::new() }; LINKS]);
static YARD_BUFFERS: ConstStaticCell<[YardBuffers; LINKS]> =
    ConstStaticCell::new([const { YardBuffers::new() }; LINKS]);
static SOCKET_SET: StaticCell<StackResources<SOCKETS>> = StaticCell::new();
static ALIVE: ConstStaticCell<Heartbeat> = ConstStaticCell::new(Heartbeat::new());

defmt::timestamp!("{=u64:ms}", embassy_time::Instant::now().as_millis());

#[embassy_executor::task]
async fn network(runner: Runner<'static, Device>, alive: &'static Heartbeat) -> ! {
    liveness::network(runner, alive).await
}

#[embassy_executor::task]
async fn keep_address(stack: Stack<'static>) -> ! {
    address::keep(stack, Plan::AskOr(FALLBACK)).await
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
async fn tick(tables: Tables, alive: &'static Heartbeat, mut watchdog: Watchdog) -> ! {
    serve::clock(&tables, &[alive], || watchdog.pet()).await
}

#[embassy_executor::task]
async fn show(stack: Stack<'static>, tables: Tables, mut lamp: Output<'static>) -> ! {
    lamp::show(stack, &tables, |on| lamp.set_level(on.into())).await
}

#[embassy_executor::task]
async fn report_stack(stack: Painted) -> ! {
    watermark::report(stack).await
}

/// From here on it must be fed, which [`open`] sees to.
pub fn watchdog(chip: Peri<'static, IWDG>) -> Watchdog {
    let mut watchdog = Watchdog::new(chip, BITE);
    watchdog.unleash();
    watchdog
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

/// An Ethernet address of our own making: local, nobody's group, and the same at each start of this chip.
pub fn own_address() -> [u8; 6] {
    let mut name = Pool::new();
    name.absorb(&uid());
    let [a, b, c, d, e, ..] = name.draw();
    [0x02, a, b, c, d, e]
}

/// Begins the tables and serves them.
pub fn open(spawner: Spawner, device: Device, mut pool: Pool, lamp: Output<'static>, watchdog: Watchdog) {
    let sockets = SOCKET_SET.init_with(StackResources::new);
    let (stack, runner) = embassy_net::new(device, Default::default(), sockets, pool.draw_word());
    let (table, yard) = (TABLE.take(), YARD.take());
    table.begin(pool.draw(), |pimp, seed, now| Game::begin(pimp, seed, &BoardTable::BOARD, now));
    yard.begin(pool.draw(), |yard, seed, now| Game::begin(yard, seed, &BoardYard::BOARD, now));
    let tables @ (table, yard): Tables = (table, yard);
    let alive: &'static Heartbeat = ALIVE.take();
    let tasks = [
        network(runner, alive).map(|task| spawner.spawn(task)).is_ok(),
        keep_address(stack).map(|task| spawner.spawn(task)).is_ok(),
        tick(tables, alive, watchdog).map(|task| spawner.spawn(task)).is_ok(),
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

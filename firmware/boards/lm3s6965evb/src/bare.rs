//! The board without games and pages: the yardstick for what they cost. Ten links that send back what comes.

use embassy_executor::Spawner;
use embassy_net::{Runner, Stack, StackResources};
use embassy_time::{Duration, Timer};
use parlor_firmware::address::{self, Plan};
use parlor_firmware::backlog::Claim;
use parlor_firmware::board::Watchdog as _;
use static_cell::ConstStaticCell;

use crate::mac::Mac;
use crate::watchdog::Watchdog;

const LINKS: usize = 10;
const PORT: u16 = 13220;

type Buffers = ([u8; 512], [u8; 1024], [u8; 512]);

static BUFFERS: ConstStaticCell<[Buffers; LINKS]> =
    ConstStaticCell::new([const { ([0; 512], [0; 1024], [0; 512]) }; LINKS]);
static SOCKET_SET: ConstStaticCell<StackResources<{ LINKS + 1 }>> = ConstStaticCell::new(StackResources::new());

defmt::timestamp!("{=u64:ms}", embassy_time::Instant::now().as_millis());

#[embassy_executor::task]
async fn network(mut runner: Runner<'static, &'static mut Mac>) -> ! {
    runner.run().await
}

#[embassy_executor::task]
async fn keep_address(stack: Stack<'static>) -> ! {
    // No driver carries it: this board only runs where there is DHCP.
    let claim = Claim::new();
    address::keep(stack, Plan::Ask, &claim, &()).await
}

#[embassy_executor::task]
async fn feed(mut watchdog: Watchdog) -> ! {
    loop {
        watchdog.feed();
        Timer::after(Duration::from_secs(1)).await;
    }
}

#[embassy_executor::task(pool_size = LINKS)]
async fn link(stack: Stack<'static>, buffers: &'static mut Buffers) -> ! {
    let (rx, tx, out) = buffers;
    parlor_firmware::bare::echo(stack, PORT, rx, tx, out).await
}

pub fn open(spawner: Spawner, mac: &'static mut Mac, seed: u64, watchdog: Watchdog) {
    let (stack, runner) = embassy_net::new(mac, Default::default(), SOCKET_SET.take(), seed);
    let mut spawned = network(runner).map(|task| spawner.spawn(task)).is_ok();
    spawned &= keep_address(stack).map(|task| spawner.spawn(task)).is_ok();
    spawned &= feed(watchdog).map(|task| spawner.spawn(task)).is_ok();
    for buffers in BUFFERS.take() {
        spawned &= link(stack, buffers).map(|task| spawner.spawn(task)).is_ok();
    }
    if !spawned {
        defmt::error!("a task pool is too small");
    }
}

//! parlor on the NUCLEO-F767ZI: clocks and pins. All else is in `parlor-nucleo`.
#![no_std]
#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

use embassy_executor::Spawner;
use embassy_stm32::gpio::{Level, Output, Speed};
use embassy_stm32::rcc::{AHBPrescaler, APBPrescaler, Hse, HseMode, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv};
use embassy_stm32::rcc::{PllSource, Sysclk};
use embassy_stm32::rng::Rng;
use embassy_stm32::time::Hertz;
use embassy_stm32::{Config, bind_interrupts, eth, peripherals, rng};
use parlor_nucleo::{Board, Device, PACKETS};

bind_interrupts!(struct Irqs {
    ETH => eth::InterruptHandler;
    RNG => rng::InterruptHandler<peripherals::RNG>;
});

/// 216 MHz from the debugger's 8 MHz, and 48 MHz for the random numbers.
fn clocks() -> Config {
    let mut config = Config::default();
    config.rcc.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Bypass });
    config.rcc.pll_src = PllSource::HSE;
    config.rcc.pll = Some(Pll {
        prediv: PllPreDiv::DIV4,
        mul: PllMul::MUL216,
        divp: Some(PllPDiv::DIV2),
        divq: Some(PllQDiv::DIV9),
        divr: None,
    });
    config.rcc.ahb_pre = AHBPrescaler::DIV1;
    config.rcc.apb1_pre = APBPrescaler::DIV4;
    config.rcc.apb2_pre = APBPrescaler::DIV2;
    config.rcc.sys = Sysclk::PLL1_P;
    config
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let watchdog = parlor_nucleo::watchdog();
    let chip = embassy_stm32::init(clocks());
    defmt::info!("parlor on nucleo-f767zi");
    let pool = parlor_nucleo::gather(&mut Rng::new(chip.RNG, Irqs));
    let driver = Device::new(
        PACKETS.take(),
        chip.ETH,
        Irqs,
        chip.PA1,  // reference clock, from the PHY
        chip.PA7,  // carrier sense, data valid
        chip.PC4,  // receive 0
        chip.PC5,  // receive 1
        chip.PG13, // transmit 0
        chip.PB13, // transmit 1
        chip.PG11, // transmit enable
        parlor_nucleo::own_address(),
        chip.ETH_SMA,
        chip.PA2, // management data
        chip.PC1, // management clock
    );
    let lamp = Output::new(chip.PB0, Level::Low, Speed::Low);
    let board = Board { driver, lamp, watchdog, flash: chip.FLASH, pool };
    parlor_nucleo::open(spawner, board);
}

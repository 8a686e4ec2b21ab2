//! parlor on the NUCLEO-H563ZI: clocks and pins. All else is in `parlor-nucleo`.
#![no_std]
#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

mod torn;

use embassy_executor::Spawner;
use embassy_stm32::gpio::{Level, Output, Speed};
use embassy_stm32::rcc::{AHBPrescaler, APBPrescaler, Hse, HseMode, Hsi48Config, Pll, PllDiv, PllMul, PllPreDiv};
use embassy_stm32::rcc::{PllSource, Sysclk, VoltageScale};
use embassy_stm32::rng::Rng;
use embassy_stm32::time::Hertz;
use embassy_stm32::{Config, bind_interrupts, eth, peripherals, rng};
use parlor_nucleo::{Board, Device, PACKETS};

bind_interrupts!(struct Irqs {
    ETH => eth::InterruptHandler;
    RNG => rng::InterruptHandler<peripherals::RNG>;
});

/// 250 MHz from the debugger's 8 MHz; the random numbers have an oscillator of their own.
fn clocks() -> Config {
    let mut config = Config::default();
    config.rcc.hsi48 = Some(Hsi48Config::default());
    config.rcc.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::BypassDigital });
    config.rcc.pll1 = Some(Pll {
        source: PllSource::HSE,
        prediv: PllPreDiv::DIV2,
        mul: PllMul::MUL125,
        divp: Some(PllDiv::DIV2),
        divq: None,
        divr: None,
    });
    config.rcc.ahb_pre = AHBPrescaler::DIV1;
    config.rcc.apb1_pre = APBPrescaler::DIV1;
    config.rcc.apb2_pre = APBPrescaler::DIV1;
    config.rcc.apb3_pre = APBPrescaler::DIV1;
    config.rcc.sys = Sysclk::PLL1_P;
    config.rcc.voltage_scale = VoltageScale::Scale0;
    config
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let watchdog = parlor_nucleo::watchdog();
    let chip = embassy_stm32::init(clocks());
    defmt::info!("parlor on nucleo-h563zi");
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
        chip.PB15, // transmit 1
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

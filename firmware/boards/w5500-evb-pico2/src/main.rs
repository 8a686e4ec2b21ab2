//! parlor on the W5500-EVB-Pico2: its chip, and what in it is random. All else is in `parlor-w5500-evb`.
#![no_std]
#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, clippy::indexing_slicing)]

mod noise;

use embassy_executor::Spawner;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::otp::get_chipid;
use embassy_rp::pac;
use parlor_firmware::entropy::Pool;
use parlor_w5500_evb::{Board, CRYSTAL_MHZ, Chip, Guard};

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    // This chip's clock reaches the watchdog by way of a block of its own.
    let guard = Guard::start(|_watchdog| {
        pac::TICKS.watchdog_cycles().write(|cycles| cycles.0 = CRYSTAL_MHZ.into());
        pac::TICKS.watchdog_ctrl().write(|control| control.set_enable(true));
    });
    let chip = embassy_rp::init(Default::default());
    defmt::info!("parlor on w5500-evb-pico2");
    let flash = Chip::new_blocking(chip.FLASH);
    // The number that its maker burnt into the chip.
    let number = get_chipid().ok().map(u64::to_le_bytes);

    let mut pool = Pool::new();
    pool.absorb(&number.unwrap_or_default());
    noise::gather(&mut pool, chip.TRNG).await;

    let wires = parlor_w5500_evb::wires!(chip);
    let lamp = Output::new(chip.PIN_25, Level::Low);
    parlor_w5500_evb::open(spawner, Board { guard, flash, number, wires, lamp, button: None, pool });
}

//! The W5500 beside the microcontroller, as both boards wire it.

use embassy_rp::Peri;
use embassy_rp::gpio::{Input, Level, Output, Pull};
use embassy_rp::peripherals::{DMA_CH0, DMA_CH1, PIN_16, PIN_17, PIN_18, PIN_19, PIN_20, PIN_21, SPI0};
use embassy_rp::spi::{Async, Config, Spi};
use embassy_rp::{bind_interrupts, dma};
use embassy_time::Delay;
use embedded_hal_bus::spi::ExclusiveDevice;
use parlor_firmware::w5500::{self, Frames};
use static_cell::ConstStaticCell;

bind_interrupts!(struct Interrupts {
    DMA_IRQ_0 => dma::InterruptHandler<DMA_CH0>, dma::InterruptHandler<DMA_CH1>;
});

/// The W5500 promises 33.3 MHz; from a clock of 125 MHz that makes 31.25, from 150 MHz 25.
const SPI_HZ: u32 = 33_300_000;
/// Frames that wait in each direction. The chip has room for 16 KB more that came.
const RECEIVED: usize = 8;
const SENT: usize = 4;

type Bus = ExclusiveDevice<Spi<'static, SPI0, Async>, Output<'static>, Delay>;
/// What moves frames between the chip and [`Port`].
pub type Mover = w5500::Mover<'static, Bus, Input<'static>, Output<'static>>;
pub type Port = w5500::Port<'static>;

static STATE: ConstStaticCell<Frames<RECEIVED, SENT>> = ConstStaticCell::new(Frames::new());

pub struct Wires {
    pub spi: Peri<'static, SPI0>,
    pub miso: Peri<'static, PIN_16>,
    pub select: Peri<'static, PIN_17>,
    pub clock: Peri<'static, PIN_18>,
    pub mosi: Peri<'static, PIN_19>,
    pub reset: Peri<'static, PIN_20>,
    pub interrupt: Peri<'static, PIN_21>,
    pub send: Peri<'static, DMA_CH0>,
    pub receive: Peri<'static, DMA_CH1>,
}

/// Takes the [`Wires`] out of the chip's parts: both chips call them the same.
#[macro_export]
macro_rules! wires {
    ($chip:ident) => {
        $crate::Wires {
            spi: $chip.SPI0,
            miso: $chip.PIN_16,
            select: $chip.PIN_17,
            clock: $chip.PIN_18,
            mosi: $chip.PIN_19,
            reset: $chip.PIN_20,
            interrupt: $chip.PIN_21,
            send: $chip.DMA_CH0,
            receive: $chip.DMA_CH1,
        }
    };
}

/// Once. `None`: no W5500 answers.
pub async fn start(wires: Wires, address: [u8; 6]) -> Option<(Port, Mover)> {
    let mut config = Config::default();
    config.frequency = SPI_HZ;
    let Wires { spi, clock, mosi, miso, send, receive, .. } = wires;
    let spi = Spi::new(spi, clock, mosi, miso, send, receive, Interrupts, config);
    let select = Output::new(wires.select, Level::High);
    let Ok(bus) = ExclusiveDevice::new(spi, select, Delay);
    let interrupt = Input::new(wires.interrupt, Pull::Up);
    let reset = Output::new(wires.reset, Level::High);
    let started = w5500::start(address, STATE.take(), bus, interrupt, reset).await;
    started.inspect_err(|why| defmt::error!("ethernet: no W5500: {}", why)).ok()
}

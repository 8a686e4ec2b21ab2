//! The only noise on this chip: the lowest bits of its thermometer.
//!
//! Written from the data sheet. An emulator whose converter never finishes gives no samples, and costs no more than the
//! looks at it.

use cortex_m::asm;

use crate::registers::{adc::*, system};

/// A sample takes 8 us, that is 400 cycles; a look takes more than 4.
const LOOKS: u32 = 400;
/// Ten bits each, of which perhaps one is noise.
pub const SAMPLES: usize = 128;

/// Samples of the chip's temperature, as many as came.
pub fn samples() -> impl Iterator<Item = u32> {
    system::RCGC0.set(system::RCGC0_ADC);
    // A gated block may be touched three cycles after its clock was let through.
    asm::delay(3);
    ACTSS.write(0);
    SSCTL3.write(SSCTL3_TEMPERATURE);
    ACTSS.write(SEQUENCER_3);
    (0..SAMPLES).map_while(|_| sample())
}

fn sample() -> Option<u32> {
    ISC.write(SEQUENCER_3);
    PSSI.write(SEQUENCER_3);
    (0..LOOKS).find(|_| RIS.read() & SEQUENCER_3 != 0)?;
    Some(SSFIFO3.read())
}

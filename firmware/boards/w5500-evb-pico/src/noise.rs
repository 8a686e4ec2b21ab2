//! Everything on this chip that someone far away can't know.
//!
//! No one source here is good: the ring oscillator's bits follow each other and may fall into step with the bus, a
//! thermometer's lowest bits are few, memory that was off for a moment only still holds what it held. So all of them
//! are stirred together, and with them when each was ready. In an emulator all of this is next to nothing: `run` adds
//! `entropy=` from its host.

use embassy_rp::Peri;
use embassy_rp::adc::{Adc, Channel, Config};
use embassy_rp::clocks::RoscRng;
use embassy_rp::peripherals::{ADC, ADC_TEMP_SENSOR};
use embassy_time::Instant;
use parlor_firmware::entropy::Pool;

/// 64 bits each, of which perhaps one in eight is worth something: enough four times over.
const RING_WORDS: usize = 128;
/// Twelve bits each, of which perhaps one is noise.
const SAMPLES: usize = 64;

pub fn gather(pool: &mut Pool, adc: Peri<'static, ADC>, thermometer: Peri<'static, ADC_TEMP_SENSOR>) {
    pool.absorb(&memory());
    now(pool);
    for _ in 0..RING_WORDS {
        pool.absorb(&RoscRng.next_u64().to_le_bytes());
    }
    now(pool);
    let mut adc = Adc::new_blocking(adc, Config::default());
    let mut thermometer = Channel::new_temp_sensor(thermometer);
    for _ in 0..SAMPLES {
        // A conversion that failed has its own bits, too.
        pool.absorb(&adc.blocking_read(&mut thermometer).unwrap_or_default().to_le_bytes());
    }
    now(pool);
}

/// In millionths of a second. The crystal counts them, the ring oscillator had a hand in how many they are.
fn now(pool: &mut Pool) {
    pool.absorb(&Instant::now().as_ticks().to_le_bytes());
}

/// What a bank of memory that nobody uses has held since power-up: most cells fall to the same side each time, some don't.
#[allow(unsafe_code, reason = "memory that no program owns")]
fn memory() -> [u8; 1024] {
    const SCRATCH_X: *const [u8; 1024] = core::ptr::without_provenance(0x2004_0000);
    // SAFETY: 4 KB of RAM are there, outside memory.x's RAM, so neither stack nor statics nor the second core, which
    // sleeps, have anything in it; any bytes are good ones.
    unsafe { SCRATCH_X.read_volatile() }
}

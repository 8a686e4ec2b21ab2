//! Everything on this chip that someone far away can't know: its random number generator, above all.

use embassy_rp::peripherals::TRNG;
use embassy_rp::trng::{Config, InterruptHandler, Trng};
use embassy_rp::{Peri, bind_interrupts};
use embassy_time::Instant;
use parlor_firmware::entropy::Pool;

bind_interrupts!(struct Interrupts {
    TRNG_IRQ => InterruptHandler<TRNG>;
});

pub async fn gather(pool: &mut Pool, trng: Peri<'static, TRNG>) {
    let mut noise = [0; 64];
    // A generator that never has a number ready is bitten by the watchdog, which runs already.
    Trng::new(trng, Interrupts, Config::default()).fill_bytes(&mut noise).await;
    pool.absorb(&noise);
    pool.absorb(&Instant::now().as_ticks().to_le_bytes());
}

//! What a command costs, and what everything costs, where the clock counts instructions: QEMU's `-icount shift=0` has each take
//! a nanosecond.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::clock::CORE_HZ;
use crate::time;

/// A tick of SysTick is 20 ns: 20 instructions.
const TICK: u32 = 1_000_000_000 / CORE_HZ;

/// Instructions since then, in steps of a tick. Nothing takes longer than a millisecond, after which SysTick begins anew.
fn since(phase: u32) -> u32 {
    let now = time::phase();
    let ticks = if now <= phase { phase - now } else { phase + CORE_HZ / 1_000 - now };
    ticks * TICK
}

/// What the log of commands took in the stretch that runs.
static LOG: AtomicU32 = AtomicU32::new(0);

/// Runs what the board does between two sleeps, and logs the sum of all such stretches: network, games and pages together. What
/// interrupts do before it, and the log itself, are not in it.
pub fn watch(poll: &mut dyn FnMut()) {
    static SUM: AtomicU32 = AtomicU32::new(0);
    let begun = time::phase();
    poll();
    let stretch = since(begun).saturating_sub(LOG.swap(0, Ordering::Relaxed));
    let sum = SUM.load(Ordering::Relaxed).wrapping_add(stretch);
    SUM.store(sum, Ordering::Relaxed);
    defmt::info!("busy for {} instructions", sum);
}

/// Interrupts that come between are counted too: look at the least, or at the middle of many.
#[cfg(not(feature = "bare"))]
pub struct Instructions;

#[cfg(not(feature = "bare"))]
impl parlor_firmware::shared::Meter for Instructions {
    fn now() -> u32 {
        time::phase()
    }

    /// Logs a command that came alone.
    fn spent(taken: &[u8], begun: u32) -> u32 {
        let spent = since(begun);
        if let [code, length, payload @ ..] = taken
            && payload.len() == usize::from(*length)
        {
            let logged = time::phase();
            defmt::info!("spent on {=u8:02x}: {} instructions", code, spent);
            LOG.fetch_add(since(logged), Ordering::Relaxed);
        }
        spent
    }
}

//! What a command costs, where the clock counts instructions: QEMU's `-icount shift=0` has each take a nanosecond.

use parlor_firmware::shared::Meter;

use crate::clock::CORE_HZ;
use crate::time;

/// A tick of SysTick is 20 ns: 20 instructions.
const TICK: u32 = 1_000_000_000 / CORE_HZ;

/// Interrupts that come between are counted too: look at the least, or at the middle of many.
pub struct Instructions;

impl Meter for Instructions {
    fn now() -> u32 {
        time::phase()
    }

    /// Logs a command that came alone. None takes longer than a millisecond, after which SysTick begins anew.
    fn spent(taken: &[u8], since: u32) -> u32 {
        let now = time::phase();
        let ticks = if now <= since { since - now } else { since + CORE_HZ / 1_000 - now };
        if let [code, length, payload @ ..] = taken
            && payload.len() == usize::from(*length)
        {
            defmt::info!("spent on {=u8:02x}: {} instructions", code, ticks * TICK);
        }
        ticks * TICK
    }
}

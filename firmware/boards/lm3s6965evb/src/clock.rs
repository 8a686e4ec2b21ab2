//! 50 MHz from the board's 8 MHz crystal, and power for what is used.

use cortex_m::asm;

use crate::registers::{port_f, system::*};

pub const CORE_HZ: u32 = 50_000_000;

/// In cycles of the start-up oscillator (12 MHz, give or take 30 %): at least 5 ms for the crystal to swing.
const CRYSTAL_SETTLES: u32 = 80_000;
/// Looks at the PLL before giving up on it; it locks within half a millisecond.
const PLL_LOOKS: u32 = 100_000;

/// Starts the clocks. How often the PLL was looked at before it held: two clocks raced there, so it is a source of
/// entropy. `None`: it never held, and the chip runs on, slowly, from the crystal alone.
pub fn start() -> Option<u32> {
    // The first silicon needs more than its reset voltage at 50 MHz (the chip's errata).
    if DID0.read() & DID0_REVISION == DID0_REVISION_A2 {
        LDOPCTL.write(LDOPCTL_2_75_V);
    }
    // The steps and their order are the data sheet's (5.3, initialization and configuration).
    let mut rcc = (RCC.read() | RCC_BYPASS) & !RCC_USESYSDIV;
    RCC.write(rcc);
    rcc &= !RCC_MOSCDIS;
    RCC.write(rcc);
    asm::delay(CRYSTAL_SETTLES);
    rcc = (rcc & !(RCC_XTAL | RCC_OSCSRC | RCC_PWRDN | RCC_OEN)) | RCC_XTAL_8_MHZ;
    RCC.write(rcc);
    rcc = (rcc & !RCC_SYSDIV) | RCC_SYSDIV_4 | RCC_USESYSDIV;
    RCC.write(rcc);
    let looks = (0..PLL_LOOKS).find(|_| RIS.read() & RIS_PLL_LOCKED != 0);
    if looks.is_some() {
        RCC.write(rcc & !RCC_BYPASS);
    }
    RCGC2.set(RCGC2_EPHY0 | RCGC2_EMAC0 | RCGC2_GPIOF);
    // A gated block may be touched three cycles after its clock was let through.
    asm::delay(3);
    port_f::AFSEL.set(port_f::LED0_AND_LED1);
    port_f::DEN.set(port_f::LED0_AND_LED1);
    looks
}

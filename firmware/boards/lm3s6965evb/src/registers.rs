//! Every memory-mapped register that this board touches, and the only code that touches them.
//!
//! Names and bits are those of the LM3S6965's data sheet. The chip has no DMA that these registers steer: no value
//! written here can make the hardware write to memory.
#![allow(unsafe_code, reason = "memory-mapped registers")]

use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::NVIC;

/// One 32-bit register. Only this file can make one.
#[derive(Clone, Copy)]
pub struct Register(usize);

impl Register {
    #[inline(always)]
    pub fn read(self) -> u32 {
        // SAFETY: the address is one of the constants of this file, each an aligned register of the chip that may be
        // read at any time. What reading changes (a FIFO moves on) is the hardware's, not memory's.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    #[inline(always)]
    pub fn write(self, value: u32) {
        // SAFETY: as in `read`; and as the head says, no write makes the hardware touch memory.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    /// Not atomic: for registers that no interrupt handler touches.
    pub fn set(self, bits: u32) {
        self.write(self.read() | bits);
    }
}

/// System control.
pub mod system {
    use super::Register;

    const BASE: usize = 0x400F_E000;
    /// Which silicon this is.
    pub const DID0: Register = Register(BASE);
    pub const DID0_REVISION: u32 = 0xFFFF;
    pub const DID0_REVISION_A2: u32 = 0x0002;
    /// The core's supply voltage.
    pub const LDOPCTL: Register = Register(BASE + 0x034);
    pub const LDOPCTL_2_75_V: u32 = 0x1B;
    pub const RIS: Register = Register(BASE + 0x050);
    pub const RIS_PLL_LOCKED: u32 = 1 << 6;
    pub const RCC: Register = Register(BASE + 0x060);
    pub const RCC_SYSDIV: u32 = 0xF << 23;
    pub const RCC_SYSDIV_4: u32 = 3 << 23;
    pub const RCC_USESYSDIV: u32 = 1 << 22;
    pub const RCC_PWRDN: u32 = 1 << 13;
    pub const RCC_OEN: u32 = 1 << 12;
    pub const RCC_BYPASS: u32 = 1 << 11;
    pub const RCC_XTAL: u32 = 0xF << 6;
    pub const RCC_XTAL_8_MHZ: u32 = 0xE << 6;
    pub const RCC_OSCSRC: u32 = 3 << 4;
    pub const RCC_MOSCDIS: u32 = 1;
    /// Clock gates: the analogue converter and the watchdog.
    pub const RCGC0: Register = Register(BASE + 0x100);
    pub const RCGC0_ADC: u32 = 1 << 16;
    pub const RCGC0_WDT: u32 = 1 << 3;
    /// Clock gates: Ethernet and ports.
    pub const RCGC2: Register = Register(BASE + 0x108);
    pub const RCGC2_EPHY0: u32 = 1 << 30;
    pub const RCGC2_EMAC0: u32 = 1 << 28;
    pub const RCGC2_GPIOF: u32 = 1 << 5;
    /// Where the board's maker left the station address, three bytes in each.
    pub const USER_REG0: Register = Register(BASE + 0x1E0);
    pub const USER_REG1: Register = Register(BASE + 0x1E4);
}

/// The watchdog.
pub mod watchdog {
    use super::Register;

    const BASE: usize = 0x4000_0000;
    /// Counts down from here, in cycles of the core.
    pub const LOAD: Register = Register(BASE);
    pub const VALUE: Register = Register(BASE + 0x004);
    pub const CTL: Register = Register(BASE + 0x008);
    /// Once started, it can't be stopped.
    pub const CTL_START: u32 = 1;
    /// The second time it comes to zero, the chip is reset.
    pub const CTL_RESET: u32 = 1 << 1;
    pub const ICR: Register = Register(BASE + 0x00C);
    pub const TEST: Register = Register(BASE + 0x418);
    /// Stands still while a debugger holds the core.
    pub const TEST_STALL: u32 = 1 << 8;
    pub const LOCK: Register = Register(BASE + 0xC00);
    pub const LOCK_OPEN: u32 = 0x1ACC_E551;
    pub const LOCK_SHUT: u32 = 0;
}

/// The analogue converter, of which only the fourth sequencer is used.
pub mod adc {
    use super::Register;

    const BASE: usize = 0x4003_8000;
    pub const ACTSS: Register = Register(BASE);
    pub const RIS: Register = Register(BASE + 0x004);
    pub const ISC: Register = Register(BASE + 0x00C);
    pub const PSSI: Register = Register(BASE + 0x028);
    pub const SSCTL3: Register = Register(BASE + 0x0A4);
    pub const SSFIFO3: Register = Register(BASE + 0x0A8);
    /// The fourth sequencer's bit in each of the first four.
    pub const SEQUENCER_3: u32 = 1 << 3;
    /// One sample, of the temperature, that tells when it is there.
    pub const SSCTL3_TEMPERATURE: u32 = 1 << 3 | 1 << 2 | 1 << 1;
}

/// Port F, which carries the two lamps of the Ethernet jack.
pub mod port_f {
    use super::Register;

    const BASE: usize = 0x4002_5000;
    pub const AFSEL: Register = Register(BASE + 0x420);
    pub const DEN: Register = Register(BASE + 0x51C);
    pub const LED0_AND_LED1: u32 = 1 << 3 | 1 << 2;
}

/// The Ethernet controller.
pub mod mac {
    use super::Register;

    const BASE: usize = 0x4004_8000;
    /// Read: what happened. Write: that is dealt with.
    pub const RIS_IACK: Register = Register(BASE);
    pub const IM: Register = Register(BASE + 0x04);
    pub const INT_RX: u32 = 1;
    pub const INT_TXER: u32 = 1 << 1;
    pub const INT_TXEMP: u32 = 1 << 2;
    pub const INT_FOV: u32 = 1 << 3;
    pub const INT_RXER: u32 = 1 << 4;
    pub const INT_ALL: u32 = 0x7F;
    pub const RCTL: Register = Register(BASE + 0x08);
    pub const RCTL_RXEN: u32 = 1;
    pub const RCTL_AMUL: u32 = 1 << 1;
    pub const RCTL_BADCRC: u32 = 1 << 3;
    pub const RCTL_RSTFIFO: u32 = 1 << 4;
    pub const TCTL: Register = Register(BASE + 0x0C);
    pub const TCTL_TXEN: u32 = 1;
    pub const TCTL_PADEN: u32 = 1 << 1;
    pub const TCTL_CRC: u32 = 1 << 2;
    pub const TCTL_DUPLEX: u32 = 1 << 4;
    pub const DATA: Register = Register(BASE + 0x10);
    pub const IA0: Register = Register(BASE + 0x14);
    pub const IA1: Register = Register(BASE + 0x18);
    pub const MCTL: Register = Register(BASE + 0x20);
    pub const MCTL_START: u32 = 1;
    pub const MCTL_REGADR_SHIFT: u32 = 3;
    pub const MDV: Register = Register(BASE + 0x24);
    pub const MRXD: Register = Register(BASE + 0x30);
    pub const NP: Register = Register(BASE + 0x34);
    pub const NP_COUNT: u32 = 0x3F;
    pub const TR: Register = Register(BASE + 0x38);
    pub const TR_NEWTX: u32 = 1;
}

/// The Ethernet controller's interrupt.
#[derive(Clone, Copy)]
pub struct EthernetInterrupt;

// SAFETY: 42 is this interrupt's place in the chip's vector table, and always the same.
unsafe impl InterruptNumber for EthernetInterrupt {
    fn number(self) -> u16 {
        42
    }
}

/// From here on the handler in `vectors` may run.
pub fn unmask_ethernet() {
    // SAFETY: no code relies on this interrupt being masked for its critical section.
    unsafe { NVIC::unmask(EthernetInterrupt) };
}

//! Registers by their addresses: Arm's application note 385, and SMSC's data sheet of the LAN9118.
#![allow(unsafe_code, reason = "memory-mapped registers")]

/// A word of a peripheral.
#[derive(Clone, Copy)]
pub struct Register(usize);

impl Register {
    pub fn read(self) -> u32 {
        // SAFETY: every constant below is an aligned register of this machine, and none of them makes the machine write to
        // memory: there is no DMA.
        unsafe { core::ptr::without_provenance::<u32>(self.0).read_volatile() }
    }

    pub fn write(self, value: u32) {
        // SAFETY: as above.
        unsafe { core::ptr::without_provenance_mut::<u32>(self.0).write_volatile(value) }
    }

    /// Whether `holds` holds of it soon.
    pub fn comes_to(self, holds: impl Fn(u32) -> bool) -> bool {
        const LOOKS: u32 = 100_000;
        (0..LOOKS).any(|_| holds(self.read()))
    }
}

pub mod watchdog {
    use super::Register;

    pub const LOAD: Register = Register(0x4000_8000);
    pub const VALUE: Register = Register(0x4000_8004);
    pub const CONTROL: Register = Register(0x4000_8008);
    /// It counts, barks and bites.
    pub const CONTROL_ON: u32 = 3;
    pub const CLEAR: Register = Register(0x4000_800C);
    pub const LOCK: Register = Register(0x4000_8C00);
    pub const LOCK_OPEN: u32 = 0x1ACC_E551;
    pub const LOCK_SHUT: u32 = 0;
}

pub mod lan {
    use super::Register;

    const fn at(offset: usize) -> Register {
        Register(0x4020_0000 + offset)
    }

    pub const RX_DATA: Register = at(0x00);
    pub const TX_DATA: Register = at(0x20);
    pub const RX_STATUS: Register = at(0x40);
    pub const RX_STATUS_ERROR: u32 = 1 << 15;
    pub const TX_STATUS: Register = at(0x48);
    pub const ID_REV: Register = at(0x50);
    pub const IRQ_CFG: Register = at(0x54);
    /// Active high, push-pull, on.
    pub const IRQ_CFG_ON: u32 = 1 << 8 | 1 << 4 | 1;
    pub const INT_STS: Register = at(0x58);
    pub const INT_EN: Register = at(0x5C);
    /// More frames are held than FIFO_INT says.
    pub const INT_RECEIVED: u32 = 1 << 3;
    pub const FIFO_INT: Register = at(0x68);
    pub const TX_CFG: Register = at(0x70);
    pub const TX_CFG_ON: u32 = 1 << 1;
    pub const HW_CFG: Register = at(0x74);
    pub const HW_CFG_RESET: u32 = 1;
    /// Frames leave when they are whole; 5 KB are for them.
    pub const HW_CFG_STORE: u32 = 1 << 20 | 5 << 16;
    pub const RX_CONTROL: Register = at(0x78);
    pub const RX_CONTROL_SKIP: u32 = 1 << 31;
    pub const RX_HELD: Register = at(0x7C);
    pub const TX_HELD: Register = at(0x80);
    pub const MAC_COMMAND: Register = at(0xA4);
    pub const MAC_BUSY: u32 = 1 << 31;
    pub const MAC_READ: u32 = 1 << 30;
    pub const MAC_DATA: Register = at(0xA8);
    pub const AFC_CFG: Register = at(0xAC);
    /// Flow control at the levels that the data sheet proposes.
    pub const AFC_CFG_USUAL: u32 = 0x006E_3740;

    // Registers of the MAC, by number.
    pub const MAC_CONTROL: u32 = 1;
    /// Full duplex, all groups, transmitter and receiver on.
    pub const MAC_CONTROL_ON: u32 = 1 << 20 | 1 << 19 | 1 << 3 | 1 << 2;
    pub const MAC_ADDRESS_HIGH: u32 = 2;
    pub const MAC_ADDRESS_LOW: u32 = 3;
    pub const MAC_PHY: u32 = 6;
    pub const MAC_PHY_DATA: u32 = 7;
}

//! What the cable says, over the MAC's management registers.

use crate::registers::mac::*;

/// The management clock may have 2.5 MHz at most: 50 MHz / (2 * (9 + 1)).
const DIVISOR: u32 = 9;
/// A transfer takes 64 management clocks, that is 1,280 cycles; a look takes more than 4.
const LOOKS: u32 = 1_000;

/// The PHY's own registers.
const MR1_STATUS: u32 = 1;
const MR1_LINK: u32 = 1 << 2;
const MR1_NEGOTIATED: u32 = 1 << 5;
const MR2_IDENTITY: u32 = 2;
const MR18_DIAGNOSTIC: u32 = 18;
const MR18_FULL_DUPLEX: u32 = 1 << 11;

/// What hangs on the MAC.
#[derive(Clone, Copy, PartialEq, Eq, defmt::Format)]
pub enum Phy {
    /// Nothing answers, as in an emulator: take the link for up.
    Absent,
    Present,
}

/// The state of the cable.
#[derive(Clone, Copy, PartialEq, Eq, defmt::Format)]
pub enum Cable {
    Out,
    HalfDuplex,
    FullDuplex,
}

impl Phy {
    pub fn find() -> Self {
        MDV.write(DIVISOR);
        match read(MR2_IDENTITY) {
            None | Some(0 | 0xFFFF) => Self::Absent,
            Some(_) => Self::Present,
        }
    }

    pub fn cable(self) -> Cable {
        if self == Self::Absent {
            return Cable::FullDuplex;
        }
        // The link bit stays low until it is read, once it was: the second reading is of now.
        let _ = read(MR1_STATUS);
        let up = MR1_LINK | MR1_NEGOTIATED;
        if read(MR1_STATUS).is_none_or(|status| status & up != up) {
            return Cable::Out;
        }
        match read(MR18_DIAGNOSTIC) {
            Some(diagnostic) if diagnostic & MR18_FULL_DUPLEX != 0 => Cable::FullDuplex,
            _ => Cable::HalfDuplex,
        }
    }
}

/// One register, or `None` if the transfer does not end.
fn read(register: u32) -> Option<u32> {
    idle()?;
    MCTL.write(register << MCTL_REGADR_SHIFT | MCTL_START);
    idle()?;
    Some(MRXD.read() & 0xFFFF)
}

fn idle() -> Option<u32> {
    (0..LOOKS).find(|_| MCTL.read() & MCTL_START == 0)
}

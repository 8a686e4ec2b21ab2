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
    Present,
    /// Nothing answers, as in an emulator: take the link for up.
    Absent,
}

/// The state of the cable.
#[derive(Clone, Copy, PartialEq, Eq, defmt::Format)]
pub enum Cable {
    Out,
    In { full_duplex: bool },
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
            return Cable::In { full_duplex: true };
        }
        // The link bit stays low until it is read, once it was: the second reading is of now.
        let _ = read(MR1_STATUS);
        match read(MR1_STATUS) {
            Some(status) if status & MR1_LINK != 0 && status & MR1_NEGOTIATED != 0 => Cable::In {
                full_duplex: read(MR18_DIAGNOSTIC).is_some_and(|diagnostic| diagnostic & MR18_FULL_DUPLEX != 0),
            },
            _ => Cable::Out,
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

//! The machine's clock stands still at this.

pub const CORE_HZ: u32 = 25_000_000;

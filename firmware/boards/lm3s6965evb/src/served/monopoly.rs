//! Monopoly, one table.

use parlor_core::limits::BoardTable;
use parlor_core::pimp::server::Config;
use parlor_core::server::Millis;

pub type Served = BoardTable;
/// What it can be told by whoever starts the image.
pub type Settings = Config;

pub const PORT: u16 = 13220;

pub const fn new() -> Served {
    BoardTable::new()
}

pub fn begin(table: &mut Served, seed: &[u8; 32], config: &Config, now: Millis) {
    table.begin(seed, config, now);
}

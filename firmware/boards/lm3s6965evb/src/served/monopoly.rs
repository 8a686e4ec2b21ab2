//! Monopoly, one table.

use parlor_core::pimp::limits::BoardTable;
use parlor_core::server::Millis;
use parlor_firmware::settings::For;

pub type Served = BoardTable;
/// What it can be told by whoever starts the image.
pub type Settings = For<BoardTable>;

pub const PORT: u16 = 13220;

pub const fn new() -> Served {
    BoardTable::new()
}

pub fn begin(table: &mut Served, seed: &[u8; 32], For(config): &Settings, now: Millis) {
    table.begin(seed, config, now);
}

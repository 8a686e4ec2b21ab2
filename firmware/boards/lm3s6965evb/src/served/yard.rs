//! Scotland Yard, all games of one server.

use parlor_core::server::Millis;
use parlor_core::yard::limits::BoardYard;
use parlor_firmware::settings::For;

pub type Served = BoardYard;
/// What it can be told by whoever starts the image.
pub type Settings = For<BoardYard>;

pub const PORT: u16 = 7921;

pub const fn new() -> Served {
    BoardYard::new()
}

pub fn begin(yard: &mut Served, seed: &[u8; 32], For(config): &Settings, _now: Millis) {
    yard.begin(seed, config);
}

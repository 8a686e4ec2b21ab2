//! Scotland Yard, all games of one server.

use parlor_core::limits::BoardYard;
use parlor_core::server::Millis;
use parlor_firmware::settings::Yard;

pub type Served = BoardYard;
/// What it can be told by whoever starts the image.
pub type Settings = Yard;

pub const PORT: u16 = 7921;

pub const fn new() -> Served {
    BoardYard::new()
}

pub fn begin(yard: &mut Served, seed: &[u8; 32], settings: &Yard, _now: Millis) {
    yard.begin(seed, &settings.0);
}

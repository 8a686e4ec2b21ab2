//! Echo, the smallest server there is, with a gate before it: for tests of the board itself.

use parlor_core::echo::Echo;
use parlor_core::server::Millis;
use parlor_firmware::gate::{Gate, Hold};

use crate::LINKS;

pub type Served = Gate<Echo<LINKS, 4096>>;
/// What it can be told by whoever starts the image.
pub type Settings = Hold;

pub const PORT: u16 = 13220;

pub const fn new() -> Served {
    Gate::new(Echo::new())
}

/// Echo has nothing to draw by lot.
pub fn begin(gate: &mut Served, _seed: &[u8; 32], hold: &Hold, _now: Millis) {
    gate.begin(*hold);
}

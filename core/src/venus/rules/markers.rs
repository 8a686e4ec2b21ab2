//! What can lie under a ? box.

use crate::venus::pieces::Colour::{Blue, Red, Yellow};
use crate::venus::pieces::Contents::{self, Asteroid, Penalty, Station, Telegate};
use crate::venus::pieces::Relic;

/// All markers: 24 of them are laid, face down, the others stay unseen. The last belongs to the weapons.
pub const MARKERS: [Contents; 36] = [
    Telegate(1),
    Telegate(2),
    Telegate(3),
    Telegate(4),
    Telegate(5),
    Telegate(6),
    Station(None),
    Station(None),
    Station(None),
    Penalty(Red, 10),
    Penalty(Red, 20),
    Penalty(Red, 20),
    Penalty(Red, 30),
    Penalty(Red, 30),
    Penalty(Red, 40),
    Penalty(Yellow, 10),
    Penalty(Yellow, 20),
    Penalty(Yellow, 30),
    Penalty(Yellow, 40),
    Penalty(Blue, 10),
    Penalty(Blue, 10),
    Penalty(Blue, 20),
    Penalty(Blue, 20),
    Penalty(Blue, 30),
    Penalty(Blue, 30),
    Penalty(Blue, 40),
    Asteroid(Some(Relic::JumpStart)),
    Asteroid(Some(Relic::GateLock)),
    Asteroid(Some(Relic::YellowDrive)),
    Asteroid(Some(Relic::SwitchSwitch)),
    Asteroid(Some(Relic::Shield)),
    Asteroid(Some(Relic::AutoPilot)),
    Asteroid(Some(Relic::SpyEye)),
    Asteroid(Some(Relic::AirFoil)),
    Asteroid(Some(Relic::MulliganGear)),
    Asteroid(Some(Relic::Laser)),
];

/// How many markers there are in a game.
pub(super) const fn marker_count(weapons: bool) -> usize {
    if weapons { MARKERS.len() } else { MARKERS.len() - 1 }
}

//! A small board of our own for tests: three cultures, an empty system, two circles, four ? boxes. The number of a row
//! stands behind it.

use super::Kind::{Asteroid, City, Qbox, SpaceCity};
use super::pack::{Row, by, fly, name_bytes, names, qboxes, row, spots, text, to, way_count, ways};
use super::{Board, Kind, Lives, Region};
use crate::venus::pieces::Colour::{Blue, Red, Yellow};

const BLUE: Kind = Kind::Dot(Blue);
const YELLOW: Kind = Kind::Dot(Yellow);
const RED: Kind = Kind::Dot(Red);

pub static POCKET: Board = Board {
    spots: &spots(&ROWS),
    ways: &ways::<{ way_count(&ROWS) }>(&ROWS),
    names: text(&names::<{ name_bytes(&ROWS) }>(&ROWS)),
    regions: &REGIONS,
    qboxes: &qboxes::<4>(&ROWS),
    ports: &[3, 4, 7, 13],
};

static REGIONS: [Region; 5] = [
    Region { name: "Hub", first: 0, end: 1, lives: Lives::Base },
    Region { name: "Ember", first: 1, end: 7, lives: Lives::Culture },
    Region { name: "Loom", first: 7, end: 11, lives: Lives::Culture },
    Region { name: "Drift", first: 11, end: 16, lives: Lives::Culture },
    Region { name: "Void", first: 22, end: 24, lives: Lives::Nobody },
];

#[rustfmt::skip]
const ROWS: [Row; 24] = [
    // Hub
    row("Hub", SpaceCity, &[to(16), to(18)]), // 0
    // Ember
    row("Ember City", City, &[fly(2), to(3)]), // 1
    row("Cinder City", City, &[fly(1), to(4)]), // 2
    row("ember_1", BLUE, &[to(1), to(17), to(5)]), // 3
    row("ember_2", BLUE, &[to(2), to(6), to(20)]), // 4
    row("ember_3", Qbox, &[to(3), to(6)]), // 5
    row("ember_4", Kind::Penalty(Yellow, 20), &[to(5), to(4)]), // 6
    // Loom
    row("loom_1", BLUE, &[by(12, 18), by(34, 8), by(56, 9)]), // 7
    row("loom_2", SpaceCity, &[to(7), to(10)]), // 8
    row("loom_3", Qbox, &[to(7), to(10)]), // 9
    row("loom_4", BLUE, &[by(1, 8), by(26, 9), by(35, 19), by(4, 22)]), // 10
    // Drift
    row("drift_1", Asteroid, &[to(19), to(13), to(14)]), // 11
    row("Drift City", City, &[to(13)]), // 12
    row("drift_3", BLUE, &[to(12), to(11), to(15)]), // 13
    row("drift_4", Kind::Penalty(Red, 40), &[to(11), to(15)]), // 14
    row("drift_5", Qbox, &[to(13), to(14), to(21)]), // 15
    // Between them
    row("hub_ember_1", RED, &[to(0), to(17)]), // 16
    row("hub_ember_2", YELLOW, &[to(16), to(3)]), // 17
    row("hub_loom_1", YELLOW, &[to(0), to(7)]), // 18
    row("loom_drift_1", RED, &[to(10), to(11)]), // 19
    row("ember_drift_1", RED, &[to(4), to(21)]), // 20
    row("ember_drift_2", YELLOW, &[to(20), to(15)]), // 21
    // Void
    row("void_1", Kind::Penalty(Blue, 10), &[to(10), to(23)]), // 22
    row("void_2", Qbox, &[to(22)]), // 23
];

//! The lists of links turned into each station's own list, by the compiler.

use super::links::{BUS, FERRY, TAXI, UNDERGROUND};
use super::{STATIONS, Station};
use crate::yard::pieces::Ticket;

/// A kind of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Taxi,
    Bus,
    Underground,
    Ferry,
}

impl Line {
    pub const ALL: [Self; 4] = [Self::Taxi, Self::Bus, Self::Underground, Self::Ferry];
}

const ENDS: usize = 2 * (TAXI.len() + BUS.len() + UNDERGROUND.len() + FERRY.len());

struct Network {
    /// The other ends of all lines: a station's lie together, by kind, then by number.
    ends: [u8; ENDS],
    /// Where a station's begin.
    first: [u16; STATIONS + 1],
    /// How many of each kind, four bits each, taxi lowest.
    counts: [u16; STATIONS],
}

static NETWORK: Network = network();

/// What the network takes of an image.
pub const NETWORK_BYTES: usize = size_of::<Network>();

#[allow(clippy::indexing_slicing, reason = "run by the compiler alone, which would refuse it")]
const fn network() -> Network {
    let mut network = Network { ends: [0; ENDS], first: [0; STATIONS + 1], counts: [0; STATIONS] };
    let kinds: [&[(u8, u8)]; 4] = [&TAXI, &BUS, &UNDERGROUND, &FERRY];
    let mut kind = 0;
    while kind < kinds.len() {
        let mut n = 0;
        while n < kinds[kind].len() {
            let (a, b) = kinds[kind][n];
            network.counts[a as usize - 1] += 1 << (4 * kind);
            network.counts[b as usize - 1] += 1 << (4 * kind);
            n += 1;
        }
        kind += 1;
    }
    let mut station = 0;
    while station < STATIONS {
        let counts = network.counts[station];
        let degree = (counts & 15) + (counts >> 4 & 15) + (counts >> 8 & 15) + (counts >> 12);
        network.first[station + 1] = network.first[station] + degree;
        station += 1;
    }
    // Each list is sorted by its first station, then its second: so each station hears first of its lower neighbours
    // and then of its higher ones, both in order.
    let mut filled = network.first;
    let mut kind = 0;
    while kind < kinds.len() {
        let mut n = 0;
        while n < kinds[kind].len() {
            let (a, b) = kinds[kind][n];
            network.ends[filled[b as usize - 1] as usize] = a - 1;
            filled[b as usize - 1] += 1;
            n += 1;
        }
        let mut n = 0;
        while n < kinds[kind].len() {
            let (a, b) = kinds[kind][n];
            network.ends[filled[a as usize - 1] as usize] = b - 1;
            filled[a as usize - 1] += 1;
            n += 1;
        }
        kind += 1;
    }
    network
}

/// Indices of the stations at the other ends of these kinds of lines, which must follow each other.
fn part(station: Station, from: u32, kinds: u32) -> &'static [u8] {
    let counts = NETWORK.counts.get(station.index()).copied().unwrap_or_default();
    let count = |kind: u32| usize::from(counts >> (4 * kind) & 15);
    let first = NETWORK.first.get(station.index()).copied().map_or(0, usize::from);
    let start = first + (0..from).map(count).sum::<usize>();
    let length: usize = (from..from + kinds).map(count).sum();
    NETWORK.ends.get(start..start + length).unwrap_or_default()
}

pub(super) fn ends(station: Station, line: Line) -> &'static [u8] {
    part(station, line as u32, 1)
}

pub(super) fn rides(station: Station, ticket: Ticket) -> &'static [u8] {
    match ticket {
        Ticket::Black => part(station, 0, 4),
        Ticket::Taxi | Ticket::Bus | Ticket::Underground => part(station, ticket as u32, 1),
    }
}

//! The board: 199 stations and the 468 links between them.
//!
//! The links are written down once in `links.rs`; the compiler makes of them a network of 1,734 bytes, which
//! is all that an image holds. Where stations are drawn is in [`places`], and no rule looks there.
//!
//! What can never happen here: a panic, a station that is not on the board.

mod links;
mod network;
pub mod places;
mod set;

pub use network::{Line, NETWORK_BYTES};
pub use set::StationSet;

use super::pieces::Ticket;

/// How many stations there are.
pub const STATIONS: usize = 199;

/// A station of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Station(u8);

impl Station {
    /// Station 1: all zero bytes.
    pub const FIRST: Self = Self(0);

    /// By its number on the board, 1 to 199.
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number as usize <= STATIONS { Some(Self(number - 1)) } else { None }
    }

    const fn at(index: u8) -> Self {
        Self(index)
    }

    pub const fn number(self) -> u8 {
        self.0 + 1
    }

    /// From 0: its place in a list of all.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..STATIONS as u8).map(Self)
    }

    /// The stations at the other ends of its lines of one kind.
    pub fn ends(self, line: Line) -> impl Iterator<Item = Self> + Clone {
        network::ends(self, line).iter().copied().map(Self::at)
    }

    /// Where a ticket takes a pawn from here; a station with two lines to it comes twice with a black one.
    pub fn rides(self, ticket: Ticket) -> impl Iterator<Item = Self> + Clone {
        network::rides(self, ticket).iter().copied().map(Self::at)
    }

    /// Does this ticket lead there?
    pub fn leads(self, to: Self, ticket: Ticket) -> bool {
        self.rides(ticket).any(|end| end == to)
    }

    /// Its lines of all kinds.
    pub fn degree(self) -> usize {
        network::rides(self, Ticket::Black).len()
    }
}

/// Where pawns may start: 18 stations, drawn without repeat (the board of 1983).
pub const STARTS: [Station; 18] = {
    let numbers = [13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 132, 138, 141, 155, 174, 197, 198];
    let mut starts = [Station(0); 18];
    let mut n = 0;
    #[allow(clippy::indexing_slicing, reason = "run by the compiler alone")]
    while n < starts.len() {
        starts[n] = Station(numbers[n] - 1);
        n += 1;
    }
    starts
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn station(number: u8) -> Station {
        Station::new(number).unwrap()
    }

    fn ends(number: u8, line: Line) -> Vec<u8> {
        station(number).ends(line).map(Station::number).collect()
    }

    #[test]
    fn stations_are_numbered_from_1_to_199() {
        assert_eq!((Station::new(0), Station::new(200)), (None, None));
        assert_eq!((station(1).number(), station(199).number()), (1, 199));
        assert_eq!(Station::all().count(), 199);
    }

    #[test]
    fn the_links_are_346_99_20_and_3() {
        let counted = Line::ALL.map(|line| Station::all().map(|s| s.ends(line).count()).sum::<usize>());
        assert_eq!(counted, [2 * 346, 2 * 99, 2 * 20, 2 * 3]);
    }

    #[test]
    fn every_line_runs_both_ways_and_none_to_itself_or_twice() {
        for from in Station::all() {
            for line in Line::ALL {
                let there: Vec<Station> = from.ends(line).collect();
                assert!(there.windows(2).all(|two| two[0] < two[1]), "{from:?} {line:?}");
                assert!(there.iter().all(|to| *to != from && to.ends(line).any(|back| back == from)));
            }
        }
    }

    #[test]
    fn every_station_has_2_to_13_lines_and_one_is_a_taxi() {
        let degrees: Vec<usize> = Station::all().map(Station::degree).collect();
        assert_eq!((degrees.iter().min(), degrees.iter().max()), (Some(&2), Some(&13)));
        assert!(Station::all().all(|s| s.ends(Line::Taxi).count() > 0));
    }

    #[test]
    fn the_board_is_in_one_piece() {
        let mut seen = StationSet::EMPTY.with(station(1));
        for _ in 0..STATIONS {
            let reached: Vec<Station> = seen.iter().flat_map(|s| s.rides(Ticket::Taxi)).collect();
            reached.into_iter().for_each(|s| seen.insert(s));
        }
        assert_eq!(seen.len(), 199, "by taxi alone");
    }

    #[test]
    fn disputed_links_are_as_decided() {
        let leads = |from, to, ticket| station(from).leads(station(to), ticket);
        for (from, to) in [(13, 14), (198, 199), (58, 75), (99, 112), (159, 198)] {
            assert!(leads(from, to, Ticket::Taxi), "{from} {to}");
        }
        assert!(leads(13, 14, Ticket::Bus));
        assert!(!leads(187, 199, Ticket::Bus) && !leads(185, 199, Ticket::Bus));
        assert_eq!((ends(108, Line::Ferry), ends(115, Line::Ferry)), (std::vec![115], std::vec![108, 157]));
        assert_eq!((ends(157, Line::Ferry), ends(194, Line::Ferry)), (std::vec![115, 194], std::vec![157]));
    }

    #[test]
    fn tickets_take_a_pawn_where_their_lines_go() {
        assert_eq!(ends(1, Line::Taxi), [8, 9]);
        assert_eq!(ends(1, Line::Underground), [46]);
        let rides = |ticket| station(1).rides(ticket).map(Station::number).collect::<Vec<_>>();
        assert_eq!(rides(Ticket::Bus), [46, 58]);
        assert_eq!(rides(Ticket::Black), [8, 9, 46, 58, 46]);
        assert!(station(194).leads(station(157), Ticket::Black));
        assert!(!Ticket::ALL[..3].iter().any(|ticket| station(194).leads(station(157), *ticket)));
    }

    #[test]
    fn the_network_fits_two_kilobytes() {
        assert_eq!(NETWORK_BYTES, 1734);
    }
}

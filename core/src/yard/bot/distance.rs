//! How many moves away every station is.

use crate::yard::map::{STATIONS, Station};
use crate::yard::pieces::Ticket;
use crate::yard::wire::Purse;

/// Too far to matter.
pub(super) const FAR: u8 = 20;

/// Distances of all stations from somewhere.
pub(super) struct Distances([u8; STATIONS]);

impl Distances {
    pub const NONE: Self = Self([FAR; STATIONS]);

    /// How many moves a detective with these tickets needs; each kind of ticket counts as long as one is left.
    pub fn from(start: Station, purse: Purse) -> Self {
        let mut distances = Self::NONE;
        distances.set(start, 0);
        let mut queue = [start; STATIONS];
        let (mut read, mut written) = (0, 1);
        let has = |ticket: Ticket| purse.0.get(ticket.index()).is_some_and(|count| *count != 0);
        while let Some(from) = queue.get(read).copied().filter(|_| read < written) {
            read += 1;
            let next = distances.of(from).saturating_add(1);
            for ticket in [Ticket::Taxi, Ticket::Bus, Ticket::Underground].into_iter().filter(|ticket| has(*ticket)) {
                for to in from.rides(ticket) {
                    if distances.of(to) > next {
                        distances.set(to, next);
                        // Every station comes once: there is room.
                        if let Some(place) = queue.get_mut(written) {
                            *place = to;
                            written += 1;
                        }
                    }
                }
            }
        }
        distances
    }

    pub fn of(&self, station: Station) -> u8 {
        self.0.get(station.index()).copied().unwrap_or(FAR)
    }

    /// The nearer of the two, everywhere.
    pub fn nearer(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = (*mine).min(*theirs));
        self
    }

    fn set(&mut self, station: Station, distance: u8) {
        if let Some(place) = self.0.get_mut(station.index()) {
            *place = distance;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u8) -> Station {
        Station::new(number).unwrap()
    }

    #[test]
    fn tickets_make_the_way_shorter() {
        let all = Distances::from(at(1), Purse([9, 9, 9, 0, 0]));
        let walk = Distances::from(at(1), Purse([9, 0, 0, 0, 0]));
        assert_eq!([1, 8, 46, 58, 74].map(|n| all.of(at(n))), [0, 1, 1, 1, 2]);
        assert!(walk.of(at(46)) > 2 && walk.of(at(46)) < FAR);
        let none = Distances::from(at(1), Purse([0; 5]));
        assert_eq!((none.of(at(1)), none.of(at(8))), (0, FAR));
        assert!(Station::all().all(|station| all.of(station) < FAR));
        let both = Distances::from(at(199), Purse([9, 9, 9, 0, 0])).nearer(&all);
        assert_eq!((both.of(at(1)), both.of(at(199))), (0, 0));
    }
}

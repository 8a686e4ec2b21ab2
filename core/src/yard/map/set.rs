//! A set of stations, a bit each.

use super::Station;

const WORDS: usize = 7;

/// Some of the stations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StationSet([u32; WORDS]);

impl StationSet {
    pub const EMPTY: Self = Self([0; WORDS]);

    pub fn with(mut self, station: Station) -> Self {
        self.insert(station);
        self
    }

    pub fn insert(&mut self, station: Station) {
        if let Some(word) = self.0.get_mut(station.index() / 32) {
            *word |= 1 << (station.index() % 32);
        }
    }

    pub fn remove(&mut self, station: Station) {
        if let Some(word) = self.0.get_mut(station.index() / 32) {
            *word &= !(1 << (station.index() % 32));
        }
    }

    pub fn contains(&self, station: Station) -> bool {
        self.0.get(station.index() / 32).is_some_and(|word| word >> (station.index() % 32) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// In the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Station> + Clone + '_ {
        self.0.iter().zip(0u8..).flat_map(|(word, n)| {
            let mut left = *word;
            core::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(Station::at(n * 32 + bit as u8))
            })
        })
    }
}

impl FromIterator<Station> for StationSet {
    fn from_iter<I: IntoIterator<Item = Station>>(stations: I) -> Self {
        stations.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn all_stations_go_in_and_come_out_in_order() {
        let all: StationSet = Station::all().rev().collect();
        assert_eq!((all.len(), all.is_empty()), (199, false));
        assert!(all.iter().eq(Station::all()));
        let mut odd = all;
        Station::all().filter(|s| s.number() % 2 == 0).for_each(|s| odd.remove(s));
        assert_eq!(odd.iter().map(Station::number).collect::<Vec<_>>(), (1..200).step_by(2).collect::<Vec<_>>());
        assert!(odd.contains(Station::new(199).unwrap()) && !odd.contains(Station::new(198).unwrap()));
        assert!(StationSet::EMPTY.is_empty() && StationSet::EMPTY.iter().next().is_none());
    }
}

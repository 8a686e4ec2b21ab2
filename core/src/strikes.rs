//! Who does too often what nobody should do often, counted by address: wrong passwords, new accounts.
//!
//! What can never happen here: an allocation, more memory for more addresses. Whoever has done least makes room for a new
//! one.

use crate::server::Millis;

/// How often is too often, and after how many milliseconds one is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    pub most: u16,
    pub forgets: u32,
}

/// One address.
#[derive(Clone, Copy)]
struct Known {
    address: u128,
    count: u16,
    /// Up to here it was forgotten.
    since: Millis,
}

/// Remembers so many addresses at once. New, it is all zero bytes.
pub struct Strikes<const ADDRESSES: usize> {
    known: [Known; ADDRESSES],
}

impl<const ADDRESSES: usize> Strikes<ADDRESSES> {
    pub const fn new() -> Self {
        Self { known: [Known { address: 0, count: 0, since: Millis(0) }; ADDRESSES] }
    }

    /// Whether it may be done once more from this address. Which addresses count as one is the adapter's to choose.
    pub fn may(&mut self, address: u128, patience: Patience, now: Millis) -> bool {
        let found = self.known.iter_mut().find(|known| known.address == address);
        found.is_none_or(|known| {
            known.forget(now, patience.forgets);
            known.count < patience.most
        })
    }

    /// It was done.
    pub fn count(&mut self, address: u128, patience: Patience, now: Millis) {
        self.known.iter_mut().for_each(|known| known.forget(now, patience.forgets));
        let least = |known: &&mut Known| (known.address != address || known.count == 0, known.count);
        let Some(known) = self.known.iter_mut().min_by_key(least) else { return };
        if known.address != address || known.count == 0 {
            *known = Known { address, count: 0, since: now };
        }
        known.count = known.count.saturating_add(1).min(patience.most);
    }
}

impl<const ADDRESSES: usize> Default for Strikes<ADDRESSES> {
    fn default() -> Self {
        Self::new()
    }
}

impl Known {
    /// Time heals.
    fn forget(&mut self, now: Millis, after: u32) {
        let healed = now.since(self.since).checked_div(u64::from(after)).unwrap_or_default();
        self.count = self.count.saturating_sub(healed.min(u64::from(u16::MAX)) as u16);
        self.since = self.since.plus(healed.saturating_mul(u64::from(after)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience { most: 2, forgets: 1_000 };

    #[test]
    fn too_often_ends_with_time() {
        let mut strikes = Strikes::<4>::new();
        for _ in 0..3 {
            strikes.count(7, PATIENCE, Millis(500));
        }
        assert!(!strikes.may(7, PATIENCE, Millis(1_499)) && strikes.may(8, PATIENCE, Millis(1_499)));
        assert!(strikes.may(7, PATIENCE, Millis(1_500)));
    }

    #[test]
    fn whoever_did_least_makes_room() {
        let mut strikes = Strikes::<2>::new();
        for address in [1, 1, 2, 3] {
            strikes.count(address, PATIENCE, Millis(0));
        }
        assert!(!strikes.may(1, PATIENCE, Millis(0)));
        strikes.count(3, PATIENCE, Millis(0));
        assert!(!strikes.may(3, PATIENCE, Millis(0)) && strikes.may(2, PATIENCE, Millis(0)));
    }
}

//! What no client should do often, counted by address: wrong passwords, new accounts.
//!
//! What can never happen here: an allocation, more memory for more addresses. The address that did least makes room for
//! a new one.

use crate::server::Millis;

/// How often is too often, and after how many milliseconds one is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
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
pub struct Throttle<const ADDRESSES: usize> {
    known: [Known; ADDRESSES],
}

impl<const ADDRESSES: usize> Throttle<ADDRESSES> {
    pub const fn new() -> Self {
        Self { known: [Known { address: 0, count: 0, since: Millis(0) }; ADDRESSES] }
    }

    /// Whether it may be done once more from this address. Which addresses count as one is the adapter's to choose.
    pub fn may(&mut self, address: u128, allowance: Allowance, now: Millis) -> bool {
        let found = self.known.iter_mut().find(|known| known.address == address);
        found.is_none_or(|known| {
            known.forget(now, allowance.forgets);
            known.count < allowance.most
        })
    }

    /// It was done.
    pub fn count(&mut self, address: u128, allowance: Allowance, now: Millis) {
        self.known.iter_mut().for_each(|known| known.forget(now, allowance.forgets));
        let least = |known: &&mut Known| (known.address != address || known.count == 0, known.count);
        let Some(known) = self.known.iter_mut().min_by_key(least) else { return };
        if known.address != address || known.count == 0 {
            *known = Known { address, count: 0, since: now };
        }
        known.count = known.count.saturating_add(1).min(allowance.most);
    }
}

impl<const ADDRESSES: usize> Default for Throttle<ADDRESSES> {
    fn default() -> Self {
        Self::new()
    }
}

impl Known {
    /// One is forgotten each `after` milliseconds.
    fn forget(&mut self, now: Millis, after: u32) {
        let healed = now.since(self.since).checked_div(u64::from(after)).unwrap_or_default();
        self.count = self.count.saturating_sub(healed.min(u64::from(u16::MAX)) as u16);
        self.since = self.since.plus(healed.saturating_mul(u64::from(after)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWANCE: Allowance = Allowance { most: 2, forgets: 1_000 };

    #[test]
    fn too_often_ends_with_time() {
        let mut throttle = Throttle::<4>::new();
        for _ in 0..3 {
            throttle.count(7, ALLOWANCE, Millis(500));
        }
        assert!(!throttle.may(7, ALLOWANCE, Millis(1_499)) && throttle.may(8, ALLOWANCE, Millis(1_499)));
        assert!(throttle.may(7, ALLOWANCE, Millis(1_500)));
    }

    #[test]
    fn whoever_did_least_makes_room() {
        let mut throttle = Throttle::<2>::new();
        for address in [1, 1, 2, 3] {
            throttle.count(address, ALLOWANCE, Millis(0));
        }
        assert!(!throttle.may(1, ALLOWANCE, Millis(0)));
        throttle.count(3, ALLOWANCE, Millis(0));
        assert!(!throttle.may(3, ALLOWANCE, Millis(0)) && throttle.may(2, ALLOWANCE, Millis(0)));
    }
}

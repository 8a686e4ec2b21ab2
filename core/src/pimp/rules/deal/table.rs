//! The open deals of one game, by ascending id.
//!
//! What can never happen here: two deals with one id, or a trade in a slot that is kept for debts.

use heapless::Vec;

use super::super::{PLAYERS, UserId};
use super::{Cause, Deal};

/// Debts that can be open at once (pimp 13.2): 3P /* rents of three moves */ + 2(P-1)⌈P/5⌉ /* the two cards that every
/// other player pays or is paid by */ + P /* fees */ + 1 /* what holds the game */ = 61.
pub const DEBTS: usize = 3 * PLAYERS + 2 * (PLAYERS - 1) * PLAYERS.div_ceil(5) + PLAYERS + 1;
/// Trades have slots of their own: no number of trades leaves a debt without a place.
pub const TRADES: usize = 4 * PLAYERS;
/// Trades one player can be party to.
pub const TRADES_A_PARTY: usize = 8;
/// Trades one player can have asked for (pimp 12.1).
const TRADES_ASKED: usize = 4;

/// All open deals. New, it is all zero bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Deals {
    open: Vec<Deal, { DEBTS + TRADES }>,
}

impl Deals {
    pub const fn new() -> Self {
        Self { open: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.open.clear();
    }

    /// Puts one more at the end, as it was saved. Whether it has room; whether it is sound is audited later.
    #[cfg(feature = "postcard")]
    pub(in crate::pimp) fn push_saved(&mut self, deal: Deal) -> bool {
        self.open.push(deal).is_ok()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Deal> + Clone {
        self.open.iter()
    }

    /// The oldest.
    pub fn first(&self) -> Option<u32> {
        self.open.first().map(|deal| deal.id)
    }

    /// Those that a user is party to, ascending.
    pub fn of(&self, user: UserId) -> impl Iterator<Item = &Deal> + Clone {
        self.iter().filter(move |deal| deal.parties().contains(&user))
    }

    /// The next one of a user after `id` (0: the first). For walks during which deals end.
    pub(in super::super) fn next_of(&self, user: UserId, id: u32) -> Option<u32> {
        self.of(user).map(|deal| deal.id).find(|other| *other > id)
    }

    pub fn get(&self, id: u32) -> Option<&Deal> {
        let at = self.open.binary_search_by_key(&id, |deal| deal.id).ok()?;
        self.open.get(at)
    }

    pub(in super::super) fn get_mut(&mut self, id: u32) -> Option<&mut Deal> {
        let at = self.open.binary_search_by_key(&id, |deal| deal.id).ok()?;
        self.open.get_mut(at)
    }

    /// Gives the deal back if there is no place for it, or one with its id.
    pub(super) fn insert(&mut self, deal: Deal) -> Result<(), Deal> {
        let (trades, debts) = self.counts();
        let full = match deal.cause {
            Cause::Trade => trades >= TRADES,
            // At most one deal holds the game: it has the last slot for itself.
            cause => debts >= if cause.is_blocking() { DEBTS } else { DEBTS - 1 },
        };
        match self.open.binary_search_by_key(&deal.id, |other| other.id) {
            Err(at) if !full => {
                self.open.push(deal)?;
                if let Some(tail) = self.open.get_mut(at..).filter(|tail| !tail.is_empty()) {
                    tail.rotate_right(1);
                }
                Ok(())
            }
            _ => Err(deal),
        }
    }

    pub(super) fn remove(&mut self, id: u32) -> Option<Deal> {
        let at = self.open.binary_search_by_key(&id, |deal| deal.id).ok()?;
        self.open.get_mut(at..).filter(|tail| !tail.is_empty())?.rotate_left(1);
        self.open.pop()
    }

    /// A takeover: `new` is party to all deals of `old`.
    pub(in super::super) fn rename(&mut self, old: UserId, new: UserId) {
        let sides = self.open.iter_mut().flat_map(|deal| &mut deal.sides);
        sides.filter(|side| side.party == old).for_each(|side| side.party = new);
    }

    /// How many trades and how many debts are open.
    pub fn counts(&self) -> (usize, usize) {
        let trades = self.iter().filter(|deal| deal.is_trade()).count();
        (trades, self.open.len().saturating_sub(trades))
    }

    /// May `asker` ask `other` for one more trade?
    pub(super) fn has_room_for_trade(&self, asker: UserId, other: UserId) -> bool {
        let party_to = |user| self.of(user).filter(|deal| deal.is_trade()).count();
        let asked = self.of(asker).filter(|deal| deal.is_trade() && deal.parties().first() == Some(&asker)).count();
        let (trades, _) = self.counts();
        trades < TRADES && asked < TRADES_ASKED && party_to(asker).max(party_to(other)) < TRADES_A_PARTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_slots_are_as_the_sum_says() {
        assert_eq!((DEBTS, TRADES), (61, 32));
    }

    #[test]
    fn deals_are_kept_by_id() {
        let mut deals = Deals::new();
        for id in [5, 2, 9] {
            assert!(deals.insert(Deal::new(id, Cause::Fee, 0, 1, 10)).is_ok());
        }
        assert!(deals.insert(Deal::new(5, Cause::Fee, 0, 2, 10)).is_err());
        assert_eq!(deals.iter().map(|deal| deal.id).collect::<Vec<_>>(), [2, 5, 9]);
        assert_eq!((deals.next_of(1, 0), deals.next_of(1, 5), deals.next_of(1, 9)), (Some(2), Some(9), None));
        assert_eq!(deals.remove(5).map(|deal| deal.id), Some(5));
        assert!(deals.get(5).is_none() && deals.remove(5).is_none());
    }

    #[test]
    fn trades_never_take_the_place_of_debts() {
        let mut deals = Deals::new();
        for id in 0..TRADES as u32 {
            assert!(deals.insert(Deal::new(id, Cause::Trade, 1, 2, 0)).is_ok());
        }
        assert!(deals.insert(Deal::new(1000, Cause::Trade, 1, 2, 0)).is_err());
        for id in 101..100 + DEBTS as u32 {
            assert!(deals.insert(Deal::new(id, Cause::Fee, 0, 2, 1)).is_ok());
        }
        assert!(deals.insert(Deal::new(1000, Cause::Fee, 0, 2, 1)).is_err());
        assert!(deals.insert(Deal::new(1000, Cause::Jail, 0, 2, 50)).is_ok());
    }
}

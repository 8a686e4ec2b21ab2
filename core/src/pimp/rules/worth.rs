//! What a player could raise, and what that must be kept for (pimp 11, 16.1).
//!
//! What can never happen here: a change of the game.

use super::deal::{Deal, Side};
use super::{BANK, ClaimKind, Game, UserId};
use crate::pimp::board::{Card, Deed, DeedSet};

impl Game {
    /// Cash, the mortgage value of unmortgaged deeds, and what buildings bring when sold. Escrow does not count.
    pub fn worth(&self, user: UserId) -> u32 {
        self.deeds_of(user)
            .fold(self.cash(user), |sum, deed| sum.saturating_add(self.pledge(deed)).saturating_add(self.resale(deed)))
    }

    /// What the bank would lend on a deed now.
    pub(super) fn pledge(&self, deed: Deed) -> u32 {
        if self.standing(deed).mortgaged { 0 } else { deed.mortgage() }
    }

    /// What the bank would pay for the buildings on a deed; a hotel is five houses.
    pub(super) fn resale(&self, deed: Deed) -> u32 {
        deed.house_resale().saturating_mul(self.standing(deed).level.into())
    }

    /// The cards a player keeps, ascending.
    pub(super) fn cards_of(&self, user: UserId) -> impl Iterator<Item = Card> + '_ {
        Card::JAIL_CARDS.into_iter().filter(move |card| self.card_owner(*card) == user)
    }

    /// What a player owes, as (id in order of time, id to report, amount). An open rent claim counts: else rent is
    /// dodged by giving everything away before it is claimed; it is reported as 0, like 0xEC.
    fn liabilities(&self, user: UserId) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let deals = self.deals.of(user).map(move |deal| (deal.id, deal.id, deal.liability(user)));
        let claims = self.claims.iter().filter_map(move |claim| match claim.kind {
            ClaimKind::Rent { debtor, rent, .. } if debtor == user => Some((claim.id, 0, rent)),
            _ => None,
        });
        // A trade and bail are owed nothing, even by someone whose worth would fall below it.
        deals.chain(claims).filter(|(.., amount)| *amount > 0)
    }

    /// The oldest thing owed that could not be paid any more if the player's worth changed by `delta`; 0 is a claim. A
    /// player who loses nothing is never locked.
    pub(super) fn locked(&self, user: UserId, delta: i64) -> Option<u32> {
        if delta < 0 { self.short_of(user, delta, |_, _| true) } else { None }
    }

    /// The oldest thing owed, among those that `counts` admits, above the worth changed by `delta`.
    fn short_of(&self, user: UserId, delta: i64, counts: impl Fn(u32, u32) -> bool) -> Option<u32> {
        let worth = i64::from(self.worth(user)).saturating_add(delta);
        self.liabilities(user)
            .filter(|(id, told, amount)| counts(*id, *told) && i64::from(*amount) > worth)
            .min_by_key(|(id, ..)| *id)
            .map(|(_, told, _)| told)
    }

    /// What keeps a party from agreeing to a deal.
    ///
    /// A debtor who pays exactly what is owed looks only at older debts, and never waits for a mere claim, else a creditor
    /// who does not claim could hold the game. Other terms look at younger debts, too: else a small debt to an ally is a
    /// way to give everything to that ally (pimp 16.1).
    pub(super) fn locked_in(&self, deal: &Deal, user: UserId) -> Option<u32> {
        let (own, other) = deal.sides_of(user)?;
        let pays = deal.debtor() == Some(user) && !deal.is_unusual();
        let counts = |id: u32, told: u32| if pays { id < deal.id && told != 0 } else { id != deal.id };
        let delta = self.delta(own, other);
        let lost = if delta < 0 { self.short_of(user, delta, counts) } else { None };
        // A debtor who can't pay gives nothing away, whatever it would get for it (pimp 16.1). The bank is no ally.
        let gives = !own.deeds.is_empty() || !own.cards.is_empty();
        let given = if gives && deal.creditor() != Some(BANK) { self.short_of(user, 0, counts) } else { None };
        lost.or(given)
    }

    /// Received minus given: cash, what could be lent on the deeds, and the fees of mortgaged ones received.
    fn delta(&self, own: &Side, other: &Side) -> i64 {
        let value =
            |side: &Side| side.deeds.iter().fold(i64::from(side.cash), |sum, deed| sum + i64::from(self.pledge(deed)));
        value(other) - value(own) - i64::from(self.fees(other.deeds))
    }

    /// What the bank takes when these deeds change hands: a tenth of each mortgage.
    pub(super) fn fees(&self, deeds: DeedSet) -> u32 {
        deeds.iter().filter(|deed| self.standing(*deed).mortgaged).map(Deed::transfer_fee).sum()
    }

    /// The oldest debt that keeps a player from throwing (pimp 5.5.1).
    pub(super) fn debt_of(&self, user: UserId) -> Option<u32> {
        let debts = self.deals.of(user).filter(|deal| deal.keeps_from_throwing(user));
        debts.map(|deal| deal.id).next()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use crate::pimp::board::Square;

    #[test]
    fn worth_is_what_could_be_raised() {
        let mut table = Table::new(2);
        // 60 and 60 for the lots, a hotel of five and four houses at 25 each; Reading is mortgaged.
        table.own(1, &[0, 1, 2]).level(&[0], 5).level(&[1], 4).mortgaged(&[2]).cash(1, 7);
        assert_eq!(table.game.worth(1), 7 + 30 + 30 + 125 + 100);
        assert_eq!(table.game.worth(9), 0);
    }

    #[test]
    fn locks_name_the_oldest_debt_that_would_be_out_of_reach() {
        let mut table = Table::new(3);
        table.cash(1, 500).rent_debt(1, 2, 5, 300);
        table.rent_debt(1, 3, 5, 400);
        let locked = |table: &Table, delta| table.game.locked(1, delta);
        assert_eq!(locked(&table, -100), None);
        assert_eq!(locked(&table, -101), Some(2));
        assert_eq!(locked(&table, -201), Some(1));
        table.rent_claim(1, 3, 5, 450);
        assert_eq!(locked(&table, -51), Some(0), "a claim is reported as 0");
        assert_eq!(locked(&table, -201), Some(1), "and is not the oldest");
        table.cash(1, 0);
        assert_eq!(locked(&table, 0), None, "who loses nothing is not locked");
    }

    #[test]
    fn bail_locks_nothing_and_keeps_nobody_from_throwing() {
        let mut table = Table::new(2);
        table.cash(2, 20).run(|game, cx| game.open_jail(cx, 2));
        assert_eq!((table.game.locked(2, -20), table.game.debt_of(2)), (None, None));
        table.run(|game, cx| game.open_fee(cx, 2, 5));
        table.run(|game, cx| game.open_square(cx, 2, Square::LUXURY_TAX, 75));
        assert_eq!(table.game.debt_of(2), Some(2));
        assert_eq!(table.game.debt_of(1), None);
    }

    #[test]
    fn a_creditor_is_no_debtor() {
        let mut table = Table::new(2);
        table.cash(1, 0).rent_debt(2, 1, 5, 300);
        assert_eq!((table.game.locked(1, -1), table.game.debt_of(1)), (None, None));
    }
}

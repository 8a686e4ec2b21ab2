//! Steps back: a party that changes its offer, or whose belongings change, is in SETUP again (pimp 12.2).
//!
//! What can never happen here: a change of what a party gives that leaves its step as it was.

use super::super::{Cx, Game, Herald, UserId};
use super::{Step, tell, tell_both};
use crate::pimp::board::{Card, Deed};
use crate::pimp::wire::Message;

impl Game {
    /// Sends a user's side back to SETUP, and the other side from AGREED down to FINISHED.
    pub(super) fn reopen<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, user: UserId) {
        let Some((own, other)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(user)) else { return };
        if own.step == Step::Setup {
            return;
        }
        own.step = Step::Setup;
        tell(cx, user, Message::TransactionReopened { transaction: id });
        tell(cx, other.party, Message::TransactionOtherReopened { transaction: id });
        if other.step == Step::Agreed {
            other.step = Step::Finished;
            tell(cx, other.party, Message::TransactionFinished { transaction: id });
            tell(cx, user, Message::TransactionOtherFinished { transaction: id });
        }
    }

    /// Says so if a debt is not paid as expected; every time, for there is no "usual again" (pimp 12.2).
    pub(super) fn tell_unusual<H: Herald>(&self, cx: &mut Cx<'_, H>, id: u32) {
        if let Some(deal) = self.deals.get(id).filter(|deal| deal.is_unusual()) {
            tell_both(cx, deal.parties(), Message::TransactionUnusual { transaction: id });
        }
    }

    /// Sets what a user gives in cash and tells both; the caller has reopened the side.
    pub(super) fn set_offer<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, user: UserId, cash: u32) {
        let Some((own, other)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(user)) else { return };
        own.cash = cash;
        tell(cx, user, Message::TransactionCashSet { transaction: id, cash });
        tell(cx, other.party, Message::TransactionOtherCashSet { transaction: id, cash });
    }

    /// Takes a deed out of a user's offer and tells both, if it was there.
    pub(super) fn withdraw_deed<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, user: UserId, deed: Deed) {
        let Some((own, other)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(user)) else { return };
        if own.deeds.remove(deed) {
            let property = deed.id();
            tell(cx, user, Message::TransactionPropertyRemoved { transaction: id, property });
            tell(cx, other.party, Message::TransactionOtherPropertyRemoved { transaction: id, property });
        }
    }

    /// Takes a card out of a user's offer and tells both, if it was there.
    pub(super) fn withdraw_card<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, user: UserId, card: Card) {
        let Some((own, other)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(user)) else { return };
        if own.cards.contains(card) {
            own.cards.remove(card);
            let card = card.id();
            tell(cx, user, Message::TransactionCardRemoved { transaction: id, card });
            tell(cx, other.party, Message::TransactionOtherCardRemoved { transaction: id, card });
        }
    }

    /// After a user lost cash: no offer stays above what is left.
    pub(in super::super) fn cash_fell<H: Herald>(&mut self, cx: &mut Cx<'_, H>, user: UserId) {
        let left = self.cash(user);
        let mut id = 0;
        while let Some(next) = self.deals.next_of(user, id) {
            id = next;
            let offer = self.deals.get(id).and_then(|deal| deal.sides_of(user)).map_or(0, |(own, _)| own.cash);
            if offer > left {
                self.reopen(cx, id, user);
                tell(cx, user, Message::ErrorTransactionTooExpensive { transaction: id, cash: offer });
                self.set_offer(cx, id, user, left);
                self.tell_unusual(cx, id);
            }
        }
    }

    /// After a user lost a deed: it stands in no offer of theirs.
    pub(in super::super) fn deed_left<H: Herald>(&mut self, cx: &mut Cx<'_, H>, user: UserId, deed: Deed) {
        let mut id = 0;
        while let Some(next) = self.deals.next_of(user, id) {
            id = next;
            let sides = self.deals.get(id).and_then(|deal| deal.sides_of(user));
            if sides.is_some_and(|(own, _)| own.deeds.contains(deed)) {
                self.reopen(cx, id, user);
                self.withdraw_deed(cx, id, user, deed);
                self.tell_unusual(cx, id);
            }
        }
    }

    /// After a user lost a card: it stands in no offer of theirs.
    pub(in super::super) fn card_left<H: Herald>(&mut self, cx: &mut Cx<'_, H>, user: UserId, card: Card) {
        let mut id = 0;
        while let Some(next) = self.deals.next_of(user, id) {
            id = next;
            let sides = self.deals.get(id).and_then(|deal| deal.sides_of(user));
            if sides.is_some_and(|(own, _)| own.cards.contains(card)) {
                self.reopen(cx, id, user);
                self.withdraw_card(cx, id, user, card);
                self.tell_unusual(cx, id);
            }
        }
    }

    /// After a user built, sold or mortgaged on `lot`: every partner offered a lot of that group looks again
    /// (pimp 16.1). Only the user's own offers: else mortgaging to and fro could keep others from trading.
    pub(in super::super) fn lot_changed<H: Herald>(&mut self, cx: &mut Cx<'_, H>, user: UserId, lot: Deed) {
        let group = lot.group();
        let mut id = 0;
        while let Some(next) = self.deals.next_of(user, id) {
            id = next;
            let sides = self.deals.get(id).and_then(|deal| deal.sides_of(user));
            if sides.is_some_and(|(own, _)| own.deeds.iter().any(|deed| deed.group() == group)) {
                self.reopen(cx, id, user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::BANK;
    use super::super::super::testing::Table;
    use super::super::testing::{add, add_card, agree, brief, deed, finish, reopen, set, trade};
    use super::*;
    use crate::pimp::board::Square;

    /// Player 1 gives 100, lot 3 and card 7 and has finished; player 2 has agreed.
    fn agreed() -> Table {
        let mut table = Table::new(3);
        table.own(1, &[3, 4, 5]).hold_card(1, 7);
        table.all_ok(&[(1, trade(2)), (1, set(1, 100)), (1, add(1, 3)), (1, add_card(1, 7))]);
        table.all_ok(&[(1, finish(1)), (2, finish(1)), (2, agree(1))]);
        table.log.0.clear();
        table
    }

    const REOPENED: [&str; 4] = ["1< REOPENED 1", "2< OTHER_REOPENED 1", "2< FINISHED 1", "1< OTHER_FINISHED 1"];

    fn with(rest: &[&'static str]) -> std::vec::Vec<&'static str> {
        [&REOPENED, rest].concat()
    }

    #[test]
    fn a_reopened_side_takes_agreement_with_it() {
        let mut table = agreed();
        assert_eq!(table.says(1, reopen(1)), REOPENED);
        assert_eq!(table.cannot(1, reopen(1)), ["Unexpected"]);
        assert_eq!(table.says(2, reopen(1)), ["2< REOPENED 1", "1< OTHER_REOPENED 1"]);
    }

    #[test]
    fn cash_that_falls_below_the_offer_lowers_it() {
        let mut table = agreed();
        table.run(|game, cx| game.move_cash(cx, 1, BANK, 1400));
        assert_eq!(brief(table.said()), ["all< DELTA_CASH 1 0 1400"], "still enough");
        table.run(|game, cx| game.move_cash(cx, 1, BANK, 60));
        let said = brief(table.said());
        assert_eq!(said[0], "all< DELTA_CASH 1 0 60");
        let lowered = ["1< ERROR_TRANSACTION_TOO_EXPENSIVE 1 100", "1< CASH_SET 1 40", "2< OTHER_CASH_SET 1 40"];
        assert_eq!(said[1..], with(&lowered));
        assert_eq!(table.game.audit(), Ok(()));
    }

    #[test]
    fn what_leaves_a_player_leaves_the_offer() {
        let mut table = agreed();
        table.run(|game, cx| game.move_deed(cx, 1, 3, deed(3)));
        let said = brief(table.said());
        assert_eq!(said[0], "all< DELTA_PROPERTY 1 3 3");
        assert_eq!(said[1..], with(&["1< PROPERTY_REMOVED 1 3", "2< OTHER_PROPERTY_REMOVED 1 3"]));
        let mut table = agreed();
        table.run(|game, cx| game.move_card(cx, 1, BANK, Card::new(7).unwrap()));
        let said = brief(table.said());
        assert_eq!(said[0], "all< DELTA_CARD 1 0 7");
        assert_eq!(said[1..], with(&["1< CARD_REMOVED 1 7", "2< OTHER_CARD_REMOVED 1 7"]));
        assert_eq!(table.game.audit(), Ok(()));
    }

    #[test]
    fn a_debt_whose_cash_falls_is_unusual() {
        let mut table = Table::new(2);
        table.cash(2, 60).rent_debt(2, 1, 5, 50);
        table.run(|game, cx| game.move_cash(cx, 2, BANK, 20));
        let expected = [
            "all< DELTA_CASH 2 0 20",
            "2< REOPENED 1",
            "1< OTHER_REOPENED 1",
            "1< FINISHED 1",
            "2< OTHER_FINISHED 1",
            "2< ERROR_TRANSACTION_TOO_EXPENSIVE 1 50",
            "2< CASH_SET 1 40",
            "1< OTHER_CASH_SET 1 40",
            "1< UNUSUAL 1",
            "2< UNUSUAL 1",
        ];
        assert_eq!(brief(table.said()), expected);
    }

    #[test]
    fn the_bank_steps_back_in_silence_of_its_own() {
        let mut table = Table::new(2);
        table.cash(2, 60).run(|game, cx| game.open_square(cx, 2, Square::LUXURY_TAX, 60));
        table.log.0.clear();
        table.run(|game, cx| game.move_cash(cx, 2, 1, 10));
        let expected = [
            "all< DELTA_CASH 2 1 10",
            "2< REOPENED 1",
            "2< OTHER_FINISHED 1",
            "2< ERROR_TRANSACTION_TOO_EXPENSIVE 1 60",
            "2< CASH_SET 1 50",
            "2< UNUSUAL 1",
        ];
        assert_eq!(brief(table.said()), expected);
        assert_eq!(table.game.audit(), Ok(()));
    }

    #[test]
    fn deals_are_looked_through_in_order() {
        let mut table = Table::new(3);
        table.all_ok(&[(1, trade(3)), (1, trade(2)), (1, set(2, 1500)), (1, set(1, 1500))]);
        table.run(|game, cx| game.move_cash(cx, 1, 2, 1));
        let said = brief(table.said());
        let lowered: std::vec::Vec<_> = said.iter().filter(|line| line.starts_with("1< CASH_SET")).collect();
        assert_eq!(lowered, ["1< CASH_SET 1 1499", "1< CASH_SET 2 1499"]);
    }

    #[test]
    fn a_mortgage_on_the_group_makes_the_buyer_look_again() {
        for lot in [3, 5] {
            let mut table = agreed();
            let said = table.says(1, Message::MortgageProperty { property: lot });
            assert!(
                said.ends_with(&REOPENED.map(Into::into)) || said.windows(4).any(|part| part == REOPENED),
                "{said:?}"
            );
        }
        let mut table = agreed();
        table.own(1, &[8]);
        let said = table.says(1, Message::MortgageProperty { property: 8 });
        assert!(!said.iter().any(|line| line.contains("REOPENED")), "{said:?}");
    }

    #[test]
    fn a_mortgage_paid_off_on_the_group_is_seen() {
        for lot in [3, 5] {
            let mut table = agreed();
            table.mortgaged(&[lot]);
            let said = table.says(1, Message::UnmortgageProperty { property: lot });
            assert!(said.ends_with(&REOPENED.map(Into::into)), "{said:?}");
        }
    }

    #[test]
    fn building_on_the_group_makes_the_buyer_look_again() {
        let mut table = agreed();
        table.game.current = 1;
        table.run(|game, cx| game.lot_changed(cx, 1, deed(4)));
        assert_eq!(brief(table.said()), REOPENED);
        table.run(|game, cx| game.lot_changed(cx, 1, deed(4)));
        assert!(table.said().is_empty(), "reopened already");
    }

    #[test]
    fn a_house_built_behind_the_buyers_back_is_seen() {
        let mut table = agreed();
        table.game.current = 1;
        let mut bytes = [0x90, 4, 1, 4, 1, 0];
        let build = Message::from_client(bytes[0], &bytes[2..]).unwrap();
        let said = table.says(1, build);
        assert!(said.windows(4).any(|part| part == REOPENED), "{said:?}");
        table.ok(1, finish(1));
        assert_eq!(table.cannot(1, agree(1)), ["1< ERROR_TRANSACTION_PROPERTY_HAS_HOUSE 1 3", "Told"]);
        // And again when it is sold.
        bytes[4] = 0xff;
        let said = table.says(1, Message::from_client(bytes[0], &bytes[2..]).unwrap());
        assert!(said.iter().any(|line| line == "2< OTHER_REOPENED 1"), "{said:?}");
    }
}

//! How deals begin (pimp 12.1): with what is expected already set up, so that a debtor with the cash has only to agree.
//!
//! What can never happen here: a debt that is forgotten. Should the table of debts be full, which its size excludes where
//! debts keep from throwing, the debt is settled at once with what cash there is.

use super::super::{BANK, Claim, ClaimKind, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use super::{Cause, Deal, Side, Step, tell, tell_both};
use crate::pimp::board::{BAIL, Card, Deed, Square};
use crate::pimp::wire::Message;

impl Game {
    /// REQUEST_TRADE.
    pub(super) fn open_trade<H: Herald>(&mut self, cx: &mut Cx<'_, H>, actor: UserId, other: UserId) -> Verdict {
        if other == actor || !self.is_player(other) {
            return Err(Refusal::Invalid);
        }
        if !self.deals.has_room_for_trade(actor, other) || self.next_id == u32::MAX {
            return Err(Refusal::Unexpected);
        }
        let deal = Deal::new(self.next_id, Cause::Trade, actor, other, 0);
        self.deals.insert(deal).map_err(|_| Refusal::Unexpected)?;
        let transaction = self.take_id();
        tell(cx, actor, Message::TransactionTradeRequested { transaction, other });
        tell(cx, other, Message::TransactionTradeRequested { transaction, other: actor });
        Ok(())
    }

    /// A rent claimed becomes a debt, under the claim's own id: ids order debts by the time they arose (pimp 7).
    pub(in super::super) fn open_rent<H: Herald>(&mut self, cx: &mut Cx<'_, H>, claim: Claim) {
        if let ClaimKind::Rent { debtor, creditor, property, rent, .. } = claim.kind {
            let deal = Deal::new(claim.id, Cause::Rent { property }, creditor, debtor, rent);
            self.open_between(cx, deal);
        }
    }

    pub(in super::super) fn open_card<H: Herald>(
        &mut self,
        cx: &mut Cx<'_, H>,
        creditor: UserId,
        debtor: UserId,
        card: Card,
        amount: u32,
    ) {
        let id = self.take_id();
        self.open_between(cx, Deal::new(id, Cause::Card { card }, creditor, debtor, amount));
    }

    /// Holds the game.
    pub(in super::super) fn open_square<H: Herald>(
        &mut self,
        cx: &mut Cx<'_, H>,
        debtor: UserId,
        square: Square,
        amount: u32,
    ) {
        let id = self.take_id();
        self.open_with_bank(cx, Deal::new(id, Cause::Square { square }, BANK, debtor, amount));
    }

    /// Holds the game.
    pub(in super::super) fn open_jail<H: Herald>(&mut self, cx: &mut Cx<'_, H>, debtor: UserId) {
        let id = self.take_id();
        self.open_with_bank(cx, Deal::new(id, Cause::Jail, BANK, debtor, BAIL));
    }

    /// Holds the game.
    pub(in super::super) fn open_auction<H: Herald>(
        &mut self,
        cx: &mut Cx<'_, H>,
        debtor: UserId,
        property: Deed,
        bid: u32,
    ) {
        let id = self.take_id();
        let mut deal = Deal::new(id, Cause::Auction { property }, BANK, debtor, bid);
        let [bank, _] = &mut deal.sides;
        bank.deeds.insert(property);
        self.open_with_bank(cx, deal);
    }

    pub(in super::super) fn open_fee<H: Herald>(&mut self, cx: &mut Cx<'_, H>, debtor: UserId, amount: u32) {
        let id = self.take_id();
        self.open_with_bank(cx, Deal::new(id, Cause::Fee, BANK, debtor, amount));
    }

    /// A debt between players: the creditor asks for nothing more; the debtor's cash is set up if it is there.
    fn open_between<H: Herald>(&mut self, cx: &mut Cx<'_, H>, mut deal: Deal) {
        let (transaction, amount) = (deal.id, deal.amount);
        let can_pay = deal.debtor().is_some_and(|debtor| self.cash(debtor) >= amount);
        let [creditor, debtor] = &mut deal.sides;
        let [c, d] = [creditor.party, debtor.party];
        creditor.step = Step::Finished;
        if can_pay {
            debtor.cash = amount;
            debtor.step = Step::Finished;
            creditor.step = Step::Agreed;
        }
        let requests = [deal.requested(c), deal.requested(d)];
        if let Err(deal) = self.deals.insert(deal) {
            return self.settle_short(cx, deal);
        }
        requests.into_iter().zip([c, d]).for_each(|(request, user)| tell(cx, user, request));
        tell(cx, c, Message::TransactionFinished { transaction });
        tell(cx, d, Message::TransactionOtherFinished { transaction });
        if can_pay {
            tell(cx, d, Message::TransactionCashSet { transaction, cash: amount });
            tell(cx, c, Message::TransactionOtherCashSet { transaction, cash: amount });
            tell(cx, d, Message::TransactionFinished { transaction });
            tell(cx, c, Message::TransactionOtherFinished { transaction });
            tell(cx, c, Message::TransactionAgreed { transaction });
            tell(cx, d, Message::TransactionOtherAgreed { transaction });
        } else {
            tell(cx, d, Message::ErrorTransactionTooExpensive { transaction, cash: amount });
            tell(cx, d, Message::TransactionCashSet { transaction, cash: 0 });
            tell_both(cx, [c, d], Message::TransactionUnusual { transaction });
        }
    }

    /// A debt to the bank; cash first, for bail else a card.
    fn open_with_bank<H: Herald>(&mut self, cx: &mut Cx<'_, H>, mut deal: Deal) {
        let [bank, debtor] = &mut deal.sides;
        let d = debtor.party;
        bank.step = Step::Finished;
        if self.cash(d) >= deal.amount {
            debtor.cash = deal.amount;
        } else if deal.cause == Cause::Jail
            && let Some(card) = self.cards_of(d).next()
        {
            debtor.cards.insert(card);
        }
        if deal.satisfies_bank() {
            deal.sides.iter_mut().zip([Step::Agreed, Step::Finished]).for_each(|(side, step)| side.step = step);
        }
        // The copy for the telling is 40 bytes; the table may move under a borrow.
        let told = deal.clone();
        if deal.cause.is_blocking() {
            self.phase = Phase::Held { deal: deal.id };
        }
        if let Err(deal) = self.deals.insert(deal) {
            return self.settle_short(cx, deal);
        }
        Self::tell_bank_opening(cx, &told, d);
        if told.cause.is_blocking() {
            cx.out.all(Message::WaitingForTransaction { player: d, transaction: told.id });
        }
    }

    fn tell_bank_opening<H: Herald>(cx: &mut Cx<'_, H>, deal: &Deal, debtor: UserId) {
        let transaction = deal.id;
        tell(cx, debtor, deal.requested(debtor));
        if let Cause::Auction { property } = deal.cause {
            tell(cx, debtor, Message::TransactionOtherPropertyAdded { transaction, property: property.id() });
        }
        let [_, Side { cash, cards, .. }] = &deal.sides;
        if !deal.satisfies_bank() {
            tell(cx, debtor, Message::ErrorTransactionTooExpensive { transaction, cash: deal.amount });
        }
        tell(cx, debtor, Message::TransactionCashSet { transaction, cash: *cash });
        for card in cards.iter() {
            tell(cx, debtor, Message::TransactionCardAdded { transaction, card: card.id() });
        }
        tell(cx, debtor, Message::TransactionOtherFinished { transaction });
        if deal.satisfies_bank() {
            tell(cx, debtor, Message::TransactionFinished { transaction });
            tell(cx, debtor, Message::TransactionOtherAgreed { transaction });
        } else {
            tell(cx, debtor, Message::TransactionUnusual { transaction });
        }
    }

    /// No place for a debt: it is settled now with what cash there is, and the rest is waived (pimp 13).
    fn settle_short<H: Herald>(&mut self, cx: &mut Cx<'_, H>, mut deal: Deal) {
        let [_, debtor] = &mut deal.sides;
        debtor.cash = self.cash(debtor.party).min(deal.amount);
        debtor.cards = Default::default();
        self.carry_out(cx, deal);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Table;
    use super::super::testing::{brief, deed, finish, trade};
    use super::*;
    use std::vec::Vec;

    #[test]
    fn a_trade_is_told_to_both() {
        let mut table = Table::new(2);
        assert_eq!(table.says(1, trade(2)), ["1< TRADE_REQUESTED 1 2", "2< TRADE_REQUESTED 1 1"]);
        for nobody in [0, 1, 9] {
            assert_eq!(table.cannot(1, trade(nobody)), ["Invalid"]);
        }
        table.game.next_id = u32::MAX;
        assert_eq!(table.cannot(1, trade(2)), ["Unexpected"]);
    }

    #[test]
    fn nobody_asks_for_a_fifth_or_takes_part_in_a_ninth() {
        let mut table = Table::new(4);
        (0..4).for_each(|_| drop(table.ok(1, trade(2))));
        assert_eq!(table.cannot(1, trade(3)), ["Unexpected"]);
        (0..4).for_each(|_| drop(table.ok(3, trade(2))));
        assert_eq!(table.cannot(4, trade(2)), ["Unexpected"]);
        assert_eq!(table.cannot(2, trade(4)), ["Unexpected"]);
        table.ok(4, trade(3));
    }

    #[test]
    fn rent_that_can_be_paid_waits_for_one_word() {
        let mut table = Table::new(2);
        let (id, said) = table.rent_debt(2, 1, 5, 8);
        assert_eq!(id, 1);
        let expected = [
            "1< RENT_REQUESTED 1 2 5 1 8",
            "2< RENT_REQUESTED 1 1 5 1 8",
            "1< FINISHED 1",
            "2< OTHER_FINISHED 1",
            "2< CASH_SET 1 8",
            "1< OTHER_CASH_SET 1 8",
            "2< FINISHED 1",
            "1< OTHER_FINISHED 1",
            "1< AGREED 1",
            "2< OTHER_AGREED 1",
        ];
        assert_eq!(said, expected);
        assert_eq!(table.game.audit(), Ok(()));
    }

    #[test]
    fn a_card_debt_beyond_the_cash_is_unusual_from_the_start() {
        let mut table = Table::new(2);
        table.cash(2, 49);
        table.run(|game, cx| game.open_card(cx, 1, 2, Card::new(22).unwrap(), 50));
        let expected = [
            "1< CARD_REQUESTED 1 2 22 1 50",
            "2< CARD_REQUESTED 1 1 22 1 50",
            "1< FINISHED 1",
            "2< OTHER_FINISHED 1",
            "2< ERROR_TRANSACTION_TOO_EXPENSIVE 1 50",
            "2< CASH_SET 1 0",
            "1< UNUSUAL 1",
            "2< UNUSUAL 1",
        ];
        assert_eq!(brief(table.said()), expected);
        assert_eq!(table.game.audit(), Ok(()));
    }

    #[test]
    fn a_fine_holds_the_game() {
        let mut table = Table::new(2);
        table.cash(2, 10).run(|game, cx| game.open_square(cx, 2, Square::LUXURY_TAX, 75));
        let expected = [
            "2< SQUARE_REQUESTED 1 38 75",
            "2< ERROR_TRANSACTION_TOO_EXPENSIVE 1 75",
            "2< CASH_SET 1 0",
            "2< OTHER_FINISHED 1",
            "2< UNUSUAL 1",
            "all< WAITING_FOR_TRANSACTION 2 1",
        ];
        assert_eq!(brief(table.said()), expected);
        assert_eq!((table.game.phase, table.game.waited_for()), (Phase::Held { deal: 1 }, Some(2)));
    }

    #[test]
    fn bail_is_asked_in_cash_or_else_as_a_card() {
        let opening = |cash, card: Option<u8>| {
            let mut table = Table::new(2);
            table.cash(2, cash);
            if let Some(card) = card {
                table.hold_card(2, card);
            }
            table.run(|game, cx| game.open_jail(cx, 2));
            brief(table.said())
        };
        let paid = |offer: &[&'static str]| {
            let rest =
                ["2< OTHER_FINISHED 1", "2< FINISHED 1", "2< OTHER_AGREED 1", "all< WAITING_FOR_TRANSACTION 2 1"];
            [&["2< JAIL_REQUESTED 1 50"], offer, &rest].concat()
        };
        assert_eq!(opening(50, Some(7)), paid(&["2< CASH_SET 1 50"]));
        assert_eq!(opening(49, Some(20)), paid(&["2< CASH_SET 1 0", "2< CARD_ADDED 1 20"]));
        assert_eq!(opening(49, None)[1], "2< ERROR_TRANSACTION_TOO_EXPENSIVE 1 50");
    }

    #[test]
    fn an_auction_won_and_a_fee_are_owed_to_the_bank() {
        let mut table = Table::new(2);
        table.cash(1, 20).run(|game, cx| game.open_fee(cx, 1, 20));
        let expected =
            ["1< BANK_REQUESTED 1 20", "1< CASH_SET 1 20", "1< OTHER_FINISHED 1", "1< FINISHED 1", "1< OTHER_AGREED 1"];
        assert_eq!(brief(table.said()), expected);
        assert_eq!(table.game.phase, Phase::Start, "a fee does not hold the game");
        table.run(|game, cx| game.open_auction(cx, 1, deed(3), 30));
        let expected = [
            "1< BANK_REQUESTED 2 30",
            "1< OTHER_PROPERTY_ADDED 2 3",
            "1< ERROR_TRANSACTION_TOO_EXPENSIVE 2 30",
            "1< CASH_SET 2 0",
            "1< OTHER_FINISHED 2",
            "1< UNUSUAL 2",
            "all< WAITING_FOR_TRANSACTION 1 2",
        ];
        assert_eq!(brief(table.said()), expected);
        assert_eq!(table.says(1, finish(2)), ["1< FINISHED 2", "1< ERROR_TRANSACTION_NOT_SUITABLE 2 30"]);
    }

    #[test]
    fn a_debt_without_a_slot_is_settled_with_what_there_is() {
        let mut table = Table::new(2);
        (1..super::super::DEBTS).for_each(|_| table.run(|game, cx| game.open_fee(cx, 1, 1)));
        table.cash(2, 30).log.0.clear();
        let said: Vec<_> = table.rent_debt(2, 1, 5, 40).1;
        assert_eq!(said, ["all< DELTA_CASH 2 1 30"], "it never was a deal");
        table.run(|game, cx| game.open_square(cx, 2, Square::LUXURY_TAX, 75));
        assert_eq!(table.game.phase, Phase::Held { deal: 62 }, "what holds the game has a slot of its own");
        assert_eq!(table.game.audit(), Ok(()));
    }
}

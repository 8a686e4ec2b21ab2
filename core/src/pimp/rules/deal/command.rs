//! What the parties of a deal may say: all commands of the ranges 0x50, 0x60 and 0x70 (pimp 12.2).
//!
//! What can never happen here: a refused command that changed or reopened something.

use super::super::{Cx, Game, Herald, Refusal, UserId, Verdict};
use super::{Cause, Step, tell};
use crate::pimp::board::{Card, Deed};
use crate::pimp::wire::Message;

impl Game {
    /// One command about deals. Anything else is unexpected.
    pub(in super::super) fn deal_command<H: Herald>(
        &mut self,
        actor: UserId,
        action: &Message<'_>,
        cx: &mut Cx<'_, H>,
    ) -> Verdict {
        if let Message::TransactionRequestTrade { player } = *action {
            return self.open_trade(cx, actor, player);
        }
        let id = subject(action).ok_or(Refusal::Unexpected)?;
        let Some(deal) = self.deals.get(id) else {
            // One that has ended a moment ago: the sender could not know (pimp 16.1).
            return if id == 0 || id >= self.next_id { Err(Refusal::Invalid) } else { Ok(()) };
        };
        if deal.sides_of(actor).is_none() {
            return Err(Refusal::Unexpected);
        }
        if touches(action) && deal.is_frozen_for(actor) {
            return Err(Refusal::Unexpected);
        }
        match *action {
            Message::TransactionSetCash { cash, .. } => self.set_cash(cx, id, actor, cash),
            Message::TransactionAddProperty { property, .. } => self.add_deed(cx, id, actor, property),
            Message::TransactionRemoveProperty { property, .. } => self.remove_deed(cx, id, actor, property),
            Message::TransactionAddCard { card, .. } => self.add_card(cx, id, actor, card),
            Message::TransactionRemoveCard { card, .. } => self.remove_card(cx, id, actor, card),
            Message::TransactionFinish { .. } => self.finish(cx, id, actor),
            Message::TransactionReopen { .. } => self.ask_reopen(cx, id, actor),
            Message::TransactionAgree { .. } => self.agree(cx, id, actor),
            Message::TransactionCancel { .. } => self.ask_cancel(cx, id, actor),
            Message::BankruptTransaction { .. } => self.bankrupt(cx, id, actor),
            _ => Err(Refusal::Unexpected),
        }
    }

    fn set_cash<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId, cash: u32) -> Verdict {
        if cash > self.cash(actor) {
            let old = self.deals.get(id).and_then(|deal| deal.sides_of(actor)).map_or(0, |(own, _)| own.cash);
            tell(cx, actor, Message::ErrorTransactionTooExpensive { transaction: id, cash });
            tell(cx, actor, Message::TransactionCashSet { transaction: id, cash: old });
            return Err(Refusal::Told);
        }
        self.reopen(cx, id, actor);
        self.set_offer(cx, id, actor, cash);
        self.tell_unusual(cx, id);
        Ok(())
    }

    fn add_deed<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId, property: u8) -> Verdict {
        let deed = Deed::new(property).ok_or(Refusal::Invalid)?;
        if self.owner(deed) != actor {
            tell(cx, actor, Message::ErrorTransactionPropertyNotOwned { transaction: id, property });
            return Err(Refusal::Told);
        }
        if self.offers(id, actor, |deeds, _| deeds.contains(deed)) {
            return Ok(());
        }
        self.reopen(cx, id, actor);
        if let Some((own, other)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(actor)) {
            own.deeds.insert(deed);
            tell(cx, actor, Message::TransactionPropertyAdded { transaction: id, property });
            tell(cx, other.party, Message::TransactionOtherPropertyAdded { transaction: id, property });
        }
        self.tell_unusual(cx, id);
        Ok(())
    }

    fn remove_deed<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId, property: u8) -> Verdict {
        // "Errors from this are ignored" (the document).
        let Some(deed) = Deed::new(property) else { return Ok(()) };
        if self.offers(id, actor, |deeds, _| deeds.contains(deed)) {
            self.reopen(cx, id, actor);
            self.withdraw_deed(cx, id, actor, deed);
            self.tell_unusual(cx, id);
        }
        Ok(())
    }

    fn add_card<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId, number: u8) -> Verdict {
        let card = Card::new(number).ok_or(Refusal::Invalid)?;
        if !self.cards_of(actor).any(|kept| kept == card) {
            tell(cx, actor, Message::ErrorTransactionCardNotOwned { transaction: id, card: number });
            return Err(Refusal::Told);
        }
        if self.offers(id, actor, |_, cards| cards.contains(card)) {
            return Ok(());
        }
        self.reopen(cx, id, actor);
        if let Some((own, other)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(actor)) {
            own.cards.insert(card);
            tell(cx, actor, Message::TransactionCardAdded { transaction: id, card: number });
            tell(cx, other.party, Message::TransactionOtherCardAdded { transaction: id, card: number });
        }
        self.tell_unusual(cx, id);
        Ok(())
    }

    fn remove_card<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId, number: u8) -> Verdict {
        let Some(card) = Card::new(number) else { return Ok(()) };
        if self.offers(id, actor, |_, cards| cards.contains(card)) {
            self.reopen(cx, id, actor);
            self.withdraw_card(cx, id, actor, card);
            self.tell_unusual(cx, id);
        }
        Ok(())
    }

    fn offers(&self, id: u32, user: UserId, has: impl Fn(super::DeedSet, super::Cards) -> bool) -> bool {
        let sides = self.deals.get(id).and_then(|deal| deal.sides_of(user));
        sides.is_some_and(|(own, _)| has(own.deeds, own.cards))
    }

    fn finish<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId) -> Verdict {
        let Some(deal) = self.deals.get_mut(id) else { return Ok(()) };
        let Some((own, other)) = deal.sides_mut(actor) else { return Ok(()) };
        if own.step != Step::Setup {
            return Ok(());
        }
        own.step = Step::Finished;
        tell(cx, actor, Message::TransactionFinished { transaction: id });
        tell(cx, other.party, Message::TransactionOtherFinished { transaction: id });
        if deal.is_with_bank() {
            if deal.satisfies_bank() {
                let [bank, _] = &mut deal.sides;
                bank.step = Step::Agreed;
                tell(cx, actor, Message::TransactionOtherAgreed { transaction: id });
            } else {
                tell(cx, actor, Message::ErrorTransactionNotSuitable { transaction: id, amount: deal.amount });
            }
        } else if deal.debtor() == Some(actor) && deal.pays_exactly() {
            self.creditor_accepts(cx, id);
        }
        Ok(())
    }

    /// A debtor who offers exactly what is owed is not kept waiting: the creditor's side is emptied and agrees by
    /// itself, from any step. Else an absent creditor could freeze debtor and game (pimp 16.1).
    fn creditor_accepts<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32) {
        let Some(deal) = self.deals.get(id) else { return };
        let [c, d] = deal.parties();
        let [creditor, _] = deal.sides.clone();
        if creditor.cash > 0 {
            self.set_offer(cx, id, c, 0);
        }
        creditor.deeds.iter().for_each(|deed| self.withdraw_deed(cx, id, c, deed));
        creditor.cards.iter().for_each(|card| self.withdraw_card(cx, id, c, card));
        if creditor.step == Step::Setup {
            tell(cx, c, Message::TransactionFinished { transaction: id });
            tell(cx, d, Message::TransactionOtherFinished { transaction: id });
        }
        if let Some((own, _)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(c)) {
            own.step = Step::Agreed;
        }
        tell(cx, c, Message::TransactionAgreed { transaction: id });
        tell(cx, d, Message::TransactionOtherAgreed { transaction: id });
    }

    fn ask_reopen<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId) -> Verdict {
        let step = self.deals.get(id).and_then(|deal| deal.sides_of(actor)).map(|(own, _)| own.step);
        if step == Some(Step::Setup) {
            return Err(Refusal::Unexpected);
        }
        self.reopen(cx, id, actor);
        Ok(())
    }

    fn ask_cancel<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId) -> Verdict {
        let Some(deal) = self.deals.get(id) else { return Ok(()) };
        let may = match deal.cause {
            Cause::Trade => true,
            // Waiving is kind: the document's letter has no way to do it.
            Cause::Rent { .. } | Cause::Card { .. } => deal.creditor() == Some(actor),
            _ => false,
        };
        if !may {
            tell(cx, actor, Message::ErrorTransactionCannotBeCancelled { transaction: id });
            return Err(Refusal::Told);
        }
        self.cancel(cx, id);
        self.resume_if_unblocked(cx);
        Ok(())
    }
}

/// The deal a command is about.
fn subject(action: &Message<'_>) -> Option<u32> {
    match *action {
        Message::TransactionSetCash { transaction, .. }
        | Message::TransactionAddProperty { transaction, .. }
        | Message::TransactionRemoveProperty { transaction, .. }
        | Message::TransactionAddCard { transaction, .. }
        | Message::TransactionRemoveCard { transaction, .. }
        | Message::TransactionFinish { transaction }
        | Message::TransactionReopen { transaction }
        | Message::TransactionAgree { transaction }
        | Message::TransactionCancel { transaction }
        | Message::BankruptTransaction { transaction } => Some(transaction),
        _ => None,
    }
}

/// Commands that change an offer or take a step back.
fn touches(action: &Message<'_>) -> bool {
    matches!(
        action,
        Message::TransactionSetCash { .. }
            | Message::TransactionAddProperty { .. }
            | Message::TransactionRemoveProperty { .. }
            | Message::TransactionAddCard { .. }
            | Message::TransactionRemoveCard { .. }
            | Message::TransactionReopen { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Table;
    use super::super::testing::{add, add_card, agree, cancel, finish, remove, remove_card, reopen, set, trade};
    use super::*;

    fn traders() -> Table {
        let mut table = Table::new(3);
        table.own(1, &[3]).own(2, &[4]).hold_card(1, 7);
        table.ok(1, trade(2));
        table
    }

    #[test]
    fn ids_that_never_were_and_ids_that_ended() {
        let mut table = traders();
        assert_eq!(table.cannot(1, set(0, 1)), ["Invalid"]);
        assert_eq!(table.cannot(1, agree(2)), ["Invalid"]);
        assert_eq!(table.cannot(3, finish(1)), ["Unexpected"], "not a party");
        assert_eq!(table.says(2, cancel(1)), ["1< CANCELLED 1", "2< CANCELLED 1"]);
        for late in [set(1, 5), add(1, 99), agree(1), cancel(1)] {
            assert!(table.says(1, late).is_empty());
        }
    }

    #[test]
    fn offers_are_set_and_told() {
        let mut table = traders();
        assert_eq!(table.says(1, set(1, 10)), ["1< CASH_SET 1 10", "2< OTHER_CASH_SET 1 10"]);
        assert_eq!(table.says(1, add(1, 3)), ["1< PROPERTY_ADDED 1 3", "2< OTHER_PROPERTY_ADDED 1 3"]);
        assert_eq!(table.says(1, add_card(1, 7)), ["1< CARD_ADDED 1 7", "2< OTHER_CARD_ADDED 1 7"]);
        for twice in [add(1, 3), add_card(1, 7), remove(1, 4), remove_card(1, 20), remove(1, 99), remove_card(1, 99)] {
            assert!(table.says(1, twice).is_empty(), "{twice}");
        }
        assert_eq!(table.says(1, remove(1, 3)), ["1< PROPERTY_REMOVED 1 3", "2< OTHER_PROPERTY_REMOVED 1 3"]);
        assert_eq!(table.says(1, remove_card(1, 7)), ["1< CARD_REMOVED 1 7", "2< OTHER_CARD_REMOVED 1 7"]);
    }

    #[test]
    fn nobody_offers_what_is_not_theirs() {
        let mut table = traders();
        table.all_ok(&[(1, set(1, 10)), (1, finish(1))]);
        let too_much = ["1< ERROR_TRANSACTION_TOO_EXPENSIVE 1 1501", "1< CASH_SET 1 10", "Told"];
        assert_eq!(table.cannot(1, set(1, 1501)), too_much);
        assert_eq!(table.cannot(1, add(1, 4)), ["1< ERROR_TRANSACTION_PROPERTY_NOT_OWNED 1 4", "Told"]);
        assert_eq!(table.cannot(1, add_card(1, 20)), ["1< ERROR_TRANSACTION_CARD_NOT_OWNED 1 20", "Told"]);
        assert_eq!(table.cannot(1, add_card(1, 3)), ["1< ERROR_TRANSACTION_CARD_NOT_OWNED 1 3", "Told"]);
        assert_eq!(table.cannot(1, add(1, 28)), ["Invalid"]);
        assert_eq!(table.cannot(1, add_card(1, 32)), ["Invalid"]);
        // None of it has reopened the deal; to say the same again does.
        let again = ["1< REOPENED 1", "2< OTHER_REOPENED 1", "1< CASH_SET 1 10", "2< OTHER_CASH_SET 1 10"];
        assert_eq!(table.says(1, set(1, 10)), again);
    }

    #[test]
    fn steps_are_taken_in_order() {
        let mut table = traders();
        assert_eq!(table.cannot(1, agree(1)), ["Unexpected"]);
        assert_eq!(table.says(1, finish(1)), ["1< FINISHED 1", "2< OTHER_FINISHED 1"]);
        assert!(table.says(1, finish(1)).is_empty());
        assert_eq!(table.cannot(1, agree(1)), ["Unexpected"], "the other has not finished");
        table.ok(2, finish(1));
        assert_eq!(table.says(1, agree(1)), ["1< AGREED 1", "2< OTHER_AGREED 1"]);
        assert_eq!(table.cannot(1, agree(1)), ["Unexpected"]);
        assert!(table.says(1, finish(1)).is_empty(), "no step back");
        let changed = [
            "2< REOPENED 1",
            "1< OTHER_REOPENED 1",
            "1< FINISHED 1",
            "2< OTHER_FINISHED 1",
            "2< PROPERTY_ADDED 1 4",
            "1< OTHER_PROPERTY_ADDED 1 4",
        ];
        assert_eq!(table.says(2, add(1, 4)), changed);
    }

    /// Only such a FINISH waits after a change (pimp 16.1.10).
    #[test]
    fn whose_finish_lets_the_other_agree() {
        let lets = |table: &Table, id, user| table.game.deals.get(id).unwrap().finish_lets_agree(user);
        let mut table = traders();
        assert!(!lets(&table, 1, 1), "nobody is ready");
        table.ok(2, finish(1));
        assert!(lets(&table, 1, 1));
        assert!(!lets(&table, 1, 2), "ready already");
        assert!(!lets(&table, 1, 3), "not a party");
        let mut table = Table::new(2);
        table.rent_debt(2, 1, 5, 8);
        table.ok(2, reopen(1));
        assert!(!lets(&table, 1, 2), "exactly what is owed is taken anyhow");
        table.ok(2, set(1, 7));
        assert!(lets(&table, 1, 2));
        table.run(|game, cx| game.open_fee(cx, 2, 20));
        table.ok(2, set(2, 19));
        assert!(!lets(&table, 2, 2), "the bank is not deceived");
    }

    #[test]
    fn a_creditor_cannot_keep_a_debtor_from_paying() {
        let mut table = Table::new(2);
        table.own(1, &[3, 5]).hold_card(1, 7).rent_debt(2, 1, 5, 8);
        for meddling in [set(1, 0), set(1, 5), add(1, 5), remove(1, 5), add_card(1, 7), reopen(1)] {
            assert_eq!(table.cannot(1, meddling), ["Unexpected"], "{meddling}");
        }
        // Once the debtor steps back the creditor may speak, but not hold on.
        table.all_ok(&[(2, reopen(1)), (1, set(1, 5)), (1, add(1, 3)), (1, add_card(1, 7))]);
        let accepted = [
            "2< FINISHED 1",
            "1< OTHER_FINISHED 1",
            "1< CASH_SET 1 0",
            "2< OTHER_CASH_SET 1 0",
            "1< PROPERTY_REMOVED 1 3",
            "2< OTHER_PROPERTY_REMOVED 1 3",
            "1< CARD_REMOVED 1 7",
            "2< OTHER_CARD_REMOVED 1 7",
            "1< FINISHED 1",
            "2< OTHER_FINISHED 1",
            "1< AGREED 1",
            "2< OTHER_AGREED 1",
        ];
        assert_eq!(table.says(2, finish(1)), accepted);
        assert_eq!(table.cannot(1, reopen(1)), ["Unexpected"]);
        assert_eq!(table.says(2, agree(1)).last().unwrap(), "all< DELTA_CASH 2 1 8");
    }

    #[test]
    fn other_terms_for_a_debt_are_unusual_and_need_both() {
        let mut table = Table::new(2);
        table.own(2, &[4]).rent_debt(2, 1, 5, 8);
        let added = [
            "2< REOPENED 1",
            "1< OTHER_REOPENED 1",
            "1< FINISHED 1",
            "2< OTHER_FINISHED 1",
            "2< PROPERTY_ADDED 1 4",
            "1< OTHER_PROPERTY_ADDED 1 4",
            "1< UNUSUAL 1",
            "2< UNUSUAL 1",
        ];
        assert_eq!(table.says(2, add(1, 4)), added);
        assert_eq!(table.says(2, set(1, 0)).len(), 4);
        assert_eq!(table.says(2, finish(1)), ["2< FINISHED 1", "1< OTHER_FINISHED 1"]);
        assert_eq!(table.says(2, agree(1)), ["2< AGREED 1", "1< OTHER_AGREED 1"]);
        let done =
            ["1< AGREED 1", "2< OTHER_AGREED 1", "1< FINALISED 1", "2< FINALISED 1", "all< DELTA_PROPERTY 2 1 4"];
        assert_eq!(table.says(1, agree(1)), done);
    }

    #[test]
    fn the_bank_takes_what_it_asked_for() {
        let mut table = Table::new(2);
        table.own(2, &[4]).run(|game, cx| game.open_fee(cx, 2, 20));
        let less = ["2< REOPENED 1", "2< OTHER_FINISHED 1", "2< CASH_SET 1 19", "2< UNUSUAL 1"];
        assert_eq!(table.says(2, set(1, 19)), less);
        assert_eq!(table.says(2, finish(1)), ["2< FINISHED 1", "2< ERROR_TRANSACTION_NOT_SUITABLE 1 20"]);
        assert_eq!(table.cannot(2, agree(1)), ["2< ERROR_TRANSACTION_NOT_SUITABLE 1 20", "Told"]);
        table.all_ok(&[(2, set(1, 20)), (2, add(1, 4)), (2, finish(1))]);
        assert_eq!(table.cannot(2, agree(1)), ["2< ERROR_TRANSACTION_NOT_SUITABLE 1 20", "Told"], "a deed too many");
        table.ok(2, remove(1, 4));
        assert_eq!(table.says(2, finish(1)), ["2< FINISHED 1", "2< OTHER_AGREED 1"]);
        table.ok(2, agree(1));
        assert_eq!(table.game.cash(2), 1480);
    }

    #[test]
    fn who_may_cancel() {
        let mut table = Table::new(2);
        table.rent_debt(2, 1, 5, 8);
        assert_eq!(table.cannot(2, cancel(1)), ["2< ERROR_TRANSACTION_CANNOT_BE_CANCELLED 1", "Told"]);
        assert_eq!(table.says(1, cancel(1)), ["1< CANCELLED 1", "2< CANCELLED 1"]);
        table.run(|game, cx| game.open_card(cx, 1, 2, Card::new(22).unwrap(), 50));
        assert_eq!(table.cannot(2, cancel(2)), ["2< ERROR_TRANSACTION_CANNOT_BE_CANCELLED 2", "Told"]);
        table.ok(1, cancel(2));
        table.run(|game, cx| game.open_fee(cx, 2, 20));
        assert_eq!(table.cannot(2, cancel(3)), ["2< ERROR_TRANSACTION_CANNOT_BE_CANCELLED 3", "Told"]);
    }

    #[test]
    fn the_last_debt_settled_asks_for_the_throw_again() {
        let mut table = Table::new(2);
        table.rent_debt(2, 1, 5, 8);
        table.rent_debt(2, 1, 5, 8);
        assert_eq!(table.says(2, Message::ThrowDice {}), ["all< WAITING_FOR_TRANSACTION 2 1"]);
        assert_eq!(table.says(1, cancel(1)), ["1< CANCELLED 1", "2< CANCELLED 1", "all< WAITING_FOR_TRANSACTION 2 2"]);
        assert_eq!(table.says(2, agree(2)).last().unwrap(), "all< START_OF_TURN 2 true");
    }
}

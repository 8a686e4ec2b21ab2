//! How deals begin (pimp 12.1): each with what is expected already set up, so that who can pay has only to agree.
//!
//! What can never happen here: a debt that is forgotten. Should the table of debts be full, which its size excludes, the
//! debt is settled at once with what cash there is.

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

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

    /// After a user built, sold or mortgaged on `lot`: whoever was offered a lot of that group looks again (pimp 16.1).
    /// Only the user's own offers: others could be kept from trading by someone who mortgages to and fro.
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

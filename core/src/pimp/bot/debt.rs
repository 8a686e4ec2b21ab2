//! Paying what must be paid: the oldest debt first, from cash, then from what can be sold, then not at all.

use super::memory::fold;
use super::value::whole;
use super::{Bot, Out, purse, spare_deeds};
use crate::pimp::board::{Deed, Group, HOTEL_LEVEL};
use crate::pimp::view::{Deal, Kind, Step, View, send_building};
use crate::pimp::wire::{Lots, Message};

impl Bot {
    /// True if nothing else is to be said for now.
    pub(super) fn settle_debts<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        let Some(debt) = view.deals().iter().find(|deal| deal.is_debt()) else { return false };
        if view.cannot_pay(debt) {
            return self.give_up(view, debt, out);
        }
        let card = view.jail_card(view.me()).filter(|_| debt.kind == Kind::Jail);
        if card.is_none() && view.cash() < debt.amount {
            return self.raise_cash(view, out);
        }
        let (transaction, stamp) = (debt.id, deal_stamp(view, debt));
        if let Some(deed) = debt.mine.deeds.iter().next() {
            return self.insist(Message::TransactionRemoveProperty { transaction, property: deed.id() }, stamp, out);
        }
        if let Some(other) = debt.mine.cards().find(|offered| Some(*offered) != card) {
            return self.insist(Message::TransactionRemoveCard { transaction, card: other.id() }, stamp, out);
        }
        let cash = if card.is_some() { 0 } else { debt.amount };
        if debt.mine.cash != cash {
            return self.insist(Message::TransactionSetCash { transaction, cash }, stamp, out);
        }
        if let Some(card) = card.filter(|card| !debt.mine.has_card(*card)) {
            return self.insist(Message::TransactionAddCard { transaction, card: card.id() }, stamp, out);
        }
        match debt.mine.step {
            Step::Setup => self.insist(Message::TransactionFinish { transaction }, stamp, out),
            Step::Finished if debt.theirs.step >= Step::Finished => {
                self.insist(Message::TransactionAgree { transaction }, stamp, out)
            }
            // The other side has still to come along: play on meanwhile.
            _ => false,
        }
    }

    /// All is not enough. Trades of lower number stand in the way of bankruptcy (pimp 12.4); a payment this bot is owed
    /// does too, but it may yet come, unless whoever owes it is gone.
    fn give_up<const U: usize, const D: usize>(&mut self, view: &View<U, D>, debt: &Deal, out: Out<'_>) -> bool {
        // What was refused for the sake of another deal may be said again once that one has ended.
        let stamp = view.deals().iter().fold(deal_stamp(view, debt), |sum, deal| fold(sum, u64::from(deal.id)));
        let is_in_vain = |deal: &&Deal| deal.kind == Kind::Trade || (deal.may_cancel() && view.is_dead(deal.other));
        let way_out = match view.deals().iter().find(is_in_vain) {
            Some(vain) => Message::TransactionCancel { transaction: vain.id },
            None => Message::BankruptTransaction { transaction: debt.id },
        };
        self.insist(way_out, stamp, out) || self.raise_cash(view, out)
    }

    /// One step towards more cash; false if there is none left.
    pub(super) fn raise_cash<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        let (me, stamp) = (view.me(), purse(view));
        let spare = spare_deeds(view);
        let mortgage = |deed: Deed| Message::MortgageProperty { property: deed.id() };
        let whole_group = |deed: &Deed| view.group_owner(deed.group()) == Some(me);
        if let Some(deed) = spare.filter(|deed| !whole_group(deed))
            && self.insist(mortgage(deed), stamp, out)
        {
            return true;
        }
        // Those that are missed least first; the next is sought each time, as a sort is two kilobytes of a board's flash.
        let loss = |deed: &Deed| (whole(deed.group()), deed.rent(view.deed(*deed).level()), deed.id());
        let sellable = || Deed::all().filter(|deed| view.may_sell(*deed));
        let mut last = None;
        while let Some(deed) = sellable().filter(|deed| Some(loss(deed)) > last).min_by_key(loss) {
            last = Some(loss(&deed));
            let mut settled = false;
            send_building(deed, view.deed(deed).level(), false, &mut |message| {
                settled = self.insist(message, stamp, out);
            });
            if settled {
                return true;
            }
        }
        if let Some(deed) = spare
            && self.insist(mortgage(deed), stamp, out)
        {
            return true;
        }
        Group::all()
            .filter(|group| view.group_owner(*group) == Some(me))
            .any(|group| view.levels(group).1 == HOTEL_LEVEL && self.clear_group(view, group, stamp, out))
    }

    /// Sells every building of a group at once: the way out when the bank has no houses to break a hotel into.
    fn clear_group<const U: usize, const D: usize>(
        &mut self,
        view: &View<U, D>,
        group: Group,
        stamp: u64,
        out: Out<'_>,
    ) -> bool {
        let mut bytes = heapless::Vec::<u8, 12>::new();
        for deed in group.deeds() {
            let (houses, hotels): (i8, i8) = match view.deed(*deed).level() {
                HOTEL_LEVEL => (-4, -1),
                level => (-(level as i8), 0),
            };
            let _ = bytes.extend_from_slice(&[deed.id(), houses as u8, hotels as u8]);
        }
        Lots::new(&bytes).is_some_and(|lots| self.insist(Message::PurchaseHouses { lots }, stamp, out))
    }
}

/// A stamp of how a deal stands and what this user could put in.
pub(super) fn deal_stamp<const U: usize, const D: usize>(view: &View<U, D>, deal: &Deal) -> u64 {
    let side = |sum, side: &crate::pimp::view::Side| {
        let deeds =
            side.deeds.iter().fold(fold(sum, u64::from(side.cash)), |sum, deed| fold(sum, u64::from(deed.id())));
        let cards = side.cards().fold(deeds, |sum, card| fold(sum, u64::from(card.id()) + 64));
        fold(cards, side.step as u64 + 128)
    };
    let sum = side(side(u64::from(deal.id), &deal.mine), &deal.theirs);
    fold(sum, purse(view))
}

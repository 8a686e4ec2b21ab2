//! Leaving play by one's own will or the others': TRANSFER, takeover, KICK (pimp 12.6, 16.5, V10).
//!
//! What can never happen here: money made by leaving, or a debt to another player escaped by it.

use super::estate::Departure;
use super::{BANK, ClaimKind, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::wire::Message;

/// To whom a player hands everything. The server knows who is an observer and connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferTo {
    Bank,
    Player(UserId),
    Observer(UserId),
}

impl Game {
    /// TRANSFER by a player.
    pub fn transfer<H: Herald>(&mut self, actor: UserId, to: TransferTo, cx: &mut Cx<'_, H>) -> Verdict {
        if !self.is_player(actor) || matches!(self.phase, Phase::Idle | Phase::Over { .. }) {
            return Err(Refusal::Unexpected);
        }
        match to {
            TransferTo::Bank => self.hand_over(cx, actor, BANK),
            TransferTo::Player(heir) if heir != actor && self.is_player(heir) => self.hand_over(cx, actor, heir),
            TransferTo::Observer(heir) if heir != BANK && !self.is_player(heir) => self.take_over(cx, heir, actor),
            _ => Err(Refusal::Invalid),
        }
    }

    /// Everything to the bank or another player; not while anything is owed or under way. No fees (pimp 16.1).
    fn hand_over<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, heir: UserId) -> Verdict {
        let owes_rent = self.claims.iter().any(|claim| match claim.kind {
            ClaimKind::Rent { debtor, .. } => debtor == player,
            ClaimKind::Go { .. } => false,
        });
        if let Some(transaction) = self.deals.next_of(player, 0).or(owes_rent.then_some(0)) {
            cx.out.one(player, Message::ErrorCannotTransferDuringTransaction { transaction });
            return Err(Refusal::Told);
        }
        self.claims_after_leaving(player, heir);
        self.estate(cx, player, heir, false);
        self.depart(cx, player, Departure::Transferred, false);
        Ok(())
    }

    /// The others have voted: what cash there is goes to the creditors, the rest to the bank (pimp V10).
    pub fn kick<H: Herald>(&mut self, target: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        if !self.is_player(target) || matches!(self.phase, Phase::Idle | Phase::Over { .. }) {
            return Err(Refusal::Unexpected);
        }
        let held = self.is_held_by(target);
        let mut id = 0;
        while let Some(next) = self.deals.next_of(target, id) {
            id = next;
            let Some(deal) = self.deals.get(id).filter(|deal| deal.debtor() == Some(target)) else { continue };
            if let Some(creditor) = deal.creditor().filter(|creditor| *creditor != BANK) {
                self.move_cash(cx, target, creditor, deal.amount);
            }
        }
        self.cancel_all_of(cx, target);
        self.claims_after_leaving(target, BANK);
        self.estate(cx, target, BANK, false);
        self.depart(cx, target, Departure::Kicked, held);
        Ok(())
    }

    /// An observer takes the seat as it is, with its debts and deals; once a seat and turn (pimp 16.5). The state moves
    /// first, then all is told.
    fn take_over<H: Herald>(&mut self, cx: &mut Cx<'_, H>, new: UserId, old: UserId) -> Verdict {
        if self.player(old).is_none_or(|player| player.handed_over) {
            return Err(Refusal::Unexpected);
        }
        let prompted = self.current == old || self.is_held_by(old);
        self.reseat(old, new);
        cx.out.all(Message::PlayerTakeover { new_player: new, old_player: old });
        self.tell_belongings(cx, old, new);
        let mut id = 0;
        while let Some(next) = self.deals.next_of(new, id) {
            id = next;
            self.tell_new_party(cx, id, old, new);
        }
        cx.out.all(Message::PlayerBecameObserverTransfer { player: old });
        if prompted {
            self.repeat_prompt(cx);
        } else {
            self.auction_standing(cx, new);
        }
        Ok(())
    }
    /// Everything that named `old` names `new`.
    fn reseat(&mut self, old: UserId, new: UserId) {
        if let Some(at) = self.players.iter().position(|player| player.id == old) {
            let mut player = self.players.remove(at);
            player.id = new;
            player.absent = false;
            player.handed_over = true;
            let at = self.players.iter().take_while(|other| other.id < new).count();
            // The place that was just left.
            let _ = self.players.insert(at, player);
        }
        self.deeds
            .iter_mut()
            .map(|(_, standing)| standing)
            .filter(|standing| standing.owner == old)
            .for_each(|standing| standing.owner = new);
        self.card_owners.iter_mut().filter(|owner| **owner == old).for_each(|owner| *owner = new);
        self.deals.rename(old, new);
        self.claims_renamed(old, new);
        self.auction_replace(old, new);
        if self.current == old {
            self.current = new;
        }
    }

    /// Buildings and mortgages are kept, and there are no fees: the seat is the same.
    fn tell_belongings<H: Herald>(&self, cx: &mut Cx<'_, H>, from: UserId, to: UserId) {
        let cash = self.cash(to);
        if cash > 0 {
            cx.out.all(Message::DeltaCash { from, to, cash });
        }
        for deed in self.deeds_of(to) {
            cx.out.all(Message::DeltaProperty { from, to, property: deed.id() });
        }
        for card in self.cards_of(to) {
            cx.out.all(Message::DeltaCard { from, to, card: card.id() });
        }
    }

    /// For `old` the deal has ended; the other party hears it end and begin again with `new`, who hears it begin.
    fn tell_new_party<H: Herald>(&self, cx: &mut Cx<'_, H>, id: u32, old: UserId, new: UserId) {
        let Some(deal) = self.deals.get(id) else { return };
        cx.out.one(old, Message::TransactionCancelled { transaction: id });
        let other = deal.sides_of(new).map_or(BANK, |(_, other)| other.party);
        if other != BANK {
            cx.out.one(other, Message::TransactionCancelled { transaction: id });
            deal.retell(other, &mut |message| cx.out.one(other, message));
        }
        deal.retell(new, &mut |message| cx.out.one(new, message));
    }
}

//! How cash, deeds and cards change hands: the account, the announcement, and the offers that no longer stand.
//!
//! What can never happen here: a change that is not announced by exactly one DELTA, or an account below zero.

use super::{BANK, Cx, Game, Herald, UserId};
use crate::pimp::board::{Card, Deed};
use crate::pimp::wire::Message;

impl Game {
    /// The bank (0) has endless cash. A player never gives more than there is; nothing is said of nothing.
    pub(super) fn move_cash<H: Herald>(&mut self, cx: &mut Cx<'_, H>, from: UserId, to: UserId, cash: u32) {
        let cash = if from == BANK { cash } else { cash.min(self.cash(from)) };
        if cash == 0 || from == to {
            return;
        }
        if let Some(player) = self.player_mut(from) {
            player.cash = player.cash.saturating_sub(cash);
        }
        if let Some(player) = self.player_mut(to) {
            player.cash = player.cash.saturating_add(cash);
        }
        cx.out.all(Message::DeltaCash { from, to, cash });
        if from != BANK {
            self.cash_fell(cx, from);
        }
    }

    /// Buildings and mortgage stay as they are.
    pub(super) fn move_deed<H: Herald>(&mut self, cx: &mut Cx<'_, H>, from: UserId, to: UserId, deed: Deed) {
        self.deeds.get_mut(deed).owner = to;
        cx.out.all(Message::DeltaProperty { from, to, property: deed.id() });
        if from != BANK {
            self.deed_left(cx, from, deed);
        }
    }

    /// A card given to the bank goes under its pile; one that comes from the bank has been drawn.
    pub(super) fn move_card<H: Herald>(&mut self, cx: &mut Cx<'_, H>, from: UserId, to: UserId, card: Card) {
        self.set_card_owner(card, to);
        if to == BANK {
            self.bury(card);
        }
        cx.out.all(Message::DeltaCard { from, to, card: card.id() });
        if from != BANK {
            self.card_left(cx, from, card);
        }
    }

    /// Income from the bank that arose at `before` (`None`: now). It can't pay a debt that is older: it is held until
    /// that debt ends, at the newest such debt (pimp 10).
    pub(super) fn give<H: Herald>(&mut self, cx: &mut Cx<'_, H>, user: UserId, cash: u32, before: Option<u32>) {
        if cash == 0 {
            return;
        }
        let before = before.unwrap_or(self.next_id);
        let older = self.deals.of(user).filter(|deal| deal.id < before && deal.liability(user) > 0);
        let holder = older.map(|deal| deal.id).last();
        match holder.and_then(|id| self.deals.get_mut(id)) {
            None => self.move_cash(cx, BANK, user, cash),
            Some(deal) => {
                deal.escrow = deal.escrow.saturating_add(cash);
                cx.out.one(user, Message::MoneyBeingHeldInEscrow { player: user, transaction: deal.id, cash });
            }
        }
    }
}

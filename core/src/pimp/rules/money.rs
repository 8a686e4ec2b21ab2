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

#[cfg(test)]
mod tests {
    use super::super::deal::testing::{agree, brief, cancel};
    use super::super::testing::Table;
    use super::*;

    #[test]
    fn nobody_pays_more_than_there_is_and_nothing_is_not_told() {
        let mut table = Table::new(2);
        table.run(|game, cx| {
            game.move_cash(cx, 1, 2, 0);
            game.move_cash(cx, 1, 2, 5000);
            game.move_cash(cx, 1, 2, 1);
        });
        assert_eq!(brief(table.said()), ["all< DELTA_CASH 1 2 1500"]);
        assert_eq!((table.game.cash(1), table.game.cash(2)), (0, 3000));
    }

    #[test]
    fn an_account_stops_at_its_limit() {
        let mut table = Table::new(2);
        table.cash(1, u32::MAX - 1).run(|game, cx| game.move_cash(cx, BANK, 1, 10));
        assert_eq!(table.game.cash(1), u32::MAX);
    }

    #[test]
    fn income_younger_than_a_debt_waits_for_it() {
        let mut table = Table::new(3);
        table.run(|game, cx| game.give(cx, 1, 10, None));
        assert_eq!(brief(table.said()), ["all< DELTA_CASH 0 1 10"]);
        table.cash(1, 0).rent_debt(1, 2, 5, 300);
        table.run(|game, cx| game.give(cx, 1, 200, None));
        assert_eq!(brief(table.said()), ["1< MONEY_BEING_HELD_IN_ESCROW 1 1 200"]);
        table.run(|game, cx| game.give(cx, 1, 7, Some(1)));
        assert_eq!(brief(table.said()), ["all< DELTA_CASH 0 1 7"], "earned before the debt arose");
        assert_eq!((table.game.worth(1), table.game.cash(1)), (7, 7));
    }

    #[test]
    fn escrow_falls_from_debt_to_older_debt() {
        let mut table = Table::new(3);
        table.cash(1, 0).rent_debt(1, 2, 5, 300);
        table.rent_debt(1, 3, 5, 400);
        table.run(|game, cx| game.give(cx, 1, 200, None));
        table.run(|game, cx| game.give(cx, 1, 50, Some(2)));
        let held = ["1< MONEY_BEING_HELD_IN_ESCROW 1 2 200", "1< MONEY_BEING_HELD_IN_ESCROW 1 1 50"];
        assert_eq!(brief(table.said()), held);
        let parked = ["3< CANCELLED 2", "1< CANCELLED 2", "1< MONEY_BEING_HELD_IN_ESCROW 1 1 200"];
        assert_eq!(table.says(3, cancel(2)), parked);
        assert_eq!(table.says(2, cancel(1)), ["2< CANCELLED 1", "1< CANCELLED 1", "all< DELTA_CASH 0 1 250"]);
    }

    #[test]
    fn escrow_comes_when_the_debt_is_paid() {
        let mut table = Table::new(2);
        table.cash(1, 300).rent_debt(1, 2, 5, 300);
        table.run(|game, cx| game.give(cx, 1, 200, None));
        let paid = [
            "1< AGREED 1",
            "2< OTHER_AGREED 1",
            "2< FINALISED 1",
            "1< FINALISED 1",
            "all< DELTA_CASH 1 2 300",
            "all< DELTA_CASH 0 1 200",
        ];
        assert_eq!(table.says(1, agree(1)), paid);
    }

    #[test]
    fn bail_holds_no_income_back() {
        let mut table = Table::new(2);
        table.cash(2, 20).run(|game, cx| game.open_jail(cx, 2));
        table.log.0.clear();
        table.run(|game, cx| game.give(cx, 2, 30, None));
        assert_eq!(brief(table.said()), ["all< DELTA_CASH 0 2 30"]);
    }
}

//! What is done for a player who lets the game wait too long (pimp 16.8). How long is the server's to say.
//!
//! What can never happen here: a deed bought or a bid made for a player who did not ask for it.

use heapless::Vec;

use super::{Cause, Cx, Deal, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::bounded;
use crate::pimp::board::{Card, Deed, Group, HOTEL_LEVEL, INCOME_TAX};
use crate::pimp::wire::{Lots, Message};

/// Decisions that are made for one player at a time: more than a turn has, with a debt to every other player.
const DECISIONS: usize = 16;

impl Game {
    /// Decides as little as possible until the game waits for another player, or for bids.
    pub fn play_idly<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        if matches!(self.phase, Phase::Auction { .. }) {
            return self.auction_timeout(cx);
        }
        let (turn, player) = (self.turn, self.waited_for());
        for _ in 0..DECISIONS {
            let Some(player) = player.filter(|_| self.turn == turn && self.waited_for() == player) else { return };
            if self.decide_idly(cx, player).is_err() {
                return;
            }
        }
    }

    fn oldest_of(&self, player: UserId, is_meant: impl Fn(&Deal) -> bool) -> Option<u32> {
        self.deals.of(player).find(|deal| is_meant(deal)).map(|deal| deal.id)
    }

    fn decide_idly<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId) -> Verdict {
        let debt = self.oldest_of(player, |deal| deal.debtor() == Some(player));
        match (self.phase, debt) {
            (Phase::Held { .. }, Some(debt)) => self.settle_idly(cx, player, debt),
            (Phase::Start | Phase::JailStart | Phase::Again, Some(debt)) if cx.options.debt_blocks_roll => {
                self.settle_idly(cx, player, debt)
            }
            (Phase::Start | Phase::Again, _) => self.throw_dice(player, cx),
            (Phase::JailStart, _) if self.rolls_left(player) > 0 => self.roll_in_jail(player, cx),
            (Phase::JailStart, _) => self.pay_bail(player, cx),
            (Phase::Sale { .. }, _) => self.decline_property(player, cx),
            (Phase::Tax { .. }, _) => self.pay_tax(player, self.taxable(player) / 10 < INCOME_TAX, cx),
            (Phase::CardChoice { .. }, _) => self.choose_card(player, false, cx),
            _ => Err(Refusal::Unexpected),
        }
    }

    /// Pays the oldest debt: from cash, then from what the bank lends or pays; a player whose worth is not enough is
    /// bankrupt, or, where another deal forbids that, kicked as if by vote.
    fn settle_idly<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, id: u32) -> Verdict {
        let deal = self.deals.get(id).ok_or(Refusal::Unexpected)?;
        let (amount, is_bail) = (deal.amount, deal.cause == Cause::Jail);
        let card = self.cards_of(player).next().filter(|_| is_bail && self.cash(player) < amount);
        let cash = if card.is_some() { 0 } else { amount };
        if self.worth(player) < cash {
            while let Some(trade) = self.oldest_of(player, Deal::is_trade) {
                self.cancel(cx, trade);
            }
            return self.bankrupt(cx, id, player).or_else(|_| self.kick(player, cx));
        }
        self.raise(cx, player, cash);
        let transaction = id;
        let offered = self.deals.get(id).and_then(|deal| deal.sides_of(player)).map(|(own, _)| own.cash);
        // To remove a deed that is not offered changes nothing.
        for deed in Deed::all() {
            self.deal_command(player, &Message::TransactionRemoveProperty { transaction, property: deed.id() }, cx)?;
        }
        let [first, second] = Card::JAIL_CARDS.map(|other| {
            (Some(other) != card).then_some(Message::TransactionRemoveCard { transaction, card: other.id() })
        });
        let said = [
            first,
            second,
            (offered != Some(cash)).then_some(Message::TransactionSetCash { transaction, cash }),
            card.map(|card| Message::TransactionAddCard { transaction, card: card.id() }),
            Some(Message::TransactionFinish { transaction }),
            Some(Message::TransactionAgree { transaction }),
        ];
        for said in said.iter().flatten() {
            self.deal_command(player, said, cx)?;
        }
        Ok(())
    }

    /// Mortgages what has no buildings until there is enough cash; then takes the buildings down, a colour group at a time.
    fn raise<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, cash: u32) {
        for takes_down in [false, true] {
            for group in Group::all() {
                if takes_down && self.cash(player) < cash {
                    self.take_down(cx, player, group);
                }
                for deed in group.deeds() {
                    if self.cash(player) < cash {
                        // Another's, built on or mortgaged already: there is nothing to get for it.
                        let _ = self.mortgage(player, deed.id(), cx);
                    }
                }
            }
        }
    }

    /// All of a group at once can always be sold: no hotel needs houses to leave behind.
    fn take_down<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, group: Group) {
        let sold = |deed: &Deed| match self.standing(*deed).level {
            HOTEL_LEVEL => [deed.id(), -4i8 as u8, -1i8 as u8],
            level => [deed.id(), (level as i8).wrapping_neg() as u8, 0],
        };
        // A group has at most four.
        let lots: Vec<u8, 12> = bounded::collect(group.deeds().iter().flat_map(sold));
        if let Some(lots) =
            Lots::new(&lots).filter(|_| self.group_has_buildings(group) && self.owns_group(player, group))
        {
            let _ = self.purchase_houses(player, lots, cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::deal::testing::{add, brief, set, trade};
    use super::super::testing::Table;
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    fn idle(table: &mut Table) -> Vec<String> {
        table.log.0.clear();
        table.run(|game, cx| game.play_idly(cx));
        assert_eq!(table.game.audit(), Ok(()));
        brief(table.said())
    }

    /// A double onto an unowned deed: it is thrown and not bought. Once all have passed, the next throw ends the turn.
    #[test]
    fn a_turn_is_played_and_nothing_is_bought() {
        let mut table = Table::scripted(2, &[0x33, 0x12]);
        let said = idle(&mut table);
        assert_eq!(said.last().unwrap(), "all< PROPERTY_AUCTION 3");
        assert_eq!(idle(&mut table)[..2], ["all< PROPERTY_AUCTION_NO_BID 1", "all< PROPERTY_AUCTION_NO_BID 2"]);
        assert_eq!((table.game.phase, table.game.current), (Phase::Again, 2));
        idle(&mut table);
        assert_eq!(table.game.cash(2), 1500);
    }

    #[test]
    fn who_sits_in_jail_throws_for_a_double() {
        let mut table = Table::scripted(2, &[0x12]);
        table.at(2, 10);
        table.game.player_mut(2).unwrap().jail_turn = 1;
        table.game.phase = Phase::JailStart;
        assert_eq!(idle(&mut table), ["all< DICE_ROLLED 2 1 2", "all< START_OF_TURN 1 true"]);
    }

    /// Whatever was put into a debt, what is owed is paid: first from cash, then by mortgages, last by houses.
    #[test]
    fn a_debt_is_paid_with_what_there_is() {
        let mut table = Table::scripted(3, &[0x12]);
        table.own(2, &[3, 4, 5, 20]).level(&[3, 4, 5], 1).cash(2, 10);
        table.rent_debt(2, 3, 7, 150);
        table.all_ok(&[(2, set(1, 5)), (2, add(1, 20))]);
        idle(&mut table);
        assert_eq!(table.game.cash(3), 1650);
        assert!(table.game.deals.is_empty() && table.game.is_player(2));
        let mortgaged = |deed| table.game.standing(super::super::deal::testing::deed(deed)).mortgaged;
        assert!(mortgaged(20));
    }

    #[test]
    fn who_cannot_pay_is_bankrupt_and_trades_are_no_way_out() {
        let mut table = Table::new(3);
        table.ok(2, trade(1));
        table.cash(2, 10).rent_debt(2, 3, 7, 150);
        let said = idle(&mut table);
        assert!(said.contains(&"all< PLAYER_BECAME_OBSERVER_BANKRUPT 2".into()), "{said:?}");
        assert_eq!((table.game.cash(3), table.game.current), (1510, 3));
    }

    /// What another owes the debtor keeps bankruptcy away: the others' votes would do it, and so does the clock.
    #[test]
    fn who_cannot_even_go_bankrupt_is_out() {
        let mut table = Table::new(3);
        table.rent_debt(1, 2, 5, 20);
        table.cash(2, 10).rent_debt(2, 3, 7, 150);
        let said = idle(&mut table);
        assert!(said.contains(&"all< PLAYER_BECAME_OBSERVER_KICKED 2".into()), "{said:?}");
    }

    #[test]
    fn the_lower_of_two_taxes_is_paid() {
        for (cash, tax) in [(1500, 150), (1999, 199), (2000, 200), (5000, 200)] {
            let mut table = Table::scripted(2, &[0x13]);
            table.ok(2, Message::ThrowDice {});
            table.cash(2, cash);
            assert_eq!(idle(&mut table)[0], std::format!("all< SQUARE_TAKES_CASH 2 4 {tax}"));
        }
    }
}

//! How deals end: carried out or cancelled (pimp 12.3).
//!
//! A deal leaves the table before anything moves, so its own deltas can't reopen it. What can never happen here: escrow
//! that ends with its debt and is not given on.

use super::super::{BANK, Cx, Game, Herald, Phase, UserId};
use super::{Cause, Deal, tell_both};
use crate::pimp::board::{DeedSet, Square};
use crate::pimp::wire::Message;

impl Game {
    /// Both have agreed.
    pub(super) fn finalise<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32) {
        if let Some(deal) = self.deals.remove(id) {
            tell_both(cx, deal.parties(), Message::TransactionFinalised { transaction: id });
            self.carry_out(cx, deal);
        }
    }

    /// `deal` is in no table.
    pub(super) fn carry_out<H: Herald>(&mut self, cx: &mut Cx<'_, H>, deal: Deal) {
        if deal.is_with_bank() {
            self.pay_bank(cx, &deal);
        } else {
            self.exchange(cx, &deal);
        }
        self.release_escrow(cx, &deal);
        // Only what holds the game lets it go on (pimp 16.4).
        if self.phase == (Phase::Held { deal: deal.id }) {
            match deal.cause {
                Cause::Jail => self.after_bail(cx),
                _ => self.advance(cx),
            }
        } else {
            self.resume_if_unblocked(cx);
        }
    }

    /// Between players: cash, deeds, cards, then the fees of mortgaged deeds, which AGREE has seen to be there.
    fn exchange<H: Herald>(&mut self, cx: &mut Cx<'_, H>, deal: &Deal) {
        let [first, second] = &deal.sides;
        let ways = [(first, second.party), (second, first.party)];
        for (side, to) in ways {
            self.move_cash(cx, side.party, to, side.cash);
        }
        for (side, to) in ways {
            side.deeds.iter().for_each(|deed| self.move_deed(cx, side.party, to, deed));
        }
        for (side, to) in ways {
            side.cards.iter().for_each(|card| self.move_card(cx, side.party, to, card));
        }
        let moved: DeedSet = first.deeds.iter().chain(second.deeds.iter()).collect();
        for deed in moved.iter() {
            if self.standing(deed).mortgaged {
                self.move_cash(cx, self.owner(deed), BANK, deed.transfer_fee());
            }
        }
    }

    fn pay_bank<H: Herald>(&mut self, cx: &mut Cx<'_, H>, deal: &Deal) {
        let [_, side] = &deal.sides;
        let (player, cash) = (side.party, side.cash);
        match deal.cause {
            Cause::Square { square } => self.pay_square(cx, deal, square),
            Cause::Jail => {
                self.pay_square(cx, deal, Square::JAIL);
                self.free_from_jail(cx, player);
            }
            Cause::Auction { property } => {
                cx.out.all(Message::SquareTakesCash { player, square: property.square().id(), cash });
                self.move_cash(cx, player, BANK, cash);
                self.move_deed(cx, BANK, player, property);
            }
            _ => self.move_cash(cx, player, BANK, cash),
        }
    }

    /// A fine or bail: into the pot; or a card, for bail.
    fn pay_square<H: Herald>(&mut self, cx: &mut Cx<'_, H>, deal: &Deal, square: Square) {
        let [_, side] = &deal.sides;
        let (player, cash, square) = (side.party, side.cash, square.id());
        if cash > 0 {
            cx.out.all(Message::SquareTakesCash { player, square, cash });
            self.move_cash(cx, player, BANK, cash);
            self.add_to_pot(cx, cash);
        }
        for card in side.cards.iter() {
            cx.out.all(Message::SquareTakesCard { player, square, card: card.id() });
            self.move_card(cx, player, BANK, card);
        }
    }

    /// Ends a deal without anything changing hands.
    pub(in super::super) fn cancel<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32) {
        if let Some(deal) = self.deals.remove(id) {
            tell_both(cx, deal.parties(), Message::TransactionCancelled { transaction: id });
            self.release_escrow(cx, &deal);
        }
    }

    /// Every deal of a user, ascending.
    pub(in super::super) fn cancel_all_of<H: Herald>(&mut self, cx: &mut Cx<'_, H>, user: UserId) {
        let mut id = 0;
        while let Some(next) = self.deals.next_of(user, id) {
            id = next;
            self.cancel(cx, id);
        }
    }

    /// Gives the debtor the cash that was held, unless an older debt holds it again.
    fn release_escrow<H: Herald>(&mut self, cx: &mut Cx<'_, H>, deal: &Deal) {
        if let Some(debtor) = deal.debtor() {
            self.give(cx, debtor, deal.escrow, Some(deal.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Options;
    use super::super::super::testing::Table;
    use super::super::testing::{add, add_card, agree, deed, finish, set, trade};
    use super::*;
    use crate::pimp::board::Card;
    use std::vec::Vec;

    #[test]
    fn everything_changes_hands_in_order() {
        let mut table = Table::new(2);
        table.own(1, &[3, 5]).own(2, &[4]).hold_card(1, 20).hold_card(2, 7);
        table.all_ok(&[(2, trade(1)), (2, set(1, 70)), (1, set(1, 30)), (1, add(1, 5)), (1, add(1, 3))]);
        table.all_ok(&[(2, add(1, 4)), (1, add_card(1, 20)), (2, add_card(1, 7)), (1, finish(1)), (2, finish(1))]);
        table.ok(1, agree(1));
        let done = [
            "2< AGREED 1",
            "1< OTHER_AGREED 1",
            "2< FINALISED 1",
            "1< FINALISED 1",
            "all< DELTA_CASH 2 1 70",
            "all< DELTA_CASH 1 2 30",
            "all< DELTA_PROPERTY 2 1 4",
            "all< DELTA_PROPERTY 1 2 3",
            "all< DELTA_PROPERTY 1 2 5",
            "all< DELTA_CARD 2 1 7",
            "all< DELTA_CARD 1 2 20",
        ];
        assert_eq!(table.says(2, agree(1)), done);
        assert_eq!((table.game.cash(1), table.game.cash(2)), (1540, 1460));
    }

    #[test]
    fn a_deal_carried_out_reopens_the_others_it_takes_from() {
        let mut table = Table::new(3);
        table.own(1, &[3]).all_ok(&[(1, trade(3)), (1, add(1, 3)), (1, set(1, 1500)), (1, finish(1)), (1, trade(2))]);
        table.all_ok(&[(1, add(2, 3)), (1, set(2, 1)), (1, finish(2)), (2, finish(2)), (2, agree(2))]);
        let said = table.says(1, agree(2));
        let expected = [
            "all< DELTA_CASH 1 2 1",
            "1< REOPENED 1",
            "3< OTHER_REOPENED 1",
            "1< ERROR_TRANSACTION_TOO_EXPENSIVE 1 1500",
            "1< CASH_SET 1 1499",
            "3< OTHER_CASH_SET 1 1499",
            "all< DELTA_PROPERTY 1 2 3",
            "1< PROPERTY_REMOVED 1 3",
            "3< OTHER_PROPERTY_REMOVED 1 3",
        ];
        assert_eq!(said[4..], expected);
    }

    #[test]
    fn a_fine_goes_to_the_pot_and_the_game_goes_on() {
        let mut table = Table::new(2);
        table.run(|game, cx| game.open_square(cx, 2, Square::LUXURY_TAX, 75));
        let done = [
            "2< AGREED 1",
            "2< FINALISED 1",
            "all< SQUARE_TAKES_CASH 2 38 75",
            "all< DELTA_CASH 2 0 75",
            "all< DELTA_POT 175",
            "all< START_OF_TURN 1 true",
        ];
        assert_eq!(table.says(2, agree(1)), done);
    }

    #[test]
    fn bail_frees_by_cash_or_card() {
        let freed = |table: &mut Table| {
            table.game.player_mut(2).unwrap().jail_turn = 2;
            table.run(|game, cx| game.open_jail(cx, 2));
            let said: Vec<_> = table.says(2, agree(1)).split_off(2);
            assert_eq!(table.game.player(2).unwrap().jail_turn, 0);
            said
        };
        let by_cash = [
            "all< SQUARE_TAKES_CASH 2 10 50",
            "all< DELTA_CASH 2 0 50",
            "all< DELTA_POT 150",
            "all< JAIL_FREE 2",
            "all< ROLL_AGAIN 2",
        ];
        assert_eq!(freed(&mut Table::new(2)), by_cash);
        let mut table = Table::with_options(2, &[], Options { bail_ends_turn: true, ..Options::DEFAULT });
        table.cash(2, 0).hold_card(2, 7);
        let by_card =
            ["all< SQUARE_TAKES_CARD 2 10 7", "all< DELTA_CARD 2 0 7", "all< JAIL_FREE 2", "all< START_OF_TURN 1 true"];
        assert_eq!(freed(&mut table), by_card);
        assert_eq!(table.game.piles[0].last(), Some(&7));
        assert_eq!(table.game.card_owner(Card::new(7).unwrap()), BANK);
    }

    #[test]
    fn an_auction_is_paid_without_the_pot() {
        let mut table = Table::new(3);
        table.run(|game, cx| game.open_auction(cx, 3, deed(3), 90));
        let done = [
            "3< AGREED 1",
            "3< FINALISED 1",
            "all< SQUARE_TAKES_CASH 3 6 90",
            "all< DELTA_CASH 3 0 90",
            "all< DELTA_PROPERTY 0 3 3",
            "all< START_OF_TURN 3 true",
        ];
        assert_eq!(table.says(3, agree(1)), done, "it was 2's turn");
    }

    #[test]
    fn a_fee_is_paid_and_nothing_else_happens() {
        let mut table = Table::new(2);
        table.run(|game, cx| game.open_fee(cx, 1, 20));
        assert_eq!(table.says(1, agree(1)), ["1< AGREED 1", "1< FINALISED 1", "all< DELTA_CASH 1 0 20"]);
    }

    #[test]
    fn only_what_holds_the_game_lets_it_go_on() {
        let mut table = Table::new(3);
        table.run(|game, cx| game.open_fee(cx, 3, 20));
        table.run(|game, cx| game.open_auction(cx, 3, deed(3), 90));
        assert_eq!(table.says(3, agree(1)), ["3< AGREED 1", "3< FINALISED 1", "all< DELTA_CASH 3 0 20"]);
        assert_eq!(table.game.phase, Phase::Held { deal: 2 });
    }

    #[test]
    fn where_there_is_no_pot_a_fine_is_gone() {
        let mut table = Table::with_options(2, &[], Options { pot: None, ..Options::DEFAULT });
        table.run(|game, cx| game.open_square(cx, 2, Square::LUXURY_TAX, 75));
        let said = table.says(2, agree(1));
        assert!(!said.iter().any(|line| line.contains("POT")), "{said:?}");
        assert_eq!(table.game.pot, 0);
    }
}

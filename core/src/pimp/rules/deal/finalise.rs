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
            self.carry_out(cx, deal);
        }
    }

    /// `deal` is in no table.
    pub(super) fn carry_out<H: Herald>(&mut self, cx: &mut Cx<'_, H>, deal: Deal) {
        tell_both(cx, deal.parties(), Message::TransactionFinalised { transaction: deal.id });
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

    /// What was held for the debtor, who may have to wait for it at an older debt.
    fn release_escrow<H: Herald>(&mut self, cx: &mut Cx<'_, H>, deal: &Deal) {
        if let Some(debtor) = deal.debtor() {
            self.give(cx, debtor, deal.escrow, Some(deal.id));
        }
    }
}

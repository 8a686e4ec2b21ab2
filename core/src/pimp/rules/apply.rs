//! Every action a player can send, led to the rule it belongs to.
//!
//! The vocabulary is closed: what is no action of the game, or comes from a user who does not play, is unexpected.

use super::{Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::wire::Message;

impl Game {
    /// All or nothing. TRANSFER and KICK are the server's to weigh: see [`Game::transfer`] and [`Game::kick`].
    pub fn apply<H: Herald>(&mut self, actor: UserId, action: &Message<'_>, cx: &mut Cx<'_, H>) -> Verdict {
        if !self.is_player(actor) || matches!(self.phase, Phase::Idle | Phase::Over { .. }) {
            return Err(Refusal::Unexpected);
        }
        match *action {
            Message::ThrowDice {} => self.throw_dice(actor, cx),
            Message::JailPayBail {} => self.pay_bail(actor, cx),
            Message::JailRollDice {} => self.roll_in_jail(actor, cx),
            Message::ClaimRent { debtor, property } => self.claim_rent(actor, debtor, property, cx),
            Message::ClaimGo { square } => self.claim_go(actor, square, cx),
            Message::BuyProperty {} => self.buy_property(actor, cx),
            Message::AuctionProperty {} => self.decline_property(actor, cx),
            Message::Bid { cash } => self.bid(actor, cash, cx),
            Message::NoBid {} => self.no_bid(actor, cx),
            Message::MortgageProperty { property } => self.mortgage(actor, property, cx),
            Message::UnmortgageProperty { property } => self.unmortgage(actor, property, cx),
            Message::CardSelectCollect {} => self.choose_card(actor, false, cx),
            Message::CardSelectRetry {} => self.choose_card(actor, true, cx),
            Message::TaxPayTenPercent {} => self.pay_tax(actor, true, cx),
            Message::TaxPayFlatFee {} => self.pay_tax(actor, false, cx),
            Message::PurchaseHouses { lots } => self.purchase_houses(actor, lots, cx),
            _ => self.deal_command(actor, action, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;

    #[test]
    fn who_does_not_play_moves_nothing() {
        let mut table = Table::new(2);
        assert_eq!(table.refused(3, Message::ThrowDice {}), ["Unexpected"]);
        assert_eq!(table.refused(0, Message::ThrowDice {}), ["Unexpected"]);
        assert_eq!(table.refused(1, Message::DeltaPot { cash: 1 }), ["Unexpected"]);
        let mut alone = Table::new(1);
        assert_eq!(alone.refused(1, Message::MortgageProperty { property: 99 }), ["Unexpected"]);
    }
}

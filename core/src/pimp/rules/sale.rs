//! An unowned property: the lander buys it or has it auctioned (pimp 8).

use super::{BANK, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::board::Deed;
use crate::pimp::wire::Message;

impl Game {
    /// A refusal leaves the offer open: mortgage something and try again.
    pub(super) fn buy_property<H: Herald>(&mut self, player: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        let property = self.on_sale_to(player)?;
        let price = property.price();
        if let Some(transaction) = self.locked(player, worth_change(property, price)) {
            let error = Message::ErrorPropertyWouldReduceNetWorth { property: property.id(), transaction };
            cx.out.one(player, error);
            return Err(Refusal::Told);
        }
        if self.cash(player) < price {
            cx.out.one(player, Message::ErrorPropertyTooExpensive { property: property.id(), price });
            return Err(Refusal::Told);
        }
        self.sell_from_bank(cx, player, property, price);
        self.advance(cx);
        Ok(())
    }

    pub(super) fn decline_property<H: Herald>(&mut self, player: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        let property = self.on_sale_to(player)?;
        self.open_auction_of(cx, property);
        Ok(())
    }

    fn on_sale_to(&self, player: UserId) -> Result<Deed, Refusal> {
        match self.phase {
            Phase::Sale { property } if self.is_turn_of(player) => Ok(property),
            _ => Err(Refusal::Unexpected),
        }
    }

    /// The cash is there: the deed changes hands. Never into the pot.
    pub(super) fn sell_from_bank<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, property: Deed, cash: u32) {
        cx.out.all(Message::SquareTakesCash { player, square: property.square().id(), cash });
        self.move_cash(cx, player, BANK, cash);
        self.move_deed(cx, BANK, player, property);
    }
}

/// What buying does to a player's worth: the price goes, the mortgage value comes (pimp 11).
pub(super) fn worth_change(property: Deed, price: u32) -> i64 {
    i64::from(property.mortgage()) - i64::from(price)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;

    #[test]
    fn buying_takes_cash_and_gives_the_deed() {
        let mut table = Table::scripted(2, &[0x12]);
        assert_eq!(
            table.ok(2, Message::ThrowDice {}).last().unwrap(),
            "all< PROPERTY_SALE player=2 property=1 price=60"
        );
        assert_eq!(table.refused(1, Message::BuyProperty {}), ["Unexpected"]);
        table.cash(2, 59);
        assert_eq!(
            table.refused(2, Message::BuyProperty {}),
            ["2< ERROR_PROPERTY_TOO_EXPENSIVE property=1 price=60", "Told"]
        );
        table.cash(2, 60);
        assert_eq!(
            table.ok(2, Message::BuyProperty {}),
            [
                "all< SQUARE_TAKES_CASH player=2 square=3 cash=60",
                "all< DELTA_CASH from=2 to=0 cash=60",
                "all< DELTA_PROPERTY from=0 to=2 property=1",
                "all< START_OF_TURN player=1 may_throw=true",
            ]
        );
    }

    #[test]
    fn a_debtor_may_not_buy_the_debt_out_of_reach() {
        let mut table = Table::scripted(2, &[0x11, 0x11, 0x80 + 23]);
        table.own(1, &[1]).at(2, 1);
        // Square 3, rent 4, then a throw of two again onto square 5.
        table.ok(2, Message::ThrowDice {});
        table.ok(1, Message::ClaimRent { debtor: 2, property: 1 });
        table.options.debt_blocks_roll = false;
        table.ok(2, Message::ThrowDice {});
        table.cash(2, 103);
        assert_eq!(
            table.refused(2, Message::BuyProperty {}),
            ["2< ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH property=2 transaction=1", "Told"]
        );
    }
}

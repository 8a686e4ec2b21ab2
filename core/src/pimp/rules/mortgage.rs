//! Mortgages (pimp 9): at any time, by any player.

use super::{BANK, Cx, Game, Herald, Refusal, UserId, Verdict};
use crate::pimp::board::Deed;
use crate::pimp::wire::Message;

impl Game {
    /// Never held in escrow: raising cash is how debts get paid.
    pub(super) fn mortgage<H: Herald>(&mut self, player: UserId, property: u8, cx: &mut Cx<'_, H>) -> Verdict {
        let deed = Deed::new(property).ok_or(Refusal::Invalid)?;
        let standing = self.standing(deed);
        if standing.owner != player || standing.mortgaged || self.group_has_buildings(deed.group()) {
            return Err(Refusal::Unexpected);
        }
        let cash = deed.mortgage();
        cx.out.all(Message::SquareGivesCash { player, square: deed.square().id(), cash });
        self.deeds.get_mut(deed).mortgaged = true;
        cx.out.all(Message::DeltaPropertyMortgaged { property });
        self.move_cash(cx, BANK, player, cash);
        self.lot_changed(cx, player, deed);
        Ok(())
    }

    /// Always allowed, whatever the player owes: the document wants it so.
    pub(super) fn unmortgage<H: Herald>(&mut self, player: UserId, property: u8, cx: &mut Cx<'_, H>) -> Verdict {
        let deed = Deed::new(property).ok_or(Refusal::Invalid)?;
        let standing = self.standing(deed);
        if standing.owner != player || !standing.mortgaged {
            return Err(Refusal::Unexpected);
        }
        let cash = deed.unmortgage_cost();
        if self.cash(player) < cash {
            cx.out.one(player, Message::ErrorMortgageTooExpensive { property, cost: cash });
            return Err(Refusal::Told);
        }
        cx.out.all(Message::SquareTakesCash { player, square: deed.square().id(), cash });
        self.deeds.get_mut(deed).mortgaged = false;
        cx.out.all(Message::DeltaPropertyUnmortgaged { property });
        self.move_cash(cx, player, BANK, cash);
        self.lot_changed(cx, player, deed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;

    #[test]
    fn a_mortgage_and_its_interest() {
        let mut table = Table::new(2);
        table.own(1, &[7]).cash(1, 0);
        assert_eq!(table.refused(1, Message::UnmortgageProperty { property: 7 }), ["Unexpected"]);
        assert_eq!(
            table.ok(1, Message::MortgageProperty { property: 7 }),
            [
                "all< SQUARE_GIVES_CASH player=1 square=12 cash=75",
                "all< DELTA_PROPERTY_MORTGAGED property=7",
                "all< DELTA_CASH from=0 to=1 cash=75",
            ]
        );
        assert_eq!(table.refused(1, Message::MortgageProperty { property: 7 }), ["Unexpected"]);
        assert_eq!(
            table.refused(1, Message::UnmortgageProperty { property: 7 }),
            ["1< ERROR_MORTGAGE_TOO_EXPENSIVE property=7 cost=82", "Told"]
        );
        table.cash(1, 82);
        assert_eq!(
            table.ok(1, Message::UnmortgageProperty { property: 7 }),
            [
                "all< SQUARE_TAKES_CASH player=1 square=12 cash=82",
                "all< DELTA_PROPERTY_UNMORTGAGED property=7",
                "all< DELTA_CASH from=1 to=0 cash=82",
            ]
        );
    }

    #[test]
    fn not_what_others_own_or_what_stands_beside_a_house() {
        let mut table = Table::new(2);
        table.own(1, &[26, 27]);
        table.game.deeds.get_mut(Deed::new(27).unwrap()).level = 1;
        assert_eq!(table.refused(1, Message::MortgageProperty { property: 26 }), ["Unexpected"]);
        assert_eq!(table.refused(2, Message::MortgageProperty { property: 26 }), ["Unexpected"]);
        assert_eq!(table.refused(1, Message::MortgageProperty { property: 28 }), ["Invalid"]);
        assert_eq!(table.refused(1, Message::UnmortgageProperty { property: 255 }), ["Invalid"]);
    }
}

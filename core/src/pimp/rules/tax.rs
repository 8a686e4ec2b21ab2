//! Taxes, fines and the pot that gathers them (pimp 5).

use super::{BANK, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::board::{INCOME_TAX, Square};
use crate::pimp::wire::Message;

impl Game {
    /// TAX_PAY_TEN_PERCENT or TAX_PAY_FLAT_FEE.
    pub(super) fn pay_tax<H: Herald>(&mut self, player: UserId, tenth: bool, cx: &mut Cx<'_, H>) -> Verdict {
        let Phase::Tax { square } = self.phase else { return Err(Refusal::Unexpected) };
        if !self.is_turn_of(player) {
            return Err(Refusal::Unexpected);
        }
        let amount = if tenth { self.taxable(player) / 10 } else { INCOME_TAX };
        self.charge(cx, player, square, amount);
        if matches!(self.phase, Phase::Tax { .. }) {
            self.advance(cx);
        }
        Ok(())
    }

    /// Cash, the printed price of every deed, mortgaged too, and what the buildings cost.
    pub(super) fn taxable(&self, player: UserId) -> u32 {
        let price = |deed| {
            let standing = self.standing(deed);
            deed.price() + u32::from(standing.level) * deed.house_cost()
        };
        self.deeds_of(player).map(price).fold(self.cash(player), u32::saturating_add)
    }

    /// The bank takes the cash if the player has it at hand and owes no one more than would be left; else it becomes a
    /// debt that holds the game.
    pub(super) fn charge<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, square: Square, cash: u32) {
        if cash == 0 {
            return;
        }
        if self.cash(player) < cash || self.locked(player, -i64::from(cash)).is_some() {
            self.open_square(cx, player, square, cash);
            return;
        }
        cx.out.all(Message::SquareTakesCash { player, square: square.id(), cash });
        self.move_cash(cx, player, BANK, cash);
        self.add_to_pot(cx, cash);
    }

    /// The bank pays, or keeps it for a debtor (pimp 10).
    pub(super) fn square_gives<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, square: Square, cash: u32) {
        cx.out.all(Message::SquareGivesCash { player, square: square.id(), cash });
        self.give(cx, player, cash, None);
    }

    pub(super) fn add_to_pot<H: Herald>(&mut self, cx: &mut Cx<'_, H>, cash: u32) {
        if cx.options.pot.is_some() && cash > 0 {
            self.pot = self.pot.saturating_add(cash);
            cx.out.all(Message::DeltaPot { cash: self.pot });
        }
    }

    /// Free Parking.
    pub(super) fn take_pot<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, square: Square) {
        let Some(seed) = cx.options.pot else { return };
        if self.pot > 0 {
            self.square_gives(cx, player, square, self.pot);
            self.pot = seed;
            cx.out.all(Message::DeltaPot { cash: seed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::board::Deed;
    use crate::pimp::rules::Options;

    fn on_income_tax(options: Options) -> Table {
        let mut table = Table::with_options(2, &[0x13], options);
        assert_eq!(table.ok(2, Message::ThrowDice {}).last().unwrap(), "all< TAX_SELECT_OPTION player=2 square=4");
        table
    }

    #[test]
    fn a_tenth_counts_deeds_and_buildings() {
        let mut table = on_income_tax(Options::DEFAULT);
        table.own(2, &[26, 27, 7]);
        for (deed, level) in [(26, 4), (27, 5)] {
            table.game.deeds.get_mut(Deed::new(deed).unwrap()).level = level;
        }
        table.game.deeds.get_mut(Deed::new(7).unwrap()).mortgaged = true;
        // 1500 + 350 + 400 + 150 + 9 * 200 = 4200
        assert_eq!(
            table.ok(2, Message::TaxPayTenPercent {}),
            [
                "all< SQUARE_TAKES_CASH player=2 square=4 cash=420",
                "all< DELTA_CASH from=2 to=0 cash=420",
                "all< DELTA_POT cash=520",
                "all< START_OF_TURN player=1 may_throw=true",
            ]
        );
    }

    #[test]
    fn a_table_without_a_pot_never_speaks_of_one() {
        let mut table = on_income_tax(Options { pot: None, ..Options::DEFAULT });
        assert_eq!(table.refused(1, Message::TaxPayFlatFee {}), ["Unexpected"]);
        assert!(table.ok(2, Message::TaxPayFlatFee {}).iter().all(|line| !line.contains("POT")));
        assert_eq!(table.game.pot, 0);
        table.run(|game, cx| game.take_pot(cx, 1, Square::FREE_PARKING));
        assert!(table.said().is_empty());
    }

    #[test]
    fn who_cannot_pay_holds_the_game() {
        let mut table = on_income_tax(Options::DEFAULT);
        table.cash(2, 199);
        assert_eq!(
            table.ok(2, Message::TaxPayFlatFee {}),
            [
                "2< TRANSACTION_SQUARE_REQUESTED transaction=1 square=4 amount=200",
                "2< ERROR_TRANSACTION_TOO_EXPENSIVE transaction=1 cash=200",
                "2< TRANSACTION_CASH_SET transaction=1 cash=0",
                "2< TRANSACTION_OTHER_FINISHED transaction=1",
                "2< TRANSACTION_UNUSUAL transaction=1",
                "all< WAITING_FOR_TRANSACTION player=2 transaction=1",
            ]
        );
    }

    #[test]
    fn free_parking_pays_the_pot_and_seeds_it() {
        let mut table = Table::scripted(2, &[0x12]);
        table.at(2, 17);
        table.game.pot = 375;
        assert_eq!(
            table.ok(2, Message::ThrowDice {})[5..],
            [
                "all< SQUARE_GIVES_CASH player=2 square=20 cash=375",
                "all< DELTA_CASH from=0 to=2 cash=375",
                "all< DELTA_POT cash=100",
                "all< START_OF_TURN player=1 may_throw=true",
            ]
        );
    }

    #[test]
    fn the_last_dollar_pays_at_once_and_what_a_debt_needs_does_not() {
        let mut table = on_income_tax(Options::DEFAULT);
        table.cash(2, 200);
        let said = table.ok(2, Message::TaxPayFlatFee {});
        assert_eq!(said.last().unwrap(), "all< START_OF_TURN player=1 may_throw=true");
        let mut table = on_income_tax(Options::DEFAULT);
        table.rent_debt(2, 1, 27, 1301);
        let said = table.ok(2, Message::TaxPayFlatFee {});
        assert_eq!(said.last().unwrap(), "all< WAITING_FOR_TRANSACTION player=2 transaction=2");
    }
}

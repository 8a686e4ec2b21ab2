//! In and out of jail (pimp 5.6).

use super::throw::throw;
use super::{Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::board::{JAIL_ROLLS, Square};
use crate::pimp::wire::Message;

impl Game {
    /// 0 free; 1..=3 the turn in jail now; 4 all rolls used up.
    pub(super) fn jail_turn(&self, player: UserId) -> u8 {
        self.player(player).map_or(0, |player| player.jail_turn)
    }

    fn set_jail_turn(&mut self, player: UserId, turn: u8) {
        if let Some(player) = self.player_mut(player) {
            player.jail_turn = turn;
        }
    }

    pub(super) fn rolls_left(&self, player: UserId) -> u8 {
        (JAIL_ROLLS + 1).saturating_sub(self.jail_turn(player))
    }

    /// No salary, whatever lies between.
    pub(super) fn send_to_jail<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId) {
        let square = Square::JAIL.id();
        cx.out.all(Message::GoingToJail { player, square });
        self.set_square(player, Square::JAIL);
        cx.out.all(Message::PlayerLandingOnSquare { player, square });
        self.set_jail_turn(player, 1);
        self.doubles = 0;
    }

    pub(super) fn free_from_jail<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId) {
        cx.out.all(Message::JailFree { player });
        self.set_jail_turn(player, 0);
    }

    /// Bail is paid: on with a throw, or with the next player where the house rule says so.
    pub(super) fn after_bail<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        if cx.options.bail_ends_turn {
            self.advance(cx);
        } else {
            self.roll_again(cx);
        }
    }

    pub(super) fn pay_bail<H: Herald>(&mut self, player: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        if self.phase != Phase::JailStart || !self.is_turn_of(player) {
            return Err(Refusal::Unexpected);
        }
        if self.held_back(cx, player) {
            return Ok(());
        }
        self.close_claims(cx);
        self.open_jail(cx, player);
        Ok(())
    }

    /// A double frees, and does not count towards three. The last roll in vain asks for bail.
    pub(super) fn roll_in_jail<H: Herald>(&mut self, player: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        if self.phase != Phase::JailStart || !self.is_turn_of(player) || self.rolls_left(player) == 0 {
            return Err(Refusal::Unexpected);
        }
        if self.held_back(cx, player) {
            return Ok(());
        }
        self.close_claims(cx);
        let (die1, die2) = throw(cx.dice);
        cx.out.all(Message::DiceRolled { player, die1, die2 });
        if die1 == die2 {
            self.free_from_jail(cx, player);
            self.roll_again(cx);
            return Ok(());
        }
        self.set_jail_turn(player, self.jail_turn(player).saturating_add(1));
        if self.rolls_left(player) == 0 {
            self.open_jail(cx, player);
        } else {
            self.advance(cx);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::rules::Options;
    use std::vec::Vec;

    const ROLL: Message<'static> = Message::JailRollDice {};

    fn jailed(steps: &[u8], options: Options) -> Table {
        let mut table = Table::with_options(2, steps, options);
        table.at(2, 10).own(2, &(0..28).collect::<Vec<u8>>());
        table.game.player_mut(2).unwrap().jail_turn = 1;
        table.run(|game, cx| game.next_turn(cx, 2));
        table
    }

    #[test]
    fn a_double_frees_and_asks_for_a_throw() {
        let mut table = jailed(&[0x22, 0x11], Options::DEFAULT);
        assert_eq!(
            table.said(),
            [
                "all< START_OF_TURN player=2 may_throw=false",
                "all< JAIL_PAY_OR_ROLL player=2 rolls_left=3 may_build=true"
            ]
        );
        assert_eq!(table.refused(2, Message::ThrowDice {}), ["Unexpected"]);
        assert_eq!(table.refused(1, ROLL), ["Unexpected"]);
        assert_eq!(
            table.ok(2, ROLL),
            ["all< DICE_ROLLED player=2 die1=2 die2=2", "all< JAIL_FREE player=2", "all< ROLL_AGAIN player=2"]
        );
        assert_eq!((table.game.jail_turn(2), table.game.doubles), (0, 0));
        assert!(table.ok(2, Message::ThrowDice {}).ends_with(&["all< ROLL_AGAIN player=2".into()]));
    }

    #[test]
    fn three_rolls_in_vain_ask_for_bail() {
        let mut table = jailed(&[0x12, 0x12, 0x12, 0x12, 0x12], Options::DEFAULT);
        for left in [2, 1] {
            table.ok(2, ROLL);
            let said = table.ok(1, Message::ThrowDice {});
            let ask = std::format!("all< JAIL_PAY_OR_ROLL player=2 rolls_left={left} may_build=true");
            assert_eq!(said.last().unwrap(), &ask);
        }
        assert_eq!(
            table.ok(2, ROLL)[2..],
            [
                "2< TRANSACTION_JAIL_REQUESTED transaction=3 amount=50",
                "2< TRANSACTION_CASH_SET transaction=3 cash=50",
                "2< TRANSACTION_OTHER_FINISHED transaction=3",
                "2< TRANSACTION_FINISHED transaction=3",
                "2< TRANSACTION_OTHER_AGREED transaction=3",
                "all< WAITING_FOR_TRANSACTION player=2 transaction=3",
            ]
        );
        assert_eq!(table.game.jail_turn(2), 4);
    }

    #[test]
    fn bail_is_followed_by_a_throw_or_ends_the_turn() {
        for (bail_ends_turn, last) in
            [(false, "all< ROLL_AGAIN player=2"), (true, "all< START_OF_TURN player=1 may_throw=true")]
        {
            let mut table = jailed(&[], Options { bail_ends_turn, ..Options::DEFAULT });
            table.ok(2, Message::JailPayBail {});
            let said = table.ok(2, Message::TransactionAgree { transaction: 1 });
            assert_eq!(
                said[said.len() - 5..],
                [
                    "all< SQUARE_TAKES_CASH player=2 square=10 cash=50",
                    "all< DELTA_CASH from=2 to=0 cash=50",
                    "all< DELTA_POT cash=150",
                    "all< JAIL_FREE player=2",
                    last,
                ]
            );
        }
    }

    #[test]
    fn either_choice_closes_claims_and_waits_for_debts() {
        for choice in [ROLL, Message::JailPayBail {}] {
            let mut table = jailed(&[0x12], Options::DEFAULT);
            table.rent_debt(2, 1, 5, 8);
            let told = ["all< WAITING_FOR_TRANSACTION player=2 transaction=1"];
            assert_eq!(table.ok(2, choice), told);
            let asked = [
                "all< START_OF_TURN player=2 may_throw=false",
                "all< JAIL_PAY_OR_ROLL player=2 rolls_left=3 may_build=true",
            ];
            assert!(table.ok(2, Message::TransactionAgree { transaction: 1 }).ends_with(&asked.map(Into::into)));
            table.rent_claim(1, 2, 5, 8);
            assert_eq!(table.ok(2, choice)[0], "all< RENT_COLLECTION_MORATORIUM");
        }
    }

    /// A card is no less worth to somebody who owes more than there is: the bank is no ally (pimp 16.1.3).
    #[test]
    fn a_card_pays_bail_whatever_else_is_owed() {
        let mut table = jailed(&[], Options { debt_blocks_roll: false, ..Options::DEFAULT });
        table.own(2, &[]).cash(2, 0).hold_card(2, 7).rent_debt(2, 1, 27, 20_000);
        table.ok(2, Message::JailPayBail {});
        let said = table.ok(2, Message::TransactionAgree { transaction: 2 });
        assert_eq!(said.last().unwrap(), "all< ROLL_AGAIN player=2");
    }
}

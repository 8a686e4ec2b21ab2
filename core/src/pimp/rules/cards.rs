//! Chance and Community Chest (pimp 6).

use super::walk::Arrival;
use super::{BANK, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::board::{Card, DeedKind, Effect, Pile, Square, SquareKind};
use crate::pimp::wire::Message;

impl Game {
    pub(super) fn draw_card<H: Herald>(
        &mut self,
        cx: &mut Cx<'_, H>,
        player: UserId,
        square: Square,
        pile: Pile,
        arrival: Arrival,
    ) {
        // A pile never runs dry: only one of its cards is ever kept.
        let Some(card) = self.draw(pile) else { return };
        cx.out.all(Message::GotCard { player, square: square.id(), card: card.id() });
        if !card.is_jail_card() {
            self.bury(card);
        }
        match card.effect() {
            Effect::AdvanceTo(target) => self.card_moves(cx, player, card, target, arrival),
            Effect::NextUtility => {
                let target = next_of(square, DeedKind::Utility);
                self.card_moves(cx, player, card, target, Arrival::NextUtility);
            }
            Effect::NextRailroad => {
                let target = next_of(square, DeedKind::Railroad);
                self.card_moves(cx, player, card, target, Arrival::NextRailroad);
            }
            Effect::Back(steps) => {
                cx.out.all(Message::CardMovedPlayer { player, card: card.id(), square: square.back(steps).id() });
                self.walk_back(cx, player, steps, arrival);
            }
            Effect::GoToJail => {
                cx.out.all(Message::CardMovedPlayer { player, card: card.id(), square: Square::JAIL.id() });
                self.send_to_jail(cx, player);
            }
            Effect::BankPays(cash) => self.square_gives(cx, player, square, cash),
            Effect::PayBank(cash) => self.charge(cx, player, square, cash),
            Effect::Repairs { house, hotel } => {
                let cash = self.repairs(player, house, hotel);
                self.charge(cx, player, square, cash);
            }
            Effect::PayEach(cash) => self.card_debts(cx, player, card, cash, false),
            Effect::CollectEach(cash) => self.card_debts(cx, player, card, cash, true),
            Effect::JailCard => {
                cx.out.all(Message::SquareGivesCard { player, square: square.id(), card: card.id() });
                self.move_card(cx, BANK, player, card);
            }
        }
    }

    fn card_moves<H: Herald>(
        &mut self,
        cx: &mut Cx<'_, H>,
        player: UserId,
        card: Card,
        target: Square,
        arrival: Arrival,
    ) {
        cx.out.all(Message::CardMovedPlayer { player, card: card.id(), square: target.id() });
        let steps = target.back(self.square_of(player).id()).id();
        self.walk(cx, player, steps, arrival);
    }

    /// A debt between `player` and every other player; `collect`: the others owe.
    fn card_debts<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, card: Card, cash: u32, collect: bool) {
        let mut other = BANK;
        // Ascending by id, however the table may look while debts are opened.
        while let Some(next) = self.players.iter().map(|p| p.id).find(|id| *id > other) {
            other = next;
            if other != player {
                let (creditor, debtor) = if collect { (player, other) } else { (other, player) };
                self.open_card(cx, creditor, debtor, card, cash);
            }
        }
    }

    fn repairs(&self, player: UserId, house: u32, hotel: u32) -> u32 {
        let cost = |deed| {
            let standing = self.standing(deed);
            house * u32::from(standing.houses()) + hotel * u32::from(standing.hotels())
        };
        self.deeds_of(player).map(cost).sum()
    }

    /// CARD_SELECT_COLLECT and CARD_SELECT_RETRY. No card of board 0 leaves a choice, so here both are out of turn.
    pub(super) fn choose_card<H: Herald>(&mut self, player: UserId, retry: bool, cx: &mut Cx<'_, H>) -> Verdict {
        let Phase::CardChoice { square, card } = self.phase else { return Err(Refusal::Unexpected) };
        if !self.is_turn_of(player) {
            return Err(Refusal::Unexpected);
        }
        // While a card has its effect, the phase tells whether it asks for something new.
        self.phase = Phase::Again;
        if retry {
            let other = if square.kind() == SquareKind::Chance { Pile::CommunityChest } else { Pile::Chance };
            self.draw_card(cx, player, square, other, Arrival::Throw(0));
        } else if let Effect::BankPays(cash) = card.effect() {
            self.square_gives(cx, player, square, cash);
        }
        if self.phase == Phase::Again {
            self.advance(cx);
        }
        Ok(())
    }
}

/// The next square of this kind after `from`.
fn next_of(from: Square, kind: DeedKind) -> Square {
    let ahead = (1..40).map(|steps| from.plus(steps));
    ahead.into_iter().find(|square| square.deed().is_some_and(|deed| deed.kind() == kind)).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::board::Deed;
    use crate::pimp::rules::ClaimKind;
    use std::string::String;
    use std::vec::Vec;

    /// Player 2 throws onto Chance (7) or Community Chest (2) and draws `card`.
    fn drawn(table: &mut Table, card: u8) -> Vec<String> {
        let said = table.ok(2, Message::ThrowDice {});
        let got = std::format!("card={card}");
        let at = said.iter().position(|line| line.contains("GOT_CARD") && line.ends_with(&got)).unwrap();
        said[at + 1..].to_vec()
    }

    #[test]
    fn the_next_of_a_kind_lies_ahead() {
        let next = |from, kind| next_of(Square::new(from).unwrap(), kind).id();
        assert_eq!([7, 22, 36].map(|from| next(from, DeedKind::Railroad)), [15, 25, 5]);
        assert_eq!([7, 22, 36].map(|from| next(from, DeedKind::Utility)), [12, 28, 12]);
    }

    #[test]
    fn a_jail_card_leaves_its_pile() {
        let mut table = Table::scripted(2, &[0x34, 0x80 + 7]);
        let said = drawn(&mut table, 7);
        assert_eq!(
            said[..2],
            ["all< SQUARE_GIVES_CARD player=2 square=7 card=7", "all< DELTA_CARD from=0 to=2 card=7"]
        );
        assert_eq!((table.game.card_owners[7], table.game.piles[0].len()), (2, 15));
    }

    #[test]
    fn back_three_pays_no_salary_and_lands_on_the_tax() {
        let mut table = Table::scripted(2, &[0x34, 0x80 + 8]);
        assert_eq!(
            drawn(&mut table, 8),
            [
                "all< CARD_MOVED_PLAYER player=2 card=8 square=4",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=6",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=5",
                "all< PLAYER_LANDING_ON_SQUARE player=2 square=4",
                "all< TAX_SELECT_OPTION player=2 square=4",
            ]
        );
    }

    #[test]
    fn the_next_utility_costs_ten_times_a_fresh_throw() {
        let mut table = Table::scripted(2, &[0x34, 0x80 + 2, 0x56]);
        table.own(1, &[7]);
        let said = drawn(&mut table, 2);
        assert_eq!(said[said.len() - 2], "all< DICE_ROLLED player=2 die1=5 die2=6");
        assert!(matches!(table.game.claims[0].kind, ClaimKind::Rent { rent: 110, creditor: 1, .. }));
    }

    #[test]
    fn repairs_count_houses_and_hotels() {
        let mut table = Table::scripted(2, &[0x34, 0x80 + 10]);
        table.own(2, &[26, 27]);
        for (deed, level) in [(26, 4), (27, 5)] {
            table.game.deeds.get_mut(Deed::new(deed).unwrap()).level = level;
        }
        assert_eq!(drawn(&mut table, 10)[0], "all< SQUARE_TAKES_CASH player=2 square=7 cash=200");
    }

    #[test]
    fn a_choice_pays_or_draws_from_the_other_pile() {
        let mut table = Table::scripted(2, &[0x80 + 11]);
        let square = Square::new(2).unwrap();
        table.game.phase = Phase::CardChoice { square, card: Card::new(30).unwrap() };
        let mut other = Table::scripted(2, &[0x80 + 11]);
        other.game = table.game.clone();
        assert_eq!(table.refused(1, Message::CardSelectCollect {}), ["Unexpected"]);
        let said = table.ok(2, Message::CardSelectCollect {});
        assert_eq!(said[0], "all< SQUARE_GIVES_CASH player=2 square=2 cash=10");
        let said = other.ok(2, Message::CardSelectRetry {});
        assert_eq!(said[0], "all< GOT_CARD player=2 square=2 card=11");
        assert_eq!(said.last().unwrap(), "all< START_OF_TURN player=1 may_throw=true");
    }
}

//! Walking round the board and landing on it (pimp 5).
//!
//! A card can send a player on, and the square it leads to can be a card again: Chance on 36, three back to Community
//! Chest on 33, on to Go. No path is longer.

use super::throw::throw;
use super::{BANK, ClaimKind, Cx, Game, Herald, Phase, UserId};
use crate::pimp::board::{Deed, DeedKind, LUXURY_TAX, Pile, SALARY, Square, SquareKind};
use crate::pimp::wire::Message;

/// What brought a player to a square: it decides the rent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The total of the dice that began the move.
    Throw(u8),
    /// The card to the next railroad: twice the rent.
    NextRailroad,
    /// The card to the next utility: ten times a fresh throw.
    NextUtility,
}

/// The factor of a fresh throw that the card to the next utility asks for.
const UTILITY_CARD: u32 = 10;

impl Game {
    pub(super) fn square_of(&self, player: UserId) -> Square {
        self.player(player).map_or(Square::GO, |player| player.square)
    }

    pub(super) fn set_square(&mut self, player: UserId, square: Square) {
        if let Some(player) = self.player_mut(player) {
            player.square = square;
        }
    }

    /// Forwards: a player who passes Go may claim the salary.
    pub(super) fn walk<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, steps: u8, arrival: Arrival) {
        let from = self.square_of(player);
        for step in 1..steps {
            let square = from.plus(step);
            cx.out.all(Message::PlayerPassingBySquare { player, square: square.id() });
            if square == Square::GO {
                self.reach_go(cx, player, SALARY);
            }
        }
        self.land(cx, player, from.plus(steps), arrival);
    }

    /// Backwards: Go pays nothing.
    pub(super) fn walk_back<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, steps: u8, arrival: Arrival) {
        let from = self.square_of(player);
        for step in 1..steps {
            cx.out.all(Message::PlayerPassingBySquare { player, square: from.back(step).id() });
        }
        self.land(cx, player, from.back(steps), arrival);
    }

    fn reach_go<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, salary: u32) {
        if let Some(player) = self.player_mut(player) {
            player.passed_go = true;
        }
        self.add_claim(cx, ClaimKind::Go { player, square: Square::GO, salary });
    }

    fn land<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, square: Square, arrival: Arrival) {
        self.set_square(player, square);
        cx.out.all(Message::PlayerLandingOnSquare { player, square: square.id() });
        match square.kind() {
            SquareKind::Go => {
                let salary = if cx.options.double_go { 2 * SALARY } else { SALARY };
                self.reach_go(cx, player, salary);
            }
            SquareKind::Property(deed) => self.land_on_property(cx, player, deed, arrival),
            SquareKind::Chance => self.draw_card(cx, player, square, Pile::Chance, arrival),
            SquareKind::CommunityChest => self.draw_card(cx, player, square, Pile::CommunityChest, arrival),
            SquareKind::IncomeTax => {
                self.phase = Phase::Tax { square };
                self.repeat_prompt(cx);
            }
            SquareKind::LuxuryTax => self.charge(cx, player, square, LUXURY_TAX),
            SquareKind::Jail => {}
            SquareKind::FreeParking => self.take_pot(cx, player, square),
            SquareKind::GoToJail => {
                let to = Square::JAIL.id();
                cx.out.all(Message::SquareMovedPlayer { player, from_square: square.id(), square: to });
                self.send_to_jail(cx, player);
            }
        }
    }

    fn land_on_property<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, property: Deed, arrival: Arrival) {
        let standing = self.standing(property);
        if standing.owner == BANK {
            let walked_round = self.player(player).is_some_and(|player| player.passed_go);
            if walked_round || !cx.options.lap_before_buy {
                self.phase = Phase::Sale { property };
                self.repeat_prompt(cx);
            }
        } else if standing.owner != player && !standing.mortgaged {
            let rent = self.rent(cx, player, property, arrival);
            let claim = ClaimKind::Rent { debtor: player, lander: player, creditor: standing.owner, property, rent };
            self.add_claim(cx, claim);
        }
    }

    /// The rent that landing here costs now. Mortgaged mates count as owned.
    fn rent<H: Herald>(&self, cx: &mut Cx<'_, H>, player: UserId, property: Deed, arrival: Arrival) -> u32 {
        let standing = self.standing(property);
        let mates = property.group().deeds().iter();
        let others_owned =
            mates.filter(|mate| **mate != property && self.owner(**mate) == standing.owner).count() as u8;
        match property.kind() {
            DeedKind::Street if standing.level == 0 && self.owns_group(standing.owner, property.group()) => {
                2 * property.rent(0)
            }
            DeedKind::Street => property.rent(standing.level),
            DeedKind::Railroad if arrival == Arrival::NextRailroad => 2 * property.rent(others_owned),
            DeedKind::Railroad => property.rent(others_owned),
            DeedKind::Utility => match arrival {
                Arrival::Throw(total) => property.rent(others_owned) * u32::from(total),
                Arrival::NextUtility | Arrival::NextRailroad => {
                    let (die1, die2) = throw(cx.dice);
                    cx.out.all(Message::DiceRolled { player, die1, die2 });
                    UTILITY_CARD * (u32::from(die1) + u32::from(die2))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::rules::Options;

    fn rent_on(table: &mut Table, property: u8, arrival: Arrival) -> u32 {
        table.run(|game, cx| game.rent(cx, 1, Deed::new(property).unwrap(), arrival))
    }

    #[test]
    fn rents_follow_group_and_buildings() {
        let mut table = Table::new(2);
        table.own(2, &[26, 2, 10, 7]);
        let thrown = Arrival::Throw(7);
        assert_eq!(rent_on(&mut table, 26, thrown), 35);
        assert_eq!(rent_on(&mut table, 2, thrown), 50);
        assert_eq!(rent_on(&mut table, 2, Arrival::NextRailroad), 100);
        assert_eq!(rent_on(&mut table, 7, thrown), 28);
        table.own(2, &[27, 20, 17, 25]);
        assert_eq!(rent_on(&mut table, 26, thrown), 70);
        assert_eq!(rent_on(&mut table, 7, thrown), 70);
        assert_eq!(rent_on(&mut table, 25, Arrival::NextRailroad), 400);
        table.game.deeds.get_mut(Deed::new(27).unwrap()).level = 5;
        assert_eq!(rent_on(&mut table, 27, thrown), 2000);
        // A bare lot beside built ones is still a bare lot of a whole group.
        assert_eq!(rent_on(&mut table, 26, thrown), 70);
    }

    #[test]
    fn passing_and_landing_on_go_can_be_claimed() {
        let options = Options { double_go: true, ..Options::DEFAULT };
        let mut table = Table::with_options(2, &[0x12, 0x11, 0x12], options);
        table.own(1, &[0]);
        table.at(2, 38);
        table.ok(2, Message::ThrowDice {});
        assert_eq!(table.game.claims.len(), 2);
        assert!(matches!(table.game.claims[0].kind, ClaimKind::Go { player: 2, salary: 200, .. }));
        assert!(matches!(table.game.claims[1].kind, ClaimKind::Rent { debtor: 2, creditor: 1, rent: 2, .. }));
        table.at(1, 38);
        assert_eq!(table.ok(1, Message::ThrowDice {})[0], "all< RENT_COLLECTION_MORATORIUM");
        assert!(matches!(table.game.claims[0].kind, ClaimKind::Go { player: 1, salary: 400, .. }));
    }

    #[test]
    fn a_lap_may_be_asked_for_before_buying() {
        let options = || Options { lap_before_buy: true, ..Options::DEFAULT };
        let mut table = Table::with_options(2, &[0x12], options());
        let said = table.ok(2, Message::ThrowDice {});
        assert_eq!(said.last().unwrap(), "all< START_OF_TURN player=1 may_throw=true");
        let mut table = Table::with_options(2, &[0x12], options());
        table.at(2, 38);
        let said = table.ok(2, Message::ThrowDice {});
        assert_eq!(said.last().unwrap(), "all< PROPERTY_SALE player=2 property=0 price=60");
    }

    #[test]
    fn go_to_jail_sends_there_without_a_salary() {
        let mut table = Table::scripted(2, &[0x11]);
        table.at(2, 28);
        let said = table.ok(2, Message::ThrowDice {});
        assert_eq!(
            said[3..],
            [
                "all< PLAYER_LANDING_ON_SQUARE player=2 square=30",
                "all< SQUARE_MOVED_PLAYER player=2 from_square=30 square=10",
                "all< GOING_TO_JAIL player=2 square=10",
                "all< PLAYER_LANDING_ON_SQUARE player=2 square=10",
                "all< START_OF_TURN player=1 may_throw=true",
            ]
        );
        assert!(table.game.claims.is_empty());
    }
}

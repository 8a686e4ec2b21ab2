//! Houses and hotels, bought and sold (pimp 9).
//!
//! One message names many lots and is carried out whole or not at all. What can never happen here: more pieces on the
//! board than there are, uneven building, a house on a lot of a broken or mortgaged group.

use heapless::Vec;

use super::{BANK, Cx, Game, Herald, Phase, Refusal, Standing, UserId, Verdict};
use crate::dice::Stream;
use crate::pimp::board::{DEEDS, Deed, DeedKind, DeedSet, Group, HOTEL_LEVEL};
use crate::pimp::wire::{Lots, Message};

/// What shall happen on one lot: pieces bought (+) or sold (-).
#[derive(Clone, Copy)]
struct Work {
    deed: Deed,
    houses: i32,
    hotels: i32,
}

type Plan = Vec<Work, DEEDS>;

impl Work {
    fn buys(self) -> bool {
        self.houses > 0 || self.hotels > 0
    }

    /// A hotel takes the place of four houses, and leaves four behind.
    fn pieces_after(self, now: Standing) -> (i32, i32) {
        let houses = i32::from(now.houses()) + self.houses - 4 * self.hotels;
        (houses, i32::from(now.hotels()) + self.hotels)
    }

    fn level_after(self, now: Standing) -> Option<u8> {
        match self.pieces_after(now) {
            (houses @ 0..=4, 0) => u8::try_from(houses).ok(),
            (0, 1) => Some(HOTEL_LEVEL),
            _ => None,
        }
    }

    /// What the owner pays, or (below 0) gets. A hotel costs as much as a house.
    fn cost(self) -> i64 {
        let pieces = i64::from(self.houses) + i64::from(self.hotels);
        pieces * i64::from(if pieces > 0 { self.deed.house_cost() } else { self.deed.house_resale() })
    }

    /// Half of what is spent is lost at once; selling loses nothing (pimp 11).
    fn worth_change(self) -> i64 {
        let pieces = i64::from(self.houses) + i64::from(self.hotels);
        -(pieces.max(0) * i64::from(self.deed.house_cost() - self.deed.house_resale()))
    }
}

impl Game {
    pub(super) fn purchase_houses<H: Herald>(&mut self, player: UserId, lots: Lots<'_>, cx: &mut Cx<'_, H>) -> Verdict {
        let plan = plan(lots)?;
        let told = self.check_lots(player, &plan).and_then(|()| self.check_whole(player, &plan, cx));
        if let Err(error) = told {
            cx.out.one(player, error);
            return Err(Refusal::Told);
        }
        if !plan.is_empty() {
            self.build(cx, player, &plan);
        }
        Ok(())
    }

    fn check_lots(&self, player: UserId, plan: &Plan) -> Result<(), Message<'static>> {
        let may_buy = self.is_turn_of(player) && matches!(self.phase, Phase::Start | Phase::JailStart);
        for work in plan {
            let (property, group) = (work.deed.id(), work.deed.group());
            let mate = |odd: &dyn Fn(Standing) -> bool| {
                group.deeds().iter().find(|mate| odd(self.standing(**mate))).map(|mate| mate.id())
            };
            if self.owner(work.deed) != player {
                return Err(Message::ErrorHousesNotOwned { property });
            }
            if work.deed.kind() != DeedKind::Street {
                return Err(Message::ErrorHousesNotColourGroup { property });
            }
            if let Some(property) = mate(&|mate| mate.owner != player) {
                return Err(Message::ErrorHousesNeedMonopoly { property });
            }
            if work.buys()
                && let Some(property) = mate(&|mate| mate.mortgaged)
            {
                return Err(Message::ErrorHousesMortgaged { property });
            }
            if work.buys() && !may_buy {
                return Err(Message::ErrorHousesNotYourTurn {});
            }
            if work.level_after(self.standing(work.deed)).is_none() {
                return Err(Message::ErrorHousesCannotBuildThatNumber { property });
            }
        }
        Ok(())
    }

    fn check_whole<H>(&self, player: UserId, plan: &Plan, cx: &mut Cx<'_, H>) -> Result<(), Message<'static>> {
        // A hotel that comes down needs four houses to leave behind.
        let houses_needed: i32 = plan.iter().map(|work| work.houses + 4 * (-work.hotels).max(0)).sum();
        let hotels_needed: i32 = plan.iter().map(|work| work.hotels).sum();
        let (houses, hotels) = self.bank();
        if houses_needed > i32::from(houses) || hotels_needed > i32::from(hotels) {
            return Err(Message::ErrorHousesNoHousePiecesLeft { houses, hotels });
        }
        let cost: i64 = plan.iter().map(|work| work.cost()).sum();
        if cost > i64::from(self.cash(player)) {
            return Err(Message::ErrorHousesTooExpensive { cost: u32::try_from(cost).unwrap_or(u32::MAX) });
        }
        if let Some(transaction) = self.locked(player, plan.iter().map(|work| work.worth_change()).sum()) {
            return Err(Message::ErrorHousesWouldReduceNetWorth { transaction });
        }
        if let Some(group) = plan.iter().map(|work| work.deed.group()).find(|group| !self.even_after(*group, plan)) {
            let property = group.deeds().first().map_or(0, |lot| lot.id());
            return Err(Message::ErrorHousesUnbalanced { property });
        }
        let risk = u32::from(cx.options.termites);
        if risk > 0 && plan.iter().any(|work| work.buys()) && cx.dice.below(Stream::Dice, 100) < risk {
            return Err(Message::ErrorHousesTermites {});
        }
        Ok(())
    }

    /// No lot of the group more than one house ahead of another, once the plan is carried out?
    fn even_after(&self, group: Group, plan: &Plan) -> bool {
        let level = |lot: &Deed| {
            let now = self.standing(*lot);
            plan.iter().find(|work| work.deed == *lot).and_then(|work| work.level_after(now)).unwrap_or(now.level)
        };
        let levels = group.deeds().iter().map(level);
        let (low, high) = levels.fold((u8::MAX, 0), |(low, high), level| (low.min(level), high.max(level)));
        high.saturating_sub(low) <= 1
    }

    fn build<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, plan: &Plan) {
        for work in plan {
            let now = self.standing(work.deed);
            let after = Standing { level: work.level_after(now).unwrap_or(now.level), ..now };
            *self.deeds.get_mut(work.deed) = after;
            let (property, houses, hotels) = (work.deed.id(), after.houses(), after.hotels());
            cx.out.all(Message::DeltaHousesPurchased { player, property, houses, hotels });
        }
        let (houses, hotels) = self.bank();
        cx.out.all(Message::DeltaBank { houses, hotels });
        let cost: i64 = plan.iter().map(|work| work.cost()).sum();
        let cash = u32::try_from(cost.unsigned_abs()).unwrap_or(u32::MAX);
        if cost > 0 {
            cx.out.all(Message::ConstructionTakesCash { player, cash });
            self.move_cash(cx, player, BANK, cash);
        } else if cost < 0 {
            // Never held in escrow: debts must be payable.
            cx.out.all(Message::DestructionGivesCash { player, cash });
            self.move_cash(cx, BANK, player, cash);
        }
        for work in plan {
            self.lot_changed(cx, player, work.deed);
        }
    }
}

/// Each lot once; lots on which nothing happens are dropped (pimp 16.4).
fn plan(lots: Lots<'_>) -> Result<Plan, Refusal> {
    let mut seen = DeedSet::EMPTY;
    let mut plan = Plan::new();
    for lot in lots.iter() {
        let deed = Deed::new(lot.property).ok_or(Refusal::Invalid)?;
        if !seen.insert(deed) {
            return Err(Refusal::Invalid);
        }
        let work = Work { deed, houses: i32::from(lot.houses), hotels: i32::from(lot.hotels) };
        if (work.houses, work.hotels) != (0, 0) {
            plan.push(work).map_err(|_| Refusal::Invalid)?;
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::rules::Options;

    fn lots(bytes: &[u8]) -> Message<'_> {
        Message::PurchaseHouses { lots: Lots::new(bytes).unwrap() }
    }

    const MINUS_1: u8 = 0xff;
    const MINUS_4: u8 = 0xfc;

    /// Player 2 to move, with the dark blue and the purple group.
    fn builder() -> Table {
        let mut table = Table::new(2);
        table.own(2, &[0, 1, 26, 27]).cash(2, 5000);
        table
    }

    fn level(table: &mut Table, deed: u8, level: u8) {
        table.game.deeds.get_mut(Deed::new(deed).unwrap()).level = level;
    }

    #[test]
    fn a_bare_group_becomes_hotels_and_back() {
        let mut table = builder();
        assert_eq!(
            table.ok(2, lots(&[26, 4, 1, 27, 4, 1, 0, 0, 0])),
            [
                "all< DELTA_HOUSES_PURCHASED player=2 property=26 houses=0 hotels=1",
                "all< DELTA_HOUSES_PURCHASED player=2 property=27 houses=0 hotels=1",
                "all< DELTA_BANK houses=32 hotels=10",
                "all< CONSTRUCTION_TAKES_CASH player=2 cash=2000",
                "all< DELTA_CASH from=2 to=0 cash=2000",
            ]
        );
        assert_eq!(
            table.ok(2, lots(&[26, 0, MINUS_1])),
            [
                "all< DELTA_HOUSES_PURCHASED player=2 property=26 houses=4 hotels=0",
                "all< DELTA_BANK houses=28 hotels=11",
                "all< DESTRUCTION_GIVES_CASH player=2 cash=100",
                "all< DELTA_CASH from=0 to=2 cash=100",
            ]
        );
        assert_eq!(
            table.ok(2, lots(&[26, MINUS_4, 0, 27, MINUS_4, MINUS_1]))[3..],
            ["all< DESTRUCTION_GIVES_CASH player=2 cash=900", "all< DELTA_CASH from=0 to=2 cash=900"]
        );
    }

    #[test]
    fn errors_come_in_the_order_of_the_document() {
        let mut table = builder();
        table.own(2, &[7, 3]);
        assert_eq!(table.refused(2, lots(&[28, 1, 0])), ["Invalid"]);
        assert_eq!(table.refused(2, lots(&[0, 1, 0, 0, 1, 0])), ["Invalid"]);
        assert_eq!(table.refused(2, lots(&[4, 1, 0])), ["2< ERROR_HOUSES_NOT_OWNED property=4", "Told"]);
        assert_eq!(table.refused(2, lots(&[7, 1, 0])), ["2< ERROR_HOUSES_NOT_COLOUR_GROUP property=7", "Told"]);
        assert_eq!(table.refused(2, lots(&[3, 1, 0])), ["2< ERROR_HOUSES_NEED_MONOPOLY property=4", "Told"]);
        table.game.deeds.get_mut(Deed::new(27).unwrap()).mortgaged = true;
        assert_eq!(table.refused(2, lots(&[26, 1, 0])), ["2< ERROR_HOUSES_MORTGAGED property=27", "Told"]);
        table.game.deeds.get_mut(Deed::new(27).unwrap()).mortgaged = false;
        assert_eq!(
            table.refused(2, lots(&[26, 5, 0])),
            ["2< ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER property=26", "Told"]
        );
        assert_eq!(
            table.refused(2, lots(&[26, 0x80, 0x7f])),
            ["2< ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER property=26", "Told"]
        );
        assert_eq!(table.refused(2, lots(&[26, 2, 0])), ["2< ERROR_HOUSES_UNBALANCED property=26", "Told"]);
        table.cash(2, 399);
        assert_eq!(table.refused(2, lots(&[26, 1, 0, 27, 1, 0])), ["2< ERROR_HOUSES_TOO_EXPENSIVE cost=400", "Told"]);
        assert!(table.ok(2, lots(&[])).is_empty());
    }

    #[test]
    fn buying_needs_the_turn_and_selling_does_not() {
        let mut table = builder();
        table.own(1, &[3, 4, 5]);
        assert_eq!(table.refused(1, lots(&[3, 1, 0])), ["1< ERROR_HOUSES_NOT_YOUR_TURN", "Told"]);
        level(&mut table, 3, 1);
        assert_eq!(table.ok(1, lots(&[3, MINUS_1, 0])).len(), 4);
    }

    #[test]
    fn the_bank_has_only_so_many_pieces() {
        let mut table = builder();
        table.own(1, &[14, 15, 16, 18, 19, 21]);
        for (deed, count) in [(14, 4), (15, 4), (16, 4), (18, 4), (19, 4), (21, 4), (26, 5), (27, 5)] {
            level(&mut table, deed, count);
        }
        level(&mut table, 0, 3);
        level(&mut table, 1, 3);
        assert_eq!(table.game.bank(), (2, 10));
        assert_eq!(
            table.refused(2, lots(&[26, 0, MINUS_1])),
            ["2< ERROR_HOUSES_NO_HOUSE_PIECES_LEFT houses=2 hotels=10", "Told"]
        );
        assert_eq!(table.ok(2, lots(&[26, MINUS_4, MINUS_1, 27, MINUS_4, MINUS_1])).len(), 5);
    }

    #[test]
    fn termites_eat_what_is_bought_only() {
        let mut table = builder();
        table.options = Options { termites: 100, ..Options::DEFAULT };
        level(&mut table, 26, 1);
        assert_eq!(table.refused(2, lots(&[27, 1, 0])), ["2< ERROR_HOUSES_TERMITES", "Told"]);
        assert_eq!(table.ok(2, lots(&[26, MINUS_1, 0])).len(), 4);
    }

    #[test]
    fn there_are_twelve_hotels() {
        let mut table = builder();
        for lot in [3, 4, 5, 6, 8, 9, 11, 12, 13, 14, 15, 16] {
            table.own(2, &[lot]);
            level(&mut table, lot, 5);
        }
        [26, 27].into_iter().for_each(|lot| level(&mut table, lot, 4));
        let none_left = ["2< ERROR_HOUSES_NO_HOUSE_PIECES_LEFT houses=24 hotels=0", "Told"];
        assert_eq!(table.refused(2, lots(&[26, 0, 1])), none_left);
        // One that comes down in the same message is there.
        table.ok(2, lots(&[16, 0, MINUS_1, 26, 0, 1]));
        assert_eq!(table.game.bank(), (24, 0));
    }

    #[test]
    fn the_last_dollar_builds() {
        let mut table = builder();
        table.cash(2, 99);
        assert_eq!(table.refused(2, lots(&[0, 1, 0, 1, 1, 0])), ["2< ERROR_HOUSES_TOO_EXPENSIVE cost=100", "Told"]);
        table.cash(2, 100).ok(2, lots(&[0, 1, 0, 1, 1, 0]));
        assert_eq!(table.game.cash(2), 0);
    }

    #[test]
    fn nobody_builds_between_two_throws() {
        let mut table = builder();
        level(&mut table, 26, 1);
        table.game.phase = Phase::Again;
        assert_eq!(table.refused(2, lots(&[27, 1, 0])), ["2< ERROR_HOUSES_NOT_YOUR_TURN", "Told"]);
        table.ok(2, lots(&[26, MINUS_1, 0]));
    }
}

//! What users own and what it comes to, reckoned from the mirror alone.

use super::{Holding, View};
use crate::pimp::board::{Card, Deed, DeedKind, Group};

impl<const USERS: usize, const DEALS: usize> View<USERS, DEALS> {
    /// Ascending.
    pub fn deeds_of(&self, id: u8) -> impl Iterator<Item = (Deed, Holding)> {
        self.deeds.iter().filter(move |(_, holding)| holding.owner == id).map(|(deed, holding)| (deed, *holding))
    }
    /// The user who owns every deed of the group.
    pub fn group_owner(&self, group: Group) -> Option<u8> {
        let mut owners = group.deeds().iter().map(|deed| self.deed(*deed).owner);
        let first = owners.next().filter(|owner| *owner != 0)?;
        owners.all(|owner| owner == first).then_some(first)
    }
    /// How many deeds of the group this user owns.
    pub fn count_in(&self, group: Group, id: u8) -> u8 {
        group.deeds().iter().filter(|deed| self.deed(**deed).owner == id).count() as u8
    }
    pub fn group_has_buildings(&self, group: Group) -> bool {
        group.deeds().iter().any(|deed| self.deed(*deed).level() > 0)
    }
    pub fn group_has_mortgage(&self, group: Group) -> bool {
        group.deeds().iter().any(|deed| self.deed(*deed).mortgaged)
    }
    /// The lowest and the highest building level in the group.
    pub fn levels(&self, group: Group) -> (u8, u8) {
        let levels = group.deeds().iter().map(|deed| self.deed(*deed).level());
        levels.fold((u8::MAX, 0), |(low, high), level| (low.min(level), high.max(level)))
    }

    /// Cash, the mortgage value of deeds not mortgaged, and what the bank gives for buildings (pimp 11): the most that
    /// this user can pay.
    pub fn worth(&self, id: u8) -> u32 {
        let cash = self.user(id).map_or(0, |user| user.cash);
        let deeds = self.deeds_of(id).map(|(deed, holding)| {
            let mortgage = if holding.mortgaged { 0 } else { deed.mortgage() };
            mortgage + deed.house_resale() * u32::from(holding.level())
        });
        deeds.fold(cash, u32::saturating_add)
    }

    /// Cash, printed prices of all deeds and cost of buildings: a tenth of it is the other way to pay income tax.
    pub fn total(&self, id: u8) -> u32 {
        let cash = self.user(id).map_or(0, |user| user.cash);
        let deeds =
            self.deeds_of(id).map(|(deed, holding)| deed.price() + deed.house_cost() * u32::from(holding.level()));
        deeds.fold(cash, u32::saturating_add)
    }

    /// What a landing on `deed` costs now after throwing `dice`; 0 if no one can claim it.
    pub fn rent(&self, deed: Deed, dice: u32) -> u32 {
        let holding = self.deed(deed);
        if holding.owner == 0 || holding.mortgaged {
            return 0;
        }
        let owned = self.count_in(deed.group(), holding.owner).saturating_sub(1);
        match deed.kind() {
            DeedKind::Railroad => deed.rent(owned),
            DeedKind::Utility => deed.rent(owned).saturating_mul(dice),
            DeedKind::Street if holding.level() > 0 => deed.rent(holding.level()),
            DeedKind::Street if self.group_owner(deed.group()).is_some() => deed.rent(0) * 2,
            DeedKind::Street => deed.rent(0),
        }
    }

    /// A card of this user's that pays bail.
    pub fn jail_card(&self, id: u8) -> Option<Card> {
        Card::JAIL_CARDS.into_iter().find(|card| id != 0 && self.card_owner(*card) == id)
    }
}

#[cfg(test)]
mod tests {
    use crate::pimp::board::{Card, Deed, Group};
    use crate::pimp::view::View;
    use crate::pimp::wire::{Message, Name};

    fn deed(id: u8) -> Deed {
        Deed::new(id).unwrap()
    }

    fn view() -> View {
        let mut view = View::new();
        let name = Name::new(b"ann").unwrap();
        view.take(&Message::StatePlayer { player: 1, piece: 1, name, square: 0, cash: 100, jail_turn: 0 });
        for (property, mortgaged, houses, hotels) in
            [(0, false, 4, 0), (1, false, 0, 1), (2, false, 0, 0), (10, true, 0, 0), (7, false, 0, 0)]
        {
            view.take(&Message::StateProperty { property, owner: 1, mortgaged, houses, hotels });
        }
        view
    }

    #[test]
    fn worth_and_total() {
        let view = view();
        // Deeds 30 + 30 + 100 + 75, a mortgaged one 0, nine houses' worth of buildings at 25.
        assert_eq!(view.worth(1), 100 + 235 + 9 * 25);
        assert_eq!(view.total(1), 100 + 60 + 60 + 200 + 200 + 150 + 9 * 50);
        assert_eq!((view.worth(2), view.total(9)), (0, 0));
    }

    #[test]
    fn rents_follow_the_holdings() {
        let mut view = view();
        assert_eq!((view.rent(deed(0), 7), view.rent(deed(1), 7)), (160, 450));
        assert_eq!((view.rent(deed(2), 7), view.rent(deed(10), 7), view.rent(deed(7), 7)), (50, 0, 28));
        view.take(&Message::DeltaHousesPurchased { player: 1, property: 1, houses: 0, hotels: 0 });
        assert_eq!((view.rent(deed(1), 7), view.rent(deed(27), 7)), (8, 0));
        assert_eq!(view.group_owner(Group::new(0).unwrap()), Some(1));
        assert_eq!((view.group_owner(Group::RAILROADS), view.group_owner(Group::new(4).unwrap())), (None, None));
        assert_eq!(view.levels(Group::new(0).unwrap()), (0, 4));
    }

    #[test]
    fn jail_cards_are_found() {
        let mut view = view();
        assert_eq!((view.jail_card(1), view.jail_card(0)), (None, None));
        view.take(&Message::DeltaCard { from: 0, to: 1, card: 20 });
        assert_eq!(view.jail_card(1), Card::new(20));
    }
}

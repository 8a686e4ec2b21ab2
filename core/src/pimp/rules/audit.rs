//! What must hold after every command (pimp 14), for tests and for a table loaded from a file.

use heapless::Vec;

use super::game::PILE;
use super::{BANK, ClaimKind, Game, Phase, UserId};
pub use crate::finding::Finding;
use crate::finding::must;
use crate::pimp::board::{Card, Group, HOTEL_LEVEL, HOTELS, HOUSES, JAIL_ROLLS, Pile, Square};

/// The most claims that one turn can bring (pimp 7).
const CLAIMS_A_TURN: usize = 9;

impl Game {
    pub fn audit(&self) -> Finding {
        self.audit_players()?;
        self.audit_deeds()?;
        self.audit_cards()?;
        self.audit_claims()?;
        self.audit_phase()?;
        self.audit_deals()
    }

    fn is_bank_or_player(&self, id: UserId) -> bool {
        id == BANK || self.is_player(id)
    }

    fn audit_players(&self) -> Finding {
        let ids = self.players.iter().map(|player| player.id);
        must(ids.clone().all(|id| id != BANK), "the bank plays")?;
        must(ids.clone().zip(ids.skip(1)).all(|(one, next)| one < next), "players out of order")?;
        for player in &self.players {
            must(player.jail_turn <= JAIL_ROLLS + 1, "longer in jail than possible")?;
            must(player.jail_turn == 0 || player.square == Square::JAIL, "jailed elsewhere")?;
        }
        Ok(())
    }

    fn audit_deeds(&self) -> Finding {
        let standings = || self.deeds.iter().map(|(_, standing)| *standing);
        let (mut houses, mut hotels) = (0u8, 0u8);
        for standing in standings() {
            must(standing.level <= HOTEL_LEVEL, "more than a hotel")?;
            must(self.is_bank_or_player(standing.owner), "a deed of somebody who does not play")?;
            must(standing.owner != BANK || !standing.mortgaged, "the bank's deed is mortgaged")?;
            houses = houses.saturating_add(standing.houses());
            hotels = hotels.saturating_add(standing.hotels());
        }
        must(houses <= HOUSES && hotels <= HOTELS, "more pieces on the board than there are")?;
        Group::all().try_for_each(|group| self.audit_group(group))
    }

    fn audit_group(&self, group: Group) -> Finding {
        if !self.group_has_buildings(group) {
            return Ok(());
        }
        let lots = || group.deeds().iter().map(|lot| self.standing(*lot));
        let owner = lots().map(|lot| lot.owner).next().unwrap_or(BANK);
        must(owner != BANK && self.owns_group(owner, group), "buildings on a broken group")?;
        must(group.deeds().iter().all(|lot| lot.house_cost() > 0), "buildings on no street")?;
        must(lots().all(|lot| !lot.mortgaged), "buildings beside a mortgage")?;
        let levels = || lots().map(|lot| lot.level);
        let spread = levels().max().unwrap_or(0).saturating_sub(levels().min().unwrap_or(0));
        must(spread <= 1, "uneven building")
    }

    fn audit_cards(&self) -> Finding {
        for card in Card::all() {
            let in_piles = self.piles.iter().flatten().filter(|other| **other == card.id()).count();
            let owner = self.card_owner(card);
            must(in_piles == usize::from(owner == BANK), "a card in two places or none")?;
            must(owner == BANK || card.is_jail_card(), "a card kept that is never kept")?;
            must(self.is_bank_or_player(owner), "a card of somebody who does not play")?;
        }
        let belongs = |(pile, own): (&Vec<u8, PILE>, Pile)| {
            pile.iter().all(|id| Card::new(*id).is_some_and(|card| card.pile() == own))
        };
        let mut piles = self.piles.iter().zip([Pile::Chance, Pile::CommunityChest]);
        must(piles.all(belongs), "a card in the wrong pile")
    }

    fn audit_claims(&self) -> Finding {
        must(self.claims.len() <= CLAIMS_A_TURN, "more claims than a turn can bring")?;
        let ids = self.claims.iter().map(|claim| claim.id);
        must(ids.clone().zip(ids.clone().skip(1)).all(|(one, next)| one < next), "claims out of order")?;
        must(ids.into_iter().all(|id| id < self.next_id), "a claim from the future")?;
        self.claims.iter().try_for_each(|claim| match claim.kind {
            ClaimKind::Go { player, .. } => must(self.is_player(player), "a salary of nobody"),
            ClaimKind::Rent { debtor, creditor, .. } => {
                must(self.is_player(debtor) && self.is_player(creditor), "a rent without its parties")?;
                must(debtor != creditor, "a rent owed to oneself")
            }
        })
    }

    fn audit_phase(&self) -> Finding {
        must(self.doubles < 3, "three doubles and still out of jail")?;
        let owed = self.deals.get(self.owes_first).is_some_and(|deal| deal.keeps_from_throwing(self.current));
        must(self.owes_first == 0 || owed, "held back without a debt")?;
        let jailed = self.jail_turn(self.current) > 0;
        match self.phase {
            Phase::Idle => {
                must(self.players.len() < 2 && self.claims.is_empty() && self.deals.is_empty(), "idle in company")
            }
            Phase::Over { winner } => {
                must(self.players.len() == 1 && self.is_player(winner), "won by somebody else")?;
                must(self.claims.is_empty() && self.deals.is_empty(), "over, but not settled")
            }
            Phase::JailStart => must(self.is_player(self.current) && jailed, "a jail turn in freedom"),
            Phase::Start | Phase::Again => must(self.is_player(self.current) && !jailed, "a throw from jail"),
            Phase::Sale { property } => {
                must(self.is_player(self.current) && self.owner(property) == BANK, "a sale of what is owned")
            }
            Phase::Auction { property, leader, .. } => {
                must(self.owner(property) == BANK, "an auction of what is owned")?;
                must(self.is_bank_or_player(leader), "a leader who does not play")?;
                let awaited = self.players.iter().any(|player| player.id != leader && !player.passed);
                must(awaited, "an auction that waits for nobody")?;
                must(self.player(leader).is_none_or(|player| !player.passed), "a leader who passed")
            }
            Phase::Tax { .. } | Phase::CardChoice { .. } => must(self.is_player(self.current), "a choice of nobody"),
            Phase::Held { deal } => must(self.deals.get(deal).is_some(), "held by a deal that ended"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::board::Deed;

    #[test]
    fn a_new_table_is_sound_and_faults_are_found() {
        let table = Table::new(4);
        assert_eq!(table.game.audit(), Ok(()));
        let broken = |harm: &dyn Fn(&mut Game)| {
            let mut game = table.game.clone();
            harm(&mut game);
            game.audit()
        };
        assert_eq!(broken(&|game| game.players.swap(0, 1)), Err("players out of order"));
        assert_eq!(
            broken(&|game| game.deeds.get_mut(Deed::new(0).unwrap()).level = 1),
            Err("buildings on a broken group")
        );
        assert_eq!(broken(&|game| game.card_owners[7] = 1), Err("a card in two places or none"));
        assert_eq!(broken(&|game| game.card_owners[3] = 1), Err("a card in two places or none"));
        let strange = |game: &mut Game| game.piles[1].insert(0, 200).unwrap_or_default();
        let kept = |game: &mut Game| {
            game.piles[1].retain(|card| *card != 20);
            game.card_owners[20] = 2;
        };
        assert_eq!(broken(&kept), Ok(()));
        assert_eq!(broken(&|game| [kept, strange].iter().for_each(|harm| harm(game))), Err("a card in the wrong pile"));
        assert_eq!(broken(&|game| game.phase = Phase::Held { deal: 9 }), Err("held by a deal that ended"));
        assert_eq!(broken(&|game| game.phase = Phase::JailStart), Err("a jail turn in freedom"));
    }
}

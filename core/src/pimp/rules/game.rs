//! The state of a game, and the small questions every rule asks of it.
//!
//! What can never happen here: two records of one player, a card or a deed in two places, an id used twice.

use heapless::Vec;

use super::{BANK, Deals, Options, UserId};
use crate::dice::Dice;
use crate::pimp::board::{ByDeed, CARDS, Card, DEEDS, Deed, Group, HOTEL_LEVEL, HOTELS, HOUSES, Pile, Square};

/// Seats at a table. Users may be more: the others watch.
pub const PLAYERS: usize = 8;
/// At most 3 moves a turn, each past Go at most twice and onto one rent: 9 (pimp 7); a few to spare.
pub const CLAIMS: usize = 12;
/// Cards in a pile when none is kept.
pub const PILE: usize = CARDS / 2;

/// One player. A user that does not play has no such record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Player {
    pub id: UserId,
    pub square: Square,
    /// 0 free; 1..=3 the turn in jail now; 4 all rolls used up.
    pub jail_turn: u8,
    pub passed_go: bool,
    /// Away or gone: the server passes for them in an auction.
    pub absent: bool,
    /// Out of the bidding of the running auction.
    pub passed: bool,
    /// This seat was handed over in this turn: not twice (pimp 16.5).
    pub handed_over: bool,
    pub cash: u32,
}

/// A deed as it lies on the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Standing {
    /// 0 = the bank's.
    pub owner: UserId,
    pub mortgaged: bool,
    /// 0..=4 houses, 5 = a hotel.
    pub level: u8,
}

impl Standing {
    pub const fn houses(self) -> u8 {
        if self.level < HOTEL_LEVEL { self.level } else { 0 }
    }
    pub const fn hotels(self) -> u8 {
        (self.level >= HOTEL_LEVEL) as u8
    }
}

/// What a player may still ask for (pimp 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Claim {
    pub id: u32,
    pub kind: ClaimKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum ClaimKind {
    /// `lander` is the debtor's id at landing: a takeover may have changed it since (pimp 16.5).
    Rent {
        debtor: UserId,
        lander: UserId,
        creditor: UserId,
        property: Deed,
        rent: u32,
    },
    Go {
        player: UserId,
        square: Square,
        salary: u32,
    },
}

/// What the game waits for (pimp 5). Variant 0 is Idle, so that a new game is all zero bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Phase {
    #[default]
    Idle,
    Start,
    JailStart,
    Again,
    Sale {
        property: Deed,
    },
    /// Passes are marked in the players' records. No leader (0): no bid yet.
    Auction {
        property: Deed,
        leader: UserId,
        bid: u32,
    },
    Tax {
        square: Square,
    },
    CardChoice {
        square: Square,
        card: Card,
    },
    Held {
        deal: u32,
    },
    Over {
        winner: UserId,
    },
}

/// A whole game. [`Game::new`] is all zero bytes; [`Game::begin`] before use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Game {
    /// Ascending by id: the order of play.
    pub players: Vec<Player, PLAYERS>,
    pub deeds: ByDeed<Standing>,
    /// The player who keeps each card; 0 = it lies in its pile.
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub card_owners: [UserId; CARDS],
    /// Chance and Community Chest; the first card is the next one drawn.
    pub piles: [Vec<u8, PILE>; 2],
    /// Stays 0 where the house rule is off.
    pub pot: u32,
    pub phase: Phase,
    /// Whose turn it is; may have left play while others settle an auction or a debt (pimp 12.5).
    pub current: UserId,
    /// Doubles thrown in a row in this turn.
    pub doubles: u8,
    /// Turns begun so far: the server's votes for a turn end when this changes.
    pub turn: u32,
    /// The debt that `current` was told to settle before throwing (pimp 5.5.1); 0: none. Kept by its id, so
    /// that a resync names the one that everybody was told.
    pub owes_first: u32,
    pub claims: Vec<Claim, CLAIMS>,
    /// The id of the next claim or deal.
    pub next_id: u32,
    pub deals: Deals,
}

impl Game {
    pub const fn new() -> Self {
        Self {
            players: Vec::new(),
            deeds: ByDeed::new([Standing { owner: BANK, mortgaged: false, level: 0 }; DEEDS]),
            card_owners: [BANK; CARDS],
            piles: [Vec::new(), Vec::new()],
            pot: 0,
            phase: Phase::Idle,
            current: BANK,
            doubles: 0,
            turn: 0,
            owes_first: 0,
            claims: Vec::new(),
            next_id: 0,
            deals: Deals::new(),
        }
    }

    /// A new game without players. Works in place: a whole second game on a small stack would overrun it.
    pub fn begin(&mut self, dice: &mut Dice, options: &Options) {
        self.players.clear();
        self.deeds.iter_mut().for_each(|(_, standing)| *standing = Standing::default());
        self.card_owners.fill(BANK);
        for (pile, cards) in self.piles.iter_mut().zip([Pile::Chance, Pile::CommunityChest]) {
            pile.clear();
            for card in cards.cards() {
                // A pile has room for all its cards.
                let _ = pile.push(card.id());
            }
            dice.shuffle(pile);
        }
        self.pot = options.pot.unwrap_or_default();
        self.phase = Phase::Idle;
        self.current = BANK;
        self.doubles = 0;
        self.turn = 0;
        self.owes_first = 0;
        self.claims.clear();
        self.next_id = 1;
        self.deals.clear();
    }

    pub fn player(&self, id: UserId) -> Option<&Player> {
        self.players.iter().find(|player| player.id == id)
    }

    pub fn player_mut(&mut self, id: UserId) -> Option<&mut Player> {
        self.players.iter_mut().find(|player| player.id == id)
    }

    /// The order of play again, after one player came or changed names.
    pub(super) fn order_players(&mut self) {
        // At most eight: each round carries the greatest id still astray to its place.
        for _ in 0..self.players.len() {
            let mut rest = self.players.as_mut_slice();
            while let Some((one, after)) = core::mem::take(&mut rest).split_first_mut() {
                if let Some(next) = after.first_mut().filter(|next| next.id < one.id) {
                    core::mem::swap(one, next);
                }
                rest = after;
            }
        }
    }

    pub fn is_player(&self, id: UserId) -> bool {
        self.player(id).is_some()
    }

    /// 0 for a user who does not play.
    pub fn cash(&self, id: UserId) -> u32 {
        self.player(id).map_or(0, |player| player.cash)
    }

    /// The player after `id`, by ascending id, round the table; `id` itself need not play. The bank if there is none.
    pub fn next_after(&self, id: UserId) -> UserId {
        let mut ids = self.players.iter().map(|player| player.id);
        let first = ids.clone().next().unwrap_or(BANK);
        ids.find(|other| *other > id).unwrap_or(first)
    }

    pub fn standing(&self, deed: Deed) -> Standing {
        *self.deeds.get(deed)
    }

    pub fn owner(&self, deed: Deed) -> UserId {
        self.standing(deed).owner
    }

    /// Ascending.
    pub fn deeds_of(&self, id: UserId) -> impl Iterator<Item = Deed> + '_ {
        self.deeds.iter().filter(move |(_, standing)| standing.owner == id).map(|(deed, _)| deed)
    }

    pub fn owns_group(&self, id: UserId, group: Group) -> bool {
        group.deeds().iter().all(|deed| self.owner(*deed) == id)
    }

    pub fn group_has_buildings(&self, group: Group) -> bool {
        group.deeds().iter().any(|deed| self.standing(*deed).level > 0)
    }

    /// Houses and hotels that the bank still has. Counted from the board, so they can't disagree.
    pub fn bank(&self) -> (u8, u8) {
        let built = self.deeds.iter().filter(|(_, standing)| standing.level > 0);
        built.fold((HOUSES, HOTELS), |(houses, hotels), (_, standing)| {
            (houses.saturating_sub(standing.houses()), hotels.saturating_sub(standing.hotels()))
        })
    }

    /// 0 = in its pile.
    pub fn card_owner(&self, card: Card) -> UserId {
        self.card_owners.get(usize::from(card.id())).copied().unwrap_or(BANK)
    }

    pub(super) fn set_card_owner(&mut self, card: Card, owner: UserId) {
        if let Some(entry) = self.card_owners.get_mut(usize::from(card.id())) {
            *entry = owner;
        }
    }

    /// Takes the top card. A card that is not kept must be buried at once.
    pub(super) fn draw(&mut self, pile: Pile) -> Option<Card> {
        let pile = self.pile_mut(pile);
        let top = pile.first().copied()?;
        pile.retain(|card| *card != top);
        Card::new(top)
    }

    /// Puts a card under its pile.
    pub(super) fn bury(&mut self, card: Card) {
        // A pile has room for each of its sixteen cards.
        let _ = self.pile_mut(card.pile()).push(card.id());
    }

    fn pile_mut(&mut self, pile: Pile) -> &mut Vec<u8, PILE> {
        let [chance, chest] = &mut self.piles;
        match pile {
            Pile::Chance => chance,
            Pile::CommunityChest => chest,
        }
    }

    /// Ids order debts by the time they arose, claims too (pimp 7). The last id is given for ever: REQUEST_TRADE is
    /// refused before that (pimp 16.1), and debts need four thousand million landings to come there.
    pub(super) fn take_id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        id
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::dice::script;

    #[test]
    fn order_of_play_goes_round_by_id() {
        let table = Table::new(3);
        let next = |id| table.game.next_after(id);
        assert_eq!([next(1), next(2), next(3), next(9)], [2, 3, 1, 1]);
        assert_eq!(Game::new().next_after(4), BANK);
    }

    #[test]
    fn a_drawn_card_comes_back_last() {
        let mut dice = Dice::new();
        dice.begin(&script(&[0x80 + 7, 0x80 + 3]).unwrap());
        let mut game = Game::new();
        game.begin(&mut dice, &Options::DEFAULT);
        assert_eq!(game.pot, 100);
        let card = game.draw(Pile::Chance).unwrap();
        assert_eq!((card.id(), game.piles[0].len(), game.piles[1].len()), (7, 15, 16));
        game.bury(card);
        assert_eq!((game.piles[0].first(), game.piles[0].last()), (Some(&3), Some(&7)));
    }

    #[test]
    fn the_bank_has_what_the_board_has_not() {
        let mut game = Game::new();
        assert_eq!(game.bank(), (32, 12));
        for (deed, level) in [(0, 5), (1, 4), (3, 1)] {
            game.deeds.get_mut(Deed::new(deed).unwrap()).level = level;
        }
        assert_eq!(game.bank(), (27, 11));
    }
}

//! The client's mirror: what one user knows of the table, from the messages it received and nothing else.
//!
//! [`View::take`] is total: any message in any order leaves a view that can be asked anything. Nothing here panics,
//! allocates or grows; what finds no room (a user or a deal above the capacity) is left out. It shares no code with the
//! rules: whatever it shows, the server has said.
//!
//! [`View::known`] is what a state dump can tell too. Left out there (pimp 16.7): claims, whose turn it is during an
//! auction or a wait, link death.

mod assets;
mod choices;
mod claim;
mod deal;
mod take;
#[cfg(test)]
mod tests;
mod users;

pub use choices::send_building;
pub use claim::{CLAIMS, Claim, Noticed};
pub use deal::{Deal, Kind, Side, Step};
pub use users::{User, UserSet};

use claim::Claims;
use deal::Deals;
use heapless::Vec;
use users::Users;

use super::board::{ByDeed, CARDS, Card, DEEDS, Deed, HOTELS, HOUSES, Square};
use super::wire::{NAME_MAX, Name};

/// A deed and what stands on it. Owner 0 = the bank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    pub owner: u8,
    pub mortgaged: bool,
    pub houses: u8,
    pub hotels: u8,
}

impl Holding {
    const UNOWNED: Holding = Holding { owner: 0, mortgaged: false, houses: 0, hotels: 0 };

    /// 0 bare, 1-4 houses, 5 a hotel.
    pub const fn level(self) -> u8 {
        if self.hotels > 0 {
            5
        } else if self.houses > 4 {
            4
        } else {
            self.houses
        }
    }
}

/// What the table waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prompt {
    /// No user has a turn.
    #[default]
    Idle,
    /// A turn begins; without `may_throw` a [`Prompt::Jail`] follows at once.
    Start {
        player: u8,
        may_throw: bool,
    },
    Jail {
        player: u8,
        rolls_left: u8,
        may_build: bool,
    },
    Again {
        player: u8,
    },
    Sale {
        player: u8,
        deed: Deed,
        price: u32,
    },
    /// Leader 0 = no bid yet.
    Auction {
        deed: Deed,
        leader: u8,
        bid: u32,
        passed: UserSet,
    },
    Tax {
        player: u8,
        square: Square,
    },
    CardChoice {
        player: u8,
        square: Square,
        card: Card,
    },
    /// The game stands still until `player` ends this transaction.
    Waiting {
        player: u8,
        transaction: u32,
    },
    Over {
        winner: u8,
    },
}

/// An open vote on a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    pub candidate: u32,
    /// To play, or to watch.
    pub play: bool,
    name: Vec<u8, NAME_MAX, u8>,
}

impl Vote {
    pub fn name(&self) -> Name<'_> {
        Name::new(&self.name).unwrap_or_default()
    }
}

/// The last refusal: its message code and the first number in it, 0 if it carries none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: u8,
    pub about: u32,
}

/// The mirror, with room for `USERS` users and `DEALS` open transactions of this one: the default fits 8 players, of
/// whom one can be party to 61 /* debts at the table */ + 8 /* trades a party */ deals (pimp 13.2).
#[derive(Clone, Debug)]
pub struct View<const USERS: usize = 32, const DEALS: usize = 69> {
    game: u32,
    me: u8,
    password: u32,
    users: Users<USERS>,
    deeds: ByDeed<Holding>,
    /// The owner of each card; 0 = it lies in its pile.
    cards: [u8; CARDS],
    pot: u32,
    bank_houses: u8,
    bank_hotels: u8,
    prompt: Prompt,
    /// How often the table has asked something.
    asked: u32,
    turn: u8,
    deals: Deals<DEALS>,
    vote: Option<Vote>,
    /// An own request to join or to play waits for a vote.
    pending: bool,
    /// Within a dump: between STATE_BOARD and STATE_POT.
    dumping: bool,
    dead: UserSet,
    claims: Claims,
    dice: (u8, u8),
    /// The card picked up last, and where: a choice that follows is about it.
    picked: Option<(Square, Card)>,
    refusal: Option<Refusal>,
    refusals: u32,
}

/// What a dump tells too: two views of one user at one moment are equal in this, however they came about.
#[derive(Debug, PartialEq, Eq)]
pub struct Known<'v> {
    pub me: u8,
    pub users: &'v [User],
    pub deeds: &'v ByDeed<Holding>,
    pub cards: &'v [u8; CARDS],
    pub pot: u32,
    pub bank_houses: u8,
    pub bank_hotels: u8,
    pub prompt: Prompt,
    pub deals: &'v [Deal],
    pub vote: Option<&'v Vote>,
    pub pending: bool,
}

impl<const USERS: usize, const DEALS: usize> View<USERS, DEALS> {
    pub const fn new() -> Self {
        Self {
            game: 0,
            me: 0,
            password: 0,
            users: Users::new(),
            deeds: ByDeed::new([Holding::UNOWNED; DEEDS]),
            cards: [0; CARDS],
            pot: 0,
            bank_houses: HOUSES,
            bank_hotels: HOTELS,
            prompt: Prompt::Idle,
            asked: 0,
            turn: 0,
            deals: Deals::new(),
            vote: None,
            pending: false,
            dumping: false,
            dead: UserSet::EMPTY,
            claims: Claims::new(),
            dice: (0, 0),
            picked: None,
            refusal: None,
            refusals: 0,
        }
    }

    pub fn known(&self) -> Known<'_> {
        Known {
            me: self.me,
            users: self.users.all(),
            deeds: &self.deeds,
            cards: &self.cards,
            pot: self.pot,
            bank_houses: self.bank_houses,
            bank_hotels: self.bank_hotels,
            prompt: self.prompt,
            deals: self.deals.all(),
            vote: self.vote.as_ref(),
            pending: self.pending,
        }
    }

    /// The number of the game; 0 before the handshake.
    pub fn game(&self) -> u32 {
        self.game
    }
    /// This user's id; 0 before it was welcomed.
    pub fn me(&self) -> u8 {
        self.me
    }
    /// What REJOIN asks for.
    pub fn password(&self) -> u32 {
        self.password
    }
    /// Ascending by id.
    pub fn users(&self) -> &[User] {
        self.users.all()
    }
    pub fn user(&self, id: u8) -> Option<&User> {
        self.users.get(id)
    }
    pub fn players(&self) -> impl Iterator<Item = &User> + Clone {
        self.users.all().iter().filter(|user| user.playing)
    }
    pub fn am_playing(&self) -> bool {
        self.users.get(self.me).is_some_and(|user| user.playing)
    }
    pub fn cash(&self) -> u32 {
        self.users.get(self.me).map_or(0, |user| user.cash)
    }
    pub fn is_dead(&self, id: u8) -> bool {
        self.dead.contains(id)
    }
    pub fn deed(&self, deed: Deed) -> Holding {
        *self.deeds.get(deed)
    }
    /// 0 = it lies in its pile.
    pub fn card_owner(&self, card: Card) -> u8 {
        self.cards.get(usize::from(card.id())).copied().unwrap_or_default()
    }
    pub fn pot(&self) -> u32 {
        self.pot
    }
    /// Houses and hotels that the bank still has.
    pub fn bank(&self) -> (u8, u8) {
        (self.bank_houses, self.bank_hotels)
    }
    pub fn prompt(&self) -> Prompt {
        self.prompt
    }
    /// How often the table has asked something so far: tells a question put again from one not answered yet.
    pub fn asked(&self) -> u32 {
        self.asked
    }
    /// The user whose turn it is; 0 = not known, or none's.
    pub fn turn(&self) -> u8 {
        self.turn
    }
    /// Ascending by id.
    pub fn deals(&self) -> &[Deal] {
        self.deals.all()
    }
    pub fn vote(&self) -> Option<&Vote> {
        self.vote.as_ref()
    }
    pub fn is_pending(&self) -> bool {
        self.pending
    }
    /// A dump is coming in: what is shown is not whole yet.
    pub fn is_dumping(&self) -> bool {
        self.dumping
    }
    /// Rents and salaries that anybody may claim now, the oldest first.
    pub fn claims(&self) -> &[Noticed] {
        self.claims.all()
    }
    /// The dice thrown last.
    pub fn dice(&self) -> (u8, u8) {
        self.dice
    }
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }
    /// How many refusals came in so far: tells a new one from an old one.
    pub fn refusals(&self) -> u32 {
        self.refusals
    }
}

impl<const USERS: usize, const DEALS: usize> Default for View<USERS, DEALS> {
    fn default() -> Self {
        Self::new()
    }
}

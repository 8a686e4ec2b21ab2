//! The state of a game, and the small questions every rule asks of it.

use heapless::Vec;

use super::UserId;

/// Seats at a table. Users may be more: the others watch.
pub const PLAYERS: usize = 8;
/// At most 3 moves a turn, each past Go at most twice and onto one rent: 9 (pimp 7); a few to spare.
pub const CLAIMS: usize = 12;

/// One player. A user that does not play has no such record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Player {
    pub id: UserId,
    pub square: u8,
    /// 0 free; 1..=3 the turn in jail now; 4 all rolls used up.
    pub jail_turn: u8,
    pub passed_go: bool,
    /// Away or gone: the server passes for them in an auction.
    pub absent: bool,
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
    Rent { debtor: UserId, lander: UserId, creditor: UserId, property: u8, rent: u32 },
    Go { player: UserId, square: u8, salary: u32 },
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
    Sale { property: u8 },
    /// Who passed is marked by user id in `passed` (ids of players, at most 8).
    Auction { property: u8, leader: UserId, bid: u32 },
    Tax { square: u8 },
    CardChoice { square: u8, card: u8 },
    Held { deal: u32 },
    Over { winner: UserId },
}

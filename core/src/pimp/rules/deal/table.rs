//! The open deals of one game, by ascending id.

use heapless::Vec;

use super::Deal;
use crate::pimp::rules::game::PLAYERS;

/// Debts that can be open at once (pimp 16.1): 3P /* rents of three moves */ + 2(P-1)⌈P/5⌉ /* the two cards that every
/// other player pays or is paid by */ + P /* fees */ + 1 /* what holds the game */ = 61.
pub const DEBTS: usize = 3 * PLAYERS + 2 * (PLAYERS - 1) * PLAYERS.div_ceil(5) + PLAYERS + 1;
/// Trades have slots of their own: nobody can talk so much that a debt finds no place.
pub const TRADES: usize = 4 * PLAYERS;
/// Trades one player can be party to.
pub const TRADES_A_PARTY: usize = 8;

/// All open deals. New, it is all zero bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Deals {
    open: Vec<Deal, { DEBTS + TRADES }>,
}

impl Deals {
    pub const fn new() -> Self {
        Self { open: Vec::new() }
    }
}

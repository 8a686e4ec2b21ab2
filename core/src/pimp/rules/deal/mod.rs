//! Deals: what two players, or a player and the bank, settle in three steps (pimp 12).
//!
//! Debts are deals too: rent, cards, fines, bail, auctions won, transfer fees. The record and the table are here and in
//! `table.rs`; `open.rs` starts deals, `command.rs` obeys the parties, `reopen.rs` takes a step back when something
//! moves, `finalise.rs` carries a deal out, `dump.rs` tells one again to whoever comes late.
//!
//! What can never happen here: a deal AGREED against one in SETUP; an offer of more cash than is there, or of a deed or
//! card that is not the party's own.

mod table;

pub use table::{DEBTS, Deals, TRADES, TRADES_A_PARTY};

use super::UserId;

/// How far a party has come. In this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Step {
    #[default]
    Setup,
    Finished,
    Agreed,
}

/// One party and what it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Side {
    /// 0 = the bank.
    pub party: UserId,
    pub step: Step,
    /// Bit 0 and 1: the two cards that can be kept, by ascending number.
    pub cards: u8,
    pub cash: u32,
    /// A bit a deed.
    pub deeds: u32,
}

/// Why a deal is there. Names no party and no amount: those are in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Cause {
    Trade,
    Rent { property: u8 },
    Card { card: u8 },
    /// A tax or a fine of a card, charged on this square.
    Square { square: u8 },
    /// The document's Bank transaction, for an auction won without the cash at hand.
    Auction { property: u8 },
    /// The document's Bank transaction, for the fees of mortgaged deeds received.
    Fee,
    Jail,
}

/// One open deal. Side 1 is the debtor of every kind but a trade.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Deal {
    pub id: u32,
    pub cause: Cause,
    pub sides: [Side; 2],
    /// What a debtor owes; 0 in a trade.
    pub amount: u32,
    /// The debtor's income that arose after the debt, held until the debt is settled (pimp 10).
    pub escrow: u32,
}

const _: () = assert!(size_of::<Deal>() <= 40, "93 deals lie in every table's memory");

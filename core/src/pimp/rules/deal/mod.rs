//! Deals: what two players, or a player and the bank, settle in three steps (pimp 12).
//!
//! Debts are deals too: rent, cards, fines, bail, auctions won, transfer fees. The record is here, the table in
//! `table.rs`; `open.rs` starts deals, `command.rs` obeys the parties, `agree.rs` weighs what they agree to, `reopen.rs`
//! takes a step back when something moves, `finalise.rs` carries a deal out or ends it, `dump.rs` tells one again to
//! latecomers.
//!
//! What can never happen here: a side that has AGREED against one in SETUP; an offer of more cash than is there, or of a
//! deed or card that is not the party's own.

mod agree;
mod audit;
mod command;
mod dump;
mod finalise;
#[cfg(test)]
mod hearsay;
mod open;
mod reopen;
mod table;
#[cfg(test)]
pub(super) mod testing;

pub use table::{DEBTS, Deals, TRADES, TRADES_A_PARTY};

use super::{BANK, Cx, Herald, UserId};
use crate::pimp::board::{Card, Deed, DeedSet, Square};
use crate::pimp::wire::Message;

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
    pub cards: Cards,
    pub cash: u32,
    pub deeds: DeedSet,
}

impl Side {
    const fn new(party: UserId) -> Self {
        Self { party, step: Step::Setup, cards: Cards(0), cash: 0, deeds: DeedSet::EMPTY }
    }
    /// Exactly this much cash, no deed, no card.
    fn is_just(&self, cash: u32) -> bool {
        self.cash == cash && self.deeds.is_empty() && self.cards.is_empty()
    }
}

/// Which of the two cards that can be kept: a bit each, in the order of [`Card::JAIL_CARDS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Cards(u8);

impl Cards {
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    const fn len(self) -> usize {
        self.0.count_ones() as usize
    }
    fn contains(self, card: Card) -> bool {
        self.iter().any(|kept| kept == card)
    }
    fn insert(&mut self, card: Card) {
        self.0 |= Self::bit(card);
    }
    fn remove(&mut self, card: Card) {
        self.0 &= !Self::bit(card);
    }
    fn bit(card: Card) -> u8 {
        let mut bits = Card::JAIL_CARDS.into_iter().zip([1, 2]);
        bits.find(|(kept, _)| *kept == card).map_or(0, |(_, bit)| bit)
    }
    /// Ascending.
    fn iter(self) -> impl Iterator<Item = Card> {
        Card::JAIL_CARDS.into_iter().filter(move |card| self.0 & Self::bit(*card) != 0)
    }
}

/// Why a deal is there. Names no party and no amount: those are in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Cause {
    Trade,
    Rent {
        property: Deed,
    },
    Card {
        card: Card,
    },
    /// A tax or a fine of a card, charged on this square.
    Square {
        square: Square,
    },
    /// The document's Bank transaction, for an auction won without the cash at hand.
    Auction {
        property: Deed,
    },
    /// The document's Bank transaction, for the fees of mortgaged deeds inherited.
    Fee,
    Jail,
}

impl Cause {
    /// The game waits for it (pimp 12.1).
    const fn is_blocking(self) -> bool {
        matches!(self, Cause::Square { .. } | Cause::Auction { .. } | Cause::Jail)
    }
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

// 93 of them lie in every table's memory.
const _: () = assert!(size_of::<Deal>() <= 40);

impl Deal {
    const fn new(id: u32, cause: Cause, first: UserId, second: UserId, amount: u32) -> Self {
        Self { id, cause, sides: [Side::new(first), Side::new(second)], amount, escrow: 0 }
    }

    pub fn parties(&self) -> [UserId; 2] {
        let [first, second] = &self.sides;
        [first.party, second.party]
    }

    /// A user's own side, then the other. The two parties are never the same.
    pub fn sides_of(&self, user: UserId) -> Option<(&Side, &Side)> {
        match &self.sides {
            [own, other] | [other, own] if own.party == user => Some((own, other)),
            _ => None,
        }
    }

    fn sides_mut(&mut self, user: UserId) -> Option<(&mut Side, &mut Side)> {
        let [first, second] = &mut self.sides;
        if first.party == user {
            Some((first, second))
        } else if second.party == user {
            Some((second, first))
        } else {
            None
        }
    }

    pub fn is_trade(&self) -> bool {
        self.cause == Cause::Trade
    }

    /// The party that must pay; none in a trade.
    pub fn debtor(&self) -> Option<UserId> {
        let [_, debtor] = self.parties();
        (!self.is_trade()).then_some(debtor)
    }

    /// The party that is owed: a player or the bank; none in a trade.
    pub fn creditor(&self) -> Option<UserId> {
        let [creditor, _] = self.parties();
        (!self.is_trade()).then_some(creditor)
    }

    /// The other party is the bank.
    fn is_with_bank(&self) -> bool {
        self.creditor() == Some(BANK)
    }

    /// What this deal can make a player's worth be needed for (pimp 11). Bail is no debt: a card pays it too.
    pub fn liability(&self, user: UserId) -> u32 {
        if self.debtor() == Some(user) && self.cause != Cause::Jail { self.amount } else { 0 }
    }

    /// Does this debt keep a user from throwing (pimp 5.5.1)?
    pub(super) fn keeps_from_throwing(&self, user: UserId) -> bool {
        let counts = matches!(self.cause, Cause::Rent { .. } | Cause::Card { .. } | Cause::Auction { .. } | Cause::Fee);
        counts && self.debtor() == Some(user)
    }

    /// Once this user has FINISHED, the other party may AGREE, and only that makes it so. A creditor who is offered just what
    /// is owed agrees anyhow.
    pub fn finish_lets_agree(&self, user: UserId) -> bool {
        let agrees_anyhow = self.debtor() == Some(user) && self.pays_exactly();
        let sides = self.sides_of(user).filter(|_| !agrees_anyhow && !self.is_with_bank());
        sides.is_some_and(|(own, other)| own.step == Step::Setup && other.step != Step::Setup)
    }

    /// The debtor gives exactly what it owes, and nothing else.
    fn pays_exactly(&self) -> bool {
        let [_, debtor] = &self.sides;
        !self.is_trade() && debtor.is_just(self.amount)
    }

    /// What the bank takes (pimp 12.1): the amount, or a card for bail.
    fn satisfies_bank(&self) -> bool {
        let [_, debtor] = &self.sides;
        let by_card = debtor.cash == 0 && debtor.deeds.is_empty() && debtor.cards.len() == 1;
        self.pays_exactly() || (self.cause == Cause::Jail && by_card)
    }

    /// A debt that is not settled by what was expected. A trade has no expectation.
    pub(super) fn is_unusual(&self) -> bool {
        let [creditor, _] = &self.sides;
        match self.cause {
            Cause::Trade => false,
            Cause::Rent { .. } | Cause::Card { .. } => !(self.pays_exactly() && creditor.is_just(0)),
            _ => !self.satisfies_bank(),
        }
    }

    /// The debtor waits with exactly what it owes: the creditor may not touch the deal any more (pimp 16.1).
    fn is_frozen_for(&self, user: UserId) -> bool {
        let [_, debtor] = &self.sides;
        self.creditor() == Some(user) && debtor.step >= Step::Finished && self.pays_exactly()
    }
}

/// To one party; the bank does not listen.
fn tell<H: Herald>(cx: &mut Cx<'_, H>, user: UserId, event: Message<'_>) {
    if user != BANK {
        cx.out.one(user, event);
    }
}

/// To both parties.
fn tell_both<H: Herald>(cx: &mut Cx<'_, H>, parties: [UserId; 2], event: Message<'_>) {
    parties.into_iter().for_each(|user| tell(cx, user, event));
}

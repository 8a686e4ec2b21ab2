//! The open transactions of this user: what each is for, what lies on each side and how far each side has come.

use heapless::Vec;

use crate::pimp::board::{Card, Deed, DeedSet, Square};

/// Setting up, finished, agreed: the document's three steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    #[default]
    Setup,
    Finished,
    Agreed,
}

/// What one side puts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    pub cash: u32,
    pub deeds: DeedSet,
    /// One bit for each card.
    cards: u32,
    pub step: Step,
}

impl Side {
    pub fn cards(&self) -> impl Iterator<Item = Card> + use<> {
        let cards = self.cards;
        Card::all().filter(move |card| cards >> card.id() & 1 == 1)
    }
    pub fn has_card(&self, card: Card) -> bool {
        self.cards >> card.id() & 1 == 1
    }
    pub(super) fn set_card(&mut self, card: Card, there: bool) {
        let bit = 1 << card.id();
        self.cards = if there { self.cards | bit } else { self.cards & !bit };
    }
    pub fn is_empty(&self) -> bool {
        self.cash == 0 && self.deeds.is_empty() && self.cards == 0
    }
}

/// Why a transaction is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Trade,
    Rent { deed: Deed },
    Card { card: Card },
    Square { square: Square },
    Bank,
    Jail,
}

/// One transaction between this user and another, or the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    pub id: u32,
    pub kind: Kind,
    /// The other party; 0 = the bank.
    pub other: u8,
    /// The user who is owed `amount`; 0 = the bank, or none in a trade.
    pub creditor: u8,
    pub amount: u32,
    pub mine: Side,
    pub theirs: Side,
    /// What lies in it is not what it was opened for.
    pub unusual: bool,
}

impl Deal {
    pub(super) fn new(id: u32, kind: Kind, other: u8, creditor: u8, amount: u32) -> Self {
        let (mine, theirs) = (Side::default(), Side::default());
        Self { id, kind, other, creditor, amount, mine, theirs, unusual: false }
    }
    /// Must this user pay, and can't cancel?
    pub fn is_debt(&self) -> bool {
        self.kind != Kind::Trade && (self.other == 0 || self.creditor == self.other)
    }
    /// May this user cancel it? A trade, or a payment it is owed (pimp 12.1).
    pub fn may_cancel(&self) -> bool {
        !self.is_debt()
    }
}

/// Which side of a deal a message tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    Mine,
    Theirs,
}

/// Up to `N` open deals, ascending by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deals<const N: usize>(Vec<Deal, N>);

impl<const N: usize> Deals<N> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
    pub(super) fn all(&self) -> &[Deal] {
        &self.0
    }
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Deal> {
        self.0.iter_mut().find(|deal| deal.id == id)
    }
    /// Begins a deal, over an older one of that id; what finds no room is not kept.
    pub(super) fn open(&mut self, deal: Deal) {
        match self.0.binary_search_by_key(&deal.id, |old| old.id) {
            Ok(at) => {
                if let Some(old) = self.0.get_mut(at) {
                    *old = deal;
                }
            }
            Err(at) => {
                if self.0.push(deal).is_ok()
                    && let Some(rest) = self.0.get_mut(at..)
                {
                    rest.rotate_right(1);
                }
            }
        }
    }
    pub(super) fn end(&mut self, id: u32) {
        self.0.retain(|deal| deal.id != id);
    }

    /// A change of what lies in a deal. UNUSUAL follows every change that leaves it unusual (pimp 12.2), so a change
    /// takes the old mark away; a repeated value is no change.
    pub(super) fn change(&mut self, id: u32, whose: Whose, change: impl FnOnce(&mut Side)) {
        let Some(deal) = self.get_mut(id) else { return };
        let side = match whose {
            Whose::Mine => &mut deal.mine,
            Whose::Theirs => &mut deal.theirs,
        };
        let before = *side;
        change(side);
        if *side != before {
            deal.unusual = false;
        }
    }

    pub(super) fn step(&mut self, id: u32, whose: Whose, step: Step) {
        let Some(deal) = self.get_mut(id) else { return };
        let (side, across) = match whose {
            Whose::Mine => (&mut deal.mine, &mut deal.theirs),
            Whose::Theirs => (&mut deal.theirs, &mut deal.mine),
        };
        side.step = step;
        // "At no time can one player be agreed and the other in set up."
        if step == Step::Setup {
            across.step = across.step.min(Step::Finished);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rent(id: u32, other: u8, creditor: u8) -> Deal {
        Deal::new(id, Kind::Rent { deed: Deed::new(3).unwrap() }, other, creditor, 12)
    }

    #[test]
    fn who_owes_and_who_may_cancel() {
        assert!(rent(1, 2, 2).is_debt());
        assert!(!rent(1, 2, 1).is_debt() && rent(1, 2, 1).may_cancel());
        assert!(Deal::new(1, Kind::Jail, 0, 0, 50).is_debt());
        assert!(!Deal::new(1, Kind::Trade, 3, 0, 0).is_debt());
    }

    #[test]
    fn reopening_takes_the_other_side_down_to_finished() {
        let mut deals = Deals::<4>::new();
        deals.open(rent(7, 2, 2));
        deals.step(7, Whose::Mine, Step::Agreed);
        deals.step(7, Whose::Theirs, Step::Setup);
        assert_eq!((deals.all()[0].mine.step, deals.all()[0].theirs.step), (Step::Finished, Step::Setup));
        deals.step(8, Whose::Mine, Step::Agreed);
        assert_eq!(deals.all().len(), 1);
    }

    #[test]
    fn a_change_takes_the_unusual_mark_and_a_repeat_does_not() {
        let mut deals = Deals::<2>::new();
        deals.open(rent(7, 2, 2));
        deals.get_mut(7).unwrap().unusual = true;
        deals.change(7, Whose::Mine, |side| side.cash = 0);
        assert!(deals.all()[0].unusual);
        deals.change(7, Whose::Mine, |side| side.cash = 12);
        assert!(!deals.all()[0].unusual);
    }

    #[test]
    fn deals_are_bounded_and_sorted() {
        let mut deals = Deals::<2>::new();
        [9, 4, 6].into_iter().for_each(|id| deals.open(rent(id, 2, 2)));
        assert_eq!(deals.all().iter().map(|d| d.id).collect::<std::vec::Vec<_>>(), [4, 9]);
        deals.end(4);
        deals.end(4);
        assert_eq!(deals.all().len(), 1);
    }

    #[test]
    fn cards_are_kept_one_bit_each() {
        let mut side = Side::default();
        let [first, second] = Card::JAIL_CARDS;
        side.set_card(second, true);
        assert!(side.has_card(second) && !side.has_card(first) && !side.is_empty());
        assert_eq!(side.cards().next(), Some(second));
        side.set_card(second, false);
        assert!(side.is_empty());
    }
}

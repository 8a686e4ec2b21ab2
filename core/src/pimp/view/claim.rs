//! Rents and salaries that may be claimed: no message tells of them, so they are noticed from where players walk.

use heapless::Vec;

use crate::pimp::board::{Deed, Square};

/// The most that can be open: 3 /* moves a turn */ * (2 /* Go */ + 1 /* rent */), and some room (pimp 7).
pub const CLAIMS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    Rent { creditor: u8, debtor: u8, deed: Deed },
    Go { player: u8, square: Square },
}

impl Claim {
    /// The player who may claim it.
    pub const fn owed_to(self) -> u8 {
        match self {
            Claim::Rent { creditor, .. } => creditor,
            Claim::Go { player, .. } => player,
        }
    }
}

/// A claim and its number: no two claims of a view have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noticed {
    pub number: u32,
    pub claim: Claim,
}

/// The oldest first; what finds no room is not noticed.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    open: Vec<Noticed, CLAIMS>,
    /// Claims noticed so far.
    count: u32,
}

impl Claims {
    pub(super) const fn new() -> Self {
        Self { open: Vec::new(), count: 0 }
    }
    pub(super) fn all(&self) -> &[Noticed] {
        &self.open
    }
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }
    pub(super) fn notice(&mut self, claim: Claim) {
        self.count = self.count.wrapping_add(1);
        let _ = self.open.push(Noticed { number: self.count, claim });
    }
    /// The oldest claim of this kind is settled, or was none.
    pub(super) fn settle(&mut self, which: impl Fn(&Claim) -> bool) {
        let mut found = false;
        self.open.retain(|noticed| {
            let this = !found && which(&noticed.claim);
            found |= this;
            !this
        });
    }
    /// `new` sits in the seat of `old` now (pimp 12.6).
    pub(super) fn move_seat(&mut self, old: u8, new: u8) {
        let seat = |id: &mut u8| {
            if *id == old {
                *id = new;
            }
        };
        for noticed in &mut self.open {
            match &mut noticed.claim {
                Claim::Rent { creditor, debtor, .. } => [creditor, debtor].into_iter().for_each(seat),
                Claim::Go { player, .. } => seat(player),
            }
        }
    }
    /// `gone` plays no more: its debts and salaries lapse, rents owed to it are whose the deed is now (pimp 12.4).
    pub(super) fn leave(&mut self, gone: u8, owner: impl Fn(Deed) -> u8) {
        for noticed in &mut self.open {
            if let Claim::Rent { creditor, deed, .. } = &mut noticed.claim
                && *creditor == gone
            {
                *creditor = owner(*deed);
            }
        }
        self.open.retain(|noticed| match noticed.claim {
            Claim::Rent { creditor, debtor, .. } => debtor != gone && creditor != 0 && creditor != debtor,
            Claim::Go { player, .. } => player != gone,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rent(creditor: u8, debtor: u8) -> Claim {
        Claim::Rent { creditor, debtor, deed: Deed::new(5).unwrap() }
    }

    fn open(claims: &Claims) -> std::vec::Vec<Claim> {
        claims.all().iter().map(|noticed| noticed.claim).collect()
    }

    #[test]
    fn the_oldest_is_settled_first_and_room_ends() {
        let mut claims = Claims::new();
        (0..20).for_each(|n| claims.notice(rent(1, n)));
        assert_eq!(claims.all().len(), 12);
        claims.settle(|claim| claim.owed_to() == 1);
        assert_eq!(claims.all()[0], Noticed { number: 2, claim: rent(1, 1) });
    }

    #[test]
    fn who_leaves_owes_nothing_and_its_rents_go_with_the_deed() {
        let mut claims = Claims::new();
        claims.notice(rent(1, 2));
        claims.notice(rent(2, 3));
        claims.notice(Claim::Go { player: 2, square: Square::GO });
        claims.leave(2, |_| 4);
        assert_eq!(open(&claims), [rent(4, 3)]);
        claims.leave(4, |_| 0);
        assert!(claims.all().is_empty());
    }

    #[test]
    fn a_taken_seat_keeps_its_claims() {
        let mut claims = Claims::new();
        claims.notice(rent(1, 2));
        claims.notice(Claim::Go { player: 2, square: Square::GO });
        claims.move_seat(2, 9);
        assert_eq!(open(&claims), [rent(1, 9), Claim::Go { player: 9, square: Square::GO }]);
    }
}

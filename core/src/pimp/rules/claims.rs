//! Rent and salary must be asked for (pimp 7).
//!
//! A claim lives from the landing to the next player's first throw or jail choice; then it is lost.

use super::{Claim, ClaimKind, Cx, Game, Herald, Refusal, UserId, Verdict};
use crate::pimp::board::Square;
use crate::pimp::wire::Message;

impl Game {
    pub(super) fn add_claim<H: Herald>(&mut self, cx: &mut Cx<'_, H>, kind: ClaimKind) {
        let id = self.take_id();
        // Nine claims are the most a turn can bring. Should a tenth ever not fit, salary is paid at once.
        if let Err(Claim { kind: ClaimKind::Go { player, square, salary }, .. }) = self.claims.push(Claim { id, kind })
        {
            self.pay_salary(cx, player, square, salary, id);
        }
    }

    /// The window closes: the document's moratorium, if there was anything to claim.
    pub(super) fn close_claims<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        if !self.claims.is_empty() {
            cx.out.all(Message::RentCollectionMoratorium {});
            self.claims.clear();
        }
    }

    /// `debtor` as the claimant knows it: after a takeover the id of the player who landed will do (pimp 16.5).
    pub(super) fn claim_rent<H: Herald>(
        &mut self,
        sender: UserId,
        debtor: UserId,
        property: u8,
        cx: &mut Cx<'_, H>,
    ) -> Verdict {
        let wanted = |claim: &Claim| match claim.kind {
            ClaimKind::Rent { debtor: owes, lander, creditor, property: deed, .. } => {
                creditor == sender && (owes == debtor || lander == debtor) && deed.id() == property
            }
            ClaimKind::Go { .. } => false,
        };
        let Some(claim) = self.take_claim(wanted) else {
            cx.out.one(sender, Message::ErrorInvalidRentClaim {});
            return Err(Refusal::Told);
        };
        if let ClaimKind::Rent { debtor, creditor, rent, .. } = claim.kind {
            cx.out.all(Message::PlayerClaimedRent { creditor, debtor, property, rent });
            self.open_rent(cx, claim);
        }
        Ok(())
    }

    pub(super) fn claim_go<H: Herald>(&mut self, sender: UserId, square: u8, cx: &mut Cx<'_, H>) -> Verdict {
        let wanted = |claim: &Claim| match claim.kind {
            ClaimKind::Go { player, square: passed, .. } => player == sender && passed.id() == square,
            ClaimKind::Rent { .. } => false,
        };
        let Some(claim) = self.take_claim(wanted) else {
            cx.out.one(sender, Message::ErrorInvalidGoClaim {});
            return Err(Refusal::Told);
        };
        if let ClaimKind::Go { player, square, salary } = claim.kind {
            cx.out.all(Message::PlayerClaimedGo { player, square: square.id(), cash: salary });
            self.pay_salary(cx, player, square, salary, claim.id);
        }
        Ok(())
    }

    /// The claim's id tells whether the salary was earned before a debt, and may pay it (pimp 10).
    fn pay_salary<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, square: Square, salary: u32, id: u32) {
        cx.out.all(Message::SquareGivesCash { player, square: square.id(), cash: salary });
        self.give(cx, player, salary, Some(id));
    }

    /// The oldest match: ids only rise, so the list is in order.
    fn take_claim(&mut self, wanted: impl Fn(&Claim) -> bool) -> Option<Claim> {
        let oldest = self.claims.iter().copied().find(wanted)?;
        self.claims.retain(|claim| claim.id != oldest.id);
        Some(oldest)
    }

    pub(super) fn drop_claims(&mut self) {
        self.claims.clear();
    }

    /// `left` plays no more (pimp 12.4): what it owed or could ask of the bank is dropped, what others owe it goes to
    /// `receiver`, if that is a player. No player owes rent to itself (pimp 16.4).
    pub(super) fn claims_after_leaving(&mut self, left: UserId, receiver: UserId) {
        let receiver_plays = self.is_player(receiver) && receiver != left;
        self.claims.retain_mut(|claim| match &mut claim.kind {
            ClaimKind::Go { player, .. } => *player != left,
            ClaimKind::Rent { debtor, .. } if *debtor == left => false,
            ClaimKind::Rent { debtor, creditor, .. } if *creditor == left => {
                *creditor = receiver;
                receiver_plays && *debtor != receiver
            }
            ClaimKind::Rent { .. } => true,
        });
    }

    /// A takeover: claims for and against `old` are `new`'s now.
    pub(super) fn claims_renamed(&mut self, old: UserId, new: UserId) {
        let rename = |id: &mut UserId| {
            if *id == old {
                *id = new;
            }
        };
        for claim in &mut self.claims {
            match &mut claim.kind {
                ClaimKind::Go { player, .. } => rename(player),
                ClaimKind::Rent { debtor, creditor, .. } => {
                    rename(debtor);
                    rename(creditor);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::board::Deed;
    use std::vec::Vec;

    fn rent(debtor: UserId, creditor: UserId) -> ClaimKind {
        ClaimKind::Rent { debtor, lander: debtor, creditor, property: Deed::new(1).unwrap(), rent: 4 }
    }

    #[test]
    fn rent_is_claimed_preset_and_asked_for_once() {
        let mut table = Table::scripted(2, &[0x12]);
        table.own(1, &[1]);
        table.ok(2, Message::ThrowDice {});
        let claim = Message::ClaimRent { debtor: 2, property: 1 };
        let invalid = ["1< ERROR_INVALID_RENT_CLAIM", "Told"];
        assert_eq!(table.refused(1, Message::ClaimRent { debtor: 2, property: 99 }), invalid);
        assert_eq!(table.refused(2, claim), ["2< ERROR_INVALID_RENT_CLAIM", "Told"]);
        assert_eq!(
            table.ok(1, claim),
            [
                "all< PLAYER_CLAIMED_RENT creditor=1 debtor=2 property=1 rent=4",
                "1< TRANSACTION_RENT_REQUESTED transaction=1 other=2 property=1 creditor=1 rent=4",
                "2< TRANSACTION_RENT_REQUESTED transaction=1 other=1 property=1 creditor=1 rent=4",
                "1< TRANSACTION_FINISHED transaction=1",
                "2< TRANSACTION_OTHER_FINISHED transaction=1",
                "2< TRANSACTION_CASH_SET transaction=1 cash=4",
                "1< TRANSACTION_OTHER_CASH_SET transaction=1 cash=4",
                "2< TRANSACTION_FINISHED transaction=1",
                "1< TRANSACTION_OTHER_FINISHED transaction=1",
                "1< TRANSACTION_AGREED transaction=1",
                "2< TRANSACTION_OTHER_AGREED transaction=1",
            ]
        );
        assert_eq!(table.refused(1, claim), invalid);
    }

    #[test]
    fn salary_is_claimed() {
        let mut table = Table::scripted(2, &[0x12]);
        table.at(2, 38).own(2, &[0]);
        table.ok(2, Message::ThrowDice {});
        assert_eq!(table.refused(2, Message::ClaimGo { square: 1 }), ["2< ERROR_INVALID_GO_CLAIM", "Told"]);
        assert_eq!(
            table.ok(2, Message::ClaimGo { square: 0 }),
            [
                "all< PLAYER_CLAIMED_GO player=2 square=0 cash=200",
                "all< SQUARE_GIVES_CASH player=2 square=0 cash=200",
                "all< DELTA_CASH from=0 to=2 cash=200",
            ]
        );
    }

    #[test]
    fn whoever_leaves_takes_no_claim_along() {
        let mut table = Table::new(3);
        let kinds = [rent(1, 2), rent(2, 1), rent(3, 1), ClaimKind::Go { player: 1, square: Square::GO, salary: 200 }];
        kinds.into_iter().for_each(|kind| table.run(|game, cx| game.add_claim(cx, kind)));
        let mut to_bank = table.game.clone();
        table.game.claims_after_leaving(1, 2);
        assert_eq!(table.game.claims.iter().map(|c| c.kind).collect::<Vec<_>>(), [rent(3, 2)]);
        to_bank.claims_after_leaving(1, 0);
        assert!(to_bank.claims.is_empty());
    }

    #[test]
    fn a_thirteenth_salary_is_paid_at_once() {
        let mut table = Table::new(2);
        for _ in 0..13 {
            table.run(|game, cx| game.add_claim(cx, ClaimKind::Go { player: 1, square: Square::GO, salary: 200 }));
        }
        assert_eq!(table.said().len(), 2);
        assert_eq!((table.game.claims.len(), table.game.cash(1)), (12, 1700));
    }
}

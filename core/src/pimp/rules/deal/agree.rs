//! The last step: what a party must not agree to, and the moment both have (pimp 12.2, 16.1).
//!
//! What can never happen here: a deal carried out that either side could not keep.

use super::super::{BANK, Cx, Game, Herald, Refusal, UserId, Verdict};
use super::{Deal, Step, tell};
use crate::pimp::board::DeedSet;
use crate::pimp::wire::Message;

/// Why a party can't agree.
enum Objection {
    /// What it owes in this deal (0: a claim) could not be paid any more.
    Locked(u32),
    /// Lots whose colour group carries buildings.
    Built(DeedSet),
    /// The fees of mortgaged deeds received, above the cash that is left.
    Fees(u32),
}

impl Game {
    pub(super) fn agree<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, actor: UserId) -> Verdict {
        let Some(deal) = self.deals.get(id) else { return Ok(()) };
        let Some((own, other)) = deal.sides_of(actor) else { return Ok(()) };
        if own.step != Step::Finished || other.step < Step::Finished {
            return Err(Refusal::Unexpected);
        }
        let (partner, is_second) = (other.party, other.step == Step::Agreed);
        if deal.is_with_bank() && !deal.satisfies_bank() {
            tell(cx, actor, Message::ErrorTransactionNotSuitable { transaction: id, amount: deal.amount });
            return Err(Refusal::Told);
        }
        if let Some(objection) = self.objection(deal, actor) {
            tell_objection(cx, id, actor, objection);
            return Err(Refusal::Told);
        }
        // Much may have happened since the other side agreed.
        if is_second
            && partner != BANK
            && let Some(objection) = self.objection(deal, partner)
        {
            tell_objection(cx, id, partner, objection);
            self.reopen(cx, id, partner);
            return Ok(());
        }
        tell(cx, actor, Message::TransactionAgreed { transaction: id });
        tell(cx, partner, Message::TransactionOtherAgreed { transaction: id });
        if is_second {
            self.finalise(cx, id);
        } else if let Some((own, _)) = self.deals.get_mut(id).and_then(|deal| deal.sides_mut(actor)) {
            own.step = Step::Agreed;
        }
        Ok(())
    }

    fn objection(&self, deal: &Deal, user: UserId) -> Option<Objection> {
        let (own, other) = deal.sides_of(user)?;
        if let Some(lock) = self.locked_in(deal, user) {
            return Some(Objection::Locked(lock));
        }
        let built: DeedSet = own.deeds.iter().filter(|deed| self.group_has_buildings(deed.group())).collect();
        if !built.is_empty() {
            return Some(Objection::Built(built));
        }
        let fees = self.fees(other.deeds);
        let left = self.cash(user).saturating_sub(own.cash).saturating_add(other.cash);
        (fees > left).then_some(Objection::Fees(fees))
    }
}

fn tell_objection<H: Herald>(cx: &mut Cx<'_, H>, transaction: u32, user: UserId, objection: Objection) {
    match objection {
        Objection::Locked(blocking_transaction) => {
            tell(cx, user, Message::ErrorTransactionWouldReduceNetWorth { transaction, blocking_transaction });
        }
        Objection::Built(lots) => lots.iter().for_each(|lot| {
            tell(cx, user, Message::ErrorTransactionPropertyHasHouse { transaction, property: lot.id() });
        }),
        Objection::Fees(cash) => tell(cx, user, Message::ErrorTransactionTooExpensive { transaction, cash }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Table;
    use super::super::testing::{add, add_card, agree, finish, set, trade};
    use super::*;

    /// Trade `id`, in which both have finished.
    fn finished(table: &mut Table, id: u32, offers: &[(UserId, Message<'static>)]) {
        table.ok(1, trade(2));
        table.all_ok(offers).all_ok(&[(1, finish(id)), (2, finish(id))]);
    }

    #[test]
    fn a_debtor_gives_nothing_away_that_the_debt_needs() {
        let mut table = Table::new(3);
        table.cash(1, 500).rent_debt(1, 3, 5, 450);
        finished(&mut table, 2, &[(1, set(2, 60))]);
        assert_eq!(table.cannot(1, agree(2)), ["1< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH 2 1", "Told"]);
        table.all_ok(&[(1, set(2, 50)), (1, finish(2)), (1, agree(2))]);
    }

    /// Nothing is given, but the fee of what comes is paid.
    #[test]
    fn the_fee_of_a_gift_can_be_more_than_the_debt_leaves() {
        let mut table = Table::new(3);
        table.own(2, &[27]).mortgaged(&[27]).cash(1, 500).rent_debt(1, 3, 5, 481);
        finished(&mut table, 2, &[(2, add(2, 27))]);
        assert_eq!(table.cannot(1, agree(2)), ["1< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH 2 1", "Told"]);
        table.cash(1, 501).ok(1, agree(2));
    }

    #[test]
    fn an_open_claim_counts_like_a_debt() {
        let mut table = Table::new(3);
        table.cash(1, 500).rent_claim(1, 3, 5, 450);
        finished(&mut table, 2, &[(1, set(2, 60))]);
        assert_eq!(table.cannot(1, agree(2)), ["1< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH 2 0", "Told"]);
    }

    #[test]
    fn who_cannot_pay_gives_no_deed_or_card_even_for_a_price() {
        let mut table = Table::new(3);
        table.own(1, &[3, 4]).mortgaged(&[4]).hold_card(1, 7).cash(1, 0).rent_claim(1, 3, 5, 450);
        for (id, gift) in [(2, add(2, 3)), (3, add(3, 4)), (4, add_card(4, 7))] {
            table.all_ok(&[(1, trade(2)), (1, gift), (2, set(id, 300)), (1, finish(id)), (2, finish(id))]);
            let locked = std::format!("1< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH {id} 0");
            assert_eq!(table.cannot(1, agree(id)), [locked.as_str(), "Told"]);
        }
    }

    #[test]
    fn a_debtor_may_pay_an_older_debt_but_not_a_newer_one_first() {
        let mut table = Table::new(3);
        table.cash(1, 100).rent_debt(1, 2, 5, 80);
        table.rent_debt(1, 3, 6, 50);
        assert_eq!(table.cannot(1, agree(2)), ["1< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH 2 1", "Told"]);
        table.ok(1, agree(1));
        assert_eq!((table.game.cash(1), table.game.cash(2)), (20, 1580));
    }

    #[test]
    fn a_creditor_who_does_not_claim_cannot_hold_the_game() {
        let mut table = Table::new(3);
        table.cash(2, 100).rent_claim(2, 1, 5, 90);
        table.run(|game, cx| game.open_square(cx, 2, crate::pimp::board::Square::LUXURY_TAX, 75));
        table.ok(2, agree(2));
        // A rent to an ally, paid with more than is owed, is another matter.
        let mut table = Table::new(3);
        table.cash(2, 100).rent_claim(2, 1, 5, 90).rent_debt(2, 3, 6, 20);
        table.all_ok(&[(2, set(2, 100)), (2, finish(2))]);
        assert_eq!(table.cannot(2, agree(2)), ["2< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH 2 0", "Told"]);
        table.all_ok(&[(2, set(2, 20)), (2, finish(2)), (2, agree(2))]);
    }

    /// An ally's rent of 4, landed on before the dear one: whatever is laid down for it is out of reach of the dear one.
    #[test]
    fn a_small_debt_to_an_ally_is_no_way_to_give_everything_away() {
        for claimed in [false, true] {
            let mut table = Table::new(3);
            table.own(2, &[3, 4]).hold_card(2, 7).rent_debt(2, 3, 1, 4);
            if claimed {
                table.rent_debt(2, 1, 27, 2000);
            } else {
                table.rent_claim(2, 1, 27, 2000);
            }
            let locked = std::format!("2< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH 1 {}", if claimed { 2 } else { 0 });
            for (give, take_back) in [
                (set(1, 1500), set(1, 4)),
                (add(1, 3), super::super::testing::remove(1, 3)),
                (add_card(1, 7), super::super::testing::remove_card(1, 7)),
            ] {
                table.all_ok(&[(2, give), (2, finish(1))]);
                assert_eq!(table.cannot(2, agree(1)), [locked.as_str(), "Told"], "{give}");
                table.ok(2, take_back);
            }
            // What is owed is paid all the same.
            table.all_ok(&[(2, finish(1)), (2, agree(1))]);
            assert_eq!((table.game.cash(2), table.game.cash(3)), (1496, 1504));
        }
    }

    /// For less than is owed, in goods: no one else is owed anything, so it is the creditor's to decide.
    #[test]
    fn a_creditor_may_take_less() {
        let mut table = Table::new(3);
        table.own(2, &[3]).cash(2, 10).rent_debt(2, 1, 27, 2000);
        table.all_ok(&[(2, set(1, 10)), (2, add(1, 3)), (2, finish(1)), (2, agree(1)), (1, agree(1))]);
        assert_eq!((table.game.cash(1), table.game.owner(super::super::testing::deed(3))), (1510, 1));
    }

    #[test]
    fn lots_of_a_built_group_stay() {
        let mut table = Table::new(2);
        table.own(1, &[3, 4, 5, 0]).level(&[3], 1);
        finished(&mut table, 1, &[(1, add(1, 5)), (1, add(1, 4)), (1, add(1, 0))]);
        let built =
            ["1< ERROR_TRANSACTION_PROPERTY_HAS_HOUSE 1 4", "1< ERROR_TRANSACTION_PROPERTY_HAS_HOUSE 1 5", "Told"];
        assert_eq!(table.cannot(1, agree(1)), built);
        table.ok(2, agree(1));
    }

    #[test]
    fn the_fees_of_mortgaged_deeds_must_be_there_after_the_deal() {
        let mut table = Table::new(2);
        table.own(1, &[26, 27]).mortgaged(&[26, 27]).cash(2, 36);
        finished(&mut table, 1, &[(1, add(1, 26)), (1, add(1, 27))]);
        assert_eq!(table.cannot(2, agree(1)), ["2< ERROR_TRANSACTION_TOO_EXPENSIVE 1 37", "Told"]);
        // A little cash from the other side helps.
        table.all_ok(&[(1, set(1, 1)), (1, finish(1)), (2, agree(1))]);
        let done = [
            "1< AGREED 1",
            "2< OTHER_AGREED 1",
            "1< FINALISED 1",
            "2< FINALISED 1",
            "all< DELTA_CASH 1 2 1",
            "all< DELTA_PROPERTY 1 2 26",
            "all< DELTA_PROPERTY 1 2 27",
            "all< DELTA_CASH 2 0 17",
            "all< DELTA_CASH 2 0 20",
        ];
        assert_eq!(table.says(1, agree(1)), done);
        assert_eq!(table.game.cash(2), 0);
    }

    #[test]
    fn the_second_to_agree_has_the_first_weighed_again() {
        let mut table = Table::new(3);
        table.own(1, &[3]).cash(1, 500);
        finished(&mut table, 1, &[(1, set(1, 300)), (1, add(1, 3))]);
        table.all_ok(&[(1, agree(1))]).rent_claim(1, 3, 5, 450);
        let reopened = ["1< ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH 1 0", "1< REOPENED 1", "2< OTHER_REOPENED 1"];
        assert_eq!(table.says(2, agree(1)), reopened);
        assert_eq!(table.cannot(2, agree(1)), ["Unexpected"], "the first is in set-up again");
        assert_eq!((table.game.cash(1), table.game.owner(super::super::testing::deed(3))), (500, 1));
    }
}

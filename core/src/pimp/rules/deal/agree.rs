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

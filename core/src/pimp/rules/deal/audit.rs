//! What must hold of the open deals after every command (pimp 14.4).

use super::super::{BANK, Game};
use super::{Cause, DEBTS, Deal, Side, Step, TRADES, TRADES_A_PARTY};
use crate::finding::{Finding, must};

impl Game {
    pub(in super::super) fn audit_deals(&self) -> Finding {
        let ids = self.deals.iter().map(|deal| deal.id);
        must(ids.clone().zip(ids.clone().skip(1)).all(|(one, next)| one < next), "deals out of order")?;
        must(ids.into_iter().all(|id| id > 0 && id < self.next_id), "a deal with an id never given")?;
        let (trades, debts) = self.deals.counts();
        must(trades <= TRADES && debts <= DEBTS, "more deals than there are slots")?;
        let trades_of = |id| self.deals.of(id).filter(|deal| deal.is_trade()).count();
        must(
            self.players.iter().all(|player| trades_of(player.id) <= TRADES_A_PARTY),
            "too many trades of one player",
        )?;
        self.deals.iter().try_for_each(|deal| self.audit_deal(deal))
    }

    fn audit_deal(&self, deal: &Deal) -> Finding {
        let [first, second] = &deal.sides;
        must(first.party != second.party && self.is_player(second.party), "a deal without its parties")?;
        let between = matches!(deal.cause, Cause::Trade | Cause::Rent { .. } | Cause::Card { .. });
        must(if between { self.is_player(first.party) } else { first.party == BANK }, "a deal with the wrong party")?;
        let steps = [first.step, second.step];
        must(!(steps.contains(&Step::Agreed) && steps.contains(&Step::Setup)), "agreed against set up")?;
        must(steps != [Step::Agreed; 2], "agreed by both and not carried out")?;
        must(deal.is_trade() == (deal.amount == 0), "a debt of nothing, or a trade with an amount")?;
        must(deal.escrow == 0 || deal.liability(second.party) > 0, "escrow without a debt")?;
        if deal.is_with_bank() {
            let agreed = second.step >= Step::Finished && deal.satisfies_bank();
            must((first.step == Step::Agreed) == agreed, "the bank agrees to what does not suit it")?;
        } else {
            self.audit_side(first)?;
            let frozen = deal.is_frozen_for(first.party);
            must(
                !frozen || (first.step == Step::Agreed && first.is_just(0)),
                "a creditor who does not accept payment",
            )?;
        }
        self.audit_side(second)
    }

    fn audit_side(&self, side: &Side) -> Finding {
        must(side.cash <= self.cash(side.party), "an offer above the cash")?;
        let known = side.deeds.iter().count() == side.deeds.len() && side.cards.iter().count() == side.cards.len();
        must(known, "an offer of what the board does not have")?;
        must(side.deeds.iter().all(|deed| self.owner(deed) == side.party), "an offer of another's deed")?;
        must(side.cards.iter().all(|card| self.card_owner(card) == side.party), "an offer of another's card")
    }
}

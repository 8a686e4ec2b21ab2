//! Answers to what the table asks: throw, jail, sale, auction, tax.

use super::memory::fold;
use super::value::{best_building, completes, danger, gain, round_cost, unsold};
use super::{Bot, Out, Strength, purse, spare_deeds};
use crate::pimp::board::{Deed, DeedKind, Group, HOTEL_LEVEL, INCOME_TAX, JAIL_ROLLS, Square};
use crate::pimp::view::{Prompt, View, send_building};
use crate::pimp::wire::Message;

/// Houses a lot where rent rises most for the money: build there first.
const THREE_HOUSES: u8 = 3;

impl Bot {
    pub(super) fn answer_prompt<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        let (me, stamp) = (view.me(), u64::from(view.asked()));
        match view.prompt() {
            Prompt::Start { player, may_throw: true } if player == me => {
                self.prepare(view, out) || self.insist(Message::ThrowDice {}, stamp, out)
            }
            Prompt::Again { player } if player == me => self.insist(Message::ThrowDice {}, stamp, out),
            Prompt::Jail { player, rolls_left, .. } if player == me => {
                self.prepare(view, out) || self.sit_or_go(view, rolls_left, out)
            }
            Prompt::Sale { player, deed, price } if player == me => self.buy_or_not(view, deed, price, out),
            Prompt::Auction { deed, leader, bid, passed } if leader != me => {
                self.bid(view, deed, bid, passed.contains(me), out)
            }
            Prompt::Tax { player, .. } if player == me => {
                let tenth = view.total(me) / 10 < INCOME_TAX;
                let (first, second) = (Message::TaxPayTenPercent {}, Message::TaxPayFlatFee {});
                let (first, second) = if tenth { (first, second) } else { (second, first) };
                self.insist(first, stamp, out) || self.insist(second, stamp, out)
            }
            Prompt::CardChoice { player, .. } if player == me => {
                self.insist(Message::CardSelectCollect {}, stamp, out)
                    || self.insist(Message::CardSelectRetry {}, stamp, out)
            }
            // The table waits for a deal that this view does not show: ask how things stand.
            Prompt::Waiting { player, transaction }
                if player == me && view.deals().iter().all(|deal| deal.id != transaction) =>
            {
                self.insist(Message::RequestState {}, stamp, out)
            }
            _ => false,
        }
    }

    /// What to keep back for the squares ahead.
    fn reserve<const U: usize, const D: usize>(&self, view: &View<U, D>) -> u32 {
        match self.strength {
            Strength::Plain => 300,
            Strength::Shrewd => {
                let from = view.user(view.me()).map_or(Square::GO, |user| user.square);
                let (mean, worst) = danger(view, view.me(), from);
                (20 + mean + worst / 4).min(400)
            }
        }
    }

    /// What a bot does unasked: build, pay mortgages off, offer a trade.
    fn prepare<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        self.build(view, out) || self.unmortgage(view, out) || self.propose(view, out)
    }

    fn build<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        let reserve = self.reserve(view);
        let stamp = purse(view);
        let affordable = |deed: &Deed, more: u32| view.cash() >= deed.house_cost() + reserve + more;
        let deed = match self.strength {
            Strength::Plain => best_building(view, HOTEL_LEVEL).filter(|deed| affordable(deed, 0)),
            Strength::Shrewd => best_building(view, THREE_HOUSES)
                .filter(|deed| affordable(deed, 0))
                .or_else(|| best_building(view, HOTEL_LEVEL).filter(|deed| affordable(deed, 100))),
        };
        if let Some(deed) = deed {
            let mut settled = false;
            send_building(deed, view.deed(deed).level(), true, &mut |message| {
                settled = self.volunteer(message, stamp, out);
            });
            if settled {
                return true;
            }
        }
        self.strength == Strength::Shrewd && deed.is_none() && self.mortgage_to_build(view, reserve, out)
    }

    /// A lone deed brings little: its mortgage builds a house where rents are high.
    fn mortgage_to_build<const U: usize, const D: usize>(
        &mut self,
        view: &View<U, D>,
        reserve: u32,
        out: Out<'_>,
    ) -> bool {
        let me = view.me();
        if view.bank().0 == 0 {
            return false;
        }
        let short = Group::all().filter(|group| group.kind() == DeedKind::Street).any(|group| {
            view.group_owner(group) == Some(me)
                && !view.group_has_mortgage(group)
                && view.levels(group).0 < THREE_HOUSES
                && group.deeds().first().is_some_and(|deed| view.cash() < deed.house_cost() + reserve)
        });
        let Some(deed) = spare_deeds(view).filter(|deed| short && view.group_owner(deed.group()) != Some(me)) else {
            return false;
        };
        // Only while what can be raised is enough for a house.
        let lone = view.deeds_of(me).map(|(deed, _)| deed);
        let lone = lone.filter(|deed| view.may_mortgage(*deed) && view.group_owner(deed.group()) != Some(me));
        let raised: u32 = lone.map(Deed::mortgage).sum();
        raised.saturating_add(view.cash()) >= reserve + 100
            && self.volunteer(Message::MortgageProperty { property: deed.id() }, purse(view), out)
    }

    fn unmortgage<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        let me = view.me();
        let reserve = self.reserve(view);
        let whole = |deed: &Deed| view.group_owner(deed.group()) == Some(me) && deed.kind() == DeedKind::Street;
        let mortgaged = view.deeds_of(me).filter(|(_, holding)| holding.mortgaged).map(|(deed, _)| deed);
        let Some(deed) = mortgaged.min_by_key(|deed| (!whole(deed), core::cmp::Reverse(deed.price()))) else {
            return false;
        };
        let more = if whole(&deed) { 0 } else { 300 };
        view.cash() >= deed.unmortgage_cost() + reserve + more
            && self.volunteer(Message::UnmortgageProperty { property: deed.id() }, purse(view), out)
    }

    fn sit_or_go<const U: usize, const D: usize>(&mut self, view: &View<U, D>, rolls_left: u8, out: Out<'_>) -> bool {
        let stamp = u64::from(view.asked());
        let can_pay = view.jail_card(view.me()).is_some() || view.cash() >= 150;
        let go = match self.strength {
            Strength::Plain => can_pay && rolls_left == JAIL_ROLLS,
            // Early there is land to be had outside; late it is others' hotels that wait there.
            Strength::Shrewd => can_pay && unsold(view) >= 5 && round_cost(view, view.me()) < 250,
        };
        let (roll, pay) = (Message::JailRollDice {}, Message::JailPayBail {});
        if rolls_left > 0 && !go && self.insist(roll, stamp, out) {
            return true;
        }
        self.insist(pay, stamp, out) || self.insist(roll, stamp, out)
    }

    fn buy_or_not<const U: usize, const D: usize>(
        &mut self,
        view: &View<U, D>,
        deed: Deed,
        price: u32,
        out: Out<'_>,
    ) -> bool {
        // Once something was mortgaged for it, a refused purchase can be tried again.
        let mortgaged = view.deeds_of(view.me()).filter(|(_, holding)| holding.mortgaged).count();
        let stamp = fold(u64::from(view.asked()), mortgaged as u64);
        let wanted = match self.strength {
            Strength::Plain => view.cash() >= price.saturating_add(100),
            Strength::Shrewd => self.covets(view, deed) || view.cash() >= price.saturating_add(self.reserve(view) / 2),
        };
        if wanted && view.cash() >= price && self.insist(Message::BuyProperty {}, stamp, out) {
            return true;
        }
        // Worth a mortgage or two, if they are enough.
        if wanted && view.cash() < price {
            let me = view.me();
            let lone = |deed: &Deed| view.may_mortgage(*deed) && view.group_owner(deed.group()) != Some(me);
            let raised: u32 = view.deeds_of(me).map(|(deed, _)| deed).filter(lone).map(Deed::mortgage).sum();
            if view.cash().saturating_add(raised) >= price
                && let Some(spare) = spare_deeds(view).filter(lone)
                && self.insist(Message::MortgageProperty { property: spare.id() }, purse(view), out)
            {
                return true;
            }
        }
        self.insist(Message::AuctionProperty {}, stamp, out)
    }

    /// It completes a group, this bot's or another's: not to be missed.
    fn covets<const U: usize, const D: usize>(&self, view: &View<U, D>, deed: Deed) -> bool {
        view.players().any(|player| completes(view, deed, player.id))
    }

    fn bid<const U: usize, const D: usize>(
        &mut self,
        view: &View<U, D>,
        deed: Deed,
        bid: u32,
        passed: bool,
        out: Out<'_>,
    ) -> bool {
        let stamp = u64::from(view.asked());
        let limit = self.limit(view, deed);
        if limit > bid {
            let step = (bid / 8).max(5 + self.whim(u64::from(deed.id()), 5));
            let cash = bid.max(limit / 3).saturating_add(step).min(limit);
            if self.insist(Message::Bid { cash }, stamp, out) {
                return true;
            }
        }
        !passed && self.insist(Message::NoBid {}, stamp, out)
    }

    /// The most that this bot bids for a deed.
    fn limit<const U: usize, const D: usize>(&self, view: &View<U, D>, deed: Deed) -> u32 {
        let me = view.me();
        match self.strength {
            Strength::Plain => (deed.price() * 3 / 4).min(view.cash().saturating_sub(150)),
            Strength::Shrewd => {
                let others = view.players().filter(|player| player.id != me);
                let theirs = others.map(|player| gain(view, deed, player.id)).max().unwrap_or_default();
                let value = gain(view, deed, me).max(theirs * 2 / 3);
                let reserve = if self.covets(view, deed) { 0 } else { self.reserve(view) };
                // A gain of a few thousand at most, never below zero.
                let value = u32::try_from(value).unwrap_or_default();
                (value * 9 / 10).min(view.cash().saturating_sub(reserve))
            }
        }
    }
}

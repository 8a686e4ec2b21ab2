//! Where to go next: the stop that earns most for the time it takes.

use super::Taste;
use super::market::{Market, Rate, rate};
use crate::venus::pieces::{Contents, Culture, FARES, Fare, Qbox, Space, System, Token};

/// Where a player is heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To trade, or to find the culture there.
    System(System),
    /// To take what lies there.
    Space(Space),
}

/// A goal and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub goal: Goal,
    pub rate: Rate,
}

/// The best goal from a space. `None` only on a board where no goal can be reached. A goal that was chosen before is
/// left only for one that is clearly better.
pub fn best(market: &Market<'_>, here: Space, before: Option<Goal>, taste: &Taste) -> Option<Plan> {
    let stops = (0..market.stops.len()).filter_map(|stop| to_stop(market, here, stop, taste));
    let relics = market.view().board().qboxes().filter_map(|qbox| to_relic(market, here, qbox, taste));
    let plans = stops.chain(relics);
    plans.max_by_key(|plan| if before == Some(plan.goal) { plan.rate + plan.rate / 5 } else { plan.rate })
}

fn to_stop(market: &Market<'_>, here: Space, nth: usize, taste: &Taste) -> Option<Plan> {
    let stop = market.stops.get(nth)?;
    let is_here = market.view().board().system_of(here) == Some(stop.system) && is_place(market, here);
    if is_here {
        return None;
    }
    let turns = market.turns(here, nth);
    let contact = if stop.is_virgin { taste.contact } else { 0 };
    let goal = Goal::System(stop.system);
    let Some(culture) = stop.culture else {
        let unknown = market.stops.iter().filter(|stop| stop.culture.is_none()).count() as i32;
        let value = taste.contact + taste.explore * unknown / 14 + unsold(market) * taste.hope / 100;
        return Some(Plan { goal, rate: rate(value, turns) });
    };
    let (sold, pieces) = market.cargo_at(culture);
    let first = sold + contact;
    let stay = market.stay(nth, pieces);
    let mut plan = Plan { goal, rate: rate(first, turns + stay) };
    // What is bought there with what was earned, for any other culture.
    let cash = market.cash + sold.max(0) as u32;
    let room = market.room + 2 * pieces;
    for (then, other) in market.stops.iter().enumerate().filter(|(then, _)| *then != nth) {
        let Some(buyer) = other.culture else { continue };
        let (profit, bought) = market.load(culture, buyer, cash, room);
        let (rest, carried) = if sold > 0 { (0, 0) } else { market.cargo_at(buyer) };
        let onward = market.turns(stop.place, then);
        let stays = market.stay(nth, pieces.max(bought)) + market.stay(then, bought + carried);
        let fares = if room > 2 * bought { fares_between(market, culture, buyer) } else { 0 };
        plan.rate = plan.rate.max(rate(first + profit + rest + fares, turns + onward + stays));
    }
    Some(plan)
}

/// What waits at one culture and pays at another.
fn fares_between(market: &Market<'_>, from: Culture, to: Culture) -> i32 {
    let fares = (0..FARES as u8).map(|fare| Token::Fare(Fare(fare)));
    let waiting = fares.filter(|fare| market.view().game().at_base(from, *fare) > 0 && fare.buyers().contains(to));
    waiting.map(|fare| i32::from(fare.sell())).sum()
}

/// The price of the cargo that no known culture buys.
fn unsold(market: &Market<'_>) -> i32 {
    let known = |token: &Token| {
        market.stops.iter().any(|stop| stop.culture.is_some_and(|culture| token.buyers().contains(culture)))
    };
    let goods = Culture::peoples().flat_map(|of| [Token::Good(of), Token::FactoryGood(of)]);
    let lonely = goods.filter(|token| market.held(*token) > 0 && !known(token));
    lonely.map(|token| i32::from(token.sell()) * i32::from(market.held(token))).sum()
}

fn is_place(market: &Market<'_>, here: Space) -> bool {
    market.view().game().trader_at(here).is_some()
}

fn to_relic(market: &Market<'_>, here: Space, qbox: Qbox, taste: &Taste) -> Option<Plan> {
    let view = market.view();
    let Some(Contents::Asteroid(Some(_))) = view.contents(qbox) else { return None };
    let space = view.board().qbox_space(qbox);
    let to = super::routes::Routes::to(&market.traveller, &market.terrain, core::iter::once(space));
    let turns = u32::from(to.from(here)) * 10 / market.traveller.pace() + 6;
    Some(Plan { goal: Goal::Space(space), rate: rate(taste.relic, turns) })
}

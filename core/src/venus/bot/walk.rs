//! Moving towards a goal: switches, steps, numbers, and when to stop.

use super::Bot;
use super::market::{Market, places};
use super::plan::{self, Goal, Plan};
use super::routes::{FAR, Routes, Terrain, Traveller};
use crate::venus::pieces::{Seat, Space, Switch, Switches};
use crate::venus::rules::{Action, Step, Target, Verb};
use crate::venus::view::View;

/// Turns without any gain after which plans are no longer trusted.
const STUCK: u16 = 30;

/// Everything on that only helps.
pub fn switches(view: &View) -> Action {
    let helps = |switch: &Switch| !matches!(switch, Switch::GateLock | Switch::JumpStart);
    let on = view.switchable().iter().filter(helps).fold(Switches::NONE, Switches::with);
    Action::SelectSwitchables(on)
}

fn is_at(view: &View, goal: Goal) -> bool {
    match goal {
        Goal::System(system) => view.board().system_of(view.here()) == Some(system),
        Goal::Space(space) => view.here() == space,
    }
}

pub fn routes_to(traveller: &Traveller<'_>, goal: Goal) -> Routes {
    let terrain = &Terrain::of(traveller);
    match goal {
        Goal::System(system) => Routes::to(traveller, terrain, places(traveller.view(), system)),
        Goal::Space(space) => Routes::to(traveller, terrain, core::iter::once(space)),
    }
}

impl Bot {
    /// The goal of this turn, found anew at its beginning.
    pub(super) fn plan(&mut self, view: &View, seat: Seat) -> Option<Plan> {
        let game = view.game();
        let traveller = Traveller::new(view, seat);
        let market = Market::new(traveller, view, game.money(seat).cash, game.room(seat));
        let plan = plan::best(&market, view.here(), self.goal, &self.taste)?;
        self.note_worth(game.money(seat).worth);
        self.goal = match (self.is_stuck(), self.goal) {
            (false, _) => Some(plan.goal),
            // Nothing has come of good plans for long: wander, and see what the cup has brought elsewhere.
            (true, Some(goal)) if self.chance(4) > 0 && !is_at(view, goal) => Some(goal),
            (true, _) => {
                market.stops.get(self.chance(market.stops.len() as u32) as usize).map(|stop| Goal::System(stop.system))
            }
        };
        Some(plan)
    }

    /// Remembers when the player's worth last grew.
    fn note_worth(&mut self, worth: u32) {
        self.poor_turns = if worth > self.worth { 0 } else { self.poor_turns.saturating_add(1) };
        self.worth = self.worth.max(worth);
    }

    pub(super) fn is_stuck(&self) -> bool {
        self.poor_turns > STUCK
    }

    /// A step, or the end of the move.
    pub(super) fn walk(&mut self, view: &View, seat: Seat) -> Option<Action> {
        let can_stop = view.legal().contains(Verb::EndMove);
        if view.is_first_step() && view.game().roll().is_hidden() {
            let plan = self.plan(view, seat);
            if can_stop && self.should_stay(view, seat, plan) {
                return Some(Action::EndMove);
            }
        }
        let routes = match self.goal {
            Some(goal) => routes_to(&Traveller::new(view, seat), goal),
            None => Routes::NOWHERE,
        };
        let here = view.here();
        if can_stop && routes.from(here) == 0 {
            return Some(Action::EndMove);
        }
        let best = view.steps().iter().min_by_key(|step| self.length(view, &routes, step))?;
        // A way that leads further off is worth less than waiting for a better throw.
        let is_away = routes.from(best.space) > routes.from(here).saturating_add(self.taste.patience);
        if can_stop && is_away && routes.from(here) < FAR {
            return Some(Action::EndMove);
        }
        let target = Target { space: best.space, is_jump: best.is_jump };
        self.named = Some(target);
        Some(Action::SelectDestination(target))
    }

    /// How long the way is that begins with a step; small differences are a matter of taste.
    fn length(&mut self, view: &View, routes: &Routes, step: &Step) -> u32 {
        let unseen = view.board().qbox_at(step.space).is_some_and(|qbox| view.contents(qbox).is_none());
        let curious = if unseen { self.taste.curiosity } else { 0 };
        let way = u32::from(routes.from(step.space)) + 4 * u32::from(step.cost);
        let whim = self.chance(2);
        (way + 8).saturating_sub(curious) * 2 + whim
    }

    /// Of the numbers that lead there, the one that is of use at most of the circles.
    pub(super) fn number(&self, view: &View) -> Option<Action> {
        view.choice().iter().next().map(Action::SelectPilotNumber)
    }

    /// The lowest die again, if the dice forbid the step or are poor.
    pub(super) fn mulligan(&self, view: &View) -> Action {
        let roll = view.game().roll();
        let low = roll.iter().min().unwrap_or(6);
        let is_offered = |target: Target| {
            view.steps().iter().any(|step| step.space == target.space && step.is_jump == target.is_jump)
        };
        let goes = self.named.is_none_or(is_offered);
        if !goes || low <= 2 { Action::Mulligan(low) } else { Action::NoMulligan }
    }

    /// Is another turn here worth more than going on? A player who does not move trades without limit.
    fn should_stay(&self, view: &View, seat: Seat, plan: Option<Plan>) -> bool {
        let here: Space = view.here();
        let Some(culture) = view.game().trader_at(here) else { return false };
        let game = view.game();
        let market = Market::new(Traveller::new(view, seat), view, game.money(seat).cash, game.room(seat));
        let (sold, pieces) = market.cargo_at(culture);
        let cash = market.cash + sold.max(0) as u32;
        let loads = market.stops.iter().filter_map(|stop| stop.culture);
        let bought = loads.map(|buyer| market.load(culture, buyer, cash, market.room + 2 * pieces).0).max();
        let gain = sold + bought.unwrap_or(0);
        let turn = plan.map_or(0, |plan| plan.rate / 100);
        gain > 0 && gain as u32 > turn
    }
}

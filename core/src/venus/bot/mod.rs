//! A player like any other: it looks at a [`View`] and says what it would send.
//!
//! [`Bot::next`] says at most one action and is called again whenever something was received. It never panics, allocates
//! or draws on anything but its view and its seed: the same events give the same game.
//!
//! [`Strength::Random`] does anything that is announced. [`Strength::Plain`] explores, carries goods and fares to where
//! they bring most for the time it takes, and redeems IOUs. [`Strength::Shrewd`] also buys ships and drives when they
//! bring the end nearer, and deeds with what it does not need to trade.

#[cfg(test)]
mod arena;
mod market;
mod plan;
mod random;
mod routes;
mod trade;
mod walk;

use super::pieces::{Phase, Seat, Switches};
use super::rules::{Action, Target, Verb, Verbs};
use super::view::View;
use plan::Goal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    Random,
    Plain,
    Shrewd,
}

/// What a player makes of things that no rule decides.
#[derive(Clone, Copy, Debug)]
struct Taste {
    /// What the first contact with a culture is worth, and what finding one adds while none is known.
    contact: i32,
    explore: i32,
    /// Percent of its price that cargo adds to exploring when no known culture buys it.
    hope: i32,
    relic: i32,
    /// Quarters of a point that a step may lead away before waiting is better.
    patience: u16,
    /// Quarters of a point that an unknown box is worth.
    curiosity: u32,
    /// Buys ships, drives and deeds.
    invests: bool,
    /// Percent of the time to the end that an investment must beat.
    thrift: u32,
    /// Money that stays after a ship or drive, and after a deed.
    working: u32,
    reserve: u32,
}

impl Taste {
    const PLAIN: Self = Self {
        contact: 60,
        explore: 40,
        hope: 40,
        relic: 30,
        patience: 8,
        curiosity: 0,
        invests: false,
        thrift: 100,
        working: 0,
        reserve: 0,
    };
    const SHREWD: Self = Self {
        contact: 80,
        explore: 60,
        hope: 50,
        relic: 60,
        patience: 8,
        curiosity: 2,
        invests: true,
        thrift: 70,
        working: 500,
        reserve: 150,
    };
}

#[derive(Clone, Debug)]
pub struct Bot {
    strength: Strength,
    taste: Taste,
    state: u32,
    goal: Option<Goal>,
    /// The step that was named last.
    named: Option<Target>,
    /// The most that this player was ever worth, and the turns since that grew.
    worth: u32,
    poor_turns: u16,
    /// The question that was answered last: how many states and refusals had been told.
    asked: Option<(u32, u32)>,
    refusals: u32,
    /// Does not wait for more to be announced.
    is_hasty: bool,
}

impl Bot {
    pub const fn new(strength: Strength, seed: u32) -> Self {
        let taste = match strength {
            Strength::Random | Strength::Plain => Taste::PLAIN,
            Strength::Shrewd => Taste::SHREWD,
        };
        Self {
            strength,
            taste,
            state: seed ^ 0x9E37_79B9,
            goal: None,
            named: None,
            worth: 0,
            poor_turns: 0,
            asked: None,
            refusals: 0,
            is_hasty: false,
        }
    }

    pub const fn strength(&self) -> Strength {
        self.strength
    }

    /// What it would do now, if anything: each question is answered once. A refused answer is followed by the one that
    /// can't be refused.
    pub fn next(&mut self, view: &View) -> Option<Action> {
        let question = (view.states(), view.refusals());
        let is_asked = view.legal() != Verbs::NONE && (view.is_told() || self.is_hasty);
        let seat = view.me().filter(|_| is_asked)?;
        self.is_hasty = false;
        if self.asked.replace(question) == Some(question) {
            return None;
        }
        let was_refused = core::mem::replace(&mut self.refusals, view.refusals()) != view.refusals();
        if was_refused {
            return idle(view);
        }
        let action = match self.strength {
            Strength::Random => self.any(view, seat),
            Strength::Plain | Strength::Shrewd => self.best(view, seat),
        };
        action.or_else(|| idle(view))
    }

    fn best(&mut self, view: &View, seat: Seat) -> Option<Action> {
        match view.phase() {
            Phase::TechSelect => Some(walk::switches(view)),
            Phase::SelectMove => self.walk(view, seat),
            Phase::Mulligan => Some(self.mulligan(view)),
            Phase::SelectPilotNumber => self.number(view),
            Phase::TradePhase => self.trade(view, seat),
            Phase::AsteroidPhase => Some(Action::GetRelic),
            Phase::ValidateSetup => Some(Action::LikeOptions),
            Phase::InitialState | Phase::TerminalState => None,
        }
    }

    /// Call it when nothing came for long, and after a reconnection: what was said may be said again.
    pub fn nudge(&mut self) {
        self.asked = None;
        self.is_hasty = true;
    }

    /// A number below `bound`; 0 for a bound of 0.
    fn chance(&mut self, bound: u32) -> u32 {
        // Numerical Recipes' generator: its high bits are good enough to break ties.
        self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.state >> 8).checked_rem(bound).unwrap_or_default()
    }
}

/// What goes on and can't be refused.
fn idle(view: &View) -> Option<Action> {
    let legal = view.legal();
    let first = || {
        let step = view.steps().first()?;
        Some(Action::SelectDestination(Target { space: step.space, is_jump: step.is_jump }))
    };
    match view.phase() {
        Phase::TechSelect => Some(Action::SelectSwitchables(Switches::NONE)),
        Phase::SelectMove if legal.contains(Verb::EndMove) => Some(Action::EndMove),
        Phase::SelectMove => first(),
        Phase::Mulligan => Some(Action::NoMulligan),
        Phase::SelectPilotNumber => view.choice().iter().next().map(Action::SelectPilotNumber),
        Phase::TradePhase | Phase::AsteroidPhase => Some(Action::EndTurn),
        Phase::ValidateSetup => Some(Action::LikeOptions),
        Phase::InitialState | Phase::TerminalState => None,
    }
}

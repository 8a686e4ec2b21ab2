//! The rules of the game: state and actions to events. Knows no byte and no connection.
//!
//! [`Game::apply`] is all or nothing: it checks first, then commits; a refused action leaves the state and the dice as
//! they were. [`Game::legal`] says what LEGALACTION announces: nothing else is ever taken. [`Script`] tells the state
//! to newcomers.
//!
//! What can never happen here: a panic, an allocation, unbounded work.

mod absent;
mod action;
mod audit;
#[cfg(test)]
mod books;
mod cup;
mod event;
mod game;
mod holds;
mod legal;
mod markers;
mod mirror;
mod money;
mod offer;
mod place;
#[cfg(any(test, feature = "testing"))]
mod position;
#[cfg(test)]
mod random_play;
#[cfg(any(test, feature = "testing"))]
mod reasons;
#[cfg(all(test, feature = "postcard"))]
mod saved;
mod script;
mod setup;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trade;
mod travel;
mod turn;

pub use action::{Action, Actor, Reason, Refusal, Target, Verb, Verbs};
pub use event::{Audience, Event, Herald, Money, Order, STEPS, Step, Steps};
pub use game::Game;
pub use markers::MARKERS;
pub use offer::{Offer, Site};
pub use place::{Place, Where};
#[cfg(any(test, feature = "testing"))]
pub use position::Position;
#[cfg(any(test, feature = "testing"))]
pub use reasons::{REASONS, is_listed};
pub use script::Script;
pub use setup::{WIN_MAX, WIN_MIN, WIN_USUAL};

use crate::dice::Dice;

/// What an action needs beside the state.
struct Cx<'a, H> {
    dice: &'a mut Dice,
    out: &'a mut H,
}

type Verdict = Result<(), Refusal>;

/// A rule's no.
const fn no(reason: Reason) -> Verdict {
    Err(Refusal::Rule(reason))
}

impl Game {
    /// All or nothing: a refused action changes neither the state nor the dice.
    pub fn apply<H: Herald>(&mut self, actor: Actor, action: Action, dice: &mut Dice, out: &mut H) -> Verdict {
        if !self.legal(actor).contains(action.verb()) {
            return Err(Refusal::NotLegal);
        }
        let cx = &mut Cx { dice, out };
        match action {
            Action::Join => self.join(cx),
            Action::Unjoin => self.unjoin(cx),
            Action::Options(win) => self.set_options(win, cx),
            Action::ValidateSetup => self.validate_setup(cx),
            Action::LikeOptions => self.like_options(actor, cx),
            Action::DontLikeOptions => self.dislike_options(),
            Action::SelectSwitchables(switches) => self.select_switches(switches, cx),
            Action::SelectDestination(target) => self.select_destination(target, cx),
            Action::EndMove => self.end_move(cx),
            Action::Mulligan(value) => self.mulligan(value, cx),
            Action::NoMulligan => self.no_mulligan(cx),
            Action::SelectPilotNumber(number) => self.select_pilot_number(number, cx),
            Action::Buy(named) => self.buy(named, cx),
            Action::Sell(named) => self.sell(named, cx),
            Action::TradeInShip(named) => self.trade_in_ship(named, cx),
            Action::PickUp(named) => self.pick_up(named, cx),
            Action::DropOff(named) => self.drop_off(named, cx),
            Action::Jettison(named) => self.jettison(named, cx),
            Action::RedeemIou => self.redeem_iou(cx),
            Action::EndTurn => self.end_turn(cx),
            Action::GetRelic => self.get_relic(cx),
            Action::LeaveRelic => self.leave_relic(cx),
        }
    }
}

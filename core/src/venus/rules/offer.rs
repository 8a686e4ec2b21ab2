//! The steps offered, exactly (venus 13.2).

use super::event::{Step, Steps};
use super::{Action, Game, Target};
use crate::bounded;
use crate::venus::pieces::{Colour, Contents, Numbers, Relic, Seat, Space, Switch};

/// What a space is: what the board has, or what a ? box or an orbit port has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    Dot(Colour),
    Penalty(Colour, u8),
    Telegate(u8),
    /// With an owner: a built spaceport.
    Station(Option<Seat>),
    Asteroid(Option<Relic>),
    City,
    SpaceCity,
}

impl From<Contents> for Site {
    fn from(contents: Contents) -> Self {
        match contents {
            Contents::Telegate(number) => Self::Telegate(number),
            Contents::Station(owner) => Self::Station(owner),
            Contents::Penalty(colour, sum) => Self::Penalty(colour, sum),
            Contents::Asteroid(relic) => Self::Asteroid(relic),
        }
    }
}

impl Site {
    /// No player can stay on a dot or a telegate.
    const fn lets_stop(self) -> bool {
        !matches!(self, Self::Dot(_) | Self::Telegate(_))
    }
}

/// Where the current player can go, and whether the player can stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub steps: Steps,
    pub can_stop: bool,
}

impl Offer {
    pub fn find(&self, target: Target) -> Option<Step> {
        self.steps.iter().copied().find(|step| Target { space: step.space, is_jump: step.is_jump } == target)
    }
}

impl Game {
    /// The steps that the current player has now, as the dice are hidden or shown.
    pub fn offer(&self) -> Offer {
        let mut steps = self.walks();
        let mut is_stalled = false;
        self.add_jumps(&mut steps);
        if self.motion.is_shown() {
            self.keep_rolled(&mut steps);
            is_stalled = self.drop_reversals(&mut steps);
        }
        self.charge(&mut steps);
        Offer { steps, can_stop: self.can_stop(is_stalled) }
    }

    /// First: The neighbours in the board's order; between cities only an Air Foil flies.
    fn walks(&self) -> Steps {
        let seat = self.current();
        let flies = self.has(seat, Relic::AirFoil);
        let ways = self.board().ways(self.space(seat)).iter().filter(|way| flies || !way.is_fly());
        bounded::collect(ways.map(|way| Step { space: way.to(), is_jump: false, cost: 1, numbers: way.numbers() }))
    }

    /// Second: On a telegate, or at the first step with Jump Start: each public telegate has its number, and walks have the
    /// others.
    fn add_jumps(&self, steps: &mut Steps) {
        let here = self.space(self.current());
        let switches = self.motion.switches;
        let is_start = switches.contains(Switch::JumpStart) && !self.motion.has_moved;
        let is_gate = matches!(self.site(here), Site::Telegate(_)) && !switches.contains(Switch::GateLock);
        if !is_start && !is_gate {
            return;
        }
        let jumps = |number: u8| self.gate(number).filter(|gate| *gate != here);
        let taken = (1..=6).filter(|number| jumps(*number).is_some()).fold(Numbers::NONE, Numbers::with);
        if taken.is_empty() {
            return;
        }
        if is_start && !self.motion.is_shown() {
            steps.clear();
        }
        let free = Numbers::ALL.without(taken);
        steps.iter_mut().for_each(|step| {
            step.numbers = if step.numbers.is_empty() { free } else { step.numbers.and(free) };
        });
        steps.retain(|step| !step.numbers.is_empty());
        for number in taken.iter() {
            let Some(space) = jumps(number) else { continue };
            // There is room for every walk and six jumps.
            let _ = steps.push(Step { space, is_jump: true, cost: 1, numbers: Numbers::NONE.with(number) });
        }
    }

    /// The telegate of a number, if everybody knows it.
    pub fn gate(&self, number: u8) -> Option<Space> {
        let mut boxes = self.board().qboxes().filter(|qbox| self.box_secrecy(*qbox).is_public());
        boxes.find(|qbox| self.contents(*qbox) == Contents::Telegate(number)).map(|qbox| self.board().qbox_space(qbox))
    }

    /// Third: Of the numbers only the fixed one is left, or those rolled.
    fn keep_rolled(&self, steps: &mut Steps) {
        let usable = match self.fixed_number() {
            0 => self.motion.roll.numbers(),
            number => Numbers::NONE.with(number),
        };
        steps.retain_mut(|step| {
            let mattered = !step.numbers.is_empty();
            step.numbers = step.numbers.and(usable);
            !mattered || !step.numbers.is_empty()
        });
    }

    /// The number that holds for the rest of the turn; 0: none does.
    pub fn fixed_number(&self) -> u8 {
        if self.has(self.current(), Relic::SwitchSwitch) { 0 } else { self.motion.number }
    }

    /// Fourth: A walk that reverses a step of this turn goes. `true` if all steps of some number went.
    fn drop_reversals(&self, steps: &mut Steps) -> bool {
        let all = |steps: &Steps| steps.iter().fold(0, |bits, step| bits | step.numbers.bits());
        let before = all(steps);
        let (board, here) = (self.board(), self.space(self.current()));
        steps.retain(|step| {
            let back = board.way_between(step.space, here).filter(|_| !step.is_jump);
            !back.is_some_and(|way| self.motion.has_walked(way))
        });
        before & !all(steps) != 0
    }

    /// Fifth: What a step costs; one that costs more than is left goes. With the dice hidden there is no limit.
    fn charge(&self, steps: &mut Steps) {
        let points = if self.motion.is_shown() { self.motion.points } else { u8::MAX };
        steps.retain_mut(|step| {
            step.cost = self.cost(step.space);
            step.cost <= points && points > 0
        });
    }

    /// What a step of the current player to a space costs, as far as that player knows the space.
    pub(super) fn cost(&self, to: Space) -> u8 {
        let seat = self.current();
        let is_city = |space| self.site(space) == Site::City;
        if (is_city(self.space(seat)) || is_city(to)) && !self.has(seat, Relic::AirFoil) {
            return 2;
        }
        u8::from(!self.known_colour(seat, to).is_some_and(|colour| self.skips(colour)))
    }

    /// The colour of a dot or penalty, if this player knows that the space is one.
    fn known_colour(&self, seat: Seat, space: Space) -> Option<Colour> {
        let is_known = self.board().qbox_at(space).is_none_or(|qbox| self.box_secrecy(qbox).is_known_to(seat));
        match self.site(space) {
            Site::Dot(colour) | Site::Penalty(colour, _) if is_known => Some(colour),
            _ => None,
        }
    }

    /// Is a drive on that skips this colour?
    fn skips(&self, colour: Colour) -> bool {
        let on = |switch| self.motion.switches.contains(switch);
        match colour {
            Colour::Blue => false,
            Colour::Yellow => on(Switch::YellowDrive) || on(Switch::CombinedDrive),
            Colour::Red => on(Switch::RedDrive) || on(Switch::CombinedDrive),
        }
    }

    /// What the current player would pay for passing or staying here.
    pub fn penalty(&self) -> u8 {
        let seat = self.current();
        match self.site(self.space(seat)) {
            Site::Penalty(colour, sum) if !self.skips(colour) => sum.saturating_sub(self.shield(seat)),
            _ => 0,
        }
    }

    pub(super) fn can_pay_penalty(&self) -> bool {
        u32::from(self.penalty()) <= self.player(self.current()).cash
    }

    /// Last: Staying is allowed before the first step if it can be paid for, where reversals took a number away, and
    /// anywhere but on dots and telegates.
    fn can_stop(&self, is_stalled: bool) -> bool {
        if self.motion.has_moved {
            is_stalled || self.site(self.space(self.current())).lets_stop()
        } else {
            self.can_pay_penalty()
        }
    }

    /// The first step that is offered, as an action.
    pub(super) fn first_step(&self) -> Option<Action> {
        let offer = self.offer();
        let step = offer.steps.first()?;
        Some(Action::SelectDestination(Target { space: step.space, is_jump: step.is_jump }))
    }
}

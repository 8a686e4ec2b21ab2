//! A move, worked out a second time: the dice, each step and those that follow of themselves, penalties, boxes that show
//! themselves, what is learnt, and where it ends. Slowly, on a position, by the text of the protocol.
//!
//! Nothing here asks the rules; what is offered is the second opinion on that.

use parlor_core::dice::{Dice, Stream};
use parlor_core::venus::board::Kind;
use parlor_core::venus::pieces::{Contents, Relic, Seat, Secrecy, Space, Switch};
use parlor_core::venus::rules::Position;

use super::slow_steps::{self, Offered, offered};

/// What the player is asked next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Step,
    Mulligan,
    /// One of these numbers.
    Number(Vec<u8>),
    /// To trade, with so many buys and sells; -1: without end.
    Trade(i8),
    Relic,
    /// The turn is over.
    Nothing,
}

/// What the player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Go { to: Space, is_jump: bool },
    Number(u8),
    Again(u8),
    Keep,
    Stop,
}

/// One step of an offer, read from its text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    to: Space,
    is_jump: bool,
    cost: u32,
    numbers: Vec<u8>,
}

pub struct Move {
    pub position: Position,
    pub asked: Asked,
    /// More ways were walked than a position has room for: nothing is known from here on.
    pub is_lost: bool,
    dice: Dice,
    target: Option<(Space, bool)>,
}

impl Move {
    /// The player is asked for a step in this position; dice fall as these do.
    pub fn new(position: Position, dice: Dice) -> Self {
        Self { position, asked: Asked::Step, is_lost: false, dice, target: None }
    }

    pub fn offered(&self) -> Offered {
        offered(&self.position)
    }

    fn steps(&self) -> Vec<Step> {
        let board = self.position.chart.board();
        let list = self.offered().list;
        let texts = list.split('/').filter(|text| !text.is_empty());
        let steps = texts.map(|text| {
            let fields: Vec<&str> = text.split('!').collect();
            let numbers = fields.get(3).unwrap_or(&"").bytes().map(|digit| digit - b'0').collect();
            let to = board.named(fields[0]).expect("a space of the board");
            Step { to, is_jump: fields[1] == "jump", cost: fields[2].parse().expect("a cost"), numbers }
        });
        steps.collect()
    }

    /// What there is to do, in a fixed order: everything that will be taken.
    pub fn doings(&self) -> Vec<Doing> {
        match &self.asked {
            Asked::Step => {
                let steps = self.steps().into_iter().map(|step| Doing::Go { to: step.to, is_jump: step.is_jump });
                steps.chain(self.offered().can_stop.then_some(Doing::Stop)).collect()
            }
            Asked::Mulligan => self.position.dice.iter().map(|die| Doing::Again(*die)).chain([Doing::Keep]).collect(),
            Asked::Number(numbers) => numbers.iter().map(|number| Doing::Number(*number)).collect(),
            Asked::Trade(_) | Asked::Relic | Asked::Nothing => Vec::new(),
        }
    }

    /// `false`: it is refused, and nothing has changed.
    pub fn act(&mut self, doing: Doing) -> bool {
        if !self.doings().contains(&doing) {
            return false;
        }
        match doing {
            Doing::Go { to, is_jump } => {
                self.target = Some((to, is_jump));
                if self.position.dice.is_empty() {
                    self.roll();
                    if self.has(Relic::MulliganGear) {
                        self.asked = Asked::Mulligan;
                        return true;
                    }
                }
                self.choose();
            }
            Doing::Again(value) => {
                let die = self.die();
                let place = self.position.dice.iter().position(|other| *other == value).expect("it was rolled");
                self.position.dice[place] = die;
                self.count_points();
                self.choose();
            }
            Doing::Keep => self.choose(),
            Doing::Number(number) => {
                let step = self.named().expect("a step that was asked for");
                if self.step(&step, Some(number)) {
                    self.choose();
                }
            }
            Doing::Stop => self.stop(),
        }
        true
    }

    fn has(&self, relic: Relic) -> bool {
        self.position.relics.contains(&relic)
    }

    fn die(&mut self) -> u8 {
        self.dice.below(Stream::Dice, 6) as u8 + 1
    }

    fn roll(&mut self) {
        for nth in 0..self.position.ship.dice() {
            let is_pilot = nth == 0 && self.position.switches.contains(Switch::AutoPilot);
            let die = if is_pilot { 4 } else { self.die() };
            self.position.dice.push(die).expect("four dice at most");
        }
        self.count_points();
    }

    fn count_points(&mut self) {
        self.position.points = self.position.dice.iter().sum();
    }

    /// The step that was named, if it is offered.
    fn named(&self) -> Option<Step> {
        self.steps().into_iter().find(|step| Some((step.to, step.is_jump)) == self.target)
    }

    fn choose(&mut self) {
        // After 32 steps of themselves the player is asked all the same (venus 13.8).
        for _ in 0..32 {
            self.asked = Asked::Step;
            let Some(step) = self.named() else { return };
            if step.numbers.len() > 1 {
                self.asked = Asked::Number(step.numbers);
                return;
            }
            let number = step.numbers.first().copied();
            if !self.step(&step, number) {
                return;
            }
        }
    }

    /// `true`: the next step follows of itself.
    fn step(&mut self, step: &Step, number: Option<u8>) -> bool {
        let from = self.position.space;
        if self.position.has_moved {
            self.position.cash -= self.offered().penalty;
        }
        let mut cost = step.cost;
        if let Some(known) = self.known_box(step.to).filter(|known| !known.is_public()) {
            *known = Secrecy::PUBLIC;
            cost = slow_steps::cost(&self.position, step.to);
        }
        self.position.points -= cost as u8;
        self.position.number = number.unwrap_or(self.position.number);
        if !step.is_jump && !self.position.walked.contains(&(from, step.to)) {
            self.is_lost |= self.position.walked.push((from, step.to)).is_err();
        }
        self.position.has_moved = true;
        self.position.space = step.to;
        self.look();
        self.asked = Asked::Step;
        let (steps, offered) = (self.steps(), self.offered());
        if steps.is_empty() || offered.penalty > self.position.cash {
            self.stop();
            return false;
        }
        match &steps[..] {
            [only] if !offered.can_stop => {
                self.target = Some((only.to, only.is_jump));
                true
            }
            _ => false,
        }
    }

    fn known_box(&mut self, space: Space) -> Option<&mut Secrecy> {
        let qbox = self.position.chart.board().qbox_at(space)?;
        self.position.boxes.iter_mut().find(|(other, ..)| *other == qbox).map(|laid| &mut laid.2)
    }

    fn known_home(&mut self) -> Option<&mut Secrecy> {
        let system = self.position.chart.board().system_of(self.position.space)?;
        self.position.homes.iter_mut().find(|(other, ..)| *other == system).map(|home| &mut home.2)
    }

    /// What the player learns alone.
    fn look(&mut self) {
        let (board, here) = (self.position.chart.board(), self.position.space);
        let spies = self.has(Relic::SpyEye);
        if (spies || board.port_at(here).is_some())
            && let Some(known) = self.known_home().filter(|known| !known.is_public())
        {
            *known = known.with(Seat(0));
        }
        for way in board.ways(here).iter().filter(|_| spies) {
            if let Some(known) = self.known_box(way.to()).filter(|known| !known.is_public()) {
                *known = known.with(Seat(0));
            }
        }
    }

    fn stop(&mut self) {
        let (board, here) = (self.position.chart.board(), self.position.space);
        if !self.position.has_moved {
            self.position.cash -= self.offered().penalty;
        }
        let contents = slow_steps::contents(&self.position, here);
        let is_built = self.position.ports.iter().any(|(port, _)| board.port_space(*port) == here);
        let is_station = is_built || matches!(contents, Some(Contents::Station(_)));
        let is_city = matches!(board.kind(here), Kind::City | Kind::SpaceCity);
        if (is_station || is_city) && self.lives_somebody() {
            if let Some(known) = self.known_home() {
                *known = Secrecy::PUBLIC;
            }
            let is_limited = !is_station && !self.position.dice.is_empty();
            self.asked = Asked::Trade(if is_limited { 1 } else { -1 });
            return;
        }
        self.asked = match contents {
            Some(Contents::Asteroid(Some(_))) => Asked::Relic,
            _ => Asked::Nothing,
        };
    }

    fn lives_somebody(&mut self) -> bool {
        let board = self.position.chart.board();
        board.system_of(self.position.space) == Some(board.base()) || self.known_home().is_some()
    }
}

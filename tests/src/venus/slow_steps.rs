//! The steps offered, worked out a second time: slowly, from the position alone, one candidate for each number.
//!
//! Nothing here asks the rules: the board is all that both have in common.

use std::collections::{BTreeMap, BTreeSet};

use parlor_core::venus::board::Kind;
use parlor_core::venus::pieces::{Colour, Contents, Gear, Relic, Seat, Space, Switch};
use parlor_core::venus::rules::Position;

/// What is offered, as DESTINATION writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    pub list: String,
    pub can_stop: bool,
    pub penalty: u32,
}

/// One way to make a step: a walk or jump to a space, by a number or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    to: Space,
    is_jump: bool,
    number: Option<u8>,
}

struct Slow<'a> {
    position: &'a Position,
}

pub fn offered(position: &Position) -> Offered {
    let slow = Slow { position };
    let (candidates, is_stalled) = slow.candidates();
    Offered { list: slow.list(&candidates), can_stop: slow.can_stop(is_stalled), penalty: slow.penalty() }
}

/// What a step to a space costs, as far as the player knows the space.
pub fn cost(position: &Position, to: Space) -> u32 {
    Slow { position }.cost(to)
}

/// What lies under the box at a space, whoever knows it.
pub fn contents(position: &Position, space: Space) -> Option<Contents> {
    Slow { position }.contents(space)
}

impl Slow<'_> {
    fn contents(&self, space: Space) -> Option<Contents> {
        let qbox = self.position.chart.board().qbox_at(space)?;
        let laid = self.position.boxes.iter().find(|(other, ..)| *other == qbox).expect("every box is laid");
        // A relic that somebody has is not on its asteroid.
        Some(match laid.1 {
            Contents::Asteroid(Some(relic)) if self.position.relics.contains(&relic) => Contents::Asteroid(None),
            contents => contents,
        })
    }

    fn is_known(&self, space: Space, to_all: bool) -> bool {
        let Some(qbox) = self.position.chart.board().qbox_at(space) else { return true };
        let known = self.position.boxes.iter().find(|(other, ..)| *other == qbox).expect("every box is laid").2;
        if to_all { known.is_public() } else { known.is_known_to(Seat(0)) }
    }

    fn is_on(&self, switch: Switch) -> bool {
        self.position.switches.contains(switch)
    }

    fn has(&self, relic: Relic) -> bool {
        self.position.relics.contains(&relic)
    }

    fn gates(&self) -> BTreeMap<u8, Space> {
        let board = self.position.chart.board();
        let public = board.spaces().filter(|space| self.is_known(*space, true));
        let gates = public.filter_map(|space| match self.contents(space) {
            Some(Contents::Telegate(number)) => Some((number, space)),
            _ => None,
        });
        gates.filter(|(_, space)| *space != self.position.space).collect()
    }

    /// Everything that the numbers and the ways walked leave, and whether stopping is a way out.
    fn candidates(&self) -> (Vec<Candidate>, bool) {
        let position = self.position;
        let (board, here) = (position.chart.board(), position.space);
        let is_hidden = position.dice.is_empty();
        let mut all = Vec::new();
        for way in board.ways(here) {
            if way.is_fly() && !self.has(Relic::AirFoil) {
                continue;
            }
            let numbers: Vec<Option<u8>> = match way.numbers().is_empty() {
                true => vec![None],
                false => way.numbers().iter().map(Some).collect(),
            };
            all.extend(numbers.into_iter().map(|number| Candidate { to: way.to(), is_jump: false, number }));
        }
        let is_gate = matches!(self.contents(here), Some(Contents::Telegate(_))) && !self.is_on(Switch::GateLock);
        let is_start = self.is_on(Switch::JumpStart) && !position.has_moved;
        let gates = self.gates();
        if (is_gate || is_start) && !gates.is_empty() {
            let free: Vec<u8> = (1..=6).filter(|number| !gates.contains_key(number)).collect();
            let walks = all.iter().flat_map(|one| {
                let numbers = free.iter().filter(move |number| one.number.is_none_or(|own| own == **number));
                numbers.map(move |number| Candidate { number: Some(*number), ..*one })
            });
            let mut both: Vec<Candidate> = if is_start && is_hidden { Vec::new() } else { walks.collect() };
            both.extend(gates.iter().map(|(number, to)| Candidate { to: *to, is_jump: true, number: Some(*number) }));
            all = both;
        }
        if is_hidden {
            return (all, false);
        }
        let is_free = position.number == 0 || self.has(Relic::SwitchSwitch);
        let usable = |number: u8| if is_free { position.dice.contains(&number) } else { number == position.number };
        all.retain(|one| one.number.is_none_or(usable));
        let before: BTreeSet<u8> = all.iter().filter_map(|one| one.number).collect();
        all.retain(|one| one.is_jump || !position.walked.contains(&(one.to, here)));
        let after: BTreeSet<u8> = all.iter().filter_map(|one| one.number).collect();
        (all, before != after)
    }

    fn cost(&self, to: Space) -> u32 {
        let board = self.position.chart.board();
        let touches_city = [self.position.space, to].iter().any(|space| board.kind(*space) == Kind::City);
        if touches_city && !self.has(Relic::AirFoil) {
            return 2;
        }
        let built = self.position.ports.iter().any(|(port, _)| board.port_space(*port) == to);
        let colour = match (board.kind(to), self.contents(to)) {
            (Kind::Dot(colour) | Kind::Penalty(colour, _), _) if !built => Some(colour),
            (_, Some(Contents::Penalty(colour, _))) if self.is_known(to, false) => Some(colour),
            _ => None,
        };
        match colour.is_some_and(|colour| self.skips(colour)) {
            true => 0,
            false => 1,
        }
    }

    fn skips(&self, colour: Colour) -> bool {
        let own = match colour {
            Colour::Blue => return false,
            Colour::Yellow => Switch::YellowDrive,
            Colour::Red => Switch::RedDrive,
        };
        self.is_on(own) || self.is_on(Switch::CombinedDrive)
    }

    fn list(&self, candidates: &[Candidate]) -> String {
        let board = self.position.chart.board();
        let mut steps: Vec<(Space, bool, BTreeSet<u8>)> = Vec::new();
        for one in candidates {
            let known = steps.iter().position(|(to, is_jump, _)| (*to, *is_jump) == (one.to, one.is_jump));
            let at = known.unwrap_or_else(|| {
                steps.push((one.to, one.is_jump, BTreeSet::new()));
                steps.len() - 1
            });
            steps[at].2.extend(one.number);
        }
        let points = u32::from(self.position.points);
        let is_hidden = self.position.dice.is_empty();
        let texts = steps.iter().filter_map(|(to, is_jump, numbers)| {
            let cost = self.cost(*to);
            let kind = if *is_jump { "jump" } else { "walk" };
            let digits: String = numbers.iter().map(|number| number.to_string()).collect();
            let tail = if digits.is_empty() { String::new() } else { format!("!{digits}") };
            let is_near = is_hidden || (cost <= points && points > 0);
            is_near.then(|| format!("{}!{kind}!{cost}{tail}", board.name(*to)))
        });
        texts.collect::<Vec<_>>().join("/")
    }

    fn penalty(&self) -> u32 {
        let here = self.position.space;
        let (colour, sum) = match (self.position.chart.board().kind(here), self.contents(here)) {
            (Kind::Penalty(colour, sum), _) | (_, Some(Contents::Penalty(colour, sum))) => (colour, u32::from(sum)),
            _ => return 0,
        };
        let bought = self.position.gear.iter().filter(|gear| **gear == Gear::Shield).count();
        let shields = bought + usize::from(self.has(Relic::Shield));
        if self.skips(colour) { 0 } else { sum.saturating_sub(20 * shields as u32) }
    }

    fn can_stop(&self, is_stalled: bool) -> bool {
        let position = self.position;
        let (board, here) = (position.chart.board(), position.space);
        if !position.has_moved {
            return self.penalty() <= position.cash;
        }
        let is_station = position.ports.iter().any(|(port, _)| board.port_space(*port) == here);
        let is_dot = matches!(board.kind(here), Kind::Dot(_)) && !is_station;
        let is_gate = matches!(self.contents(here), Some(Contents::Telegate(_)));
        is_stalled || (!is_dot && !is_gate)
    }
}

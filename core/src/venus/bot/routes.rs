//! How far it is from anywhere to a goal, as one player knows the board.
//!
//! Distances are in quarters of a movement point. What a step may cost beside points is part of them: a penalty as what
//! it takes from the purse, a navigation circle as the wait for its number.

use heapless::Vec;

use crate::bounded;
use crate::venus::board::{Kind, Way};
use crate::venus::pieces::{Colour, Relic, Seat, Space, Switch, Switches};
use crate::venus::rules::Site;
use crate::venus::view::View;

/// Spaces of the largest board.
const SPACES: usize = 268;
pub const FAR: u16 = u16::MAX / 2;
const POINT: u16 = 4;
/// An unknown box may turn out to be anything.
const UNKNOWN: u16 = 6;

/// The distance from every space to one goal.
pub struct Routes {
    to_goal: [u16; SPACES],
}

/// What entering each space takes, and where the telegates are: looked up once for all distances of one moment.
pub struct Terrain {
    entry: [u16; SPACES],
    gates: Vec<Space, 6>,
}

impl Terrain {
    pub fn of(traveller: &Traveller<'_>) -> Self {
        let gates = bounded::collect((1..=6).filter_map(|number| traveller.view.game().gate(number)));
        Self { entry: core::array::from_fn(|space| traveller.entry(Space(space as u16))), gates }
    }

    fn entry(&self, space: Space) -> u16 {
        self.entry.get(space.index()).copied().unwrap_or(FAR)
    }
}

/// The traveller: what decides how far things are.
#[derive(Clone, Copy)]
pub struct Traveller<'v> {
    view: &'v View,
    seat: Seat,
    drives: Switches,
    dice: u8,
    flies: bool,
    shield: u16,
}

impl<'v> Traveller<'v> {
    /// With all drives on that the player owns.
    pub fn new(view: &'v View, seat: Seat) -> Self {
        let game = view.game();
        let shields = game.gear(seat, crate::venus::pieces::Gear::Shield) + u8::from(game.has(seat, Relic::Shield));
        Self {
            view,
            seat,
            drives: game.owned_switches(seat),
            dice: game.ship(seat).dice(),
            flies: game.has(seat, Relic::AirFoil),
            shield: 20 * u16::from(shields),
        }
    }

    pub fn with_dice(self, dice: u8) -> Self {
        Self { dice, ..self }
    }

    pub fn with_drive(self, drive: Switch) -> Self {
        Self { drives: self.drives.with(drive), ..self }
    }

    /// Quarters of a point that a turn brings: 3.5 a die.
    pub fn pace(&self) -> u32 {
        u32::from(self.dice) * 14
    }

    fn skips(&self, colour: Colour) -> bool {
        let on = |switch| self.drives.contains(switch);
        match colour {
            Colour::Blue => false,
            Colour::Yellow => on(Switch::YellowDrive) || on(Switch::CombinedDrive),
            Colour::Red => on(Switch::RedDrive) || on(Switch::CombinedDrive),
        }
    }

    /// What entering a space takes, and passing on from it.
    fn entry(&self, space: Space) -> u16 {
        let game = self.view.game();
        let qbox = game.board().qbox_at(space);
        if qbox.is_some_and(|qbox| self.view.contents(qbox).is_none()) {
            return UNKNOWN;
        }
        match game.site(space) {
            Site::Dot(colour) if self.skips(colour) => 1,
            Site::Penalty(colour, _) if self.skips(colour) => 1,
            Site::Penalty(_, sum) => POINT + u16::from(sum).saturating_sub(self.shield),
            _ => POINT,
        }
    }

    /// What one way takes.
    fn cost(&self, terrain: &Terrain, from: Space, way: Way) -> u16 {
        let board = self.view.board();
        let is_city = |space| board.kind(space) == Kind::City;
        let walk = match (is_city(from) || is_city(way.to())) && !self.flies {
            true => 2 * POINT,
            false => terrain.entry(way.to()),
        };
        walk + if way.numbers().is_empty() { 0 } else { self.wait(way.numbers().count()) }
    }

    /// How long one waits for any of so many numbers, in quarters of a point.
    fn wait(&self, numbers: u32) -> u16 {
        // Three points are lost each time that no die shows one: (1 - p) / p times, p by the count of dice.
        match (self.dice, numbers) {
            (_, 5..) => 0,
            (..=2, 1) => 27,
            (..=2, 2) => 10,
            (..=2, 3) => 4,
            (..=2, _) => 1,
            (3, 1) => 16,
            (3, 2) => 5,
            (3, 3) => 2,
            (3, _) => 1,
            (_, 1) => 11,
            (_, 2) => 3,
            (_, 3) => 1,
            (_, _) => 0,
        }
    }
}

/// A queue of spaces, each at most once.
struct Queue {
    ring: [u16; 512],
    first: usize,
    count: usize,
    waits: [bool; SPACES],
}

impl Queue {
    fn push(&mut self, space: Space) {
        let Some(waits) = self.waits.get_mut(space.index()).filter(|waits| !**waits) else { return };
        *waits = true;
        let at = (self.first + self.count) % self.ring.len();
        if let Some(place) = self.ring.get_mut(at) {
            *place = space.0;
            self.count += 1;
        }
    }

    fn pop(&mut self) -> Option<Space> {
        self.count = self.count.checked_sub(1)?;
        let space = self.ring.get(self.first).copied().map(Space)?;
        self.first = (self.first + 1) % self.ring.len();
        if let Some(waits) = self.waits.get_mut(space.index()) {
            *waits = false;
        }
        Some(space)
    }
}

impl Routes {
    pub const NOWHERE: Self = Self { to_goal: [FAR; SPACES] };

    /// To the nearest of some goals.
    pub fn to(traveller: &Traveller<'_>, terrain: &Terrain, goals: impl Iterator<Item = Space>) -> Self {
        let mut routes = Self::NOWHERE;
        let mut queue = Queue { ring: [0; 512], first: 0, count: 0, waits: [false; SPACES] };
        for goal in goals {
            routes.improve(goal, 0, &mut queue);
        }
        let board = traveller.view.board();
        while let Some(space) = queue.pop() {
            let so_far = routes.from(space);
            for back in board.ways(space) {
                let way = board.ways(back.to()).iter().find(|way| way.to() == space);
                let Some(way) = way.filter(|way| traveller.flies || !way.is_fly()) else { continue };
                routes.improve(back.to(), so_far.saturating_add(traveller.cost(terrain, back.to(), *way)), &mut queue);
            }
            if terrain.gates.contains(&space) {
                let jump = so_far.saturating_add(POINT + traveller.wait(1));
                let others = terrain.gates.iter().filter(|gate| **gate != space);
                others.for_each(|gate| routes.improve(*gate, jump, &mut queue));
            }
        }
        routes
    }

    fn improve(&mut self, space: Space, distance: u16, queue: &mut Queue) {
        if let Some(known) = self.to_goal.get_mut(space.index()).filter(|known| distance < **known) {
            *known = distance;
            queue.push(space);
        }
    }

    pub fn from(&self, space: Space) -> u16 {
        self.to_goal.get(space.index()).copied().unwrap_or(FAR)
    }
}

impl<'v> Traveller<'v> {
    pub fn view(&self) -> &'v View {
        self.view
    }
    pub fn seat(&self) -> Seat {
        self.seat
    }
}

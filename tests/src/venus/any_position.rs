//! Positions at random, with more telegates, relics and ways walked near by than play would bring.

use parlor_core::dice::{Dice, Stream};
use parlor_core::venus::board::{Chart, Kind, Lives};
use parlor_core::venus::pieces::{
    Contents, Culture, Gear, QBOXES, Relic, Seat, Secrecy, Ship, Space, Switch, Switches,
};
use parlor_core::venus::rules::{MARKERS, Position};

/// How many positions to look at: VENUS_POSITIONS, or so few.
pub fn positions(few: u32) -> u32 {
    std::env::var("VENUS_POSITIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(few)
}

/// A generator of its own: the same positions every time.
pub struct Chance(Dice);

impl Chance {
    pub fn new(seed: u8) -> Self {
        let mut dice = Dice::new();
        dice.begin(&[seed; 32]);
        Self(dice)
    }
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(Stream::Dice, bound as u32) as usize
    }
    pub fn is_one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

/// Any position in which the first player is asked for a step.
pub fn any_position(chance: &mut Chance) -> Position {
    let mut position = Position::new(if chance.is_one_in(2) { Chart::Pocket } else { Chart::Galaxy });
    let board = position.chart.board();
    let mut markers: Vec<Contents> = MARKERS.to_vec();
    for qbox in board.qboxes().take(QBOXES) {
        // Telegates, which stand first, are taken often.
        let nth = if chance.is_one_in(3) { 0 } else { chance.below(markers.len()) };
        let known = [Secrecy::PUBLIC, Secrecy::PUBLIC, Secrecy::NOBODY.with(Seat(0)), Secrecy::NOBODY][chance.below(4)];
        position.boxes.push((qbox, markers.remove(nth), known)).unwrap();
    }
    let spaces: Vec<Space> = board.spaces().collect();
    position.space = spaces[chance.below(spaces.len())];
    if chance.is_one_in(2) {
        // Circles, boxes and cities are where the rules differ.
        let special = |space: &Space| board.is_circle(*space) || matches!(board.kind(*space), Kind::Qbox | Kind::City);
        let special: Vec<Space> = board.spaces().filter(special).collect();
        position.space = special[chance.below(special.len())];
    }
    if let Some(qbox) = board.qbox_at(position.space) {
        position.boxes.iter_mut().filter(|(other, ..)| *other == qbox).for_each(|laid| laid.2 = Secrecy::PUBLIC);
    }
    position.ship = Ship::ALL[chance.below(4)];
    position.cash = chance.below(60) as u32;
    position.relics = Relic::ALL.iter().copied().filter(|_| chance.is_one_in(3)).collect();
    position.gear = (0..chance.below(4)).map(|_| Gear::ALL[chance.below(6)]).collect();
    for port in board.ports() {
        if chance.is_one_in(5) {
            position.ports.push((port, Seat(1))).unwrap();
        }
    }
    lay_homes(&mut position, chance);
    let owned = position.game().owned_switches(Seat(0));
    let on = owned.iter().filter(|_| chance.is_one_in(2)).collect::<Vec<Switch>>();
    position.switches = on.into_iter().fold(Switches::NONE, Switches::with);
    if chance.is_one_in(4) {
        return position;
    }
    position.dice = (0..position.ship.dice()).map(|_| chance.below(6) as u8 + 1).collect();
    position.points = chance.below(8) as u8;
    position.has_moved = !chance.is_one_in(3);
    if position.has_moved {
        if chance.is_one_in(2) {
            position.number = position.dice[chance.below(position.dice.len())];
        }
        for way in board.ways(position.space) {
            if chance.is_one_in(3) {
                position.walked.push((way.to(), position.space)).unwrap();
            }
            if chance.is_one_in(6) {
                position.walked.push((position.space, way.to())).unwrap();
            }
        }
    }
    position
}

/// A culture for every system where one can live. Where somebody has built, everybody knows it.
fn lay_homes(position: &mut Position, chance: &mut Chance) {
    let board = position.chart.board();
    let mut cultures: Vec<Culture> = Culture::peoples().collect();
    for system in board.systems().filter(|system| board.lives(*system) == Lives::Culture) {
        let culture = cultures.remove(chance.below(cultures.len()));
        let mut built = position.ports.iter().map(|(port, _)| board.system_of(board.port_space(*port)));
        let known = match built.any(|of| of == Some(system)) {
            true => Secrecy::PUBLIC,
            false => [Secrecy::PUBLIC, Secrecy::NOBODY.with(Seat(1)), Secrecy::NOBODY][chance.below(3)],
        };
        position.homes.push((system, culture, known)).unwrap();
    }
}

//! Positions laid out by hand: for tests of the rules, here and outside. Behind the feature `testing`.

use heapless::Vec;

use super::game::{Game, Motion};
use super::markers::MARKERS;
use super::place::Where;
use super::setup::WIN_USUAL;
use crate::dice::Dice;
use crate::venus::board::Chart;
use crate::venus::pieces::{
    Age, Contents, Culture, Gear, Phase, Port, Qbox, Relic, Roll, Seat, Secrecy, Ship, Space, Switches, System, Token,
};

/// Two players; seat 0 is on the move. What is not said is as at the start of a game with this seed.
#[derive(Clone, Debug)]
pub struct Position {
    pub chart: Chart,
    pub seed: u8,
    pub space: Space,
    pub ship: Ship,
    pub cash: u32,
    pub race: Culture,
    pub relics: Vec<Relic, { Relic::COUNT }>,
    pub gear: Vec<Gear, 16>,
    pub switches: Switches,
    /// Markers in their boxes, and the seats that know them.
    pub boxes: Vec<(Qbox, Contents, Secrecy), 24>,
    /// Which culture lives where, and the seats that know it.
    pub homes: Vec<(System, Culture, Secrecy), 14>,
    /// Built spaceports.
    pub ports: Vec<(Port, Seat), 25>,
    /// The dice as they lie; hidden ones, if there are none.
    pub dice: Vec<u8, 4>,
    pub points: u8,
    /// The number used last.
    pub number: u8,
    pub has_moved: bool,
    /// Ways walked in this turn.
    pub walked: Vec<(Space, Space), 32>,
}

impl Position {
    pub fn new(chart: Chart) -> Self {
        Self {
            chart,
            seed: 0,
            space: chart.board().base_space(),
            ship: Ship::Scout,
            cash: 40,
            race: Culture::C3,
            relics: Vec::new(),
            gear: Vec::new(),
            switches: Switches::NONE,
            boxes: Vec::new(),
            homes: Vec::new(),
            ports: Vec::new(),
            dice: Vec::new(),
            points: 0,
            number: 0,
            has_moved: false,
            walked: Vec::new(),
        }
    }

    /// A game that waits for the first player's step.
    pub fn game(&self) -> Game {
        let mut game = Game::new();
        game.begin(self.chart, true);
        game.seats = 2;
        game.win = WIN_USUAL as u16;
        let mut dice = Dice::new();
        dice.begin(&[self.seed; 32]);
        game.deal_all(&mut dice);
        game.order = core::array::from_fn(|n| Seat(n as u8));
        self.lay_boxes(&mut game);
        self.lay_homes(&mut game);
        self.lay_player(&mut game);
        for (port, seat) in &self.ports {
            game.put(Token::PortDeed(*port), Where::Player(*seat, Age::Old));
        }
        self.lay_motion(&mut game);
        game
    }

    /// A marker that is named changes places with the one that lies there.
    fn lay_boxes(&self, game: &mut Game) {
        for (qbox, contents, known) in &self.boxes {
            let is_free = |marker: &usize| {
                let mut others = self.boxes.iter().take_while(|(other, ..)| other != qbox);
                !others.any(|(other, ..)| game.boxes.get(other.index()) == Some(&(*marker as u8)))
            };
            let mut fitting = (0..MARKERS.len()).filter(|marker| MARKERS.get(*marker) == Some(contents));
            let Some(marker) = fitting.find(is_free).map(|marker| marker as u8) else { continue };
            let old = game.boxes.get(qbox.index()).copied().unwrap_or_default();
            if let Some(other) = game.boxes.iter_mut().find(|other| **other == marker) {
                *other = old;
            }
            if let Some(place) = game.boxes.get_mut(qbox.index()) {
                *place = marker;
            }
            if let Some(place) = game.boxes_known.get_mut(qbox.index()) {
                *place = *known;
            }
        }
    }

    fn lay_homes(&self, game: &mut Game) {
        for (system, culture, known) in &self.homes {
            let home = *culture as u8 + 1;
            let old = game.homes.get(system.index()).copied().unwrap_or_default();
            if let Some(other) = game.homes.iter_mut().find(|other| **other == home) {
                *other = old;
            }
            if let Some(place) = game.homes.get_mut(system.index()) {
                *place = home;
            }
            game.know_home(*system, *known);
        }
    }

    fn lay_player(&self, game: &mut Game) {
        for relic in &self.relics {
            game.put(Token::Relic(*relic), Where::Player(Seat(0), Age::Old));
        }
        self.gear.iter().for_each(|gear| game.give(Token::Gear(*gear), Age::Old));
        let player = game.mover();
        (player.space, player.ship, player.cash, player.race) = (self.space, self.ship, self.cash, self.race);
    }

    fn lay_motion(&self, game: &mut Game) {
        game.motion = Motion::NONE;
        game.motion.switches = self.switches;
        game.motion.roll =
            if self.dice.is_empty() { Roll::hidden(self.ship.dice()) } else { Roll::of(self.dice.clone()) };
        (game.motion.points, game.motion.number) = (self.points, self.number);
        game.motion.has_moved = self.has_moved;
        for (from, to) in &self.walked {
            if let Some(way) = game.board().way_between(*from, *to) {
                game.motion.mark(way);
            }
        }
        game.phase = Phase::SelectMove;
    }
}

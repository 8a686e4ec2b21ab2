//! The state as one person knows it, from what that person is told and nothing else.
//!
//! A mirror is a [`Game`] whose unknown parts are blank: a culture whose home was never told has none, a box that was
//! never told is a bare asteroid, and the cup is whatever is left over. It answers the same questions; it is not played.

use super::event::Event;
use super::game::{Game, Motion};
use super::markers::MARKERS;
use super::place::{Place, Where};
use crate::venus::board::Chart;
use crate::venus::pieces::{Age, Contents, Culture, Phase, QBOXES, Qbox, Seat, Secrecy, Token};

/// A box of which nothing was told.
const BLANK: u8 = u8::MAX;

impl Game {
    /// A mirror that was told nothing.
    pub const fn blank(chart: Chart) -> Self {
        let mut game = Self::new();
        game.chart = chart;
        game.boxes = [BLANK; QBOXES];
        game
    }

    /// The state that NEWSTATE names.
    pub fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// Learns from an event, from any source: what makes no sense changes little and breaks nothing.
    pub fn hear(&mut self, event: &Event<'_>) {
        match *event {
            Event::Reset => *self = Self::blank(self.chart),
            Event::Player(seat) => self.seats = self.seats.max(seat.0.saturating_add(1)).min(self.order.len() as u8),
            Event::Options { win } => self.win = u16::try_from(win).unwrap_or(u16::MAX),
            Event::PlayerOkStartup(seat, likes) => self.hear_like(seat, likes),
            Event::TurnOrder(ref order) => {
                for (place, seat) in self.order.iter_mut().zip(order) {
                    *place = *seat;
                }
            }
            Event::CurPlayer(seat) => {
                self.turn = self.order.iter().position(|other| *other == seat).unwrap_or_default() as u8;
                self.motion = Motion::NONE;
            }
            Event::AddToTradeBase { culture, token, .. } => {
                self.weapons |= token.is_weapon();
                self.set_up(token, culture);
            }
            Event::SubtractFromTradeBase(culture, token) => self.hear_taken(culture, token),
            Event::AddToPlayer(seat, token, age) => self.hear_held(seat, token, age, true),
            Event::SubtractFromPlayer(seat, token, age) => self.hear_held(seat, token, age, false),
            Event::AgePlayer(seat) => self.grow_old(seat),
            Event::SolarSystemPrivacy(system, known) => self.know_home(system, known),
            Event::BaseLocation(system, culture) => {
                if let Some(home) = self.homes.get_mut(system.index()) {
                    *home = culture as u8 + 1;
                }
            }
            Event::QboxPrivacy(space, known) => {
                let qbox = self.board().qbox_at(space);
                if let Some(place) = qbox.and_then(|qbox| self.boxes_known.get_mut(qbox.index())) {
                    *place = known;
                }
            }
            Event::QboxContents(space, contents) => {
                if let Some(qbox) = self.board().qbox_at(space) {
                    self.hear_contents(qbox, contents);
                }
            }
            _ => {
                self.hear_player(event);
                self.hear_motion(event);
            }
        }
    }

    fn hear_like(&mut self, seat: Seat, likes: bool) {
        let bit = 1u8.checked_shl(u32::from(seat.0)).unwrap_or_default();
        self.liked = if likes { self.liked | bit } else { self.liked & !bit };
    }

    fn hear_player(&mut self, event: &Event<'_>) {
        let (Event::PlayerMoney(seat, _) | Event::PlayerRace(seat, _) | Event::PlayerLocation(seat, _)) = *event else {
            return;
        };
        let is_mover = seat == self.current();
        let is_moving = matches!(self.phase, Phase::SelectMove | Phase::Mulligan | Phase::SelectPilotNumber);
        let is_shown = self.motion.is_shown();
        let size = self.board().size();
        let Some(player) = self.players.get_mut(seat.index()) else { return };
        match *event {
            Event::PlayerMoney(_, money) => (player.cash, player.barter) = (money.cash, money.barter),
            Event::PlayerRace(_, race) => player.race = race,
            Event::PlayerLocation(_, space) if space.index() < size => {
                player.space = space;
                // A location that a refresh tells comes before the dice do.
                self.motion.has_moved |= is_mover && is_moving && is_shown;
            }
            _ => {}
        }
    }

    fn hear_motion(&mut self, event: &Event<'_>) {
        match *event {
            Event::RemainingTransCount { buys, sells, .. } => (self.motion.buys, self.motion.sells) = (buys, sells),
            Event::SelectedSwitchables(_, switches) => self.motion.switches = switches,
            Event::Dice(roll) => self.motion.roll = roll,
            Event::MpLeft(points) => self.motion.points = points,
            Event::PilotNumberChosen { number, .. } => self.motion.number = number,
            _ => {}
        }
    }

    /// A culture has one less. A single token is with a player by then, or soon will be.
    fn hear_taken(&mut self, culture: Culture, token: Token) {
        self.take_down(token);
        if self.place(token).is_some_and(|place| place.get() == Where::Base(culture)) {
            self.put(token, Where::Hidden);
        }
    }

    fn hear_held(&mut self, seat: Seat, token: Token, age: Age, comes: bool) {
        let Some(player) = self.players.get_mut(seat.index()) else { return };
        let pair = match token {
            Token::Ship(ship) => {
                player.ship = if comes { ship } else { player.ship };
                return;
            }
            Token::Gear(gear) => player.gear.get_mut(gear.index()),
            Token::Good(culture) => player.goods.get_mut(culture.index()),
            _ if comes => return self.put(token, Where::Player(seat, age)),
            _ if self.place(token).and_then(Place::owner) == Some(seat) => return self.put(token, Where::Gone),
            _ => return,
        };
        match pair {
            Some(pair) if comes => pair.add(age),
            Some(pair) => drop(pair.take(age)),
            None => {}
        }
    }

    /// A marker of these contents that no other box has. A relic that is gone leaves the marker that was told before.
    fn hear_contents(&mut self, qbox: Qbox, contents: Contents) {
        if self.contents(qbox) == contents {
            return;
        }
        let is_free = |marker: &usize| !self.boxes.contains(&(*marker as u8));
        let mut fitting = (0..MARKERS.len()).filter(|marker| MARKERS.get(*marker) == Some(&contents));
        let marker = fitting.find(is_free).map_or(BLANK, |marker| marker as u8);
        if let Contents::Asteroid(Some(relic)) = contents {
            self.put(Token::Relic(relic), Where::Hidden);
        }
        if let Some(place) = self.boxes.get_mut(qbox.index()) {
            *place = marker;
        }
    }

    /// What lies under a box, if this person may know it.
    pub fn contents_for(&self, viewer: Option<Seat>, qbox: Qbox) -> Option<Contents> {
        let known = self.box_secrecy(qbox);
        let may_know = known == Secrecy::PUBLIC || viewer.is_some_and(|seat| known.is_known_to(seat));
        may_know.then(|| self.contents(qbox))
    }
}

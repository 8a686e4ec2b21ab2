//! The books of a listener to every event: what was told adds up to what is there.

use std::collections::BTreeMap;
use std::vec::Vec;

use super::*;
use crate::venus::pieces::*;

/// What a listener in the room knows from what was told to all and to each seat.
#[derive(Default)]
pub struct Books {
    money: BTreeMap<u8, Money>,
    holds: BTreeMap<(u8, usize, Age), u32>,
    bases: BTreeMap<(usize, usize), u32>,
    at: BTreeMap<u8, Space>,
    /// The seats that may know a system's culture, and those that were told it.
    homes: BTreeMap<u8, Secrecy>,
    boxes: BTreeMap<u16, Secrecy>,
    told_homes: BTreeMap<(u8, u8), Culture>,
    told_boxes: BTreeMap<(u8, u16), Contents>,
    order: Vec<Seat>,
    seats: u8,
    pub events: u64,
    /// Factories that were built.
    factories: u32,
    /// What the last action did to purses and places, in order.
    pub trail: Vec<Mark>,
}

/// A mark that an action left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Paid(Seat, Money),
    Went(Space),
}

impl Books {
    fn hears(&self, to: Audience) -> Vec<u8> {
        match to {
            Audience::Room => (0..self.seats).collect(),
            Audience::Seat(seat) => Vec::from([seat.0]),
            Audience::Actor => Vec::new(),
        }
    }
}

impl Herald for Books {
    fn tell(&mut self, to: Audience, event: Event<'_>) {
        self.events += 1;
        let hears = self.hears(to);
        match event {
            Event::Started(game) => {
                self.seats = game.seat_count();
                let mut script = Script::start();
                while let Some(event) = script.next(game) {
                    self.tell(Audience::Room, event);
                }
            }
            Event::TurnOrder(order) => self.order = order.to_vec(),
            Event::PlayerMoney(seat, money) => {
                self.money.insert(seat.0, money);
                self.trail.push(Mark::Paid(seat, money));
            }
            Event::PlayerLocation(seat, space) => {
                self.at.insert(seat.0, space);
                self.trail.push(Mark::Went(space));
            }
            Event::FactoryOwner(..) => self.factories += 1,
            Event::AddToPlayer(seat, token, age) => {
                *self.holds.entry((seat.0, token.index(), age)).or_default() += 1;
            }
            Event::SubtractFromPlayer(seat, token, age) => {
                let count = self.holds.get_mut(&(seat.0, token.index(), age)).expect("held");
                *count = count.checked_sub(1).expect("more taken than held");
            }
            Event::AgePlayer(seat) => {
                for token in 0..Token::COUNT {
                    let count = self.holds.remove(&(seat.0, token, Age::New)).unwrap_or(0);
                    *self.holds.entry((seat.0, token, Age::Old)).or_default() += count;
                }
            }
            Event::AddToTradeBase { culture, token, .. } => {
                *self.bases.entry((culture.index(), token.index())).or_default() += 1;
            }
            Event::SubtractFromTradeBase(culture, token) => {
                let count = self.bases.get_mut(&(culture.index(), token.index())).expect("at the base");
                *count = count.checked_sub(1).expect("more taken than there");
            }
            Event::SolarSystemPrivacy(system, secrecy) => {
                self.homes.insert(system.0, secrecy);
            }
            Event::BaseLocation(system, culture) => {
                hears.iter().for_each(|seat| {
                    self.told_homes.insert((*seat, system.0), culture);
                });
            }
            Event::QboxPrivacy(space, secrecy) => {
                self.boxes.insert(space.0, secrecy);
            }
            Event::QboxContents(space, contents) => {
                hears.iter().for_each(|seat| {
                    self.told_boxes.insert((*seat, space.0), contents);
                });
            }
            _ => {}
        }
    }
}

impl Books {
    /// What was told is what is there, and seats were told all that they know.
    pub fn check(&self, game: &Game) {
        self.check_for(game, &game.seats().collect::<Vec<_>>());
        self.check_count();
    }

    /// Of the 136 tokens that can be in the cup 48 are there, so 88 stand at bases, lie in holds, or wait for their factory.
    fn check_count(&self) {
        let of_cup = |token: &usize| {
            let token = Token::at(*token).expect("a token");
            matches!(token, Token::Good(_) | Token::FactoryGood(_) | Token::Demand(_) | Token::Fare(_))
        };
        let stands: u32 = self.bases.iter().filter(|((_, token), _)| of_cup(token)).map(|(_, count)| count).sum();
        let held: u32 = self.holds.iter().filter(|((_, token, _), _)| of_cup(token)).map(|(_, count)| count).sum();
        assert_eq!(stands + held + PEOPLES as u32 - self.factories + 48, 136);
    }

    /// The same, of what these seats alone know.
    fn check_for(&self, game: &Game, knowing: &[Seat]) {
        for seat in game.seats() {
            assert_eq!(self.money.get(&seat.0), Some(&game.money(seat)));
            assert_eq!(self.at.get(&seat.0), Some(&game.space(seat)));
            for token in Token::all() {
                for age in [Age::Old, Age::New] {
                    let told = self.holds.get(&(seat.0, token.index(), age)).copied().unwrap_or(0);
                    assert_eq!(told, u32::from(game.held(seat, token, age)), "{seat:?} {token:?} {age:?}");
                }
            }
        }
        for seat in knowing {
            for system in game.board().systems() {
                let knows = game.home_secrecy(system).is_known_to(*seat);
                let told = self.told_homes.get(&(seat.0, system.0)).copied();
                assert_eq!(told, game.home(system).filter(|_| knows), "{system:?}");
            }
            for qbox in game.board().qboxes() {
                let space = game.board().qbox_space(qbox);
                let knows = game.box_secrecy(qbox).is_known_to(*seat);
                let told = self.told_boxes.get(&(seat.0, space.0)).copied();
                // A player who saw a relic through the Spy Eye is told, like all, that it was taken.
                assert_eq!(told, Some(game.contents(qbox)).filter(|_| knows), "{space:?}");
            }
        }
        for culture in Culture::ALL {
            for token in Token::all() {
                let told = self.bases.get(&(culture.index(), token.index())).copied().unwrap_or(0);
                assert_eq!(told, u32::from(game.at_base(*culture, token)), "{culture:?} {token:?}");
            }
        }
        for system in game.board().systems().filter(|system| game.home(*system).is_some()) {
            assert_eq!(self.homes.get(&system.0).copied().unwrap_or_default(), game.home_secrecy(system));
        }
    }
}

/// A refresh tells each seat what that seat knows, and an onlooker what all know.
pub fn check_refresh(game: &Game) {
    let viewers = game.seats().map(Some).chain([None]);
    for viewer in viewers {
        let mut books = Books { seats: game.seat_count(), ..Books::default() };
        let mut script = Script::refresh(viewer);
        while let Some(event) = script.next(game) {
            // Without a viewer, to a seat of its own: what a viewer is told is that viewer's alone.
            books.tell(Audience::Seat(viewer.unwrap_or(Seat(5))), event);
        }
        let seats: Vec<Seat> = viewer.into_iter().collect();
        books.check_for(game, &seats);
        let learnt = |known: Secrecy| known.is_public() || viewer.is_some_and(|seat| known.is_known_to(seat));
        let homes = game.board().systems().filter(|system| game.home(*system).is_some());
        assert_eq!(books.told_homes.len(), homes.filter(|system| learnt(game.home_secrecy(*system))).count());
        let ports = game.board().ports().filter(|port| game.port_owner(*port).is_some()).count();
        let boxes = game.board().qboxes().filter(|qbox| learnt(game.box_secrecy(*qbox))).count();
        assert_eq!(books.told_boxes.len(), boxes + ports);
    }
}

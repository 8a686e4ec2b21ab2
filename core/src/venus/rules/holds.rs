//! What players carry: how much room it takes, how it comes and goes.

use super::Game;
use super::place::{Place, Where};
use crate::venus::pieces::{Age, Culture, FARES, Fare, Gear, Relic, Seat, Ship, Switch, Switches, Token};

impl Game {
    /// Half-holds in use: goods 2, fares and drives 1, other gear 1 beyond the first of its name (venus 14.3).
    pub fn load(&self, seat: Seat) -> u8 {
        let player = self.player(seat);
        let goods: u8 = player.goods.iter().map(|pair| 2 * pair.both()).sum();
        let owned = |token: Token| u8::from(self.place(token).and_then(Place::owner) == Some(seat));
        let factory: u8 = Culture::peoples().map(|culture| 2 * owned(Token::FactoryGood(culture))).sum();
        let fares: u8 = (0..FARES as u8).map(|fare| owned(Token::Fare(Fare(fare)))).sum();
        let gear: u8 =
            Gear::ALL.iter().map(|gear| self.gear(seat, *gear).saturating_sub(u8::from(!gear.is_drive()))).sum();
        goods + factory + fares + gear
    }

    /// Half-holds that one more of this would take.
    pub fn size(&self, seat: Seat, token: Token) -> u8 {
        match token {
            Token::Good(_) | Token::FactoryGood(_) => 2,
            Token::Fare(_) => 1,
            Token::Gear(gear) if gear.is_drive() => 1,
            Token::Gear(gear) => u8::from(self.gear(seat, gear) > 0),
            _ => 0,
        }
    }

    /// Half-holds that are free.
    pub fn room(&self, seat: Seat) -> u8 {
        self.ship(seat).half_holds().saturating_sub(self.load(seat))
    }

    pub fn fits(&self, seat: Seat, token: Token) -> bool {
        self.size(seat, token) <= self.room(seat)
    }

    /// Would all cargo fit into that ship?
    pub(super) fn fits_into(&self, seat: Seat, ship: Ship) -> bool {
        self.load(seat) <= ship.half_holds()
    }

    /// The current player gets a token.
    pub(super) fn give(&mut self, token: Token, age: Age) {
        let seat = self.current();
        match token {
            Token::Ship(ship) => self.mover().ship = ship,
            Token::Gear(gear) => {
                if let Some(pair) = self.mover().gear.get_mut(gear.index()) {
                    pair.add(age);
                }
            }
            Token::Good(culture) => {
                if let Some(pair) = self.mover().goods.get_mut(culture.index()) {
                    pair.add(age);
                }
            }
            _ => self.put(token, Where::Player(seat, age)),
        }
    }

    /// The current player loses a token, which goes to `to` if there is only one of it.
    pub(super) fn take(&mut self, token: Token, age: Age, to: Where) {
        let pair = match token {
            Token::Gear(gear) => self.mover().gear.get_mut(gear.index()),
            Token::Good(culture) => self.mover().goods.get_mut(culture.index()),
            _ => return self.put(token, to),
        };
        if let Some(pair) = pair {
            pair.take(age);
        }
    }

    /// What a player got in this turn becomes old.
    pub(super) fn grow_old(&mut self, seat: Seat) {
        if let Some(player) = self.players.get_mut(seat.index()) {
            player.goods.iter_mut().chain(&mut player.gear).for_each(|pair| pair.grow_old());
        }
        let places = self.factory_goods.iter_mut().chain(&mut self.factory_deeds).chain(&mut self.ious);
        for place in places.chain(&mut self.fares).chain(&mut self.port_deeds).chain(&mut self.relics) {
            if place.owner() == Some(seat) {
                *place = Place::new(Where::Player(seat, Age::Old));
            }
        }
    }

    /// The switches that a player owns. A drive and the relic of its name share one.
    pub fn owned_switches(&self, seat: Seat) -> Switches {
        let owns = |switch| match switch {
            Switch::RedDrive => self.gear(seat, Gear::RedDrive) > 0,
            Switch::YellowDrive => self.gear(seat, Gear::YellowDrive) > 0 || self.has(seat, Relic::YellowDrive),
            Switch::CombinedDrive => self.gear(seat, Gear::CombinedDrive) > 0,
            Switch::AutoPilot => self.has(seat, Relic::AutoPilot),
            Switch::GateLock => self.has(seat, Relic::GateLock),
            Switch::JumpStart => self.has(seat, Relic::JumpStart),
        };
        Switch::ALL.iter().filter(|switch| owns(**switch)).fold(Switches::NONE, |all, switch| all.with(*switch))
    }

    /// What shields take off every penalty.
    pub(super) fn shield(&self, seat: Seat) -> u8 {
        let count = self.gear(seat, Gear::Shield) + u8::from(self.has(seat, Relic::Shield));
        count.saturating_mul(20)
    }
}

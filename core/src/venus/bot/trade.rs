//! What is done at a culture: deliver, sell, invest, buy, and go.

use super::Bot;
use super::market::{Market, rate};
use super::routes::Traveller;
use crate::venus::pieces::{Age, Culture, FARES, Fare, Gear, Named, Seat, Ship, Switch, Token};
use crate::venus::rules::{Action, Verb};
use crate::venus::view::View;

/// As it was told, for the server compares all fields.
fn named(token: Token, age: Age) -> Named {
    Named { token, age: Some(age) }
}

/// Something to buy, and whether it takes a ship's trade-in.
#[derive(Clone, Copy)]
struct Wish {
    token: Token,
    price: u32,
}

impl Bot {
    pub(super) fn trade(&mut self, view: &View, seat: Seat) -> Option<Action> {
        let game = view.game();
        let here = view.here();
        let culture = game.trader_at(here)?;
        let market = Market::new(Traveller::new(view, seat), view, game.money(seat).cash, game.room(seat));
        if let Some(action) = drop_off(&market, culture).or_else(|| self.sell(&market, culture)) {
            return Some(action);
        }
        if let Some(fare) = self.pick_up(&market, culture) {
            return Some(fare);
        }
        if view.legal().contains(Verb::Buy) {
            let invests = if self.taste.invests { self.invest(&market, culture) } else { None };
            if let Some(wish) = invests.or_else(|| self.goods(&market, culture)) {
                return Some(self.pay_for(&market, culture, wish));
            }
        }
        Some(self.unload(&market).unwrap_or(Action::EndTurn))
    }

    /// Jettisons cargo that no known culture buys, once the bot is stuck.
    fn unload(&self, market: &Market<'_>) -> Option<Action> {
        let (game, seat) = (market.view().game(), market.traveller.seat());
        let goods = Culture::peoples().flat_map(|of| [Token::Good(of), Token::FactoryGood(of)]);
        let fares = (0..FARES as u8).map(|fare| Token::Fare(Fare(fare)));
        let mut old = goods.chain(fares).filter(|token| game.held(seat, *token, Age::Old) > 0);
        let wanted = |token: &Token| {
            let mut known = market.stops.iter().filter_map(|stop| stop.culture);
            known.any(|culture| token.buyers().contains(culture))
        };
        let useless = old.find(|token| !wanted(token)).filter(|_| self.is_stuck());
        useless.map(|token| Action::Jettison(named(token, Age::Old)))
    }

    /// With the IOU, if the sum is worth it: what is not spent of it is lost.
    fn pay_for(&self, market: &Market<'_>, culture: Culture, wish: Wish) -> Action {
        let view = market.view();
        let iou = u32::from(Token::Iou(culture).sell());
        if view.legal().contains(Verb::RedeemIou) && (wish.price * 10 >= iou * 6 || wish.price > funds(market)) {
            return Action::RedeemIou;
        }
        match wish.token {
            Token::Ship(_) => Action::TradeInShip(named(wish.token, Age::Old)),
            _ => Action::Buy(named(wish.token, Age::Old)),
        }
    }

    /// The good that brings most here.
    fn sell(&self, market: &Market<'_>, culture: Culture) -> Option<Action> {
        let view = market.view();
        if !view.legal().contains(Verb::Sell) {
            return None;
        }
        let game = view.game();
        let goods = Culture::peoples().flat_map(|of| [Token::Good(of), Token::FactoryGood(of)]);
        let held = goods.filter(|token| market.held(*token) > 0 && token.buyers().contains(culture));
        let best = held.max_by_key(|token| market.revenue(*token, culture, 1))?;
        let age = if game.held(market.traveller.seat(), best, Age::Old) > 0 { Age::Old } else { Age::New };
        Some(Action::Sell(named(best, age)))
    }

    /// A fare to a culture that was found.
    fn pick_up(&self, market: &Market<'_>, culture: Culture) -> Option<Action> {
        let view = market.view();
        let fares = (0..FARES as u8).map(|fare| Token::Fare(Fare(fare)));
        let mut waiting = fares.filter(|fare| view.game().at_base(culture, *fare) > 0);
        let is_found = |fare: &Token| {
            market.stops.iter().any(|stop| stop.culture.is_some_and(|culture| fare.buyers().contains(culture)))
        };
        let fits = |fare: &Token| view.game().fits(market.traveller.seat(), *fare);
        waiting.find(|fare| is_found(fare) && fits(fare)).map(|fare| Action::PickUp(named(fare, Age::Old)))
    }

    /// One more piece of what brings most where it can be sold.
    fn goods(&self, market: &Market<'_>, culture: Culture) -> Option<Wish> {
        let nth = market.stops.iter().position(|stop| stop.culture == Some(culture))?;
        let place = market.stops.get(nth)?.place;
        let purse = purse(market, culture);
        let mut best: Option<(u32, Wish)> = None;
        for (token, _) in market.on_sale(culture).filter(|_| market.room >= 2) {
            let price = u32::from(market.view().game().price(market.traveller.seat(), culture, token));
            if price > purse {
                continue;
            }
            let held = market.held(token);
            let net = i32::from(market.price(token, culture));
            for (there, stop) in market.stops.iter().enumerate().filter(|(there, _)| *there != nth) {
                let Some(buyer) = stop.culture else { continue };
                let brings = market.revenue(token, buyer, held + 1) - market.revenue(token, buyer, held);
                let value = rate(brings - net, market.turns(place, there));
                if value > best.map_or(0, |(value, _)| value) {
                    best = Some((value, Wish { token, price }));
                }
            }
        }
        best.map(|(_, wish)| wish).or_else(|| self.speculate(market, culture, purse))
    }

    /// A good that no known culture buys, while much of the world is unknown.
    fn speculate(&self, market: &Market<'_>, culture: Culture, purse: u32) -> Option<Wish> {
        let known = market.stops.iter().filter(|stop| stop.culture.is_some()).count();
        let token = Token::Good(culture);
        let stock = market.on_sale(culture).any(|(other, _)| other == token);
        let price = u32::from(token.buy());
        let is_fit = stock && known < 8 && market.room >= 2 && market.held(token) == 0 && price * 10 <= purse * 7;
        is_fit.then_some(Wish { token, price })
    }

    /// A ship, a drive or a deed that brings the end nearer.
    fn invest(&self, market: &Market<'_>, culture: Culture) -> Option<Wish> {
        self.equip(market, culture).or_else(|| self.deed(market, culture))
    }

    fn equip(&self, market: &Market<'_>, culture: Culture) -> Option<Wish> {
        let view = market.view();
        let (game, seat) = (view.game(), market.traveller.seat());
        let goal = game.win_money().saturating_sub(game.money(seat).worth).max(1);
        let cash = purse(market, culture);
        let now = Rating { cost: 0, rate: market.steady_rate() }.turns(goal);
        let wares =
            Ship::ALL.iter().map(|ship| Token::Ship(*ship)).chain(Gear::ALL.iter().map(|gear| Token::Gear(*gear)));
        let mut best: Option<(u32, Wish)> = None;
        for token in wares.filter(|token| game.at_base(culture, *token) > 0) {
            let Some(wish) = self.can_equip(market, token, cash) else { continue };
            let spare = cash.saturating_sub(wish.price);
            let then = Rating { cost: wish.price, rate: changed(market, token, spare).steady_rate() }.turns(goal);
            let is_better = then * 100 < now * self.taste.thrift;
            if is_better && best.is_none_or(|(turns, _)| then < turns) {
                best = Some((then, wish));
            }
        }
        best.map(|(_, wish)| wish)
    }

    /// Can be had, and leaves enough to trade with.
    fn can_equip(&self, market: &Market<'_>, token: Token, cash: u32) -> Option<Wish> {
        let view = market.view();
        let (game, seat) = (view.game(), market.traveller.seat());
        let price = match token {
            Token::Ship(ship) => {
                let is_new = ship != game.ship(seat) && game.load(seat) <= ship.half_holds();
                let old = Token::Ship(game.ship(seat)).sell();
                (is_new && view.legal().contains(Verb::TradeInShip)).then_some(token.buy().saturating_sub(old))?
            }
            Token::Gear(gear) => {
                let is_new = game.gear(seat, gear) == 0 && gear.is_drive() && !has_colours(market, gear);
                (is_new && game.fits(seat, token)).then_some(token.buy())?
            }
            _ => return None,
        };
        (u32::from(price) + self.taste.working <= cash).then_some(Wish { token, price: u32::from(price) })
    }

    /// A deed keeps its price, and pays: bought with what is not needed to trade.
    fn deed(&self, market: &Market<'_>, culture: Culture) -> Option<Wish> {
        let (game, seat) = (market.view().game(), market.traveller.seat());
        let cash = purse(market, culture);
        let ports = market.view().board().ports().map(Token::PortDeed);
        let deeds = core::iter::once(Token::FactoryDeed(culture)).filter(|_| culture != Culture::Base).chain(ports);
        let on_sale = deeds.filter(|deed| game.at_base(culture, *deed) > 0);
        let wishes = on_sale.map(|token| Wish { token, price: u32::from(game.price(seat, culture, token)) });
        let is_fit = |wish: &Wish| {
            let keep = match wish.token {
                Token::FactoryDeed(_) => self.taste.reserve,
                _ => 2 * self.taste.reserve,
            };
            wish.price + keep <= cash
        };
        wishes.filter(is_fit).min_by_key(|wish| wish.price)
    }
}

/// How long a goal takes at some rate, and after some cost: hundredths of a turn, but for a factor.
struct Rating {
    cost: u32,
    rate: u32,
}

impl Rating {
    fn turns(&self, goal: u32) -> u32 {
        (goal + self.cost) * 10_000 / self.rate.max(1)
    }
}

/// The market for a player that has this, too.
fn changed<'v>(market: &Market<'v>, token: Token, cash: u32) -> Market<'v> {
    let (game, seat) = (market.traveller.view().game(), market.traveller.seat());
    let (load, size) = (game.load(seat), game.ship(seat).half_holds());
    let view = market.traveller.view();
    let used = load.saturating_sub(cargo(market));
    match token {
        Token::Ship(ship) => {
            Market::new(market.traveller.with_dice(ship.dice()), view, cash, ship.half_holds().saturating_sub(used))
        }
        Token::Gear(gear) => {
            let drive = match gear {
                Gear::YellowDrive => Switch::YellowDrive,
                Gear::RedDrive => Switch::RedDrive,
                _ => Switch::CombinedDrive,
            };
            let room = size.saturating_sub(used).saturating_sub(1);
            Market::new(market.traveller.with_drive(drive), view, cash, room)
        }
        _ => Market::new(market.traveller, view, cash, size.saturating_sub(used)),
    }
}

/// Half-holds that goods and fares take now.
fn cargo(market: &Market<'_>) -> u8 {
    let goods = Culture::peoples().flat_map(|of| [Token::Good(of), Token::FactoryGood(of)]);
    let fares = (0..FARES as u8).map(|fare| Token::Fare(Fare(fare)));
    goods.map(|good| 2 * market.held(good)).sum::<u8>() + fares.map(|fare| market.held(fare)).sum::<u8>()
}

/// Is there a drive already for all that this one skips?
fn has_colours(market: &Market<'_>, gear: Gear) -> bool {
    let (game, seat) = (market.view().game(), market.traveller.seat());
    let owned = game.owned_switches(seat);
    let both = owned.contains(Switch::CombinedDrive);
    match gear {
        Gear::YellowDrive => both || owned.contains(Switch::YellowDrive),
        Gear::RedDrive => both || owned.contains(Switch::RedDrive),
        _ => both || (owned.contains(Switch::YellowDrive) && owned.contains(Switch::RedDrive)),
    }
}

/// Cash and barter.
fn funds(market: &Market<'_>) -> u32 {
    let money = market.view().game().money(market.traveller.seat());
    money.cash + money.barter
}

/// The same, with what an IOU would add here.
fn purse(market: &Market<'_>, culture: Culture) -> u32 {
    let has_iou = market.view().legal().contains(Verb::RedeemIou);
    funds(market) + if has_iou { u32::from(Token::Iou(culture).sell()) } else { 0 }
}

fn drop_off(market: &Market<'_>, culture: Culture) -> Option<Action> {
    let (game, seat) = (market.view().game(), market.traveller.seat());
    let mut fares = (0..FARES as u8).map(|fare| Token::Fare(Fare(fare)));
    let fare = fares.find(|fare| market.held(*fare) > 0 && fare.buyers().contains(culture))?;
    let age = if game.held(seat, fare, Age::Old) > 0 { Age::Old } else { Age::New };
    Some(Action::DropOff(named(fare, age)))
}

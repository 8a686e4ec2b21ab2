//! What can be earned where: every known culture, how far they are from each other, and what a trip between two brings.

use heapless::Vec;

use super::routes::{FAR, Routes, Terrain, Traveller};
use crate::bounded;
use crate::venus::pieces::{Age, Contents, Culture, FARES, Fare, SYSTEMS, Space, System, Token};
use crate::venus::rules::Site;
use crate::venus::view::View;

/// Tenths of a turn.
pub type Turns = u32;

/// Money in a hundred turns: how good a plan is.
pub type Rate = u32;

pub fn rate(profit: i32, turns: Turns) -> Rate {
    (profit.max(0) as u32).saturating_mul(1000) / turns.max(1)
}

/// The most that is bought at once: a Freighter's holds.
const LOTS: u8 = 5;

/// A culture that this player can find, and where it can be traded with.
#[derive(Clone, Copy)]
pub struct Stop {
    pub system: System,
    /// `None`: this player was not told which one lives there.
    pub culture: Option<Culture>,
    /// No player has traded there yet.
    pub is_virgin: bool,
    /// Any of its trading places.
    pub place: Space,
    /// Is it a station, where trade has no limit?
    pub is_open: bool,
}

/// How far it is from each stop, and then from where the player is.
type Distances = [u16; SYSTEMS + 1];

/// The known world as it is now: about 1.5 KB, made for one decision and dropped. Routes from everywhere to every stop would
/// be 9 KB, of which a board has two on its stack when a ship is to be bought.
pub struct Market<'v> {
    pub traveller: Traveller<'v>,
    pub terrain: Terrain,
    pub stops: Vec<Stop, SYSTEMS>,
    /// To each stop.
    distances: Vec<Distances, SYSTEMS>,
    pub cash: u32,
    pub room: u8,
}

/// Where a player can trade in a system: cities, and stations that were seen.
pub fn places(view: &View, system: System) -> impl Iterator<Item = Space> + '_ {
    let board = view.board();
    board.spaces_of(system).filter(move |space| match board.qbox_at(*space) {
        Some(qbox) => matches!(view.contents(qbox), Some(Contents::Station(_))),
        None => matches!(view.game().site(*space), Site::City | Site::SpaceCity | Site::Station(_)),
    })
}

impl<'v> Market<'v> {
    pub fn new(traveller: Traveller<'v>, view: &'v View, cash: u32, room: u8) -> Self {
        let terrain = Terrain::of(&traveller);
        let mut stops = Vec::new();
        for system in view.board().systems() {
            let lives = view.board().lives(system) != crate::venus::board::Lives::Nobody;
            let Some(place) = places(view, system).next().filter(|_| lives) else { continue };
            let is_station = |space: Space| matches!(view.game().site(space), Site::Station(_));
            let open = places(view, system).find(|space| is_station(*space));
            let stop = Stop {
                system,
                culture: view.home(system),
                is_virgin: !view.game().home_secrecy(system).is_public(),
                place: open.unwrap_or(place),
                is_open: open.is_some(),
            };
            // There is room for every system of the largest board.
            let _ = stops.push(stop);
        }
        let distances = bounded::collect(stops.iter().map(|stop| {
            let to = Routes::to(&traveller, &terrain, places(view, stop.system));
            let mut distances = [to.from(view.here()); SYSTEMS + 1];
            distances.iter_mut().zip(&stops).for_each(|(from, other)| *from = to.from(other.place));
            distances
        }));
        Self { traveller, terrain, stops, distances, cash, room }
    }

    pub fn view(&self) -> &'v View {
        self.traveller.view()
    }

    /// How long it takes to a stop from the place of another one, or from where the player is.
    pub fn turns(&self, from: Space, stop: usize) -> Turns {
        let nth = self.stops.iter().position(|stop| stop.place == from).unwrap_or(SYSTEMS);
        let distance = self.distances.get(stop).and_then(|distances| distances.get(nth));
        let distance = u32::from(distance.copied().unwrap_or(FAR));
        (distance * 10 / self.traveller.pace() + 4).max(6)
    }

    /// What selling so many of a token to a culture brings, each after the other: every one uses up a demand.
    pub fn revenue(&self, token: Token, buyer: Culture, count: u8) -> i32 {
        let game = self.view().game();
        if !token.buyers().contains(buyer) {
            return 0;
        }
        let demand = game.demand_for(buyer, token);
        let (mut bonus, each) =
            demand.map_or((0, 0), |(demand, sum)| (i32::from(sum), i32::from(Token::Demand(demand).sell())));
        (0..count).fold(0, |sum, _| {
            let price = i32::from(token.sell()) + bonus;
            bonus = (bonus - each).max(0);
            sum + price
        })
    }

    /// How many of a token this player carries.
    pub fn held(&self, token: Token) -> u8 {
        let (game, seat) = (self.view().game(), self.traveller.seat());
        game.held(seat, token, Age::Old) + game.held(seat, token, Age::New)
    }

    /// What the cargo brings at a culture, and how many pieces that are.
    pub fn cargo_at(&self, culture: Culture) -> (i32, u8) {
        let goods = Culture::peoples().flat_map(|of| [Token::Good(of), Token::FactoryGood(of)]);
        let sold = goods.fold((0, 0), |(sum, count), token| {
            let held = self.held(token);
            let brings = self.revenue(token, culture, held);
            (sum + brings, count + if brings > 0 { held } else { 0 })
        });
        let fares = (0..FARES as u8).map(|fare| Token::Fare(Fare(fare)));
        let paid = fares.filter(|fare| self.held(*fare) > 0 && fare.buyers().contains(culture));
        (sold.0 + paid.map(|fare| i32::from(fare.sell())).sum::<i32>(), sold.1)
    }

    /// The goods that a culture has on sale.
    pub fn on_sale(&self, culture: Culture) -> impl Iterator<Item = (Token, u8)> + '_ {
        let game = self.view().game();
        let own =
            [Token::FactoryGood(culture), Token::Good(culture)].into_iter().filter(move |_| culture != Culture::Base);
        own.map(move |token| (token, game.at_base(culture, token))).filter(|(_, count)| *count > 0)
    }

    /// What a load bought at one culture brings at another: the profit, and how many pieces it is.
    pub fn load(&self, from: Culture, to: Culture, cash: u32, room: u8) -> (i32, u8) {
        let (mut cash, mut room, mut profit, mut pieces) = (cash, room / 2, 0, 0);
        for (token, stock) in self.on_sale(from) {
            let price = i32::from(self.price(token, from));
            let held = self.held(token);
            for nth in 0..stock.min(LOTS) {
                let brings = self.revenue(token, to, held + nth + 1) - self.revenue(token, to, held + nth);
                if room == 0 || brings <= price || cash < price as u32 {
                    break;
                }
                (cash, room) = (cash - price as u32, room - 1);
                (profit, pieces) = (profit + brings - price, pieces + 1);
            }
        }
        (profit, pieces)
    }

    /// What a player pays in the end: the owner of a factory gets half of it back.
    pub fn price(&self, token: Token, at: Culture) -> u16 {
        let (game, seat) = (self.view().game(), self.traveller.seat());
        let price = game.price(seat, at, token);
        match token {
            Token::FactoryGood(culture) if game.factory_owner(culture) == Some(seat) => price / 2,
            _ => price,
        }
    }

    /// A turn more where only one piece can be traded on arrival.
    pub fn stay(&self, stop: usize, pieces: u8) -> Turns {
        let is_open = self.stops.get(stop).is_some_and(|stop| stop.is_open);
        if pieces > 1 && !is_open { 10 } else { 0 }
    }

    /// The best of what is earned by going to and fro between two cultures for ever: how good ship and gear are.
    pub fn steady_rate(&self) -> Rate {
        let cash = self.cash.max(100);
        let mut best = 0;
        for (here, from) in self.stops.iter().enumerate() {
            for (there, to) in self.stops.iter().enumerate().filter(|(there, _)| *there != here) {
                let (Some(one), Some(other)) = (from.culture, to.culture) else { continue };
                let (out, pieces) = self.load(one, other, cash, self.room);
                let (back, more) = self.load(other, one, cash, self.room);
                let stays = self.stay(here, pieces.max(more)) + self.stay(there, pieces.max(more));
                let turns = self.turns(from.place, there) + self.turns(to.place, here) + stays;
                best = best.max(rate(out + back, turns));
            }
        }
        best
    }
}

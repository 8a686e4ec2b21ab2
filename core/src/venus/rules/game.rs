//! The state of one game, and what can be asked of it.

use super::action::Target;
use super::event::{Money, Order};
use super::markers::MARKERS;
use super::offer::Site;
use super::place::{Pair, Place, Where};
use crate::bounded;
use crate::venus::board::{Board, Chart, Kind};
use crate::venus::pieces::{
    Age, Contents, Culture, DEMANDS, FARES, Gear, Named, PEOPLES, PORTS, Phase, Port, QBOXES, Qbox, Relic, Roll, SEATS,
    SYSTEMS, Seat, Secrecy, Ship, Space, Switches, System, Token,
};

/// Words of a set of all ways of a board: 668 ways of the galaxy.
const WAY_WORDS: usize = 21;

/// What one player has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Player {
    pub cash: u32,
    pub barter: u32,
    pub space: Space,
    pub race: Culture,
    pub ship: Ship,
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub goods: [Pair; PEOPLES],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub gear: [Pair; Gear::COUNT],
}

impl Player {
    const NOBODY: Self = Self {
        cash: 0,
        barter: 0,
        space: Space(0),
        race: Culture::C1a,
        ship: Ship::Scout,
        goods: [Pair::NONE; PEOPLES],
        gear: [Pair::NONE; Gear::COUNT],
    };
}

/// How far the current player's turn has come.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Motion {
    pub switches: Switches,
    pub roll: Roll,
    pub points: u8,
    /// The last number used in this turn; 0: none yet.
    pub number: u8,
    /// A step was made in this turn.
    pub has_moved: bool,
    /// What was named and is not yet done.
    pub target: Target,
    /// Buys and sells left; -1: without end.
    pub buys: i8,
    pub sells: i8,
    /// The ways walked in this turn.
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    walked: [u32; WAY_WORDS],
}

impl Motion {
    pub const NONE: Self = Self {
        switches: Switches::NONE,
        roll: Roll::hidden(0),
        points: 0,
        number: 0,
        has_moved: false,
        target: Target { space: Space(0), is_jump: false },
        buys: 0,
        sells: 0,
        walked: [0; WAY_WORDS],
    };

    pub fn mark(&mut self, way: usize) {
        if let Some(word) = self.walked.get_mut(way / 32) {
            *word |= 1 << (way % 32);
        }
    }

    pub fn has_walked(&self, way: usize) -> bool {
        self.walked.get(way / 32).is_some_and(|word| word >> (way % 32) & 1 == 1)
    }

    /// The dice are on the table.
    pub fn is_shown(&self) -> bool {
        self.roll.count() > 0 && !self.roll.is_hidden()
    }
}

/// One game. New, it is all zero bytes, without players: [`Game::begin`] before use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Game {
    pub(super) chart: Chart,
    pub(super) weapons: bool,
    pub(super) phase: Phase,
    pub(super) seats: u8,
    /// The seats that like the options, a bit each.
    pub(super) liked: u8,
    pub(super) win: u16,
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) order: [Seat; SEATS],
    /// Whose turn it is, by the place in the order.
    pub(super) turn: u8,
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) players: [Player; SEATS],
    /// Which culture lives in a system: its index and one; 0: none.
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) homes: [u8; SYSTEMS],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) homes_known: [Secrecy; SYSTEMS],
    /// Which marker lies under a box.
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) boxes: [u8; QBOXES],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) boxes_known: [Secrecy; QBOXES],
    /// Goods on sale at their own culture.
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) goods: [u8; PEOPLES],
    /// Demands out at their culture. What is neither here nor with a player is in the cup.
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) demands: [u8; DEMANDS],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) factory_goods: [Place; PEOPLES],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) factory_deeds: [Place; PEOPLES],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) ious: [Place; PEOPLES],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) fares: [Place; FARES],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) port_deeds: [Place; PORTS],
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    pub(super) relics: [Place; Relic::COUNT],
    pub(super) motion: Motion,
}

/// A table is kept on boards with little memory: about 600 bytes a game.
const _: () = assert!(size_of::<Game>() <= 640);

impl Game {
    pub const fn new() -> Self {
        Self {
            chart: Chart::Galaxy,
            weapons: false,
            phase: Phase::InitialState,
            seats: 0,
            liked: 0,
            win: 0,
            order: [Seat(0); SEATS],
            turn: 0,
            players: [const { Player::NOBODY }; SEATS],
            homes: [0; SYSTEMS],
            homes_known: [Secrecy::NOBODY; SYSTEMS],
            boxes: [0; QBOXES],
            boxes_known: [Secrecy::NOBODY; QBOXES],
            goods: [0; PEOPLES],
            demands: [0; DEMANDS],
            factory_goods: [Place::HIDDEN; PEOPLES],
            factory_deeds: [Place::HIDDEN; PEOPLES],
            ious: [Place::HIDDEN; PEOPLES],
            fares: [Place::HIDDEN; FARES],
            port_deeds: [Place::HIDDEN; PORTS],
            relics: [Place::HIDDEN; Relic::COUNT],
            motion: Motion::NONE,
        }
    }

    pub fn board(&self) -> &'static Board {
        self.chart.board()
    }
    pub fn phase(&self) -> Phase {
        self.phase
    }
    pub fn win_money(&self) -> u32 {
        u32::from(self.win)
    }
    pub fn seat_count(&self) -> u8 {
        self.seats
    }
    pub fn seats(&self) -> impl DoubleEndedIterator<Item = Seat> + use<> {
        (0..self.seats).map(Seat)
    }
    pub fn likes(&self, seat: Seat) -> bool {
        seat.index() < SEATS && self.liked >> seat.0 & 1 == 1
    }
    /// From the start on.
    pub fn has_started(&self) -> bool {
        !matches!(self.phase, Phase::InitialState | Phase::ValidateSetup)
    }

    pub fn order(&self) -> Order {
        bounded::collect(self.order.iter().copied().take(usize::from(self.seats)))
    }

    /// The player whose turn it is; at the end, the winner.
    pub fn current(&self) -> Seat {
        self.order.get(usize::from(self.turn)).copied().unwrap_or_default()
    }

    pub fn winner(&self) -> Option<Seat> {
        (self.phase == Phase::TerminalState).then(|| self.current())
    }

    pub(super) fn player(&self, seat: Seat) -> &Player {
        const NOBODY: &Player = &Player::NOBODY;
        self.players.get(seat.index()).unwrap_or(NOBODY)
    }

    /// The current player.
    pub(super) fn mover(&mut self) -> &mut Player {
        let [first, rest @ ..] = &mut self.players;
        let place = self.order.get(usize::from(self.turn)).map_or(0, |seat| seat.index());
        place.checked_sub(1).and_then(|place| rest.get_mut(place)).unwrap_or(first)
    }

    pub fn race(&self, seat: Seat) -> Culture {
        self.player(seat).race
    }
    pub fn space(&self, seat: Seat) -> Space {
        self.player(seat).space
    }
    pub fn ship(&self, seat: Seat) -> Ship {
        self.player(seat).ship
    }

    pub fn money(&self, seat: Seat) -> Money {
        let player = self.player(seat);
        let factories = Culture::peoples().map(Token::FactoryDeed);
        let ports = self.board().ports().map(Token::PortDeed);
        let owned = factories.chain(ports).filter(|deed| self.place(*deed).and_then(Place::owner) == Some(seat));
        let deeds: u32 = owned.map(|deed| u32::from(deed.buy())).sum();
        Money { cash: player.cash, barter: player.barter, worth: player.cash.saturating_add(deeds) }
    }

    /// Where a token is of which there is one.
    pub fn place(&self, token: Token) -> Option<Place> {
        match token {
            Token::Relic(relic) => self.relics.get(relic.index()),
            Token::Iou(culture) => self.ious.get(culture.index()),
            Token::FactoryDeed(culture) => self.factory_deeds.get(culture.index()),
            Token::FactoryGood(culture) => self.factory_goods.get(culture.index()),
            Token::PortDeed(port) => self.port_deeds.get(port.index()),
            Token::Fare(fare) => self.fares.get(fare.index()),
            Token::Ship(_) | Token::Gear(_) | Token::Good(_) | Token::Demand(_) => None,
        }
        .copied()
    }

    pub(super) fn put(&mut self, token: Token, place: Where) {
        let at = match token {
            Token::Relic(relic) => self.relics.get_mut(relic.index()),
            Token::Iou(culture) => self.ious.get_mut(culture.index()),
            Token::FactoryDeed(culture) => self.factory_deeds.get_mut(culture.index()),
            Token::FactoryGood(culture) => self.factory_goods.get_mut(culture.index()),
            Token::PortDeed(port) => self.port_deeds.get_mut(port.index()),
            Token::Fare(fare) => self.fares.get_mut(fare.index()),
            Token::Ship(_) | Token::Gear(_) | Token::Good(_) | Token::Demand(_) => None,
        };
        if let Some(at) = at {
            *at = Place::new(place);
        }
    }

    /// How many of a token a player has.
    pub fn held(&self, seat: Seat, token: Token, age: Age) -> u8 {
        let player = self.player(seat);
        match token {
            Token::Ship(ship) => u8::from(age == Age::Old && player.ship == ship),
            Token::Gear(gear) => player.gear.get(gear.index()).map_or(0, |pair| pair.count(age)),
            Token::Good(culture) => player.goods.get(culture.index()).map_or(0, |pair| pair.count(age)),
            Token::Demand(_) => 0,
            _ => u8::from(self.place(token).is_some_and(|place| place.get() == Where::Player(seat, age))),
        }
    }

    /// Has a player this relic?
    pub fn has(&self, seat: Seat, relic: Relic) -> bool {
        self.place(Token::Relic(relic)).and_then(Place::owner) == Some(seat)
    }

    /// How many of a gear a player has.
    pub fn gear(&self, seat: Seat, gear: Gear) -> u8 {
        self.player(seat).gear.get(gear.index()).map_or(0, |pair| pair.both())
    }

    /// How old the token is that a player names, if the player has it.
    pub(super) fn find(&self, seat: Seat, named: Named) -> Option<Age> {
        let has = |age: &Age| self.held(seat, named.token, *age) > 0;
        match named.age {
            Some(age) => Some(age).filter(has),
            None => [Age::Old, Age::New].into_iter().find(has),
        }
    }

    /// How many of a token stand at a culture: on sale, waiting, or wanted. What has no end counts as one.
    pub fn at_base(&self, culture: Culture, token: Token) -> u8 {
        match token {
            Token::Ship(_) | Token::Gear(_) => {
                let is_sold = culture.technology().sells().contains(&token);
                u8::from(is_sold && (self.weapons || !token.is_weapon()))
            }
            Token::Good(of) if of == culture => self.goods.get(of.index()).copied().unwrap_or_default(),
            Token::Demand(demand) if demand.at() == culture => {
                self.demands.get(demand.index()).copied().unwrap_or_default()
            }
            Token::Good(_) | Token::Demand(_) => 0,
            _ => u8::from(self.place(token).is_some_and(|place| place.get() == Where::Base(culture))),
        }
    }

    /// Which culture lives in a system.
    pub fn home(&self, system: System) -> Option<Culture> {
        self.homes.get(system.index()).and_then(|home| Culture::at(usize::from(*home).checked_sub(1)?))
    }

    pub fn home_secrecy(&self, system: System) -> Secrecy {
        self.homes_known.get(system.index()).copied().unwrap_or_default()
    }

    pub fn box_secrecy(&self, qbox: Qbox) -> Secrecy {
        self.boxes_known.get(qbox.index()).copied().unwrap_or_default()
    }

    /// What lies under a box, known to players or not. A relic that was taken leaves a bare asteroid.
    pub fn contents(&self, qbox: Qbox) -> Contents {
        let marker = self.boxes.get(qbox.index()).and_then(|marker| MARKERS.get(usize::from(*marker)));
        match marker.copied().unwrap_or(Contents::Asteroid(None)) {
            Contents::Asteroid(Some(relic)) => {
                let lies = self.place(Token::Relic(relic)) == Some(Place::HIDDEN);
                Contents::Asteroid(Some(relic).filter(|_| lies))
            }
            contents => contents,
        }
    }

    /// The player who has built a spaceport there.
    pub fn port_owner(&self, port: Port) -> Option<Seat> {
        self.place(Token::PortDeed(port)).and_then(Place::owner)
    }

    pub fn factory_owner(&self, culture: Culture) -> Option<Seat> {
        self.place(Token::FactoryDeed(culture)).and_then(Place::owner)
    }

    /// What a space is, known to players or not.
    pub fn site(&self, space: Space) -> Site {
        let board = self.board();
        if let Some(owner) = board.port_at(space).and_then(|port| self.port_owner(port)) {
            return Site::Station(Some(owner));
        }
        match (board.kind(space), board.qbox_at(space)) {
            (_, Some(qbox)) => self.contents(qbox).into(),
            (Kind::Dot(colour), _) => Site::Dot(colour),
            (Kind::Penalty(colour, sum), _) => Site::Penalty(colour, sum),
            (Kind::City, _) => Site::City,
            (Kind::SpaceCity, _) => Site::SpaceCity,
            (Kind::Asteroid | Kind::Qbox, _) => Site::Asteroid(None),
        }
    }

    /// The culture that a player trades with on a space; none if it is no trading place.
    pub fn trader_at(&self, space: Space) -> Option<Culture> {
        match self.site(space) {
            Site::City | Site::SpaceCity | Site::Station(_) => self.home(self.board().system_of(space)?),
            _ => None,
        }
    }

    pub fn switches(&self) -> Switches {
        self.motion.switches
    }
    pub fn roll(&self) -> Roll {
        self.motion.roll
    }
    pub fn points(&self) -> u8 {
        self.motion.points
    }
    /// Buys and sells left in the trade phase; -1: without end.
    pub fn trades_left(&self) -> (i8, i8) {
        (self.motion.buys, self.motion.sells)
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new()
    }
}

//! The state told event by event: the start of a game to everybody, a refresh to one person (venus 7, 15.2).
//!
//! A script is a place in the telling, so that the server can stop after any event and go on later from a copy of the
//! same state.

use super::action::Actor;
use super::{Event, Game};
use crate::venus::pieces::{Age, Contents, Culture, Phase, Port, Qbox, Seat, Secrecy, System, Token};

/// What is told, in order. Some parts are told at a start, others in a refresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Reset,
    Options,
    Players,
    Iam,
    Likes,
    TurnOrder,
    CurPlayer,
    Ships,
    Money,
    Races,
    Locations,
    Trades,
    Stock,
    BaseHome,
    Homes,
    Boxes,
    Ports,
    Holds,
    Switches,
    Number,
    Destination,
    Choice,
    Dice,
    Points,
    Winner,
    End,
}

const PARTS: [Part; 26] = [
    Part::Reset,
    Part::Options,
    Part::Players,
    Part::Iam,
    Part::Likes,
    Part::TurnOrder,
    Part::CurPlayer,
    Part::Ships,
    Part::Money,
    Part::Races,
    Part::Locations,
    Part::Trades,
    Part::Stock,
    Part::BaseHome,
    Part::Homes,
    Part::Boxes,
    Part::Ports,
    Part::Holds,
    Part::Switches,
    Part::Number,
    Part::Destination,
    Part::Choice,
    Part::Dice,
    Part::Points,
    Part::Winner,
    Part::End,
];

/// A place in the telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Script {
    viewer: Actor,
    is_start: bool,
    part: u8,
    /// Which seat, culture, system, box or port of the part.
    major: u8,
    /// Which token of a seat or culture, or which of two events.
    minor: u8,
    /// How many of that token were told.
    copies: u8,
}

/// What a place in the telling holds.
enum Item {
    Tell(Event<'static>),
    /// Nothing here; the next of the same part.
    Skip,
    /// The part is over.
    Over,
}

impl From<Option<Event<'static>>> for Item {
    fn from(event: Option<Event<'static>>) -> Self {
        event.map_or(Self::Skip, Self::Tell)
    }
}

impl Script {
    /// What everybody hears when the game begins. The turn's own events follow.
    pub const fn start() -> Self {
        Self { viewer: None, is_start: true, part: 0, major: 0, minor: 0, copies: 0 }
    }

    /// What one newcomer to the game hears; NEWSTATE and LEGALACTION follow.
    pub const fn refresh(viewer: Actor) -> Self {
        Self { viewer, is_start: false, part: 0, major: 0, minor: 0, copies: 0 }
    }

    /// The next event; `None` when all is told.
    pub fn next(&mut self, game: &Game) -> Option<Event<'static>> {
        loop {
            let part = PARTS.get(usize::from(self.part)).copied().unwrap_or(Part::End);
            if part == Part::End {
                return None;
            }
            let item = if self.has(part, game) { self.item(part, game) } else { Item::Over };
            match item {
                Item::Tell(event) => return Some(event),
                Item::Skip => {}
                Item::Over => (self.part, self.major, self.minor, self.copies) = (self.part + 1, 0, 0, 0),
            }
        }
    }

    /// Is a part told at all?
    fn has(&self, part: Part, game: &Game) -> bool {
        let phase = game.phase();
        let is_mover = game.has_started() && self.viewer == Some(game.current());
        let is_moving = matches!(phase, Phase::SelectMove | Phase::Mulligan | Phase::SelectPilotNumber);
        match part {
            Part::Ships | Part::BaseHome => self.is_start,
            _ if self.is_start => matches!(
                part,
                Part::TurnOrder | Part::CurPlayer | Part::Money | Part::Races | Part::Locations | Part::Stock
            ),
            Part::Reset | Part::Options | Part::Players | Part::Iam => true,
            Part::Likes => phase == Phase::ValidateSetup,
            _ if !game.has_started() => false,
            Part::Number | Part::Dice => is_moving,
            Part::Destination => is_moving && is_mover,
            Part::Choice => is_mover && phase == Phase::SelectPilotNumber,
            Part::Points => is_moving && game.motion.is_shown(),
            _ => true,
        }
    }

    fn item(&mut self, part: Part, game: &Game) -> Item {
        match part {
            Part::Reset => self.once(|_| Event::Reset),
            Part::Options => self.once(|_| Event::Options { win: game.win_money() }),
            Part::Players => self.each_seat(game, Event::Player),
            Part::Iam => match self.viewer.filter(|_| self.major == 0) {
                Some(seat) => self.once(|_| Event::Iam(seat)),
                None => Item::Over,
            },
            Part::Likes => self.each_seat(game, |seat| Event::PlayerOkStartup(seat, game.likes(seat))),
            Part::TurnOrder => self.once(|_| Event::TurnOrder(game.order())),
            Part::CurPlayer => self.once(|_| Event::CurPlayer(game.current())),
            Part::Ships => {
                self.each_seat(game, |seat| Event::AddToPlayer(seat, Token::Ship(game.ship(seat)), Age::Old))
            }
            Part::Money => self.each_seat(game, |seat| Event::PlayerMoney(seat, game.money(seat))),
            Part::Races => self.each_seat(game, |seat| Event::PlayerRace(seat, game.race(seat))),
            Part::Locations => self.each_seat(game, |seat| Event::PlayerLocation(seat, game.space(seat))),
            Part::Trades => self.once(|_| game.trades_event()),
            Part::Stock => self.stock(game),
            Part::BaseHome | Part::Homes => self.homes(part, game),
            Part::Boxes => self.boxes(game),
            Part::Ports => self.ports(game),
            Part::Holds => self.holds(game),
            Part::Switches => self.once(|viewer| switches(viewer, game)),
            Part::Number => self.once(|_| game.number_chosen()),
            Part::Destination => self.once(|_| game.destination(&game.offer())),
            Part::Choice => self.once(|_| Event::PilotNumberChoice(game.choice())),
            Part::Dice => self.once(|_| Event::Dice(game.roll())),
            Part::Points => self.once(|_| Event::MpLeft(game.points())),
            Part::Winner => match game.winner().filter(|_| self.major == 0) {
                Some(seat) => self.once(|_| Event::PlayerWins(seat)),
                None => Item::Over,
            },
            Part::End => Item::Over,
        }
    }

    fn once(&mut self, event: impl FnOnce(Actor) -> Event<'static>) -> Item {
        if self.major > 0 {
            return Item::Over;
        }
        self.major = 1;
        Item::Tell(event(self.viewer))
    }

    fn each_seat(&mut self, game: &Game, event: impl FnOnce(Seat) -> Event<'static>) -> Item {
        let seat = Seat(self.major);
        if seat.0 >= game.seat_count() {
            return Item::Over;
        }
        self.major += 1;
        Item::Tell(event(seat))
    }

    /// The next token of a culture or seat that has `count` of it. `true`: tell it once more.
    fn copy(&mut self, count: u8) -> bool {
        let more = self.copies < count;
        if more {
            self.copies += 1;
        } else {
            (self.minor, self.copies) = (self.minor + 1, 0);
        }
        more
    }

    /// What stands at every culture: its stock, then its demands.
    fn stock(&mut self, game: &Game) -> Item {
        let Some(culture) = Culture::at(usize::from(self.major)) else { return Item::Over };
        if let Some(token) = Token::at(usize::from(self.minor)) {
            let more = self.copy(game.at_base(culture, token));
            return more.then_some(Event::AddToTradeBase { culture, token, from_cup: false }).into();
        }
        // A culture with nothing at all is named by a token that comes and goes: the first client must have heard of it
        // before it is told where the culture lives.
        let token = Token::FactoryGood(culture);
        let is_bare = Token::all().all(|token| game.at_base(culture, token) == 0);
        if !is_bare || self.copies > 1 {
            (self.major, self.minor, self.copies) = (self.major + 1, 0, 0);
            return Item::Skip;
        }
        self.copies += 1;
        Item::Tell(match self.copies {
            1 => Event::AddToTradeBase { culture, token, from_cup: false },
            _ => Event::SubtractFromTradeBase(culture, token),
        })
    }

    fn may_know(&self, secrecy: Secrecy) -> bool {
        secrecy.is_public() || self.viewer.is_some_and(|seat| secrecy.is_known_to(seat))
    }

    /// The second event of a pair was told: on to the next.
    fn pair(&mut self, first: Event<'static>, second: Option<Event<'static>>) -> Item {
        if self.minor == 0 {
            self.minor = 1;
            return Item::Tell(first);
        }
        (self.major, self.minor) = (self.major + 1, 0);
        second.into()
    }

    fn homes(&mut self, part: Part, game: &Game) -> Item {
        let system = System(self.major);
        if !game.board().systems().any(|other| other == system) {
            return Item::Over;
        }
        let is_told = part == Part::Homes || system == game.board().base();
        let Some(culture) = game.home(system).filter(|_| is_told) else {
            self.major += 1;
            return Item::Skip;
        };
        let secrecy = game.home_secrecy(system);
        let known = self.may_know(secrecy).then_some(Event::BaseLocation(system, culture));
        self.pair(Event::SolarSystemPrivacy(system, secrecy), known)
    }

    fn boxes(&mut self, game: &Game) -> Item {
        let qbox = Qbox(self.major);
        if !game.board().qboxes().any(|other| other == qbox) {
            return Item::Over;
        }
        let (space, secrecy) = (game.board().qbox_space(qbox), game.box_secrecy(qbox));
        let known = self.may_know(secrecy).then(|| Event::QboxContents(space, game.contents(qbox)));
        self.pair(Event::QboxPrivacy(space, secrecy), known)
    }

    /// The built spaceports.
    fn ports(&mut self, game: &Game) -> Item {
        let port = Port(self.major);
        if !game.board().ports().any(|other| other == port) {
            return Item::Over;
        }
        let Some(owner) = game.port_owner(port) else {
            self.major += 1;
            return Item::Skip;
        };
        let space = game.board().port_space(port);
        let contents = Event::QboxContents(space, Contents::Station(Some(owner)));
        self.pair(Event::QboxPrivacy(space, Secrecy::PUBLIC), Some(contents))
    }

    /// What every player has, the ship first; the owner of a factory after its deed. Copies count old ones, then new ones,
    /// then the owner.
    fn holds(&mut self, game: &Game) -> Item {
        let seat = Seat(self.major);
        if seat.0 >= game.seat_count() {
            return Item::Over;
        }
        let Some(token) = Token::at(usize::from(self.minor)) else {
            (self.major, self.minor, self.copies) = (self.major + 1, 0, 0);
            return Item::Skip;
        };
        let old = game.held(seat, token, Age::Old);
        let all = old + game.held(seat, token, Age::New);
        let told = self.copies;
        let is_factory = matches!(token, Token::FactoryDeed(_)) && all > 0;
        if !self.copy(all + u8::from(is_factory)) {
            return Item::Skip;
        }
        let age = if told < old { Age::Old } else { Age::New };
        Item::Tell(match token {
            Token::FactoryDeed(culture) if told >= all => Event::FactoryOwner(culture, seat),
            _ => Event::AddToPlayer(seat, token, age),
        })
    }
}

fn switches(viewer: Actor, game: &Game) -> Event<'static> {
    let seat = game.current();
    if game.phase() == Phase::TechSelect && viewer == Some(seat) {
        return Event::Switchables(game.owned_switches(seat));
    }
    Event::SelectedSwitchables(seat, game.switches())
}

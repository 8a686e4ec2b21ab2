//! The pieces of the game by name and number: spaces, cultures, tokens, seats, switches, dice.
//!
//! What a token costs and who buys it stands in `tokens`; which spaces there are stands in `board`.

/// Things that are counted from 0 and have names of their own.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$one:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
        pub enum $name {
            $($(#[$one])* $variant),+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            pub const COUNT: usize = Self::ALL.len();

            /// Its place among all of them.
            pub const fn index(self) -> usize {
                self as usize
            }

            pub fn at(index: usize) -> Option<Self> {
                Self::ALL.get(index).copied()
            }
        }
    };
}

/// Things that have only a number, counted from 0.
macro_rules! numbered {
    ($(#[$meta:meta])* $name:ident($number:ty)) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub $number);

        impl $name {
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

numbered!(
    /// A space of the board, by its place in the board's table.
    Space(u16)
);
numbered!(
    /// A star system, by its place in the board's table; whether a culture can live there is the board's to say.
    System(u8)
);
numbered!(
    /// A ? box, by its place in the board's table.
    Qbox(u8)
);
numbered!(
    /// An orbit port where a spaceport can be built, by its place in the board's table. Its deed has the same number.
    Port(u8)
);
numbered!(
    /// One of the fares, in the order of the cup's table.
    Fare(u8)
);
numbered!(
    /// One of the kinds of demand, in the order of the cup's table.
    Demand(u8)
);
numbered!(
    /// A player by the order of joining: what the wire calls an id.
    Seat(u8)
);

/// The most seats at a game.
pub const SEATS: usize = 6;
/// The most ? boxes and orbit ports that a board can have.
pub const QBOXES: usize = 24;
pub const PORTS: usize = 25;
/// The most systems that a board can have.
pub const SYSTEMS: usize = 17;
pub const FARES: usize = 10;
pub const DEMANDS: usize = 19;
/// The most dice of a ship.
pub const DICE: usize = 4;

impl Seat {
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SEATS as u8).map(Self)
    }
}

named!(
    /// A culture, and the people of a player; the wire calls both a race. The base at the centre trades like a culture.
    Culture { C1a, C1b, C2, C3, C4a, C4b, C5, C6, C7a, C7b, C8, C9a, C9b, C10, Base }
);

/// The cultures that have a good, an IOU and a factory: all but the base.
pub const PEOPLES: usize = Culture::COUNT - 1;

impl Culture {
    /// What the wire calls it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::C1a => "1a",
            Self::C1b => "1b",
            Self::C2 => "2",
            Self::C3 => "3",
            Self::C4a => "4a",
            Self::C4b => "4b",
            Self::C5 => "5",
            Self::C6 => "6",
            Self::C7a => "7a",
            Self::C7b => "7b",
            Self::C8 => "8",
            Self::C9a => "9a",
            Self::C9b => "9b",
            Self::C10 => "10",
            Self::Base => "base",
        }
    }

    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|culture| culture.id() == id)
    }

    /// All but the base.
    pub fn peoples() -> impl Iterator<Item = Self> + Clone {
        Self::ALL.iter().copied().take(PEOPLES)
    }
}

/// Those that a player can be of.
pub const RACES: [Culture; SEATS] = [Culture::C3, Culture::C4a, Culture::C4b, Culture::C7b, Culture::C8, Culture::C10];

/// Some of the cultures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Cultures(u16);

impl Cultures {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self((1 << Culture::COUNT) - 1);

    pub const fn of(list: &[Culture]) -> Self {
        let mut rest = list;
        let mut set = Self::NONE;
        while let [first, others @ ..] = rest {
            set = Self(set.0 | 1 << *first as u8);
            rest = others;
        }
        set
    }

    pub const fn contains(self, culture: Culture) -> bool {
        self.0 & 1 << culture as u8 != 0
    }

    /// In the order of [`Culture::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Culture> + Clone {
        Culture::ALL.iter().copied().filter(move |culture| self.contains(*culture))
    }
}

named!(
    /// The ships that can be bought.
    Ship { Scout, Clipper, Transport, Freighter }
);
named!(
    /// What can be bought without end: drives, shields and weapons.
    Gear { YellowDrive, RedDrive, CombinedDrive, Shield, Laser, Novaball }
);
named!(
    /// What lies on asteroids: one of each.
    Relic { JumpStart, GateLock, YellowDrive, SwitchSwitch, Shield, AutoPilot, SpyEye, AirFoil, MulliganGear, Laser }
);

/// What can be owned, offered or wanted: 130 that differ, in the order of the table of encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Token {
    Ship(Ship),
    Gear(Gear),
    Relic(Relic),
    Iou(Culture),
    /// The deed of a culture's factory.
    FactoryDeed(Culture),
    /// The ordinary good of a culture.
    Good(Culture),
    /// What a culture's factory makes.
    FactoryGood(Culture),
    /// The deed of a spaceport.
    PortDeed(Port),
    Fare(Fare),
    Demand(Demand),
}

const GEAR: usize = Ship::COUNT;
const RELIC: usize = GEAR + Gear::COUNT;
const PEOPLE: usize = RELIC + Relic::COUNT;
const PORT: usize = PEOPLE + 4 * PEOPLES;
const FARE: usize = PORT + PORTS;
const DEMAND: usize = FARE + FARES;

impl Token {
    pub const COUNT: usize = DEMAND + DEMANDS;

    /// Its place among all of them. The base has no good of its own: such a token counts as the last people's.
    pub fn index(self) -> usize {
        let people = |culture: Culture, which| PEOPLE + 4 * culture.index().min(PEOPLES - 1) + which;
        match self {
            Self::Ship(ship) => ship.index(),
            Self::Gear(gear) => GEAR + gear.index(),
            Self::Relic(relic) => RELIC + relic.index(),
            Self::Iou(culture) => people(culture, 0),
            Self::FactoryDeed(culture) => people(culture, 1),
            Self::Good(culture) => people(culture, 2),
            Self::FactoryGood(culture) => people(culture, 3),
            Self::PortDeed(port) => PORT + port.index(),
            Self::Fare(fare) => FARE + fare.index(),
            Self::Demand(demand) => DEMAND + demand.index(),
        }
    }

    pub fn at(index: usize) -> Option<Self> {
        Some(match index {
            ..GEAR => Self::Ship(Ship::at(index)?),
            GEAR..RELIC => Self::Gear(Gear::at(index - GEAR)?),
            RELIC..PEOPLE => Self::Relic(Relic::at(index - RELIC)?),
            PEOPLE..PORT => {
                let culture = Culture::at((index - PEOPLE) / 4)?;
                match (index - PEOPLE) % 4 {
                    0 => Self::Iou(culture),
                    1 => Self::FactoryDeed(culture),
                    2 => Self::Good(culture),
                    _ => Self::FactoryGood(culture),
                }
            }
            PORT..FARE => Self::PortDeed(Port((index - PORT) as u8)),
            FARE..DEMAND => Self::Fare(Fare((index - FARE) as u8)),
            DEMAND..Self::COUNT => Self::Demand(Demand((index - DEMAND) as u8)),
            _ => return None,
        })
    }

    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).filter_map(Self::at)
    }
}

named!(
    /// Whether a token came to its player in this turn: the 18th field of a token on the wire.
    Age { Old, New }
);

/// A token as an action names it; without an age an old one is meant, or else a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Named {
    pub token: Token,
    pub age: Option<Age>,
}

named!(
    /// What a player sets on or off at the start of a turn, in the order in which the wire lists them.
    Switch { RedDrive, YellowDrive, CombinedDrive, AutoPilot, GateLock, JumpStart }
);

impl Switch {
    /// What the wire calls it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::RedDrive => "RD",
            Self::YellowDrive => "YD",
            Self::CombinedDrive => "CD",
            Self::AutoPilot => "AP",
            Self::GateLock => "GL",
            Self::JumpStart => "JS",
        }
    }
}

/// Some of the switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Switches(u8);

impl Switches {
    pub const NONE: Self = Self(0);

    pub const fn with(self, switch: Switch) -> Self {
        Self(self.0 | 1 << switch as u8)
    }

    pub const fn contains(self, switch: Switch) -> bool {
        self.0 & 1 << switch as u8 != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Are all of these among `others`?
    pub const fn is_within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Switch> {
        Switch::ALL.iter().copied().filter(move |switch| self.contains(*switch))
    }
}

/// Some of the numbers 1 to 6: of a navigation circle, of telegates, of dice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Numbers(u8);

impl Numbers {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(0b11_1111);

    /// From the low six bits: bit 0 is number 1.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Numbers other than 1 to 6 change nothing.
    pub const fn with(self, number: u8) -> Self {
        if number == 0 || number > 6 { self } else { Self(self.0 | 1 << (number - 1)) }
    }

    pub const fn contains(self, number: u8) -> bool {
        number != 0 && number <= 6 && self.0 & 1 << (number - 1) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Ascending.
    pub fn iter(self) -> impl Iterator<Item = u8> + Clone {
        (1..=6).filter(move |number| self.contains(*number))
    }
}

/// The dice of a turn: as many as the ship throws, hidden until the first step is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Roll {
    dice: [u8; DICE],
    count: u8,
}

impl Roll {
    /// So many dice that no one has seen.
    pub const fn hidden(count: u8) -> Self {
        Self { dice: [0; DICE], count: if count as usize > DICE { DICE as u8 } else { count } }
    }

    /// The dice in order, at most [`DICE`].
    pub fn of(values: impl IntoIterator<Item = u8>) -> Self {
        let mut roll = Self::hidden(0);
        for (die, value) in roll.dice.iter_mut().zip(values) {
            *die = value;
            roll.count += 1;
        }
        roll
    }

    /// Each die in order; 0 is hidden.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.dice.iter().copied().take(usize::from(self.count))
    }

    pub const fn count(&self) -> u8 {
        self.count
    }

    pub fn is_hidden(&self) -> bool {
        self.iter().any(|die| die == 0)
    }

    pub fn sum(&self) -> u8 {
        self.iter().sum()
    }

    pub fn numbers(&self) -> Numbers {
        self.iter().fold(Numbers::NONE, Numbers::with)
    }

    /// Changes the first die that shows `old`. `false` if there is none.
    pub fn replace(&mut self, old: u8, new: u8) -> bool {
        let die = self.dice.iter_mut().take(usize::from(self.count)).find(|die| **die == old);
        die.map(|die| *die = new).is_some()
    }
}

named!(
    /// The colour of a dot or penalty. Blue is free with no drive.
    Colour { Blue, Yellow, Red }
);

/// What a ? box turned out to be, or what an orbit port became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Contents {
    /// Its number, 1 to 6.
    Telegate(u8),
    /// With an owner: a built spaceport.
    Station(Option<Seat>),
    Penalty(Colour, u8),
    Asteroid(Option<Relic>),
}

/// The players who know something: all, or some of the seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Secrecy(u8);

impl Secrecy {
    pub const NOBODY: Self = Self(0);
    pub const PUBLIC: Self = Self(0x80);

    /// What is public stays so.
    pub const fn with(self, seat: Seat) -> Self {
        if self.is_public() || seat.0 as usize >= SEATS { self } else { Self(self.0 | 1 << seat.0) }
    }

    pub const fn is_public(self) -> bool {
        self.0 == Self::PUBLIC.0
    }

    pub const fn is_known_to(self, seat: Seat) -> bool {
        self.is_public() || (seat.index() < SEATS && self.0 & 1 << seat.0 != 0)
    }

    /// Can it have come from play with so many seats?
    pub const fn is_sound(self, seats: u8) -> bool {
        self.is_public() || self.0 >> seats == 0
    }
}

named!(
    /// What the game waits for, by the names that the wire has for them.
    Phase {
        InitialState,
        ValidateSetup,
        TechSelect,
        SelectMove,
        Mulligan,
        SelectPilotNumber,
        TradePhase,
        AsteroidPhase,
        TerminalState,
    }
);

impl Phase {
    /// What the wire calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InitialState => "InitialState",
            Self::ValidateSetup => "ValidateSetup",
            Self::TechSelect => "TechSelect",
            Self::SelectMove => "SelectMove",
            Self::Mulligan => "Mulligan",
            Self::SelectPilotNumber => "SelectPilotNumber",
            Self::TradePhase => "TradePhase",
            Self::AsteroidPhase => "AsteroidPhase",
            Self::TerminalState => "TerminalState",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn tokens_are_130_and_found_again_by_their_number() {
        assert_eq!((Token::COUNT, Token::all().count()), (130, 130));
        assert!(Token::all().enumerate().all(|(n, token)| token.index() == n));
        assert_eq!((Token::at(130), Token::at(20)), (None, Some(Token::Iou(Culture::C1a))));
        assert_eq!(Token::at(76), Some(Token::PortDeed(Port(0))));
    }

    #[test]
    fn sets_keep_what_they_are_given() {
        let some = Cultures::of(&[Culture::C10, Culture::C1a, Culture::Base]);
        assert_eq!(some.iter().collect::<Vec<_>>(), [Culture::C1a, Culture::C10, Culture::Base]);
        assert_eq!(Numbers::NONE.with(6).with(1).with(7).with(0).iter().collect::<Vec<_>>(), [1, 6]);
        let known = Secrecy::NOBODY.with(Seat(2));
        assert!(known.is_known_to(Seat(2)) && !known.is_known_to(Seat(1)) && !known.is_known_to(Seat(255)));
        assert!(Secrecy::PUBLIC.with(Seat(0)).is_public() && !known.is_sound(2) && known.is_sound(3));
    }

    #[test]
    fn a_die_is_changed_by_its_value() {
        let mut roll = Roll::of([4, 2, 2]);
        assert!(roll.replace(2, 6) && !roll.replace(5, 1) && !roll.replace(0, 1));
        assert_eq!((roll.iter().collect::<Vec<_>>(), roll.sum()), (Vec::from([4, 6, 2]), 12));
        assert!(Roll::hidden(3).is_hidden() && !roll.is_hidden());
        assert_eq!(roll.numbers().iter().collect::<Vec<_>>(), [2, 4, 6]);
    }

    #[test]
    fn cultures_are_found_by_id() {
        assert!(Culture::ALL.iter().all(|culture| Culture::by_id(culture.id()) == Some(*culture)));
        assert_eq!((Culture::by_id("11"), Culture::by_id("")), (None, None));
    }
}

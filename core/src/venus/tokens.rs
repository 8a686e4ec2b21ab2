//! The catalogue: what every token is called, what it costs and brings, and who buys it.
//!
//! A token on the wire is 18 fields between `|` (venus 2.3), built from these figures by `wire`: the catalogue is the only
//! place where a figure stands.
//!
//! What can never happen here: a panic, an allocation.

use core::fmt::{self, Write};

use super::pieces::{
    Age, Culture, Cultures, DEMANDS, Demand, FARES, Fare, Gear, PEOPLES, PORTS, Port, Relic, Ship, Token,
};

use Culture::{Base, C1a, C1b, C2, C3, C4a, C4b, C5, C6, C7a, C7b, C8, C9a, C9b, C10};

/// What kind of thing a token is: the wire's second field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Class {
    Ship,
    Good,
    Equip,
    Drive,
    Fare,
    Relic,
    Deed,
    Iou,
    Demand,
}

impl Class {
    /// What the wire calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ship => "ship",
            Self::Good => "good",
            Self::Equip => "equip",
            Self::Drive => "drive",
            Self::Fare => "fare",
            Self::Relic => "relic",
            Self::Deed => "deed",
            Self::Iou => "iou",
            Self::Demand => "demand",
        }
    }
}

/// What a culture is good at: it decides which equipment it sells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technology {
    Bioengineers,
    Metaphysics,
    Primitives,
    Industry,
    Technology,
    GalacticBase,
}

impl Technology {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bioengineers => "bioengineers",
            Self::Metaphysics => "metaphysics",
            Self::Primitives => "primitives",
            Self::Industry => "industry",
            Self::Technology => "technology",
            Self::GalacticBase => "galactic base",
        }
    }

    /// The ships and gear that it sells without end, weapons included.
    pub const fn sells(self) -> &'static [Token] {
        use Gear::{CombinedDrive, Laser, Novaball, RedDrive, Shield, YellowDrive};
        use Ship::{Clipper, Freighter, Scout, Transport};
        match self {
            Self::Bioengineers => &[Token::Gear(Shield)],
            Self::Metaphysics => &[Token::Gear(CombinedDrive)],
            Self::Primitives => &[],
            Self::Industry => {
                &[Token::Ship(Transport), Token::Ship(Freighter), Token::Gear(YellowDrive), Token::Gear(Laser)]
            }
            Self::Technology => {
                &[Token::Ship(Scout), Token::Ship(Clipper), Token::Gear(RedDrive), Token::Gear(Novaball)]
            }
            Self::GalacticBase => {
                &[Token::Ship(Scout), Token::Ship(Transport), Token::Ship(Clipper), Token::Ship(Freighter)]
            }
        }
    }
}

/// A culture and what it brings to the table.
struct People {
    name: &'static str,
    technology: Technology,
    iou: u8,
    /// The price of its factory's deed.
    deed: u8,
    good: Ware,
    /// How many there are of its good; of a factory's there is one.
    count: u8,
    factory: Ware,
    buyers: Cultures,
}

/// A good in figures.
struct Ware {
    name: &'static str,
    buy: u8,
    sell: u16,
}

const fn ware(name: &'static str, buy: u8, sell: u16) -> Ware {
    Ware { name, buy, sell }
}

#[allow(clippy::too_many_arguments, reason = "a row of a table")]
const fn people(
    name: &'static str,
    technology: Technology,
    iou: u8,
    deed: u8,
    count: u8,
    good: Ware,
    factory: Ware,
    buyers: &[Culture],
) -> People {
    People { name, technology, iou, deed, good, count, factory, buyers: Cultures::of(buyers) }
}

use Technology::{Bioengineers, GalacticBase, Industry, Metaphysics, Primitives, Technology as Technical};

#[rustfmt::skip]
static PEOPLE: [People; PEOPLES] = [
    people("Nillis", Bioengineers, 80, 100, 5, ware("Bionic Perfume", 80, 140), ware("Guard Plants", 60, 160), &[C2, C3, C4a, C4b]),
    people("Volois", Metaphysics, 120, 200, 6, ware("Voil Silk", 140, 220), ware("Canned Traits", 120, 240), &[C2, C3, C4a, C4b]),
    people("Graw", Primitives, 90, 200, 6, ware("Space Spice", 30, 80), ware("Glorious Junk", 100, 200), &[C3, C4a, C4b, C5]),
    people("Niks", Bioengineers, 80, 200, 6, ware("Mulch Wine", 20, 60), ware("Living Toys", 80, 180), &[C4a, C4b, C5, C6]),
    people("Dell", Industry, 60, 200, 6, ware("Finest Dust", 10, 50), ware("Dribble Glass", 120, 200), &[C5, C6, C7a, C7b]),
    people("Humans", Technical, 90, 100, 5, ware("Rock Videos", 120, 200), ware("Primitive Art", 60, 160), &[C5, C6, C7a, C7b]),
    people("Shenna", Primitives, 90, 100, 6, ware("Melf Pelts", 50, 110), ware("Pet Monsters", 80, 150), &[C6, C7a, C7b, C8]),
    people("Yxklyx", Technical, 100, 200, 6, ware("Immortal Grease", 50, 100), ware("Shining Slime", 100, 200), &[C7a, C7b, C8, C9a, C9b]),
    people("Zum", Industry, 100, 200, 5, ware("Chicle Liquor", 40, 90), ware("Custom Hives", 140, 220), &[C8, C9a, C9b, C10]),
    people("EeepEeep", Technical, 100, 100, 4, ware("Servo Mechanism", 200, 300), ware("Pedigree Bolts", 100, 200), &[C8, C9a, C9b, C10]),
    people("Whynoms", Industry, 80, 100, 4, ware("Impossible Furniture", 110, 180), ware("Other Shoes", 80, 160), &[C9a, C9b, C10, C1a, C1b]),
    people("Cholos", Bioengineers, 90, 200, 6, ware("Designer Genes", 60, 120), ware("Life Projects", 160, 240), &[C10, C1a, C1b, C2]),
    people("Wollow", Primitives, 90, 100, 5, ware("Megalith Paperweight", 90, 160), ware("Portable Pipe Organ", 80, 160), &[C10, C1a, C1b, C2]),
    people("Qossuth", Metaphysics, 120, 200, 4, ware("Psychotic Sculpture", 160, 250), ware("Infinite Puzzles", 120, 250), &[C1a, C1b, C2, C3]),
];

/// The base has no people of its own, nor has a token that names it: figures of both are empty.
static NOBODY: People = people("Galactic Base", GalacticBase, 0, 0, 0, ware("", 0, 0), ware("", 0, 0), &[]);

fn of(culture: Culture) -> &'static People {
    PEOPLE.get(culture.index()).unwrap_or(&NOBODY)
}

impl Culture {
    /// What its people are called.
    pub fn name(self) -> &'static str {
        of(self).name
    }

    pub fn technology(self) -> Technology {
        of(self).technology
    }
}

/// The spaceports, in the order of the board's orbit ports.
static PORT_NAMES: [&str; PORTS] = [
    "Rumbleport",
    "Rainfall",
    "Desolation Landing",
    "Dryport",
    "Bypass",
    "Jellybeast Landing",
    "Jewelport",
    "Ice Station",
    "Cobbleport",
    "Comfort Station",
    "Shuttlestop",
    "Terror Station",
    "Titan's Tower",
    "Paintfall",
    "Poison Port",
    "Moonport",
    "Minion",
    "Whaleport",
    "Wet Landing",
    "Neutron Port",
    "Grandport",
    "Greathome",
    "Goliath",
    "Airhome",
    "Aerie",
];

impl Port {
    /// What its spaceport is called.
    pub fn name(self) -> &'static str {
        PORT_NAMES.get(self.index()).copied().unwrap_or_default()
    }
}

/// The price of every spaceport's deed.
const PORT_DEED: u16 = 200;

/// Where each fare waits, where it wants to go, what it pays.
static FARE_ROWS: [(Culture, Culture, u8); FARES] = [
    (C2, C10, 120),
    (C4a, Base, 180),
    (C5, Base, 140),
    (C6, C4b, 120),
    (C7b, Base, 110),
    (C9b, C5, 110),
    (C10, Base, 150),
    (Base, C9a, 110),
    (Base, C4a, 140),
    (Base, C2, 160),
];

fn fare(fare: Fare) -> (Culture, Culture, u8) {
    FARE_ROWS.get(fare.index()).copied().unwrap_or((Base, Base, 0))
}

impl Fare {
    /// Where it waits.
    pub fn source(self) -> Culture {
        fare(self).0
    }

    /// Where it wants to go.
    pub fn destination(self) -> Culture {
        fare(self).1
    }
}

/// Which culture wants the good of which other, what it adds to the price, how many such demands there are.
static DEMAND_ROWS: [(Culture, Culture, u8, u8); DEMANDS] = [
    (C2, C9a, 40, 2),
    (C2, C10, 90, 1),
    (C3, C1a, 60, 2),
    (C3, C2, 60, 2),
    (C3, C1b, 60, 1),
    (C4a, C3, 60, 2),
    (C4b, C1a, 60, 1),
    (C4b, C2, 40, 4),
    (C5, C3, 40, 3),
    (C5, C4a, 50, 2),
    (C6, C5, 50, 2),
    (C7a, C4a, 50, 3),
    (C7b, C4a, 50, 2),
    (C7b, C6, 50, 3),
    (C8, C7a, 60, 1),
    (C9a, C7a, 60, 2),
    (C9a, C6, 50, 2),
    (C9b, C8, 70, 1),
    (C10, C9a, 60, 2),
];

fn demand(demand: Demand) -> (Culture, Culture, u8, u8) {
    DEMAND_ROWS.get(demand.index()).copied().unwrap_or((Base, Base, 0, 0))
}

impl Demand {
    /// The culture that wants it.
    pub fn at(self) -> Culture {
        demand(self).0
    }

    /// The culture whose good it wants.
    pub fn wants(self) -> Culture {
        demand(self).1
    }
}

impl Ship {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scout => "Scout",
            Self::Clipper => "Clipper",
            Self::Transport => "Transport",
            Self::Freighter => "Freighter",
        }
    }

    /// How many dice it throws.
    pub const fn dice(self) -> u8 {
        match self {
            Self::Scout | Self::Transport => 3,
            Self::Clipper => 4,
            Self::Freighter => 2,
        }
    }

    /// Its holds, in halves.
    pub const fn half_holds(self) -> u8 {
        match self {
            Self::Scout | Self::Clipper => 4,
            Self::Transport => 6,
            Self::Freighter => 10,
        }
    }

    const fn buy(self) -> u16 {
        match self {
            Self::Scout => 60,
            Self::Clipper => 120,
            Self::Transport => 240,
            Self::Freighter => 300,
        }
    }
}

impl Gear {
    pub const fn name(self) -> &'static str {
        match self {
            Self::YellowDrive => "Yellow Drive",
            Self::RedDrive => "Red Drive",
            Self::CombinedDrive => "Combined Drive",
            Self::Shield => "Shield -20",
            Self::Laser => "Laser 20",
            Self::Novaball => "Novaball 20",
        }
    }

    /// A drive fills half a hold; of the other gear the first of its name is free.
    pub const fn is_drive(self) -> bool {
        matches!(self, Self::YellowDrive | Self::RedDrive | Self::CombinedDrive)
    }

    /// It serves the optional combat rules alone.
    pub const fn is_weapon(self) -> bool {
        matches!(self, Self::Laser | Self::Novaball)
    }

    const fn buy(self) -> u16 {
        match self {
            Self::YellowDrive => 80,
            Self::RedDrive => 120,
            Self::CombinedDrive => 300,
            Self::Shield => 60,
            Self::Laser => 100,
            Self::Novaball => 20,
        }
    }
}

impl Relic {
    pub const fn name(self) -> &'static str {
        match self {
            Self::JumpStart => "Jump Start",
            Self::GateLock => "Gate Lock",
            Self::YellowDrive => "Yellow Drive",
            Self::SwitchSwitch => "Switch Switch",
            Self::Shield => "Shield -20",
            Self::AutoPilot => "Auto Pilot",
            Self::SpyEye => "Spy Eye",
            Self::AirFoil => "Air Foil",
            Self::MulliganGear => "Mulligan Gear",
            Self::Laser => "Laser 20",
        }
    }

    /// It serves the optional combat rules alone.
    pub const fn is_weapon(self) -> bool {
        matches!(self, Self::Laser)
    }

    const fn buy(self) -> u16 {
        match self {
            Self::JumpStart | Self::MulliganGear => 120,
            Self::GateLock | Self::SwitchSwitch | Self::SpyEye | Self::Laser => 100,
            Self::YellowDrive | Self::AutoPilot | Self::AirFoil => 80,
            Self::Shield => 60,
        }
    }
}

impl Token {
    pub const fn class(self) -> Class {
        match self {
            Self::Ship(_) => Class::Ship,
            Self::Gear(gear) if gear.is_drive() => Class::Drive,
            Self::Gear(_) => Class::Equip,
            Self::Relic(_) => Class::Relic,
            Self::Iou(_) => Class::Iou,
            Self::FactoryDeed(_) | Self::PortDeed(_) => Class::Deed,
            Self::Good(_) | Self::FactoryGood(_) => Class::Good,
            Self::Fare(_) => Class::Fare,
            Self::Demand(_) => Class::Demand,
        }
    }

    /// What a player pays for it.
    pub fn buy(self) -> u16 {
        match self {
            Self::Ship(ship) => ship.buy(),
            Self::Gear(gear) => gear.buy(),
            Self::Relic(relic) => relic.buy(),
            Self::FactoryDeed(culture) => u16::from(of(culture).deed),
            Self::Good(culture) => u16::from(of(culture).good.buy),
            Self::FactoryGood(culture) => u16::from(of(culture).factory.buy),
            Self::PortDeed(_) => PORT_DEED,
            Self::Iou(_) | Self::Fare(_) | Self::Demand(_) => 0,
        }
    }

    /// What it brings: its price, what it is traded in or redeemed for, a fare's payment, what a demand adds.
    pub fn sell(self) -> u16 {
        match self {
            Self::Ship(_) | Self::Gear(_) | Self::Relic(_) => self.buy() / 2,
            Self::Iou(culture) => u16::from(of(culture).iou),
            Self::FactoryDeed(_) | Self::PortDeed(_) => 0,
            Self::Good(culture) => of(culture).good.sell,
            Self::FactoryGood(culture) => of(culture).factory.sell,
            Self::Fare(one) => u16::from(fare(one).2),
            Self::Demand(one) => u16::from(demand(one).2),
        }
    }

    /// The cultures that take it from a player: that buy it, redeem it, or are where a fare wants to go.
    pub fn buyers(self) -> Cultures {
        match self {
            Self::Gear(_) | Self::Relic(_) => Cultures::ALL,
            Self::Iou(culture) => Cultures::of(&[culture]),
            Self::Good(culture) | Self::FactoryGood(culture) => of(culture).buyers,
            Self::Fare(fare) => Cultures::of(&[fare.destination()]),
            Self::Ship(_) | Self::FactoryDeed(_) | Self::PortDeed(_) | Self::Demand(_) => Cultures::NONE,
        }
    }

    /// Where it goes when it is drawn from the cup, or which culture's factory a deed is for.
    pub fn source(self) -> Option<Culture> {
        match self {
            Self::FactoryDeed(culture) | Self::Good(culture) | Self::FactoryGood(culture) => Some(culture),
            Self::Fare(fare) => Some(fare.source()),
            Self::Demand(demand) => Some(demand.at()),
            Self::Ship(_) | Self::Gear(_) | Self::Relic(_) | Self::Iou(_) | Self::PortDeed(_) => None,
        }
    }

    /// Buying it leaves as many as there were.
    pub const fn is_unlimited(self) -> bool {
        matches!(self, Self::Ship(_) | Self::Gear(_))
    }

    /// How many of it a game has; of what is unlimited, none to begin with.
    pub fn count(self) -> u8 {
        match self {
            Self::Ship(_) | Self::Gear(_) => 0,
            Self::Good(culture) => of(culture).count,
            Self::Demand(one) => demand(one).3,
            _ => 1,
        }
    }

    /// It serves the optional combat rules alone.
    pub const fn is_weapon(self) -> bool {
        match self {
            Self::Gear(gear) => gear.is_weapon(),
            Self::Relic(relic) => relic.is_weapon(),
            _ => false,
        }
    }

    /// Its name, which is the wire's first field.
    pub fn write_name(self, out: &mut impl Write) -> fmt::Result {
        match self {
            Self::Ship(ship) => out.write_str(ship.name()),
            Self::Gear(gear) => out.write_str(gear.name()),
            Self::Relic(relic) => out.write_str(relic.name()),
            Self::Good(culture) => out.write_str(of(culture).good.name),
            Self::FactoryGood(culture) => out.write_str(of(culture).factory.name),
            Self::PortDeed(port) => out.write_str(port.name()),
            Self::Demand(demand) => out.write_str(of(demand.wants()).good.name),
            Self::Iou(culture) => put_all(out, ["IOU ", culture.id()]),
            Self::Fare(fare) => put_all(out, ["Fare to ", fare.destination().id()]),
            Self::FactoryDeed(culture) => {
                let Ware { name, buy, sell } = &of(culture).factory;
                put_all(out, [name, " ($"])?;
                put_number(out, u16::from(*buy))?;
                out.write_str("/$")?;
                put_number(out, *sell)?;
                out.write_str(")")
            }
        }
    }
}

impl Age {
    /// What the wire calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
        }
    }
}

pub(super) fn put_all<const N: usize>(out: &mut impl Write, parts: [&str; N]) -> fmt::Result {
    parts.iter().try_for_each(|part| out.write_str(part))
}

/// Digits, without the formatting machinery: prices have at most three.
pub(super) fn put_number(out: &mut impl Write, number: u16) -> fmt::Result {
    let digits = [number / 100 % 10, number / 10 % 10, number % 10];
    let first = if number >= 100 {
        0
    } else if number >= 10 {
        1
    } else {
        2
    };
    digits.iter().skip(first).try_for_each(|digit| out.write_char(char::from(b'0' + *digit as u8)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    #[test]
    fn the_sums_are_those_of_the_box() {
        let count = |class: Class, made: bool| {
            let is = |token: &Token| token.class() == class && made == matches!(token, Token::FactoryGood(_));
            Token::all().filter(is).map(|token| u32::from(token.count())).sum::<u32>()
        };
        assert_eq!((count(Class::Good, false), count(Class::Good, true)), (74, 14));
        assert_eq!((count(Class::Demand, false), count(Class::Fare, false)), (38, 10));
        assert_eq!((count(Class::Deed, false), count(Class::Iou, false), count(Class::Relic, false)), (39, 14, 10));
        // A demand is for a good that its culture buys, else no player could ever serve it.
        for demand in (0..DEMANDS as u8).map(Demand) {
            assert!(Token::Good(demand.wants()).buyers().contains(demand.at()), "{demand:?}");
        }
        // Commissions of a tenth and halves are never rounded.
        assert!(Token::all().all(|token| token.buy() % 10 == 0 && token.sell() % 5 == 0));
        assert!(Token::all().filter(|token| !matches!(token.class(), Class::Ship)).all(|t| t.sell() % 10 == 0));
    }

    #[test]
    fn every_culture_sells_what_its_technology_makes() {
        let names = |culture: Culture| {
            let mut text = String::new();
            for token in culture.technology().sells() {
                token.write_name(&mut text).unwrap();
                text.push('|');
            }
            text
        };
        assert_eq!(names(C1a), "Shield -20|");
        assert_eq!(names(C8), "Transport|Freighter|Yellow Drive|Laser 20|");
        assert_eq!(names(C6), "Scout|Clipper|Red Drive|Novaball 20|");
        assert_eq!((names(C2), names(C10)), (String::new(), String::from("Combined Drive|")));
        assert_eq!((names(Base), Base.name()), ("Scout|Transport|Clipper|Freighter|".into(), "Galactic Base"));
    }
}

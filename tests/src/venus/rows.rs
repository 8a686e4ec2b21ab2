//! Positions as rows of text: `at loom_1; dice 3 4; boxes ember_3 Telegate 1 all`.
//!
//! Fields stand between semicolons, the first word of each says what it is. What a row leaves out is as
//! [`Position::new`] has it.

use parlor_core::venus::board::{Board, Chart};
use parlor_core::venus::pieces::{Colour, Contents, Culture, Gear, Relic, Seat, Secrecy, Ship, Space, Switch};
use parlor_core::venus::rules::{Game, Offer, Position};

/// A row: what it is called, its position, and the fields that say what must come of it.
pub struct Row {
    pub name: String,
    pub position: Position,
    /// Fields that are no part of the position: their word and what follows it.
    pub rest: Vec<(String, String)>,
}

/// All rows of a file; blank lines and those that begin with # are notes.
pub fn read(text: &str) -> Vec<Row> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|line| row(line).unwrap_or_else(|| panic!("not a row: {line}"))).collect()
}

fn row(line: &str) -> Option<Row> {
    let (name, fields) = line.split_once(':')?;
    let mut position = Position::new(Chart::Pocket);
    let mut rest = Vec::new();
    for field in fields.split(';').map(str::trim).filter(|field| !field.is_empty()) {
        let (word, value) = field.split_once(' ').unwrap_or((field, ""));
        if !set(&mut position, word, value)? {
            rest.push((word.to_owned(), value.trim().to_owned()));
        }
    }
    Some(Row { name: name.trim().to_owned(), position, rest })
}

fn set(position: &mut Position, word: &str, value: &str) -> Option<bool> {
    let board = position.chart.board();
    match word {
        "board" => {
            position.chart = if value == "galaxy" { Chart::Galaxy } else { Chart::Pocket };
            position.space = position.chart.board().base_space();
        }
        "at" => position.space = board.named(value)?,
        "ship" => position.ship = *Ship::ALL.iter().find(|ship| ship.name() == value)?,
        "cash" => position.cash = value.parse().ok()?,
        "points" => position.points = value.parse().ok()?,
        "number" => position.number = value.parse().ok()?,
        "moved" => position.has_moved = true,
        "dice" => position.dice = value.split(' ').map(|die| die.parse().ok()).collect::<Option<_>>()?,
        "relics" => {
            let named = |name: &str| Relic::ALL.iter().copied().find(|relic| relic.name() == name.trim());
            position.relics = value.split(',').map(named).collect::<Option<_>>()?;
        }
        "gear" => {
            let named = |name: &str| Gear::ALL.iter().copied().find(|gear| gear.name() == name.trim());
            position.gear = value.split(',').map(named).collect::<Option<_>>()?;
        }
        "on" => {
            for code in value.split(' ') {
                position.switches = position.switches.with(*Switch::ALL.iter().find(|one| one.code() == code)?);
            }
        }
        "box" => {
            let (space, rest) = value.split_once(" = ")?;
            let (contents, known) = rest.rsplit_once(' ')?;
            let qbox = board.qbox_at(board.named(space)?)?;
            position.boxes.push((qbox, contents_of(contents)?, known_to(known)?)).ok()?;
        }
        "home" => {
            let (system, rest) = value.split_once(" = ")?;
            let (culture, known) = rest.rsplit_once(' ')?;
            let culture = Culture::by_id(culture)?;
            position.homes.push((board.system_named(system)?, culture, known_to(known)?)).ok()?;
        }
        "port" => {
            let port = board.port_at(board.named(value)?)?;
            position.ports.push((port, Seat(1))).ok()?;
        }
        "walked" => {
            for step in value.split(',') {
                let (from, to) = step.trim().split_once('>')?;
                position.walked.push((board.named(from)?, board.named(to)?)).ok()?;
            }
        }
        _ => return Some(false),
    }
    Some(true)
}

fn known_to(word: &str) -> Option<Secrecy> {
    Some(match word {
        "all" => Secrecy::PUBLIC,
        "me" => Secrecy::NOBODY.with(Seat(0)),
        "other" => Secrecy::NOBODY.with(Seat(1)),
        "nobody" => Secrecy::NOBODY,
        _ => return None,
    })
}

/// `Telegate 3`, `Station`, `Penalty R 20`, `Asteroid Air Foil`.
fn contents_of(text: &str) -> Option<Contents> {
    let (word, value) = text.split_once(' ').unwrap_or((text, ""));
    Some(match word {
        "Telegate" => Contents::Telegate(value.parse().ok()?),
        "Station" => Contents::Station(None),
        "Penalty" => {
            let (colour, sum) = value.split_once(' ')?;
            let colour = match colour {
                "B" => Colour::Blue,
                "Y" => Colour::Yellow,
                "R" => Colour::Red,
                _ => return None,
            };
            Contents::Penalty(colour, sum.parse().ok()?)
        }
        "Asteroid" => Contents::Asteroid(Some(*Relic::ALL.iter().find(|relic| relic.name() == value)?)),
        _ => return None,
    })
}

/// What is offered, as DESTINATION writes it.
pub fn list(board: &Board, offer: &Offer) -> String {
    let texts = offer.steps.iter().map(|step| {
        let kind = if step.is_jump { "jump" } else { "walk" };
        let digits: String = step.numbers.iter().map(|number| number.to_string()).collect();
        let tail = if digits.is_empty() { String::new() } else { format!("!{digits}") };
        format!("{}!{kind}!{}{tail}", board.name(step.space), step.cost)
    });
    texts.collect::<Vec<_>>().join("/")
}

/// A space by its name, for tests that name them.
pub fn space(game: &Game, name: &str) -> Space {
    game.board().named(name).unwrap_or_else(|| panic!("no space {name}"))
}

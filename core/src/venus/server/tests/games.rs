//! Whole games over the wire by players who do whatever is announced to them, and now and then what is not.

use super::{CONFIG, House};
use crate::venus::server::Config;
use crate::venus::wire::{ACTIONS, Event};
use std::collections::{BTreeMap, BTreeSet};
use std::string::{String, ToString};
use std::vec::Vec;

/// A small generator: the same games every time.
struct Chance(u32);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % bound.max(1)
    }
    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

/// What a player knows: what it was last told that it may do, and what with.
#[derive(Default)]
struct Mind {
    legal: BTreeSet<String>,
    state: String,
    destinations: Vec<String>,
    numbers: String,
    dice: String,
    switchables: String,
    /// What stood at bases.
    tokens: Vec<String>,
    seat: String,
    /// What this player has.
    mine: Vec<String>,
}

impl Mind {
    fn hear(&mut self, lines: &[String]) {
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            match fields[0] {
                "NEWSTATE" => {
                    self.state = fields[1].to_string();
                    self.legal.clear();
                }
                "LEGALACTION" => {
                    self.legal.insert(fields[1].to_string());
                }
                "DESTINATION" => {
                    let steps = fields[3].split('/').filter(|step| !step.is_empty());
                    self.destinations = steps.map(ToString::to_string).collect();
                }
                "PILOTNUMBERCHOICE" => self.numbers = fields[1].to_string(),
                "DICE" => self.dice = fields[1].to_string(),
                "SWITCHABLES" => self.switchables = fields[1].to_string(),
                "RESET" => *self = Self::default(),
                "IAM" => self.seat = fields[1].to_string(),
                "ADDTOTRADEBASE" => self.tokens.push(fields[2].to_string()),
                "ADDTOPLAYER" if fields[1] == self.seat => self.mine.push(fields[2].to_string()),
                "SUBTRACTFROMPLAYER" if fields[1] == self.seat => {
                    let place = self.mine.iter().position(|token| token == fields[2]).unwrap();
                    self.mine.remove(place);
                }
                "AGEPLAYER" if fields[1] == self.seat => {
                    self.mine.iter_mut().for_each(|token| *token = token.replace("|new", "|old"));
                }
                _ => {}
            }
        }
        let far = self.tokens.len().saturating_sub(300);
        self.tokens.drain(..far);
    }

    /// A line for this action, as a client of sound mind would send it.
    fn line(&self, verb: &str, chance: &mut Chance) -> String {
        let digit = |text: &str, chance: &mut Chance| {
            let digits: Vec<char> = text.chars().collect();
            chance.one(&digits).copied().unwrap_or('1').to_string()
        };
        let argument = match verb {
            "SELECTDESTINATION" => {
                let step = chance.one(&self.destinations).cloned().unwrap_or_default();
                let mut parts = step.split('!');
                let space = parts.next().unwrap_or_default();
                Some(std::format!("{space},{}", u8::from(parts.next() == Some("jump"))))
            }
            "SELECTPILOTNUMBER" => Some(digit(&self.numbers, chance)),
            "MULLIGAN" => Some(digit(&self.dice, chance)),
            "SELECTSWITCHABLES" => Some(self.switchables.clone()),
            "OPTIONS" => Some("1000".to_string()),
            "SELL" | "DROPOFF" | "JETTISON" if chance.below(8) > 0 => {
                Some(chance.one(&self.mine).cloned().unwrap_or_default())
            }
            "BUY" | "SELL" | "PICKUP" | "DROPOFF" | "JETTISON" | "TRADEINSHIP" => {
                Some(chance.one(&self.tokens).cloned().unwrap_or_default())
            }
            _ => None,
        };
        argument.map_or(verb.to_string(), |argument| std::format!("{verb},{argument}"))
    }
}

/// Did the action that this came back for change anything?
fn was_taken(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("NEWSTATE"))
}

fn note(seen: &mut BTreeMap<String, usize>, lines: &[String]) {
    for line in lines {
        *seen.entry(line.split(',').next().unwrap().to_string()).or_default() += 1;
    }
}

/// One game of three, with cuts; gives how often each event came, and each action was taken.
fn play(seed: u32, actions: usize, seen: &mut BTreeMap<String, usize>, taken: &mut BTreeMap<String, usize>) -> bool {
    let chance = &mut Chance(seed);
    let config = Config { pocket: !seed.is_multiple_of(4), weapons: seed.is_multiple_of(3), ..CONFIG };
    let mut house = House::with_game(&config, &[]);
    let mut minds: BTreeMap<&str, Mind> = ["ann", "bob", "cat"].map(|name| (name, Mind::default())).into();
    for _ in 0..actions {
        for (name, mind) in &mut minds {
            let lines = house.heard(name);
            note(seen, &lines);
            mind.hear(&lines);
        }
        if minds["ann"].state == "TerminalState" {
            return true;
        }
        if chance.below(60) == 0 {
            let name = *chance.one(&["ann", "bob", "cat"]).unwrap();
            house.hang_up(name);
            house.login(name);
            house.say(name, "CHANGEROOM,den");
            minds.insert(name, Mind::default());
            continue;
        }
        let name = *chance.one(&["ann", "bob", "cat"]).unwrap();
        let mind = &minds[name];
        let legal: Vec<&String> = mind.legal.iter().collect();
        // The end of a turn comes often enough.
        let verb = match (chance.below(12), legal.is_empty()) {
            (_, true) if chance.below(4) > 0 => continue,
            (0, _) | (_, true) => chance.one(&ACTIONS[9..]).unwrap().0.to_string(),
            // Who throws everything overboard earns nothing.
            (3..5, _) if mind.legal.contains("SELL") => "SELL".to_string(),
            (1..3, _) if mind.legal.contains("ENDTURN") => "ENDTURN".to_string(),
            _ => (*chance.one(&legal).unwrap()).clone(),
        };
        let was_announced = mind.legal.contains(&verb);
        let line = mind.line(&verb, chance);
        let before = house.venus.game("den").cloned();
        house.say(name, &line);
        let lines = house.heard(name);
        note(seen, &lines);
        let is_same = house.venus.game("den").cloned() == before;
        if was_taken(&lines) {
            assert!(was_announced, "{name} was not told of {line}: {lines:?}");
            *taken.entry(verb).or_default() += 1;
        } else {
            assert!(is_same, "{line} was refused and changed the game: {lines:?}");
            assert!(lines.last().is_some_and(|last| last.starts_with("ERROR")), "{line}: {lines:?}");
            let is_reasoned = lines.iter().any(|line| line.starts_with("MOVERROR"));
            assert!(!was_announced || is_reasoned || lines[0].contains("malformed"), "{line}: {lines:?}");
        }
        minds.get_mut(name).unwrap().hear(&lines);
    }
    false
}

#[test]
fn nothing_is_taken_that_was_not_announced() {
    let (mut seen, mut taken) = (BTreeMap::new(), BTreeMap::new());
    let ended = (1..=4).filter(|seed| play(*seed, 5_000, &mut seen, &mut taken)).count();
    std::println!("{ended} games ended; events {seen:?}; actions {taken:?}");
    for verb in
        ["SELECTDESTINATION", "SELECTPILOTNUMBER", "SELECTSWITCHABLES", "ENDMOVE", "BUY", "SELL", "GETRELIC", "ENDTURN"]
    {
        assert!(taken.contains_key(verb), "{verb} was never taken");
    }
    assert!(seen.contains_key("BASELOCATION") && seen.contains_key("QBOXCONTENTS"));
}

/// Every line that a server says is one that a client can read, and reads as the same.
#[test]
fn all_that_is_said_is_read_again() {
    let mut house = House::with_game(&CONFIG, &[]);
    let (mut room, mut again) = ([0; 600], [0; 600]);
    for name in ["ann", "bob", "cat"] {
        for line in house.heard(name) {
            let event = Event::parse(line.as_bytes(), &mut room).unwrap_or_else(|| panic!("{line}"));
            let length = event.write(&mut again).unwrap();
            assert_eq!(&again[..length - 1], line.as_bytes());
        }
    }
}

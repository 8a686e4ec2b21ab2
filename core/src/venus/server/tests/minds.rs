//! Players at random: what each was told over the wire, and what it says, sense or nonsense.

use super::House;
use crate::venus::wire::ACTIONS;
use std::collections::{BTreeMap, BTreeSet};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// A small generator: the same games every time.
#[derive(Clone)]
pub struct Chance(pub u32);

impl Chance {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % bound.max(1)
    }
    pub fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

/// What a player knows: what it was last told that it may do, and what with.
#[derive(Clone, Default)]
pub struct Mind {
    pub legal: BTreeSet<String>,
    pub state: String,
    destinations: Vec<String>,
    numbers: String,
    dice: String,
    switchables: String,
    /// What stood at bases.
    tokens: Vec<String>,
    pub seat: String,
    /// What this player has.
    mine: Vec<String>,
}

impl Mind {
    pub fn hear(&mut self, lines: &[String]) {
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
    pub fn line(&self, verb: &str, chance: &mut Chance) -> String {
        let digit = |text: &str, chance: &mut Chance| {
            let digits: Vec<char> = text.chars().collect();
            chance.one(&digits).copied().unwrap_or('1').to_string()
        };
        let argument = match verb {
            "SELECTDESTINATION" => {
                let step = chance.one(&self.destinations).cloned().unwrap_or_default();
                let mut parts = step.split('!');
                let space = parts.next().unwrap_or_default();
                Some(format!("{space},{}", u8::from(parts.next() == Some("jump"))))
            }
            "SELECTPILOTNUMBER" => Some(digit(&self.numbers, chance)),
            "MULLIGAN" => Some(digit(&self.dice, chance)),
            "SELECTSWITCHABLES" => Some(self.switchables.clone()),
            "OPTIONS" => Some("1000".to_string()),
            "SELL" | "DROPOFF" | "JETTISON" if !chance.one_in(8) => {
                Some(chance.one(&self.mine).cloned().unwrap_or_default())
            }
            "BUY" | "SELL" | "PICKUP" | "DROPOFF" | "JETTISON" | "TRADEINSHIP" => Some(self.ware(verb, chance)),
            _ => None,
        };
        argument.map_or(verb.to_string(), |argument| format!("{verb},{argument}"))
    }

    /// A token that stood somewhere: half of the time one that the action is about.
    fn ware(&self, verb: &str, chance: &mut Chance) -> String {
        let class = match verb {
            "PICKUP" | "DROPOFF" => "|fare|",
            "TRADEINSHIP" => "|ship|",
            _ => "|",
        };
        let fitting: Vec<&String> = self.tokens.iter().filter(|token| token.contains(class)).collect();
        match chance.one(&fitting) {
            Some(token) if !chance.one_in(2) => (*token).clone(),
            _ => chance.one(&self.tokens).cloned().unwrap_or_default(),
        }
    }

    /// The same with an argument that is none, one too many or one too few.
    pub fn spoilt_line(&self, verb: &str, chance: &mut Chance) -> String {
        let line = self.line(verb, chance);
        match (chance.below(3), line.rsplit_once(',')) {
            (0, _) => format!("{line},"),
            (1, Some((head, _))) => format!("{head},{}", chance.one(&["", "x", "-1", "9", "99999999999"]).unwrap()),
            (_, Some((head, _))) => head.to_string(),
            _ => format!("{line},1,2,3"),
        }
    }

    /// Something that was announced: the end of a turn comes often enough, and who throws everything overboard earns
    /// nothing.
    pub fn likely_verb(&self, chance: &mut Chance) -> Option<String> {
        let is_announced = |verb: &&str| self.legal.contains(*verb);
        let favoured = match chance.below(12) {
            0..2 => ["ENDTURN", "VALIDATESETUP"].into_iter().find(is_announced),
            2..4 => ["SELL", "LIKEOPTIONS"].into_iter().find(is_announced),
            4..7 => ["JOIN", "SELECTDESTINATION", "LIKEOPTIONS"].into_iter().find(is_announced),
            _ => None,
        };
        let legal: Vec<&String> = self.legal.iter().collect();
        favoured.map(str::to_string).or_else(|| chance.one(&legal).map(|verb| (*verb).clone()))
    }

    /// Any action of the game, announced or not.
    pub fn any_verb(&self, chance: &mut Chance) -> String {
        chance.one(&ACTIONS[9..]).unwrap().0.to_string()
    }
}

/// What everybody in a house knows.
pub type Minds = BTreeMap<&'static str, Mind>;

pub fn minds(names: &[&'static str]) -> Minds {
    names.iter().map(|name| (*name, Mind::default())).collect()
}

/// Everybody takes in what was said; what each has heard.
pub fn listen(house: &mut House, minds: &mut Minds) -> BTreeMap<&'static str, Vec<String>> {
    let heard = minds.iter_mut().map(|(name, mind)| {
        let lines = house.heard(name);
        mind.hear(&lines);
        (*name, lines)
    });
    heard.collect()
}

/// Loses the connection and comes back to the room.
pub fn come_back(house: &mut House, name: &str) {
    house.hang_up(name);
    house.login(name);
    house.say(name, "CHANGEROOM,den");
}

/// Whose turn it is to say something, and what: mostly what was announced to somebody.
pub fn any_line(minds: &Minds, chance: &mut Chance) -> (&'static str, String) {
    let asked: Vec<&'static str> =
        minds.iter().filter(|(_, mind)| !mind.legal.is_empty()).map(|(name, _)| *name).collect();
    let all: Vec<&'static str> = minds.keys().copied().collect();
    let is_wild = chance.one_in(12);
    let name = *chance.one(if is_wild || asked.is_empty() { &all } else { &asked }).unwrap();
    let mind = &minds[name];
    let verb = mind.likely_verb(chance).filter(|_| !is_wild).unwrap_or_else(|| mind.any_verb(chance));
    let line = if chance.one_in(24) { mind.spoilt_line(&verb, chance) } else { mind.line(&verb, chance) };
    (name, line)
}

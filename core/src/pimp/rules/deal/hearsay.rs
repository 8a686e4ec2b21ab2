//! What a party has heard of a deal is what a resync would tell it (pimp 14.6): random talk, checked after every word.

use std::collections::{BTreeMap, BTreeSet};
use std::string::{String, ToString};
use std::vec::Vec;

use super::super::testing::Table;
use super::super::{BANK, Phase, TransferTo, UserId};
use super::testing::{
    add, add_card, agree, bankrupt, brief, cancel, deed, finish, remove, remove_card, reopen, set, trade,
};
use crate::dice::{Dice, Stream};
use crate::pimp::board::{Card, Square};
use crate::pimp::wire::{Direction, Message, TABLE};

#[derive(Clone, Debug, Default, PartialEq)]
struct Offer {
    cash: u32,
    goods: BTreeSet<(char, u32)>,
    step: u8,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Heard {
    announced: String,
    own: Offer,
    other: Offer,
}

/// All deals a user has heard of.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ear(BTreeMap<u32, Heard>);

impl Ear {
    /// One brief line without its audience.
    fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or_default();
        let id: u32 = number(1);
        if words[0].ends_with("_REQUESTED") {
            let new = Heard { announced: line.to_string(), ..Heard::default() };
            assert!(self.0.insert(id, new).is_none(), "announced twice: {line}");
            return;
        }
        if ["CANCELLED", "FINALISED"].contains(&words[0]) {
            assert!(self.0.remove(&id).is_some(), "ended twice: {line}");
            return;
        }
        if words[0].starts_with("ERROR") || words[0] == "MONEY_BEING_HELD_IN_ESCROW" || words[0] == "UNUSUAL" {
            return;
        }
        let deal = self.0.get_mut(&id).expect("a deal that was announced");
        let (side, what) = match words[0].strip_prefix("OTHER_") {
            Some(what) => (&mut deal.other, what),
            None => (&mut deal.own, words[0]),
        };
        match what {
            "CASH_SET" => side.cash = number(2),
            "PROPERTY_ADDED" => assert!(side.goods.insert(('p', number(2))), "{line}"),
            "PROPERTY_REMOVED" => assert!(side.goods.remove(&('p', number(2))), "{line}"),
            "CARD_ADDED" => assert!(side.goods.insert(('c', number(2))), "{line}"),
            "CARD_REMOVED" => assert!(side.goods.remove(&('c', number(2))), "{line}"),
            "REOPENED" => side.step = 0,
            "FINISHED" => side.step = 1,
            "AGREED" => side.step = 2,
            other => panic!("what is {other}?"),
        }
    }
}

struct Talk {
    table: Table,
    ears: BTreeMap<UserId, Ear>,
    random: Dice,
}

impl Talk {
    fn new(seed: u8) -> Self {
        let mut random = Dice::new();
        random.begin(&[seed; 32]);
        let mut table = Table::new(4);
        for user in 1..=4 {
            table.own(user, &[user - 1, user + 5, user + 9, user + 20]).cash(user, 300);
        }
        table.hold_card(1, 7).hold_card(2, 20);
        Self { table, ears: BTreeMap::new(), random }
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.random.below(Stream::Shuffle, bound)
    }

    fn player(&mut self) -> UserId {
        let at = self.below(self.table.game.players.len() as u32);
        self.table.game.players[at as usize].id
    }

    fn observer(&mut self) -> UserId {
        (1..).find(|user| !self.table.game.is_player(*user)).unwrap()
    }

    /// A word of one party of some deal, sensible or not.
    fn word(&mut self) -> Option<(UserId, Message<'static>)> {
        let open: Vec<_> = self.table.game.deals.iter().map(|deal| (deal.id, deal.parties(), deal.amount)).collect();
        let (id, parties, amount) = *open.get(self.below(open.len().max(1) as u32) as usize)?;
        let user = parties[self.below(2) as usize];
        let number = self.below(28) as u8;
        let action = match self.below(16) {
            0 => set(id, self.below(400)),
            1 => set(id, amount),
            2 | 3 => add(id, number),
            4 => remove(id, number),
            5 => add_card(id, if number < 14 { 7 } else { 20 }),
            6 => remove_card(id, 7),
            7..10 => finish(id),
            10 => reopen(id),
            11 if number < 8 => cancel(id),
            12 => bankrupt(id),
            _ => agree(id),
        };
        (user != BANK).then_some((user, action))
    }

    /// Something that opens deals or moves what deals are about.
    fn event(&mut self) {
        let (one, two) = (self.player(), self.player());
        let (amount, property) = (self.below(200) + 1, self.below(28) as u8);
        match self.below(20) {
            0..4 => drop(self.table.act(one, trade(two))),
            4 | 5 if one != two => drop(self.table.rent_debt_told(one, two, property, amount)),
            6 if one != two => self.table.run(|game, cx| game.open_card(cx, one, two, Card::new(22).unwrap(), 50)),
            7 => self.table.run(|game, cx| game.open_fee(cx, one, amount)),
            8 if !matches!(self.table.game.phase, Phase::Held { .. }) => {
                self.table.run(|game, cx| game.open_square(cx, one, Square::LUXURY_TAX, amount));
            }
            9 => self.table.run(|game, cx| game.move_cash(cx, one, BANK, amount)),
            10 | 11 => self.table.run(|game, cx| game.give(cx, one, amount, None)),
            12 | 13 => drop(self.table.act(one, Message::MortgageProperty { property })),
            14 => drop(self.table.act(one, Message::UnmortgageProperty { property })),
            15 if one != two && self.table.game.owner(deed(property)) == one => {
                self.table.run(|game, cx| game.move_deed(cx, one, two, deed(property)));
            }
            16 => {
                let observer = self.observer();
                let _ = self.table.run(|game, cx| game.transfer(one, TransferTo::Observer(observer), cx));
                self.table.game.players.iter_mut().for_each(|player| player.handed_over = false);
            }
            17 if amount < 20 && self.table.game.players.len() > 2 => {
                let _ = self.table.run(|game, cx| game.kick(one, cx));
            }
            18 if self.table.game.players.len() < 4 => {
                let observer = self.observer();
                let _ = self.table.run(|game, cx| game.sit(observer, 300, cx));
            }
            _ => {}
        }
    }

    fn listen(&mut self, heard: &mut BTreeSet<String>) {
        for line in brief(self.table.said()) {
            let (audience, words) = line.split_once("< ").unwrap();
            if let Ok(user) = audience.parse::<UserId>() {
                heard.insert(words.split(' ').next().unwrap_or_default().to_string());
                self.ears.entry(user).or_default().hear(words);
            }
        }
        assert_eq!(self.table.game.audit(), Ok(()));
        for user in 1..=8 {
            let mut told = Ear::default();
            self.table.retold(user).iter().for_each(|line| told.hear(line));
            assert_eq!(*self.ears.entry(user).or_default(), told, "what user {user} knows");
        }
    }
}

#[test]
fn what_was_heard_is_what_is_retold() {
    let mut words = BTreeSet::new();
    for seed in 0..8 {
        let mut talk = Talk::new(seed);
        for _ in 0..700 {
            if talk.below(4) == 0 {
                talk.event();
            } else if let Some((user, action)) = talk.word() {
                let _ = talk.table.act(user, action);
            }
            talk.listen(&mut words);
            if matches!(talk.table.game.phase, Phase::Idle | Phase::Over { .. }) {
                break;
            }
        }
    }
    // Every word a party can hear of a deal but that of bail, which no event here asks for.
    let ranges = |code: u8| (0x50..0x80).contains(&code);
    let silent: Vec<&str> = TABLE
        .iter()
        .filter(|entry| ranges(entry.code) && entry.direction != Direction::ToServer)
        .map(|entry| entry.name.trim_start_matches("TRANSACTION_"))
        .filter(|name| !words.contains(*name))
        .collect();
    assert_eq!(silent, ["JAIL_REQUESTED"]);
}

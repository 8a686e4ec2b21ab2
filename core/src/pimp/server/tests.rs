//! Talks with a table, byte by byte: the vectors of pimp 15 and what the other files of this room decide.

use core::ops::{Deref, DerefMut};
use std::boxed::Box;
use std::collections::BTreeMap;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::dice::script;
use crate::driver::Driver;
use crate::pimp::wire::Name;

/// A table and its connections, by name. Each step is one call of the table, whose audit must hold after it.
pub(super) struct Room<const USERS: usize, const LINKS: usize, const RING: usize> {
    driver: Driver<Table<USERS, LINKS, RING>>,
    links: BTreeMap<&'static str, usize>,
    pub passwords: BTreeMap<&'static str, u32>,
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Deref for Room<USERS, LINKS, RING> {
    type Target = Driver<Table<USERS, LINKS, RING>>;
    fn deref(&self) -> &Self::Target {
        &self.driver
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> DerefMut for Room<USERS, LINKS, RING> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.driver
    }
}

const QUICK: Config = Config { claim_grace: 0, rate: 0, ..Config::DEFAULT };

pub(super) type Board = Room<8, 10, 4096>;

impl<const USERS: usize, const LINKS: usize, const RING: usize> Room<USERS, LINKS, RING> {
    pub fn new(steps: &[u8]) -> Self {
        Self::with(steps, &QUICK)
    }

    pub fn with(steps: &[u8], config: &Config) -> Self {
        let mut driver = Driver::new(Box::new(Table::new()));
        driver.server.begin(&script(steps).unwrap(), config, driver.now);
        Self { driver, links: BTreeMap::new(), passwords: BTreeMap::new() }
    }

    pub fn open(&mut self, who: &'static str) {
        let at = self.driver.open().unwrap();
        self.links.insert(who, at);
    }

    /// Feeds bytes; returns what was left undone.
    pub fn feed(&mut self, who: &str, bytes: &[u8]) -> Intake {
        let at = self.links[who];
        assert_eq!(self.write(at, bytes), bytes.len());
        self.again(who)
    }

    pub fn again(&mut self, who: &str) -> Intake {
        let intake = self.driver.receive(self.links[who]);
        self.check();
        intake
    }

    /// Output is released, and the audit finds no fault.
    pub fn check(&mut self) {
        self.release();
        assert_eq!(self.server.game().audit(), Ok(()));
    }

    pub fn bytes(&mut self, who: &str) -> Vec<u8> {
        let at = self.links[who];
        let (mut all, mut out) = (Vec::new(), [0; 256]);
        loop {
            match self.pull(at, &mut out) {
                0 => return all,
                n => all.extend_from_slice(&out[..n]),
            }
        }
    }

    /// What a client reads, as a person would.
    pub fn heard(&mut self, who: &'static str) -> Vec<String> {
        let bytes = self.bytes(who);
        let (mut rest, mut said) = (&bytes[..], Vec::new());
        while let [code, length, tail @ ..] = rest {
            let (payload, next) = tail.split_at(usize::from(*length));
            let message = Message::from_server(*code, payload).unwrap();
            assert_eq!(message.payload_len(), payload.len());
            if let Message::WelcomeDetails { password, .. } = message {
                self.passwords.insert(who, password);
            }
            said.push(message.to_string());
            rest = next;
        }
        said
    }

    pub fn hush(&mut self) {
        let all: Vec<_> = self.links.keys().copied().collect();
        all.into_iter().for_each(|who| {
            self.heard(who);
        });
    }

    pub fn send(&mut self, who: &str, message: Message<'_>) -> Intake {
        let mut frame = [0; 256];
        let n = message.encode(&mut frame).unwrap();
        self.feed(who, &frame[..n])
    }

    /// Sends one message and tells what its sender hears.
    pub fn ask(&mut self, who: &'static str, message: Message<'_>) -> Vec<String> {
        assert_eq!(self.send(who, message), Intake::Hungry, "{message}");
        self.heard(who)
    }

    pub fn tick(&mut self, ms: u64) {
        self.driver.tick(ms);
        self.check();
    }

    pub fn drop(&mut self, who: &str) {
        let at = self.links.remove(who).unwrap();
        self.close(at);
        self.check();
    }

    pub fn join(&mut self, who: &'static str, play: bool) -> Vec<String> {
        self.open(who);
        self.feed(who, &[0, 1, 1]);
        self.heard(who);
        self.ask(who, Message::Join { piece: 0, play, name: Name::new(who.as_bytes()).unwrap() })
    }

    /// Joins as a player; all others who are asked say yes.
    pub fn seat(&mut self, who: &'static str) {
        self.tick(3000);
        self.join(who, true);
        self.accept(who);
    }

    pub fn accept(&mut self, who: &'static str) {
        let candidate = self.server.hall.votes.numbers;
        let others: Vec<_> = self.links.keys().copied().filter(|other| *other != who).collect();
        others.iter().for_each(|other| {
            self.send(other, Message::AcceptJoin { candidate });
        });
        self.hush();
    }

    pub fn slot(&self, who: &str) -> u16 {
        self.connections[self.links[who]].link.unwrap().slot
    }

    /// Is it named among the links that are ready?
    pub fn is_ready(&mut self, who: &str) -> bool {
        let at = self.links[who];
        core::iter::from_fn(|| self.next_ready()).any(|ready| ready == at)
    }

    pub fn is_closing(&self, who: &str) -> bool {
        self.driver.is_closing(self.links[who])
    }
}

#[test]
fn hands_are_shaken_at_any_time() {
    let mut room = Board::new(&[]);
    room.open("ann");
    room.feed("ann", &[0x21, 0]);
    assert_eq!(room.bytes("ann"), [0xFE, 1, 0x21]);
    room.feed("ann", &[0, 1, 2]);
    assert_eq!(room.bytes("ann"), [0xF0, 0]);
    let [a, b, c, d] = room.server.number().to_be_bytes();
    assert_ne!(room.server.number(), 0);
    room.feed("ann", &[0, 1, 1, 0, 1, 1]);
    assert_eq!(room.bytes("ann"), [1, 4, a, b, c, d, 1, 4, a, b, c, d]);
    room.feed("ann", &[0xFE, 0, 0xFD, 0, 0xFC, 1, 7, 0xFF, 0, 0x01, 0, 0x02, 1, 0]);
    assert_eq!(room.bytes("ann"), [0xFE, 1, 0xFF, 0xFE, 1, 0x01, 0xFD, 0]);
    room.feed("ann", &[0, 0xFF]);
    assert_eq!(room.bytes("ann"), [0xFD, 0]);
    assert!(room.is_closing("ann"));
}

#[test]
fn the_first_user_and_the_second() {
    let mut room = Board::new(&[0x34]);
    room.open("ann");
    room.feed("ann", &[0, 1, 1]);
    room.bytes("ann");
    room.feed("ann", &[0x02, 0x06, 0x00, 0x01, 0x03, 0x61, 0x6E, 0x6E]);
    let said = room.bytes("ann");
    assert_eq!(said[..3], [3, 5, 1]);
    let expected = [
        &[0x04, 0x06, 0x01, 0x01, 0x03, 0x61, 0x6E, 0x6E][..],
        &[0xC0, 0x06, 0x00, 0x01, 0x00, 0x00, 0x05, 0xDC],
        &[0x12, 0x01, 0x00],
        &[0x13, 0x0C, 0x01, 0x01, 0x03, 0x61, 0x6E, 0x6E, 0x00, 0x00, 0x00, 0x05, 0xDC, 0x00],
        &[0xC4, 0x02, 0x20, 0x0C],
        &[0x1F, 0x04, 0x00, 0x00, 0x00, 0x64],
    ];
    assert_eq!(said[7..], expected.concat());
    assert_eq!(room.join("bob", true), ["JOIN_PENDING"]);
    assert_eq!(room.bytes("ann"), [0x06, 0x08, 0, 0, 0, 1, 3, 0x62, 0x6F, 0x62]);
    room.feed("ann", &[0x08, 4, 0, 0, 0, 1]);
    let said = room.heard("bob");
    assert_eq!(
        said[1..4],
        ["WELCOME_PLAYER player=2 piece=2 name=\"bob\"", "DELTA_CASH from=0 to=2 cash=1500", "STATE_BOARD board=0"]
    );
    assert_eq!(said.last().unwrap(), "START_OF_TURN player=2 may_throw=true");
    assert_eq!(said.iter().filter(|line| line.starts_with("START")).count(), 1);
    assert_eq!(room.bytes("ann")[16..], [0x20, 2, 2, 1]);
    room.feed("bob", &[0x21, 0]);
    let said = room.bytes("ann");
    assert_eq!(said[..10], [0x22, 3, 2, 3, 4, 0x24, 3, 2, 7, 7]);
    assert_eq!(said[10..14], [0x27, 2, 2, 1]);
    assert_eq!(said[30..36], [0x27, 2, 2, 6, 0x28, 2]);
}

#[test]
fn a_join_is_checked_in_order() {
    let mut room = Board::new(&[]);
    room.join("ann", true);
    room.open("eve");
    room.feed("eve", &[0, 1, 1]);
    room.heard("eve");
    let join =
        |piece, play, name: &'static str| Message::Join { piece, play, name: Name::new(name.as_bytes()).unwrap() };
    assert_eq!(room.ask("eve", join(0, true, "ANN")), ["ERROR_NAME_IN_USE"]);
    assert_eq!(room.ask("eve", join(12, true, "")), ["ERROR_NAME_IN_USE"]);
    assert_eq!(room.ask("eve", join(12, true, "eve")), ["ERROR_INVALID_PAYLOAD code=2"]);
    assert_eq!(room.ask("eve", Message::RequestState {}), ["ERROR_UNEXPECTED_MESSAGE code=17"]);
    assert_eq!(room.ask("eve", join(1, true, "eve")), ["JOIN_PENDING"]);
    assert_eq!(room.ask("eve", join(1, true, "eve")), ["ERROR_UNEXPECTED_MESSAGE code=2"]);
    // A candidate has its name already.
    room.open("mal");
    room.feed("mal", &[0, 1, 1]);
    room.heard("mal");
    assert_eq!(room.ask("mal", join(1, false, "eve")), ["ERROR_NAME_IN_USE"]);
    room.drop("eve");
    assert!(room.heard("ann").contains(&"JOIN_REFUSED candidate=1 name=\"eve\"".to_string()));
}

#[test]
fn kerz_drives_and_pavlov_rides() {
    let mut room = Board::new(&[]);
    assert!(room.join("kerz", true)[1].contains("piece=7"));
    room.tick(3000);
    room.join("pavlov", false);
    room.send("kerz", Message::AcceptJoin { candidate: 1 });
    assert!(room.heard("pavlov")[1].contains("WELCOME_OBSERVER player=2 piece=5"));
    assert!(!room.heard("kerz").is_empty());
}

#[test]
fn more_than_half_must_agree() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    room.tick(3000);
    room.join("eve", true);
    room.send("ann", Message::AcceptJoin { candidate: 9 });
    room.send("ann", Message::AcceptJoin { candidate: 2 });
    room.send("ann", Message::RefuseJoin { candidate: 2 });
    assert!(room.heard("eve").is_empty());
    room.send("bob", Message::RefuseJoin { candidate: 2 });
    room.tick(59_000);
    assert!(room.heard("eve").is_empty());
    room.tick(1_000);
    assert_eq!(room.heard("eve"), ["ERROR_NOT_WELCOME"]);
    assert!(room.heard("ann").contains(&"JOIN_REFUSED candidate=2 name=\"eve\"".to_string()));
    // Three refusals close the connection.
    for _ in 0..2 {
        room.tick(3000);
        room.send("eve", Message::Join { piece: 0, play: false, name: Name::new(b"eve").unwrap() });
        let candidate = room.server.hall.votes.numbers;
        room.send("ann", Message::RefuseJoin { candidate });
        room.send("bob", Message::RefuseJoin { candidate });
    }
    room.heard("eve");
    assert!(room.is_closing("eve"));
}

#[test]
fn votes_keep_their_distance_and_queue() {
    let mut room = Board::new(&[]);
    room.seat("ann");
    room.tick(3000);
    room.join("bob", false);
    room.join("eve", false);
    assert_eq!(room.heard("ann"), ["QUERY_JOIN_OBSERVE candidate=1 name=\"bob\""]);
    room.send("ann", Message::RefuseJoin { candidate: 1 });
    assert_eq!(room.heard("ann"), ["JOIN_REFUSED candidate=1 name=\"bob\""]);
    room.tick(1999);
    assert!(room.heard("ann").is_empty());
    room.tick(1);
    assert_eq!(room.heard("ann"), ["QUERY_JOIN_OBSERVE candidate=2 name=\"eve\""]);
    room.send("ann", Message::AcceptJoin { candidate: 2 });
    // The number that bob's candidacy had is free again.
    assert!(room.heard("eve")[0].starts_with("WELCOME_DETAILS player=2"));
}

#[test]
fn an_observer_switches_and_is_paid_once() {
    let mut room = Board::new(&[]);
    room.join("ann", false);
    let said = room.ask("ann", Message::SwitchPlay {});
    assert_eq!(said, ["JOIN_PENDING", "OBSERVER_BECAME_PLAYER player=1", "DELTA_CASH from=0 to=1 cash=1500"]);
    assert_eq!(room.ask("ann", Message::SwitchPlay {}), ["ERROR_UNEXPECTED_MESSAGE code=13"]);
    room.seat("bob");
    room.seat("eve");
    room.send("ann", Message::Transfer { player: 0 });
    room.hush();
    room.tick(3000);
    assert_eq!(room.ask("ann", Message::SwitchPlay {}), ["JOIN_PENDING"]);
    assert_eq!(room.ask("ann", Message::SwitchPlay {}), [""; 0]);
    let said = room.ask("ann", Message::RequestState {});
    assert_eq!(said.iter().filter(|line| *line == "JOIN_PENDING").count(), 1);
    assert!(!said.iter().any(|line| line.starts_with("QUERY")), "{said:?}");
    let candidate = room.server.hall.votes.numbers;
    room.send("bob", Message::AcceptJoin { candidate });
    room.send("eve", Message::AcceptJoin { candidate });
    assert_eq!(room.heard("ann"), ["OBSERVER_BECAME_PLAYER player=1"]);
}

#[test]
fn who_comes_back_needs_the_password() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    let password = room.passwords["ann"];
    room.open("new");
    room.feed("new", &[0, 1, 1]);
    room.heard("new");
    assert_eq!(room.ask("new", Message::Rejoin { player: 9, password }), ["ERROR_WRONG_PASSWORD"]);
    // Not read for a second, then named by the clock.
    assert_eq!(room.send("new", Message::Rejoin { player: 1, password }), Intake::Stalled);
    assert_eq!(room.server.deadline(), Some(room.now.plus(1000)));
    room.tick(1000);
    assert!(room.is_ready("new"));
    assert_eq!(room.again("new"), Intake::Hungry);
    let said = room.heard("new");
    assert_eq!(said[..2], ["WELCOME_BACK player=1 piece=1 name=\"ann\" playing=true", "STATE_BOARD board=0"]);
    assert_eq!(said.last().unwrap(), "START_OF_TURN player=2 may_throw=true");
    room.heard("ann");
    assert!(room.is_closing("ann"));
    room.drop("ann");
    assert!(room.server.hall.users.user(1).unwrap().is_connected());
    for wrong in 1..=5 {
        room.tick(1000);
        if wrong == 1 {
            room.open("mal");
            room.feed("mal", &[0, 1, 1]);
            room.heard("mal");
        }
        room.send("mal", Message::Rejoin { player: 1, password: password ^ 1 });
        room.heard("mal");
        assert_eq!(room.is_closing("mal"), wrong == 5);
    }
}

#[test]
fn a_full_table_says_so_and_reuses_the_longest_gone_observer() {
    let mut room = Board::new(&[]);
    room.seat("ann");
    for who in ["b", "c", "d", "e", "f", "g", "h"] {
        room.tick(3000);
        room.join(who, false);
        room.accept(who);
    }
    assert_eq!(room.server.users(), 8);
    assert_eq!(room.join("i", false), ["ERROR_TOO_MANY_USERS"]);
    room.drop("c");
    room.tick(3000);
    room.drop("b");
    assert_eq!(
        room.ask("i", Message::Join { piece: 0, play: false, name: Name::new(b"i").unwrap() }),
        ["JOIN_PENDING"]
    );
    room.accept("i");
    assert_eq!(room.server.hall.users.user(3).unwrap().name().bytes(), b"i");
    assert!(room.server.hall.users.user(2).is_some());
}

#[test]
fn a_majority_of_those_present_kicks() {
    let mut room = Board::new(&[]);
    ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
    // It is bob's turn. One of three is not enough, and a kick of ann has no effect.
    assert_eq!(room.ask("ann", Message::Kick { player: 2 }), [""; 0]);
    assert_eq!(room.ask("eve", Message::Kick { player: 1 }), [""; 0]);
    assert_eq!(room.ask("eve", Message::Kick { player: 7 }), ["ERROR_INVALID_PAYLOAD code=211"]);
    let said = room.ask("eve", Message::Kick { player: 2 });
    assert!(said.contains(&"PLAYER_BECAME_OBSERVER_KICKED player=2".to_string()), "{said:?}");
    assert_eq!(room.ask("bob", Message::Kick { player: 1 }).last().unwrap(), "ERROR_UNEXPECTED_MESSAGE code=211");
    // Two players who are present can't kick each other; five minutes of silence count as being away.
    let (turn, other) = if room.server.game().current == 1 { ("ann", "eve") } else { ("eve", "ann") };
    let target = room.server.game().current;
    room.hush();
    assert_eq!(room.ask(other, Message::Kick { player: target }), [""; 0]);
    room.tick(200_000);
    room.send(turn, Message::Pong { nonce: 5 });
    room.tick(100_000);
    assert!(room.heard(other).contains(&format!("PLAYER_BECAME_OBSERVER_KICKED player={target}")));
}

#[test]
fn away_is_not_counted_and_any_word_ends_it() {
    let mut room = Board::new(&[]);
    ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
    room.send("eve", Message::Afk {});
    room.tick(3000);
    room.join("mal", false);
    room.send("ann", Message::AcceptJoin { candidate: 3 });
    // Going away during a vote changes nothing: two of two are still needed.
    room.send("bob", Message::Afk {});
    assert!(room.heard("mal").is_empty());
    room.send("eve", Message::Pong { nonce: 1 });
    room.send("eve", Message::AcceptJoin { candidate: 3 });
    assert!(room.heard("mal")[0].starts_with("WELCOME_DETAILS player=4"));
}

#[test]
fn pings_are_sent_and_dead_links_told_once() {
    let mut room = Board::with(&[], &Config { ping_interval: 10_000, ..QUICK });
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    room.hush();
    room.tick(10_000);
    let said = room.heard("ann");
    let nonce = said[0].strip_prefix("PING nonce=").unwrap().parse().unwrap();
    room.send("ann", Message::Pong { nonce });
    room.tick(30_000);
    let said = room.heard("ann");
    assert!(said.contains(&"LINK_DEAD player=2".to_string()), "{said:?}");
    let state = room.ask("ann", Message::RequestState {});
    assert!(state.contains(&"LINK_DEAD player=2".to_string()));
    room.tick(5_000);
    assert!(!room.heard("ann").contains(&"LINK_DEAD player=2".to_string()));
}

#[test]
fn one_dump_a_second() {
    let mut room = Board::new(&[]);
    room.join("ann", true);
    let boards = |said: Vec<String>| said.iter().filter(|line| line.starts_with("STATE_BOARD")).count();
    room.feed("ann", &[0x11, 0, 0x11, 0, 0x11, 0]);
    assert_eq!(boards(room.heard("ann")), 1);
    room.tick(999);
    assert_eq!(boards(room.heard("ann")), 0);
    room.tick(1);
    assert_eq!(boards(room.heard("ann")), 1);
    room.tick(5000);
    assert_eq!(boards(room.heard("ann")), 0);
}

#[test]
fn commands_are_rationed() {
    let mut room = Board::with(&[], &Config { rate: 32, ..QUICK });
    room.join("ann", true);
    room.tick(1000);
    let pongs = [0xD1, 4, 0, 0, 0, 0].repeat(40);
    assert_eq!(room.feed("ann", &pongs), Intake::More);
    assert_eq!(room.again("ann"), Intake::More);
    assert_eq!(room.again("ann"), Intake::Stalled);
    assert_eq!(room.server.deadline(), Some(room.now.plus(1000)));
    room.tick(1000);
    assert_eq!(room.again("ann"), Intake::Hungry);
}

#[test]
fn a_reader_of_nothing_is_not_read_from() {
    let mut room = Board::new(&[]);
    room.join("ann", true);
    let throws = [0x21, 0].repeat(16);
    assert_eq!(room.feed("ann", &throws), Intake::Stalled);
    let mut answers = 0;
    for _ in 0..16 {
        answers += room.bytes("ann").len() / 3;
        room.again("ann");
    }
    assert_eq!(answers, 16);
    assert_eq!(room.again("ann"), Intake::Hungry);
}

#[test]
fn a_slow_reader_loses_its_link_and_keeps_its_seat() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    for _ in 0..300 {
        room.tick(3000);
        room.send("ann", Message::Transfer { player: 9 });
        room.server.say_all(&Message::DeltaPot { cash: 1 });
        room.tick(1);
        room.heard("ann");
    }
    for _ in 0..600 {
        room.server.say_all(&Message::DeltaPot { cash: 1 });
    }
    room.tick(1);
    assert!(room.server.out.is_doomed(room.slot("bob")));
    assert!(!room.server.hall.users.user(2).unwrap().is_connected());
    assert!(room.server.game().is_player(2));
}

#[test]
fn nobody_for_ten_minutes_ends_the_game() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    let number = room.server.number();
    room.send("bob", Message::ThrowDice {});
    room.drop("ann");
    room.drop("bob");
    room.tick(599_999);
    assert_eq!((room.server.number(), room.server.users()), (number, 2));
    room.open("eve");
    room.feed("eve", &[0, 1, 1]);
    room.heard("eve");
    room.tick(1);
    assert!(room.server.number() != number && room.server.users() == 0);
    // A newcomer at the wrong moment joins the new game.
    assert!(room.ask("eve", Message::Join { piece: 0, play: true, name: Name::new(b"eve").unwrap() }).len() > 2);
}

#[test]
fn nobody_for_ten_seconds_ends_a_game_that_nobody_has_played() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    let number = room.server.number();
    room.drop("ann");
    room.tick(20_000);
    room.drop("bob");
    room.tick(9_999);
    assert_eq!((room.server.number(), room.server.users()), (number, 2));
    room.tick(1);
    assert!(room.server.number() != number && room.server.users() == 0);
}

#[test]
fn the_oldest_link_that_has_not_joined_makes_way() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    let strangers = ["a", "b", "c", "d", "e", "f", "g"];
    for who in strangers {
        room.tick(1);
        room.open(who);
        room.feed(who, &[0, 1, 1]);
    }
    let is_doomed = |room: &Board, who| room.server.out.is_doomed(room.slot(who));
    assert!(strangers.iter().all(|who| !is_doomed(&room, who)));
    // The last link is taken.
    room.tick(1);
    room.open("h");
    assert!(is_doomed(&room, "a") && strangers[1..].iter().all(|who| !is_doomed(&room, who)));
    assert!(!is_doomed(&room, "ann") && !is_doomed(&room, "bob") && !is_doomed(&room, "h"));
}

#[test]
fn a_link_that_does_not_join_is_closed() {
    let mut room = Board::new(&[]);
    room.open("ann");
    room.feed("ann", &[0, 1, 1]);
    room.heard("ann");
    room.tick(29_999);
    assert!(!room.is_closing("ann"));
    room.tick(1);
    assert!(room.is_closing("ann"));
}

#[test]
fn a_throw_waits_while_others_may_claim() {
    let mut room = Board::with(&[0x12, 0x12, 0x34], &Config { rate: 0, ..Config::DEFAULT });
    ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
    // bob buys Baltic Avenue and eve lands on it. ann, next, could void bob's claim at once.
    room.send("bob", Message::ThrowDice {});
    room.send("bob", Message::BuyProperty {});
    room.send("eve", Message::ThrowDice {});
    room.hush();
    room.tick(1000);
    assert_eq!(room.send("ann", Message::ThrowDice {}), Intake::Stalled);
    assert_eq!(room.server.deadline(), Some(room.now.plus(2000)));
    assert!(room.heard("bob").is_empty());
    // Once bob has claimed, there is nothing to wait for.
    room.send("bob", Message::ClaimRent { debtor: 3, property: 1 });
    room.hush();
    assert!(room.is_ready("ann"));
    assert_eq!(room.again("ann"), Intake::Hungry);
    assert_eq!(room.heard("bob")[0], "DICE_ROLLED player=1 die1=3 die2=4");
}

#[test]
fn a_claim_not_made_in_time_is_void() {
    let mut room = Board::with(&[0x12, 0x12, 0x34], &Config { rate: 0, ..Config::DEFAULT });
    ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
    room.send("bob", Message::ThrowDice {});
    room.send("bob", Message::BuyProperty {});
    room.send("eve", Message::ThrowDice {});
    room.hush();
    assert_eq!(room.send("ann", Message::ThrowDice {}), Intake::Stalled);
    room.tick(3000);
    assert_eq!(room.again("ann"), Intake::Hungry);
    assert_eq!(room.heard("bob")[0], "RENT_COLLECTION_MORATORIUM");
}

#[test]
fn a_choice_in_jail_waits_as_a_throw_does() {
    for choice in [Message::JailRollDice {}, Message::JailPayBail {}] {
        // A card sends bob to jail, eve buys Baltic Avenue and ann lands on it.
        let mut room = Board::with(&[0x34, 0x80 + 9, 0x12, 0x12], &Config { rate: 0, ..Config::DEFAULT });
        ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
        room.send("bob", Message::ThrowDice {});
        room.send("eve", Message::ThrowDice {});
        room.send("eve", Message::BuyProperty {});
        room.send("ann", Message::ThrowDice {});
        room.hush();
        assert_eq!(room.send("bob", choice), Intake::Stalled);
        room.tick(3000);
        assert_eq!(room.again("bob"), Intake::Hungry);
        assert_eq!(room.heard("eve")[0], "RENT_COLLECTION_MORATORIUM");
    }
}

#[test]
fn a_throw_that_voids_nobody_elses_claim_does_not_wait() {
    let mut room = Board::with(&[0x12, 0x12, 0x34], &Config { rate: 0, ..Config::DEFAULT });
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    room.send("bob", Message::ThrowDice {});
    room.send("bob", Message::BuyProperty {});
    room.send("ann", Message::ThrowDice {});
    room.hush();
    assert_eq!(room.send("bob", Message::ThrowDice {}), Intake::Hungry);
    assert_eq!(room.heard("ann")[0], "RENT_COLLECTION_MORATORIUM");
}

#[test]
fn a_dump_that_is_run_over_is_told_anew_three_times() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    room.tick(5000);
    room.hush();
    room.send("bob", Message::RequestState {});
    let flood = |room: &mut Board| {
        (0..600).for_each(|_| room.server.say_all(&Message::DeltaPot { cash: 1 }));
        room.heard("ann");
        room.tick(1);
    };
    flood(&mut room);
    flood(&mut room);
    let slot = room.slot("bob");
    assert!(!room.server.out.is_doomed(slot));
    let said = room.heard("bob");
    assert_eq!((said[0].as_str(), said.len()), ("STATE_BOARD board=0", 6), "{said:?}");
    // The pot as it is, not as the others were told of it.
    assert_eq!(said[4..], ["STATE_POT cash=100", "START_OF_TURN player=2 may_throw=true"]);
    room.tick(5000);
    room.send("bob", Message::RequestState {});
    (0..4).for_each(|_| flood(&mut room));
    assert!(room.server.out.is_doomed(slot));
}

#[test]
fn a_dump_told_anew_ends_with_the_own_candidacy() {
    let mut room = Board::new(&[]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    room.tick(5000);
    room.join("cat", false);
    ["ann", "bob"].into_iter().for_each(|who| {
        room.send(who, Message::AcceptJoin { candidate: 2 });
    });
    room.tick(5000);
    room.send("cat", Message::SwitchPlay {});
    room.hush();
    room.send("cat", Message::RequestState {});
    (0..600).for_each(|_| room.server.say_all(&Message::DeltaPot { cash: 1 }));
    room.tick(1);
    let said = room.heard("cat");
    assert_eq!((said[0].as_str(), said.last().unwrap().as_str()), ("STATE_BOARD board=0", "JOIN_PENDING"), "{said:?}");
}

#[test]
fn a_place_with_a_new_owner_is_told_anew() {
    let mut room = Board::new(&[]);
    room.seat("ann");
    for who in ["b", "c", "d", "e", "f", "g", "h"] {
        room.tick(3000);
        room.join(who, false);
        room.accept(who);
    }
    room.drop("h");
    room.tick(3000);
    room.send("g", Message::RequestState {});
    room.open("new");
    room.feed("new", &[0, 1, 1]);
    room.heard("new");
    room.send("new", Message::Join { piece: 0, play: false, name: Name::new(b"new").unwrap() });
    let said = room.heard("g");
    assert!(!said.iter().any(|line| line.starts_with("STATE_OBSERVER player=8")), "{said:?}");
    assert_eq!(said.last().unwrap(), "QUERY_JOIN_OBSERVE candidate=8 name=\"new\"");
}

#[test]
fn as_many_as_the_protocol_can_number() {
    let mut room = Room::<255, 257, 65536>::new(&[]);
    let names: Vec<&'static str> = (0..255).map(|n| &*format!("user {n}").leak()).collect();
    for (n, who) in names.iter().enumerate() {
        room.tick(3000);
        room.join(who, n < 8);
        room.accept(who);
        assert_eq!(room.server.users(), n + 1);
    }
    assert_eq!(room.server.game().players.len(), 8);
    assert_eq!(room.join("one more", false), ["ERROR_TOO_MANY_USERS"]);
    let said = room.ask(names[254], Message::RequestState {});
    assert_eq!(said.iter().filter(|line| line.starts_with("STATE_OBSERVER")).count(), 247);
    let throws = room.server.game().current;
    room.send(names[usize::from(throws) - 1], Message::ThrowDice {});
    for who in &names {
        assert!(room.heard(who).iter().any(|line| line.starts_with("DICE_ROLLED")));
    }
}

#[test]
fn a_won_game_is_followed_by_another() {
    let mut room = Board::new(&[0x13]);
    ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
    // bob has nothing, and owes the income tax. mal is being voted on.
    room.server.hall.game.player_mut(2).unwrap().cash = 0;
    room.send("bob", Message::ThrowDice {});
    room.send("bob", Message::TaxPayFlatFee {});
    room.tick(3000);
    room.join("mal", false);
    room.hush();
    let said = room.ask("bob", Message::BankruptTransaction { transaction: 1 });
    assert_eq!(said[said.len() - 2..], ["PLAYER_WON player=1", "JOIN_REFUSED candidate=2 name=\"mal\""]);
    assert_eq!(room.heard("mal"), ["ERROR_NOT_WELCOME"]);
    room.hush();
    let number = room.server.number();
    assert_eq!(room.ask("ann", Message::ThrowDice {}), ["ERROR_UNEXPECTED_MESSAGE code=33"]);
    assert_eq!(room.join("eve", true), ["ERROR_NOT_WELCOME"]);
    room.tick(59_999);
    assert_eq!(room.server.number(), number);
    room.tick(1);
    assert_ne!(room.server.number(), number);
    room.hush();
    assert!(room.is_closing("ann") && room.is_closing("bob") && room.is_closing("eve"));
    room.drop("ann");
    assert_eq!(room.join("ann", true)[1], "WELCOME_PLAYER player=1 piece=1 name=\"ann\"");
}

//! Two games that differ only in what is hidden give everybody who may not know it the same bytes (venus 15).
//!
//! The same lines go to both houses. In the other one two cultures, or what lies under two boxes, have changed places, or
//! the cup will be drawn from in another order. Whoever learns of the difference is left out from then on; once all know
//! it, or something was drawn, the pair is done.

use super::minds::{Chance, Minds, any_line, come_back, listen, minds};
use super::{CONFIG, House};
use crate::dice::Stream;
use crate::venus::pieces::{Qbox, Relic, Seat, Secrecy, System};
use crate::venus::rules::Game;
use crate::venus::server::Config;
use std::string::String;
use std::vec::Vec;

/// What is not the same.
#[derive(Clone, Copy, Debug)]
enum Hidden {
    Homes(System, System),
    Boxes(Qbox, Qbox),
    Cup,
}

const NAMES: [&str; 3] = ["ann", "bob", "cat"];
/// Lines after which a pair is cut.
const LINES: usize = 600;

impl Hidden {
    fn exchange(self, game: &mut Game) {
        match self {
            Self::Homes(one, other) => game.swap_homes(one, other),
            Self::Boxes(one, other) => game.swap_boxes(one, other),
            Self::Cup => {}
        }
    }

    /// Who knows about it: somebody who knows one of the two knows a difference.
    fn known(self, game: &Game) -> [Secrecy; 2] {
        match self {
            Self::Homes(one, other) => [game.home_secrecy(one), game.home_secrecy(other)],
            Self::Boxes(one, other) => [game.box_secrecy(one), game.box_secrecy(other)],
            Self::Cup => [Secrecy::NOBODY; 2],
        }
    }

    fn is_public(self, game: &Game) -> bool {
        self.known(game).iter().any(|known| known.is_public())
    }

    fn is_known_to(self, game: &Game, seat: Option<Seat>) -> bool {
        seat.is_some_and(|seat| self.known(game).iter().any(|known| known.is_known_to(seat)))
    }
}

/// Two of them that nobody knows.
fn two<T: Copy>(all: impl Iterator<Item = T>, chance: &mut Chance) -> (T, T) {
    let all: Vec<T> = all.collect();
    let first = chance.below(all.len());
    let second = (first + 1 + chance.below(all.len() - 1)) % all.len();
    (all[first], all[second])
}

fn pick(game: &Game, number: u32, chance: &mut Chance) -> Hidden {
    let board = game.board();
    let unknown_homes =
        board.systems().filter(|system| game.home(*system).is_some() && game.home_secrecy(*system) == Secrecy::NOBODY);
    let unknown_boxes = board.qboxes().filter(|qbox| game.box_secrecy(*qbox) == Secrecy::NOBODY);
    match number % 3 {
        0 => {
            let (one, other) = two(unknown_homes, chance);
            Hidden::Homes(one, other)
        }
        1 => {
            let (one, other) = two(unknown_boxes, chance);
            Hidden::Boxes(one, other)
        }
        _ => Hidden::Cup,
    }
}

fn game(house: &House) -> &Game {
    house.venus.game("den").unwrap()
}

/// A house with a game, and its twin with a difference; ann has a Spy Eye in every other one.
fn pair(number: u32, chance: &mut Chance) -> (House, House, Hidden) {
    let config = Config { pocket: !number.is_multiple_of(5), ..CONFIG };
    let mut seed = [9; 32];
    seed[..4].copy_from_slice(&number.to_le_bytes());
    let mut house = House::with_seed(&config, &seed);
    house.gather(&NAMES);
    for line in ["ann JOIN", "bob JOIN", "ann VALIDATESETUP", "ann LIKEOPTIONS", "bob LIKEOPTIONS"] {
        let (name, action) = line.split_once(' ').unwrap();
        house.say(name, action);
    }
    if number.is_multiple_of(2) {
        house.venus.hall.rooms[0].game.grant(Seat(0), Relic::SpyEye);
        house.venus.hall.change_game(0);
    }
    let hidden = pick(game(&house), number, chance);
    let mut twin = house.clone();
    hidden.exchange(&mut twin.venus.hall.rooms[0].game);
    twin.venus.hall.change_game(0);
    house.venus.hall.change_game(0);
    if matches!(hidden, Hidden::Cup) {
        twin.venus.hall.dice.word(Stream::Shuffle);
    }
    for house in [&mut house, &mut twin] {
        house.forget();
        NAMES.iter().for_each(|name| come_back(house, name));
    }
    (house, twin, hidden)
}

/// What was said before anything was drawn from the cup; `true` if something was.
fn before_a_draw(lines: &[String]) -> (&[String], bool) {
    let drawn = lines.iter().position(|line| line.starts_with("ADDTOTRADEBASE") && line.ends_with(",1"));
    (&lines[..drawn.unwrap_or(lines.len())], drawn.is_some())
}

/// How many lines said nobody could tell the two apart by, and how many seats came to know the difference alone.
fn compare(number: u32) -> (Hidden, usize, usize) {
    let chance = &mut Chance(number.wrapping_mul(77));
    let (mut house, mut twin, hidden) = pair(number, chance);
    let (mut known, mut twins): (Minds, Minds) = (minds(&NAMES), minds(&NAMES));
    let mut knowing = [false; 3];
    for said in 0..LINES {
        let (heard, twin_heard) = (listen(&mut house, &mut known), listen(&mut twin, &mut twins));
        let learnt = knowing.iter().filter(|knows| **knows).count();
        if hidden.is_public(game(&house)) || hidden.is_public(game(&twin)) {
            return (hidden, said, learnt);
        }
        for (nth, name) in NAMES.iter().enumerate() {
            let seat = known[name].seat.parse().ok().map(Seat);
            knowing[nth] |= hidden.is_known_to(game(&house), seat);
            let (lines, is_drawn) = before_a_draw(&heard[name]);
            let (others, _) = before_a_draw(&twin_heard[name]);
            if matches!(hidden, Hidden::Cup) && is_drawn {
                assert_eq!(lines, others, "pair {number}: {name}");
                return (hidden, said, learnt);
            }
            assert!(knowing[nth] || heard[name] == twin_heard[name], "pair {number}: {name} could tell {hidden:?}");
        }
        let mut same = game(&twin).clone();
        hidden.exchange(&mut same);
        if same != *game(&house) {
            // What somebody knows alone may change what a step costs.
            assert!(knowing.contains(&true), "pair {number}: {hidden:?} changed the game of those who do not know it");
            return (hidden, said, learnt);
        }
        let (name, line) = any_line(&known, chance);
        let cut = chance.one_in(20).then(|| *chance.one(&NAMES).unwrap());
        for house in [&mut house, &mut twin] {
            house.say(name, &line);
            cut.into_iter().for_each(|name| come_back(house, name));
        }
    }
    (hidden, LINES, knowing.iter().filter(|knows| **knows).count())
}

#[test]
fn what_is_said_does_not_depend_on_what_is_hidden() {
    let (mut said, mut learnt) = ([0; 3], 0);
    for number in 0..60 {
        let (hidden, lines, knowing) = compare(number);
        said[match hidden {
            Hidden::Homes(..) => 0,
            Hidden::Boxes(..) => 1,
            Hidden::Cup => 2,
        }] += lines;
        learnt += knowing;
    }
    std::println!("lines compared: homes, boxes, cup {said:?}; {learnt} players came to know a difference alone");
    assert!(said.iter().all(|lines| *lines > 200) && learnt > 5, "{said:?} {learnt}");
}

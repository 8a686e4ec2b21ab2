//! The steps offered in Merchant of Venus: rows of a data file, and a second opinion on random positions.
//! `VENUS_POSITIONS=1000000 cargo test --test venus_steps` asks for a million.

use parlor_core::dice::{Dice, Stream};
use parlor_core::venus::board::{Chart, Kind};
use parlor_core::venus::pieces::{Contents, Gear, QBOXES, Relic, Seat, Secrecy, Ship, Space, Switch, Switches};
use parlor_core::venus::rules::{MARKERS, Position};
use parlor_tests::venus::rows;
use parlor_tests::venus::slow_steps::{Offered, offered};

#[test]
fn every_row_offers_what_it_says() {
    let rows = rows::read(include_str!("../data/venus/steps.txt"));
    for row in &rows {
        let game = row.position.game();
        let offer = game.offer();
        for (word, value) in &row.rest {
            let is = match word.as_str() {
                "list" => rows::list(game.board(), &offer),
                "stop" => String::from(if offer.can_stop { "yes" } else { "no" }),
                "penalty" => game.penalty().to_string(),
                _ => panic!("{}: no field {word}", row.name),
            };
            assert_eq!(&is, value, "{}: {word}", row.name);
        }
        assert!(row.rest.iter().any(|(word, _)| word == "list"), "{} says nothing", row.name);
    }
    assert!(rows.len() > 50);
}

struct Chance(Dice);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(Stream::Dice, bound as u32) as usize
    }
    fn is_one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

/// Any position, with more telegates, relics and ways walked near by than play would bring.
fn any_position(chance: &mut Chance) -> Position {
    let mut position = Position::new(if chance.is_one_in(2) { Chart::Pocket } else { Chart::Galaxy });
    let board = position.chart.board();
    let mut markers: Vec<Contents> = MARKERS.to_vec();
    for qbox in board.qboxes().take(QBOXES) {
        // Telegates, which stand first, are taken often.
        let nth = if chance.is_one_in(3) { 0 } else { chance.below(markers.len()) };
        let known = [Secrecy::PUBLIC, Secrecy::PUBLIC, Secrecy::NOBODY.with(Seat(0)), Secrecy::NOBODY][chance.below(4)];
        position.boxes.push((qbox, markers.remove(nth), known)).unwrap();
    }
    let spaces: Vec<Space> = board.spaces().collect();
    position.space = spaces[chance.below(spaces.len())];
    if chance.is_one_in(2) {
        // Circles, boxes and cities are where the rules differ.
        let special = |space: &Space| board.is_circle(*space) || matches!(board.kind(*space), Kind::Qbox | Kind::City);
        let special: Vec<Space> = board.spaces().filter(special).collect();
        position.space = special[chance.below(special.len())];
    }
    if let Some(qbox) = board.qbox_at(position.space) {
        position.boxes.iter_mut().filter(|(other, ..)| *other == qbox).for_each(|laid| laid.2 = Secrecy::PUBLIC);
    }
    position.ship = Ship::ALL[chance.below(4)];
    position.cash = chance.below(60) as u32;
    position.relics = Relic::ALL.iter().copied().filter(|_| chance.is_one_in(3)).collect();
    position.gear = (0..chance.below(4)).map(|_| Gear::ALL[chance.below(6)]).collect();
    for port in board.ports() {
        if chance.is_one_in(5) {
            position.ports.push((port, Seat(1))).unwrap();
        }
    }
    let owned = position.game().owned_switches(Seat(0));
    let on = owned.iter().filter(|_| chance.is_one_in(2)).collect::<Vec<Switch>>();
    position.switches = on.into_iter().fold(Switches::NONE, Switches::with);
    if chance.is_one_in(4) {
        return position;
    }
    position.dice = (0..position.ship.dice()).map(|_| chance.below(6) as u8 + 1).collect();
    position.points = chance.below(8) as u8;
    position.has_moved = !chance.is_one_in(3);
    if position.has_moved {
        if chance.is_one_in(2) {
            position.number = position.dice[chance.below(position.dice.len())];
        }
        for way in board.ways(position.space) {
            if chance.is_one_in(3) {
                position.walked.push((way.to(), position.space)).unwrap();
            }
            if chance.is_one_in(6) {
                position.walked.push((position.space, way.to())).unwrap();
            }
        }
    }
    position
}

#[test]
fn a_second_opinion_agrees_on_random_positions() {
    let count = std::env::var("VENUS_POSITIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(4000);
    let mut dice = Dice::new();
    dice.begin(&[11; 32]);
    let mut chance = Chance(dice);
    let (mut jumps, mut stalls, mut empty) = (0, 0, 0);
    for nth in 0..count {
        let position = any_position(&mut chance);
        let game = position.game();
        let offer = game.offer();
        let penalty = u32::from(game.penalty());
        let ours = Offered { list: rows::list(game.board(), &offer), can_stop: offer.can_stop, penalty };
        assert_eq!(ours, offered(&position), "position {nth}: {position:?}");
        jumps += u32::from(ours.list.contains("jump"));
        stalls += u32::from(offer.can_stop && position.has_moved && board_is_dot(&position));
        empty += u32::from(ours.list.is_empty());
    }
    println!("{count} positions: {jumps} with jumps, {stalls} where a number led back, {empty} without a step");
    assert!(jumps > count / 20 && stalls > 0 && empty > 0);
}

fn board_is_dot(position: &Position) -> bool {
    let board = position.chart.board();
    matches!(board.kind(position.space), Kind::Dot(_))
        && !position.ports.iter().any(|(port, _)| board.port_space(*port) == position.space)
}

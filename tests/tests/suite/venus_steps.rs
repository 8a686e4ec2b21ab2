//! The steps offered in Merchant of Venus: rows of a data file, and a second opinion on random positions.
//! `VENUS_POSITIONS=1000000 cargo test --test suite venus_steps::` asks for a million.

use parlor_core::venus::board::Kind;
use parlor_core::venus::rules::Position;
use parlor_tests::venus::any_position::{Chance, any_position, positions};
use parlor_tests::venus::rows;
use parlor_tests::venus::slow_steps::{Offered, offered};

#[test]
fn every_row_offers_what_it_says() {
    let rows = rows::read(include_str!("../../data/venus/steps.txt"));
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

#[test]
fn a_second_opinion_agrees_on_random_positions() {
    let count = positions(4000);
    let mut chance = Chance::new(11);
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

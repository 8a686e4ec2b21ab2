//! Whole games at random: every state is sound, every refusal changes nothing, sight never loses Mr. X.

use super::*;
use crate::dice::{Dice, Stream};
use crate::yard::map::{STATIONS, Station};
use crate::yard::pieces::{Pawn, Ticket};
use crate::yard::wire::Hop;
use std::vec::Vec;

fn any_hop(dice: &mut Dice) -> Hop {
    let to = Station::new(dice.below(Stream::Dice, STATIONS as u32) as u8 + 1).unwrap();
    Hop { to, ticket: Ticket::ALL[dice.below(Stream::Dice, 4) as usize] }
}

fn detectives(game: &Game) -> [Station; 5] {
    Pawn::DETECTIVES.map(|pawn| game.at(pawn))
}

/// One of the moves there are, sometimes a double one.
fn pick(game: &Game, dice: &mut Dice) -> (Hop, Option<Hop>) {
    let moves: Vec<Hop> = game.moves(game.next()).collect();
    let first = moves[dice.below(Stream::Dice, moves.len() as u32) as usize];
    let wants_double = game.next() == Pawn::X && dice.below(Stream::Dice, 6) == 0;
    let rides: Vec<Station> = first.to.rides(Ticket::Taxi).collect();
    let to = rides[dice.below(Stream::Dice, rides.len() as u32) as usize];
    (first, wants_double.then_some(Hop { to, ticket: Ticket::Taxi }))
}

struct Tally {
    outcomes: [u32; 4],
    doubles: u32,
    stuck: u32,
}

fn play(seed: u16, tally: &mut Tally) {
    let mut dice = Dice::new();
    let mut bytes = [9; 32];
    bytes[..2].copy_from_slice(&seed.to_le_bytes());
    dice.begin(&bytes);
    let mut game = Game::new();
    game.begin(&mut dice);
    let mut sight = Sight::begin(&detectives(&game));
    assert_eq!(sight.stations().len(), 13);
    while game.outcome() == Outcome::Open {
        let before = game.clone();
        let (pawn, hop) = (Pawn::ALL[dice.below(Stream::Dice, 6) as usize], any_hop(&mut dice));
        if game.clone().apply(pawn, hop, None, &mut |_| ()).is_err() {
            let second = (pawn == Pawn::X).then_some(hop);
            assert!(game.apply(pawn, hop, second, &mut |_| ()).is_err() && game == before);
        }
        let (first, mut second) = pick(&game, &mut dice);
        let pawn = game.next();
        let mut events = Vec::new();
        if game.apply(pawn, first, second, &mut |event| events.push(event)).is_err() {
            assert!(second.is_some() && game == before, "{seed}");
            second = None;
            game.apply(pawn, first, None, &mut |event| events.push(event)).unwrap();
        }
        tally.doubles += u32::from(second.is_some());
        tally.stuck += events.iter().filter(|event| matches!(event, Event::Stuck(_))).count() as u32;
        for event in &events {
            let Event::Moved { step, turn } = *event else { continue };
            match step.pawn() {
                Pawn::X => sight.moved(step.ticket(), is_reveal(turn).then_some(step.to()), &detectives(&game)),
                _ => sight.searched(step.to()),
            }
        }
        assert_eq!(game.audit(), Ok(()), "{seed}");
        assert!(game.outcome() == Outcome::Caught || sight.stations().contains(game.at(Pawn::X)), "{seed}");
    }
    let mut again = Game::new();
    assert!(again.relive(game.starts(), game.log()) && again == game);
    tally.outcomes[game.outcome() as usize] += 1;
}

#[test]
fn games_at_random_are_sound_and_end() {
    let mut tally = Tally { outcomes: [0; 4], doubles: 0, stuck: 0 };
    (0..600).for_each(|seed| play(seed, &mut tally));
    let Tally { outcomes: [open, caught, escaped, _], doubles, stuck } = tally;
    assert_eq!(open, 0);
    assert!(caught > 100 && escaped > 5 && doubles > 500 && stuck > 0, "{caught} {escaped} {doubles} {stuck}");
}

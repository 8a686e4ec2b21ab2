//! The rules by example.

use super::*;
use crate::dice::{Dice, script};
use crate::yard::map::{STARTS, Station};
use crate::yard::pieces::{Pawn, Team, Ticket};
use crate::yard::wire::{Hop, Purse, Spot};
use std::collections::BTreeSet;
use std::vec::Vec;

fn at(number: u8) -> Station {
    Station::new(number).unwrap()
}

fn hop(to: u8, ticket: Ticket) -> Hop {
    Hop { to: at(to), ticket }
}

fn taxi(to: u8) -> Hop {
    hop(to, Ticket::Taxi)
}

/// A game of the document: Mr. X at 103, the detectives where its history says.
fn game() -> Game {
    let mut game = Game::new();
    game.begin_at([103, 132, 141, 29, 197, 174].map(at));
    game
}

fn step(game: &mut Game, pawn: Pawn, first: Hop, second: Option<Hop>) -> Result<Vec<Event>, Refusal> {
    let before = game.clone();
    let mut events = Vec::new();
    let done = game.apply(pawn, first, second, &mut |event| events.push(event));
    assert!(done.is_ok() || *game == before);
    assert_eq!(game.audit(), Ok(()));
    done.map(|()| events)
}

fn moved(pawn: Pawn, hop: Hop, turn: u8) -> Event {
    Event::Moved { step: Step::new(pawn, hop), turn }
}

/// The first round as the document's history tells it.
fn first_round(game: &mut Game) {
    let moves = [(Pawn::X, 102), (Pawn::Red, 140), (Pawn::Yellow, 142), (Pawn::Green, 41), (Pawn::Blue, 196)];
    for (pawn, to) in moves {
        step(game, pawn, taxi(to), None).unwrap();
    }
    let events = step(game, Pawn::Black, taxi(161), None).unwrap();
    assert_eq!(events, [moved(Pawn::Black, taxi(161), 1), Event::TurnNum(2), Event::Turn(Pawn::X)]);
}

#[test]
fn the_documents_first_round_is_legal_on_this_board() {
    let mut game = game();
    first_round(&mut game);
    let past = Past::new(&game, game.log().len(), Eye::Public);
    let told = |turn| past.round(turn).map(|round| round.iter().map(|(_, made)| made.to).collect::<Vec<_>>());
    let spots = |numbers: [u8; 5]| {
        let seen = numbers.map(|number| Spot(Some(at(number))));
        std::iter::once(Spot(None)).chain(seen).collect::<Vec<_>>()
    };
    assert_eq!(told(0), Some(spots([132, 141, 29, 197, 174])));
    assert_eq!(told(1), Some(spots([140, 142, 41, 196, 161])));
    assert_eq!(told(2), None);
    assert_eq!(past.purse(Pawn::Red), Purse([9, 8, 4, 0, 0]));
    assert_eq!(past.purse(Pawn::X), Purse([-1, -1, -1, 5, 2]));
    assert_eq!((past.spot(Pawn::X), past.spot(Pawn::Red)), (Spot(None), Spot(Some(at(140)))));
    let all = Past::new(&game, game.log().len(), Eye::All);
    assert_eq!(all.spot(Pawn::X), Spot(Some(at(102))));
    // As it stood after two moves.
    let early = Past::new(&game, 2, Eye::All);
    assert_eq!((early.spot(Pawn::Red), early.spot(Pawn::Yellow)), (Spot(Some(at(140))), Spot(Some(at(141)))));
    assert_eq!(early.round(1).unwrap().iter().count(), 2);
}

#[test]
fn moves_are_refused_for_a_reason() {
    let mut game = game();
    assert_eq!(step(&mut game, Pawn::Red, taxi(140), None), Err(Refusal::NotYourTurn));
    assert_eq!(step(&mut game, Pawn::X, taxi(140), None), Err(Refusal::NoLink));
    assert_eq!(step(&mut game, Pawn::X, hop(102, Ticket::Bus), None), Err(Refusal::NoLink));
    step(&mut game, Pawn::X, taxi(102), None).unwrap();
    assert_eq!(step(&mut game, Pawn::Red, hop(140, Ticket::Black), None), Err(Refusal::NoTicket));
    assert_eq!(step(&mut game, Pawn::Red, taxi(140), Some(taxi(128))), Err(Refusal::NoDouble));
    step(&mut game, Pawn::Red, taxi(140), None).unwrap();
    game.at[Pawn::Yellow.index()] = at(128);
    assert_eq!(game.apply(Pawn::Yellow, taxi(142), None, &mut |_| ()), Ok(()));
    game.at[Pawn::Green.index()] = at(139);
    assert_eq!(game.apply(Pawn::Green, taxi(140), None, &mut |_| ()), Err(Refusal::Occupied));
    game.tickets[2][0] = 0;
    assert_eq!(game.apply(Pawn::Green, taxi(153), None, &mut |_| ()), Err(Refusal::NoTicket));
}

#[test]
fn a_double_move_is_two_turns() {
    let mut game = game();
    let events = step(&mut game, Pawn::X, taxi(102), Some(taxi(115))).unwrap();
    assert_eq!(
        events,
        [moved(Pawn::X, taxi(102), 1), Event::TurnNum(2), moved(Pawn::X, taxi(115), 2), Event::Turn(Pawn::Red)]
    );
    assert_eq!((game.turn(), game.purse(Pawn::X)), (2, Purse([-1, -1, -1, 5, 1])));
    let past = Past::new(&game, 2, Eye::All);
    assert_eq!([1, 2, 3].map(|turn| past.round(turn).map(|r| r.iter().count())), [Some(1), Some(1), None]);
}

#[test]
fn a_double_move_is_checked_whole() {
    let mut game = game();
    assert_eq!(step(&mut game, Pawn::X, taxi(102), Some(taxi(199))), Err(Refusal::NoLink));
    let black = |to| hop(to, Ticket::Black);
    game.blacks = 1;
    let refused = game.apply(Pawn::X, black(102), Some(black(115)), &mut |_| ());
    assert_eq!(refused, Err(Refusal::NoTicket), "the first half spends the last black one");
    assert_eq!(game.apply(Pawn::X, black(102), Some(taxi(115)), &mut |_| ()), Ok(()));
    let mut game = self::game();
    game.doubles = 0;
    assert_eq!(game.apply(Pawn::X, taxi(102), Some(taxi(115)), &mut |_| ()), Err(Refusal::NoDouble));
    (game.doubles, game.turn) = (2, LAST_TURN);
    assert_eq!(game.apply(Pawn::X, taxi(102), Some(taxi(115)), &mut |_| ()), Err(Refusal::LastTurn));
}

#[test]
fn walking_into_a_detective_ends_it_even_half_way() {
    let mut game = Game::new();
    game.begin_at([103, 132, 141, 29, 197, 174].map(at));
    game.at[Pawn::Green.index()] = at(102);
    let mut events = Vec::new();
    game.apply(Pawn::X, taxi(102), Some(taxi(115)), &mut |event| events.push(event)).unwrap();
    assert_eq!(events, [moved(Pawn::X, taxi(102), 1), Event::Over(Outcome::Caught)]);
    assert_eq!((game.catcher(), game.outcome().winner()), (Some(Pawn::Green), Some(Team::Detectives)));
    assert_eq!(game.apply(Pawn::X, taxi(115), None, &mut |_| ()), Err(Refusal::Over));
}

#[test]
fn a_detective_catches_him() {
    let mut game = game();
    game.at[Pawn::Red.index()] = at(115);
    game.apply(Pawn::X, taxi(102), None, &mut |_| ()).unwrap();
    let mut events = Vec::new();
    game.apply(Pawn::Red, taxi(102), None, &mut |event| events.push(event)).unwrap();
    assert_eq!(events, [moved(Pawn::Red, taxi(102), 1), Event::Over(Outcome::Caught)]);
}

#[test]
fn who_cannot_move_is_passed_over() {
    let mut game = game();
    game.tickets[0] = [0; 3];
    game.tickets[4] = [0; 3];
    let mut events = Vec::new();
    game.apply(Pawn::X, taxi(102), None, &mut |event| events.push(event)).unwrap();
    assert_eq!(events[1..], [Event::Stuck(Pawn::Red), Event::Turn(Pawn::Yellow)]);
    game.apply(Pawn::Yellow, taxi(142), None, &mut |_| ()).unwrap();
    game.apply(Pawn::Green, taxi(41), None, &mut |_| ()).unwrap();
    events.clear();
    game.apply(Pawn::Blue, taxi(196), None, &mut |event| events.push(event)).unwrap();
    assert_eq!(events[1..], [Event::Stuck(Pawn::Black), Event::TurnNum(2), Event::Turn(Pawn::X)]);
}

#[test]
fn all_stuck_after_his_move_is_his_win() {
    let mut game = game();
    game.tickets = [[0; 3]; 5];
    let mut events = Vec::new();
    game.apply(Pawn::X, taxi(102), None, &mut |event| events.push(event)).unwrap();
    assert_eq!(events[1..], [Event::Over(Outcome::Stuck)]);
    assert_eq!(game.outcome().winner(), Some(Team::MrX));
}

#[test]
fn turn_24_is_the_last() {
    let mut game = game();
    (game.turn, game.next) = (LAST_TURN, Pawn::Black);
    let mut events = Vec::new();
    game.apply(Pawn::Black, taxi(161), None, &mut |event| events.push(event)).unwrap();
    assert_eq!(events[1..], [Event::Over(Outcome::Escaped)]);
    assert_eq!(game.outcome().winner(), Some(Team::MrX));
}

fn public(game: &Game) -> Past<'_> {
    Past::new(game, game.log().len(), Eye::Public)
}

#[test]
fn reveals_are_on_five_turns() {
    assert_eq!((0..=30).filter(|turn| is_reveal(*turn)).collect::<Vec<_>>(), [3, 8, 13, 18, 24]);
}

#[test]
fn the_latest_move_alone_decides_whether_he_is_seen() {
    let mut game = game();
    first_round(&mut game);
    // A double over turns 2 and 3: seen. Over 3 and 4: the first half is seen, and then he is gone.
    step(&mut game, Pawn::X, taxi(103), Some(taxi(102))).unwrap();
    assert_eq!(public(&game).spot(Pawn::X), Spot(Some(at(102))));
    let mut other = self::game();
    first_round(&mut other);
    step(&mut other, Pawn::X, taxi(103), None).unwrap();
    for (pawn, to) in Pawn::DETECTIVES.into_iter().zip([132, 141, 29, 197, 174]) {
        let back = other.moves(pawn).find(|hop| hop.ticket == Ticket::Taxi && hop.to != at(to)).unwrap();
        step(&mut other, pawn, back, None).unwrap();
    }
    step(&mut other, Pawn::X, taxi(102), Some(taxi(115))).unwrap();
    assert_eq!(public(&other).spot(Pawn::X), Spot(None));
    let spot = |turn| public(&other).round(turn).unwrap().get(Pawn::X).unwrap().to;
    assert_eq!([1, 2, 3, 4].map(spot), [Spot(None), Spot(None), Spot(Some(at(102))), Spot(None)]);
}

#[test]
fn starts_are_drawn_from_the_eighteen() {
    let mut dice = Dice::new();
    dice.begin(&script(&[0x80 + 8, 0x80 + 11, 0x80 + 13]).unwrap());
    let mut game = Game::new();
    game.begin(&mut dice);
    assert_eq!(game.starts()[..3], [at(103), at(132), at(141)]);
    assert!(game.starts().iter().all(|start| STARTS.contains(start)));
    assert_eq!(game.audit(), Ok(()));
}

/// What the server moves for a player who lets it wait (yard 2.24): everything that does no harm is drawn by some seed.
#[test]
fn an_idle_move_is_any_that_does_no_harm() {
    let drawn = |game: &Game| {
        let mut hops = BTreeSet::new();
        for seed in 0..200 {
            let mut dice = Dice::new();
            dice.begin(&[seed; 32]);
            let hop = game.idle_hop(&mut dice).unwrap();
            hops.insert((hop.to.number(), hop.ticket.index()));
        }
        hops
    };
    let all = |game: &Game| -> BTreeSet<_> {
        let plain = game.moves(game.next()).filter(|hop| hop.ticket != Ticket::Black);
        plain.map(|hop| (hop.to.number(), hop.ticket.index())).collect()
    };
    let mut game = game();
    assert!(drawn(&game).len() > 2 && drawn(&game) == all(&game));
    // A detective who stands beside Mr. X is not walked into.
    let mut beside = all(&game);
    let (to, _) = *beside.first().unwrap();
    game.at[Pawn::Red.index()] = at(to);
    beside.retain(|(station, _)| *station != to);
    assert_eq!(drawn(&game), beside);
}

#[test]
fn no_other_log_is_lived_again() {
    let mut game = game();
    first_round(&mut game);
    let mut again = Game::new();
    assert!(again.relive(game.starts(), game.log()) && again == game);
    assert!(!again.relive(game.starts(), &game.log()[1..]));
    assert!(!again.relive([103; 6].map(at), &[]));
    assert!(!again.relive([1, 132, 141, 29, 197, 174].map(at), &[]));
    let mut odd = game.log().to_vec();
    odd[0] = Step::new(Pawn::X, taxi(1));
    assert!(!again.relive(game.starts(), &odd));
}

#[test]
fn sight_follows_his_tickets() {
    let detectives = [132, 141, 29, 197, 174].map(at);
    let mut sight = Sight::begin(&detectives);
    assert_eq!(sight.stations().len(), 13);
    sight.moved(Ticket::Taxi, Some(at(1)), &detectives);
    sight.moved(Ticket::Underground, None, &detectives);
    assert_eq!(sight.stations().iter().collect::<Vec<_>>(), [at(46)]);
    sight.moved(Ticket::Taxi, None, &[at(45)]);
    assert_eq!(sight.stations().iter().map(Station::number).collect::<Vec<_>>(), [33, 47, 61]);
    sight.searched(at(47));
    assert_eq!(sight.stations().len(), 2);
    assert!(Sight::BLIND.stations().is_empty());
}

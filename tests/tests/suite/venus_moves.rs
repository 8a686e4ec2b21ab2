//! Moves in Merchant of Venus: what they tell, by rows of a data file, each a position and what is done in it; and a second
//! opinion on whole moves from random positions. `VENUS_POSITIONS=1000000 cargo test --test suite venus_moves::` asks for a million.

use std::collections::BTreeMap;

use parlor_core::dice::{Dice, Stream};
use parlor_core::venus::pieces::{Roll, Seat};
use parlor_core::venus::rules::{Action, Audience, Event, Game, Target};
use parlor_tests::venus::any_position::{Chance, any_position, positions};
use parlor_tests::venus::rows;
use parlor_tests::venus::slow_moves::{Asked, Doing, Move};
use parlor_tests::venus::slow_steps::{Offered, offered};

/// Dice that fall so: the first seed that does it.
fn dice_that_fall(wanted: &[u8]) -> Dice {
    let seeds = (0u32..).map(|seed| {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&seed.to_le_bytes());
        let mut dice = Dice::new();
        dice.begin(&bytes);
        dice
    });
    let falls = |dice: &Dice| {
        let mut dice = dice.clone();
        wanted.iter().all(|die| dice.below(Stream::Dice, 6) as u8 + 1 == *die)
    };
    seeds.into_iter().find(falls).expect("some seed does")
}

fn action(game: &Game, text: &str) -> Action {
    let (word, value) = text.split_once(' ').unwrap_or((text, ""));
    let target = |is_jump| Action::SelectDestination(Target { space: rows::space(game, value), is_jump });
    match word {
        "go" => target(false),
        "jump" => target(true),
        "number" => Action::SelectPilotNumber(value.parse().unwrap()),
        "again" => Action::Mulligan(value.parse().unwrap()),
        "keep" => Action::NoMulligan,
        "stop" => Action::EndMove,
        _ => panic!("no action {text}"),
    }
}

fn digits(roll: &Roll) -> String {
    roll.iter().map(|die| die.to_string()).collect()
}

/// An event in short; `None` for one that goes with another.
fn short(game: &'static parlor_core::venus::board::Board, to: Audience, event: &Event<'_>) -> Option<String> {
    let is_room = to == Audience::Room;
    Some(match event {
        Event::Destination { .. } => String::from("list"),
        Event::Dice(roll) if roll.is_hidden() => return None,
        Event::Dice(roll) => format!("dice {}", digits(roll)),
        Event::MpLeft(points) => format!("mp {points}"),
        Event::PilotNumberChosen { seat, .. } if *seat != Seat(0) => return None,
        Event::PilotNumberChosen { number, is_fixed, .. } => {
            format!("pilot {number}{}", if *is_fixed { "!" } else { "" })
        }
        Event::PlayerLocation(_, space) => format!("at {}", game.name(*space)),
        Event::PlayerMoney(_, money) => format!("money {}", money.cash),
        Event::QboxPrivacy(..) => return None,
        Event::QboxContents(space, _) if is_room => format!("seen {}", game.name(*space)),
        Event::QboxContents(space, _) => format!("spied {}", game.name(*space)),
        Event::SolarSystemPrivacy(_, known) => String::from(if known.is_public() { "contact" } else { "orbit" }),
        Event::RemainingTransCount { buys, sells, .. } => format!("trades {buys} {sells}"),
        Event::PilotNumberChoice(numbers) => {
            format!("choose {}", numbers.iter().map(|number| number.to_string()).collect::<String>())
        }
        Event::MovError(_) => String::from("no"),
        Event::CurPlayer(_) => String::from("next"),
        Event::BaseLocation(..) | Event::AddToTradeBase { .. } => return None,
        Event::AddToPlayer(..) | Event::SubtractFromTradeBase(..) => return None,
        other => format!("{other:?}"),
    })
}

#[test]
fn every_row_tells_what_it_says() {
    let rows = rows::read(include_str!("../../data/venus/moves.txt"));
    for row in &rows {
        let mut game = row.position.game();
        let roll = row.rest.iter().find(|(word, _)| word == "roll").map_or("", |(_, value)| value);
        let roll: Vec<u8> = roll.split_whitespace().map(|die| die.parse().unwrap()).collect();
        let mut dice = dice_that_fall(&roll);
        let mut told = String::new();
        for (word, value) in &row.rest {
            let is = match word.as_str() {
                "roll" => continue,
                "do" => {
                    let mut texts: Vec<String> = Vec::new();
                    let board = game.board();
                    let mut out = |to: Audience, event: Event<'_>| texts.extend(short(board, to, &event));
                    let (actor, action) = (Some(game.current()), action(&game, value));
                    let verdict = game.apply(actor, action, &mut dice, &mut out);
                    assert_eq!(verdict, Ok(()), "{}: {value}", row.name);
                    told = texts.join(" ");
                    continue;
                }
                "tells" => told.clone(),
                "phase" => String::from(game.phase().name()),
                _ => panic!("{}: no field {word}", row.name),
            };
            assert_eq!(&is, value, "{}: {word}", row.name);
        }
    }
    assert!(rows.len() >= 25);
}

/// The same doing, for the rules.
fn said(doing: Doing) -> Action {
    match doing {
        Doing::Go { to, is_jump } => Action::SelectDestination(Target { space: to, is_jump }),
        Doing::Number(number) => Action::SelectPilotNumber(number),
        Doing::Again(value) => Action::Mulligan(value),
        Doing::Keep => Action::NoMulligan,
        Doing::Stop => Action::EndMove,
    }
}

/// What the rules ask next, in the second opinion's words.
fn asked(game: &Game) -> Asked {
    if game.current() != Seat(0) {
        return Asked::Nothing;
    }
    match game.phase().name() {
        "SelectMove" => Asked::Step,
        "Mulligan" => Asked::Mulligan,
        "SelectPilotNumber" => Asked::Number(game.choice().iter().collect()),
        "TradePhase" => Asked::Trade(game.trades_left().0),
        "AsteroidPhase" => Asked::Relic,
        other => panic!("{other} in a move"),
    }
}

/// Both know the same of where the player is, of the move, and of who has learnt what.
fn check(game: &Game, slow: &Move, nth: u32) {
    let position = &slow.position;
    let money = game.money(Seat(0));
    assert_eq!(asked(game), slow.asked, "position {nth}: {position:?}");
    assert_eq!((game.space(Seat(0)), money.cash, money.barter), (position.space, position.cash, 0), "position {nth}");
    for (qbox, _, known) in &position.boxes {
        assert_eq!(game.box_secrecy(*qbox), *known, "position {nth}: {qbox:?}");
    }
    for (system, _, known) in &position.homes {
        assert_eq!(game.home_secrecy(*system), *known, "position {nth}: {system:?}");
    }
    if slow.asked == Asked::Nothing {
        return;
    }
    assert_eq!(game.points(), position.points, "position {nth}: {position:?}");
    assert_eq!(digits(&game.roll()).replace('0', ""), position.dice.iter().map(u8::to_string).collect::<String>());
    if slow.asked == Asked::Step {
        let offer = game.offer();
        let penalty = u32::from(game.penalty());
        let ours = Offered { list: rows::list(game.board(), &offer), can_stop: offer.can_stop, penalty };
        assert_eq!(ours, slow.offered(), "position {nth}: {position:?}");
    }
}

/// Something that is asked for, or now and then anything.
fn any_doing(slow: &Move, chance: &mut Chance) -> Option<Doing> {
    let doings = slow.doings();
    if doings.is_empty() {
        return None;
    }
    if !chance.is_one_in(12) {
        return Some(doings[chance.below(doings.len())]);
    }
    let spaces: Vec<_> = slow.position.chart.board().spaces().collect();
    Some(match chance.below(5) {
        0 => Doing::Go { to: spaces[chance.below(spaces.len())], is_jump: chance.is_one_in(2) },
        1 => Doing::Number(chance.below(7) as u8),
        2 => Doing::Again(chance.below(7) as u8),
        3 => Doing::Keep,
        _ => Doing::Stop,
    })
}

#[test]
fn a_second_opinion_agrees_on_whole_moves() {
    let count = positions(2000);
    let mut chance = Chance::new(12);
    // How moves ended, how many steps followed of themselves, and what was refused.
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut note = |what| *seen.entry(what).or_default() += 1;
    for nth in 0..count {
        let mut position = any_position(&mut chance);
        // Who can't pay on arrival has stopped there.
        let toll = if position.has_moved { offered(&position).penalty } else { 0 };
        position.cash = position.cash.max(toll);
        let mut dice = Dice::new();
        dice.begin(&[nth as u8; 32]);
        let (mut game, mut slow) = (position.game(), Move::new(position, dice.clone()));
        check(&game, &slow, nth);
        while let Some(doing) = any_doing(&slow, &mut chance) {
            let (mut steps, mut is_forbidden, mut is_paid) = (0, false, false);
            let mut out = |_: Audience, event: Event<'_>| match event {
                Event::PlayerLocation(..) => steps += 1,
                Event::MovError(_) => is_forbidden = true,
                Event::PlayerMoney(..) => is_paid = true,
                _ => {}
            };
            let was_taken = game.apply(Some(Seat(0)), said(doing), &mut dice, &mut out).is_ok();
            assert_eq!(was_taken, slow.act(doing), "position {nth}: {doing:?} in {:?}", slow.position);
            if slow.is_lost {
                break;
            }
            check(&game, &slow, nth);
            let happened = [
                (!was_taken, "refused"),
                (steps > 1, "followed of themselves"),
                (is_forbidden, "the dice forbade it"),
                (is_paid, "a penalty was paid"),
                (matches!(doing, Doing::Again(_)) && was_taken, "one die again"),
                (matches!(slow.asked, Asked::Number(_)), "a number was asked for"),
            ];
            happened.iter().filter(|(is_so, _)| *is_so).for_each(|(_, what)| note(what));
        }
        note(match slow.asked {
            Asked::Trade(_) => "ended in trade",
            Asked::Relic => "ended at a relic",
            Asked::Nothing => "ended in space",
            // Such a position can't come from play.
            _ => "could not go on",
        });
    }
    println!("{count} positions: {seen:?}");
    let rarest = count / 1000;
    assert_eq!(seen.len(), 10, "{seen:?}");
    assert!(seen.iter().all(|(what, times)| *times > rarest || *what == "could not go on"), "{seen:?}");
}

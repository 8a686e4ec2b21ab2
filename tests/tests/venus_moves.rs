//! What moves in Merchant of Venus tell: rows of a data file, each a position and what is done in it.

use parlor_core::dice::{Dice, Stream};
use parlor_core::venus::pieces::{Roll, Seat};
use parlor_core::venus::rules::{Action, Audience, Event, Game, Target};
use parlor_tests::venus::rows;

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
    let rows = rows::read(include_str!("../data/venus/moves.txt"));
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

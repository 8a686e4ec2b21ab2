//! LEGALACTION tells the truth (venus 5, 8): whole games over the wire by players who do what is announced to them, and
//! now and then what is not, held against what they were told.
//!
//! `VENUS_ORACLE=10000 cargo test --release -p parlor-core venus::server::tests::oracle -- --nocapture` plays as many.

use super::minds::{Chance, Minds, any_line, come_back, listen, minds};
use super::{CONFIG, House, NOT_LEGAL, UNKNOWN};
use crate::venus::pieces::Seat;
use crate::venus::rules::{REASONS, Verb};
use crate::venus::server::Config;
use crate::venus::server::command::MALFORMED;
use crate::venus::wire::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::format;
use std::string::{String, ToString};

/// Actions after which a game is cut.
const ACTIONS_A_GAME: usize = 1_000;

#[derive(Default)]
struct Tally {
    ended: usize,
    actions: u64,
    states: BTreeMap<String, u64>,
    taken: BTreeMap<String, u64>,
    /// By action and reason.
    refused: BTreeMap<(String, String), u64>,
    events: BTreeSet<String>,
}

fn games() -> u32 {
    std::env::var("VENUS_ORACLE").ok().and_then(|games| games.parse().ok()).unwrap_or(12)
}

/// What is announced to somebody is what the rules would take from that person now.
fn check_announced(house: &House, minds: &Minds) {
    let Some(game) = house.venus.game("den") else { return };
    for (name, mind) in minds {
        let legal = game.legal(mind.seat.parse().ok().map(Seat));
        let names: BTreeSet<String> = legal.iter().map(|verb| verb.name().to_string()).collect();
        assert_eq!(mind.legal, names, "{name} in {}", mind.state);
    }
}

/// A refused line: an answer to its sender alone, as the protocol has it for what was announced and what was not.
fn check_refused(said: &str, was_announced: bool, lines: &[String], tally: &mut Tally) {
    let verb = said.split(',').next().unwrap_or_default();
    let bad_count = format!("ERROR,Bad number of arguments to {verb}");
    let malformed = format!("ERROR,{MALFORMED}");
    match lines {
        [reason, error] if was_announced && error == NOT_LEGAL => {
            let text = reason.strip_prefix("MOVERROR,").unwrap_or_else(|| panic!("{said}: {reason}"));
            let listed = REASONS.iter().filter(|(of, _)| of.name() == verb).flat_map(|(_, reasons)| *reasons);
            assert!(listed.into_iter().any(|reason| reason.text() == text), "{said}: {text} is not listed");
            *tally.refused.entry((verb.to_string(), text.to_string())).or_default() += 1;
        }
        [error] if was_announced => assert!(*error == malformed || *error == bad_count, "{said}: {error}"),
        [error] => assert!(error == NOT_LEGAL || error == UNKNOWN, "{said} was not announced: {error}"),
        _ => panic!("{said}: {lines:?}"),
    }
}

fn step(house: &mut House, minds: &mut Minds, chance: &mut Chance, tally: &mut Tally) {
    let (name, said) = any_line(minds, chance);
    let verb = said.split(',').next().unwrap_or_default().to_string();
    // The document's spelling is taken, and not announced.
    let was_announced = minds[name].legal.contains(if verb == "VALDIATESETUP" { "VALIDATESETUP" } else { &verb });
    let before = house.venus.game("den").cloned();
    house.say(name, &said);
    let heard = listen(house, minds);
    tally.actions += 1;
    for line in heard.values().flatten() {
        tally.events.insert(line.split(',').next().unwrap_or_default().to_string());
    }
    if heard[name].iter().any(|line| line.starts_with("NEWSTATE")) {
        assert!(was_announced, "{name} was not told of {said}: {:?}", heard[name]);
        *tally.taken.entry(verb).or_default() += 1;
        *tally.states.entry(minds[name].state.clone()).or_default() += 1;
    } else {
        assert_eq!(house.venus.game("den").cloned(), before, "{said} was refused and changed the game");
        assert!(heard.iter().all(|(other, lines)| *other == name || lines.is_empty()), "others heard of {said}");
        check_refused(&said, was_announced, &heard[name], tally);
    }
    check_announced(house, minds);
}

/// One game from the set-up on, with cuts. ann, bob and cat play as they like; all four may try anything.
fn play(number: u32, tally: &mut Tally) {
    let chance = &mut Chance(number);
    let config = Config { pocket: !number.is_multiple_of(4), weapons: number.is_multiple_of(3), ..CONFIG };
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number.to_le_bytes());
    let names = ["ann", "bob", "cat", "dan"];
    let (mut house, mut minds) = (House::with_seed(&config, &seed), minds(&names));
    house.gather(&names);
    listen(&mut house, &mut minds);
    for _ in 0..ACTIONS_A_GAME {
        if minds["ann"].state == "TerminalState" {
            tally.ended += 1;
            return;
        }
        if chance.one_in(100) {
            let name = *chance.one(&names).unwrap();
            come_back(&mut house, name);
            listen(&mut house, &mut minds);
            check_announced(&house, &minds);
        }
        step(&mut house, &mut minds, chance, tally);
    }
}

#[test]
fn what_is_announced_is_what_is_taken() {
    let (mut tally, games) = (Tally::default(), games());
    (1..=games).for_each(|number| play(number, &mut tally));
    std::println!("{games} games, {} ended, {} actions", tally.ended, tally.actions);
    std::println!("states {:?}\ntaken {:?}\nrefused {:?}", tally.states, tally.taken, tally.refused);
    for verb in [Verb::Join, Verb::LikeOptions, Verb::SelectDestination, Verb::Buy, Verb::Sell, Verb::EndTurn] {
        assert!(tally.taken.contains_key(verb.name()), "{verb:?} was never taken");
    }
    assert!(tally.events.contains("BASELOCATION") && tally.events.contains("QBOXCONTENTS"));
    if games < 1_000 {
        return;
    }
    assert!(Verb::ALL.iter().all(|verb| tally.taken.contains_key(verb.name())), "an action was never taken");
    let listed = REASONS
        .iter()
        .flat_map(|(verb, reasons)| reasons.iter().map(|reason| (verb.name().to_string(), reason.text().to_string())));
    let missing: std::vec::Vec<_> = listed.filter(|pair| !tally.refused.contains_key(pair)).collect();
    // Full holds, and a step that was not offered, are more than such players come to: conversations have them.
    assert!(missing.len() <= 3, "never refused so: {missing:?}");
}

/// Every line that a server says is one that a client can read, and reads as the same.
#[test]
fn all_that_is_said_is_read_again() {
    let mut house = House::with_game(&CONFIG, &[]);
    let (mut room, mut again) = ([0; 600], [0; 600]);
    for name in ["ann", "bob", "cat"] {
        for line in house.heard(name) {
            let event = Event::parse(line.as_bytes(), &mut room).unwrap_or_else(|| panic!("{line}"));
            let length = event.write(&mut again).unwrap();
            assert_eq!(&again[..length - 1], line.as_bytes());
        }
    }
}

//! In each of the nine states a game is told anew, saved and loaded, frozen and thawed, and restarted: the player whose
//! turn it is, another and an onlooker hear the same, and the game goes on as if nothing had been.

use super::minds::{Chance, Minds, any_line, listen, minds};
use super::{CONFIG, House};
use crate::dice::with_keys;
use crate::save::Durable as _;
use crate::server::Millis;
use crate::venus::limits::{BoardVenus, save_max};
use crate::venus::pieces::{Phase, Relic, Seat};
use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet};
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

/// ann and bob play, cat looks on.
const NAMES: [&str; 3] = ["ann", "bob", "cat"];
const STATES: [Phase; 9] = [
    Phase::InitialState,
    Phase::ValidateSetup,
    Phase::TechSelect,
    Phase::SelectMove,
    Phase::Mulligan,
    Phase::SelectPilotNumber,
    Phase::TradePhase,
    Phase::AsteroidPhase,
    Phase::TerminalState,
];

type Heard = BTreeMap<&'static str, Vec<String>>;

fn hear(house: &mut House) -> Heard {
    NAMES.iter().map(|name| (*name, house.heard(name))).collect()
}

/// From RESET to the last LEGALACTION.
fn refresh(lines: &[String]) -> Vec<String> {
    let from = lines.iter().position(|line| line.starts_with("RESET")).expect("a refresh");
    let is_refresh = |line: &&String| !["SAVEGAMES", "INHABITANT", "GUIROOM"].iter().any(|name| line.starts_with(name));
    lines[from..].iter().take_while(is_refresh).cloned().collect()
}

/// What each is told who enters where they are already: nobody's seat is touched.
fn told_anew(house: &House) -> Heard {
    let mut house = house.clone();
    house.forget();
    let told = NAMES.iter().map(|name| {
        let heard = house.ask(name, "CHANGEROOM,den");
        (*name, refresh(&heard))
    });
    told.collect()
}

/// The game was saved, went on and is loaded. The dice are not in the file: they are put back.
fn loaded(house: &House, minds: &Minds, chance: &mut Chance) -> House {
    let mut twin = house.clone();
    let wanted = told_anew(house);
    let mut minds = minds.clone();
    for _ in 0..12 {
        let (name, line) = any_line(&minds, chance);
        // Who has given up the seat may not load.
        if line != "UNJOIN" {
            twin.say(name, &line);
        }
        listen(&mut twin, &mut minds);
    }
    twin.forget();
    twin.say("ann", "LOADGAME,evening");
    let heard = hear(&mut twin);
    assert_eq!(twin.venus.game("den"), house.venus.game("den"));
    for name in NAMES {
        assert_eq!(refresh(&heard[name]), wanted[name], "{name}");
    }
    // It is a game of its own, with another key.
    twin.venus.hall.dice = house.venus.hall.dice.clone();
    twin.venus.hall.rooms[0].draws = house.venus.hall.rooms[0].draws;
    twin
}

fn thawed(house: &House) -> House {
    let mut bytes = vec![0; BoardVenus::FROZEN_MAX];
    let length = house.venus.freeze(&mut bytes).unwrap();
    let mut twin = house.clone();
    twin.venus = Box::new(BoardVenus::new());
    twin.venus.thaw(&bytes[..length]).unwrap();
    twin
}

/// After a restart everybody comes back to the room and is told the same. Games that are not under way are not kept.
fn check_restart(house: &House) {
    let game = house.venus.game("den").unwrap();
    if !game.has_started() || game.winner().is_some() {
        return;
    }
    let mut bytes = vec![0; save_max(10, 2, 4)];
    let length = house.venus.save(&mut bytes).unwrap();
    let mut twin = House::with(&CONFIG, &[]);
    twin.venus.load(&bytes[..length], Millis(5)).unwrap();
    let wanted = told_anew(house);
    for name in NAMES {
        twin.login(name);
        let heard = twin.ask(name, "CHANGEROOM,den");
        assert_eq!(refresh(&heard), wanted[name], "{name} after a restart");
    }
}

/// All of them go on with the same lines, and nobody can tell them apart.
fn go_on(mut houses: [House; 3], minds: &Minds, chance: &mut Chance) {
    let mut minds = minds.clone();
    houses.iter_mut().for_each(House::forget);
    for _ in 0..60 {
        let (name, line) = any_line(&minds, chance);
        let line = if minds["ann"].state == "TerminalState" { "NEWGAME,MerchantOfVenus".to_string() } else { line };
        houses.iter_mut().for_each(|house| house.say(name, &line));
        let [first, others @ ..] = &mut houses;
        let heard = listen(first, &mut minds);
        for (house, what) in others.iter_mut().zip(["loaded", "thawed"]) {
            assert_eq!(hear(house), heard, "{what}, after {name} said {line}");
        }
    }
    let games = houses.each_ref().map(|house| house.venus.game("den").cloned());
    assert!(games[1] == games[0] && games[2] == games[0]);
}

fn check(house: &House, minds: &Minds, chance: &mut Chance) {
    let mut house = house.clone();
    house.say("ann", "SAVEGAME,evening");
    assert!(house.heard("cat").iter().any(|line| line == "SAVEGAMES,evening"));
    check_restart(&house);
    let (loaded, thawed) = (loaded(&house, minds, chance), thawed(&house));
    go_on([house, loaded, thawed], minds, chance);
}

/// A game that comes through every state: ann has Mulligan Gear and Auto Pilot, and is rich at last.
fn play(number: u32, seen: &mut BTreeSet<&'static str>) {
    let chance = &mut Chance(number);
    let mut seed = [3; 32];
    seed[31] = number as u8;
    let config = super::Config { pocket: true, ..CONFIG };
    let (mut house, mut minds) = (House::with_seed(&config, &with_keys(seed)), minds(&NAMES));
    house.gather(&NAMES);
    for line in ["ann JOIN", "bob JOIN", "", "ann VALIDATESETUP", "bob LIKEOPTIONS", "", "ann LIKEOPTIONS"] {
        match line.split_once(' ') {
            Some((name, action)) => house.say(name, action),
            None => {
                listen(&mut house, &mut minds);
                seen.insert(house.venus.game("den").unwrap().phase().name());
                check(&house, &minds, chance);
            }
        }
    }
    for relic in [Relic::MulliganGear, Relic::AutoPilot] {
        house.venus.hall.rooms[0].game.grant(Seat(0), relic);
    }
    house.venus.hall.change_game(0);
    NAMES.iter().for_each(|name| house.say(name, "CHANGEROOM,den"));
    for said in 0..500 {
        listen(&mut house, &mut minds);
        let phase = house.venus.game("den").unwrap().phase();
        // The player whose turn it is comes to each state with each of the two, over several games.
        if seen.insert(phase.name()) || said % 97 == 0 {
            check(&house, &minds, chance);
        }
        if phase == Phase::TerminalState {
            return;
        }
        if said == 450 {
            Seat::all().take(2).for_each(|seat| house.venus.hall.rooms[0].game.pay_in(seat, 2000));
            house.venus.hall.change_game(0);
        }
        let (name, line) = any_line(&minds, chance);
        house.say(name, &line);
    }
}

#[test]
fn every_state_is_told_saved_and_thawed() {
    let mut seen = BTreeSet::new();
    (1..=12).for_each(|number| play(number, &mut seen));
    assert_eq!(seen, STATES.iter().map(|phase| phase.name()).collect());
}

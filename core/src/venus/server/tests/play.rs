//! A game as its players and those who look on hear it.

use super::minds::{Chance, any_line, listen, minds};
use super::{CONFIG, GUI, House, NOT_LEGAL, UNKNOWN};
use crate::server::Server as _;
use crate::venus::server::Config;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// The kinds of lines, in their order, each once.
fn kinds(lines: &[String]) -> Vec<&str> {
    let mut kinds: Vec<&str> = lines.iter().map(|line| line.split(',').next().unwrap()).collect();
    kinds.dedup();
    kinds
}

#[test]
fn the_start_is_told_to_everybody() {
    let house = &mut House::with_game(&CONFIG, &[]);
    let current = house.venus.game("den").unwrap().current();
    let names = ["ann", "bob"];
    let (mover, other) = (names[current.index()], names[1 - current.index()]);
    let heard = house.heard(mover);
    let from = heard.iter().position(|line| line.starts_with("TURNORDER")).unwrap();
    let state = "NEWSTATE,SelectMove,The player moves.";
    assert_eq!(
        kinds(&heard[from..]),
        [
            "TURNORDER",
            "CURPLAYER",
            "ADDTOPLAYER",
            "PLAYERMONEY",
            "PLAYERRACE",
            "PLAYERLOCATION",
            "ADDTOTRADEBASE",
            "SOLARSYSTEMPRIVACY",
            "BASELOCATION",
            "DICE",
            "PILOTNUMBERCHOSEN",
            "DESTINATION",
            "NEWSTATE",
            "LEGALACTION",
        ]
    );
    assert_eq!(heard[heard.len() - 3..], [state, "LEGALACTION,ENDMOVE", "LEGALACTION,SELECTDESTINATION"]);
    assert!(heard.contains(&"PLAYERMONEY,0,40,0,40".to_string()));
    assert!(heard.contains(&"SOLARSYSTEMPRIVACY,Galactic Base,public".to_string()));
    let bytes: usize = heard[from..].iter().map(|line| line.len() + 1).sum();
    assert!((12_000..16_000).contains(&bytes), "{bytes} bytes");
    // The others hear the same but what is the mover's alone.
    let start =
        heard[from..].iter().filter(|line| !line.starts_with("DESTINATION") && !line.starts_with("LEGALACTION"));
    for name in [other, "cat"] {
        let heard = house.heard(name);
        let from = heard.iter().position(|line| line.starts_with("TURNORDER")).unwrap();
        assert!(heard[from..].iter().eq(start.clone()), "{name}");
    }
}

/// Whose turn it is, and who waits.
fn turn(house: &House) -> (&'static str, &'static str) {
    let names = ["ann", "bob"];
    let current = house.venus.game("den").unwrap().current().index();
    (names[current], names[1 - current])
}

/// The lines of these kinds.
fn only<'a>(lines: &'a [String], kinds: &[&str]) -> Vec<&'a str> {
    let is_wanted = |line: &&str| kinds.contains(&line.split(',').next().unwrap());
    lines.iter().map(String::as_str).filter(is_wanted).collect()
}

/// The first step of DESTINATION's list.
fn first_step(lines: &[String]) -> String {
    let line = only(lines, &["DESTINATION"]).pop().unwrap().to_string();
    let list = line.split(',').nth(3).unwrap();
    list.split('!').next().unwrap().to_string()
}

#[test]
fn a_turn_is_played_before_everybody() {
    let house = &mut House::with_game(&CONFIG, &[0x31, 0x41, 0x52]);
    let (mover, other) = turn(house);
    let step = first_step(&house.heard(mover));
    house.forget();
    // Nobody else moves, and nothing is done that is not offered.
    assert_eq!(house.ask(other, "ENDMOVE"), [NOT_LEGAL]);
    assert_eq!(house.ask("cat", "ENDMOVE"), [NOT_LEGAL]);
    assert_eq!(house.ask(mover, "JOIN"), [UNKNOWN]);
    assert_eq!(house.ask(mover, "ENDTURN"), [UNKNOWN]);
    let no_step = ["MOVERROR,You can not go there.", NOT_LEGAL];
    assert_eq!(house.ask(mover, "SELECTDESTINATION,nowhere,0"), no_step);
    assert_eq!(house.ask(mover, "SELECTDESTINATION,Rumble City,0"), no_step);
    assert_eq!(house.ask(mover, &format!("SELECTDESTINATION,{step},2")), ["ERROR,An argument is malformed."]);
    assert_eq!(house.heard(other), [""; 0]);
    let heard = house.ask(mover, &format!("SELECTDESTINATION,{step},0"));
    let begun = ["DESTINATION", "DICE", "MPLEFT", "PILOTNUMBERCHOSEN", "PLAYERLOCATION", "DESTINATION"];
    assert!(kinds(&heard).starts_with(&begun[..3]), "{heard:?}");
    assert!(heard.contains(&format!("PLAYERLOCATION,{},{step}", if mover == "ann" { 0 } else { 1 })), "{heard:?}");
    let public: Vec<String> = heard
        .iter()
        .filter(|line| !["DESTINATION", "LEGALACTION"].contains(&line.split(',').next().unwrap()))
        .cloned()
        .collect();
    assert_eq!(house.heard("cat"), public);
}

#[test]
fn trading_at_the_base() {
    let house = &mut House::with_game(&CONFIG, &[]);
    let (mover, other) = turn(house);
    let seat = if mover == "ann" { 0 } else { 1 };
    let heard = house.ask(mover, "ENDMOVE");
    // Who has not moved trades without limit.
    let state = "NEWSTATE,TradePhase,The player trades.";
    assert_eq!(heard[..2], [format!("REMAININGTRANSCOUNT,{seat},-1,-1"), state.to_string()]);
    assert_eq!(
        only(&heard, &["LEGALACTION"]),
        [
            "LEGALACTION,BUY",
            "LEGALACTION,DROPOFF",
            "LEGALACTION,ENDTURN",
            "LEGALACTION,JETTISON",
            "LEGALACTION,PICKUP",
            "LEGALACTION,SELL",
            "LEGALACTION,TRADEINSHIP"
        ]
    );
    assert_eq!(house.heard(other), heard[..2]);
    let clipper = "Clipper|ship|120|60|barter|nowhere|notfg|unlimited|||notdeed|0|0|reusable||4|4|old";
    let wine = "Mulch Wine|good|20|60|cash|cup|notfg|limited|4a?4b?5?6|3|notdeed|0|0|reusable||0|0|old";
    for (line, reason) in [
        (format!("TRADEINSHIP,{clipper}"), "You can not pay for it."),
        (format!("BUY,{clipper}"), "Ships are traded in and fares picked up; an IOU is not for sale."),
        (format!("BUY,{wine}"), "That is not sold here."),
        ("BUY,Teapot".to_string(), "That is not sold here."),
        ("PICKUP,Teapot".to_string(), "That is not sold here."),
        ("SELL,Teapot".to_string(), "You do not have that."),
        ("DROPOFF,".to_string(), "You do not have that."),
        (format!("JETTISON,{wine}"), "You do not have that."),
    ] {
        assert_eq!(house.ask(mover, &line), [&format!("MOVERROR,{reason}"), NOT_LEGAL], "{line}");
    }
    assert_eq!(house.ask(mover, "REDEEMIOU"), [NOT_LEGAL]);
    assert_eq!(house.ask(mover, "BUY"), ["ERROR,Bad number of arguments to BUY"]);
    let heard = house.ask(mover, "ENDTURN");
    assert_eq!(kinds(&heard)[..3], ["PLAYERMONEY", "AGEPLAYER", "CURPLAYER"]);
    assert_eq!(turn(house).0, other);
}

/// What somebody is told who enters: everything, and nothing that is another's alone.
#[test]
fn a_refresh_tells_each_what_each_may_know() {
    let house = &mut House::with_game(&CONFIG, &[]);
    let (mover, other) = turn(house);
    for name in [mover, other, "cat"] {
        house.say(name, "CHANGEROOM,Great Hall");
        let heard = house.ask(name, "CHANGEROOM,den");
        assert_eq!(heard[..3], ["GAMES,MerchantOfVenus", GUI, "RESET,MerchantOfVenus"]);
        let last = heard.len() - 1;
        assert_eq!(heard[last - 1..], ["SAVEGAMES,".to_string(), format!("INHABITANT,{name},den")]);
        let mine = kinds(&heard);
        assert_eq!(mine.contains(&"IAM"), name != "cat");
        for private in ["DESTINATION", "LEGALACTION"] {
            assert_eq!(mine.contains(&private), name == mover, "{name} {private}");
        }
        // Of the hidden systems nobody knows anything but that they are hidden.
        assert_eq!(only(&heard, &["SOLARSYSTEMPRIVACY"]).len(), 15);
        assert_eq!(only(&heard, &["BASELOCATION"]), ["BASELOCATION,Galactic Base,base"]);
        assert_eq!(only(&heard, &["QBOXPRIVACY"]).len(), 24);
        assert_eq!(only(&heard, &["QBOXCONTENTS"]), [""; 0]);
        assert_eq!(only(&heard, &["PLAYER"]), ["PLAYER,ann,0", "PLAYER,bob,1"]);
    }
}

#[test]
fn a_seat_is_kept_by_name_and_the_turn_waits() {
    let house = &mut House::with_game(&CONFIG, &[]);
    let (mover, other) = turn(house);
    house.forget();
    house.hang_up(mover);
    assert_eq!(house.heard(other), [format!("DROPINHABITANT,{mover}")], "nothing is said in the game");
    house.advance(3_600_000);
    assert_eq!(house.heard(other), [""; 0]);
    house.login(mover);
    let heard = house.ask(mover, "CHANGEROOM,den");
    assert_eq!(only(&heard, &["IAM"]).len(), 1);
    assert_eq!(house.ask(mover, "ENDMOVE").last().unwrap(), "LEGALACTION,TRADEINSHIP");
    // A seated player who is in another room hears nothing of the game.
    house.say(other, "CHANGEROOM,Great Hall");
    house.forget();
    house.say(mover, "ENDTURN");
    assert_eq!(house.heard(other), [""; 0]);
    assert_eq!(turn(house).0, other);
}

#[test]
fn a_patient_server_plays_for_the_absent() {
    let house = &mut House::with_game(&Config { patience: 60_000, ..CONFIG }, &[]);
    let (mover, other) = turn(house);
    house.advance(600_000);
    assert_eq!(turn(house).0, mover, "who is there may take all the time in the world");
    house.hang_up(mover);
    house.advance(59_999);
    assert_eq!(turn(house).0, mover);
    house.forget();
    house.advance(1);
    assert_eq!(turn(house).0, other);
    let heard = house.heard(other);
    assert!(kinds(&heard).contains(&"AGEPLAYER"), "{heard:?}");
    assert_eq!(house.venus.deadline(), None);
    house.say(other, "ENDMOVE");
    house.say(other, "ENDTURN");
    assert_eq!(turn(house).0, mover);
    house.advance(60_000);
    assert_eq!(turn(house).0, other, "and the next time as well");
    // Who comes back in time plays on.
    house.say(other, "ENDMOVE");
    house.say(other, "ENDTURN");
    house.advance(30_000);
    house.login(mover);
    house.say(mover, "CHANGEROOM,den");
    house.advance(600_000);
    assert_eq!(turn(house).0, mover);
}

/// However much is said of the turn of somebody who is away: steps without an end, penalties, a first contact.
#[test]
fn what_is_done_for_the_absent_leaves_the_others_time_to_read() {
    for number in 1..=12 {
        let (chance, mut minds) = (&mut Chance(number), minds(&["ann", "bob", "cat"]));
        let config = Config { patience: 1_000, pocket: !number.is_multiple_of(3), ..CONFIG };
        let mut house = House::with_game(&config, &[]);
        house.hang_up("cat");
        house.login("cat");
        minds.remove("cat");
        let mut turns = 0;
        for _ in 0..60 {
            // bob plays on to somewhere in the turn, and is cut off there.
            for _ in 0..chance.below(30) {
                listen(&mut house, &mut minds);
                let (name, line) = any_line(&minds, chance);
                house.say(name, &line);
            }
            house.hang_up("bob");
            house.advance(60_000);
            turns += u32::from(turn(&house).0 == "ann");
            assert!(house.venus.game("den").unwrap().winner().is_some() || turn(&house).0 == "ann");
            house.login("bob");
            house.say("bob", "CHANGEROOM,den");
        }
        assert!(turns > 0);
    }
}

/// A refused action may be answered before anything is safe on a disk: it was no change.
#[test]
fn what_is_refused_is_no_change() {
    let house = &mut House::with_game(&CONFIG, &[]);
    let (mover, other) = turn(house);
    let before = house.venus.produced();
    for (name, line) in [
        (mover, "SELECTDESTINATION,nowhere,0"),
        (mover, "JOIN"),
        (other, "ENDMOVE"),
        (other, "PLAYERTALK,cat,psst"),
        (other, "CHANGEROOM,cellar"),
    ] {
        house.say(name, line);
        assert!(!house.venus.produced().has_changed_since(before), "{line}");
    }
    house.say(mover, "ENDMOVE");
    assert!(house.venus.produced().has_changed_since(before));
}

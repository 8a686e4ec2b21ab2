//! Links that read slowly, and what others notice of them.

use super::{CONFIG, House};
use std::format;
use std::vec::Vec;

/// Whoever enters while nothing has changed is told from the same snapshot.
#[test]
fn those_who_are_told_the_same_share_a_snapshot() {
    let house = &mut House::with_game(&CONFIG, &[]);
    let late: Vec<_> = (0..4).map(|n| format!("late{n}")).collect();
    for name in &late {
        house.login(name);
    }
    for name in &late {
        house.stop_reading(name, true);
        house.say(name, "CHANGEROOM,den");
    }
    let shots: Vec<u8> = house.venus.lines.iter().filter(|line| line.is_user()).map(|line| line.shot).collect();
    assert_eq!(shots[3..], [shots[3]; 4]);
    // Meanwhile the game goes on, and nobody waits.
    for name in ["ann", "bob"] {
        house.say(name, "ENDMOVE");
        house.say(name, "ENDTURN");
    }
    let mut heard = Vec::new();
    for name in &late {
        assert!(!house.is_closed(name));
        house.stop_reading(name, false);
        house.run();
        heard.push(house.heard(name).into_iter().filter(|line| !line.starts_with("INHABITANT")).collect::<Vec<_>>());
    }
    assert!(heard.iter().all(|lines| *lines == heard[0]));
    let kinds: Vec<&str> = heard[0].iter().map(|line| line.split(',').next().unwrap()).collect();
    let at = |kind| kinds.iter().position(|one| *one == kind).unwrap();
    assert!(at("RESET") < at("SAVEGAMES") && at("SAVEGAMES") < at("AGEPLAYER"), "the refresh, then what came after");
}

/// There are two snapshots on a board: who has not read when a third is needed is told anew, twice, and then closed.
#[test]
fn a_reader_whose_snapshot_is_needed_elsewhere_is_told_anew() {
    let house = &mut House::with_game(&CONFIG, &[]);
    for name in ["dan", "eve"] {
        house.login(name);
    }
    house.stop_reading("dan", true);
    house.say("dan", "CHANGEROOM,den");
    let goes_on = |house: &mut House, times: usize| {
        for _ in 0..times {
            for mover in ["ann", "bob"] {
                house.say(mover, "ENDMOVE");
                house.say(mover, "ENDTURN");
            }
            house.say("eve", "CHANGEROOM,den");
        }
    };
    goes_on(house, 2);
    house.stop_reading("dan", false);
    house.run();
    let heard = house.heard("dan");
    assert!(!house.is_closed("dan"));
    let resets = heard.iter().filter(|line| line.starts_with("RESET")).count();
    assert_eq!(resets, 1, "nothing of the first telling had left");
    let state = house.venus.game("den").unwrap().current();
    assert_eq!(heard.iter().rfind(|line| line.starts_with("CURPLAYER")), Some(&format!("CURPLAYER,{}", state.0)));
    house.stop_reading("dan", true);
    house.say("dan", "CHANGEROOM,den");
    for _ in 0..8 {
        // The ring itself must not run over: everybody else reads.
        goes_on(house, 1);
    }
    house.stop_reading("dan", false);
    house.run();
    assert!(house.is_closed("dan") && !house.is_closed("eve"));
}

#[test]
fn who_never_reads_is_closed_and_the_others_play_on() {
    let house = &mut House::with_game(&CONFIG, &[]);
    house.stop_reading("cat", true);
    for n in 0..40 {
        house.say("ann", &format!("ROOMTALK,{n} {}", "x".repeat(190)));
    }
    house.stop_reading("cat", false);
    house.run();
    assert!(house.is_closed("cat") && !house.is_closed("ann"));
    assert_eq!(house.heard("bob").iter().filter(|line| line.starts_with("MESSAGE")).count(), 40);
}

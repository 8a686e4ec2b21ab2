//! Saved games, and what is journalled of a password.

use super::{CONFIG, House, NOT_LEGAL};
use crate::venus::server::Config;
use std::format;
use std::string::ToString;
use std::vec::Vec;

#[test]
fn a_game_is_saved_and_loaded() {
    let house = &mut House::with_game(&CONFIG, &[]);
    house.login("dan");
    house.forget();
    assert_eq!(house.ask("cat", "SAVEGAME,a"), [NOT_LEGAL]);
    for odd in ["SAVEGAME,", "SAVEGAME,a.b", "SAVEGAME,../a", "SAVEGAME,a b"] {
        assert_eq!(house.ask("ann", odd), ["ERROR,That is no name for a saved game."], "{odd}");
    }
    assert_eq!(house.ask("ann", "LOADGAME,a"), ["ERROR,There is no such saved game."]);
    assert_eq!(house.ask("ann", "SAVEGAME,a"), ["SAVEGAMES,a"]);
    assert_eq!(house.heard("bob"), ["SAVEGAMES,a"]);
    assert_eq!(house.heard("dan"), [""; 0], "only the room is told");
    assert_eq!(house.ask("bob", "SAVEGAME,a"), ["ERROR,Somebody else has saved a game by that name."]);
    assert_eq!(house.ask("ann", "SAVEGAME,a"), ["SAVEGAMES,a"]);
    assert_eq!(house.ask("ann", "SAVEGAME,b"), ["SAVEGAMES,a%Cb"]);
    assert_eq!(house.ask("ann", "SAVEGAME,c"), ["ERROR,There is no space for another saved game."]);
    let saved = house.venus.game("den").cloned();
    for name in ["ann", "bob"] {
        house.say(name, "ENDMOVE");
    }
    assert_ne!(house.venus.game("den").cloned(), saved);
    assert_eq!(house.ask("cat", "LOADGAME,a"), [NOT_LEGAL]);
    let told = house.ask("bob", "LOADGAME,a");
    assert_eq!(house.venus.game("den").cloned(), saved);
    for heard in [told, house.heard("ann"), house.heard("cat")] {
        assert_eq!(heard[0], "RESET,MerchantOfVenus");
        assert!(heard.iter().any(|line| line.starts_with("NEWSTATE,SelectMove")));
    }
}

/// Into another room: the seats are those of the file, whoever is there.
#[test]
fn a_game_is_loaded_in_another_room() {
    let house = &mut House::with_game(&CONFIG, &[]);
    house.say("bob", "SAVEGAME,evening");
    house.say("cat", "NEWROOM,attic");
    house.say("cat", "CHANGEROOM,attic");
    house.say("cat", "NEWGAME,MerchantOfVenus");
    house.say("cat", "JOIN");
    house.login("dan");
    house.say("dan", "CHANGEROOM,attic");
    house.forget();
    let heard = house.ask("dan", "LOADGAME,evening");
    assert_eq!(heard.last().unwrap(), "GUIROOM,attic,MerchantOfVenus,In Progress.");
    assert!(heard.contains(&"PLAYER,bob,1".to_string()) && !heard.iter().any(|line| line.starts_with("IAM")));
    assert!(!house.heard("cat").iter().any(|line| line.starts_with("IAM")), "cat's seat was in the other game");
    assert_eq!(house.venus.game("attic").cloned(), house.venus.game("den").cloned());
    house.say("bob", "CHANGEROOM,attic");
    assert!(house.heard("bob").contains(&"IAM,1".to_string()));
}

/// Before the start a seat of somebody who is not here would keep the others from beginning.
#[test]
fn who_is_absent_has_no_seat_in_a_game_that_has_not_begun() {
    let house = &mut House::new();
    for name in ["ann", "bob"] {
        house.login(name);
    }
    house.say("ann", "NEWROOM,den");
    for name in ["ann", "bob"] {
        house.say(name, "CHANGEROOM,den");
    }
    house.say("ann", "NEWGAME,MerchantOfVenus");
    for name in ["ann", "bob"] {
        house.say(name, "JOIN");
    }
    house.say("bob", "SAVEGAME,early");
    house.hang_up("ann");
    let heard = house.ask("bob", "LOADGAME,early");
    let players: Vec<_> = heard.iter().filter(|line| line.starts_with("PLAYER") || line.starts_with("IAM")).collect();
    assert_eq!(players, ["PLAYER,bob,0", "IAM,0"]);
}

#[test]
fn without_storage_nothing_is_saved() {
    let house = &mut House::with_game(&Config { storage: false, ..CONFIG }, &[]);
    house.forget();
    assert_eq!(house.ask("ann", "SAVEGAME,a"), ["ERROR,Games are not kept here."]);
    assert_eq!(house.ask("ann", "LOADGAME,a"), ["ERROR,There is no such saved game."]);
}

#[test]
fn a_file_that_is_gone_or_damaged_is_no_game() {
    let house = &mut House::with_game(&CONFIG, &[]);
    house.say("ann", "SAVEGAME,a");
    let file = house.files["a"].clone();
    assert!(file.len() <= crate::venus::server::FILE_MAX);
    for at in (0..file.len()).step_by(13) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        house.files.insert("a".into(), damaged);
        assert_eq!(house.ask("ann", "LOADGAME,a"), ["ERROR,There is no such saved game."], "byte {at}");
    }
    house.files.clear();
    assert_eq!(house.ask("ann", "LOADGAME,a"), ["ERROR,There is no such saved game."]);
}

/// What is taken is what a journal keeps: no password may be among it, nor what might be one.
#[test]
fn no_password_is_among_what_was_taken() {
    let house = &mut House::new();
    house.login("known");
    for line in [
        "LOGIN,ann,hunter2",
        "LOGIN,ann,hun%Cter%%2",
        "LOGIN,known,hunter2",
        "LOGOUTOTHER,known,hunter2",
        "LOGIN,ann,hunter2,more",
        "LOGIN,hunter2",
        "LOGN,ann,hunter2",
        "LOGIN,ann,hunter2\u{0}\u{1}",
        "login,ann,hunter2",
        "LOGIN ann hunter2",
        "hunter2",
        "NEWROOM,hunter2",
    ] {
        house.connect("new");
        house.say("new", line);
        house.say("new", "LOGIN,ann,hunter2");
        house.say("new", "LOGIN,bob,hunter2");
        house.send("new", b"LOGIN,\xff,hunter2\n");
        house.send("new", &[b"LOGIN,ann,hunter2hunter2", &[b'x'; 300][..], b"hunter2\n"].concat());
        house.advance(1_000);
        let taken = house.clients["new"].taken.clone();
        let text = std::string::String::from_utf8_lossy(&taken).to_string();
        for secret in ["hunter2", "unter", "hun%C"] {
            assert!(!text.contains(secret), "{line}: {text}");
        }
        house.hang_up("new");
    }
}

/// The bytes that were taken, with the adapter's answers as they were, lead to the same state and the same output.
#[test]
fn what_was_taken_means_what_was_sent() {
    let mut first = House::new();
    let mut again = House::new();
    let lines: &[u8] =
        b"LOGIN,ann,hun%Cter%%2\r\nNEWROOM,den\nLOGIN,ann,x\n\xffROOMTALK,a\nDANCE,a,b\nLOGIN ann x\nCHANGEROOM,den\n";
    for house in [&mut first, &mut again] {
        house.connect("ann");
        house.stop_answering();
    }
    first.send("ann", lines);
    let answers = first.owed.clone();
    first.give_answers();
    first.run();
    let taken = first.clients["ann"].taken.clone();
    assert!(taken != lines && taken.len() == lines.len());
    again.send("ann", &taken);
    again.owed = answers;
    again.give_answers();
    again.run();
    assert_eq!(first.heard("ann"), again.heard("ann"));
    assert_eq!(again.clients["ann"].taken, taken);
    let known = |house: &House| house.venus.hall.accounts[0].hash().to_vec();
    assert_eq!(known(&first), known(&again));
}

#[test]
fn lines_may_come_in_pieces() {
    let play = |chunk: usize| {
        let mut house = House::new();
        house.chunk = chunk;
        for name in ["ann", "bob"] {
            house.login(name);
        }
        let all = "NEWROOM,den\nCHANGEROOM,den\r\nNEWGAME,MerchantOfVenus\nJOIN\n\nOPTIONS,1000\n";
        house.send("ann", all.as_bytes());
        house.send("ann", format!("{}\nROOMTALK,well\n", "y".repeat(600)).as_bytes());
        house.heard("ann")
    };
    let whole = play(258);
    assert_eq!(whole.last().unwrap(), "MESSAGE,(ann to room 'den') well");
    assert_eq!((play(1), play(7)), (whole.clone(), whole));
}

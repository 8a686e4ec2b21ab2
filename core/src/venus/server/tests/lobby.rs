//! Logins, rooms, talk, and a table before its first turn.

use super::{CONFIG, GUI, House, NOT_LEGAL, UNKNOWN};
use crate::server::Server as _;
use std::vec::Vec;

#[test]
fn a_login_is_told_of_rooms_and_users() {
    let mut house = House::new();
    house.connect("ann");
    assert_eq!(house.heard("ann"), ["CONNECTSTRING,parlor: Merchant of Venus"]);
    assert_eq!(house.ask("ann", "JOIN"), [UNKNOWN]);
    assert_eq!(house.ask("ann", "NEWROOM,den"), [UNKNOWN]);
    assert_eq!(
        house.ask("ann", "LOGIN,ann,pw"),
        [
            "WELCOME",
            "NEWGUI,ROOMGUI,http://localhost/venus,rooms.xml",
            "GAMES,",
            "SAVEGAMES,",
            "GUIIAM,ann",
            "GUIROOM,Great Hall,,",
            "INHABITANT,ann,Great Hall"
        ]
    );
    assert_eq!(house.ask("ann", "LOGIN,ann,pw"), [UNKNOWN]);
    house.say("ann", "NEWROOM,den%C 100 %%");
    house.say("ann", "CHANGEROOM,den%C 100 %%");
    house.heard("ann");
    house.connect("bob");
    assert_eq!(
        house.ask("bob", "LOGIN,b%Cb,")[4..],
        [
            "GUIIAM,b%Cb",
            "GUIROOM,Great Hall,,",
            "GUIROOM,den%C 100 %%,,",
            "INHABITANT,ann,den%C 100 %%",
            "INHABITANT,b%Cb,Great Hall"
        ]
    );
    assert_eq!(house.heard("ann"), ["INHABITANT,b%Cb,Great Hall"]);
    house.hang_up("bob");
    assert_eq!(house.heard("ann"), ["DROPINHABITANT,b%Cb"]);
}

/// What an adapter says of a link counts for one call.
#[test]
fn whoever_is_confined_makes_no_room() {
    let mut house = House::new();
    house.login("ann");
    house.venus.confine();
    assert_eq!(house.ask("ann", "NEWROOM,den"), ["ERROR,Too many rooms were made from your address."]);
    assert_eq!(house.ask("ann", "NEWROOM,den"), ["GUIROOM,den,,"]);
}

#[test]
fn a_room_that_is_closed_from_outside_lets_everybody_go() {
    let mut house = House::new();
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
    house.forget();
    let now = house.now;
    assert!(!house.venus.end_game("attic", now) && !house.venus.end_game("Great Hall", now));
    assert!(house.venus.end_game("den", now));
    house.run();
    for heard in ["ann", "bob"].map(|name| house.heard(name)) {
        let last = heard.iter().filter(|line| line.starts_with("INHABITANT,") || line.starts_with("DROPROOM")).cloned();
        assert_eq!(
            last.collect::<Vec<_>>(),
            ["INHABITANT,ann,Great Hall", "INHABITANT,bob,Great Hall", "DROPROOM,den"]
        );
    }
    for name in ["ann", "bob"] {
        assert_eq!(house.ask(name, "CHANGEROOM,den"), ["ERROR,There is no such room."]);
    }
}

#[test]
fn wrong_passwords_and_names_that_are_connected() {
    let mut house = House::new();
    house.login("ann");
    house.connect("new");
    house.heard("new");
    assert_eq!(house.ask("new", "LOGIN,ann,wrong"), ["ERROR,Wrong password."]);
    assert_eq!(house.ask("new", "LOGIN,ann,pw"), [""; 0], "not read for a second");
    house.advance(1_000);
    assert_eq!(house.heard("new"), ["ALREADYLOGGEDIN"]);
    assert_eq!(house.ask("new", "LOGOUTOTHER,bob,pw"), ["ERROR,There is no such user."]);
    assert_eq!(house.ask("new", "LOGOUTOTHER,ann,pwx"), ["ERROR,Wrong password."]);
    house.advance(1_000);
    assert!(!house.is_closed("ann"));
    // The client sends both at once.
    house.forget();
    house.send("new", b"LOGOUTOTHER,ann,pw\nLOGIN,ann,pw\n");
    assert_eq!(house.heard("new")[0], "WELCOME");
    assert!(house.is_closed("ann"));
    for odd in ["LOGIN,,pw", "LOGIN, bo,pw", "LOGIN,bo ,pw", "LOGIN,b\u{7f}o,pw", "LOGIN,abcdefghijklmnopqrstu,pw"] {
        house.connect("odd");
        house.heard("odd");
        assert_eq!(house.ask("odd", odd), ["ERROR,That is no name for a user."], "{odd}");
        house.hang_up("odd");
    }
    house.connect("odd");
    house.heard("odd");
    let long = "p".repeat(65);
    assert_eq!(house.ask("odd", &std::format!("LOGIN,odd,{long}")), ["ERROR,A password has at most 64 bytes."]);
    for n in 0..5 {
        house.advance(1_000);
        house.say("odd", &std::format!("LOGIN,ann,{n}"));
    }
    assert!(house.is_closed("odd"));
}

#[test]
fn lines_that_are_no_actions() {
    let mut house = House::new();
    house.login("ann");
    for (line, answer) in [
        ("", UNKNOWN),
        (",", UNKNOWN),
        ("DANCE", UNKNOWN),
        ("newroom,a", UNKNOWN),
        ("NEWROOM", "ERROR,Bad number of arguments to NEWROOM"),
        ("NEWROOM,a,b", "ERROR,Bad number of arguments to NEWROOM"),
        ("PLAYERTALK,a", "ERROR,Bad number of arguments to PLAYERTALK"),
        ("NEWROOM,", "ERROR,That is no name for a room."),
        ("NEWROOM,Great Hall", "ERROR,There is a room of that name."),
        ("CHANGEROOM,den", "ERROR,There is no such room."),
        ("ROOMTALK,", "ERROR,A message has 1 to 200 bytes."),
        ("PLAYERTALK,bob,hello", "ERROR,That user is not here."),
        // In the Great Hall nothing is played.
        ("NEWGAME,MerchantOfVenus", NOT_LEGAL),
        ("SAVEGAME,a", NOT_LEGAL),
        ("LOADGAME,a", NOT_LEGAL),
        ("JOIN", UNKNOWN),
        ("ENDTURN", UNKNOWN),
    ] {
        assert_eq!(house.ask("ann", line), [answer], "{line}");
    }
    house.send("ann", b"ROOMTALK,\xff\n");
    assert_eq!(house.heard("ann"), ["ERROR,That line is not UTF-8."]);
    house.send("ann", &[b'a'; 700]);
    assert_eq!(house.heard("ann"), ["ERROR,That line is too long."]);
    house.send("ann", b"aaa\nROOMTALK,hi\r\n");
    assert_eq!(house.heard("ann"), ["MESSAGE,(ann to room 'Great Hall') hi"]);
    let long = std::format!("ROOMTALK,{}", "x".repeat(201));
    assert_eq!(house.ask("ann", &long), ["ERROR,A message has 1 to 200 bytes."]);
}

#[test]
fn rooms_are_made_entered_and_dropped() {
    let mut house = House::new();
    for name in ["ann", "bob"] {
        house.login(name);
    }
    assert_eq!(house.ask("ann", "NEWROOM,den"), ["GUIROOM,den,,"]);
    assert_eq!(house.heard("bob"), ["GUIROOM,den,,"]);
    assert_eq!(house.ask("bob", "NEWROOM,den"), ["ERROR,There is a room of that name."]);
    house.say("bob", "NEWROOM,attic");
    assert_eq!(house.ask("bob", "NEWROOM,cellar"), ["ERROR,There is no space for another room."]);
    assert_eq!(house.ask("ann", "CHANGEROOM,den"), ["GAMES,MerchantOfVenus", "SAVEGAMES,", "INHABITANT,ann,den"]);
    assert_eq!(house.heard("bob"), ["INHABITANT,ann,den"]);
    assert_eq!(house.ask("ann", "ROOMTALK,is anybody%C well"), ["MESSAGE,(ann to room 'den') is anybody%C well"]);
    assert_eq!(house.heard("bob"), [""; 0]);
    assert_eq!(house.ask("bob", "PLAYERTALK,ann,hello"), [""; 0]);
    assert_eq!(house.heard("ann"), ["MESSAGE,(bob) hello"]);
    assert_eq!(house.ask("bob", "PLAYERTALK,bob,hello"), ["MESSAGE,(bob) hello"]);
    // The last one out takes the room along; one that nobody has entered goes with its maker.
    assert_eq!(
        house.ask("ann", "CHANGEROOM,Great Hall"),
        ["GAMES,", "SAVEGAMES,", "INHABITANT,ann,Great Hall", "DROPROOM,den"]
    );
    house.hang_up("bob");
    assert_eq!(house.heard("ann"), ["DROPINHABITANT,bob", "DROPROOM,attic"]);
}

#[test]
fn a_table_is_set_up() {
    let mut house = House::new();
    for name in ["ann", "bob", "cat"] {
        house.login(name);
    }
    house.say("ann", "NEWROOM,den");
    for name in ["ann", "bob"] {
        house.say(name, "CHANGEROOM,den");
    }
    assert_eq!(house.ask("ann", "NEWGAME,Chess"), ["ERROR,That game is not played here."]);
    let state = "NEWSTATE,InitialState,Players join and agree on the options.";
    let refresh = ["RESET,MerchantOfVenus", "OPTIONS,2000", state, "LEGALACTION,JOIN"];
    let begun = [&[GUI][..], &refresh, &["SAVEGAMES,", "GUIROOM,den,MerchantOfVenus,Starting up."]].concat();
    assert_eq!(house.ask("ann", "NEWGAME,MerchantOfVenus"), begun);
    assert_eq!(house.heard("bob"), begun);
    assert_eq!(house.heard("cat"), ["GUIROOM,den,MerchantOfVenus,Starting up."]);
    assert_eq!(house.ask("ann", "NEWGAME,MerchantOfVenus"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "UNJOIN"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "LIKEOPTIONS"), [UNKNOWN]);
    assert_eq!(house.ask("ann", "JOIN,"), ["ERROR,Bad number of arguments to JOIN"]);
    assert_eq!(house.ask("ann", "JOIN"), ["IAM,0", "PLAYER,ann,0", state, "LEGALACTION,OPTIONS", "LEGALACTION,UNJOIN"]);
    assert_eq!(house.heard("bob"), ["PLAYER,ann,0", state, "LEGALACTION,JOIN"]);
    assert_eq!(house.ask("ann", "JOIN"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "VALIDATESETUP"), [NOT_LEGAL], "alone");
    for odd in ["OPTIONS,999", "OPTIONS,20001", "OPTIONS,x", "OPTIONS,"] {
        assert_eq!(house.ask("ann", odd), ["ERROR,An argument is malformed."], "{odd}");
    }
    assert_eq!(house.ask("ann", "OPTIONS,1000")[0], "OPTIONS,1000");
    assert_eq!(house.heard("bob"), ["OPTIONS,1000", state, "LEGALACTION,JOIN"]);
    house.say("bob", "JOIN");
    house.say("cat", "CHANGEROOM,den");
    house.say("cat", "JOIN");
    // The later ones move up.
    assert_eq!(
        house.ask("ann", "UNJOIN"),
        ["RESET,MerchantOfVenus", "PLAYER,bob,0", "PLAYER,cat,1", "OPTIONS,1000", state, "LEGALACTION,JOIN"]
    );
    assert_eq!(
        house.heard("cat"),
        [
            "RESET,MerchantOfVenus",
            "PLAYER,bob,0",
            "PLAYER,cat,1",
            "IAM,1",
            "OPTIONS,1000",
            state,
            "LEGALACTION,OPTIONS",
            "LEGALACTION,UNJOIN",
            "LEGALACTION,VALIDATESETUP"
        ]
    );
    let check = "NEWSTATE,ValidateSetup,Does everybody like the options?";
    assert_eq!(
        house.ask("bob", "VALDIATESETUP"),
        [
            "PLAYEROKSTARTUP,0,0",
            "PLAYEROKSTARTUP,1,0",
            check,
            "LEGALACTION,DONTLIKEOPTIONS",
            "LEGALACTION,LIKEOPTIONS",
            "GUIROOM,den,MerchantOfVenus,In Progress."
        ]
    );
    assert_eq!(house.ask("bob", "LIKEOPTIONS"), ["PLAYEROKSTARTUP,0,1", check]);
    assert_eq!(house.ask("bob", "LIKEOPTIONS"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "LIKEOPTIONS"), [NOT_LEGAL]);
    assert_eq!(house.ask("cat", "DONTLIKEOPTIONS")[..2], [state, "LEGALACTION,OPTIONS"]);
    assert_eq!(house.heard("ann"), [state, "LEGALACTION,JOIN", "GUIROOM,den,MerchantOfVenus,Starting up."]);
}

#[test]
fn who_leaves_before_the_start_gives_up_the_seat() {
    for how in ["CHANGEROOM,Great Hall", ""] {
        let mut house = House::new();
        for name in ["ann", "bob", "cat"] {
            house.login(name);
        }
        house.say("ann", "NEWROOM,den");
        for name in ["ann", "bob", "cat"] {
            house.say(name, "CHANGEROOM,den");
        }
        house.say("ann", "NEWGAME,MerchantOfVenus");
        for name in ["ann", "bob", "cat"] {
            house.say(name, "JOIN");
        }
        house.say("ann", "VALIDATESETUP");
        house.say("cat", "LIKEOPTIONS");
        house.forget();
        let gone = if how.is_empty() {
            house.hang_up("ann");
            "DROPINHABITANT,ann"
        } else {
            house.say("ann", how);
            "INHABITANT,ann,Great Hall"
        };
        let heard = house.heard("cat");
        let told = [
            "RESET,MerchantOfVenus",
            "PLAYER,bob,0",
            "PLAYER,cat,1",
            "IAM,1",
            "OPTIONS,2000",
            "NEWSTATE,InitialState,Players join and agree on the options.",
            "LEGALACTION,OPTIONS",
            "LEGALACTION,UNJOIN",
            "LEGALACTION,VALIDATESETUP",
            "GUIROOM,den,MerchantOfVenus,Starting up.",
        ];
        assert_eq!(heard.iter().filter(|line| *line != gone).collect::<Vec<_>>(), told);
        assert!(heard.iter().any(|line| line == gone));
        // Nobody waits for the one who is gone.
        for line in ["bob VALIDATESETUP", "bob LIKEOPTIONS", "cat LIKEOPTIONS"] {
            let (name, action) = line.split_once(' ').unwrap();
            house.say(name, action);
        }
        assert!(house.venus.game("den").unwrap().has_started());
    }
}

#[test]
fn who_has_played_keeps_the_account() {
    let mut house = House::with_game(&CONFIG, &[]);
    house.say("ann", "ENDMOVE");
    let played = |house: &House| house.venus.hall.accounts.iter().filter(|account| account.has_played).count();
    assert_eq!(played(&house), 1);
    // All others are in a game or have never played: at last nobody gives way.
    house.venus.hall.accounts.iter_mut().for_each(|account| account.has_played = true);
    for n in 0..10 {
        let name = std::format!("u{n}");
        house.connect(&name);
        house.heard(&name);
        let told = house.ask(&name, &std::format!("LOGIN,{name},pw"));
        house.hang_up(&name);
        if told == ["ERROR,There are too many users."] {
            return;
        }
        house.venus.hall.accounts.iter_mut().for_each(|account| account.has_played = true);
    }
    panic!("somebody gave way");
}

/// They are as old as can be, and somebody is in them.
#[test]
fn a_room_with_somebody_in_it_gives_way_to_none() {
    let house = &mut House::with_game(&CONFIG, &[]);
    for name in ["dan", "eve"] {
        house.login(name);
    }
    house.say("dan", "NEWROOM,attic");
    house.say("dan", "CHANGEROOM,attic");
    house.advance(3_600_000);
    assert_eq!(house.ask("eve", "NEWROOM,cellar"), ["ERROR,There is no space for another room."]);
    assert_eq!(house.ask("cat", "ROOMTALK,hello"), ["MESSAGE,(cat to room 'den') hello"]);
}

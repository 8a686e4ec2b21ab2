//! Every line there and back, and every example of the document.

use super::*;
use crate::lines::{Words, split_tag};
use crate::yard::map::Station;
use crate::yard::pieces::{Pawn, Pawns, Team, Ticket};
use std::string::{String, ToString};
use std::vec::Vec;

fn at(number: u8) -> Station {
    Station::new(number).unwrap()
}

fn hop(to: u8, ticket: Ticket) -> Hop {
    Hop { to: at(to), ticket }
}

/// Reads a command and writes it again.
fn again(line: &str) -> Result<String, NoCommand> {
    let tagged = split_tag(line.as_bytes()).unwrap();
    let mut room = [0; 600];
    let command = Command::parse(Words::split(tagged.rest, &mut room).unwrap())?;
    let mut out = [0; 600];
    let length = command.write(tagged.tag.text(), &mut out).unwrap();
    Ok(std::str::from_utf8(&out[..length]).unwrap().trim_end_matches("\r\n").to_string())
}

/// Reads what a server says and writes it again.
fn said(line: &str) -> Option<String> {
    let mut room = [0; 600];
    let said = Said::parse(line.as_bytes(), &mut room)?;
    let mut out = [0; 600];
    let length = said.write(&mut out).unwrap();
    Some(std::str::from_utf8(&out[..length]).unwrap().trim_end_matches("\r\n").to_string())
}

/// What clients say in the document, with quotes closed where it forgot to.
#[test]
fn the_commands_of_the_document_are_read() {
    for line in [
        "#001 protocol 2.0",
        "#001 login \"my name\" \"my password\"",
        "#002 listgames",
        "#003 join \"my game\"",
        "#004 leave",
        "#005 listplayers",
        "#006 setteam Detectives",
        "#006 setteam \"Mr. X\"",
        "#007 votestart True",
        "#007 chatall \"my message\"",
        "#008 newgame \"my game's name\" standard",
        "#010 pawninfo",
        "#011 whoseturn",
        "#012 turnnum",
        "#013 move 140 taxi",
        "#013 doublemove 140 taxi 82 bus",
        "#014 history",
        "#015 chatteam \"my message\"",
    ] {
        assert_eq!(again(line).as_deref(), Ok(line));
    }
    assert_eq!(again("#006 setteam \"Detectives\"").as_deref(), Ok("#006 setteam Detectives"));
}

#[test]
fn the_commands_beyond_the_document_are_read() {
    for line in [
        "- noop",
        "#1 language",
        "#1 listai",
        "#1 requestai",
        "#1 watch \"my game\"",
        "#1 whatturnnum",
        "#1 listplayers \"my game\"",
        "#1 move Red 140 taxi",
        "#1 doublemove X 140 taxi 82 black",
    ] {
        assert_eq!(again(line.trim_start_matches("- ")).as_deref(), Ok(line));
    }
}

#[test]
fn every_command_was_among_them() {
    let source = include_str!("tests.rs");
    for word in COMMANDS {
        assert!(source.contains(&std::format!(" {word}")), "{word}");
    }
}

/// What the server says in the document; PLAYER_NUM in `* move` is a pawn's name (yard 3.4).
#[test]
fn what_the_server_says_in_the_document_is_read() {
    for line in [
        "#001 ok",
        "- ok",
        "#002 no \"such game\"",
        "#002 bad \"unknown command\"",
        "* gameinfo \"my game\" new standard 2",
        "* gameinfo \"your game\" \"in progress\" standard 2",
        "* playerinfo Joe \"Mr. X\" True X",
        "* playerinfo Dan Detectives False \"Red Yellow Green Blue Black\"",
        "* chatall username \"my message\"",
        "* chatteam nick message",
        "* gamestart",
        "* pawninfo X Joe 64 -1 -1 -1 4 2",
        "* pawninfo Red Dan 133 8 8 4 0 0",
        "* pawninfo Yellow Dan 118 9 7 4 0 0",
        "* pawninfo Green Dan 28 8 8 4 0 0",
        "* pawninfo Blue Dan 183 8 8 4 0 0",
        "* pawninfo Black Dan 135 9 8 3 0 0",
        "#011 turn Red",
        "#012 5",
        "#012 turnnum 5",
        "#4 aiinfo \"shrewd\"",
        "* history 0 \"X -1\" \"Red 132\" \"Yellow 141\" \"Green 29\" \"Blue 197\" \"Black 174\"",
        "* history 1 \"X -1 taxi\" \"Red 140 taxi\" \"Yellow 142 taxi\" \"Green 41 taxi\" \"Blue 196 taxi\" \"Black 161 taxi\"",
        "* history end",
        "* move X -1 black",
        "* move Red 140 taxi",
        "* turn X",
        "* turnnum 24",
        "* gameover Detectives \"reason for win\"",
        "* gameover \"Mr. X\" \"reason for win\"",
        "* playerleave USERNAME",
        "* gameremoved \"my game\"",
        "* rejoin Joe",
        "* stuck Blue",
        "* bad \"line too long\"",
        "* playerinfo Eve Detectives False \"\"",
    ] {
        assert_eq!(said(line).as_deref(), Some(line));
    }
    // The document quotes a team that needs no quotes.
    assert_eq!(
        said("* playerinfo Dan \"Detectives\" False \"Red Blue\"").as_deref(),
        Some("* playerinfo Dan Detectives False \"Red Blue\"")
    );
}

#[test]
fn every_status_was_among_them() {
    let source = include_str!("tests.rs");
    for word in STATUSES {
        assert!(source.contains(&std::format!("\"* {word}")), "{word}");
    }
}

#[test]
fn arguments_are_typed() {
    let read = |line: &'static str| {
        let room = std::boxed::Box::leak(std::boxed::Box::new([0; 600]));
        Command::parse(Words::split(line.as_bytes(), room).unwrap())
    };
    let taxi = hop(140, Ticket::Taxi);
    assert_eq!(read("move 140 TAXI"), Ok(Command::Move { pawn: None, hop: taxi }));
    assert_eq!(read("move red 140 taxi"), Ok(Command::Move { pawn: Some(Pawn::Red), hop: taxi }));
    let second = hop(1, Ticket::Black);
    let double = Command::DoubleMove { pawn: Some(Pawn::X), first: taxi, second };
    assert_eq!(read("doublemove x 140 taxi 1 black"), Ok(double));
    assert_eq!(read("votestart tRUE"), Ok(Command::VoteStart { vote: Vote(true) }));
    assert_eq!(read("leave now and for ever"), Ok(Command::Leave {}));
    for line in ["move", "move 140", "move 0 taxi", "move 200 taxi", "move +1 taxi", "move 1 boat", "move taxi 140"] {
        assert_eq!(read(line), Err(NoCommand::Arguments), "{line}");
    }
    for line in ["doublemove 1 taxi 2", "login ann", "votestart yes", "newgame g", "chatall", "join", "protocol"] {
        assert_eq!(read(line), Err(NoCommand::Arguments), "{line}");
    }
    assert_eq!((read(""), read("Move 1 taxi"), read("xyzzy")), {
        (Err(NoCommand::Empty), Err(NoCommand::Unknown), Err(NoCommand::Unknown))
    });
}

#[test]
fn what_no_server_says_is_none() {
    for line in
        ["", "*", "* ", "ok", "#1", "#1 ", "#1 maybe", "#x ok", "* turn Purple", "* turnnum x", "* move X 0 taxi"]
    {
        assert_eq!(said(line), None, "{line}");
    }
    for line in ["* pawninfo X Joe 64 -1 -1 -1 4", "* pawninfo X Joe 64 -2 -1 -1 4 2", "* history", "* history 0 \"X\""]
    {
        assert_eq!(said(line), None, "{line}");
    }
}

#[test]
fn names_of_any_letters_come_back() {
    let mut room = [0; 900];
    let mut read = [0; 900];
    for user in ["it's", "a\\b", "#1", " ", "日本", "", "\u{1F600}"] {
        let status = Status::PlayerInfo { user, team: Team::MrX, vote: Vote(false), pawns: Pawns::NONE.with(Pawn::X) };
        let length = status.write(&mut room).unwrap();
        assert_eq!(Said::parse(&room[..length - 2], &mut read), Some(Said::Status(status)));
    }
}

#[test]
fn the_longest_chat_has_room() {
    let (user, text) = ("\\".repeat(USER_BYTES), "\"".repeat(LINE_MAX));
    let mut room = std::vec![0; longest_said(LINE_MAX)];
    assert_eq!(Status::ChatTeam { user: &user, text: &text }.write(&mut room), Some(longest_said(LINE_MAX)));
}

#[test]
fn a_short_room_is_none() {
    let status = Status::Turn { pawn: Pawn::Yellow };
    let whole = status.write(&mut [0; 99]).unwrap();
    let fits: Vec<bool> = (0..=whole).map(|n| status.write(&mut std::vec![0; n]).is_some()).collect();
    assert_eq!(fits.iter().position(|fits| *fits), Some(whole));
}

/// Small changes to lines that mean something: what is still read is written so that it reads the same.
#[test]
fn whatever_is_read_is_read_again_when_written() {
    const LINES: [&str; 10] = [
        "login \"my name\" 'pass word'",
        "doublemove x 140 taxi 82 black",
        "newgame \"a\\\"b\" standard",
        "* gameinfo \"my game\" \"in progress\" standard 2",
        "* playerinfo Dan Detectives False \"Red Yellow\"",
        "* pawninfo X Joe -1 -1 -1 -1 4 2",
        "* history 1 \"X -1 taxi\" \"Red 140 taxi\"",
        "* gameover \"Mr. X\" \"reason\"",
        "#12 no \"reason at all\"",
        "#12 turnnum 5",
    ];
    let mut state = 1u32;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % bound
    };
    let (mut commands, mut said) = (0, 0);
    for _ in 0..40_000 {
        let mut line = LINES[below(10)].as_bytes().to_vec();
        for _ in 0..below(4) {
            let at = below(line.len());
            line[at] = if below(4) == 0 { below(256) as u8 } else { b" \"'\\#-109aX*"[below(12)] };
        }
        let (mut first, mut second, mut out) = ([0; 200], [0; 200], [0; 900]);
        if let Ok(command) =
            Words::split(&line, &mut first).map_err(|_| ()).and_then(|w| Command::parse(w).map_err(|_| ()))
        {
            let length = command.write("", &mut out).unwrap();
            let again = Command::parse(Words::split(&out[..length - 2], &mut second).unwrap());
            assert_eq!(again, Ok(command));
            commands += 1;
        }
        let (mut first, mut second, mut out) = ([0; 200], [0; 900], [0; 900]);
        if let Some(heard) = Said::parse(&line, &mut first) {
            let length = heard.write(&mut out).unwrap();
            assert_eq!(Said::parse(&out[..length - 2], &mut second), Some(heard));
            said += 1;
        }
    }
    assert!(commands > 2_000 && said > 5_000, "{commands} {said}");
}

//! Every line there and back, and laws over any bytes.

use super::*;
use crate::lines::{Fields, Lines, Piece};
use crate::server::Framer as _;
use std::string::{String, ToString};
use std::vec::Vec;

/// `name,fields,…` of every event and action there is.
const EVENT_TABLE: &str = include_str!("../../../../tests/data/venus/events.csv");
const ACTION_TABLE: &str = include_str!("../../../../tests/data/venus/actions.csv");

/// One line at least of every kind; those of tokens and boxes are many more, below.
const SAID: &[&str] = &[
    "CONNECTSTRING,parlor: Merchant of Venus",
    "ERROR,That is not a legal move.",
    "WELCOME",
    "ALREADYLOGGEDIN",
    "NEWGUI,MerchantOfVenus,http://localhost/venus,MerchantOfVenusClient.xml",
    "DROPGUI,MerchantOfVenus",
    "GAMES,MerchantOfVenus",
    "GAMES,",
    "SAVEGAMES,one%Ctwo%Cthree",
    "GUIIAM,ann",
    "GUIROOM,the room,MerchantOfVenus,In Progress.",
    "GUIROOM,Great Hall,,",
    "INHABITANT,ann,Great Hall",
    "DROPINHABITANT,ann",
    "DROPROOM,the room",
    "MESSAGE,(ann to room 'the room') well%C 100 %% of it",
    "RESET,MerchantOfVenus",
    "NEWSTATE,SelectMove,ann moves",
    "LEGALACTION,SELECTDESTINATION",
    "MOVERROR,That is not sold here.",
    "IAM,0",
    "PLAYER,ann,5",
    "OPTIONS,2000",
    "PLAYEROKSTARTUP,1,0",
    "TURNORDER,352410",
    "CURPLAYER,3",
    "PLAYERMONEY,0,40,0,440",
    "PLAYERRACE,0,4a",
    "PLAYERLOCATION,2,Galactic Base",
    "REMAININGTRANSCOUNT,0,-1,1",
    "ADDTOPLAYER,0,Scout|ship|60|30|barter|nowhere|notfg|unlimited|||notdeed|0|0|reusable||3|4|old",
    "SUBTRACTFROMPLAYER,0,Mulch Wine|good|20|60|cash|cup|notfg|limited|4a?4b?5?6|3|notdeed|0|0|reusable||0|0|new",
    "ADDTOTRADEBASE,base,Fare to 9a|fare|0|110|cash|cup|notfg|limited|9a|base|notdeed|0|0|reusable||0|0|old,1",
    "SUBTRACTFROMTRADEBASE,10,IOU 10|iou|0|120|barter|nowhere|notfg|limited|10||notdeed|0|0|reusable||0|0|old",
    "SOLARSYSTEMPRIVACY,Galactic Base,public",
    "SOLARSYSTEMPRIVACY,Ice Planet,001",
    "SOLARSYSTEMPRIVACY,Ice Planet,",
    "BASELOCATION,Ice Planet,7b",
    "QBOXPRIVACY,jw_loop_2,000001",
    "QBOXCONTENTS,jw_loop_2,Telegate 6",
    "QBOXCONTENTS,jw_loop_2,Station",
    "QBOXCONTENTS,jw_loop_2,Station 5",
    "QBOXCONTENTS,jw_loop_2,Penalty Y 40",
    "QBOXCONTENTS,jw_loop_2,Asteroid",
    "QBOXCONTENTS,jw_loop_2,Asteroid Spy Eye|relic|100|50|barter|culture|notfg|limited|1a?1b?2?3?4a?4b?5?6?7a?7b?8?9a?9b?10?base||notdeed|0|0|reusable||0|0|old",
    "FACTORYOWNER,9b,2",
    "SWITCHABLES,RD-YD-CD-AP-GL-JS",
    "SELECTEDSWITCHABLES,1,-",
    "DICE,???",
    "DICE,4612",
    "MPLEFT,13",
    "PILOTNUMBERCHOICE,246",
    "PILOTNUMBERCHOSEN,0,0,0",
    "PILOTNUMBERCHOSEN,4,6,1",
    "DESTINATION,0,1,Rumble City!walk!2/cloud_body_4!walk!1!46/jw_loop_2!jump!1!3",
    "DESTINATION,20,0,",
    "AGEPLAYER,0",
    "PLAYERWINS,0",
];

const ASKED: &[&str] = &[
    "LOGIN,ann, secret%C%% ",
    "LOGIN,ann,",
    "LOGOUTOTHER,ann,secret",
    "NEWROOM,the room",
    "CHANGEROOM,Great Hall",
    "ROOMTALK,well%C 100 %% of it",
    "PLAYERTALK,bob,hello",
    "NEWGAME,MerchantOfVenus",
    "LOADGAME,evening-1",
    "SAVEGAME,evening-1",
    "REQUESTBOT",
    "JOIN",
    "UNJOIN",
    "OPTIONS,2000",
    "VALIDATESETUP",
    "LIKEOPTIONS",
    "DONTLIKEOPTIONS",
    "SELECTSWITCHABLES,-",
    "SELECTSWITCHABLES,RD-JS",
    "SELECTDESTINATION,cloud_body_4,0",
    "SELECTDESTINATION,cloud_body_4,1",
    "ENDMOVE",
    "MULLIGAN,6",
    "NOMULLIGAN",
    "SELECTPILOTNUMBER,999999999",
    "BUY,Mulch Wine|good|20|60|cash|cup|notfg|limited|4a?4b?5?6|3|notdeed|0|0|reusable||0|0|old",
    "SELL,Mulch Wine|good|20|60|cash|cup|notfg|limited|4a?4b?5?6|3|notdeed|0|0|reusable||0|0|new",
    "TRADEINSHIP,Clipper|ship|120|60|barter|nowhere|notfg|unlimited|||notdeed|0|0|reusable||4|4|old",
    "PICKUP,Fare to 9a|fare|0|110|cash|cup|notfg|limited|9a|base|notdeed|0|0|reusable||0|0",
    "DROPOFF,Fare to 9a|fare|0|110|cash|cup|notfg|limited|9a|base|notdeed|0|0|reusable||0|0|old",
    "JETTISON,Red Drive|drive|120|60|barter|nowhere|notfg|unlimited|1a?1b?2?3?4a?4b?5?6?7a?7b?8?9a?9b?10?base||notdeed|0|0|reusable|R|0|0|old",
    "REDEEMIOU",
    "ENDTURN",
    "GETRELIC",
    "LEAVERELIC",
];

/// What became of a line that a client sent.
#[derive(Debug, PartialEq, Eq)]
enum Odd {
    NotUtf8,
    Unknown,
    No(NoAction),
}

fn asked<'a>(line: &[u8], room: &'a mut [u8]) -> Result<Action<'a>, Odd> {
    let mut fields = Fields::split(line, room).map_err(|_| Odd::NotUtf8)?;
    let verb = fields.next().and_then(Verb::named).ok_or(Odd::Unknown)?;
    let action = Action::parse(verb, fields).map_err(Odd::No)?;
    assert_eq!(action.verb(), verb);
    Ok(action)
}

fn written(write: impl Fn(&mut [u8]) -> Option<usize>) -> String {
    let mut room = [0; 1400];
    let length = write(&mut room).unwrap();
    let line = std::str::from_utf8(&room[..length]).unwrap();
    line.strip_suffix('\n').unwrap().to_string()
}

#[test]
fn the_lists_are_the_tables_of_the_facts() {
    for (table, list) in [(EVENT_TABLE, EVENTS), (ACTION_TABLE, ACTIONS)] {
        let rows: Vec<(&str, usize)> = table
            .lines()
            .skip(1)
            .map(|row| {
                let [name, fields] = row.split(',').take(2).collect::<Vec<_>>()[..] else { panic!("{row}") };
                (name, fields.split('|').filter(|field| !field.is_empty()).count())
            })
            .collect();
        let ours: Vec<(&str, usize)> = list.iter().map(|(name, fields)| (*name, fields.len())).collect();
        assert_eq!(ours, rows);
    }
    assert_eq!((EVENTS.len(), ACTIONS.len(), Verb::ALL.len()), (46, 32, 32));
}

#[test]
fn every_event_is_read_and_written_as_it_was() {
    for line in SAID {
        let mut room = [0; 400];
        let event = Event::parse(line.as_bytes(), &mut room).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(written(|room| event.write(room)), *line);
        assert_eq!(event.length(), line.len() + 1);
        assert!(line.starts_with(event.name()));
    }
    for (name, _) in EVENTS {
        assert!(SAID.iter().any(|line| line.split(',').next() == Some(*name)), "{name}");
    }
}

#[test]
fn every_action_is_read_and_written_as_it_was() {
    for line in ASKED {
        let mut room = [0; 400];
        let action = asked(line.as_bytes(), &mut room).unwrap_or_else(|odd| panic!("{line}: {odd:?}"));
        assert_eq!(written(|room| action.write(room)), *line);
        assert!(line.len() <= LINE_MIN);
    }
    for (name, _) in ACTIONS {
        assert!(ASKED.iter().any(|line| line.split(',').next() == Some(*name)), "{name}");
    }
}

#[test]
fn a_wrong_count_of_fields_is_told_from_a_wrong_field() {
    let odd = |line: &str| asked(line.as_bytes(), &mut [0; 400]).unwrap_err();
    for line in ["JOIN,", "JOIN,x", "LOGIN,ann", "LOGIN,a,b,c", "LOGIN", "OPTIONS", "BUY,a,b,c,d,e,f,g,h"] {
        assert_eq!(odd(line), Odd::No(NoAction::Count), "{line}");
    }
    for line in [
        "OPTIONS,",
        "OPTIONS,+2000",
        "OPTIONS,-1",
        "OPTIONS,2e3",
        "OPTIONS,1234567890",
        "OPTIONS, 2000",
        "OPTIONS,٣",
        "MULLIGAN,x",
        "SELECTDESTINATION,a,2",
        "SELECTDESTINATION,a,true",
        "SELECTDESTINATION,a,",
        "SELECTSWITCHABLES,XX",
        "SELECTSWITCHABLES,rd",
        "BUY,Scout",
        "BUY,",
        "SELL,Scout|ship|61|30|barter|nowhere|notfg|unlimited|||notdeed|0|0|reusable||3|4|old",
    ] {
        assert_eq!(odd(line), Odd::No(NoAction::Malformed), "{line}");
    }
    for line in ["", ",", "join", " JOIN", "WELCOME", "VALDIATESETUPS"] {
        assert_eq!(odd(line), Odd::Unknown, "{line}");
    }
    assert_eq!(asked(b"JOIN\xff", &mut [0; 400]), Err(Odd::NotUtf8));
    // The document's own spelling, and what a client with CRLF sends.
    assert_eq!(asked(b"VALDIATESETUP", &mut [0; 400]), Ok(Action::ValidateSetup {}));
    assert_eq!(asked(b"OPTIONS,2000\r", &mut [0; 400]), Ok(Action::Options { win_money: 2000 }));
}

#[test]
fn switches_may_come_in_any_order() {
    let mut room = [0; 99];
    let action = asked(b"SELECTSWITCHABLES,JS-AP-RD-AP", &mut room).unwrap();
    assert_eq!(written(|room| action.write(room)), "SELECTSWITCHABLES,RD-AP-JS");
    assert_eq!(asked(b"SELECTSWITCHABLES,", &mut room), asked(b"SELECTSWITCHABLES,-", &mut [0; 99]));
}

#[test]
fn what_no_server_says_is_none() {
    for line in [
        "",
        "HELLO",
        "WELCOME,",
        "IAM",
        "IAM,6",
        "IAM,-1",
        "NEWSTATE,Waiting,text",
        "LEGALACTION,DANCE",
        "PLAYEROKSTARTUP,0,2",
        "TURNORDER,6",
        "TURNORDER,0123450",
        "PLAYERRACE,0,11",
        "REMAININGTRANSCOUNT,0,-2,0",
        "ADDTOPLAYER,0,Scout",
        "SOLARSYSTEMPRIVACY,a,2",
        "SOLARSYSTEMPRIVACY,a,1111111",
        "QBOXCONTENTS,a,Telegate 7",
        "QBOXCONTENTS,a,Telegate",
        "QBOXCONTENTS,a,Station 6",
        "QBOXCONTENTS,a,Penalty G 10",
        "QBOXCONTENTS,a,Asteroid Scout",
        "QBOXCONTENTS,a,Asteroid Scout|ship|60|30|barter|nowhere|notfg|unlimited|||notdeed|0|0|reusable||3|4|old",
        "DICE,7",
        "DICE,11111",
        "PILOTNUMBERCHOICE,21",
        "PILOTNUMBERCHOICE,11",
        "DESTINATION,0,1,a!walk!1/",
        "DESTINATION,0,1,a!fly!1",
        "DESTINATION,0,1,a!walk",
        "DESTINATION,0,1,a!walk!1!",
        "DESTINATION,0,1,a!walk!1!1!2",
        "DESTINATION,0,1,!walk!1",
    ] {
        assert_eq!(Event::parse(line.as_bytes(), &mut [0; 200]), None, "{line}");
    }
}

/// The longest texts there are, every byte escaped.
#[test]
fn the_longest_lines_have_room() {
    let (user, room, text) = ("%".repeat(USER_MAX), "%".repeat(ROOM_MAX), ",".repeat(TALK_MAX));
    let talk = std::format!("({user} to room '{room}') {text}");
    assert_eq!(talk.len(), MESSAGE_MAX);
    assert!(Event::Message { text: &talk }.length() <= longest_line(1));
    let names: Vec<_> = (0..64).map(|_| crate::text::Text::new(&"x".repeat(SAVE_MAX)).unwrap()).collect();
    for saves in [1, 8, 64] {
        assert!(Event::SaveGames { list: Names::Each(&names[..saves]) }.length() <= longest_line(saves));
    }
    assert!(SAID.iter().all(|line| line.len() < longest_line(1)));
}

#[test]
fn a_short_room_is_none() {
    let mut room = [0; 400];
    for line in SAID {
        let event = Event::parse(line.as_bytes(), &mut room).unwrap();
        let length = event.length();
        assert!((0..length).all(|short| event.write(&mut std::vec![0; short]).is_none()));
        assert_eq!(event.write(&mut std::vec![0; length]), Some(length));
    }
}

/// Small changes to lines that mean something: what is still read is written so that it reads the same.
#[test]
fn whatever_is_read_is_read_again_when_written() {
    let mut state = 1u32;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % bound
    };
    let (mut actions, mut events) = (0, 0);
    for _ in 0..30_000 {
        let list = if below(2) == 0 { SAID } else { ASKED };
        let mut line = list[below(list.len())].as_bytes().to_vec();
        for _ in 0..below(4) {
            let at = below(line.len());
            line[at] = if below(4) == 0 { below(256) as u8 } else { b",%C|-!/?0159aJ"[below(14)] };
        }
        let (mut first, mut second, mut out) = ([0; 400], [0; 400], [0; 400]);
        if let Ok(action) = asked(&line, &mut first) {
            let length = action.write(&mut out).unwrap();
            assert_eq!(asked(&out[..length - 1], &mut second), Ok(action));
            actions += 1;
        }
        let (mut first, mut second, mut out) = ([0; 400], [0; 400], [0; 400]);
        if let Some(event) = Event::parse(&line, &mut first) {
            let length = event.write(&mut out).unwrap();
            assert_eq!(Event::parse(&out[..length - 1], &mut second), Some(event));
            events += 1;
        }
    }
    assert!(actions > 2_000 && events > 2_000, "{actions} {events}");
}

/// However a stream is cut into pieces, the same lines come out of it.
#[test]
fn lines_do_not_depend_on_how_they_came() {
    let mut stream: Vec<u8> = Vec::new();
    for (nth, line) in ASKED.iter().enumerate() {
        stream.extend_from_slice(line.as_bytes());
        stream.extend_from_slice(if nth % 2 == 0 { b"\n" } else { b"\r\n" });
        if nth % 7 == 0 {
            stream.extend(std::iter::repeat_n(b'x', 300));
            stream.push(b'\n');
        }
    }
    let cut = |pieces: usize| {
        let (mut framer, mut skipping, mut seen) = (Lines::<258>::new(), false, Vec::new());
        let mut rest = &stream[..];
        loop {
            let window = framer.window();
            let n = pieces.min(window.len()).min(rest.len());
            window[..n].copy_from_slice(&rest[..n]);
            framer.commit(n);
            rest = &rest[n..];
            while let Some(piece) = framer.peek(skipping) {
                match piece {
                    Piece::Line(line) => {
                        let mut room = [0; 258];
                        seen.push(std::format!("{:?}", asked(line, &mut room)));
                    }
                    Piece::TooLong { .. } => seen.push("too long".to_string()),
                    Piece::Rest { .. } => {}
                }
                skipping = matches!(piece, Piece::TooLong { ended: false } | Piece::Rest { ended: false });
                framer.skip();
            }
            if rest.is_empty() {
                return seen;
            }
        }
    };
    let whole = cut(4096);
    assert_eq!(whole.iter().filter(|line| *line == "too long").count(), ASKED.len().div_ceil(7));
    assert_eq!(whole.len(), ASKED.len() + ASKED.len().div_ceil(7));
    for pieces in [1, 2, 7, 64, 257] {
        assert_eq!(cut(pieces), whole, "in pieces of {pieces}");
    }
}

//! Merchant of Venus among people who say anything: lines that a client could say, and actions that can be taken.

use parlor_core::venus::limits::BoardVenus;
use parlor_core::venus::pieces::{Age, Named, Switch, Token};
use parlor_core::venus::rules::{Game, Verb};
use parlor_core::venus::server::Config;
use parlor_core::venus::wire::Action;

use crate::script::{LINKS, Run, Speaker};

const ROOMS: [&str; 3] = ["a", "b", "c"];

/// Lines of the lobby without much of an argument, and some that are no lines at all.
const SHORT: [&str; 16] = [
    "REQUESTBOT",
    "JOIN",
    "UNJOIN",
    "VALDIATESETUP",
    "LIKEOPTIONS",
    "DONTLIKEOPTIONS",
    "OPTIONS,1000",
    "OPTIONS,20001",
    "SAVEGAME,evening",
    "LOADGAME,evening",
    "SAVEGAME,../x",
    "NEWGAME,MerchantOfVenus",
    "CHANGEROOM,Great Hall",
    "",
    "LOGIN,%C%%,%",
    ",,,",
];

#[derive(Default)]
pub struct Venus;

impl Speaker for Venus {
    type Game = BoardVenus;

    fn config(options: u8) -> Config {
        Config {
            rate: if options & 1 == 0 { 0 } else { 8 },
            deserted: if options & 2 == 0 { 3_600_000 } else { 1 },
            patience: if options & 4 == 0 { 0 } else { 20_000 },
            pocket: options & 8 == 0,
            weapons: options & 16 != 0,
            storage: options & 32 == 0,
            bots: options & 64 != 0,
            ..Config::DEFAULT
        }
    }

    /// Logs in, and goes where the others are.
    fn enter(run: &mut Run<'_, Self>, at: usize, how: u8) {
        let password = if how & 14 == 14 { "wrong" } else { "pw" };
        let user = usize::from(how >> 4) % 12 + at % 2;
        if how & 1 != 0 {
            say(run, at, &format!("LOGOUTOTHER,u{user},{password}"));
            run.answer(15);
        }
        say(run, at, &format!("LOGIN,u{user},{password}"));
        if how & 2 == 0 {
            run.answer(15);
            say(run, at, "CHANGEROOM,a");
        }
    }

    fn speak(run: &mut Run<'_, Self>, at: usize, kind: u8, how: u8) {
        if kind < 24 { meet(run, at, how) } else { play(run, at, kind, how) }
    }

    fn read(&mut self, _at: usize, bytes: &[u8]) {
        assert!(bytes.ends_with(b"\n"), "a line was cut in two");
    }

    fn audit(venus: &BoardVenus) {
        for game in ROOMS.iter().filter_map(|name| venus.game(name)) {
            game.audit().unwrap();
        }
    }
}

fn say(run: &mut Run<'_, Venus>, at: usize, line: &str) {
    run.send(at, format!("{line}\n").as_bytes());
}

/// Rooms, talk and what is agreed on before a game.
fn meet(run: &mut Run<'_, Venus>, at: usize, how: u8) {
    let (kind, which) = (how / 16, usize::from(how % 16));
    let room = ROOMS[which % ROOMS.len()];
    let line = match kind {
        0..=4 => return begin(run, room, which),
        5 => format!("NEWROOM,{room}"),
        6 | 7 => format!("CHANGEROOM,{room}"),
        8 => format!("ROOMTALK,{}", "x%C".repeat(which * 5)),
        9 => format!("PLAYERTALK,u{which},psst"),
        10 | 11 => {
            (0..LINKS).for_each(|at| say(run, at, "LIKEOPTIONS"));
            "LIKEOPTIONS".to_string()
        }
        _ => SHORT[which].to_string(),
    };
    say(run, at, &line);
}

/// Everybody goes to a room and agrees to play there, but for some.
fn begin(run: &mut Run<'_, Venus>, room: &str, which: usize) {
    say(run, 0, &format!("NEWROOM,{room}"));
    for line in [&format!("CHANGEROOM,{room}")[..], "NEWGAME,MerchantOfVenus", "JOIN", "VALIDATESETUP", "LIKEOPTIONS"] {
        (0..LINKS - which % 4).for_each(|at| say(run, at, line));
    }
}

/// Something that is announced in one of the games; whose it is, everybody finds out.
fn play(run: &mut Run<'_, Venus>, at: usize, kind: u8, how: u8) {
    let room = ROOMS[usize::from(kind) % ROOMS.len()];
    let Some(game) = run.driver.server.game(room).filter(|game| game.has_started()) else { return };
    let verbs: Vec<Verb> = game.legal(Some(game.current())).iter().collect();
    let Some(verb) = verbs.get(usize::from(how) % verbs.len().max(1)) else { return };
    let line = line(game, *verb, usize::from(how) / verbs.len());
    let speakers = if how == 255 { at..at + 1 } else { 0..LINKS };
    speakers.for_each(|at| say(run, at, &line));
}

/// An action with arguments that mostly make sense.
fn line(game: &Game, verb: Verb, nth: usize) -> String {
    let seat = game.current();
    let held = |token: &Token| Age::ALL.iter().any(|age| game.held(seat, *token, *age) > 0);
    let stands = |token: &Token| game.at_base(game.trader(), *token) > 0;
    let digit = |digits: &mut dyn Iterator<Item = u8>| digits.nth(nth % 3).unwrap_or(nth as u8 % 8);
    let argument = match verb {
        Verb::SelectDestination => {
            let steps = game.offer().steps;
            let Some(step) = steps.get(nth % steps.len().max(1)) else { return "SELECTDESTINATION,nowhere,0".into() };
            format!(",{},{}", game.board().name(step.space), u8::from(step.is_jump))
        }
        Verb::SelectPilotNumber => format!(",{}", digit(&mut game.choice().iter())),
        Verb::Mulligan => format!(",{}", digit(&mut game.roll().iter())),
        Verb::SelectSwitchables => {
            let on = Switch::ALL.iter().enumerate().filter(|(n, _)| nth >> n & 1 == 1).map(|(_, one)| one.code());
            format!(",{}", on.collect::<Vec<_>>().join("-"))
        }
        Verb::Buy | Verb::PickUp | Verb::TradeInShip => return token(verb, stands, nth),
        Verb::Sell | Verb::DropOff | Verb::Jettison => return token(verb, held, nth),
        _ => String::new(),
    };
    format!("{}{argument}", verb.name())
}

/// An action on one of the tokens that are there, as the wire has it.
fn token(verb: Verb, is_there: impl Fn(&Token) -> bool, nth: usize) -> String {
    let tokens: Vec<Token> = Token::all().filter(is_there).collect();
    let Some(token) = tokens.get(nth % tokens.len().max(1)) else { return format!("{},Teapot", verb.name()) };
    let token = Named { token: *token, age: (nth % 3 > 0).then_some(Age::Old) };
    let action = match verb {
        Verb::Buy => Action::Buy { token },
        Verb::PickUp => Action::PickUp { token },
        Verb::TradeInShip => Action::TradeInShip { token },
        Verb::Sell => Action::Sell { token },
        Verb::DropOff => Action::DropOff { token },
        _ => Action::Jettison { token },
    };
    let mut room = [0; 256];
    let length = action.write(&mut room).expect("the longest token fits");
    String::from_utf8_lossy(&room[..length - 1]).into_owned()
}

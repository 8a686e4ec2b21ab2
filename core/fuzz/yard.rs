//! Scotland Yard among people who say anything: lines that a client could say, and moves that can be made.

use parlor_core::yard::limits::BoardYard;
use parlor_core::yard::pieces::Ticket;
use parlor_core::yard::rules::{Game, Outcome};
use parlor_core::yard::server::Config;

use crate::script::{LINKS, Run, Speaker};

const GAMES: [&str; 6] = ["a", "b", "c", "d", "e", "two words"];
const TEAMS: [&str; 3] = ["\"Mr. X\"", "Detectives", "Nobody"];

/// Lines without an argument, and some that are no lines at all.
const SHORT: [&str; 16] = [
    "noop",
    "language de",
    "listai",
    "requestai",
    "listgames",
    "leave",
    "listplayers",
    "pawninfo",
    "whoseturn",
    "turnnum",
    "whatturnnum",
    "history",
    "",
    "#1",
    "#00000000000000000000 noop",
    "\"unended",
];

#[derive(Default)]
pub struct Yard;

impl Speaker for Yard {
    type Game = BoardYard;

    fn config(options: u8) -> Config {
        Config {
            rate: if options & 1 == 0 { 0 } else { 8 },
            deserted: if options & 2 == 0 { 3_600_000 } else { 1 },
            login_timeout: if options & 4 == 0 { 60_000 } else { 0 },
            ..Config::DEFAULT
        }
    }

    /// Names the protocol and asks to log in.
    fn enter(run: &mut Run<'_, Self>, at: usize, how: u8) {
        say(run, at, if how & 1 == 0 { "protocol 2.0" } else { "protocol 2.1" });
        let password = if how & 14 == 14 { "wrong" } else { "pw" };
        say(run, at, &format!("login u{} {password}", usize::from(how >> 4) % 12 + at % 2));
        if how & 2 == 0 {
            run.answer(15);
        }
    }

    fn speak(run: &mut Run<'_, Self>, at: usize, kind: u8, how: u8) {
        if kind < 27 { meet(run, at, how) } else { play(run, at, how) }
    }

    fn read(&mut self, _at: usize, bytes: &[u8]) {
        assert!(bytes.ends_with(b"\r\n"), "a line was cut in two");
    }

    fn audit(yard: &BoardYard) {
        for game in GAMES.iter().filter_map(|name| yard.game(name)).filter(|game| has_begun(game)) {
            game.audit().unwrap();
            assert!(game.outcome() == Outcome::Open || !game.log().is_empty());
        }
    }
}

fn say(run: &mut Run<'_, Yard>, at: usize, line: &str) {
    run.send(at, format!("{line}\r\n").as_bytes());
}

/// About games, before they begin and beside their moves.
fn meet(run: &mut Run<'_, Yard>, at: usize, how: u8) {
    let (kind, which) = (how / 16, usize::from(how % 16));
    let game = GAMES[which % GAMES.len()];
    let line = match kind {
        0..=2 => format!("newgame \"{game}\" standard"),
        3..=5 => format!("join \"{game}\""),
        6 => format!("watch \"{game}\""),
        7 => format!("setteam {}", TEAMS[which % 3]),
        8..=10 => format!("#{which} votestart {}", which != 0),
        11 => format!("chatall {}", "x\\\"".repeat(which * 5)),
        12 => format!("chatteam {which}"),
        13 => format!("listplayers \"{game}\""),
        _ => SHORT[which].to_string(),
    };
    say(run, at, &line);
}

/// A move that can be made in one of the games; whose it is, everybody finds out.
fn play(run: &mut Run<'_, Yard>, at: usize, how: u8) {
    let game = GAMES[usize::from(how) % GAMES.len()];
    let Some(game) = run.driver.server.game(game).filter(|game| has_begun(game)) else { return };
    let (pawn, nth) = (game.next(), usize::from(how) / GAMES.len());
    let count = game.moves(pawn).count().max(1);
    let Some(hop) = game.moves(pawn).nth(nth % count) else { return };
    let (to, ticket) = (hop.to.number(), hop.ticket.name());
    let line = match how % 11 {
        0 => {
            let second = hop.to.rides(Ticket::Taxi).next().map_or(0, |station| station.number());
            format!("doublemove {to} {ticket} {second} taxi")
        }
        1 => format!("move {} {to} {ticket}", pawn.name()),
        2 => format!("move {to} black"),
        _ => format!("#7 move {to} {ticket}"),
    };
    // Whoever has the pawn is among those who say it.
    for other in 0..LINKS {
        say(run, (at + other) % LINKS, &line);
    }
}

/// Before, all pawns stand at one place.
fn has_begun(game: &Game) -> bool {
    let [x, red, ..] = game.starts();
    x != red
}

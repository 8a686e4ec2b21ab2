//! Minutes of everything at once: games of bots with connections cut, noise, half frames, comings and goings; and, on a board
//! that serves all games, one game of each, bots of its own, pages and bad requests beside them.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use parlor_core::dice::Dice;
use parlor_tests::peer::OverTcp;
use parlor_tests::pimp::bots::Party;

use crate::door::ANSWER;
use crate::emulator::{Emulator, Start};
use crate::web::{self, ask, get};
use crate::{Outcome, abuse, house_bots, pimp, venus, yard};

/// A table that was left, or whose game was won, is soon cleared.
const OPTIONS: [&str; 5] = ["rate=0", "vote-pause=0", "claim-grace=0", "farewell=300ms", "deserted=300ms"];
const CLEARED: Duration = Duration::from_secs(1);
const BOTS: u8 = 4;
const TURNS: u32 = 300;
const CUT: u32 = 15;
/// Ends a game that stands still; on it nothing depends.
const PATIENCE: Duration = Duration::from_secs(120);
/// Between two bad guests.
const PAUSE: Duration = Duration::from_millis(20);
/// How often the board's log is looked at, all of which is read.
const LOOK: Duration = Duration::from_secs(2);
/// After so many minutes everything has happened once: the stack goes no deeper but for an interrupt that comes at a bad moment.
const SETTLED: u32 = 5;
const INTERRUPT: u32 = 256;

/// What was done so far.
#[derive(Default)]
struct Done {
    games: AtomicU32,
    won: AtomicU32,
    turns: AtomicU32,
    rejoined: AtomicU32,
    noises: AtomicU32,
    comings: AtomicU32,
    /// Games of the others, pages, bots of the board's own that came.
    others: AtomicU32,
    pages: AtomicU32,
    bots: AtomicU32,
}

pub fn check(run: &Path, elf: &Path, minutes: u32) -> Outcome {
    let board = &Start { run, elf, qemu: "" }.pimp("soak", &OPTIONS.map(String::from))?;
    let (over, done) = (&AtomicBool::new(false), &Done::default());
    let table: [Guest<'_>; 3] = [
        &|| parties((Ipv4Addr::LOCALHOST, board.port).into(), over, done),
        &|| noises(board.port, over, done),
        &|| comings(board.port, over, done),
    ];
    play_all(board, minutes, (over, done), &table)
}

const YARD_BOTS: u8 = 3;
const VENUS_BOTS: u8 = 2;

/// A board that serves all games.
pub fn check_house(run: &Path, elf: &Path, minutes: u32) -> Outcome {
    let options = OPTIONS.map(String::from).into_iter().chain(["password-pause=0".into()]).collect::<Vec<_>>();
    let (board, [yard, venus]) = Start { run, elf, qemu: "" }.house("soak", &options)?;
    let (board, door) = (&board, &web::door(board.web));
    let (over, done) = (&AtomicBool::new(false), &Done::default());
    let again = |what: &str, count: &AtomicU32, pause: Duration, act: &dyn Fn() -> Outcome| -> Result<(), String> {
        while !over.load(Relaxed) {
            act().map_err(|error| format!("{what}: {error}"))?;
            count.fetch_add(1, Relaxed);
            sleep(pause);
        }
        Ok(())
    };
    let guests: [Guest<'_>; 7] = [
        &|| parties((Ipv4Addr::LOCALHOST, board.port).into(), over, done),
        &|| again("Scotland Yard", &done.others, CLEARED, &|| yard::game(yard, YARD_BOTS)),
        &|| again("Merchant of Venus", &done.others, CLEARED, &|| venus::game(&venus::door(venus), VENUS_BOTS)),
        &|| again("a bot of the board's", &done.bots, CLEARED, &|| house_bots::check_lines(door)),
        &|| again("a page", &done.pages, PAUSE, &|| Ok(ask(door, &get("/yard", "Connection: close\r\n")).map(drop)?)),
        &|| again("bad requests", &done.noises, PAUSE, &|| abuse::be_bad(door)),
        &|| comings(board.port, over, done),
    ];
    play_all(board, minutes, (over, done), &guests)
}

/// A client that goes on until the soak is over, or something is wrong.
type Guest<'g> = &'g (dyn Fn() -> Result<(), String> + Sync);

fn play_all(board: &Emulator, minutes: u32, (over, done): (&AtomicBool, &Done), guests: &[Guest<'_>]) -> Outcome {
    scope(|scope| {
        let guests: Vec<_> = guests.iter().map(|guest| scope.spawn(guest)).collect();
        let watched = watch(board, minutes, done, || guests.iter().any(|guest| guest.is_finished()));
        over.store(true, Relaxed);
        for guest in guests {
            guest.join().map_err(|_| "a guest broke off")??;
        }
        watched
    })
}

/// A line a minute, until the time is over, the board complains, or a guest gives up.
fn watch(board: &Emulator, minutes: u32, done: &Done, gave_up: impl Fn() -> bool) -> Outcome {
    println!(
        "| minute | games | won | turns | cut and back | noises | comings | other games | pages | own bots | stack | emulator |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let start = Instant::now();
    let mut settled = u32::MAX;
    for minute in 1..=minutes {
        while start.elapsed() < Duration::from_secs(60) * minute {
            sleep(LOOK);
            if let Some(why) = board.complaint() {
                return Err(format!("{why}\n{}", board.log()).into());
            }
            if gave_up() {
                return Ok(());
            }
        }
        let Done { games, won, turns, rejoined, noises, comings, others, pages, bots } = done;
        let figures = [games, won, turns, rejoined, noises, comings, others, pages, bots];
        let figures = figures.map(|figure| figure.load(Relaxed).to_string());
        let stack = stack(board);
        println!("| {minute} | {} | {stack} | {} |", figures.join(" | "), board.memory().unwrap_or_default());
        if minute == SETTLED {
            settled = stack;
        }
        if stack > settled.saturating_add(INTERRUPT) {
            return Err(format!("the stack still grows: {settled} bytes after {SETTLED} minutes, {stack} now").into());
        }
    }
    Ok(())
}

/// The board's last word about its stack.
fn stack(board: &Emulator) -> u32 {
    let log = board.log();
    log.rsplit("stack: ").next().and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap_or_default()
}

fn parties(address: SocketAddr, over: &AtomicBool, done: &Done) -> Result<(), String> {
    let board = &mut OverTcp(address);
    while !over.load(Relaxed) {
        let mut party = Party::sit(board, BOTS);
        let (end, mut cut_at) = (Instant::now() + PATIENCE, CUT);
        while party.played.winner.is_none() && party.played.turns < TURNS && !over.load(Relaxed) {
            if Instant::now() > end {
                return Err(format!("the game stands still: {:?}", party.played));
            }
            party.step();
            party.mend(board);
            if party.played.turns >= cut_at {
                cut_at += CUT;
                party.cut_one(board);
            }
        }
        if party.played.winner.is_none() {
            party.agree(board)?;
        }
        done.games.fetch_add(1, Relaxed);
        done.won.fetch_add(u32::from(party.played.winner.is_some()), Relaxed);
        done.turns.fetch_add(party.played.turns, Relaxed);
        done.rejoined.fetch_add(party.played.rejoined, Relaxed);
        drop(party);
        sleep(CLEARED);
    }
    Ok(())
}

fn noises(port: u16, over: &AtomicBool, done: &Done) -> Result<(), String> {
    let door = &pimp::door(port);
    let mut dice = Dice::new();
    dice.begin(&[17; 32]);
    while !over.load(Relaxed) {
        pimp::make_noise(door, &mut dice).map_err(|error| format!("noise: {error}"))?;
        done.noises.fetch_add(1, Relaxed);
        sleep(PAUSE);
    }
    Ok(())
}

/// One client comes, is answered and leaves; one leaves in the middle of a frame. A client that comes while a table is
/// cleared is closed, and comes again.
fn comings(port: u16, over: &AtomicBool, done: &Done) -> Result<(), String> {
    let door = &pimp::door(port);
    while !over.load(Relaxed) {
        door.guest(ANSWER).and_then(|_| pimp::cut(door)).map_err(|error| format!("coming: {error}"))?;
        done.comings.fetch_add(2, Relaxed);
        sleep(PAUSE);
    }
    Ok(())
}

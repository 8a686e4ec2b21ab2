//! Counts the machine instructions of Merchant of Venus's server; the figures of BENCHMARKS.md come from
//! `cargo run --profile dist -p parlor-tests --bin count_venus` (it needs valgrind).
//!
//! Counted is what the server does of a line that lies in the framer: from the call that takes it to its events in the ring;
//! of a refresh also all pulls of the link that is told it.

use std::process::ExitCode;

use parlor_core::driver::Driver;
use parlor_core::server::Server as _;
use parlor_core::venus::limits::BoardVenus;
use parlor_core::venus::server::Config;
use parlor_tests::callgrind::{self, Case};

/// Runs of one case, each with another deal.
const RUNS: u32 = 20;

const CASES: [Case; 6] = [
    ("first step", "take_line", "SELECTDESTINATION, dice hidden: the first step and those that follow of themselves"),
    ("refused step", "take_line", "SELECTDESTINATION of a space that is not in the list"),
    ("stay", "take_line", "ENDMOVE at the base: state TradePhase, told to three in the room"),
    ("out of turn", "take_line", "ENDMOVE out of turn, refused"),
    ("refresh", "be_told", "a refresh of a new game for three, all of it pulled"),
    ("login", "be_told", "what a login brings, all of it pulled"),
];

/// The server takes what was written.
#[inline(never)]
fn take_line(driver: &mut Driver<BoardVenus>, at: usize) {
    driver.receive_all(at);
}

/// The same, and the link reads all that it is told.
#[inline(never)]
fn be_told(driver: &mut Driver<BoardVenus>, at: usize, room: &mut [u8]) -> usize {
    driver.receive_all(at);
    driver.release();
    std::iter::repeat_with(|| driver.pull(at, room)).take_while(|n| *n > 0).sum()
}

/// A game of three, and who moves.
fn game(seed: u8) -> Option<(Driver<BoardVenus>, usize)> {
    let mut driver = Driver::new(Box::new(BoardVenus::new()));
    driver.server.begin(&[seed; 32], &Config { rate: 0, ..Config::DEFAULT });
    for name in ["ann", "bob", "cat"] {
        let at = driver.connect().ok()?;
        driver.send(at, format!("LOGIN,{name},pw\n").as_bytes());
    }
    driver.send(0, b"NEWROOM,den\n");
    (0..3).for_each(|at| driver.send(at, b"CHANGEROOM,den\n"));
    driver.send(0, b"NEWGAME,MerchantOfVenus\n");
    (0..3).for_each(|at| driver.send(at, b"JOIN\n"));
    driver.send(0, b"VALIDATESETUP\n");
    (0..3).for_each(|at| driver.send(at, b"LIKEOPTIONS\n"));
    let mover = usize::from(driver.server.game("den")?.current().0);
    Some((driver, mover))
}

/// Runs one case; this is what callgrind watches.
fn run(case: &str) -> Option<()> {
    let mut room = vec![0; BoardVenus::MAX_FRAME];
    for seed in 0..RUNS as u8 {
        let (mut driver, mover) = game(seed)?;
        let game = driver.server.game("den")?;
        let first = game.board().name(game.offer().steps.first()?.space).to_owned();
        let (at, line) = match case {
            "first step" => (mover, format!("SELECTDESTINATION,{first},0\n")),
            "refused step" => (mover, "SELECTDESTINATION,nowhere,0\n".to_owned()),
            "stay" => (mover, "ENDMOVE\n".to_owned()),
            "out of turn" => ((mover + 1) % 3, "ENDMOVE\n".to_owned()),
            "refresh" => (mover, "CHANGEROOM,den\n".to_owned()),
            "login" => {
                let at = driver.connect().ok()?;
                driver.take(at);
                driver.write(at, b"LOGIN,dan,pw\n");
                driver.receive_all(at);
                driver.collect_requests();
                driver.answer_all();
                (at, String::new())
            }
            _ => return None,
        };
        driver.write(at, line.as_bytes());
        match case {
            "refresh" | "login" => {
                let bytes = be_told(&mut driver, at, &mut room);
                if seed == 0 {
                    eprintln!("{case}: {bytes} bytes");
                }
            }
            _ => take_line(&mut driver, at),
        }
    }
    Some(())
}

fn main() -> ExitCode {
    callgrind::main("count_venus", &CASES, RUNS, run)
}

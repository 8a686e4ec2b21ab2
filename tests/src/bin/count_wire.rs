//! Counts the machine instructions of the PIMP wire; the figures of BENCHMARKS.md come from
//! `cargo run --profile dist -p parlor-tests --bin count_wire` (it needs valgrind).
//!
//! Every case runs by itself under callgrind, which counts inside that case's function only: its prologue, the message
//! laid out in memory and its return are in the figure, the loop around it is not. Nothing is timed.

use std::env;
use std::hint::black_box;
use std::process::{Command, ExitCode};

use parlor_core::pimp::wire::{FRAME_MAX, Framer, Message, Name};
use parlor_core::server::Framer as _;

/// Runs of one case: any figure that is not the same in all of them shows as a fraction.
const RUNS: u32 = 1000;

/// A case: its name, the function in which callgrind counts, what is done there.
const CASES: [(&str, &str, &str); 6] = [
    ("take 3", "take_frame", "mark, peek, decode, skip of `00 01 01` (HANDSHAKE), once it lies in the framer"),
    ("read 3", "read_three_bytes", "the same with the adapter's side of a read: window, three bytes stored, commit"),
    ("take 10", "take_frame", "mark, peek, decode, skip of TRANSACTION_SET_CASH, 8 bytes of payload"),
    ("take name", "take_frame", "the same of JOIN with a name of 4 bytes"),
    ("dice", "encode", "encode DICE_ROLLED"),
    ("player", "encode", "encode STATE_PLAYER with a name of 4 bytes"),
];

/// What a server does for every frame: look, decode, do something with it, go on.
#[inline(always)]
fn take(framer: &mut Framer) {
    framer.mark();
    if let Ok(Some(frame)) = framer.peek() {
        black_box(&Message::from_client(frame.code, frame.payload));
    }
    framer.skip();
}

#[inline(never)]
fn take_frame(framer: &mut Framer) {
    take(framer);
}

/// The adapter's read is these three stores.
#[inline(never)]
fn read_three_bytes(framer: &mut Framer) {
    if let Some(window) = framer.window().first_chunk_mut() {
        *window = [0x00, 0x01, 0x01];
    }
    framer.commit(3);
    take(framer);
}

#[inline(never)]
fn encode(message: &Message<'_>, out: &mut [u8]) -> Option<usize> {
    message.encode(out)
}

fn filled(bytes: &[u8]) -> Framer {
    let mut framer = Framer::new();
    framer.window()[..bytes.len()].copy_from_slice(bytes);
    framer.commit(bytes.len());
    framer
}

/// Runs one case `RUNS` times; this is what callgrind watches.
fn run(case: &str) -> Option<()> {
    let dice = Message::DiceRolled { player: 1, die1: 3, die2: 4 };
    let name = Name::new(b"kerz")?;
    let player = Message::StatePlayer { player: 1, piece: 2, name, square: 10, cash: 1500, jail_turn: 0 };
    let mut out = [0; FRAME_MAX];
    for _ in 0..RUNS {
        let out = black_box(&mut out[..]);
        match case {
            "read 3" => read_three_bytes(black_box(&mut Framer::new())),
            "take 3" => take_frame(&mut filled(&[0x00, 0x01, 0x01])),
            "take 10" => take_frame(&mut filled(&[0x60, 8, 0, 0, 0, 1, 0, 0, 5, 220])),
            "take name" => take_frame(&mut filled(b"\x02\x07\x02\x01\x04kerz")),
            "dice" => _ = black_box(encode(black_box(&dice), out)),
            "player" => _ = black_box(encode(black_box(&player), out)),
            _ => return None,
        }
    }
    Some(())
}

/// The instructions of all runs of one case.
fn count(case: &str, function: &str) -> Result<u32, String> {
    let exe = env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect=count_wire::{function}"))
        .arg(exe)
        .arg(case)
        .output()
        .map_err(|e| format!("valgrind: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let total = said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    total.filter(|&n| n > 0).ok_or_else(|| format!("valgrind counted nothing:\n{said}"))
}

fn main() -> ExitCode {
    if let Some(case) = env::args().nth(1) {
        return if run(&case).is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    println!("| instructions | case |\n|---:|---|");
    for (case, function, what) in CASES {
        match count(case, function) {
            Ok(total) => println!("| {} | {what} |", f64::from(total) / f64::from(RUNS)),
            Err(why) => {
                eprintln!("{case}: {why}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

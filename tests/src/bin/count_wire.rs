//! Counts the machine instructions of the PIMP wire; the figures of BENCHMARKS.md come from
//! `cargo run --profile dist -p parlor-tests --bin count_wire` (it needs valgrind).
//!
//! The message laid out in memory is in a figure, the loop around it is not.

use std::hint::black_box;
use std::process::ExitCode;

use parlor_core::pimp::wire::{FRAME_MAX, Framer, Message, Name};
use parlor_core::server::Framer as _;
use parlor_tests::callgrind::{self, Case};

/// Runs of one case.
const RUNS: u32 = 1000;

const CASES: [Case; 6] = [
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

fn main() -> ExitCode {
    callgrind::main("count_wire", &CASES, RUNS, run)
}

//! Any sequence of connects, messages, torn bytes, answers of the adapter, pulls, ticks and closes on a board-size server of
//! every game: never a panic, whole messages only, and the rules' audit holds after each.
//!
//! The first byte of the input chooses the game, two more its settings and seed; the rest is a script (script.rs). In core/:
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none server -- -max_len=4096 -max_total_time=1800
//! ```
#![no_main]

#[path = "../pimp.rs"]
mod pimp;
#[path = "../script.rs"]
mod script;
#[path = "../venus.rs"]
mod venus;
#[path = "../yard.rs"]
mod yard;

use libfuzzer_sys::fuzz_target;

const GAMES: [fn(u8, u8, &[u8]); 3] =
    [script::play::<pimp::Pimp>, script::play::<yard::Yard>, script::play::<venus::Venus>];

fuzz_target!(|data: &[u8]| {
    let Some((&[game, options, seed], script)) = data.split_first_chunk() else { return };
    GAMES[usize::from(game) % GAMES.len()](options, seed, script);
});

//! Plays one chaotic game by its seed and tells how it ended: `cargo run -p parlor-tests --bin games -- 17`.

use std::env;
use std::panic::catch_unwind;

use parlor_tests::sim::{Checking, Options, simulate};

fn main() {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse().expect("a seed"));
    let first: u64 = arguments.next().unwrap_or(0);
    let last: u64 = arguments.next().unwrap_or(first);
    let mut failed = 0;
    let only: Vec<u64> =
        env::var("ONLY").map(|s| s.split_whitespace().map(|w| w.parse().unwrap()).collect()).unwrap_or_default();
    for seed in first..=last {
        if !only.is_empty() && !only.contains(&seed) {
            continue;
        }
        let options = Options { checking: Checking::Sampled, ..Options::chaotic(seed) };
        let Ok(outcome) = catch_unwind(|| simulate(&options)) else {
            failed += 1;
            continue;
        };
        let (end, turns, rounds) = (outcome.end, outcome.turns, outcome.rounds);
        let left: Vec<u64> = [0xDA, 0xDB, 0xDC].map(|code: usize| outcome.census.to_clients[code]).to_vec();
        println!("seed {seed}: {end:?} after {turns} turns, {rounds} rounds, {:?} {left:?}", options.bots);
    }
    assert!(failed == 0, "{failed} games failed");
}

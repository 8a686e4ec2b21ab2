//! Plays chaotic games by their seeds and tells how each ended: `cargo run -p parlor-tests --bin games -- 17`, or
//! `-- 0 99` for a hundred. Goes on after a failure, so that one run shows them all.

use std::env;
use std::panic::catch_unwind;

use parlor_tests::pimp::sim::{Checking, Options, simulate};

fn main() {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse().expect("a seed"));
    let first: u64 = arguments.next().unwrap_or(0);
    let last: u64 = arguments.next().unwrap_or(first);
    // One game alone is looked at closely.
    let checking = if first == last { Checking::Everything } else { Checking::Sampled };
    let mut failed = 0;
    for seed in first..=last {
        let options = Options { checking, ..Options::chaotic(seed) };
        match catch_unwind(|| simulate(&options)) {
            Ok(outcome) => {
                let (end, turns, rounds) = (outcome.end, outcome.turns, outcome.rounds);
                println!("seed {seed}: {end:?} after {turns} turns, {rounds} rounds, {:?}", options.bots);
            }
            Err(_) => failed += 1,
        }
    }
    assert!(failed == 0, "{failed} games failed");
}

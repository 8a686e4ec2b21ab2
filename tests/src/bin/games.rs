//! Plays one chaotic game by its seed and tells how it ended: `cargo run -p parlor-tests --bin games -- 17`.

use std::env;

use parlor_tests::sim::{Checking, Options, simulate};

fn main() {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse().expect("a seed"));
    let first: u64 = arguments.next().unwrap_or(0);
    let last: u64 = arguments.next().unwrap_or(first);
    for seed in first..=last {
        let options = Options { checking: Checking::Everything, ..Options::chaotic(seed) };
        let outcome = simulate(&options);
        let (end, turns, rounds) = (outcome.end, outcome.turns, outcome.rounds);
        println!("seed {seed}: {end:?} after {turns} turns, {rounds} rounds, {:?}", options.bots);
    }
}

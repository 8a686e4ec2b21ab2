//! Whole games of Merchant of Venus a second on one core, bots and wire included:
//! `cargo run --profile dist -p parlor-tests --bin bench_venus`.
//!
//! Four bots to 2000. Arguments set how many games, `shrewd` or `plain`, and how often the whole is done.

use std::env;
use std::time::Instant;

use parlor_core::game::Strength;
use parlor_tests::venus::evening::{Evening, play};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, otherwise| arguments.get(at).map_or(otherwise, |text| text.parse().expect("a number"));
    let (games, repeats) = (number(0, 20), number(2, 3));
    let is_plain = arguments.get(1).is_some_and(|strength| strength == "plain");
    let strength = if is_plain { Strength::Plain } else { Strength::Shrewd };
    for _ in 0..repeats {
        let (mut sum, mut won) = (Evening::default(), 0);
        let start = Instant::now();
        for seed in 0..games {
            let one = play(4, strength, seed);
            sum.said += one.said;
            sum.heard += one.heard;
            sum.bytes += one.bytes;
            sum.turns += one.turns;
            won += u32::from(one.is_won);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{games} games of four ({strength:?}) in {seconds:.2} s: {:.2} games/s, {:.0} turns/s; {won} won, {sum:?}",
            f64::from(games) / seconds,
            sum.turns as f64 / seconds,
        );
    }
}

//! Whole games a second on one core, bots and wire included: `cargo run --release -p parlor-tests --bin bench_games`.
//!
//! Four Plain bots, seeds 0 to 999, at most 2,000 turns. An argument sets the number of games, a second one the number
//! of times the whole is done; the best is told, the others show how busy the machine is.

use std::env;
use std::time::Instant;

use parlor_tests::pimp::sim::client::Player;
use parlor_tests::pimp::sim::{End, Options, simulate};

fn main() {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse().expect("a number"));
    let games: u64 = arguments.next().unwrap_or(1_000);
    let repeats: u64 = arguments.next().unwrap_or(3);
    for _ in 0..repeats {
        let (mut frames, mut commands, mut turns, mut won) = (0, 0, 0, 0);
        let start = Instant::now();
        for seed in 0..games {
            let outcome = simulate(&Options::calm(seed, 4, Player::Plain));
            frames += outcome.census.delivered();
            commands += outcome.census.commands();
            turns += u64::from(outcome.turns);
            won += u64::from(matches!(outcome.end, End::Won(_)));
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{games} games in {seconds:.3} s: {:.0} games/s, {:.2} million delivered frames/s, {:.2} million commands/s",
            games as f64 / seconds,
            frames as f64 / seconds / 1e6,
            commands as f64 / seconds / 1e6,
        );
        println!("{frames} frames, {commands} commands, {turns} turns, {won} games won");
    }
}

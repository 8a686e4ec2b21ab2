//! Thousands of games in which everything goes wrong that can: each ends, and every mirror shows the table.
//!
//! `PARLOR_GAMES=10000 cargo test --release -p parlor-tests --test suite sim_chaos::` plays more of them, `PARLOR_SEED=17` one.

use std::env;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use parlor_tests::pimp::sim::census::Census;
use parlor_tests::pimp::sim::{Checking, End, Options, simulate};

/// In an ordinary run of the tests.
const GAMES: u64 = 1_000;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn every_chaotic_game_ends_and_every_mirror_is_true() {
    let (first, games) = match number("PARLOR_SEED") {
        Some(seed) => (seed, 1),
        None => (0, number("PARLOR_GAMES").unwrap_or(GAMES)),
    };
    let next = AtomicU64::new(first);
    let sum = Mutex::new((Census::default(), [0u64; 3], 0u64, 0u64));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + games {
                        break;
                    }
                    let outcome = simulate(&Options::chaotic(seed));
                    let mut sum = sum.lock().unwrap();
                    sum.0.add(&outcome.census);
                    sum.1[match outcome.end {
                        End::Won(_) => 0,
                        End::TurnLimit => 1,
                        End::Abandoned => 2,
                    }] += 1;
                    sum.2 += outcome.rounds;
                    sum.3 += outcome.mirrors;
                }
            });
        }
    });
    let (census, [won, limit, abandoned], rounds, mirrors) = sum.into_inner().unwrap();
    println!("{games} games: {won} won, {limit} at the turn limit, {abandoned} abandoned");
    println!("{rounds} rounds, {mirrors} mirrors compared, {} commands", census.commands());
    println!("{}", census.table());
    println!("never seen here: {:?}", census.missing());
    assert_eq!(won + limit + abandoned, games);
    assert!(mirrors >= rounds / 2, "too few mirrors were looked at: {mirrors} in {rounds} rounds");
}

#[test]
fn all_mirrors_are_true_after_every_command() {
    for seed in 500_000..500_020 {
        simulate(&Options { checking: Checking::Everything, turns: 80, ..Options::chaotic(seed) });
    }
}

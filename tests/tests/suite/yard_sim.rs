//! Evenings of Scotland Yard with everything that goes wrong at them. A few in every run; `YARD_EVENINGS=5000` plays
//! 10,000 games. A failure names its seed; `YARD_SEED` begins there.

use parlor_tests::yard::sim::{Evening, evening};

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn every_game_ends_and_nobody_is_told_too_much() {
    let (first, count) = (setting("YARD_SEED", 0), setting("YARD_EVENINGS", 12));
    let mut sum = Evening::default();
    for seed in first..first + count {
        let one = evening(seed);
        sum.games += one.games;
        sum.mr_x += one.mr_x;
        sum.moves += one.moves;
        sum.lines += one.lines;
        sum.rejoined += one.rejoined;
        sum.restarts += one.restarts;
        sum.rubbish += one.rubbish;
    }
    println!("{sum:?}");
    assert_eq!(u64::from(sum.games), 2 * count);
    assert!(count < 12 || (sum.rejoined > 10 && sum.restarts > 0 && sum.rubbish > 50), "{sum:?}");
}

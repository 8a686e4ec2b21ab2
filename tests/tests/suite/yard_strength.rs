//! How the bots of Scotland Yard do against each other. A few games in every run; `YARD_GAMES=1000` plays as many a
//! pairing.

use parlor_core::yard::bot::Strength::{Random, Shrewd};
use parlor_tests::yard::arena::pairing;

fn games() -> u32 {
    std::env::var("YARD_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(60)
}

#[test]
fn shrewd_detectives_beat_a_random_mr_x() {
    let score = pairing(0..games(), Random, Shrewd);
    println!("random Mr. X against shrewd detectives: {score:?}, {:.1} % Mr. X", score.mr_x_percent());
    assert!(score.mr_x_percent() <= 10.0, "{score:?}");
}

#[test]
fn a_shrewd_mr_x_beats_random_detectives() {
    let score = pairing(0..games(), Shrewd, Random);
    println!("shrewd Mr. X against random detectives: {score:?}, {:.1} % Mr. X", score.mr_x_percent());
    assert!(score.mr_x_percent() >= 90.0, "{score:?}");
}

#[test]
fn shrewd_against_shrewd_is_a_game() {
    let score = pairing(0..games(), Shrewd, Shrewd);
    println!("shrewd against shrewd: {score:?}, {:.1} % Mr. X", score.mr_x_percent());
    assert!((2.0..98.0).contains(&score.mr_x_percent()), "{score:?}");
}

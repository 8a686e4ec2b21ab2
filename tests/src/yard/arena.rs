//! Bots against bots through the protocol: how strong they are.

use parlor_core::yard::bot::Strength;
use parlor_core::yard::limits::BoardYard;
use parlor_core::yard::pieces::{Pawn, Team};
use parlor_core::yard::server::Config;

use super::player::Player;
use parlor_core::driver::Driver;

/// How a pairing went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub games: u32,
    /// Won by Mr. X.
    pub mr_x: u32,
    /// All turns of all games.
    pub turns: u32,
}

impl Score {
    /// Mr. X's wins in per cent.
    pub fn mr_x_percent(&self) -> f64 {
        100.0 * f64::from(self.mr_x) / f64::from(self.games.max(1))
    }
}

/// One game of this Mr. X against five detectives of one player: who won, and on which turn.
pub fn game(seed: u32, mr_x: Strength, detectives: Strength) -> (Team, u8) {
    let mut driver = Driver::new(Box::new(BoardYard::new()));
    let mut bytes = [3; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    driver.server.begin(&bytes, &Config { rate: 0, ..Config::DEFAULT });
    let mut players = [
        Player::sit(&mut driver, "x", "g", (Team::MrX, 2), (mr_x, seed)),
        Player::sit(&mut driver, "d", "g", (Team::Detectives, 2), (detectives, !seed)),
    ];
    for _ in 0..2_000 {
        for player in &mut players {
            player.step(&mut driver);
        }
        if let Some(winner) = players[0].mind.view.winner() {
            return (winner, players[0].mind.view.turn());
        }
    }
    let game = driver.server.game("g");
    panic!("game {seed} did not end: {:?}", game.map(|game| (game.turn(), game.next(), game.at(Pawn::X))));
}

pub fn pairing(seeds: std::ops::Range<u32>, mr_x: Strength, detectives: Strength) -> Score {
    let mut score = Score::default();
    for seed in seeds {
        let (winner, turn) = game(seed, mr_x, detectives);
        score.games += 1;
        score.mr_x += u32::from(winner == Team::MrX);
        score.turns += u32::from(turn);
    }
    score
}

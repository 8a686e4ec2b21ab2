//! Shrewd beats Plain, and says by how much.

use parlor_tests::pimp::sim::client::Player::{Plain, Shrewd};
use parlor_tests::pimp::sim::{End, Options, simulate};

const GAMES: u64 = 1_000;
/// Of a thousand.
const AIM: u64 = 650;

#[test]
fn shrewd_beats_plain() {
    let (mut wins, mut undecided) = (0, 0);
    for seed in 0..GAMES {
        // Seats are swapped from game to game.
        let shrewd = (seed % 2) as usize;
        let bots = if shrewd == 0 { vec![Shrewd, Plain] } else { vec![Plain, Shrewd] };
        match simulate(&Options { bots, ..Options::calm(seed / 2, 2, Plain) }).end {
            End::Won(seat) => wins += u64::from(seat == Some(shrewd)),
            _ => undecided += 1,
        }
    }
    println!("Shrewd won {wins} of {GAMES} games against Plain, {undecided} were not decided in 2,000 turns");
    assert!(wins >= AIM, "{wins} of {GAMES}");
}

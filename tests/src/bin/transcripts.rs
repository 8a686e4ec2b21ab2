//! What a client in another language is held against, one line each, on standard output
//! (`cargo run -p parlor-tests --bin transcripts [GAMES]`). Which kinds of lines there are, each game's dialect says;
//! columns are separated by tabs.

use std::{env, io};

use parlor_tests::games::GAMES;

fn main() -> Result<(), String> {
    let games = env::args().nth(1).and_then(|games| games.parse().ok()).unwrap_or(3);
    let mut out = io::stdout().lock();
    GAMES.iter().try_for_each(|game| (game.client_data)(&mut out, games))
}

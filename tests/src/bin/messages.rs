//! Writes what other readers need of core's tables, `cargo run -p parlor-tests --bin messages`: pages for people, and data
//! for the browser's pages. What there is, each game's dialect says.

use std::path::{Path, PathBuf};
use std::{fs, io};

use parlor_tests::games::GAMES;

/// Each file with what it should say.
fn made() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let all = GAMES.iter().flat_map(|game| (game.made)());
    all.map(|(path, text)| (root.join(path), text)).collect()
}

fn main() -> io::Result<()> {
    made().into_iter().try_for_each(|(path, text)| fs::write(path, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_fresh() {
        for (path, text) in made() {
            let found = fs::read_to_string(&path).unwrap_or_default();
            assert!(found == text, "{} is stale; renew it: cargo run -p parlor-tests --bin messages", path.display());
        }
    }
}

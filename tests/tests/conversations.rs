//! Every conversation of every game, held with the core in this process: a test a file, by the game's and the file's name
//! (`cargo test -p parlor-tests --test conversations pimp::auction`), and for each game that bytes cut up on their way
//! change nothing, and that every message of its protocol occurs.

use std::fs;

use libtest_mimic::{Arguments, Failed, Trial};
use parlor_tests::conversation::{Coverage, Entry, folder};
use parlor_tests::games::GAMES;

/// Bytes that arrive in one piece: all there are.
const WHOLE: usize = usize::MAX;

fn main() {
    let games = GAMES.iter().flat_map(trials);
    let trials = games.chain([Trial::test("every_folder_has_a_dialect", every_folder_has_a_dialect)]).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trials(game: &'static Entry) -> Vec<Trial> {
    let name = |what: &str| format!("{}::{what}", game.game);
    let files = game.files().unwrap_or_default().into_iter();
    let files = files.map(|file| {
        let stem = file.trim_end_matches(".talk");
        Trial::test(name(stem), move || Ok(hold(game, &file, WHOLE, &mut Coverage::default())?))
    });
    let pieces = Trial::test(name("holds_in_pieces"), move || {
        hold_all(game, 1, &mut Coverage::default())?;
        hold_all(game, 7, &mut Coverage::default())
    });
    files.chain([pieces, Trial::test(name("every_message_occurs"), move || every_message_occurs(game))]).collect()
}

fn hold(game: &Entry, file: &str, piece: usize, coverage: &mut Coverage) -> Result<(), String> {
    let talk = game.read(file)?;
    talk.run(&mut *talk.in_memory(piece)?, coverage)
}

fn hold_all(game: &Entry, piece: usize, coverage: &mut Coverage) -> Result<(), Failed> {
    let files = game.files()?;
    let failures: Vec<String> = files.iter().filter_map(|file| hold(game, file, piece, coverage).err()).collect();
    if failures.is_empty() && !files.is_empty() {
        return Ok(());
    }
    Err(format!("{} of {} files fail in pieces of {piece}\n{}", failures.len(), files.len(), failures.join("\n\n"))
        .into())
}

fn every_message_occurs(game: &Entry) -> Result<(), Failed> {
    let mut coverage = Coverage::default();
    hold_all(game, WHOLE, &mut coverage)?;
    let messages = (game.messages)();
    println!("{}: {} messages\n{}", game.game, messages.len(), coverage.table(&messages));
    game.silent.iter().for_each(|(name, why)| println!("never: {name}: {why}"));
    let missing = coverage.missing(&messages);
    if missing.iter().eq(game.silent.iter().map(|(name, _)| name)) {
        return Ok(());
    }
    Err(format!("messages that nobody said: {missing:?}").into())
}

fn every_folder_has_a_dialect() -> Result<(), Failed> {
    for entry in fs::read_dir(folder())? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if entry.path().is_dir() && !GAMES.iter().any(|game| game.game == name) {
            return Err(format!("no dialect holds conversations/{name}").into());
        }
    }
    Ok(())
}

//! The conversations of every game with the real program, over TCP, TLS and WebSocket.

use std::path::PathBuf;

use crate::common;
use crate::common::process::{Way, hold_all, process};
use parlor::games;
use parlor_core::game::{Encoding, Scope};
use parlor_tests::conversation::{Coverage, Entry, Limits, Talk};
use parlor_tests::games::GAMES;

/// The flags that give the program's server of this game what a conversation asks for.
fn flags(game: &games::Entry, talk: &dyn Talk) -> Result<Vec<String>, String> {
    let seed = talk.setup().seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let settings = talk.settings()?.into_iter().map(|(name, value)| (format!("-{}", name.replace('_', "-")), value));
    let mut flags: Vec<(String, String)> = settings.collect();
    // Most games are not there in tests unless they are asked for; all clients come from one address.
    flags.extend(["", "-ws"].map(|port| (port.into(), "127.0.0.1:0".into())));
    if game.scope == Scope::Hall {
        flags.push(("-accounts".into(), "1000".into()));
    }
    let flags = flags.into_iter().flat_map(|(name, value)| [format!("--{}{name}", game.name), value]);
    Ok(flags.chain(["--seed".into(), seed]).collect())
}

fn hold_over(way: Way<'_>) {
    GAMES.iter().for_each(|entry| hold_game_over(entry, way));
}

fn hold_game_over(entry: &Entry, way: Way<'_>) {
    // The example of a game is in no program unless its feature is asked for.
    let Some(game) = games::GAMES.iter().find(|game| game.name == entry.game) else { return };
    let is_text =
        |talk: &dyn Talk| talk.is_text() || game.encoding == Encoding::Binary || !matches!(way, Way::WebSocket);
    // Neither those that take minutes nor those that only a small connection or a small server shows; nor, where there is
    // only text, those that say something else.
    let is_fit =
        |talk: &dyn Talk| talk.setup().needs.is_empty() && talk.setup().limits != Limits::Board && is_text(talk);
    let mut talks: Vec<_> = entry.talks().unwrap().into_iter().filter(|talk| is_fit(&**talk)).collect();
    // What waits longest is begun first.
    talks.sort_by_key(|talk| talk.waits());
    let ws = format!("{}-ws", game.name);
    let count = hold_all(talks, |talk, runtime| {
        let flags = flags(game, &**talk)?;
        let mut process = process(&flags, way, (game.name, &ws, game.encoding), runtime);
        talk.run(&mut process, &mut Coverage::default())
    });
    assert!(count > 0, "{}", game.name);
}

/// A file with key and certificate.
fn pem() -> PathBuf {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let pem = common::scratch("conversations").join("own.pem");
    std::fs::write(&pem, own.signing_key.serialize_pem() + &own.cert.pem()).unwrap();
    pem
}

#[test]
fn the_files_hold_over_tcp() {
    hold_over(Way::Tcp);
}

#[test]
fn the_files_hold_over_tls() {
    hold_over(Way::Tls(&pem()));
}

#[test]
fn the_files_hold_over_websocket() {
    hold_over(Way::WebSocket);
}

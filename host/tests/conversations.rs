//! The conversations with the real program, over TCP, TLS and WebSocket.

mod common;

use std::path::PathBuf;

use common::process::{Way, hold_all, process};
use parlor_core::game::{Encoding, Game};
use parlor_core::pimp::limits::HostTable;
use parlor_core::settings::Settings as _;
use parlor_core::yard::limits::HostYard;
use parlor_tests::conversation::{Conversation, Coverage, Limits};
use parlor_tests::talk::{self, Heard};

/// The flags that give a server of this game these settings.
fn flags<G: Game>(config: &G::Config, seed: &[u8; 32]) -> Vec<String> {
    let mut flags = vec!["--seed".into(), seed.iter().map(|byte| format!("{byte:02x}")).collect()];
    G::Config::each(&mut |row| {
        let value = row.kind.show(config.get(row.name).unwrap()).to_string();
        flags.extend([format!("--{}-{}", G::NAME, row.name.replace('_', "-")), value]);
    });
    flags
}

/// The files of a game.
fn texts(game: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/conversations").join(game);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let talks = paths.filter(|path| path.extension().is_some_and(|kind| kind == "talk"));
    talks.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap())).collect()
}

fn the_files_hold_over(way: Way<'_>) {
    let files = texts("pimp");
    let files = files.iter().map(|(path, text)| Conversation::parse(path, text).unwrap());
    // Neither those that take minutes nor those that only a small connection or a small table shows.
    let mut files: Vec<_> =
        files.filter(|file| file.setup.needs.is_empty() && file.setup.limits != Limits::Board).collect();
    // What waits longest is begun first.
    files.sort_by_key(Conversation::waits);
    let count = hold_all(files, |file, runtime| {
        let flags = flags::<HostTable>(&file.setup.config()?, &file.setup.seed);
        let mut process = process(&flags, way, ("pimp", "pimp-ws", Encoding::Binary), runtime);
        file.run(&mut process, &mut Coverage::default())
    });
    assert!(count > 90);
}

fn the_files_of_the_yard_hold_over(way: Way<'_>) {
    let files = texts("yard");
    let files = files.iter().map(|(path, text)| talk::Conversation::parse(path, text).unwrap());
    // Not those that only a small server shows, nor, where there is only text, those that say something else.
    let is_text = |file: &talk::Conversation| file.is_text() || !matches!(way, Way::WebSocket);
    let files: Vec<_> = files.filter(|file| !file.setup.board && is_text(file)).collect();
    let count = hold_all(files, |file, runtime| {
        let mut flags = flags::<HostYard>(&file.setup.config()?, &file.setup.seed);
        let more = [("yard", "127.0.0.1:0"), ("yard-ws", "127.0.0.1:0"), ("yard-accounts", "1000")];
        flags.extend(more.into_iter().flat_map(|(name, value)| [format!("--{name}"), value.into()]));
        let mut process = process(&flags, way, ("yard", "yard-ws", Encoding::Text), runtime);
        file.run(&mut process, &mut Heard::new())
    });
    assert!(count > 16);
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
    the_files_hold_over(Way::Tcp);
}

#[test]
fn the_files_hold_over_tls() {
    the_files_hold_over(Way::Tls(&pem()));
}

#[test]
fn the_files_hold_over_websocket() {
    the_files_hold_over(Way::WebSocket);
}

#[test]
fn the_files_of_the_yard_hold_over_tcp() {
    the_files_of_the_yard_hold_over(Way::Tcp);
}

#[test]
fn the_files_of_the_yard_hold_over_tls() {
    the_files_of_the_yard_hold_over(Way::Tls(&pem()));
}

#[test]
fn the_files_of_the_yard_hold_over_websocket() {
    the_files_of_the_yard_hold_over(Way::WebSocket);
}

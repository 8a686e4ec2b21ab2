//! The conversations with the real program, over TCP, TLS and WebSocket.

mod common;

use std::path::PathBuf;

use common::process::{Way, hold_all, process};
use parlor::games::Words;
use parlor_core::pimp::server::Config;
use parlor_core::yard::server as yard;
use parlor_tests::conversation::{Conversation, Coverage, Limits};
use parlor_tests::talk::{self, Heard};

/// The flags that give a table these settings.
fn flags(config: &Config, seed: &[u8; 32]) -> Vec<String> {
    let rules = &config.rules;
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let seconds = |ms: u32| format!("{}", f64::from(ms) / 1000.0);
    let pairs = [
        ("seed", seed.iter().map(|byte| format!("{byte:02x}")).collect()),
        ("pot", rules.pot.map_or("off".into(), |pot| pot.to_string())),
        ("double-go", switch(rules.double_go)),
        ("lap-before-buy", switch(rules.lap_before_buy)),
        ("estate-to-creditor", switch(rules.estate_to_creditor)),
        ("bail-ends-turn", switch(rules.bail_ends_turn)),
        ("debt-blocks-roll", switch(rules.debt_blocks_roll)),
        ("termites", rules.termites.to_string()),
        ("vote-timeout", seconds(config.vote_timeout)),
        ("vote-pause", seconds(config.vote_pause)),
        ("ping-interval", seconds(config.ping_interval)),
        ("ping-timeout", seconds(config.ping_timeout)),
        ("auction-timeout", seconds(config.auction_timeout)),
        ("claim-grace", seconds(config.claim_grace)),
        ("presence", seconds(config.presence)),
        ("silence", seconds(config.silence)),
        ("join-timeout", seconds(config.join_timeout)),
        ("deserted", seconds(config.deserted)),
        ("farewell", seconds(config.farewell)),
        ("password-pause", seconds(config.password_pause)),
        ("dump-pause", seconds(config.dump_pause)),
        ("rate", config.rate.to_string()),
        ("wrong-passwords", config.wrong_passwords.to_string()),
        ("refusals", config.refusals.to_string()),
        ("ascii-names", switch(config.ascii_names)),
        ("max-players", config.max_players.to_string()),
    ];
    pairs.into_iter().flat_map(|(name, value)| [format!("--{name}"), value]).collect()
}

/// The same for Scotland Yard; what has no flag is as in the files.
fn yard_flags(config: &yard::Config, seed: &[u8; 32]) -> Vec<String> {
    let seconds = |ms: u32| format!("{}", f64::from(ms) / 1000.0);
    let pairs = [
        ("yard", "127.0.0.1:0".into()),
        ("yard-ws", "127.0.0.1:0".into()),
        ("seed", seed.iter().map(|byte| format!("{byte:02x}")).collect()),
        ("join-timeout", seconds(config.login_timeout)),
        ("password-pause", seconds(config.password_pause)),
        ("rate", config.rate.to_string()),
        ("wrong-passwords", config.wrong_passwords.to_string()),
        ("yard-bots", "off".into()),
        ("yard-accounts", "1000".into()),
    ];
    pairs.into_iter().flat_map(|(name, value): (&str, String)| [format!("--{name}"), value]).collect()
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
        let flags = flags(&file.setup.config()?, &file.setup.seed);
        let mut process = process(&flags, way, ("pimp", "pimp-ws", Words::Binary), runtime);
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
        let flags = yard_flags(&file.setup.config()?, &file.setup.seed);
        let mut process = process(&flags, way, ("yard", "yard-ws", Words::Text), runtime);
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

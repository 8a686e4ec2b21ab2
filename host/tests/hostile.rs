//! Whoever means no good harms nobody else. What is asserted does not depend on a clock; how long a game waits while
//! they are at work is measured by `cargo bench -p parlor --bench hostile`.

mod common;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::abuse::{self, Amount};
use common::{Server, run, scratch, tls};

/// Who does not join in this time is closed, whatever it says meanwhile.
const FLAGS: [&str; 10] =
    ["--rate", "0", "--claim-grace", "0", "--vote-pause", "0.01", "--farewell", "0.1", "--join-timeout", "2"];

const AMOUNT: Amount =
    Amount { visits: 300, rubbish: 8 << 20, garbage: 30, pause: Duration::from_millis(20), slow: 250 };

/// Memory that a server may hold on to after so many connections: its allocator keeps some.
const SLACK: u64 = 8 << 20;

fn figure(server: &Server, name: &str) -> u64 {
    let (_, page) = server.http("GET", "/metrics", &[]);
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in\n{page}")).parse().unwrap()
}

/// A game of bots, from the first word to the winner.
fn game(server: &Server) {
    let table = server.port("pimp").to_string();
    let output = run(&["bot", "--connect", &table, "--players", "2", "--strength", "plain"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn games_go_on_beside_every_abuse() {
    let server = Server::start(&FLAGS);
    game(&server);
    // The first time some buffers are made that stay.
    abuse::all(server.port("pimp"), Amount { visits: 50, rubbish: 1 << 20, ..AMOUNT });
    let before = figure(&server, "parlor_resident_bytes");
    let is_over = AtomicBool::new(false);
    let games = std::thread::scope(|scope| {
        scope.spawn(|| {
            abuse::all(server.port("pimp"), AMOUNT);
            is_over.store(true, Ordering::Relaxed);
        });
        let mut games = 0;
        while !is_over.load(Ordering::Relaxed) {
            game(&server);
            games += 1;
        }
        games
    });
    assert!(games > 0);
    game(&server);
    // When the server has taken note of the last of them is not for us to say.
    while figure(&server, "parlor_links") > 0 || figure(&server, "parlor_connections") > 1 {}
    let after = figure(&server, "parlor_resident_bytes");
    println!("{games} games meanwhile; {before} bytes before, {after} after");
    assert!(after < before + SLACK, "{before} bytes before, {after} after");
}

#[test]
fn whoever_never_agrees_on_tls_holds_no_place_for_ever() {
    let data = scratch("half-tls");
    let flags = ["--tls", "self-signed", "--data", data.to_str().unwrap(), "--max-connections", "2"];
    let server = Server::start(&flags);
    // The beginning of a TLS hello, and no more of it: only leaving gives the place back.
    let mut half = server.tcp();
    half.write_all(&[0x16, 0x03, 0x01]).unwrap();
    let mut other = tls(server.tcp());
    common::handshake(&mut other);
    drop(half);
    drop(other);
    while figure(&server, "parlor_connections") > 1 {}
}

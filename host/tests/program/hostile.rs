//! Whoever means no good harms nobody else. What is asserted does not depend on a clock; how long a game waits while
//! they are at work is measured by `cargo bench -p parlor --bench hostile`.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::abuse::{Amount, Done, Narrow, Siege};
use crate::common::{self, PATIENCE, Server, run, scratch, tls};
use parlor_tests::peer::OverTcp;
use parlor_tests::pimp::bots::{Guest, Party, Played};

/// Who does not join in this time is closed, whatever it says meanwhile.
const FLAGS: [&str; 10] =
    ["--rate", "0", "--claim-grace", "0", "--vote-pause", "0.01", "--farewell", "0.1", "--join-timeout", "2"];

const AMOUNT: Amount =
    Amount { visits: 300, rubbish: 2 << 20, garbage: 30, pause: Duration::from_millis(20), slow: 250 };

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
    let (is_over, done) = (AtomicBool::new(false), Done::default());
    let siege = Siege { table: server.port("pimp"), is_over: &is_over, done: &done };
    siege.once(Amount { visits: 50, rubbish: 1 << 20, ..AMOUNT });
    let before = figure(&server, "parlor_resident_bytes");
    let games = std::thread::scope(|scope| {
        scope.spawn(|| {
            siege.once(AMOUNT);
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
    let flags = ["--tls", "self-signed", "--data", data.to_str().unwrap(), "--max-connections", "3"];
    let server = Server::start(&flags);
    // The beginning of a TLS hello, and no more of it: only leaving gives the place back. The third is for who asks below,
    // maybe before the others' places are given back.
    let mut half = server.tcp();
    half.write_all(&[0x16, 0x03, 0x01]).unwrap();
    let mut other = tls(server.tcp());
    common::handshake(&mut other);
    drop(half);
    drop(other);
    while figure(&server, "parlor_connections") > 1 {}
}

/// Nobody goes bankrupt who has had such a pot. Games are kept, but nobody waits for the disk: it is to be quick.
const LONG: [&str; 10] =
    ["--rate", "0", "--claim-grace", "0", "--vote-pause", "0.01", "--pot", "60000", "--durability", "relaxed"];
/// With this much, a player outlasts the test.
const RICH: u32 = 20_000;
/// Games that may be won too soon.
const GAMES: usize = 20;

#[test]
fn who_stops_reading_is_closed_alone_and_comes_back_to_its_seat() {
    for _ in 0..GAMES {
        let server = Server::start(&LONG);
        let mut party = Party::sit(&mut OverTcp(server.port("pimp")), 4);
        if stop_and_come_back(&server, &mut party).is_some() {
            return;
        }
        println!("somebody won: another game");
    }
    panic!("every game was won too soon");
}

/// `None`: somebody has won before there was anything to see.
fn stop_and_come_back(server: &Server, party: &mut Party) -> Option<()> {
    let table = server.port("pimp");
    let (mut wide, mut narrow) = (OverTcp(table), Narrow(table));
    // Were eve the first at the table, the bots would wait for her vote.
    play_until(party, |played| played.turns > 0)?;
    let mut eve = Guest::come(&mut narrow, "eve", 7, false);
    play_until(party, |_| {
        eve.hear();
        let rich = eve.view().users().iter().filter(|user| user.playing).all(|user| user.cash >= RICH);
        eve.is_seated() && rich
    })?;
    party.agree_with(std::slice::from_mut(&mut eve), &mut wide).unwrap();
    let (me, turns, stopped) = (eve.view().me(), party.played.turns, Instant::now());
    // It reads nothing, and the others play on until the table has lost it.
    let mut looks = 0_u32;
    play_until(party, |_| {
        looks += 1;
        looks.is_multiple_of(64) && figure(server, "parlor_lagging_links_total") > 0
    })?;
    println!("closed after {} turns and {:?}", party.played.turns - turns, stopped.elapsed());
    play_until(party, |_| {
        eve.hear();
        eve.peer().is_closed()
    })?;
    eve.come_back(&mut narrow);
    play_until(party, |_| {
        eve.hear();
        eve.is_seated()
    })?;
    assert_eq!(eve.view().me(), me, "the same seat");
    party.agree_with(std::slice::from_mut(&mut eve), &mut wide).unwrap();
    assert_eq!(figure(server, "parlor_lagging_links_total"), 1, "nobody else fell behind");
    Some(())
}

fn play_until(party: &mut Party, mut done: impl FnMut(&Played) -> bool) -> Option<()> {
    let end = Instant::now() + PATIENCE;
    while !done(&party.played) {
        if party.played.winner.is_some() {
            return None;
        }
        assert!(Instant::now() < end, "it takes too long: {:?}", party.played);
        party.step();
    }
    Some(())
}

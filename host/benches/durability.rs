//! What it costs that nothing is lost: `cargo bench -p parlor --bench durability`.
//!
//! Ten seconds of games of four bots over TCP at each table, one game after the other, without a journal, with one that
//! is synced every second, and with one that every answer waits for. Then the server is killed and started again.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Server, parlor, scratch};

const TABLES: usize = 8;
const SECONDS: u64 = 10;

/// One figure of the metrics page.
fn figure(page: &str, name: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("parlor_{name} ")[..]));
    line.and_then(|value| value.parse().ok()).unwrap_or_default()
}

fn start(data: &Path, durability: &str, tables: &str) -> Server {
    let haste = ["--rate", "0", "--claim-grace", "0.02", "--vote-pause", "0.01", "--farewell", "0.1"];
    let rest = ["--durability", durability, "--tables", tables, "--data", data.to_str().unwrap()];
    Server::start(&[&haste[..], &rest].concat())
}

/// One game; it ends with the time, if not before.
fn game(address: &str, end: Instant) {
    let mut bots = parlor();
    bots.args(["bot", "--connect", address, "--players", "4"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut bots = bots.spawn().unwrap();
    while bots.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            let _ = bots.kill();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // The table notices that everybody left.
    std::thread::sleep(Duration::from_millis(50));
}

/// Games of four bots at every table, over TCP, one after the other until the time is over. How long it took.
fn play(server: &Server) -> f64 {
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for address in server.ports("pimp") {
            scope.spawn(move || {
                while begun.elapsed() < Duration::from_secs(SECONDS) {
                    game(&address.to_string(), begun + Duration::from_secs(SECONDS));
                }
            });
        }
    });
    begun.elapsed().as_secs_f64()
}

fn main() {
    for tables in [1, TABLES] {
        for durability in ["off", "relaxed", "strict"] {
            let data = scratch("durability");
            let server = start(&data, durability, &tables.to_string());
            let seconds = play(&server);
            let (_, page) = server.http("GET", "/metrics", &[]);
            let get = |name: &str| figure(&page, name);
            let (syncs, waited) = (get("journal_wait_seconds_count"), get("journal_wait_seconds_sum"));
            println!(
                "{tables} tables, {durability}: {:.0} commands/s, {:.0} syncs/s, {:.2} ms from call to disk, {:.0} KB/s, \
                 {} snapshots, a table held at most {:.0} us",
                get("commands_total") / seconds,
                syncs / seconds,
                1000.0 * waited / syncs.max(1.0),
                get("journal_bytes_total") / seconds / 1024.0,
                get("snapshots_total"),
                1e6 * get("snapshot_hold_seconds_max"),
            );
            drop(server);
            if durability != "off" {
                let begun = Instant::now();
                drop(start(&data, durability, &tables.to_string()));
                println!("  killed, and back after {:?}", begun.elapsed());
            }
            std::fs::remove_dir_all(data).unwrap();
        }
    }
}

//! How long a game waits for its answers while others abuse the same table: `cargo bench -p parlor --bench hostile`.
//!
//! One client that stops reading, one that sends a byte a second, 1,000 that connect and leave, garbage, frames of length
//! 255, 100 MB of rubbish, all at once. Beside them bots play, and an honest client asks every few milliseconds and notes
//! how long the answer takes: before, meanwhile and after, in one run.

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use common::abuse::{self, Amount};
use common::{HELLO, Server, run};

const AMOUNT: Amount =
    Amount { visits: 1_000, rubbish: 100 << 20, garbage: 300, pause: Duration::from_secs(1), slow: 20 };
const CALM: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(3);

/// What an honest client saw.
struct Seen {
    waits: Vec<Duration>,
    games: u32,
    time: Duration,
}

impl Seen {
    fn wait(&self, share: f64) -> f64 {
        self.waits[((self.waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6
    }
    fn show(&self, what: &str, calm: &Self) {
        let ratio = |share: f64| self.wait(share) / calm.wait(share);
        let games = f64::from(self.games) / self.time.as_secs_f64();
        println!(
            "| {what} | {} | {:.0} | {:.2} | {:.0} | {:.2} | {games:.1} |",
            self.waits.len(),
            self.wait(0.5),
            ratio(0.5),
            self.wait(0.99),
            ratio(0.99)
        );
    }
}

/// Plays and asks until `is_over`.
fn watch(server: &Server, is_over: &AtomicBool) -> Seen {
    let (start, games, mut waits) = (Instant::now(), AtomicU32::new(0), Vec::new());
    let table = server.port("pimp").to_string();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let output = run(&["bot", "--connect", &table, "--players", "2", "--strength", "plain"]);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                games.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut honest = server.tcp();
        while !is_over.load(Ordering::Relaxed) {
            let asked = Instant::now();
            let answered = honest.write_all(HELLO).and_then(|()| honest.read_exact(&mut [0; 6]));
            match answered {
                Ok(()) => waits.push(asked.elapsed()),
                // Its time to join was over.
                Err(_) => honest = server.tcp(),
            }
            std::thread::sleep(PAUSE);
        }
    });
    waits.sort();
    Seen { waits, games: games.into_inner(), time: start.elapsed() }
}

fn calm(server: &Server) -> Seen {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(CALM);
            is_over.store(true, Ordering::Relaxed);
        });
        watch(server, &is_over)
    })
}

fn resident(server: &Server) -> u64 {
    let (_, page) = server.http("GET", "/metrics", &[]);
    let line = page.lines().find_map(|line| line.strip_prefix("parlor_resident_bytes "));
    line.and_then(|bytes| bytes.parse::<u64>().ok()).expect("a figure") / 1024
}

fn main() {
    let extra: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let mut flags = vec!["--rate", "0", "--claim-grace", "0", "--vote-pause", "0.01", "--farewell", "0.1"];
    flags.extend(["--join-timeout", "10"]);
    flags.extend(extra.iter().map(String::as_str));
    let server = Server::start(&flags);
    println!("parlor with {flags:?}; {AMOUNT:?}");
    println!(
        "\n| | answers | median, µs | ratio | 99 %, µs | ratio | games a second |\n|---|---:|---:|---:|---:|---:|---:|"
    );
    let before = calm(&server);
    before.show("before", &before);
    let memory = resident(&server);
    let is_over = AtomicBool::new(false);
    let abused = std::thread::scope(|scope| {
        scope.spawn(|| {
            abuse::all(server.port("pimp"), AMOUNT);
            is_over.store(true, Ordering::Relaxed);
        });
        watch(&server, &is_over)
    });
    abused.show("meanwhile", &before);
    calm(&server).show("after", &before);
    println!("\n{memory} KB before, {} KB after; the abuse took {:.1} s", resident(&server), abused.time.as_secs_f64());
}

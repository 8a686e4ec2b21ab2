//! What it costs to keep games in an engine of three servers instead of on this machine's disk, in one run:
//! `tests/run cluster-bench`, or `PARLOR_NATS=PROGRAM cargo bench -p parlor --features cluster --bench cluster`.
//!
//! The same program twice, once with its own journal (strict) and once as a node of a cluster, each with a lobby of as many
//! tables, four bots of this process at each table over TCP. Both stand all the time and are played at by turns, so what
//! else runs on the machine slows both. A latency is that of a throw: from the word to the dice, heard by whoever threw.
//!
//! - one table, as fast as it can
//! - many tables where each bot thinks for a second before it says something, as people do
//! - the same, as fast as they can
//!
//! And appends alone: one process that says nothing but batches of some sizes to both stores, one after the other.
//!
//! `-- --tables N` is another many, `--shards N` spreads the node's tables over so many shards, `--linger MS` lets the node send
//! a message of a shard at most so often.

mod appends;
#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../load/table.rs"]
#[allow(dead_code)]
mod table;
mod usage;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::disk::Chance;
use common::nats::Nats;
use common::{Server, parlor};
use table::{Count, Player};
use tokio::sync::watch;
use tokio::time::sleep;
use usage::{Usage, processor_time};

/// Bots of a table.
const PLAYERS: usize = 4;
const MANY: usize = 1_000;
/// Rounds of each server for each row.
const ROUNDS: usize = 5;
const ONE_TABLE: Duration = Duration::from_secs(2);
const MANY_TABLES: Duration = Duration::from_secs(4);
/// How long a person thinks.
const THOUGHT: Duration = Duration::from_secs(1);
/// Connections that sit down at once.
const TOGETHER: usize = 64;

/// As fast as they can, and everybody from one address.
const FLAGS: [&str; 22] = [
    "--rate",
    "0",
    "--dump-pause",
    "0",
    "--claim-grace",
    "0",
    "--vote-pause",
    "0.001",
    "--auction-timeout",
    "0",
    "--join-timeout",
    "600",
    "--max-per-address",
    "0",
    "--max-connections",
    "0",
    "--max-players",
    "4",
    "--lobby-tables",
    "4000",
    "--lobby-turns",
    "4000000000",
];

/// Who may speak: the bots of this server, after having thought for so long.
#[derive(Clone, Copy, PartialEq)]
struct Turn {
    server: Option<usize>,
    thought: Duration,
}

/// What the bots of one server have seen.
#[derive(Default)]
struct Seen {
    count: Count,
    /// In microseconds.
    throws: Mutex<Vec<u32>>,
}

/// One of the two that are compared.
struct Side {
    name: &'static str,
    server: Server,
    ports: Vec<SocketAddr>,
    seen: Arc<Seen>,
}

impl Side {
    fn local() -> Self {
        let mut command = parlor();
        command.args(["--pimp", "off", "--pimp-ws", "off", "--pimp-lobby", "127.0.0.1:0", "--http", "127.0.0.1:0"]);
        command.args(["--log", "warn"]).args(FLAGS);
        Self::new("journal on this disk", Server::spawn(command), "pimp-lobby")
    }

    fn node(nats: &Nats, shards: usize, linger: usize) -> Self {
        let mut command = parlor();
        command.args(["--cluster", &nats.url(), "--cluster-key", nats.key().to_str().unwrap(), "--cluster-name", "a"]);
        command.args(["--cluster-monitor", &nats.monitors().join(","), "--cluster-shards", &shards.to_string()]);
        command.args(["--cluster-linger", &format!("{linger}ms")]);
        command.args(["--pimp", "127.0.0.1:0", "--pimp-ws", "off", "--http", "127.0.0.1:0"]);
        command.args(["--log", "warn"]).args(FLAGS);
        Self::new("engine of three servers", Server::spawn(command), "pimp")
    }

    fn new(name: &'static str, server: Server, flag: &str) -> Self {
        let ports = server.ports(flag).to_vec();
        assert!(!ports.is_empty(), "the server does not listen: {}", server.ready);
        Self { name, server, ports, seen: Arc::default() }
    }

    /// Bots for so many tables more.
    async fn fill(&self, index: usize, tables: usize, turn: &watch::Receiver<Turn>) {
        for table in 0..tables {
            let port = self.ports[table % self.ports.len()];
            for number in 1..=PLAYERS {
                let seat = (port, number as u8, (table * PLAYERS + number) as u64);
                tokio::spawn(evenings(seat, index, self.seen.clone(), turn.clone()));
            }
            if table % (TOGETHER / PLAYERS) == 0 {
                sleep(Duration::from_millis(5)).await;
            }
        }
    }

    fn usage(&self) -> Usage {
        let (_, page) = self.server.http("GET", "/metrics", &[]);
        Usage::read(&page, self.server.pid().as_raw_nonzero().get(), self.seen.count.said())
    }
}

/// One bot, game after game.
async fn evenings(
    (port, number, seed): (SocketAddr, u8, u64),
    index: usize,
    seen: Arc<Seen>,
    turn: watch::Receiver<Turn>,
) {
    let mut chance = Chance(seed);
    loop {
        let Ok(mut player) = Player::sit(port, number).await else {
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        // Sitting down is not what is measured.
        for _ in 0..2 {
            if player.step(&Count::default(), false).await.is_err() {
                break;
            }
        }
        while evening(&mut player, index, &seen, turn.clone(), &mut chance).await.unwrap_or(false) {}
    }
}

/// Says and hears once; `false`: the game is over.
async fn evening(
    player: &mut Player,
    index: usize,
    seen: &Seen,
    mut turn: watch::Receiver<Turn>,
    chance: &mut Chance,
) -> std::io::Result<bool> {
    if player.has_words() {
        let thought = turn.wait_for(|turn| turn.server == Some(index)).await.map_err(std::io::Error::other)?.thought;
        if !thought.is_zero() {
            let half = thought.as_millis() as usize / 2;
            sleep(thought / 2 + Duration::from_millis(chance.below(2 * half) as u64)).await;
        }
    }
    let goes_on = player.step(&seen.count, false).await?;
    if let Some(took) = player.throw_time() {
        seen.throws.lock().unwrap().push(took.as_micros() as u32);
    }
    Ok(goes_on)
}

/// What one server did in all its rounds.
struct Result {
    throws: Vec<u32>,
    usage: Usage,
}

impl Result {
    fn percentile(&self, percent: usize) -> f64 {
        let at = self.throws.len().saturating_sub(1) * percent / 100;
        self.throws.get(at).map_or(0.0, |micros| f64::from(*micros) / 1e3)
    }
}

/// Both servers by turns.
async fn compare(sides: &[Side], time: Duration, thought: Duration, turn: &watch::Sender<Turn>) -> Vec<Result> {
    let mut results: Vec<Result> =
        sides.iter().map(|_| Result { throws: Vec::new(), usage: Usage::default() }).collect();
    for round in 0..=ROUNDS {
        for (index, (side, result)) in sides.iter().zip(&mut results).enumerate() {
            // The engine's servers work for the other side too, if only at its end.
            let (before, engine, start) = (side.usage(), processor_time("nats-server"), Instant::now());
            side.seen.throws.lock().unwrap().clear();
            turn.send_replace(Turn { server: Some(index), thought });
            sleep(time).await;
            let mut usage = side.usage().since(&before, start.elapsed());
            usage.engine = processor_time("nats-server") - engine;
            turn.send_replace(Turn { server: None, thought });
            // What is under way comes to its end.
            sleep(Duration::from_millis(100)).await;
            // The first is for getting warm.
            if round > 0 {
                result.usage.add(&usage);
                result.throws.append(&mut side.seen.throws.lock().unwrap());
            }
        }
    }
    results.iter_mut().for_each(|result| result.throws.sort_unstable());
    // What the engine's servers use when nobody plays at them is nobody's cost.
    let idle = results[0].usage.engine;
    results.iter_mut().for_each(|result| result.usage.engine -= idle);
    results
}

fn show(title: &str, sides: &[Side], results: &[Result]) {
    println!("\n{title}\n");
    println!(
        "| kept in | throws | p50, ms | p99, ms | commands/s | messages/s | commands a message | bytes of journal a command | µs of processor a command: server, engine |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (side, result) in sides.iter().zip(results) {
        let (throws, [p50, p99]) = (result.throws.len(), [50, 99].map(|percent| result.percentile(percent)));
        println!("| {} | {throws} | {p50:.2} | {p99:.2} | {}", side.name, result.usage.row());
    }
    if let [local, engine] = results {
        let ratio = |percent| engine.percentile(percent) / local.percentile(percent).max(0.001);
        let share = engine.usage.commands_a_second() / local.usage.commands_a_second().max(1.0);
        println!("\nengine to disk: p50 {:.2}, p99 {:.2}, {share:.2} of the commands a second", ratio(50), ratio(99));
    }
}

fn argument(name: &str) -> Option<usize> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1).map(|number| number.parse().expect("a number"))
}

fn main() {
    let (tables, shards) = (argument("--tables").unwrap_or(MANY), argument("--shards").unwrap_or(1));
    let linger = argument("--linger").unwrap_or(0);
    let nats = Nats::start(3, "always");
    let sides = [Side::local(), Side::node(&nats, shards, linger)];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (turn, watched) = watch::channel(Turn { server: None, thought: Duration::ZERO });
        for (index, side) in sides.iter().enumerate() {
            side.fill(index, 1, &watched).await;
        }
        let results = compare(&sides, ONE_TABLE, Duration::ZERO, &turn).await;
        show("One table, as fast as it can", &sides, &results);
        for (index, side) in sides.iter().enumerate() {
            turn.send_replace(Turn { server: Some(index), thought: Duration::ZERO });
            side.fill(index, tables - 1, &watched).await;
            sleep(Duration::from_secs(3)).await;
        }
        let results = compare(&sides, MANY_TABLES, THOUGHT, &turn).await;
        show(&format!("{tables} tables, a second of thought before each command"), &sides, &results);
        let results = compare(&sides, MANY_TABLES, Duration::ZERO, &turn).await;
        show(&format!("{tables} tables, as fast as they can"), &sides, &results);
    });
    runtime.shutdown_background();
    drop(sides);
    appends::compare(&nats);
}

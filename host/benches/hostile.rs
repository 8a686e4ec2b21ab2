//! How long a game waits for its answers while others abuse the same table: `cargo bench -p parlor --bench hostile`.
//!
//! One client that stops reading before it joins and one that does so at its seat, one that sends a byte a second, 1,000
//! that connect and leave, garbage, frames of length 255: again every second, and rubbish without end. Bots play at the
//! table, and honest clients ask and note how long the answer takes.
//!
//! Abusers need a processor themselves, and it is the server's too. So what is compared takes turns, in one run: calm;
//! the same abuse of another server on this machine; the abuse of this one. What the abuse costs the machine is in the
//! second, what it costs the game beyond that only in the third.
//!
//! The server has its default settings, whatever follows `--` apart; `--unlimited` is for all limits off and games as fast
//! as they can be, so that every byte of rubbish is read and answered.

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use common::abuse::{Amount, Done, Siege};
use common::{HELLO, Server, parlor, tcp};
use parlor_tests::pimp::bots::Guest;

const AMOUNT: Amount =
    Amount { visits: 1_000, rubbish: usize::MAX, garbage: 300, pause: Duration::from_secs(1), slow: usize::MAX };
/// Enough for 100 MB of rubbish where there are no limits.
const ROUNDS: usize = 26;
/// Short, so that what else runs on the machine disturbs all alike.
const ROUND: Duration = Duration::from_secs(2);
/// Who ask, and how often each: within what the default settings allow.
const HONEST: usize = 8;
const PAUSE: Duration = Duration::from_millis(40);
/// For a game that is not over soon, as fast as it can be.
const UNLIMITED: [&str; 14] = [
    "--rate",
    "0",
    "--claim-grace",
    "0",
    "--vote-pause",
    "0.01",
    "--farewell",
    "0.1",
    "--join-timeout",
    "10",
    "--auction-timeout",
    "1",
    "--pot",
    "60000",
];

/// Bots at a table, game after game; ended when dropped.
struct Bots(Child);

impl Bots {
    fn sit(server: &Server) -> Self {
        let mut command = parlor();
        command.args(["bot", "--connect", &server.port("pimp").to_string(), "--players", "4", "--strength", "plain"]);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("bots should start"))
    }

    fn is_over(&mut self) -> bool {
        self.0.try_wait().is_ok_and(|end| end.is_some())
    }
}

impl Drop for Bots {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What was seen of the server in one state of the world.
#[derive(Default)]
struct Seen {
    waits: Vec<Duration>,
    /// Of each round.
    tails: Vec<f64>,
    throws: u64,
    time: Duration,
    /// The most memory, in KB.
    memory: u64,
}

/// Microseconds, of sorted waits.
fn wait(waits: &[Duration], share: f64) -> f64 {
    waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6
}

impl Seen {
    /// Watches for one round.
    fn round(&mut self, server: &Server, bots: &mut Bots, is_over: &AtomicBool) {
        let (start, before, most) = (Instant::now(), throws(server), AtomicU64::new(0));
        let mut waits: Vec<Duration> = std::thread::scope(|scope| {
            let honest: Vec<_> = (0..HONEST).map(|_| scope.spawn(|| ask(server, is_over))).collect();
            while start.elapsed() < ROUND {
                std::thread::sleep(Duration::from_millis(100));
                most.fetch_max(resident(server), Relaxed);
                if bots.is_over() {
                    *bots = Bots::sit(server);
                }
            }
            is_over.store(true, Relaxed);
            honest.into_iter().flat_map(|honest| honest.join().expect("answers")).collect()
        });
        self.time += start.elapsed();
        self.throws += throws(server) - before;
        self.memory = self.memory.max(most.into_inner());
        waits.sort();
        self.tails.push(wait(&waits, 0.99));
        self.waits.append(&mut waits);
    }

    fn show(&mut self, what: &str, calm: Option<&Self>) {
        self.waits.sort();
        let calm = calm.unwrap_or(self);
        let mut rounds: Vec<f64> = self.tails.iter().zip(&calm.tails).map(|(here, calm)| here / calm).collect();
        rounds.sort_by(f64::total_cmp);
        let waits = [0.5, 0.9, 0.99].map(|share| {
            let (here, calm) = (wait(&self.waits, share), wait(&calm.waits, share));
            format!("{here:.0} | {:.2}", here / calm)
        });
        let (count, waits, rounds) = (self.waits.len(), waits.join(" | "), rounds[rounds.len() / 2]);
        let throws = self.throws as f64 / self.time.as_secs_f64();
        println!("| {what} | {count} | {waits} | {rounds:.2} | {throws:.1} | {} |", self.memory);
    }
}

/// Asks until it is over; how long each answer took.
fn ask(server: &Server, is_over: &AtomicBool) -> Vec<Duration> {
    let (mut honest, mut waits) = (server.tcp(), Vec::new());
    common::handshake(&mut honest);
    while !is_over.load(Relaxed) {
        std::thread::sleep(PAUSE);
        let asked = Instant::now();
        match honest.write_all(HELLO).and_then(|()| honest.read_exact(&mut [0; 6])) {
            Ok(()) => waits.push(asked.elapsed()),
            // Its time to join was over.
            Err(_) => honest = tcp(server.port("pimp")),
        }
    }
    waits
}

fn figure(server: &Server, name: &str) -> u64 {
    let (_, page) = server.http("GET", "/metrics", &[]);
    page.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap_or_default()
}

fn throws(server: &Server) -> u64 {
    figure(server, "parlor_frames_total{game=\"pimp\",type=\"DICE_ROLLED\",direction=\"out\"}")
}

/// The server's memory in KB, as the kernel tells it.
fn resident(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

/// One round, while others abuse a server, if anybody does.
fn round(seen: &mut Seen, (server, bots): (&Server, &mut Bots), abused: Option<(&Server, &Done, &mut Option<Guest>)>) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| seen.round(server, bots, &is_over));
        if let Some((at, done, eve)) = abused {
            Siege { table: at.port("pimp"), is_over: &is_over, done }.lasting(AMOUNT, eve);
        }
    });
}

fn main() {
    let mut extra: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let unlimited = extra.iter().position(|argument| argument == "--unlimited").map(|at| extra.remove(at));
    let mut flags = if unlimited.is_some() { UNLIMITED.to_vec() } else { Vec::new() };
    flags.extend(extra.iter().map(String::as_str));
    let (here, elsewhere) = (Server::start(&flags), Server::start(&flags));
    let (mut bots, mut other_bots) = (Bots::sit(&here), Bots::sit(&elsewhere));
    println!("parlor with {flags:?}; every second {AMOUNT:?}");
    // Everybody sits down.
    std::thread::sleep(ROUND);
    let before = resident(&here);
    let (mut calm, mut beside, mut abused) = (Seen::default(), Seen::default(), Seen::default());
    let (done_beside, done) = (Done::default(), Done::default());
    let (mut eve_beside, mut eve) = (None, None);
    for _ in 0..ROUNDS {
        round(&mut calm, (&here, &mut bots), None);
        round(&mut beside, (&here, &mut bots), Some((&elsewhere, &done_beside, &mut eve_beside)));
        round(&mut abused, (&here, &mut bots), Some((&here, &done, &mut eve)));
        if other_bots.is_over() {
            other_bots = Bots::sit(&elsewhere);
        }
    }
    let columns = "median, µs | ratio | 90 %, µs | ratio | 99 %, µs | ratio | of rounds";
    println!("\n| | answers | {columns} | throws a second | memory, KB |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    calm.show("calm", None);
    beside.show("abuse of another server", Some(&calm));
    abused.show("abuse of this one", Some(&calm));
    abused.show("the same, against abuse of another", Some(&beside));
    println!("\n{before} KB before, {} KB after", resident(&here));
    println!("another: {done_beside:?}\nthis one: {done:?}");
    println!("fell behind and were closed: {}", figure(&here, "parlor_lagging_links_total"));
}

//! A siege: every attack at once from one address, beside honest games of every protocol from others, and a kill in the
//! middle. `tests/run siege SECONDS` runs it with the release program; it prints figures, and asserts what no machine is too
//! slow for: nobody honest is turned away, games are played to their end, memory stays flat, nothing is lost.
//!
//! The attacks are those of SECURITY.md that need nothing but connections; those on files and flags are in `operators.rs` and
//! `formats.rs`. Three states take turns: calm; the same attacks on another server of this machine; the siege. What the
//! attackers and the system's part of their connections cost this machine is in the second, what the siege costs games
//! beyond that only in the third. `SIEGE_ATTACKS=page,ping` carries out some of the attacks, by their names in `enemy.rs`.

mod enemy;
mod honest;
mod witness;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::{LIMITS, Server, parlor, run, scratch};
use enemy::Enemy;
use honest::{Guest, Honest, Pair};
use parlor::games::{GAMES, named};
use rustix::process::{Signal, kill_process};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use witness::Witness;

/// Ports that are opened, by flag.
const PORTS: [&str; 6] = ["pimp", "pimp-ws", "pimp-lobby", "yard", "venus", "http"];
/// Memory that may be held on to after all of it.
const SLACK: u64 = 32 << 20;

/// The server, which may be another process a moment later.
pub struct Castle {
    data: PathBuf,
    ports: Vec<(&'static str, SocketAddr)>,
    server: Mutex<Option<Server>>,
    /// It is not there, or was not a moment ago.
    is_down: AtomicBool,
}

impl Castle {
    fn build(data: &Path) -> Self {
        let castle =
            Self { data: data.into(), ports: Vec::new(), server: Mutex::default(), is_down: AtomicBool::new(false) };
        let free: Vec<_> = PORTS.iter().map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports = PORTS.iter().copied().zip(free.iter().map(|port| port.local_addr().unwrap())).collect();
        drop(free);
        let castle = Self { ports, ..castle };
        castle.open();
        castle
    }

    fn open(&self) {
        let mut command = parlor();
        for limit in LIMITS {
            command.env_remove(limit);
        }
        command.args(["--log", "error", "--data", self.data.to_str().unwrap()]);
        command.args(["--claim-grace", "0", "--vote-pause", "0.01", "--farewell", "0.5", "--rate", "200"]);
        for (flag, port) in &self.ports {
            command.arg(format!("--{flag}")).arg(port.to_string());
        }
        *self.server.lock().unwrap() = Some(Server::spawn(command));
    }

    /// In the middle of whatever it does, and up again.
    fn kill(&self) {
        self.is_down.store(true, Relaxed);
        let mut server = self.server.lock().unwrap().take().unwrap();
        kill_process(server.pid(), Signal::KILL).unwrap();
        server.wait();
        drop(server);
        self.open();
    }

    pub fn port(&self, flag: &str) -> SocketAddr {
        self.ports.iter().find(|(name, _)| *name == flag).unwrap().1
    }

    /// Processor time of the server so far.
    fn worked(&self) -> Duration {
        let pid = self.server.lock().unwrap().as_ref().unwrap().pid().as_raw_nonzero();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        // Of what follows the name, in hundredths of a second: in its own code, and in the system's for it.
        let words = stat.rsplit_once(')').unwrap().1.split_whitespace().skip(11).take(2);
        Duration::from_millis(words.map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum())
    }

    fn figure(&self, name: &str) -> u64 {
        let (_, page) = self.server.lock().unwrap().as_ref().unwrap().http("GET", "/metrics", &[]);
        page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok()).unwrap_or_default()
    }
}

/// Those who play, one pair a game.
struct Guests {
    runtime: Runtime,
    honest: Arc<Honest>,
    /// By the names of their games.
    pairs: Vec<(&'static str, Arc<Pair>)>,
    is_over: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Guests {
    fn invite(castle: &Arc<Castle>) -> Self {
        let runtime = Runtime::new().unwrap();
        let (honest, is_over) = (Arc::new(Honest::default()), Arc::new(AtomicBool::new(false)));
        let lobby = named("pimp-lobby").unwrap();
        let (mut pairs, mut tasks) = (Vec::new(), Vec::new());
        for (entry, first) in GAMES.iter().chain([lobby]).zip((1_u8..).step_by(2)) {
            let pair = Arc::new(Pair::default());
            pairs.push((entry.name, pair.clone()));
            for number in [first, first + 1] {
                let (to, from, pair) = (castle.port(entry.name), Ipv4Addr::new(127, 0, 0, 1 + number), pair.clone());
                let guest = Guest { entry, to, from, number, pair };
                let (castle, honest, is_over) = (castle.clone(), honest.clone(), is_over.clone());
                tasks.push(runtime.spawn(async move { guest.stay(&castle, &honest, &is_over).await }));
            }
        }
        Self { runtime, honest, pairs, is_over, tasks }
    }

    /// Games won so far, by what they play.
    fn won(&self) -> Vec<(&'static str, u64)> {
        self.pairs.iter().map(|(name, pair)| (*name, pair.won.load(Relaxed))).collect()
    }

    fn send_home(self) {
        self.is_over.store(true, Relaxed);
        self.tasks.into_iter().for_each(|task| self.runtime.block_on(task).unwrap());
    }
}

/// How long each state lasts in a round: most of the time is a siege.
const CALM: Duration = Duration::from_secs(1);
const SIEGE: Duration = Duration::from_secs(20);
/// What is compared lasts equally long in every state. Now and then the machine does something else for a moment; 99 % of a
/// longer time would have such a moment in it more often.
const WINDOW: Duration = CALM;
/// Between two states: what was begun in one ends.
const PAUSE: Duration = Duration::from_millis(500);
const ROUND: Duration = Duration::from_secs(22 + 2);

/// How long rounds took.
#[derive(Default)]
struct Times {
    all: Vec<Duration>,
    /// What 99 % of them were within, in each window of each round of the test.
    tails: Vec<Vec<f64>>,
}

/// Milliseconds.
fn at(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * share) as usize).copied().unwrap_or_default().as_secs_f64() * 1e3
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// Hundredths of a second, of all processors, in which the machine was not ours: it may be one of several on another.
fn stolen() -> u64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    // The eighth figure of the first line, behind its name.
    stat.split_whitespace().nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or_default()
}

impl Times {
    /// One window of the round that was begun last.
    fn add(&mut self, mut times: Vec<Duration>) {
        let tail = at(&mut times, 0.99);
        self.tails.last_mut().into_iter().for_each(|round| round.push(tail));
        self.all.append(&mut times);
    }

    /// The median of the test's rounds, each compared with another state in the same round, at 99 %: the median of its windows.
    fn of_rounds(&self, with: &Self) -> f64 {
        let rounds = self.tails.iter().zip(&with.tails);
        median(rounds.map(|(here, there)| median(here.clone()) / median(there.clone())).collect())
    }

    /// A row of the table, compared with another state.
    fn tell(&mut self, what: &str, with: &mut Self) {
        let columns = [0.5, 0.9, 0.99].map(|share| {
            let (here, there) = (at(&mut self.all, share), at(&mut with.all, share));
            format!("{here:.2} | {:.2}", here / there)
        });
        println!("| {what} | {} | {} | {:.2} |", self.all.len(), columns.join(" | "), self.of_rounds(with));
    }
}

/// What was seen in one state of the world.
#[derive(Default)]
struct Seen {
    /// Rounds at a seat.
    seated: Times,
    /// Rounds on the way to one: a password is hashed for some of these.
    coming: Times,
    time: Duration,
    worked: Duration,
    attacks: u64,
    syncs: u64,
    stolen: u64,
}

impl Seen {
    /// One state of one round.
    fn watch(&mut self, castle: &Castle, honest: &Honest, enemy: &Enemy<'_>, time: Duration) {
        let syncs = || castle.figure("parlor_journal_wait_seconds_count");
        let (worked, done, synced, stolen_before) = (castle.worked(), enemy.done.load(Relaxed), syncs(), stolen());
        for times in [&mut self.seated, &mut self.coming] {
            times.tails.push(Vec::new());
        }
        honest.take_times();
        let start = Instant::now();
        while start.elapsed() < time {
            std::thread::sleep(WINDOW);
            let [seated, coming] = honest.take_times();
            self.seated.add(seated);
            self.coming.add(coming);
        }
        self.time += start.elapsed();
        self.stolen += stolen() - stolen_before;
        self.worked += castle.worked() - worked;
        self.attacks += enemy.done.load(Relaxed) - done;
        self.syncs += syncs() - synced;
    }

    fn tell(&self, what: &str) {
        let seconds = self.time.as_secs_f64();
        let of = |count: u64| count as f64 / seconds;
        let (processors, attacks, syncs) = (self.worked.as_secs_f64() / seconds, of(self.attacks), of(self.syncs));
        let rounds = of(self.seated.all.len() as u64);
        let stolen = of(self.stolen);
        println!(
            "{what}: {rounds:.0} rounds at a seat, {syncs:.0} syncs and {attacks:.0} connections of attackers a second; the \
             server kept {processors:.2} processors busy, and {stolen:.1} % of one were not this machine's"
        );
    }
}

/// Two tables: rounds at a seat, and on the way to one.
fn tell(calm: &mut Seen, elsewhere: &mut Seen, besieged: &mut Seen) {
    calm.tell("calm");
    elsewhere.tell("another server besieged");
    besieged.tell("besieged");
    type Of = fn(&mut Seen) -> &mut Times;
    let kinds: [(&str, Of); 2] =
        [("at a seat", |seen| &mut seen.seated), ("on the way to one", |seen| &mut seen.coming)];
    for (kind, of) in kinds {
        println!("\n| {kind} | rounds | half, ms | ratio | 90 % | ratio | 99 % | ratio | of rounds |");
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        let (calm, elsewhere, besieged) = (of(calm), of(elsewhere), of(besieged));
        println!(
            "| calm | {} | {:.2} | 1 | {:.2} | 1 | {:.2} | 1 | 1 |",
            calm.all.len(),
            at(&mut calm.all, 0.5),
            at(&mut calm.all, 0.9),
            at(&mut calm.all, 0.99)
        );
        elsewhere.tell("another server besieged", calm);
        besieged.tell("besieged", calm);
        besieged.tell("the same, to another server besieged", elsewhere);
    }
    println!();
}

#[test]
#[ignore = "takes minutes: tests/run siege"]
fn honest_games_go_on_beside_every_attack() {
    let seconds = std::env::var("SIEGE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_160_u64);
    let only = std::env::var("SIEGE_ATTACKS").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    let [data, other_data] = ["siege", "siege-elsewhere"].map(scratch);
    std::fs::remove_dir_all(&data).unwrap();
    std::fs::remove_dir_all(&other_data).unwrap();
    let (castle, other) = (Arc::new(Castle::build(&data)), Castle::build(&other_data));
    let guests = Guests::invite(&castle);
    let honest = guests.honest.clone();
    let enemy = Enemy::new([&castle, &other]);
    let rounds = (seconds / ROUND.as_secs()).max(2);
    let [mut calm, mut elsewhere, mut besieged] = [(); 3].map(|()| Seen::default());
    let mut memory = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| enemy.besiege(&only));
        for round in 0..rounds {
            for (seen, target, time) in
                [(&mut calm, None, CALM), (&mut elsewhere, Some(1), CALM), (&mut besieged, Some(0), SIEGE)]
            {
                enemy.go_to(target);
                std::thread::sleep(PAUSE);
                seen.watch(&castle, &honest, &enemy, time);
                if memory == 0 {
                    memory = castle.figure("parlor_resident_bytes");
                }
            }
            if round == rounds / 2 {
                let (witness, connections) = Witness::begin(&castle);
                castle.kill();
                witness.check(&castle);
                drop(connections);
                // Whoever was connected comes back.
                std::thread::sleep(Duration::from_secs(3));
                castle.is_down.store(false, Relaxed);
            }
        }
        enemy.go_home();
    });
    let left = castle.figure("parlor_resident_bytes");
    for name in [
        "parlor_wrong_passwords_total",
        "parlor_held_passwords_total",
        "parlor_confined_total",
        "parlor_journal_failing",
    ] {
        println!("{name} {}", castle.figure(name));
    }
    assert_eq!(castle.figure("parlor_journal_failing"), 0);
    let won = guests.won();
    guests.send_home();
    let (late, attacks) = (honest.late.load(Relaxed), besieged.attacks);
    tell(&mut calm, &mut elsewhere, &mut besieged);
    println!("{rounds} rounds: {attacks} attacks, games won: {won:?}, {late} times refused at first");
    println!("memory: {memory} bytes before, {left} after");
    assert_eq!(*honest.turned_away.lock().unwrap(), Vec::<String>::new());
    assert!(won.iter().all(|(_, won)| *won > 0), "a game was not played: {won:?}");
    assert!(left < memory + SLACK, "{memory} bytes before, {left} after");
    drop((castle, other));
    let replay = run(&["replay", data.to_str().unwrap()]);
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stderr));
    std::fs::remove_dir_all(data).unwrap();
    std::fs::remove_dir_all(other_data).unwrap();
}

//! How fast the real program answers, beside the limit and beside what else there is, in one run:
//! `cargo bench -p parlor --bench load`. What follows `--` goes to the server; PARLOR=PATH takes another build of it.
//!
//! - Refused commands: THROW_DICE by a player whose turn it is not. Full state: REQUEST_STATE in a game of four.
//! - The limit: a program that reads as many bytes and answers as many, and knows nothing.
//! - monopd, Debian's game server of this kind, where it is installed: `.r` out of turn and `.f`.
//! - Noop: what Scotland Yard answers `ok`, on one connection.
//! - Turns: four bots at each table, as fast as they can, one game after the other; how long one takes while a game goes on;
//!   and what the journal takes for one.
//!
//! Servers have core 0, this program has core 1. One question is under way at each table. Every figure is the median of
//! rounds in which the servers take turns, so what else runs on the machine slows all of them.

mod echo;
mod monopd;
// The cluster's bench times throws with it, too.
#[allow(dead_code)]
mod table;
mod waves;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use table::Played;
use waves::{Caller, compare, show};

const TABLES: [usize; 3] = [1, 10, 50];
/// Of each server, for each figure.
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(400);
/// How long bots play for each figure.
const PLAY: Duration = Duration::from_secs(4);

/// A server on core 0; ended when dropped, and what it kept is forgotten.
pub struct Process {
    child: Child,
    data: Option<PathBuf>,
}

impl Process {
    /// Starts a program and reads the line that it says when it is ready.
    pub fn start(program: &str, arguments: &[&str]) -> (Self, String) {
        let mut command = Command::new("taskset");
        command.args(["-c", "0", program]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("taskset and the server should start");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        (Self { child, data: None }, line)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.data.iter().for_each(|data| _ = fs::remove_dir_all(data));
    }
}

/// As fast as they can, and everybody from one address.
const FLAGS: [&str; 28] = [
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
    "--farewell",
    "0.05",
    "--max-per-address",
    "0",
    "--max-new-per-address",
    "0",
    "--max-unjoined",
    "0",
    "--max-seats",
    "0",
    "--max-games",
    "0",
    "--pimp-ws",
    "off",
    "--yard",
    "127.0.0.1:0",
    "--venus",
    "off",
];

/// Where the program listens.
struct Ports {
    tables: Vec<SocketAddr>,
    yard: SocketAddr,
    http: SocketAddr,
}

/// The program with this many tables, and where they are.
fn parlor(tables: usize, extra: &[String]) -> (Process, Ports) {
    // Empty: a game that was kept would wait for players who are gone.
    let folder = std::env::temp_dir().join(format!("parlor-load-{}-{tables}", std::process::id()));
    let tables = tables.to_string();
    let data = folder.display().to_string();
    let mut arguments = vec!["--pimp", "127.0.0.1:0", "--tables", &tables, "--data", &data, "--log", "warn"];
    arguments.extend(["--http", "127.0.0.1:0"]);
    arguments.extend(FLAGS);
    arguments.extend(extra.iter().map(String::as_str));
    let program = std::env::var("PARLOR").unwrap_or_else(|_| env!("CARGO_BIN_EXE_parlor").into());
    let (mut process, ready) = Process::start(&program, &arguments);
    process.data = Some(folder);
    let of = |door: &str| -> Vec<SocketAddr> {
        let ports = ready.split_whitespace().find_map(|word| word.strip_prefix(door)).expect("a ready line");
        ports.split(',').map(|port| port.parse().expect("an address")).collect()
    };
    (process, Ports { tables: of("pimp="), yard: of("yard=")[0], http: of("http=")[0] })
}

/// Bytes of journal so far.
fn journal_bytes(http: SocketAddr) -> f64 {
    let mut stream = TcpStream::connect(http).expect("the server should listen");
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\r\n").expect("a request");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("a page");
    let bytes = page.lines().find_map(|line| line.strip_prefix("parlor_journal_bytes_total "));
    bytes.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or_default()
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.first().is_some_and(|first| first == echo::WORD) {
        return echo::serve();
    }
    let turns_only = arguments.iter().position(|argument| argument == "--turns").map(|at| arguments.remove(at));
    let own = std::process::id().to_string();
    let pinned = Command::new("taskset").args(["-cp", "1", &own]).stdout(Stdio::null()).status();
    assert!(pinned.is_ok_and(|status| status.success()), "taskset, and two cores, are needed");
    println!("parlor with {FLAGS:?} {arguments:?}");
    if turns_only.is_none() {
        println!("answers a second, the rest as shares of the limit\n");
        println!("| question | tables | bytes | limit | parlor | monopd |\n|---|---:|---:|---:|---:|---:|");
        noops(&arguments);
        TABLES.iter().for_each(|tables| answers(*tables, &arguments));
    }
    println!("\n| tables | turns a second | µs a turn | commands a second | bytes of journal a turn |");
    println!("|---:|---:|---:|---:|---:|");
    for tables in TABLES {
        let (_server, ports) = parlor(tables, &arguments);
        let played = table::play(&ports.tables, PLAY, || journal_bytes(ports.http));
        let Played { turns, commands, turn_micros, figure } = played;
        println!("| {tables} | {turns:.0} | {turn_micros:.0} | {commands:.0} | {:.0} |", figure / turns.max(1.0));
    }
}

/// What is answered `ok`, and no more.
fn noops(arguments: &[String]) {
    let (_server, ports) = parlor(1, arguments);
    let (_echo, echo) = echo::start();
    let mut parlor = Caller::new(vec![TcpStream::connect(ports.yard).expect("the server should listen")], b"noop\r\n");
    let mut limit = echo::like(echo, &parlor);
    let rates = compare(&mut [&mut limit, &mut parlor], ROUNDS, ROUND);
    println!("| noop | 1 | {} | {} |", parlor.bytes(), show(&rates));
}

/// Both questions, for this many tables.
fn answers(tables: usize, arguments: &[String]) {
    let (_server, ports) = parlor(tables, arguments);
    let players = table::interrupted(&ports.tables);
    let (_echo, echo) = echo::start();
    let rival = monopd::Server::start();
    let rivals = rival.as_ref().map(|rival| rival.guests(tables)).unwrap_or_default();
    let copy = |streams: &[TcpStream]| streams.iter().map(|stream| stream.try_clone().expect("a socket")).collect();
    for (question, own, theirs) in [("refused", [0x21, 0], ".r\n"), ("full state", [0x11, 0], ".f\n")] {
        let mut parlor = Caller::new(copy(&players), &own);
        let mut limit = echo::like(echo, &parlor);
        let mut callers = vec![&mut limit, &mut parlor];
        let mut rival = (!rivals.is_empty()).then(|| Caller::new(copy(&rivals), theirs.as_bytes()));
        callers.extend(&mut rival);
        let rates = compare(&mut callers, ROUNDS, ROUND);
        println!("| {question} | {tables} | {} | {}", parlor.bytes(), show(&rates));
    }
}

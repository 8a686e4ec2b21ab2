//! A lobby under a crowd, in figures:
//!
//! - `crowd tables N`: the memory of N tables.
//! - `crowd play TABLES PLAYERS SECONDS THINK`: bots at every table at once, in this process, each of which thinks for
//!   THINK milliseconds before it says something; is anybody starved?
//! - `crowd idle N`: the memory of N connections over TCP, silent and then greeted. The clients are a second process.
//!
//! `strict` (the default), `relaxed` or `off` before it says how games are journalled.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parlor::door::{Door, Guest, Limits, listen, origin};
use parlor::journal::{FileStore, Files, Journal, Store, Threads};
use parlor::net::strangers::{Most, Strangers};
use parlor::placement::{Past, Placement, Plan};
use parlor::registry::Registry;
use parlor::{cli, config};
use parlor_core::pimp::bot::session::{Session, Standing};
use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::view::{Prompt, View};
use parlor_core::pimp::wire::{FRAME_MAX, Framer, Message, Name};
use parlor_core::server::Framer as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::time::{sleep, timeout};

const HELLO: &[u8] = &[0x00, 1, 1];
/// Bytes on their way between a table and a client in this process: less than TCP would hold.
const PIPE: usize = 8192;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (durability, words) = match words.split_first() {
        Some((&"strict", rest)) => (Some(true), rest),
        Some((&"relaxed", rest)) => (Some(false), rest),
        Some((&"off", rest)) => (None, rest),
        _ => (Some(true), &words[..]),
    };
    let books = Books::open(durability);
    let number = |word: &str| word.parse::<u32>().expect("a number");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    match *words {
        ["tables", tables] => runtime.block_on(weigh_tables(&books, number(tables))),
        ["play", tables, players, seconds, think] => {
            runtime.block_on(play(&books, number(tables), number(players), number(seconds), number(think)));
        }
        ["idle", connections] => runtime.block_on(weigh_connections(&books, number(connections))),
        ["clients", address, connections] => visit(address.parse().unwrap(), number(connections)),
        _ => panic!("crowd [strict|relaxed|off] tables N | play TABLES PLAYERS SECONDS THINK | idle N"),
    }
    runtime.shutdown_background();
    books.close();
}

/// Where games are journalled, if they are: a directory of its own, thrown away at the end.
struct Books(Option<(Arc<Journal>, Threads, PathBuf)>);

impl Books {
    fn open(durability: Option<bool>) -> Self {
        Self(durability.map(|strict| {
            let folder = std::env::temp_dir().join(format!("parlor-crowd-{}", std::process::id()));
            let store: Arc<dyn Store> = Arc::new(FileStore::new(Arc::new(Files::unlocked(&folder))));
            store.take().unwrap();
            let journal = Journal::new(strict, 0);
            let threads = Threads::start(&journal, &store).unwrap();
            (journal, threads, folder)
        }))
    }

    fn journal(&self) -> Option<Arc<Journal>> {
        self.0.as_ref().map(|(journal, ..)| journal.clone())
    }

    fn close(self) {
        let Some((journal, threads, folder)) = self.0 else { return };
        journal.stop();
        threads.join();
        let (syncs, records) = (journal.figures.syncs.load(Relaxed), journal.figures.records.load(Relaxed));
        println!("journal: {records} records in {syncs} syncs");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

/// The tables, and the lobby before them.
#[derive(Clone)]
struct Lobby {
    registry: Arc<Registry>,
    placement: Arc<dyn Placement>,
}

/// A table's number, that of its game, and the commands it has handled.
type Row = (u32, u32, u64);

impl Lobby {
    fn tables(&self) -> u32 {
        self.registry.all().len() as u32
    }

    fn rows(&self) -> Vec<Row> {
        let row = |served: &parlor::registry::Served| {
            let summary = served.table.summary();
            (served.id.number, summary.own.1, summary.commands)
        };
        self.registry.all().iter().map(|served| row(served)).collect()
    }
}

fn lobby(books: &Books, players: u8, tables: u32) -> Lobby {
    let words = format!(
        "parlor --rate 0 --claim-grace 0.2 --vote-pause 0 --join-timeout 3600 --max-players {players} \
         --lobby-tables {tables} --lobby-turns {}",
        u32::MAX
    );
    let Ok(cli::Command::Serve(serve)) = cli::read(words.split_whitespace().map(Into::into)) else { panic!() };
    let seeds = vec!["17".parse::<config::Seed>().unwrap(); serve.games.len()];
    let strangers = Arc::new(Strangers::new(serve.lobby.allowance(), Most::default()));
    let registry = Arc::new(Registry::new(&serve.games, &seeds, 0, books.journal(), strangers));
    let asked = serve.games.iter().find_map(|asked| Some((asked, asked.entry.lobby?)));
    let (asked, lobby) = asked.expect("a game that has a lobby");
    let (past, chosen) = (&Past::none([0x17; 32]), &asked.chosen);
    let plan = Plan { entry: &lobby.tables, past, chosen, terms: serve.lobby, registry: &registry };
    let placement = (lobby.open)(plan);
    Lobby { registry, placement }
}

/// Bytes of this process's memory that are in use.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

fn each(bytes: u64, count: u32) -> u64 {
    bytes / u64::from(count.max(1))
}

async fn greet(stream: &mut DuplexStream) {
    stream.write_all(HELLO).await.unwrap();
    stream.read_exact(&mut [0; 6]).await.unwrap();
}

/// One seat a table, so that every connection that says hello makes one.
async fn weigh_tables(books: &Books, tables: u32) {
    let lobby = lobby(books, 1, tables);
    let mut clients = Vec::new();
    for _ in 0..tables {
        let (near, far) = duplex(PIPE);
        tokio::spawn(lobby.placement.clone().attend(Box::new(far), 0));
        clients.push(near);
    }
    sleep(Duration::from_millis(500)).await;
    let silent = resident();
    let start = Instant::now();
    for client in &mut clients {
        greet(client).await;
    }
    let took = start.elapsed();
    let made = lobby.tables();
    println!("{made} tables in {took:.2?}, {} bytes each, all in all", each(resident() - silent, made));
}

/// What one bot has seen in the time that is measured.
#[derive(Default)]
struct Tally {
    turns: AtomicU32,
    /// The longest time between saying something and hearing something, in milliseconds.
    silence: AtomicU32,
    /// Its game ended, so that it spent time on finding another.
    ended: AtomicBool,
    /// How often it fell behind, lost its connection and came back.
    back: AtomicU32,
}

async fn play(books: &Books, tables: u32, players: u32, seconds: u32, think: u32) {
    let lobby = lobby(books, players as u8, tables);
    let tallies: Vec<Arc<Tally>> = (0..tables * players).map(|_| Arc::default()).collect();
    let start = Instant::now();
    for (seed, tally) in (0..).zip(&tallies) {
        tokio::spawn(evenings(lobby.clone(), seed, tally.clone(), think));
    }
    while tallies.iter().any(|tally| tally.turns.load(Relaxed) == 0 && !tally.ended.load(Relaxed)) {
        sleep(Duration::from_millis(100)).await;
    }
    let (seated, made) = (start.elapsed(), lobby.tables());
    println!("{} bots sit and play at {made} tables after {seated:.1?}", tallies.len());
    for tally in &tallies {
        tally.turns.store(0, Relaxed);
        tally.silence.store(0, Relaxed);
        tally.ended.store(false, Relaxed);
    }
    let (start, before, tables) = (Instant::now(), lobby.registry.sums(), lobby.rows());
    sleep(Duration::from_secs(seconds.into())).await;
    let (took, after) = (start.elapsed().as_secs_f64(), lobby.registry.sums());
    compare(&tables, &lobby.rows());
    report(&tallies, players, took);
    println!("{:.0} commands/s in all", (after.commands - before.commands) as f64 / took);
    let back: u32 = tallies.iter().map(|tally| tally.back.load(Relaxed)).sum();
    println!("links closed for lagging: {}, bots that came back: {back}", after.lagging);
    println!("memory of everything, bots included: {} KB", resident() / 1024);
}

/// How evenly were the tables served whose game went on all the time?
fn compare(before: &[Row], after: &[Row]) {
    let handled = |(table, game, commands): &Row| {
        let (.., then) = before.iter().find(|(of, then, _)| (of, then) == (table, game))?;
        Some((commands - then) as u32)
    };
    let mut commands: Vec<u32> = after.iter().filter_map(handled).collect();
    commands.sort_unstable();
    let [slowest, low, median, high, fastest] = [0, 1, 50, 99, 100].map(|percent| of(&commands, percent));
    println!("{} tables played one game all the time; commands handled at each of them:", commands.len());
    println!("fewest {slowest}, 1 % {low}, median {median}, 99 % {high}, most {fastest}");
    println!("fewest / median: {:.2}", f64::from(slowest) / f64::from(median.max(1)));
}

/// Of the bots whose game went on all the time: how evenly were they served?
fn report(tallies: &[Arc<Tally>], players: u32, took: f64) {
    let steady = || tallies.iter().filter(|tally| !tally.ended.load(Relaxed));
    let sorted = |figure: fn(&Tally) -> &AtomicU32| {
        let mut figures: Vec<u32> = steady().map(|tally| figure(tally).load(Relaxed)).collect();
        figures.sort_unstable();
        figures
    };
    let (turns, silences) = (sorted(|tally| &tally.turns), sorted(|tally| &tally.silence));
    let all = tallies.len();
    println!("{} of {all} bots played one game all the time; turns each of them saw in {took:.1} s:", turns.len());
    let [slowest, low, median, high, fastest] = [0, 1, 50, 99, 100].map(|percent| of(&turns, percent));
    println!("slowest {slowest}, 1 % {low}, median {median}, 99 % {high}, fastest {fastest}");
    println!("slowest / median: {:.2}", f64::from(slowest) / f64::from(median.max(1)));
    let [median, high, longest] = [50, 99, 100].map(|percent| of(&silences, percent));
    println!("slowest answer each of them got, ms: median {median}, 99 % {high}, slowest of all {longest}");
    let heard: u64 = turns.iter().map(|turns| u64::from(*turns)).sum();
    println!("{:.0} turns/s at all tables of theirs", heard as f64 / f64::from(players) / took);
}

/// That of sorted figures below which so many percent are.
fn of(sorted: &[u32], percent: usize) -> u32 {
    sorted.get(sorted.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
}

/// Game after game.
async fn evenings(lobby: Lobby, seed: u32, tally: Arc<Tally>, think: u32) {
    let name = format!("bot{seed}");
    loop {
        let session = Session::new(Name::new(name.as_bytes()).unwrap(), 0, true);
        let bot = Bot::new(Strength::Plain, seed);
        let think = Duration::from_millis(think.into());
        let mut player = Player { session, bot, view: Box::new(View::new()), think };
        loop {
            let (near, far) = duplex(PIPE);
            tokio::spawn(lobby.placement.clone().attend(Box::new(far), seed.into()));
            if player.evening(near, &tally).await.is_ok() {
                break;
            }
            tally.back.fetch_add(1, Relaxed);
        }
        tally.ended.store(true, Relaxed);
    }
}

struct Player {
    session: Session,
    bot: Bot,
    view: Box<View<14>>,
    think: Duration,
}

impl Player {
    /// Until the game is over; an error is a lost connection.
    async fn evening(&mut self, mut stream: DuplexStream, tally: &Tally) -> std::io::Result<()> {
        let Self { session, bot, view, think } = self;
        let (mut framer, mut out) = (Box::new(Framer::new()), Vec::new());
        say(&mut out, &session.connect());
        loop {
            let said = (!out.is_empty()).then(Instant::now);
            stream.write_all(&out).await?;
            out.clear();
            match timeout(Duration::from_secs(30), stream.read(framer.window())).await {
                Ok(Ok(0)) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => framer.commit(read?),
                Err(_) => bot.nudge(),
            }
            if let Some(said) = said {
                tally.silence.fetch_max(said.elapsed().as_millis() as u32, Relaxed);
            }
            while let Ok(Some(frame)) = framer.peek() {
                if let Ok(message) = Message::from_server(frame.code, frame.payload) {
                    tally.turns.fetch_add(u32::from(matches!(message, Message::StartOfTurn { .. })), Relaxed);
                    if let Some(answer) = session.take(&message) {
                        say(&mut out, &answer);
                    }
                    view.take(&message);
                }
                framer.skip();
            }
            if matches!(view.prompt(), Prompt::Over { .. }) || session.standing() == Standing::Refused {
                return Ok(());
            }
            for _ in 0..16 {
                if !bot.next(view, &mut |message| say(&mut out, &message)) {
                    break;
                }
            }
            if !out.is_empty() {
                sleep(*think).await;
            }
        }
    }
}

fn say(out: &mut Vec<u8>, message: &Message<'_>) {
    let mut frame = [0; FRAME_MAX];
    let n = message.encode(&mut frame).unwrap_or_default();
    out.extend_from_slice(&frame[..n]);
}

async fn weigh_connections(books: &Books, count: u32) {
    let (lobby, door) = (lobby(books, 8, count.div_ceil(8)), Arc::new(Door::new(Limits::default(), None)));
    let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let hall = lobby.placement.clone();
    let receive = move |Guest { stream, peer, ticket, .. }: Guest| {
        let hall = hall.clone();
        async move {
            hall.attend(stream, origin(peer.ip())).await;
            drop(ticket);
        }
    };
    tokio::spawn(door.clone().watch(listener, receive));
    sleep(Duration::from_millis(200)).await;
    let empty = resident();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["off", "clients", &address.to_string(), &count.to_string()]);
    let mut clients = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut ask, mut told) = (clients.stdin.take().unwrap(), BufReader::new(clients.stdout.take().unwrap()));
    let mut told = || told.read_line(&mut String::new()).unwrap();
    tokio::task::block_in_place(&mut told);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(door.connections(), count);
    let silent = resident() - empty;
    println!("{count} connections that have said nothing: {} bytes each", each(silent, count));
    writeln!(ask, "greet").unwrap();
    tokio::task::block_in_place(&mut told);
    let (greeted, tables) = (resident() - empty, lobby.tables());
    println!("{count} connections at {tables} tables: {} bytes each, tables included", each(greeted, count));
    println!("of it for the tables: {} bytes each", each(greeted.saturating_sub(silent), tables));
    drop(ask);
    clients.wait().unwrap();
}

/// The clients of `idle`: each step when told to.
fn visit(address: SocketAddr, count: u32) {
    let mut streams: Vec<TcpStream> = (0..count).map(|_| TcpStream::connect(address).unwrap()).collect();
    println!("open");
    std::io::stdin().lines().next();
    streams.iter_mut().for_each(|stream| stream.write_all(HELLO).unwrap());
    streams.iter_mut().for_each(|stream| stream.read_exact(&mut [0; 6]).unwrap());
    println!("greeted");
    std::io::stdin().lines().next();
}

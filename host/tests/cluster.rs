//! Real nodes on a real JetStream cluster: owners are killed and stopped, engine servers too, while bots play every game over
//! TCP at whichever node they come to. Every byte that any of them received is what a replay of the log lets its link hear.
//!
//! `CLUSTER_KILLS` says how often an owner is killed, `CLUSTER_SEED` which; both are printed.

mod common;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use common::disk::Chance;
use common::nats::Nats;
use common::{HELLO, PATIENCE, Server, is_explained, parlor, tcp};
use parlor::bot::{self, Pace};
use parlor::cluster::engine::{Asked, Engine};
use parlor::cluster::engine_store::EngineStore;
use parlor::games::GAMES;
use parlor::journal::record::{Event, Record};
use parlor::journal::restore::{self, From, Table, Witness};
use parlor::journal::stored_table::{Disagreement, Heard};
use parlor_core::game::{Seat, Strength};
use rustix::process::{Signal, kill_process};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

const NODES: usize = 3;
/// Bots of one game.
const BOTS: u8 = 2;
/// A bot comes anew after this, so that what it heard is still in the log.
const VISIT: Duration = Duration::from_secs(6);
const GAME_NAMES: [&str; 3] = ["pimp", "yard", "venus"];

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

fn start_node(nats: &Nats, key: &Path, name: &str) -> Server {
    let mut command = parlor();
    let local = "127.0.0.1:0";
    command.args(["--cluster", &nats.url(), "--cluster-key", key.to_str().unwrap(), "--cluster-name", name]);
    command.args(["--cluster-monitor", &nats.monitors().join(","), "--http", local, "--log", "warn"]);
    GAME_NAMES.iter().for_each(|game| _ = command.args([&format!("--{game}"), local]));
    command.args(["--pimp-ws", local, "--rate", "0", "--claim-grace", "0.05", "--vote-pause", "0.05"]);
    Server::spawn(command)
}

fn number(value: &serde_json::Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_default()
}

/// What a node says of the cluster.
fn view(server: &Server) -> serde_json::Value {
    serde_json::from_str(&server.http("GET", "/cluster", &[]).1).unwrap()
}

/// The id of the node that has a shard, and its epoch, as another node knows.
fn owner(server: &Server, shard: &str) -> (Option<String>, u64) {
    let view = view(server);
    let rows = view["shards"].as_array().unwrap();
    let row = rows.iter().find(|row| row["shard"] == shard).unwrap();
    (row["node"].as_str().map(Into::into), number(row, "epoch"))
}

fn id(server: &Server) -> String {
    view(server)["node"].as_str().unwrap().into()
}

/// Everything that one connection heard.
struct Transcript {
    shard: String,
    heard: Vec<u8>,
}

/// What is heard is noted.
struct Tee {
    stream: TcpStream,
    heard: Vec<u8>,
}

impl AsyncRead for Tee {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let before = room.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, room);
        let heard = room.filled()[before..].to_vec();
        self.heard.extend(heard);
        read
    }
}

impl AsyncWrite for Tee {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// What all bots share.
#[derive(Default)]
struct Evening {
    /// Where each game is served, at nodes that live.
    ports: Mutex<BTreeMap<&'static str, Vec<SocketAddr>>>,
    transcripts: Mutex<Vec<Transcript>>,
    over: AtomicBool,
    games: AtomicUsize,
    visits: AtomicUsize,
}

impl Evening {
    fn note_ports(&self, nodes: &[Option<Server>]) {
        let mut ports = self.ports.lock().unwrap();
        for game in GAME_NAMES {
            ports.insert(game, nodes.iter().flatten().map(|node| node.port(game)).collect());
        }
    }
}

/// One bot, game after game, at any node.
async fn play(evening: Arc<Evening>, game: &'static str, index: u8) {
    let entry = GAMES.iter().find(|entry| entry.name == game).unwrap();
    let mut chance = Chance(u64::from(index) + game.len() as u64 * 7);
    for round in 0_u32.. {
        let (name, table) = (format!("{game}{index}"), format!("evening{round}"));
        let seat = Seat {
            name: &name,
            password: "a word",
            game: &table,
            is_guest: false,
            players: BOTS,
            strength: Strength::Plain,
            seed: u32::from(index) + 31 * round,
        };
        let mut player = (entry.player)(&seat).unwrap();
        loop {
            if evening.over.load(Relaxed) {
                return;
            }
            let ports = evening.ports.lock().unwrap()[game].clone();
            let port = ports[chance.below(ports.len())];
            let Ok(stream) = TcpStream::connect(port).await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            stream.set_nodelay(true).unwrap();
            let (mut tee, until) = (Tee { stream, heard: Vec::new() }, Instant::now() + VISIT);
            let pace = Pace(Duration::from_millis(15));
            let stays = |_: &dyn bot::AnyPlayer, _: bool| Instant::now() < until && !evening.over.load(Relaxed);
            let end = bot::play(&mut *player, &mut tee, || pace, stays).await;
            evening.visits.fetch_add(1, Relaxed);
            evening.transcripts.lock().unwrap().push(Transcript { shard: format!("{game}.1"), heard: tee.heard });
            if player.end().is_some() {
                evening.games.fetch_add(1, Relaxed);
                break;
            }
            if end.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

/// What a replay lets every link hear, in one life of its table.
#[derive(Default)]
struct Streams {
    open: BTreeMap<(u32, u16), usize>,
    all: Vec<Vec<u8>>,
    warnings: Vec<String>,
}

impl Witness for Streams {
    fn saw(&mut self, table: &Table, record: &Record<'_>, heard: &Heard, agreed: Result<(), &Disagreement>) {
        assert_eq!(agreed, Ok(()), "record {}", record.number);
        match record.event {
            // Another owner: nobody is connected to it yet.
            Event::Begin { .. } => self.open.retain(|(index, _), _| *index != table.index),
            Event::Open { slot, .. } => {
                self.open.insert((table.index, slot), self.all.len());
                self.all.push(Vec::new());
            }
            Event::Close { slot, .. } => drop(self.open.remove(&(table.index, slot))),
            _ => {}
        }
        for (slot, bytes) in heard {
            if let Some(at) = self.open.get(&(table.index, *slot)) {
                self.all[*at].extend_from_slice(bytes);
            }
        }
    }
    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }
}

impl Streams {
    /// Whether some link heard this; in a lobby, whether one at a first table and one at its own did.
    fn explain(&self, heard: &[u8]) -> bool {
        let is_heard = |heard: &[u8]| self.all.iter().any(|stream| is_explained(stream, heard));
        is_heard(heard)
            || (1..heard.len().min(64))
                .any(|cut| self.all.iter().any(|stream| stream.starts_with(&heard[..cut])) && is_heard(&heard[cut..]))
    }
}

struct Checker {
    engine: Arc<Engine>,
    bytes: usize,
    transcripts: usize,
}

impl Checker {
    fn new(nats: &Nats, key: &Path) -> Self {
        let asked = Asked { servers: &nats.url(), key, monitors: &nats.monitors(), trust: false };
        Self { engine: runtime().block_on(Engine::connect(asked)).unwrap(), bytes: 0, transcripts: 0 }
    }

    /// Everything that was heard since the last time is explained by the logs as they are now.
    fn check(&mut self, evening: &Evening) {
        let transcripts = std::mem::take(&mut *evening.transcripts.lock().unwrap());
        for game in GAME_NAMES {
            let shard = format!("{game}.1");
            let ours: Vec<_> = transcripts.iter().filter(|transcript| transcript.shard == shard).collect();
            let store = EngineStore::new(&self.engine, &shard);
            let end = Instant::now() + PATIENCE;
            // An engine that has lost a server may take a while to answer.
            while let Err(error) = store.look() {
                assert!(Instant::now() < end, "{shard}: {error}");
            }
            let mut streams = Streams::default();
            restore::read(&store, From::Oldest, &mut streams).unwrap();
            assert!(streams.warnings.is_empty(), "{shard}: {:?}", streams.warnings);
            for Transcript { heard, .. } in ours {
                assert!(streams.explain(heard), "{shard}: {} bytes that no link heard: {heard:02x?}", heard.len());
                self.bytes += heard.len();
                self.transcripts += 1;
            }
        }
    }
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
    begun.elapsed()
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn owners_and_engine_servers_die_while_bots_play_every_game() {
    let (kills, seed) = (variable("CLUSTER_KILLS", 6), variable("CLUSTER_SEED", 1));
    println!("CLUSTER_KILLS={kills} CLUSTER_SEED={seed}");
    let nats = Nats::start(3, "always");
    let key = nats.key();
    let mut nodes: Vec<Option<Server>> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..NODES)
            .map(|at| {
                scope.spawn({
                    let (nats, key) = (&nats, &key);
                    move || start_node(nats, key, &format!("n{at}"))
                })
            })
            .collect();
        starting.into_iter().map(|node| Some(node.join().unwrap())).collect()
    });
    let mut checker = Checker::new(&nats, &key);
    let evening = Arc::new(Evening::default());
    evening.note_ports(&nodes);
    let bots: Vec<_> = GAME_NAMES
        .iter()
        .flat_map(|game| (1..=BOTS).map(move |index| (*game, index)))
        .map(|(game, index)| runtime().spawn(play(evening.clone(), game, index)))
        .collect();
    let (mut chance, mut takeovers, mut engines) = (Chance(seed), Vec::new(), Vec::new());
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(500 + chance.below(1_500) as u64));
        // Every third time a server of the engine dies too, or stops for a while.
        let server = (kill % 3 == 2).then(|| chance.below(nats.len()));
        if let Some(at) = server {
            if chance.below(2) == 0 { nats.kill(at) } else { nats.signal(at, Signal::STOP) }
        }
        let shard = format!("{}.1", GAME_NAMES[(kill % 3) as usize]);
        let witness = nodes.iter().flatten().next().unwrap();
        wait_for("an owner", || owner(witness, &shard).0.is_some());
        let (Some(victim), before) = owner(witness, &shard) else { continue };
        let Some(at) = nodes.iter().position(|node| node.as_ref().is_some_and(|node| id(node) == victim)) else {
            continue;
        };
        drop(nodes[at].take());
        evening.note_ports(&nodes);
        let witness = nodes.iter().flatten().next().unwrap();
        let took = wait_for("another owner", || {
            let (node, epoch) = owner(witness, &shard);
            node.is_some_and(|node| node != victim) && epoch > before
        });
        if server.is_some() {
            engines.push(took)
        } else {
            takeovers.push(took)
        }
        if let Some(at) = server {
            nats.signal(at, Signal::CONT);
            nats.kill(at);
            nats.up(at);
            nats.wait();
        }
        nodes[at] = Some(start_node(&nats, &key, &format!("n{at}")));
        evening.note_ports(&nodes);
        checker.check(&evening);
    }
    // The node that has Monopoly's lobby is drained: its shards go elsewhere, and nobody hears anything else than what the
    // log tells.
    let nodes: Vec<Server> = nodes.into_iter().flatten().collect();
    wait_for("an owner", || owner(&nodes[0], "pimp.1").0.is_some());
    let (gone, before) = owner(&nodes[0], "pimp.1");
    let gone = gone.unwrap();
    let drained = nodes.iter().position(|node| id(node) == gone).unwrap();
    let (status, moved) = nodes[drained].http("POST", "/drain", &[]);
    assert_eq!(status, 200);
    println!("drained: {moved}");
    let moved: Vec<serde_json::Value> = serde_json::from_str(&moved).unwrap();
    let to = moved.iter().find(|one| one["shard"] == "pimp.1").and_then(|one| one["to"].as_str());
    assert!(to.is_some_and(|node| node != gone), "{moved:?}");
    let witness = &nodes[(drained + 1) % NODES];
    assert!(owner(witness, "pimp.1").1 > before);
    for game in GAME_NAMES {
        wait_for("an owner", || owner(witness, &format!("{game}.1")).0.is_some_and(|node| node != gone));
    }
    std::thread::sleep(Duration::from_secs(2));
    evening.over.store(true, Relaxed);
    bots.into_iter().for_each(|bot| runtime().block_on(bot).unwrap());
    checker.check(&evening);
    let sorted = |mut times: Vec<Duration>| {
        times.sort_unstable();
        let middle = times.get(times.len() / 2).copied().unwrap_or_default();
        format!("{} times, middle {middle:?}, longest {:?}", times.len(), times.last().copied().unwrap_or_default())
    };
    let (visits, games) = (evening.visits.load(Relaxed), evening.games.load(Relaxed));
    println!("takeover of a killed owner: {}", sorted(takeovers));
    println!("with a server of the engine killed or stopped as well: {}", sorted(engines));
    let Checker { bytes, transcripts, .. } = checker;
    println!("{transcripts} transcripts of {visits} visits, {bytes} bytes, all explained; {games} games ended");
    assert!(bytes > 10_000 && transcripts > 10);
    let metrics = witness.http("GET", "/metrics", &[]).1;
    assert!(metrics.contains("parlor_cluster_nodes") && metrics.contains("parlor_shard_epoch{"), "{metrics}");
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn a_stopped_owner_that_wakes_writes_nothing_and_says_nothing() {
    let nats = Nats::start(3, "always");
    let key = nats.key();
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| start_node(&nats, &key, "one"));
        let two = scope.spawn(|| start_node(&nats, &key, "two"));
        (one.join().unwrap(), two.join().unwrap())
    });
    let shard = "pimp.1";
    wait_for("an owner", || owner(&one, shard).0.is_some());
    let (node, epoch) = owner(&one, shard);
    let (zombie, other) = if node == Some(id(&one)) { (&one, &two) } else { (&two, &one) };
    let mut near = tcp(zombie.port("pimp"));
    // Through the other node, to the same table.
    let mut spliced = tcp(other.port("pimp"));
    for stream in [&mut near, &mut spliced] {
        stream.write_all(HELLO).unwrap();
        let mut answer = [0; 6];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(answer[..2], [0x01, 4]);
    }
    let (status, found) = other.http("GET", "/where/pimp/1", &[]);
    assert_eq!(status, 200);
    assert!(found.contains("\"here\":false"), "{found}");
    kill_process(zombie.pid(), Signal::STOP).unwrap();
    // It will find a question when it wakes: THROW_DICE, which is refused at once where nothing is shared.
    near.write_all(&[0x21, 0]).unwrap();
    let took = wait_for("another owner", || {
        let (node, now) = owner(other, shard);
        node.is_some() && now > epoch
    });
    println!("a stopped owner's shard was taken after {took:?}");
    // Whoever came through the other node comes back there, to the same table.
    let mut again = tcp(other.port("pimp"));
    again.write_all(HELLO).unwrap();
    let mut answer = [0; 6];
    again.read_exact(&mut answer).unwrap();
    kill_process(zombie.pid(), Signal::CONT).unwrap();
    let mut said = Vec::new();
    let _ = near.read_to_end(&mut said);
    assert_eq!(said, [0_u8; 0], "the zombie spoke");
    wait_for("the zombie to know", || owner(zombie, shard).0 == Some(id(other)));
    // In the log, nothing of the zombie's epoch stands behind the claim that ended it.
    let checker = Checker::new(&nats, &key);
    let store = EngineStore::new(&checker.engine, shard);
    let epochs = store.look().unwrap();
    assert!(epochs.is_sorted(), "{epochs:?}");
    assert!(epochs.iter().any(|found| u64::from(*found) > epoch));
}

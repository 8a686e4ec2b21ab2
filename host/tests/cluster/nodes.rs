//! Nodes of a cluster: the real program on a real engine.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::common::nats::Nats;
use crate::common::{PATIENCE, Server, parlor};

pub const GAMES: [&str; 3] = ["pimp", "yard", "venus"];

pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

pub fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// How long it takes until something is so.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
    begun.elapsed()
}

/// Durations in words: how many, the middle, the 99th of a hundred, the longest.
pub fn in_words(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let nth =
        |hundredth: usize| times.get((times.len() * hundredth).div_ceil(100).max(1) - 1).copied().unwrap_or_default();
    format!("{} times, middle {:.2?}, p99 {:.2?}, longest {:.2?}", times.len(), nth(50), nth(99), nth(100))
}

pub struct Node {
    pub server: Server,
    pub id: String,
}

/// A node whose games are at ports of this address.
pub fn command(nats: &Nats, key: &Path, name: &str, address: &str) -> Command {
    let mut command = parlor();
    let local = "127.0.0.1:0";
    command.args(["--cluster", &nats.url(), "--cluster-key", key.to_str().unwrap(), "--cluster-name", name]);
    command.args(["--cluster-monitor", &nats.monitors().join(","), "--http", local, "--log", "warn"]);
    GAMES.iter().for_each(|game| _ = command.args([format!("--{game}"), format!("{address}:0")]));
    command.args(["--pimp-ws", local, "--rate", "0", "--claim-grace", "0.05", "--vote-pause", "0.05"]);
    command
}

impl Node {
    pub fn start(nats: &Nats, key: &Path, name: &str, more: &[&str]) -> Self {
        let mut command = command(nats, key, name, "127.0.0.1");
        command.args(more);
        let server = Server::spawn(command);
        let id = view(&server)["node"].as_str().unwrap().into();
        Self { server, id }
    }

    pub fn port(&self, game: &str) -> SocketAddr {
        self.server.port(game)
    }

    /// The id of the node that has a shard, and its epoch, as this node knows.
    pub fn owner(&self, shard: &str) -> (Option<String>, u64) {
        let view = view(&self.server);
        let row = view["shards"].as_array().unwrap().iter().find(|row| row["shard"] == shard).unwrap();
        (row["node"].as_str().map(Into::into), row["epoch"].as_u64().unwrap_or_default())
    }

    /// The same once somebody has it.
    pub fn some_owner(&self, shard: &str) -> (String, u64) {
        let mut found = None;
        wait_for("an owner", || {
            let (node, epoch) = self.owner(shard);
            found = node.map(|node| (node, epoch));
            found.is_some()
        });
        found.unwrap()
    }

    /// What this node could not see to be right of the engine.
    pub fn doubts(&self) -> Vec<String> {
        let view = view(&self.server);
        view["doubts"].as_array().unwrap().iter().map(|doubt| doubt.as_str().unwrap().into()).collect()
    }
}

/// What a node says of the cluster.
fn view(server: &Server) -> serde_json::Value {
    serde_json::from_str(&server.http("GET", "/cluster", &[]).1).unwrap()
}

/// An engine of three servers and nodes on it. The nodes end first.
pub struct Cluster {
    /// `None`: it was killed.
    pub nodes: Vec<Option<Node>>,
    pub key: PathBuf,
    pub nats: Nats,
}

impl Cluster {
    pub fn start(count: usize, more: &[&str]) -> Self {
        let nats = Nats::start(3, "always");
        let key = nats.key();
        let nodes = std::thread::scope(|scope| {
            let starting: Vec<_> = (0..count)
                .map(|at| {
                    let (nats, key) = (&nats, &key);
                    scope.spawn(move || Node::start(nats, key, &format!("n{at}"), more))
                })
                .collect();
            starting.into_iter().map(|node| Some(node.join().unwrap())).collect()
        });
        Self { nodes, key, nats }
    }

    pub fn alive(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().flatten()
    }

    /// The node that has a shard, by its place, and the epoch. One that was killed may be believed to have it for a while.
    pub fn owner(&self, shard: &str) -> (usize, u64) {
        let mut found = None;
        wait_for("an owner that lives", || {
            let (id, epoch) = self.alive().next().expect("a node").some_owner(shard);
            let at = self.nodes.iter().position(|node| node.as_ref().is_some_and(|node| node.id == id));
            found = at.map(|at| (at, epoch));
            found.is_some()
        });
        found.unwrap()
    }
}

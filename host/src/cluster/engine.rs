//! The engine: a NATS JetStream cluster, as far as it is asked here. A connection and the streams; what must be true of it
//! before anything is kept there is in `engine_check.rs`.
//!
//! - `PARLOR-J0` … `PARLOR-J15`: the logs, three replicas in files. A shard's messages have the subject `j.STREAM.SHARD`.
//! - `PARLOR-SNAP`: snapshots and what else is kept, the last two messages of each subject `s.SHARD.…`.
//!
//! Nothing is thrown away by age or size; a stream that is full refuses.

use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use async_nats::jetstream::{self};
use async_nats::{Client, ConnectOptions, ServerAddr};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::engine_check::{Doubted, Doubts, check_servers, check_version};
use super::sealed::Keys;

/// Streams that logs are spread over. In the subjects of what is kept: never another number.
const LOGS: u32 = 16;
/// Copies of every message.
const REPLICAS: usize = 3;
/// Where an engine tells about itself, unless said otherwise.
const MONITOR: u16 = 8222;
/// How long an append may take before it is read back, and how long any other question may take.
const ANSWER: Duration = Duration::from_secs(2);
/// How long we stay with a server at least: an election takes longer, and all servers are as good then.
const STAY: Duration = Duration::from_secs(4);
/// How long the engine may take to let us in.
const CONNECT: Duration = Duration::from_secs(10);
/// Tries to make a stream while the engine's servers find each other.
const TRIES: u32 = 20;
/// Bytes of a message at most, unless the engine takes less.
const LARGEST: usize = 768 << 10;

/// What is asked for.
pub struct Asked<'a> {
    /// nats://… or tls://…, with commas between.
    pub servers: &'a str,
    pub key: &'a Path,
    /// HOST:PORT where each server of the engine tells about itself; none: the servers' hosts, port 8222.
    pub monitors: &'a [String],
    /// What is not as it should be is said and passed over.
    pub trust: bool,
}

pub struct Engine {
    pub client: Client,
    pub(super) js: jetstream::Context,
    /// Connections to one server each: what a server leads is said to it without a detour over another.
    direct: Vec<(Client, jetstream::Context)>,
    /// When the server that all else is said to was last left for another.
    left: Mutex<Option<Instant>>,
    pub(super) runtime: Handle,
    pub keys: Keys,
    pub doubted: Arc<Doubted>,
    replicas: usize,
    /// Bytes of a message at most.
    pub(super) largest: usize,
}

impl Engine {
    /// Connects and looks whether what is kept there will be there.
    pub async fn connect(asked: Asked<'_>) -> Result<Arc<Self>, String> {
        let keys = Keys::read(asked.key)?;
        let doubts = Doubts { trust: asked.trust };
        let servers = read_servers(asked.servers)?;
        let is_here = |server: &ServerAddr| server.host() == "localhost" || is_loopback(server.host());
        if let Some(open) = servers.iter().find(|server| !is_here(server) && !server.tls_required()) {
            let (host, port) = (open.host(), open.port());
            doubts.raise(format!("the engine at {host}:{port} is another machine and its URL is not tls://"))?;
        }
        let at = without_passwords(asked.servers);
        let client = match timeout(CONNECT, options(&servers).connect(servers.clone())).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(format!("no engine at {at}: {error}")),
            Err(_) => return Err(format!("no engine at {at}: no answer in {} s", CONNECT.as_secs())),
        };
        let info = client.server_info();
        check_version(&doubts, &info.server_name, &info.version)?;
        let monitors: Vec<String> = match asked.monitors {
            [] => servers.iter().map(|server| format!("{}:{MONITOR}", server.host())).collect(),
            monitors => monitors.to_vec(),
        };
        let doubted = check_servers(&doubts, &monitors).await?;
        let js = context(client.clone());
        if !info.jetstream {
            return Err(format!("the engine at {at} has no JetStream: it keeps nothing"));
        }
        let largest = LARGEST.min(info.max_payload.saturating_sub(4 << 10));
        let direct = connect_to_each(&servers).await;
        let (left, runtime) = (Mutex::default(), Handle::current());
        let mut engine = Self { client, js, direct, left, runtime, keys, doubted, replicas: REPLICAS, largest };
        engine.find_replicas(&doubts).await?;
        Ok(Arc::new(engine))
    }

    /// Goes to another of the engine's servers, by chance to the same one. A server that is cut off from the others
    /// still lets us in, and knows nothing: and no one but us would ever leave it.
    pub(super) fn leave_server(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.is_some_and(|left| left.elapsed() < STAY) {
            return;
        }
        *left = Some(Instant::now());
        let (client, server) = (self.client.clone(), self.client.server_info().server_name);
        tracing::warn!(server, "an engine's server does not get anything done for us: another is tried");
        self.runtime.spawn(async move { client.force_reconnect().await });
    }

    /// The shortest way to the server of this name, or any way if there is none.
    pub(super) fn way_to(&self, server: &str) -> &jetstream::Context {
        let is_there = |client: &Client| {
            client.connection_state() == State::Connected && client.server_info().server_name == server
        };
        self.direct.iter().find(|(client, _)| is_there(client)).map_or(&self.js, |(_, js)| js)
    }

    /// Makes the stream of snapshots, or looks at the one that there is.
    async fn find_replicas(&mut self, doubts: &Doubts) -> Result<(), String> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.snapshots().await {
                Ok(stream) => {
                    let replicas = stream.cached_info().config.num_replicas;
                    if replicas < REPLICAS {
                        let doubt = format!("the engine keeps {replicas} copy of what is saved, not {REPLICAS}");
                        doubts.raise(doubt)?;
                    }
                    self.replicas = replicas;
                    return Ok(());
                }
                Err(error) if tries < TRIES => {
                    tracing::debug!(%error, "the engine is not ready");
                    // One server alone never gets ready for three copies.
                    if doubts.trust && error.contains("replicas > 1") {
                        self.replicas = 1;
                    } else if error.contains("replicas > 1") {
                        let doubt = format!("the engine is one server and can't keep {REPLICAS} copies");
                        return doubts.raise(doubt);
                    }
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
                Err(error) => return Err(format!("the engine can't keep {REPLICAS} copies of what is saved: {error}")),
            }
        }
    }

    fn stream(&self, name: String, subjects: String, most: i64) -> Config {
        Config {
            name,
            subjects: vec![subjects],
            max_messages_per_subject: most,
            num_replicas: self.replicas,
            storage: StorageType::File,
            discard: if most > 0 { DiscardPolicy::Old } else { DiscardPolicy::New },
            // The expected sequence does it.
            duplicate_window: Duration::from_millis(100),
            allow_direct: false,
            ..Config::default()
        }
    }

    /// The stream of a shard's log, and the log's subject.
    pub(super) async fn log(&self, shard: &str) -> Result<(Stream, String), String> {
        let sum = shard.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let number = sum % LOGS;
        let config = self.stream(format!("PARLOR-J{number}"), format!("j.{number}.>"), -1);
        Ok((self.open(config).await?, format!("j.{number}.{shard}")))
    }

    pub(super) async fn snapshots(&self) -> Result<Stream, String> {
        self.open(self.stream("PARLOR-SNAP".into(), "s.>".into(), 2)).await
    }

    async fn open(&self, config: Config) -> Result<Stream, String> {
        self.js.get_or_create_stream(config).await.map_err(|error| error.to_string())
    }
}

/// The client takes no name and password out of a URL by itself: those of the first that has some go for all.
fn options(servers: &[ServerAddr]) -> ConnectOptions {
    let options = ConnectOptions::new()
        .name("parlor")
        .reconnect_delay_callback(|_| Duration::from_millis(50))
        .connection_timeout(Duration::from_secs(2))
        .ping_interval(Duration::from_secs(2))
        .request_timeout(Some(ANSWER));
    match servers.iter().find_map(|server| Some((server.username()?, server.password()))) {
        Some((name, Some(password))) => options.user_and_password(unescaped(name), unescaped(password)),
        Some((token, None)) => options.token(unescaped(token)),
        None => options,
    }
}

/// What stands in a URL as `%40` is `@`.
fn unescaped(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        let code = more.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = more.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The servers as they may be told and logged.
pub fn without_passwords(servers: &str) -> String {
    let shown = servers.split(',').map(|word| {
        let (scheme, rest) = word.split_once("://").map_or(("", word), |(scheme, rest)| (scheme, rest));
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
    });
    shown.collect::<Vec<_>>().join(",")
}

fn context(client: Client) -> jetstream::Context {
    ContextBuilder::new().timeout(ANSWER).ack_timeout(ANSWER).build(client)
}

/// A server that is away is connected to when it is back.
async fn connect_to_each(servers: &[ServerAddr]) -> Vec<(Client, jetstream::Context)> {
    let mut direct = Vec::new();
    for server in servers.iter().filter(|_| servers.len() > 1) {
        let options = options(servers).ignore_discovered_servers().retry_on_initial_connect();
        match options.connect(server.clone()).await {
            Ok(client) => direct.push((client.clone(), context(client))),
            Err(error) => tracing::debug!(%error, "no connection of its own to an engine's server"),
        }
    }
    direct
}

fn read_servers(text: &str) -> Result<Vec<ServerAddr>, String> {
    // What is said of the first goes for those that say nothing of it.
    let scheme = text.split_once("://").map_or("nats", |(scheme, _)| scheme);
    let server = |word: &str| {
        let url = if word.contains("://") { word.to_owned() } else { format!("{scheme}://{word}") };
        url.parse().map_err(|error| format!("--cluster {}: {error}", without_passwords(word)))
    };
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(server).collect()
}

fn is_loopback(host: &str) -> bool {
    host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read_with_commas_between() {
        let servers = read_servers("nats://a:4301,b:4302, nats://u:p@c").unwrap();
        let read: Vec<_> = servers.iter().map(|server| (server.host(), server.port())).collect();
        assert_eq!(read, [("a", 4301), ("b", 4302), ("c", 4222)]);
        assert!(read_servers("tls://a:1,b:2").unwrap().iter().all(ServerAddr::tls_required));
    }

    #[test]
    fn names_and_passwords_are_used_and_never_told() {
        let text = "tls://parlor:p%40ss@a:4222,tls://parlor:p%40ss@b:4222,c";
        assert_eq!(without_passwords(text), "tls://a:4222,tls://b:4222,c");
        let server = &read_servers(text).unwrap()[0];
        assert_eq!(server.password().map(unescaped), Some("p@ss".to_owned()));
        assert_eq!(["100%", "%zz", "a%2Fb"].map(unescaped), ["100%", "%zz", "a/b"]);
    }
}

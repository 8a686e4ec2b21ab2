//! The engine: a NATS JetStream cluster, as far as it is asked here. A connection, what must be true of it before anything
//! is kept there, and the streams.
//!
//! - `PARLOR-J0` … `PARLOR-J15`: the logs, three replicas in files. A shard's messages have the subject `j.STREAM.SHARD`.
//! - `PARLOR-SNAP`: snapshots and what else is kept, the last two messages of each subject `s.SHARD.…`.
//!
//! Nothing is thrown away by age or size; a stream that is full refuses.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use async_nats::jetstream::{self};
use async_nats::{Client, ConnectOptions, ServerAddr};
use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::sealed::Keys;

/// Streams that logs are spread over. In the subjects of what is kept: never another number.
const LOGS: u32 = 16;
/// Copies of every message.
const REPLICAS: usize = 3;
/// The oldest engine that is trusted: older ones lose what they acknowledged, or sync a hundredth as fast.
const OLDEST: (u32, u32) = (2, 15);
/// Where an engine tells about itself, unless said otherwise.
const MONITOR: u16 = 8222;
/// How long an append may take before it is read back, and how long any other question may take.
const ANSWER: Duration = Duration::from_secs(2);
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
    pub(super) runtime: Handle,
    pub keys: Keys,
    replicas: usize,
    /// Bytes of a message at most.
    pub(super) largest: usize,
}

/// What is not as it should be: refused in one sentence, or said and passed over.
struct Doubts {
    trust: bool,
}

impl Doubts {
    fn raise(&self, doubt: String) -> Result<(), String> {
        if self.trust {
            tracing::warn!("{doubt}; --cluster-trust goes on all the same");
            return Ok(());
        }
        Err(format!("{doubt} (--cluster-trust to go on all the same)"))
    }
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
        let connecting = ConnectOptions::new()
            .name("parlor")
            .reconnect_delay_callback(|_| Duration::from_millis(50))
            .connection_timeout(Duration::from_secs(2))
            .ping_interval(Duration::from_secs(2))
            .request_timeout(Some(ANSWER))
            .connect(servers.clone());
        let client = match timeout(CONNECT, connecting).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(format!("no engine at {}: {error}", asked.servers)),
            Err(_) => return Err(format!("no engine at {}: no answer in {} s", asked.servers, CONNECT.as_secs())),
        };
        let info = client.server_info();
        check_version(&doubts, &info.server_name, &info.version)?;
        let monitors: Vec<String> = match asked.monitors {
            [] => servers.iter().map(|server| format!("{}:{MONITOR}", server.host())).collect(),
            monitors => monitors.to_vec(),
        };
        for monitor in &monitors {
            check_server(&doubts, monitor).await?;
        }
        let js = ContextBuilder::new().timeout(ANSWER).ack_timeout(ANSWER).build(client.clone());
        if !info.jetstream {
            return Err(format!("the engine at {} has no JetStream: it keeps nothing", asked.servers));
        }
        let largest = LARGEST.min(info.max_payload.saturating_sub(4 << 10));
        let mut engine = Self { client, js, runtime: Handle::current(), keys, replicas: REPLICAS, largest };
        engine.find_replicas(&doubts).await?;
        Ok(Arc::new(engine))
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

fn read_servers(text: &str) -> Result<Vec<ServerAddr>, String> {
    // What is said of the first goes for those that say nothing of it.
    let scheme = text.split_once("://").map_or("nats", |(scheme, _)| scheme);
    let server = |word: &str| {
        let url = if word.contains("://") { word.to_owned() } else { format!("{scheme}://{word}") };
        url.parse().map_err(|error| format!("--cluster {word}: {error}"))
    };
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(server).collect()
}

fn is_loopback(host: &str) -> bool {
    host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn check_version(doubts: &Doubts, name: &str, version: &str) -> Result<(), String> {
    let mut numbers = version.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    let found = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    if found < OLDEST {
        let (major, minor) = OLDEST;
        doubts.raise(format!("the engine {name} is nats-server {version}, and {major}.{minor} is needed"))?;
    }
    Ok(())
}

/// What `/varz` tells, as far as it matters.
#[derive(Deserialize)]
struct Varz {
    server_name: String,
    version: String,
    #[serde(default)]
    jetstream: JetStreamz,
}

#[derive(Default, Deserialize)]
struct JetStreamz {
    config: Option<JetStreamConfig>,
}

#[derive(Deserialize)]
struct JetStreamConfig {
    #[serde(default)]
    sync_always: bool,
}

/// One server of the engine, by what it tells at its monitoring port.
async fn check_server(doubts: &Doubts, monitor: &str) -> Result<(), String> {
    let address = monitor.trim_start_matches("http://").trim_end_matches('/');
    let varz = match timeout(ANSWER, varz(address)).await.map_err(|_| "no answer".to_owned()).flatten() {
        Ok(varz) => varz,
        Err(why) => {
            return doubts.raise(format!(
                "whether the engine syncs what it acknowledges can't be seen at http://{address}/varz \
                 ({why}; --cluster-monitor says where)"
            ));
        }
    };
    check_version(doubts, &varz.server_name, &varz.version)?;
    if !varz.jetstream.config.is_some_and(|config| config.sync_always) {
        let name = varz.server_name;
        doubts.raise(format!(
            "the engine {name} does not sync what it acknowledges: jetstream {{ sync_interval: always }} is needed"
        ))?;
    }
    Ok(())
}

async fn varz(address: &str) -> Result<Varz, String> {
    let asking = async {
        let mut stream = tokio::net::TcpStream::connect(address).await?;
        stream.write_all(format!("GET /varz HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes()).await?;
        let mut answer = String::new();
        stream.take(1 << 20).read_to_string(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    let answer = asking.await.map_err(|error| error.to_string())?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    serde_json::from_str(body).map_err(|error| error.to_string())
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
    fn old_engines_are_refused_unless_trusted() {
        let (strict, trusting) = (Doubts { trust: false }, Doubts { trust: true });
        for (version, is_good) in
            [("2.15.1", true), ("2.16.0-beta.1", true), ("3.0.0", true), ("2.10.27", false), ("", false)]
        {
            assert_eq!(check_version(&strict, "n1", version).is_ok(), is_good, "{version}");
            assert!(check_version(&trusting, "n1", version).is_ok());
        }
        let text = check_version(&strict, "n1", "2.9.10").unwrap_err();
        assert!(text.contains("2.9.10") && text.contains("2.15") && text.contains("--cluster-trust"), "{text}");
    }
}

//! What can be asked of the program. Every flag of `serve` is also a key of parlor.toml and a variable PARLOR_NAME; a
//! flag wins over the environment, the environment over the file.

use std::ffi::OsString;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use parlor_core::game;
use parlor_core::lobby::Terms;
use parlor_core::settings::Kind;

use crate::access::Subnet;
use crate::client::Target;
use crate::flags::{self, Asked};
use crate::games::{Entry, GAMES};
use crate::net::strangers::Most;
use crate::{config, games, mdns, network};

/// A tabletop game server.
///
/// Without a command it serves: `parlor --lan` is `parlor serve --lan`. `parlor serve --help` names its flags.
#[derive(Parser)]
#[command(name = "parlor", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve tables (the default command).
    ///
    /// Every flag can also stand in the file (`rate = 10`) and in the environment (PARLOR_RATE=10). A flag wins over the
    /// environment, the environment over the file. Where a flag may be given more than once, the environment separates
    /// by commas and the file has a list. Durations are seconds and may have a fraction.
    ///
    /// A setting that several games have can be given to one of them: --GAME-rate 5.
    ///
    /// When every port is open, one line on standard output names them: `ready GAME=127.0.0.1:7921 GAME-ws=off
    /// http=127.0.0.1:8080`, each game by its name.
    Serve(Box<Serve>),
    /// Seat bots at a table; ends when the game is over.
    Bot(Bot),
    /// Show the tables of a running server.
    Status(Status),
    /// Give all shards of a cluster's node to the others, before it is ended; nothing is lost.
    Drain(Drain),
    /// See who is connected to a running server, end games, remove tables, send people away, ban addresses.
    Admin(Admin),
    /// Look inside a board, live: links, stack, commands, how full each game's ring is and where every link stands in it, what
    /// TCP holds for it, and what was sent again.
    Inspect(Inspect),
    /// Check the dice of a game that is over: whether all that fell was fixed by what the server had committed to before.
    ///
    /// It ends with 1 if anything is not as it should be. What is proven is worth as much as the commitment that you compare with:
    /// note it before the game (`GET /fair`).
    Verify(Verify),
    /// Play a journal again: tells what was said, and checks that the same is said.
    Replay(Replay),
    /// Write a dissector of the games' protocols for Wireshark, to standard output.
    Dissector(Dissector),
    /// Carry TCP connections as a bad network would, to see what clients and servers make of it.
    ///
    /// What happens to the bytes of a connection depends on the seed and on how many came before it. When the port is open,
    /// one line on standard output names it: `ready bad-wire=127.0.0.1:9000 upstream=127.0.0.1:13220`.
    BadWire(BadWire),
}

#[derive(Args, Clone, Debug)]
pub struct Bot {
    #[arg(long, value_name = "GAME", default_value = GAMES[0].name, value_parser = game_named, help = games_to_play())]
    pub game: &'static Entry,
    /// The table: 127.0.0.1:13220, tls://HOST:PORT, ws://HOST:PORT/PATH or wss://HOST:PORT/PATH
    #[arg(long, value_name = "ADDR")]
    pub connect: Target,
    /// The name of the game, where games have names; it is made if there is none
    #[arg(long, value_name = "NAME", default_value = "bots")]
    pub table: String,
    /// How many bots
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub players: u8,
    /// Small differences in taste
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u32,
    /// How well they play
    #[arg(long, value_name = "STRENGTH", default_value = "shrewd")]
    pub strength: Strength,
    /// The server's certificate, as `parlor serve` prints it
    #[arg(long, value_name = "SHA256")]
    pub fingerprint: Option<String>,
    /// Take any certificate
    #[arg(long)]
    pub insecure: bool,
}

fn game_names() -> Vec<&'static str> {
    GAMES.iter().map(|entry| entry.name).collect()
}

fn games_to_play() -> String {
    format!("The game to play: {}", game_names().join(", "))
}

fn game_named(name: &str) -> Result<&'static Entry, String> {
    let names = game_names();
    games::named(name)
        .filter(|entry| names.contains(&entry.name))
        .ok_or_else(|| format!("none of {}", names.join(", ")))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// Any move that is legal and not plainly bad
    Plain,
    /// Looks ahead
    Shrewd,
}

impl From<Strength> for game::Strength {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Plain => Self::Plain,
            Strength::Shrewd => Self::Shrewd,
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct Status {
    #[command(flatten)]
    pub server: Remote,
    /// Nodes and shards of the cluster that the server belongs to
    #[arg(long)]
    pub cluster: bool,
}

#[derive(Args, Clone, Debug)]
pub struct Drain {
    #[command(flatten)]
    pub server: Remote,
}

#[derive(Args, Clone, Debug)]
pub struct Admin {
    #[command(flatten)]
    pub server: Remote,
    #[command(subcommand)]
    pub order: Order,
}

/// What a running server is asked to do.
#[derive(Subcommand, Clone, Debug)]
pub enum Order {
    /// Every game and who plays it; every connection: at which table, from which address; and who is banned
    List,
    /// End the game at a table: whoever is there is sent away, and another game begins; or the game of this NAME in a hall:
    /// whoever was in it is in the hall
    End { game: String, table: u32, name: Option<String> },
    /// Remove a table that somebody asked for
    Delete { game: String, table: u32 },
    /// Close all connections from an address or network; they may come back to their seats
    Kick { address: Subnet },
    /// Let nobody in from an address or network like 192.0.2.0/24, for good
    Ban { address: Subnet },
    /// Let them in again
    Unban { address: Subnet },
}

/// A running server.
#[derive(Args, Clone, Debug)]
pub struct Remote {
    /// The server's HTTP port; https://HOST:PORT for TLS
    #[arg(long, global = true, value_name = "ADDR", default_value = "http://127.0.0.1:8080")]
    pub http: Target,
    /// As the server was given it
    #[arg(long, global = true, value_name = "TOKEN", env = "PARLOR_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// The server's certificate, as `parlor serve` prints it
    #[arg(long, global = true, value_name = "SHA256")]
    pub fingerprint: Option<String>,
    /// Take any certificate, though whoever shows it is told the token
    #[arg(long, global = true)]
    pub insecure: bool,
}

#[derive(Args, Clone, Debug)]
pub struct Inspect {
    /// The board's HTTP port
    #[arg(value_name = "ADDR", default_value = "parlor.local:80")]
    pub board: Target,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = pause)]
    pub every: f32,
    /// Look once, and end
    #[arg(long)]
    pub once: bool,
}

fn pause(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|pause| (0.1..=3600.0).contains(pause)).ok_or_else(|| "not 0.1 to 3600".into())
}

#[derive(Args, Clone, Debug)]
pub struct Verify {
    /// What the server tells of the game when it is over: a file, or http://HOST:PORT/fair/GAME-TABLE-NUMBER.json
    #[arg(value_name = "FILE|URL")]
    pub from: String,
    /// The commitment that was noted before the game
    #[arg(long, value_name = "HEX")]
    pub commitment: Option<String>,
    /// The chain that was noted when the game was the table's last
    #[arg(long, value_name = "HEX")]
    pub chain: Option<String>,
}

#[derive(Args, Clone, Debug)]
pub struct Replay {
    /// A data directory, or one file of its folder `journal`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Tell the bytes too, and what nobody heard
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Args, Clone, Debug)]
pub struct Dissector {
    /// In Lua, which Wireshark and tshark load as a plugin
    #[arg(long, required = true)]
    pub lua: bool,
}

#[derive(Args, Clone, Debug)]
pub struct BadWire {
    /// Where to listen
    #[arg(value_name = "LISTEN", value_parser = socket_address)]
    pub listen: SocketAddr,
    /// Whom to connect to for each connection, HOST:PORT
    #[arg(value_name = "UPSTREAM", value_parser = host_and_port)]
    pub upstream: String,
    /// Every byte is so late
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub delay: u32,
    /// And up to so much later still; the order is kept
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub jitter: u32,
    /// Bytes a second in each direction; 0: no limit
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub rate: u32,
    /// Written in pieces of 1 to N bytes; 0: as they come
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub chunk: u16,
    /// Nothing moves for so long, once in each direction
    #[arg(long, value_name = "MS", default_value_t = 0, requires = "stall_after")]
    pub stall: u32,
    /// When so many bytes have passed
    #[arg(long, value_name = "BYTES", requires = "stall")]
    pub stall_after: Option<u64>,
    /// The connection ends behind the Nth byte of either direction
    #[arg(long, value_name = "N")]
    pub cut_after: Option<u64>,
    /// Repeats what is random
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// Settings file [default: parlor.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub tls: Tls,
    #[command(flatten)]
    pub running: Running,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub cluster: Cluster,
    /// What is asked for of each game.
    #[arg(skip)]
    pub games: Vec<Asked>,
    /// And of lobbies.
    #[arg(skip = Terms::DEFAULT)]
    pub lobby: Terms,
}

impl Serve {
    fn open_to_network(&mut self) {
        let pages = self.network.http.iter_mut().filter_map(|listen| match listen {
            Listen::At(address) => Some(address),
            Listen::Off => None,
        });
        let games = self.games.iter_mut().flat_map(|asked| {
            let Asked { tcp, ws, lobby, .. } = asked;
            tcp.iter_mut().chain(ws).chain(lobby)
        });
        pages.chain(games).for_each(network::widen);
    }
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Network")]
pub struct Network {
    /// The page, health, metrics, the list of tables, and WebSocket at /ws/GAME and /ws/GAME/TABLE
    #[arg(long, value_name = "ADDR|off", default_value = "127.0.0.1:8080", value_delimiter = ',')]
    pub http: Vec<Listen>,
    /// Open to the whole network: every port that would be this machine's alone listens at all its addresses. Prints what
    /// friends open in a browser, as a code for cameras too, and the ports that a firewall must let through
    #[arg(long)]
    pub lan: bool,
    /// Announce this server as NAME.local, and its pages as services `_http._tcp` and `_parlor._tcp`, in every network that it
    /// is in (mDNS). Where somebody else has the name, it is NAME-2.local
    #[arg(long, value_name = "NAME", value_parser = mdns::name)]
    pub mdns: Option<String>,
    /// An address of this machine at which it is announced; may be given more than once [default: all that lead to others]
    #[arg(long, value_name = "ADDR", value_delimiter = ',', requires = "mdns")]
    pub mdns_at: Vec<Ipv4Addr>,
    /// Tables that are always there, on consecutive ports, of each game that has tables
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub tables: u16,
    /// A web page's origin that may use WebSocket and the list of tables, like `https://games.example`; may be given more
    /// than once. Pages of the same host and of this machine always may
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',', value_parser = origin)]
    pub origin: Vec<String>,
    /// Who sends `Authorization: Bearer TOKEN` may list and make tables, and nobody else; without it, whoever asks from this
    /// machine may
    #[arg(long, value_name = "TOKEN", hide_env_values = true, value_parser = token)]
    pub token: Option<String>,
    /// A name of this server that a browser may ask for, like `games.example`; may be given more than once. Addresses,
    /// `localhost`, this machine's own name, names without a dot and `*.local` always may
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = host_name)]
    pub host_name: Vec<String>,
    /// An address or network (`10.0.0.0/8`) of a proxy that is believed what it says of its visitors in X-Forwarded-For or
    /// Forwarded; may be given more than once. Whoever connects from there needs the token for commands
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    pub trusted_proxy: Vec<Subnet>,
    /// Whoever connects from a trusted proxy says first for whom, in a header of the PROXY protocol, version 1 or 2: on every
    /// port. Who comes from elsewhere is not believed such a header
    #[arg(long)]
    pub proxy_protocol: bool,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Connections in all; more are closed at once. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 16384)]
    pub max_connections: u32,
    /// Connections from one address (IPv6: one /64); more are closed at once. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_per_address: u32,
    /// New connections from one address (IPv6: one /64) that are let in each second, and twice as many at once; the rest
    /// wait for their turn. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(..=1000))]
    pub max_new_per_address: u16,
    /// Connections from one address (IPv6: one /64) that have not joined, at one table, hall or lobby; more are closed.
    /// 0: no limit
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub max_unjoined: u32,
    /// Seats of one address (IPv6: one /64) at one table, or at all tables of a lobby, their owners connected or not; then
    /// newcomers from there are told that the table is full. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub max_seats: u32,
    /// Games in one hall that were made from one address (IPv6: one /64) and are not over; then none is made from there. 0: no
    /// limit
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub max_games: u32,
    /// Tables in all, with those made by POST /tables; lobbies have a limit of their own
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_tables: u32,
}

impl Limits {
    /// What is put up with from one address at one place.
    pub const fn of_address(&self) -> Most {
        Most { unjoined: self.max_unjoined, seats: self.max_seats, games: self.max_games }
    }
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "TLS (on every port; a renewed certificate is noticed)")]
pub struct Tls {
    /// `self-signed` makes a certificate once, keeps it in the data directory and prints its fingerprint; `required` does the
    /// same where no certificate is named, and refuses plain connections
    #[arg(long, value_name = "self-signed|required|off", default_value = "off")]
    pub tls: TlsKind,
    /// Certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Private key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub struct Running {
    /// Where the server keeps games and other files; one server a directory [default: parlor in the user's data
    /// directory]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How safe games are: `strict` sends nothing before its cause is on the disk; `relaxed` sends at once and may lose
    /// the last second in a crash; `off` keeps games in memory alone. Saved games go on with the rules and dice that they
    /// were begun with
    #[arg(long, value_name = "strict|relaxed|off", default_value = "strict")]
    pub durability: Durability,
    /// Repeatable dice, for tests: up to 32 bytes. Whoever knows it knows every throw and password [default: from the
    /// operating system]
    #[arg(long, value_name = "HEX")]
    pub seed: Option<config::Seed>,
    /// How long bots of this server think before they act, about; 0: not at all
    #[arg(long, value_name = "SECONDS", default_value = "0.8", value_parser = seconds)]
    pub bot_pace: Duration,
    /// Players may set on the page an address where they are told that it is their turn: a POST of one line of text, as
    /// ntfy and its like take it. No address inside this server's network
    #[arg(long)]
    pub notify: bool,
    /// A network of this server's own (`192.168.1.5`, `10.0.0.0/8`) that players may have themselves told at all the same;
    /// may be given more than once
    #[arg(long, value_name = "ADDR", value_delimiter = ',', requires = "notify")]
    pub notify_network: Vec<Subnet>,
    /// Who is connected is told when the turn has lasted this long; who is gone is told at once
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub notify_after: Duration,
    /// error, warn, info, debug, trace or off; or filters like `info,parlor=debug`
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log: String,
    /// How log lines are written, to standard error
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub log_format: LogFormat,
    /// Write what every connection says to this file, as a capture for Wireshark (`parlor dissector --lua` names it): TLS and
    /// passwords in clear, a gigabyte at most. A file that is there is written over
    #[arg(long, value_name = "FILE")]
    pub pcap: Option<PathBuf>,
}

#[cfg(feature = "cluster")]
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Cluster (host/docs/cluster.md)")]
pub struct Cluster {
    /// Keep games in a NATS JetStream cluster, together with other nodes: nats://A,B,C or tls://A,B,C. Every port leads to a
    /// shard, a lobby or a hall, at whichever node has it
    #[arg(long, value_name = "URLS", requires = "cluster_key")]
    pub cluster: Option<String>,
    /// What games are sealed with and nodes know each other by: a line of 32 characters or more, the same on every node.
    /// More lines are older keys
    #[arg(long, value_name = "FILE")]
    pub cluster_key: Option<PathBuf>,
    /// Where each nats-server tells about itself; may be given more than once [default: port 8222 of each]
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    pub cluster_monitor: Vec<String>,
    /// Go on with an engine that is too old, does not sync or keeps one copy: what was told to players may be lost then
    #[arg(long)]
    pub cluster_trust: bool,
    /// Shards of each game, on consecutive ports; the same on every node
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub cluster_shards: u16,
    /// The shortest time between two messages of a shard to the engine, like 20ms: what happens meanwhile at all its tables
    /// shares one. What comes alone never waits
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub cluster_linger: Duration,
    /// Where other nodes pass connections on to this one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub cluster_inner: SocketAddr,
    /// The same as other nodes reach it, if that is another address
    #[arg(long, value_name = "HOST:PORT")]
    pub cluster_advertise: Option<Listen>,
    /// Where browsers reach this node's pages, scheme and host; /where tells it
    #[arg(long, value_name = "URL")]
    pub cluster_public: Option<String>,
    /// What this node is called in `parlor status --cluster`
    #[arg(long, value_name = "NAME", default_value = "parlor")]
    pub cluster_name: String,
}

fn socket_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "not an address like 127.0.0.1:9000")
}

fn host_and_port(text: &str) -> Result<String, &'static str> {
    let port =
        text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse::<u16>().ok());
    port.map(|_| text.to_owned()).ok_or("not HOST:PORT, like 127.0.0.1:13220")
}

/// As a browser names a page's: of a page from a file it says `null`, and an app's own pages have schemes of their own.
fn origin(text: &str) -> Result<String, &'static str> {
    let is_good = |part: &str, more: &[u8]| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    let parts = text.trim_end_matches('/').split_once("://");
    let is_origin = parts.is_some_and(|(scheme, host)| is_good(scheme, b"+-.") && is_good(host, b".-_:[]"));
    if is_origin || text == "null" { Ok(text.into()) } else { Err("not an origin like https://games.example") }
}

/// A name that a browser could ask for: what it asks for has the port taken off.
fn host_name(text: &str) -> Result<String, &'static str> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let is_good = !text.is_empty() && text.bytes().all(is_name) || text.parse::<Ipv6Addr>().is_ok();
    if is_good { Ok(text.into()) } else { Err("not a name alone, like games.example") }
}

/// One of no letters nobody could send: no command would be carried out.
fn token(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("there is nothing in it") } else { Ok(text.to_owned()) }
}

/// As the games' times are read.
fn seconds(text: &str) -> Result<Duration, &'static str> {
    let read = Kind::Time.read(text).flatten().ok_or("not a number of seconds")?;
    Ok(Duration::from_millis(read.into()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    Strict,
    Relaxed,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Human,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TlsKind {
    Off,
    SelfSigned,
    Required,
}

/// An address to listen at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    Off,
    At(SocketAddr),
}

impl FromStr for Listen {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let address = text.to_socket_addrs().ok().and_then(|mut found| found.next());
        address.map(Self::At).ok_or_else(|| "not an address like 127.0.0.1:13220, nor `off`".into())
    }
}

/// Where to listen; nowhere if one of them is `off`.
pub fn addresses(listens: &[Listen]) -> Vec<SocketAddr> {
    let at = |listen: &Listen| match listen {
        Listen::At(address) => Some(*address),
        Listen::Off => None,
    };
    listens.iter().map(at).collect::<Option<_>>().unwrap_or_default()
}

/// Why the program ends at once.
pub struct Exit {
    code: u8,
    text: String,
}

impl Exit {
    /// What was asked for can't be done.
    pub fn fault(text: impl Into<String>) -> Self {
        Self { code: 2, text: text.into() }
    }

    /// It could, but it went wrong on the way.
    pub fn failure(text: impl Into<String>) -> Self {
        Self { code: 1, text: text.into() }
    }

    /// The same, with a word on where it may come from.
    pub fn with(self, hint: &str) -> Self {
        Self { text: format!("{}{hint}", self.text), ..self }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn tell(&self) -> ExitCode {
        if self.code == 0 {
            println!("{}", self.text.trim_end());
        } else {
            eprintln!("parlor: {}", self.text);
        }
        ExitCode::from(self.code)
    }
}

impl From<clap::Error> for Exit {
    fn from(error: clap::Error) -> Self {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Self { code: 0, text: error.to_string() },
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Self::fault("no command given (see --help)"),
            #[cfg(not(feature = "cluster"))]
            ErrorKind::UnknownArgument if error.to_string().contains("'--cluster") => {
                Self::fault("this program was built without clusters: cargo build --release --features cluster")
            }
            _ => {
                // One sentence: clap's first paragraph without its frame.
                let text = error.to_string();
                let first = text.split("\n\n").next().unwrap_or_default();
                let words = first.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>();
                // The standard library's words for it.
                let words = words.join(" ").replace("invalid digit found in string", "not a whole number");
                Self::fault(format!("{words} (see --help)"))
            }
        }
    }
}

/// The command line, completed by environment and file.
pub fn read(words: impl Iterator<Item = OsString>) -> Result<Command, Exit> {
    let mut words: Vec<OsString> = words.collect();
    let is_bare = match words.get(1).and_then(|word| word.to_str()) {
        None => true,
        Some("-h" | "--help" | "-V" | "--version") => false,
        Some(word) => word.starts_with('-'),
    };
    if is_bare {
        words.insert(1.min(words.len()), "serve".into());
    }
    let first = parse(&words, &config::File::default())?;
    let Command::Serve(serve) = &first else { return Ok(first) };
    match config::File::find(serve.config.as_deref())? {
        Some(file) => parse(&words, &file).and_then(agree).map_err(|exit| file.blame(exit)),
        None => agree(first),
    }
}

/// What makes no sense without something else, wherever each of them was said.
fn agree(command: Command) -> Result<Command, Exit> {
    match &command {
        Command::Serve(serve) if serve.network.proxy_protocol && serve.network.trusted_proxy.is_empty() => {
            Err(Exit::fault("--proxy-protocol needs --trusted-proxy ADDR: nobody else is believed"))
        }
        _ => Ok(command),
    }
}

fn parse(words: &[OsString], file: &config::File) -> Result<Command, Exit> {
    let command = Cli::command().mut_subcommand("serve", |serve| {
        flags::add(serve).mut_args(|arg| match arg.get_long().map(String::from) {
            Some(name) => file.complete(arg, &name),
            None => arg,
        })
    });
    file.check(&command)?;
    let matches = command.try_get_matches_from(words)?;
    let mut command = Cli::from_arg_matches(&matches)?.command;
    if let (Command::Serve(serve), Some((_, matches))) = (&mut command, matches.subcommand()) {
        (serve.games, serve.lobby) = flags::read(matches);
        if serve.network.lan {
            serve.open_to_network();
        }
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::game::Game as _;
    use parlor_core::pimp::limits::HostTable;
    use parlor_core::pimp::server::Config;
    use parlor_core::yard::limits::HostYard;

    fn serve(words: &str) -> Serve {
        match read(words.split_whitespace().map(OsString::from)) {
            Ok(Command::Serve(serve)) => *serve,
            Ok(_) => panic!("{words:?} should serve"),
            Err(exit) => panic!("{}", exit.text),
        }
    }

    fn fault(words: &str) -> String {
        match read(words.split_whitespace().map(OsString::from)) {
            Ok(_) => panic!("{words} should be refused"),
            Err(exit) => exit.text,
        }
    }

    fn asked<'s>(serve: &'s Serve, game: &str) -> &'s Asked {
        serve.games.iter().find(|asked| asked.entry.name == game).unwrap()
    }

    #[test]
    fn without_flags_settings_are_cores_own() {
        for words in ["parlor", "parlor serve"] {
            let serve = serve(words);
            assert_eq!(asked(&serve, "pimp").chosen.config::<HostTable>(), Config::DEFAULT);
            assert_eq!(asked(&serve, "yard").chosen.config::<HostYard>(), HostYard::HOST);
            assert_eq!(serve.lobby, Terms::DEFAULT);
        }
    }

    #[test]
    fn every_flag_reaches_its_setting() {
        let words = "parlor --pot off --rate 0 --yard-rate 5 --claim-grace 0.25 --double-go on --lobby-turns 3";
        let serve = serve(words);
        let pimp = asked(&serve, "pimp").chosen.config::<HostTable>();
        assert_eq!((pimp.rules.pot, pimp.rate, pimp.claim_grace, pimp.rules.double_go), (None, 0, 250, true));
        assert_eq!(asked(&serve, "yard").chosen.config::<HostYard>().rate, 5);
        assert_eq!(serve.lobby, Terms { turns: 3, ..Terms::DEFAULT });
        let serve = self::serve("parlor --yard-bots off --yard-accounts 7 --join-timeout 9");
        let yard = asked(&serve, "yard");
        assert_eq!((yard.chosen.config::<HostYard>().bots, yard.accounts), (false, 7));
        assert_eq!(asked(&serve, "pimp").chosen.config::<HostTable>().join_timeout, 9_000);
    }

    #[test]
    fn one_off_is_off() {
        let off = serve("parlor --pimp off");
        assert_eq!((&asked(&off, "pimp").tcp, &asked(&off, "pimp").ws), (&vec![], &vec![]));
        assert_eq!(asked(&serve("parlor --pimp off --pimp-ws 127.0.0.1:7"), "pimp").ws.len(), 1);
        assert_eq!(asked(&serve("parlor --pimp 127.0.0.1:1 --pimp 127.0.0.1:2"), "pimp").tcp.len(), 2);
    }

    #[test]
    fn the_network_is_let_in_at_every_port_when_asked() {
        let serve = serve("parlor --lan --pimp 127.0.0.1:0 --yard off --venus 192.0.2.7:1");
        assert_eq!(addresses(&serve.network.http), ["0.0.0.0:8080".parse().unwrap()]);
        assert_eq!(asked(&serve, "pimp").tcp, ["0.0.0.0:0".parse().unwrap()]);
        assert_eq!(asked(&serve, "yard").tcp, []);
        assert_eq!(asked(&serve, "venus").tcp, ["192.0.2.7:1".parse().unwrap()]);
    }

    #[test]
    fn a_bad_flag_is_one_sentence() {
        assert_eq!(fault("parlor --rat 3"), "unexpected argument '--rat' found (see --help)");
        let text = fault("parlor --rate many");
        assert!(text.starts_with("invalid value 'many' for '--rate <N>'") && !text.contains('\n'), "{text}");
        assert!(fault("parlor --config /no/such/file.toml").contains("/no/such/file.toml"));
        assert!(fault("parlor --max-tables x").contains("'--max-tables <N>': not a whole number"));
        assert_eq!(serve("parlor --origin https://games.example/").network.origin, ["https://games.example/"]);
        assert!(fault("parlor --token=").contains("'--token <TOKEN>'"));
        assert!(fault("parlor bad-wire 127.0.0.1:0 somewhere").contains("not HOST:PORT"));
        assert!(fault("parlor bad-wire somewhere 127.0.0.1:1").contains("not an address like 127.0.0.1:9000"));
        assert_eq!(fault("parlor admin"), "no command given (see --help)");
        assert!(fault("parlor --proxy-protocol").starts_with("--proxy-protocol needs --trusted-proxy ADDR"));
        for bad in ["games.example", "*", "https://games.example/page", "https://"] {
            assert!(
                fault(&format!("parlor --origin {bad}")).contains("not an origin like https://games.example"),
                "{bad}"
            );
        }
        assert!(fault("parlor --host-name https://games.example").contains("not a name alone"));
        assert!(fault("parlor --host-name games.example:8080").contains("not a name alone"));
        assert!(serve("parlor --proxy-protocol --trusted-proxy 10.0.0.7").network.proxy_protocol);
    }

    #[test]
    #[cfg(not(feature = "cluster"))]
    fn a_program_without_clusters_says_so() {
        assert!(fault("parlor --cluster nats://a --cluster-key key").contains("--features cluster"));
    }

    #[test]
    fn names_and_origins_are_as_browsers_say_them() {
        let serve = serve(
            "parlor --origin https://games.example/,http://[fd00::1]:81,app://x,null --host-name a_b.example,fd00::1",
        );
        assert_eq!((serve.network.origin.len(), serve.network.host_name.len()), (4, 2));
    }

    #[test]
    fn help_is_whole() {
        Cli::command().mut_subcommand("serve", flags::add).debug_assert();
        let help = Cli::command().find_subcommand_mut("bot").unwrap().render_long_help().to_string();
        assert!(GAMES.iter().all(|game| help.contains(game.name)), "{help}");
    }
}

//! `parlor status`: asks a server's HTTP port and prints its tables.

use std::io;

use parlor_core::game::Encoding;
use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::access::{host, is_local};
use crate::cli::{self, Exit};
use crate::client::{self, Target, Trust};

/// The longest answer that is read: what a full server has to tell is a tenth of it.
const LONGEST: u64 = 16 << 20;

/// What `GET /tables` tells, as far as it is shown.
#[derive(Deserialize)]
struct List {
    tables: Vec<Row>,
    halls: Vec<Hall>,
    lobbies: Vec<Lobby>,
    connections: u32,
    memory: u64,
}

#[derive(Deserialize)]
struct Row {
    table: u32,
    game: String,
    users: u16,
    players: u16,
    watchers: u16,
    links: u64,
    turn: u32,
    phase: String,
    ports: Ports,
}

#[derive(Deserialize)]
struct Hall {
    game: String,
    /// In progress.
    games: u32,
    users: u16,
    players: u16,
    connected: u16,
    ports: Ports,
}

#[derive(Deserialize)]
struct Lobby {
    game: String,
    limit: u16,
    tables: Vec<LobbyRow>,
}

#[derive(Deserialize)]
struct LobbyRow {
    users: u16,
    players: u16,
    connected: u16,
}

#[derive(Deserialize)]
struct Ports {
    tcp: Vec<String>,
    ws: Vec<String>,
}

/// What `GET /cluster` tells.
#[derive(Deserialize)]
struct ClusterView {
    nodes: Vec<NodeRow>,
    shards: Vec<ShardRow>,
    /// An older node has none.
    #[serde(default)]
    doubts: Vec<String>,
}

#[derive(Deserialize)]
struct NodeRow {
    node: String,
    name: String,
    inner: String,
    draining: bool,
    shards: u32,
    silent: u64,
}

#[derive(Deserialize)]
struct ShardRow {
    shard: String,
    node: Option<String>,
    epoch: u32,
    tables: u32,
    links: u64,
    lag: u64,
    log: u64,
}

/// What `POST /drain` tells.
#[derive(Deserialize)]
struct Moved {
    shard: String,
    to: Option<String>,
    pause: u64,
}

fn read<'a, T: Deserialize<'a>>(server: &cli::Remote, body: &'a str) -> Result<T, Exit> {
    serde_json::from_str(body).map_err(|error| Exit::failure(format!("{}: {error}", server.http)))
}

/// `parlor drain`: every shard of a node goes to others, and how long each had no owner.
pub async fn drain(args: cli::Drain) -> Result<(), Exit> {
    let body = ask(&args.server, "POST", "/drain").await?;
    let moved: Vec<Moved> = read(&args.server, &body)?;
    for Moved { shard, to, pause } in &moved {
        println!(
            "{shard}: {} after {pause} ms",
            to.as_deref().map_or("nobody".to_owned(), |node| format!("at {node}"))
        );
    }
    println!("{}", in_short(&moved));
    match moved.iter().find(|moved| moved.to.is_none()) {
        Some(Moved { shard, .. }) => {
            Err(Exit::failure(format!("{shard} was taken by nobody: it goes on when a node takes it")))
        }
        None => Ok(()),
    }
}

/// What nobody took has not moved.
fn in_short(moved: &[Moved]) -> String {
    let taken = moved.iter().filter(|moved| moved.to.is_some());
    let longest = taken.clone().map(|moved| moved.pause).max().unwrap_or_default();
    format!("{} shards moved, the longest pause {longest} ms", taken.count())
}

async fn cluster(server: &cli::Remote) -> Result<(), Exit> {
    let body = ask(server, "GET", "/cluster").await?;
    let ClusterView { nodes, shards, doubts } = read(server, &body)?;
    doubts.iter().for_each(|doubt| println!("{doubt}"));
    println!("{:<16}  {:<16} {:<21} {:>6} {:>9}", "node", "name", "inner", "shards", "heard");
    for NodeRow { node, name, inner, draining, shards, silent } in &nodes {
        let draining = if *draining { "  draining" } else { "" };
        println!("{node:<16}  {name:<16} {inner:<21} {shards:>6} {silent:>6} ms{draining}");
    }
    println!("{:<16}  {:<16} {:>6} {:>6} {:>5} {:>4} {:>6}", "shard", "node", "epoch", "tables", "links", "lag", "log");
    for ShardRow { shard, node, epoch, tables, links, lag, log } in &shards {
        let node = node.as_deref().unwrap_or("nobody");
        println!("{shard:<16}  {node:<16} {epoch:>6} {tables:>6} {links:>5} {lag:>4} {log:>6}");
    }
    Ok(())
}

pub async fn run(args: cli::Status) -> Result<(), Exit> {
    if args.cluster {
        return cluster(&args.server).await;
    }
    let body = match ask(&args.server, "GET", "/tables").await {
        // A board has no such list.
        Err(exit) if exit.text().contains(" 404 ") => return Err(exit.with(": `parlor inspect` looks into a board")),
        answer => answer?,
    };
    let list: List = read(&args.server, &body)?;
    show(&list);
    Ok(())
}

/// The body of the answer to one request of a server that commands are for.
pub async fn ask(server: &cli::Remote, method: &str, path: &str) -> Result<String, Exit> {
    let failure = |what: String| Exit::failure(format!("{}: {what}", server.http));
    let asked = answer(&server.http, &trust(server)?, method, path, server.token.as_deref()).await;
    asked.map_err(|error| client::in_words(&error)).and_then(|answer| body(&answer)).map_err(failure)
}

/// Whom a token is told. What is told to us is nothing that a pretender could not make up: without a token, anybody may be
/// the server. Whoever answers at this machine is of this machine.
fn trust(server: &cli::Remote) -> Result<Trust, Exit> {
    match &server.fingerprint {
        Some(fingerprint) => Ok(Trust::Fingerprint(fingerprint.replace(':', ""))),
        None if server.token.is_none() || server.insecure => Ok(Trust::Blind),
        None if server.http.is_secure && !is_local(host(&server.http.authority)) => {
            let why = "whoever answers would be told the token";
            Err(Exit::fault(format!("TLS needs --fingerprint, as the server prints it, or --insecure: {why}")))
        }
        None => Ok(Trust::Blind),
    }
}

/// What a server or a board tells anybody, if all is well.
pub(crate) async fn request(from: &Target, path: &str) -> Result<String, String> {
    let answer = answer(from, &Trust::Blind, "GET", path, None).await.map_err(|error| client::in_words(&error))?;
    body(&answer)
}

/// What an answer brings, if all is well.
fn body(answer: &str) -> Result<String, String> {
    let head_and_body = answer.split_once("\r\n\r\n").filter(|(head, _)| head.starts_with("HTTP/"));
    let (head, body) = head_and_body.ok_or("no HTTP is spoken there: the port of the pages is meant")?;
    match head.split(' ').nth(1) {
        Some(status) if status.starts_with('2') => Ok(body.into()),
        _ => Err(format!("{} ({})", head.lines().next().unwrap_or_default(), body.trim())),
    }
}

/// The whole answer.
async fn answer(from: &Target, trust: &Trust, method: &str, path: &str, token: Option<&str>) -> io::Result<String> {
    let mut stream = client::connect(from, trust, Encoding::Binary).await?;
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let host = &from.authority;
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 0\r\n");
    stream.write_all(format!("{head}{token}\r\n").as_bytes()).await?;
    stream.flush().await?;
    let mut answer = Vec::new();
    stream.take(LONGEST + 1).read_to_end(&mut answer).await?;
    if answer.len() as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer has no end"));
    }
    // A game's port answers with bytes of its own.
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn show(list: &List) {
    println!(
        "{:>5}  {:<6} {:>7} {:>8} {:>5} {:>5}  {:<8} ports",
        "table", "game", "players", "watchers", "links", "turn", "phase"
    );
    for row in &list.tables {
        let ports: Vec<&str> = row.ports.tcp.iter().chain(&row.ports.ws).map(String::as_str).collect();
        let Row { table, game, players, watchers, links, turn, phase, .. } = row;
        let ports = ports.join(" ");
        println!("{table:>5}  {game:<6} {players:>7} {watchers:>8} {links:>5} {turn:>5}  {phase:<8} {ports}");
    }
    for Hall { game, games, users, players, connected, ports } in &list.halls {
        let ports: Vec<&str> = ports.tcp.iter().chain(&ports.ws).map(String::as_str).collect();
        let ports = ports.join(" ");
        println!("{game}: {games} games, {users} users, {players} players, {connected} connected  {ports}");
    }
    for Lobby { game, limit, tables } in &list.lobbies {
        let sum = |of: fn(&LobbyRow) -> u16| tables.iter().map(|row| u32::from(of(row))).sum::<u32>();
        let (users, players, connected) = (sum(|row| row.users), sum(|row| row.players), sum(|row| row.connected));
        let count = tables.len();
        println!(
            "lobby of {game}: {count} tables of at most {limit}, {users} users, {players} players, {connected} connected"
        );
    }
    let users: u32 = list.tables.iter().map(|row| u32::from(row.users)).sum();
    let (tables, connections, memory) = (list.tables.len(), list.connections, list.memory / 1024);
    println!("{tables} tables, {users} users, {connections} connections, {memory} KB");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_took_has_not_moved() {
        let moved = |to: Option<&str>, pause| Moved { shard: "pimp.1".into(), to: to.map(Into::into), pause };
        let told = in_short(&[moved(Some("a"), 3), moved(None, 9)]);
        assert_eq!(told, "1 shards moved, the longest pause 3 ms");
    }

    /// `parlor verify` asks servers of strangers.
    #[tokio::test]
    async fn an_answer_without_an_end_is_given_up() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target: Target = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let stranger = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            while stream.write_all(&[b'x'; 1 << 16]).await.is_ok() {}
        });
        assert_eq!(request(&target, "/").await, Err("the answer has no end".into()));
        stranger.await.unwrap();
    }
}

//! The real program on ports of its own, and clients for what it speaks.
#![allow(dead_code)] // Each test file uses its part of it.

pub mod abuse;
pub mod disk;
pub mod nats;
pub mod network;
pub mod process;
pub mod stores;
pub mod world;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parlor::games;
use socket2::{Domain, Socket, Type};

/// How long a test waits before it gives up. Nothing is asserted on it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// HANDSHAKE, version 1.
pub const HELLO: &[u8] = &[0x00, 0x01, 0x01];

/// Where nobody listens: a port that was free a moment ago may be another test's by now.
pub const NOBODY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 255, 0, 1)), 9);

/// What one address may do.
pub const LIMITS: [&str; 4] =
    ["PARLOR_MAX_NEW_PER_ADDRESS", "PARLOR_MAX_UNJOINED", "PARLOR_MAX_SEATS", "PARLOR_MAX_GAMES"];

/// The program without ports: what is tested is said after it. Its games are saved where no other server's are.
pub fn parlor() -> Command {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    // For figures of another build.
    let other = std::env::var_os("PARLOR_PROGRAM").map(|path| PathBuf::from(path).canonicalize().unwrap());
    let mut command = Command::new(other.unwrap_or_else(|| env!("CARGO_BIN_EXE_parlor").into()));
    let data = format!("data-{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
    // A file of the developer's own must not join in.
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).env_remove("NOTIFY_SOCKET").env("PARLOR_DATA", data);
    // All clients of a test come from one address: whoever tests that limit says so.
    for limit in LIMITS {
        command.env(limit, "0");
    }
    // Nobody watches them.
    command.env("PARLOR_BOT_PACE", "0");
    // A game's usual port is one for all servers: a test that wants more than the first game says where.
    for game in games::GAMES.iter().skip(1) {
        command.env(format!("PARLOR_{}", game.name.to_uppercase()), "off");
    }
    command
}

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Output {
    parlor().args(arguments).output().expect("the program should start")
}

pub fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A running server; ended when dropped.
pub struct Server {
    child: Child,
    /// Thrown away with the server.
    data: Option<PathBuf>,
    pub ready: String,
    ports: HashMap<String, Vec<SocketAddr>>,
}

impl Server {
    /// On free ports of loopback, with these flags too.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = parlor();
        command.args(["--pimp", "127.0.0.1:0", "--pimp-ws", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log", "warn"]);
        command.args(arguments);
        Self::spawn(command)
    }

    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program should start");
        let mut ready = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        let mut ports = HashMap::new();
        for (flag, at) in ready.split_whitespace().filter_map(|word| word.split_once('=')) {
            ports.insert(flag.to_owned(), at.split(',').filter_map(|address| address.parse().ok()).collect());
        }
        let data = command.get_envs().find(|(name, _)| *name == "PARLOR_DATA").and_then(|(_, value)| value);
        let data = data.map(|data| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(data));
        Self { child, data, ready: ready.trim_end().to_owned(), ports }
    }

    pub fn ports(&self, flag: &str) -> &[SocketAddr] {
        self.ports.get(flag).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn port(&self, flag: &str) -> SocketAddr {
        self.ports(flag)[0]
    }

    pub fn tcp(&self) -> TcpStream {
        tcp(self.port("pimp"))
    }

    pub fn terminate(&self) {
        rustix::process::kill_process(self.pid(), rustix::process::Signal::TERM).unwrap();
    }

    /// Stops it in the middle of whatever it does. A process goes on for a moment after it was told to stop, on a busy
    /// machine for milliseconds: this returns when none of its threads runs.
    pub fn freeze(&self) {
        rustix::process::kill_process(self.pid(), rustix::process::Signal::STOP).unwrap();
        let end = Instant::now() + PATIENCE;
        while !self.is_frozen() {
            assert!(Instant::now() < end, "the program does not stop");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_frozen(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        // The state stands behind the name, which is in brackets.
        let is_stopped = |stat: String| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'));
        threads.flatten().all(|thread| std::fs::read_to_string(thread.path().join("stat")).is_ok_and(is_stopped))
    }

    pub fn thaw(&self) {
        rustix::process::kill_process(self.pid(), rustix::process::Signal::CONT).unwrap();
    }

    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_raw(self.child.id() as i32).unwrap()
    }

    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Status and body of the answer.
    pub fn http(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        self.http_with(method, path, headers, "")
    }

    /// The same, with a body.
    pub fn http_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let address = self.port("http");
        let mut stream = tcp(address);
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {address}\r\n");
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(data) = &self.data {
            let _ = std::fs::remove_dir_all(data);
        }
    }
}

pub fn tcp(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// The same from this address of loopback.
pub fn tcp_from(address: &str, to: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::new(address.parse().unwrap(), 0).into()).unwrap();
    socket.connect(&to.into()).unwrap();
    socket.set_tcp_nodelay(true).unwrap();
    let stream: TcpStream = socket.into();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Says HANDSHAKE and reads the number of the game.
pub fn handshake(stream: &mut (impl Read + Write)) -> u32 {
    stream.write_all(HELLO).unwrap();
    stream.flush().unwrap();
    let mut answer = [0; 6];
    stream.read_exact(&mut answer).unwrap();
    let [0x01, 4, game @ ..] = answer else { panic!("{answer:02x?} is no HANDSHAKE_ACKNOWLEDGE") };
    u32::from_be_bytes(game)
}

/// Whether `heard` at a table of Monopoly is what a journal tells, and beyond it only what has no cause that could be lost:
/// that this is a table, and that a command was refused, a bid that is too low by the one that there is to beat.
pub fn is_explained(stream: &[u8], heard: &[u8]) -> bool {
    const BID: u8 = 0x35;
    let Some(mut more) = heard.strip_prefix(stream) else { return stream.starts_with(heard) };
    while let [code, length, rest @ ..] = more {
        let frame = more.get(..2 + usize::from(*length)).unwrap_or(more);
        let is_beaten = *code == BID && stream.windows(frame.len()).any(|told| told == frame);
        let is_harmless = is_beaten || matches!(code, 0x01 | 0x91..=0x9B | 0xE0..=0xEE | 0xF0 | 0xFC..=0xFE);
        match rest.get(usize::from(*length)..).filter(|_| is_harmless) {
            Some(next) => more = next,
            None => return false,
        }
    }
    more.is_empty()
}

/// A TLS client that takes any certificate and remembers it.
pub fn tls(stream: TcpStream) -> rustls::StreamOwned<rustls::ClientConnection, TcpStream> {
    let config = parlor::client::tls_config(None);
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    rustls::StreamOwned::new(rustls::ClientConnection::new(Arc::new(config), name).unwrap(), stream)
}

/// A WebSocket client.
pub fn ws<S: Read + Write>(stream: S, path: &str) -> tungstenite::WebSocket<S> {
    let (socket, _) = tungstenite::client(format!("ws://127.0.0.1{path}"), stream).ok().unwrap();
    socket
}

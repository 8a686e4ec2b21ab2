//! The real program behind a socket, as conversations want it.

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use parlor::client::{Target, Trust, connect};
use parlor_core::game::Encoding;
use parlor_tests::peer::{Backend, OverTcp, Peer};
use tokio::io::copy_bidirectional;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::Server;

/// Files held at the same time by each test. Most of their time is spent waiting.
const AT_ONCE: usize = 20;

/// What was said may lie unread for a reason, if a game lets its link wait: no longer is waited for it.
const UNREAD: Duration = Duration::from_millis(200);
/// What was read was answered, and the answer has come.
const ON_ITS_WAY: Duration = Duration::from_millis(10);

/// A plain port that leads to `target`, whatever is spoken there.
fn detour(runtime: &Runtime, target: String, words: Encoding) -> SocketAddr {
    let target: Target = target.parse().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let target = target.clone();
            tokio::spawn(async move {
                near.set_nodelay(true).unwrap();
                let mut far = connect(&target, &Trust::Blind, words).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    address
}

/// The program behind a socket. It tells how much it has read: nobody has to guess when a word has arrived.
pub struct Process {
    pub server: Server,
    address: OverTcp,
    said: Rc<Said>,
}

/// What its clients have done.
#[derive(Default)]
struct Said {
    bytes: Cell<u64>,
    connections: Cell<u64>,
}

impl Process {
    /// The value of a line of /metrics.
    fn figure(page: &str, name: &str) -> u64 {
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in\n{page}"))
    }

    fn has_read_all(&self) -> bool {
        let (_, page) = self.server.http("GET", "/metrics", &[]);
        let read = Self::figure(&page, "parlor_bytes_total{direction=\"in\"}");
        let links = Self::figure(&page, "parlor_links");
        read >= self.said.bytes.get() && links <= self.said.connections.get()
    }
}

impl Backend for Process {
    fn connect(&mut self) -> Box<dyn Peer> {
        self.said.connections.update(|connections| connections + 1);
        Box::new(Client { peer: self.address.connect(), said: self.said.clone(), hung_up: false })
    }
    fn wait(&mut self, ms: u64) {
        self.address.wait(ms);
    }
    fn settle(&mut self) {
        let end = Instant::now() + UNREAD;
        while !self.has_read_all() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(ON_ITS_WAY);
    }
}

/// A connection whose words are counted.
struct Client {
    peer: Box<dyn Peer>,
    said: Rc<Said>,
    hung_up: bool,
}

impl Peer for Client {
    fn send(&mut self, bytes: &[u8]) {
        self.said.bytes.update(|said| said + bytes.len() as u64);
        self.peer.send(bytes);
    }
    fn arrived(&mut self, patience: Duration) -> Vec<u8> {
        self.peer.arrived(patience)
    }
    fn is_closed(&mut self) -> bool {
        self.peer.is_closed()
    }
    fn stop_reading(&mut self, stop: bool) {
        self.peer.stop_reading(stop);
    }
    fn hang_up(&mut self) {
        if !std::mem::replace(&mut self.hung_up, true) {
            self.said.connections.update(|connections| connections - 1);
        }
        self.peer.hang_up();
    }
}

/// A way to the program.
#[derive(Clone, Copy, Debug)]
pub enum Way<'a> {
    Tcp,
    /// With key and certificate in one file.
    Tls(&'a Path),
    WebSocket,
}

/// The program with these flags, reached on this way: by the port of this flag, or by WebSocket at this one, which speaks
/// in such messages.
pub fn process(flags: &[String], way: Way<'_>, ports: (&str, &str, Encoding), runtime: &Runtime) -> Process {
    let mut flags = flags.to_vec();
    if let Way::Tls(pem) = way {
        flags.extend(["--tls-cert", "--tls-key"].iter().flat_map(|flag| [flag.to_string(), pem.display().to_string()]));
    }
    let arguments: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server = Server::start(&arguments);
    let (tcp, ws, words) = ports;
    let address = OverTcp(match way {
        Way::Tcp => server.port(tcp),
        Way::Tls(_) => detour(runtime, format!("tls://{}", server.port(tcp)), words),
        Way::WebSocket => detour(runtime, format!("ws://{}/", server.port(ws)), words),
    });
    Process { server, address, said: Rc::default() }
}

/// Holds all of them, the last first; how many.
pub fn hold_all<T: Send>(files: Vec<T>, hold: impl Fn(&T, &Runtime) -> Result<(), String> + Sync) -> usize {
    let (count, queue, failures) = (files.len(), Mutex::new(files), Mutex::new(Vec::new()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let next = || queue.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(conversation) = next() {
                    if let Err(failure) = hold(&conversation, &runtime) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{count} conversations, {} failed", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    count
}

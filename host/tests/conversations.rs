//! The conversations with the real program, over TCP, TLS and WebSocket.

mod common;

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use common::Server;
use parlor::client::{Target, Trust, connect};
use parlor_core::pimp::server::Config;
use parlor_tests::conversation::{Conversation, Coverage, Limits};
use parlor_tests::peer::{Backend, OverTcp, Peer};
use tokio::io::copy_bidirectional;
use tokio::net::TcpListener;

/// Files held at the same time by each test. Most of their time is spent waiting.
const AT_ONCE: usize = 20;

/// What was said may lie unread for a reason, if a game lets its link wait: no longer is waited for it.
const UNREAD: Duration = Duration::from_millis(200);
/// What was read was answered, and the answer has come.
const ON_ITS_WAY: Duration = Duration::from_millis(10);

/// The flags that give a table these settings.
fn flags(config: &Config, seed: &[u8; 32]) -> Vec<String> {
    let rules = &config.rules;
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let seconds = |ms: u32| format!("{}", f64::from(ms) / 1000.0);
    let pairs = [
        ("seed", seed.iter().map(|byte| format!("{byte:02x}")).collect()),
        ("pot", rules.pot.map_or("off".into(), |pot| pot.to_string())),
        ("double-go", switch(rules.double_go)),
        ("lap-before-buy", switch(rules.lap_before_buy)),
        ("estate-to-creditor", switch(rules.estate_to_creditor)),
        ("bail-ends-turn", switch(rules.bail_ends_turn)),
        ("debt-blocks-roll", switch(rules.debt_blocks_roll)),
        ("termites", rules.termites.to_string()),
        ("vote-timeout", seconds(config.vote_timeout)),
        ("vote-pause", seconds(config.vote_pause)),
        ("ping-interval", seconds(config.ping_interval)),
        ("ping-timeout", seconds(config.ping_timeout)),
        ("auction-timeout", seconds(config.auction_timeout)),
        ("claim-grace", seconds(config.claim_grace)),
        ("presence", seconds(config.presence)),
        ("silence", seconds(config.silence)),
        ("join-timeout", seconds(config.join_timeout)),
        ("deserted", seconds(config.deserted)),
        ("farewell", seconds(config.farewell)),
        ("password-pause", seconds(config.password_pause)),
        ("dump-pause", seconds(config.dump_pause)),
        ("rate", config.rate.to_string()),
        ("wrong-passwords", config.wrong_passwords.to_string()),
        ("refusals", config.refusals.to_string()),
        ("ascii-names", switch(config.ascii_names)),
        ("max-players", config.max_players.to_string()),
    ];
    pairs.into_iter().flat_map(|(name, value)| [format!("--{name}"), value]).collect()
}

/// A plain port that leads to `target`, whatever is spoken there.
fn detour(runtime: &tokio::runtime::Runtime, target: String) -> SocketAddr {
    let target: Target = target.parse().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let target = target.clone();
            tokio::spawn(async move {
                near.set_nodelay(true).unwrap();
                let mut far = connect(&target, &Trust::Blind).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    address
}

/// The program behind a socket. It tells how much it has read: nobody has to guess when a word has arrived.
struct Process {
    server: Server,
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
enum Way<'a> {
    Tcp,
    /// With key and certificate in one file.
    Tls(&'a Path),
    WebSocket,
}

fn hold(conversation: &Conversation, way: Way<'_>, runtime: &tokio::runtime::Runtime) -> Result<(), String> {
    let mut flags = flags(&conversation.setup.config()?, &conversation.setup.seed);
    if let Way::Tls(pem) = way {
        flags.extend(["--tls-cert", "--tls-key"].iter().flat_map(|flag| [flag.to_string(), pem.display().to_string()]));
    }
    let arguments: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server = Server::start(&arguments);
    let address = OverTcp(match way {
        Way::Tcp => server.port("pimp"),
        Way::Tls(_) => detour(runtime, format!("tls://{}", server.port("pimp"))),
        Way::WebSocket => detour(runtime, format!("ws://{}/", server.port("pimp-ws"))),
    });
    conversation.run(&mut Process { server, address, said: Rc::default() }, &mut Coverage::default())
}

fn the_files_hold_over(way: Way<'_>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/conversations/pimp");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        Conversation::parse(&path.display().to_string(), &text).unwrap()
    });
    // Neither those that take minutes nor those that only a small connection or a small table shows.
    let mut files: Vec<_> =
        files.filter(|file| file.setup.needs.is_empty() && file.setup.limits != Limits::Board).collect();
    // What waits longest is begun first.
    files.sort_by_key(Conversation::waits);
    let (count, queue, failures) = (files.len(), Mutex::new(files), Mutex::new(Vec::new()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let next = || queue.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(conversation) = next() {
                    if let Err(failure) = hold(&conversation, way, &runtime) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{count} conversations over {way:?}, {} failed", failures.len());
    assert!(failures.is_empty() && count > 90, "{}", failures.join("\n\n"));
}

#[test]
fn the_files_hold_over_tcp() {
    the_files_hold_over(Way::Tcp);
}

#[test]
fn the_files_hold_over_tls() {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let pem = common::scratch("conversations").join("own.pem");
    std::fs::write(&pem, own.signing_key.serialize_pem() + &own.cert.pem()).unwrap();
    the_files_hold_over(Way::Tls(&pem));
}

#[test]
fn the_files_hold_over_websocket() {
    the_files_hold_over(Way::WebSocket);
}

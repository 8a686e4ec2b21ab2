//! Real nats-servers, three that are one JetStream cluster: on loopback, or each in a network of its own that can be cut.
//! They are killed, stopped and started again as tests ask.
//!
//! `PARLOR_NATS` names the program; `tests/run cluster` installs one and says so.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::network::{CLIENTS, Network, ROUTES};
use super::{PATIENCE, scratch};

/// Where a server is reached.
#[derive(Clone, Copy)]
struct Addresses {
    client: SocketAddr,
    monitor: SocketAddr,
    route: SocketAddr,
}

struct Node {
    at: Addresses,
    folder: PathBuf,
    child: Mutex<Option<Child>>,
}

impl Node {
    /// The end of its log.
    fn last_words(&self) -> String {
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

pub struct Nats {
    program: PathBuf,
    nodes: Vec<Node>,
    root: PathBuf,
    /// `None`: they are on loopback.
    network: Option<Network>,
}

/// An address of loopback that is this process's alone: a server that comes back finds its ports as it left them, and no
/// server of another test has taken them meanwhile.
fn own_address() -> [u8; 4] {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    [127, high + 1, middle, low]
}

/// Engines that this process has started.
static STARTED: AtomicU16 = AtomicU16::new(0);

impl Nats {
    /// `count` servers on loopback that sync what they acknowledge, or only now and then.
    pub fn start(count: usize, sync: &str) -> Self {
        let number = STARTED.fetch_add(1, Relaxed);
        let addresses = |at: usize| {
            let first = 10_000 + 100 * number + 3 * at as u16;
            let [client, monitor, route] = [0, 1, 2].map(|nth| SocketAddr::from((own_address(), first + nth)));
            Addresses { client, monitor, route }
        };
        Self::begin((0..count).map(addresses).collect(), sync, number, None)
    }

    /// Servers that sync, in networks of their own: whoever asks is inside [`super::network::within`]. There is one more such
    /// network, for a node.
    pub fn start_apart(count: usize) -> Self {
        let network = Network::new(count + 1);
        let addresses = |at: usize| {
            let of = |net: [u8; 3], port: u16| SocketAddr::from(([net[0], net[1], net[2], at as u8 + 1], port));
            Addresses { client: of(CLIENTS, 4222), monitor: of(CLIENTS, 8222), route: of(ROUTES, 6222) }
        };
        let number = STARTED.fetch_add(1, Relaxed);
        Self::begin((0..count).map(addresses).collect(), "always", number, Some(network))
    }

    fn begin(addresses: Vec<Addresses>, sync: &str, number: u16, network: Option<Network>) -> Self {
        let program =
            std::env::var_os("PARLOR_NATS").expect("PARLOR_NATS: the nats-server to test with (tests/run cluster)");
        let root = scratch(&format!("nats-{number}"));
        let routes: Vec<String> = addresses.iter().map(|at| format!("nats://{}", at.route)).collect();
        let nodes = addresses.iter().enumerate().map(|(number, at)| {
            let folder = root.join(format!("n{number}"));
            std::fs::create_dir_all(&folder).unwrap();
            let (Addresses { client, monitor, route }, store) = (at, folder.join("js"));
            let mut config = format!(
                "server_name: n{number}\nlisten: \"{client}\"\nhttp: \"{monitor}\"\n\
                 jetstream {{ store_dir: {store:?}, sync_interval: {sync:?}, max_memory_store: 256M, max_file_store: 4G }}\n"
            );
            if addresses.len() > 1 {
                let routes = routes.join(", ");
                config += &format!("cluster {{ name: parlor, listen: \"{route}\", routes: [{routes}] }}\n");
            }
            std::fs::write(folder.join("nats.conf"), config).unwrap();
            Node { at: *at, folder, child: Mutex::default() }
        });
        let nats = Self { program: program.into(), nodes: nodes.collect(), root, network };
        (0..nats.len()).for_each(|at| nats.up(at));
        nats.wait();
        nats
    }

    /// Starts a server, again or for the first time.
    pub fn up(&self, at: usize) {
        let node = &self.nodes[at];
        let log = std::fs::OpenOptions::new().create(true).append(true).open(node.folder.join("log")).unwrap();
        let mut command = match &self.network {
            Some(network) => network.command(at, &self.program),
            None => Command::new(&self.program),
        };
        let child = command
            .arg("-c")
            .arg(node.folder.join("nats.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("nats-server should start");
        *node.child.lock().unwrap() = Some(child);
    }

    pub fn network(&self) -> &Network {
        self.network.as_ref().expect("servers in networks of their own")
    }

    /// Cuts a server off from the others, or joins it to them again; clients still reach it.
    pub fn cut(&self, at: usize, is_cut: bool) {
        self.network().cut(at, is_cut);
    }

    /// The server that leads a stream, as any other tells.
    pub fn leader(&self, stream: &str) -> Option<usize> {
        let pages = self.nodes.iter().filter_map(|node| get(node.at.monitor, "/jsz?streams=true"));
        let wanted = format!("\"name\": \"{stream}\"");
        let mut leaders = pages.filter_map(|page| {
            let rest = page.split_once(&wanted)?.1;
            let rest = rest.split_once("\"leader\": \"n")?.1;
            rest.split('"').next()?.parse().ok()
        });
        leaders.next()
    }

    /// Until all that run are well.
    pub fn wait(&self) {
        let end = Instant::now() + PATIENCE;
        for node in self.nodes.iter().filter(|node| node.child.lock().unwrap().is_some()) {
            while !is_well(node.at.monitor) {
                assert!(Instant::now() < end, "a nats-server does not get well, it says:\n{}", node.last_words());
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    pub fn kill(&self, at: usize) {
        if let Some(mut child) = self.nodes[at].child.lock().unwrap().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Stopped, it neither answers nor is gone.
    pub fn signal(&self, at: usize, signal: Signal) {
        if let Some(child) = &*self.nodes[at].child.lock().unwrap() {
            let _ = kill_process(Pid::from_child(child), signal);
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn url(&self) -> String {
        let urls: Vec<String> = (0..self.len()).map(|at| self.url_of(at)).collect();
        urls.join(",")
    }

    /// One server's.
    pub fn url_of(&self, at: usize) -> String {
        format!("nats://{}", self.nodes[at].at.client)
    }

    pub fn monitors(&self) -> Vec<String> {
        self.nodes.iter().map(|node| node.at.monitor.to_string()).collect()
    }

    /// A key file for nodes that share this engine.
    pub fn key(&self) -> PathBuf {
        let path = self.root.join("key");
        std::fs::write(&path, "0123456789abcdef0123456789abcdef0123456789abcdef\n").unwrap();
        path
    }
}

fn is_well(monitor: SocketAddr) -> bool {
    get(monitor, "/healthz").is_some_and(|page| page.contains("\"ok\""))
}

/// What a server tells about itself.
fn get(monitor: SocketAddr, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect_timeout(&monitor, Duration::from_secs(1)).ok()?;
    let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
    let mut answer = String::new();
    stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).ok()?;
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

impl Drop for Nats {
    fn drop(&mut self) {
        (0..self.nodes.len()).for_each(|at| self.kill(at));
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

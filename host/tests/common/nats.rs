//! Real nats-servers on loopback, three that are one JetStream cluster: killed, stopped and started again as tests ask.
//!
//! `PARLOR_NATS` names the program; `tests/run cluster` installs one and says so.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{PATIENCE, scratch};

struct Node {
    ports: [u16; 3],
    folder: PathBuf,
    child: Mutex<Option<Child>>,
}

pub struct Nats {
    program: PathBuf,
    nodes: Vec<Node>,
    root: PathBuf,
}

/// Ports that nobody has now.
fn free_ports<const N: usize>() -> [u16; N] {
    let listeners: [TcpListener; N] = std::array::from_fn(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

impl Nats {
    /// `count` servers that sync what they acknowledge, or only now and then.
    pub fn start(count: usize, sync: &str) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let program =
            std::env::var_os("PARLOR_NATS").expect("PARLOR_NATS: the nats-server to test with (tests/run cluster)");
        let root = scratch(&format!("nats-{}", STARTED.fetch_add(1, Relaxed)));
        let ports: Vec<[u16; 3]> = (0..count).map(|_| free_ports()).collect();
        let routes: Vec<String> = ports.iter().map(|[_, _, route]| format!("nats://127.0.0.1:{route}")).collect();
        let nodes = ports.iter().enumerate().map(|(at, ports)| {
            let folder = root.join(format!("n{at}"));
            std::fs::create_dir_all(&folder).unwrap();
            let [client, monitor, route] = ports;
            let store = folder.join("js");
            let mut config = format!(
                "server_name: n{at}\nlisten: 127.0.0.1:{client}\nhttp: 127.0.0.1:{monitor}\n\
                 jetstream {{ store_dir: {store:?}, sync_interval: {sync:?}, max_memory_store: 256M, max_file_store: 4G }}\n"
            );
            if count > 1 {
                let routes = routes.join(", ");
                config += &format!("cluster {{ name: parlor, listen: 127.0.0.1:{route}, routes: [{routes}] }}\n");
            }
            std::fs::write(folder.join("nats.conf"), config).unwrap();
            Node { ports: *ports, folder, child: Mutex::default() }
        });
        let nats = Self { program: program.into(), nodes: nodes.collect(), root };
        (0..count).for_each(|at| nats.up(at));
        nats.wait();
        nats
    }

    /// Starts a server, again or for the first time.
    pub fn up(&self, at: usize) {
        let node = &self.nodes[at];
        let log = std::fs::OpenOptions::new().create(true).append(true).open(node.folder.join("log")).unwrap();
        let child = Command::new(&self.program)
            .arg("-c")
            .arg(node.folder.join("nats.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("nats-server should start");
        *node.child.lock().unwrap() = Some(child);
    }

    /// Until all that run are well.
    pub fn wait(&self) {
        let end = Instant::now() + PATIENCE;
        for node in self.nodes.iter().filter(|node| node.child.lock().unwrap().is_some()) {
            while !is_well(node.ports[1]) {
                assert!(Instant::now() < end, "a nats-server does not get well");
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
        let urls: Vec<String> = self.nodes.iter().map(|node| format!("nats://127.0.0.1:{}", node.ports[0])).collect();
        urls.join(",")
    }

    pub fn monitors(&self) -> Vec<String> {
        self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.ports[1])).collect()
    }

    /// A key file for nodes that share this engine.
    pub fn key(&self) -> PathBuf {
        let path = self.root.join("key");
        std::fs::write(&path, "0123456789abcdef0123456789abcdef0123456789abcdef\n").unwrap();
        path
    }
}

fn is_well(monitor: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", monitor)) else { return false };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
    let mut answer = String::new();
    stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.contains("\"ok\"")
}

impl Drop for Nats {
    fn drop(&mut self) {
        (0..self.nodes.len()).for_each(|at| self.kill(at));
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

//! A server in this process behind a TCP port, for clients that are programs of their own.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parlor_core::server::Server;

use parlor_core::driver::Driver;

/// Serves until it is dropped.
pub struct Served {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// `make` is called where the server lives: it need not be sent.
    pub fn new<S: Server>(make: impl FnOnce() -> Driver<S> + Send + 'static) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || serve(&listener, make(), &stopped));
        Ok(Self { address, stop, thread: Some(thread) })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve<S: Server>(listener: &TcpListener, mut driver: Driver<S>, stop: &AtomicBool) {
    let mut sockets: Vec<(TcpStream, usize)> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let mut idle = true;
        if let Ok((socket, _)) = listener.accept()
            && let Ok(client) = driver.connect()
        {
            let _ = (socket.set_nonblocking(true), socket.set_nodelay(true));
            sockets.push((socket, client));
        }
        let before = sockets.len();
        sockets.retain_mut(|(socket, client)| {
            let mut buffer = [0; 1024];
            match socket.read(&mut buffer) {
                Ok(0) => return false,
                Ok(n) => {
                    driver.send(*client, &buffer[..n]);
                    idle = false;
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return false,
            }
            true
        });
        if sockets.len() < before {
            // Those whose socket is gone.
            let open: Vec<usize> = sockets.iter().map(|(_, client)| *client).collect();
            for client in 0..driver.connections.len() {
                if driver.connections[client].link.is_some() && !open.contains(&client) {
                    driver.hang_up(client);
                }
            }
        }
        for (socket, client) in &mut sockets {
            let bytes = driver.take(*client);
            idle &= bytes.is_empty();
            // What is said in this game fits a socket's buffer many times over.
            let _ = socket.write_all(&bytes);
        }
        // What the server has closed is closed for its client, too.
        sockets.retain(|(_, client)| !driver.connections[*client].closed);
        if idle {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

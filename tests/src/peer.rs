//! One way to talk to a server, wherever it runs: in this process, behind a socket, on a board.

use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use parlor_core::driver::{Driver, Reading};
use parlor_core::server::Server;

/// How long a socket may keep a test waiting. Nothing is asserted on it: it only ends a test that would hang.
const PATIENCE: Duration = Duration::from_secs(20);

/// Milliseconds in which a server on this machine has surely read what was sent to it.
const SETTLING: u64 = 40;

/// A server that can be connected to.
pub trait Backend {
    fn connect(&mut self) -> Box<dyn Peer>;
    /// Lets time pass: the driver moves its clock, a real server needs real time.
    fn wait(&mut self, ms: u64);
    /// How long something expected may take to arrive.
    fn patience(&self) -> Duration {
        PATIENCE
    }
    /// Long enough for what was sent to have been handled, answered or not.
    fn settle(&mut self) {
        self.wait(SETTLING);
    }
}

/// A client's end of one connection.
pub trait Peer {
    fn send(&mut self, bytes: &[u8]);
    /// What has arrived and was not yet taken; waits at most `patience` for something to arrive.
    fn arrived(&mut self, patience: Duration) -> Vec<u8>;
    /// The server has closed the connection and everything was taken.
    fn is_closed(&mut self) -> bool;
    /// Reads nothing from now on, or reads again.
    fn stop_reading(&mut self, stop: bool);
    fn hang_up(&mut self);
}

/// How long the first frame (a code, a length, a payload) of these bytes is, if all of it has come.
pub fn cut_frame(unread: &[u8]) -> Option<usize> {
    match unread {
        [_, length, rest @ ..] if rest.len() >= usize::from(*length) => Some(2 + usize::from(*length)),
        _ => None,
    }
}

/// A peer whose messages are taken one by one.
pub struct Talk {
    peer: Box<dyn Peer>,
    unread: Vec<u8>,
}

impl Talk {
    pub fn new(backend: &mut dyn Backend) -> Self {
        Self { peer: backend.connect(), unread: Vec::new() }
    }

    pub fn peer(&mut self) -> &mut dyn Peer {
        &mut *self.peer
    }

    pub fn send(&mut self, frame: &[u8]) {
        self.peer.send(frame);
    }

    /// The next frame if it has come, or comes within `patience`.
    pub fn try_frame(&mut self, patience: Duration) -> Option<Vec<u8>> {
        self.try_message(patience, cut_frame)
    }

    /// The next message if it has come, or comes within `patience`. `cut` says how long the first of the unread bytes is,
    /// if all of it has come.
    pub fn try_message(&mut self, patience: Duration, cut: impl Fn(&[u8]) -> Option<usize>) -> Option<Vec<u8>> {
        let end = Instant::now() + patience;
        loop {
            if let Some(length) = cut(&self.unread) {
                return Some(self.unread.drain(..length).collect());
            }
            let left = end.saturating_duration_since(Instant::now());
            let more = self.peer.arrived(left);
            if more.is_empty() && (left.is_zero() || self.peer.is_closed()) {
                return None;
            }
            self.unread.extend(more);
        }
    }

    /// The next frame.
    pub fn frame(&mut self) -> Vec<u8> {
        self.try_frame(PATIENCE).expect("a frame should have come")
    }

    /// Every frame up to and with the first that `last` accepts.
    pub fn frames_until(&mut self, last: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        loop {
            frames.push(self.frame());
            if last(&frames[frames.len() - 1]) {
                return frames;
            }
        }
    }

    /// Every frame until the server closes.
    pub fn frames_until_closed(&mut self) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        while let Some(frame) = self.try_frame(PATIENCE) {
            frames.push(frame);
        }
        assert!(self.peer.is_closed(), "the server should have closed the connection");
        frames
    }

    pub fn hang_up(&mut self) {
        self.peer.hang_up();
    }
}

/// The server in this process.
pub struct InMemory<S: Server> {
    pub driver: Rc<RefCell<Driver<S>>>,
    /// What clients send is cut into pieces of at most so many bytes.
    piece: usize,
}

impl<S: Server> InMemory<S> {
    pub fn new(server: Box<S>) -> Self {
        Self::in_pieces(server, usize::MAX)
    }

    pub fn in_pieces(server: Box<S>, piece: usize) -> Self {
        Self { driver: Rc::new(RefCell::new(Driver::new(server))), piece }
    }
}

impl<S: Server + 'static> Backend for InMemory<S> {
    fn connect(&mut self) -> Box<dyn Peer> {
        let mut driver = self.driver.borrow_mut();
        let at = driver.connect().expect("a link should be free");
        driver.connections[at].chunk = self.piece;
        Box::new(InMemoryPeer { driver: self.driver.clone(), at })
    }
    fn wait(&mut self, ms: u64) {
        self.driver.borrow_mut().advance(ms);
    }
    /// Nothing comes by itself here: what did not come by now never will, unless time moves.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }
    fn settle(&mut self) {
        self.driver.borrow_mut().run();
    }
}

struct InMemoryPeer<S: Server> {
    driver: Rc<RefCell<Driver<S>>>,
    at: usize,
}

impl<S: Server> Peer for InMemoryPeer<S> {
    fn send(&mut self, bytes: &[u8]) {
        self.driver.borrow_mut().send(self.at, bytes);
    }
    fn arrived(&mut self, patience: Duration) -> Vec<u8> {
        let mut driver = self.driver.borrow_mut();
        driver.run();
        let bytes = driver.take(self.at);
        if bytes.is_empty() && !patience.is_zero() && !driver.connections[self.at].closed {
            drop(driver);
            std::thread::sleep(Duration::from_millis(1));
        }
        bytes
    }
    fn is_closed(&mut self) -> bool {
        let connection = &self.driver.borrow().connections[self.at];
        connection.closed && connection.inbox.is_empty()
    }
    fn stop_reading(&mut self, stop: bool) {
        let reading = if stop { Reading::Stopped } else { Reading::Eager };
        self.driver.borrow_mut().connections[self.at].reading = reading;
    }
    fn hang_up(&mut self) {
        self.driver.borrow_mut().hang_up(self.at);
    }
}

impl<S: Server> Drop for InMemoryPeer<S> {
    fn drop(&mut self) {
        self.hang_up();
    }
}

/// A server behind a TCP port of this machine.
pub struct OverTcp(pub SocketAddr);

impl Backend for OverTcp {
    fn connect(&mut self) -> Box<dyn Peer> {
        let stream = TcpStream::connect_timeout(&self.0, PATIENCE).expect("the server should accept");
        over(stream)
    }
    fn wait(&mut self, ms: u64) {
        std::thread::sleep(Duration::from_millis(ms));
    }
}

/// A client's end of a connection that was made elsewhere.
pub fn over(stream: TcpStream) -> Box<dyn Peer> {
    stream.set_nodelay(true).expect("TCP_NODELAY");
    Box::new(TcpPeer { stream, stopped: false, closed: false })
}

struct TcpPeer {
    stream: TcpStream,
    stopped: bool,
    closed: bool,
}

impl Peer for TcpPeer {
    fn send(&mut self, bytes: &[u8]) {
        // A server that has closed in the meantime is not this call's business: `is_closed` tells.
        let _ = self.stream.write_all(bytes);
    }
    fn arrived(&mut self, patience: Duration) -> Vec<u8> {
        if self.stopped {
            return Vec::new();
        }
        let mut buffer = [0; 4096];
        // A time-out of zero is not allowed, and a small one sleeps long.
        self.stream.set_nonblocking(patience.is_zero()).expect("non-blocking");
        if !patience.is_zero() {
            self.stream.set_read_timeout(Some(patience)).expect("a time-out");
        }
        let read = self.stream.read(&mut buffer);
        self.stream.set_nonblocking(false).expect("blocking");
        match read {
            Ok(0) => self.closed = true,
            Ok(n) => return buffer[..n].to_vec(),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(_) => self.closed = true,
        }
        Vec::new()
    }
    fn is_closed(&mut self) -> bool {
        self.closed
    }
    fn stop_reading(&mut self, stop: bool) {
        self.stopped = stop;
    }
    fn hang_up(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        self.closed = true;
    }
}

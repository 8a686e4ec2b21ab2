//! Drives any server in memory, as the head of [`crate::server`] asks. For tests alone: a network without a network.
//!
//! Step by step, each method is one call of the server and nothing else: [`Driver::open`], [`Driver::write`],
//! [`Driver::receive`], [`Driver::release`], [`Driver::next_ready`], [`Driver::pull`], [`Driver::close`]. None of them
//! allocates once a connection stands.
//!
//! Or all that follows happens at once: [`Driver::connect`], [`Driver::send`], [`Driver::hang_up`], [`Driver::advance`].
//! Every connection is then a pipe, cut into pieces of any size and read at any speed ([`Connection`]).
//!
//! Time stands still until it is told to move.
// A test that asks for a connection that there is not has a fault, and is told so.
#![allow(clippy::indexing_slicing)]

use std::boxed::Box;
use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;

use crate::server::{Answer, Ask, Framer as _, Full, Intake, Lagging, Link, Millis, RequestId, Server};

/// The deadline, where it is held against the next one: not where time is measured.
fn watch_deadline<S: Server>(server: &S) -> Option<Option<Millis>> {
    cfg!(debug_assertions).then(|| server.deadline())
}

/// Whether there is an earlier deadline than `before`.
fn is_sooner<S: Server>(server: &S, before: Option<Option<Millis>>) -> bool {
    let never = Millis(u64::MAX);
    before.is_some_and(|before| server.deadline().unwrap_or(never) < before.unwrap_or(never))
}

/// How a client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Everything, at once.
    Eager,
    /// At most this many bytes each time the driver runs.
    Slow(usize),
    /// Nothing: its bytes stay with the server.
    Stopped,
}

/// One connection as both ends see it.
pub struct Connection<S: Server> {
    /// `None`: one of the ends has closed it.
    pub link: Option<Link>,
    pub framer: S::Framer,
    /// The server last took nothing more from it: nothing is to be handed to it until [`Driver::next_ready`] names it.
    pub stalled: bool,
    /// The server has closed it.
    pub closed: bool,
    /// Received by the client, not yet looked at by the test.
    pub inbox: Vec<u8>,
    pub reading: Reading,
    /// Bytes handed to the server in one piece.
    pub chunk: usize,
    /// Bytes that its socket holds unread.
    pub window: usize,
    /// Room given to the server in one pull.
    pub pull: usize,
    /// All that the server took from it, as a journal would have it, if that is to be kept.
    pub taken: Option<Vec<u8>>,
    /// Sent by the client, not yet taken by the server.
    outgoing: Vec<u8>,
    /// Pulled from the server, not yet read by a slow client.
    in_flight: Vec<u8>,
}

impl<S: Server> Default for Connection<S> {
    fn default() -> Self {
        Self {
            link: None,
            framer: S::Framer::default(),
            stalled: false,
            closed: false,
            inbox: Vec::new(),
            reading: Reading::Eager,
            chunk: usize::MAX,
            window: 1024,
            pull: S::MAX_FRAME.max(600),
            taken: None,
            outgoing: Vec::new(),
            in_flight: Vec::new(),
        }
    }
}

impl<S: Server<Framer: Clone>> Driver<S> {
    /// The same connections, at the same moment, with another server.
    pub fn clone_with(&self, server: Box<S>) -> Self {
        Self {
            server,
            connections: self.connections.clone(),
            asked: self.asked.clone(),
            files: self.files.clone(),
            slots: self.slots.clone(),
            buffer: Vec::new(),
            ..*self
        }
    }
}

impl<S: Server<Framer: Clone>> Clone for Connection<S> {
    fn clone(&self) -> Self {
        Self {
            framer: self.framer.clone(),
            inbox: self.inbox.clone(),
            taken: self.taken.clone(),
            outgoing: self.outgoing.clone(),
            in_flight: self.in_flight.clone(),
            ..*self
        }
    }
}

/// What an adapter answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Failed,
    Hash(Vec<u8>),
    Verified(bool),
    Done,
    File(Vec<u8>),
    Limited,
}

/// Files that servers keep by name.
type Files = BTreeMap<String, Vec<u8>>;

/// A request of the server that was not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub id: RequestId,
    /// What an honest adapter answers; `None`: that is up to the test.
    pub reply: Option<Reply>,
    /// The game that a bot is wanted for.
    pub bot_for: Option<String>,
}

impl Asked {
    /// A hash is the secret backwards behind a mark: enough to be told apart, and never empty.
    fn new(id: RequestId, ask: Ask<'_>, files: &mut Files) -> Self {
        let hashed = |secret: &[u8]| core::iter::once(b'#').chain(secret.iter().rev().copied()).collect::<Vec<u8>>();
        let (reply, bot_for) = match ask {
            Ask::Hash(secret) => (Some(Reply::Hash(hashed(secret))), None),
            Ask::Verify { secret, hash } => (Some(Reply::Verified(hashed(secret) == hash)), None),
            Ask::Bot { game } => (None, Some(game.into())),
            Ask::Save { name, file } => {
                files.insert(name.into(), file.into());
                (Some(Reply::Done), None)
            }
            Ask::Load { name } => (Some(files.get(name).cloned().map_or(Reply::Failed, Reply::File)), None),
        };
        Self { id, reply, bot_for }
    }
}

/// A server and its connections, by the order in which they were made.
pub struct Driver<S: Server> {
    pub server: Box<S>,
    pub connections: Vec<Connection<S>>,
    pub now: Millis,
    /// What is said may be read at once; `false`: only after [`Driver::let_go`].
    pub releasing: bool,
    /// Requests with a reply are answered at once; `false`: only by [`Driver::answer_all`].
    pub answering: bool,
    /// Open requests, the oldest first.
    pub asked: Vec<Asked>,
    /// What the server had kept by name.
    pub files: Files,
    /// The connection that each link slot was last given to.
    slots: Vec<usize>,
    buffer: Vec<u8>,
}

/// One call of the server each.
impl<S: Server> Driver<S> {
    pub fn new(server: Box<S>) -> Self {
        Self {
            server,
            connections: Vec::new(),
            now: Millis(1_000),
            releasing: true,
            answering: true,
            asked: Vec::new(),
            files: Files::new(),
            // Opening a link allocates nothing then.
            slots: Vec::with_capacity(256),
            buffer: Vec::new(),
        }
    }

    /// A new connection; its number.
    pub fn open(&mut self) -> Result<usize, Full> {
        let at = self.connections.len();
        self.open_at(at)?;
        Ok(at)
    }

    /// A new connection in the place of one that has ended, or of none.
    pub fn open_at(&mut self, at: usize) -> Result<(), Full> {
        let link = self.server.open(self.now)?;
        let slot = usize::from(link.slot);
        self.slots.resize(self.slots.len().max(slot + 1), usize::MAX);
        self.slots[slot] = at;
        while self.connections.len() <= at {
            self.connections.push(Connection::default());
        }
        self.connections[at] = Connection { link: Some(link), ..Connection::default() };
        Ok(())
    }

    /// Puts bytes into the connection's framer, as a socket would: as many as fit.
    pub fn write(&mut self, at: usize, bytes: &[u8]) -> usize {
        self.connections[at].write(bytes)
    }

    /// The server takes frames that were written.
    pub fn receive(&mut self, at: usize) -> Intake {
        let connection = &mut self.connections[at];
        let Some(link) = connection.link else { return Intake::Hungry };
        let due = watch_deadline(&*self.server);
        let intake = self.server.receive(link, &mut connection.framer, self.now);
        assert!(self.server.hastens() || !is_sooner(&*self.server, due), "an adapter would wait for too long");
        connection.stalled = intake == Intake::Stalled;
        if let Some(taken) = &mut connection.taken {
            taken.extend_from_slice(connection.framer.taken());
        }
        intake
    }

    /// The same until nothing more is taken.
    pub fn receive_all(&mut self, at: usize) -> Intake {
        loop {
            match self.receive(at) {
                Intake::More => {}
                intake => return intake,
            }
        }
    }

    /// Tells the server of a link that has fallen behind; which.
    pub fn next_lag(&mut self) -> Option<Lagging> {
        let lagging = self.server.next_lagging()?;
        self.server.lag(lagging, self.now);
        Some(lagging)
    }

    /// What was said until now may be read by every link that has not fallen behind.
    pub fn release(&mut self) {
        while self.next_lag().is_some() {}
        let seq = self.server.produced();
        self.server.release(seq);
    }

    /// The next connection that has output, takes input again, or is to be closed. Links that no connection is behind are
    /// passed over.
    pub fn next_ready(&mut self) -> Option<usize> {
        loop {
            let link = self.server.next_ready()?;
            let at = self.slots.get(usize::from(link.slot)).copied().unwrap_or(usize::MAX);
            if self.connections.get(at).is_some_and(|connection| connection.link == Some(link)) {
                return Some(at);
            }
        }
    }

    pub fn pull(&mut self, at: usize, out: &mut [u8]) -> usize {
        let due = watch_deadline(&*self.server);
        let length = self.connections[at].link.map_or(0, |link| self.server.pull(link, out));
        assert!(!is_sooner(&*self.server, due), "a pull has brought the deadline forward");
        length
    }

    pub fn is_closing(&self, at: usize) -> bool {
        self.connections[at].link.is_some_and(|link| self.server.closing(link))
    }

    pub fn close(&mut self, at: usize) {
        if let Some(link) = self.connections[at].link.take() {
            self.server.close(link, self.now);
        }
    }

    /// Time moves on, without a stop on the way. A deadline that has come must then be behind: an adapter would spin.
    pub fn tick(&mut self, ms: u64) {
        self.now = self.now.plus(ms);
        self.server.tick(self.now);
        let due = self.server.deadline();
        assert!(due.is_none_or(|due| due > self.now), "{due:?} has come already at {:?}", self.now);
    }

    /// Takes the requests that the server has.
    pub fn collect_requests(&mut self) {
        while let Some(request) = self.server.next_request() {
            let asked = Asked::new(request.id, request.ask, &mut self.files);
            self.asked.push(asked);
        }
    }

    pub fn answer(&mut self, id: RequestId, reply: &Reply) {
        let answer = match reply {
            Reply::Failed => Answer::Failed,
            Reply::Hash(hash) => Answer::Hash(hash),
            Reply::Verified(verdict) => Answer::Verified(*verdict),
            Reply::Done => Answer::Done,
            Reply::File(file) => Answer::File(file),
            Reply::Limited => Answer::Limited,
        };
        self.server.answer(id, answer, self.now);
    }

    /// Answers what has a reply.
    pub fn answer_all(&mut self) {
        let mut asked = core::mem::take(&mut self.asked);
        asked.retain(|Asked { id, reply, .. }| {
            reply.iter().for_each(|reply| self.answer(*id, reply));
            reply.is_none()
        });
        self.asked = asked;
    }
}

impl<S: Server> Connection<S> {
    fn write(&mut self, bytes: &[u8]) -> usize {
        let window = self.framer.window();
        let n = bytes.len().min(window.len());
        window[..n].copy_from_slice(&bytes[..n]);
        self.framer.commit(n);
        n
    }
}

/// Everything that follows at once.
impl<S: Server> Driver<S> {
    /// A new connection; its number.
    pub fn connect(&mut self) -> Result<usize, Full> {
        let at = self.open()?;
        self.run();
        Ok(at)
    }

    /// The client sends.
    pub fn send(&mut self, at: usize, bytes: &[u8]) {
        self.connections[at].outgoing.extend_from_slice(bytes);
        self.run();
    }

    /// The client hangs up.
    pub fn hang_up(&mut self, at: usize) {
        self.close(at);
        self.run();
    }

    /// Time moves on, stopping at every deadline on the way.
    pub fn advance(&mut self, ms: u64) {
        let until = self.now.plus(ms);
        while let Some(due) = self.server.deadline().filter(|due| *due <= until) {
            self.tick(due.since(self.now));
            self.run();
        }
        self.tick(until.since(self.now));
        self.run();
    }

    /// What was said until now is read.
    pub fn let_go(&mut self) {
        self.release();
        self.run();
    }

    /// Takes what a client has received.
    pub fn take(&mut self, at: usize) -> Vec<u8> {
        core::mem::take(&mut self.connections[at].inbox)
    }

    /// Runs until nothing moves any more.
    pub fn run(&mut self) {
        loop {
            let mut moved = false;
            for at in 0..self.connections.len() {
                moved |= self.feed(at);
            }
            self.collect_requests();
            if self.answering {
                self.answer_all();
            }
            if self.releasing {
                self.release();
            }
            while let Some(at) = self.next_ready() {
                self.connections[at].stalled = false;
            }
            for at in 0..self.connections.len() {
                moved |= self.drain(at);
            }
            if !moved {
                return;
            }
        }
    }

    /// Hands one chunk to the server.
    fn feed(&mut self, at: usize) -> bool {
        let connection = &mut self.connections[at];
        if connection.stalled || connection.link.is_none() {
            return false;
        }
        let outgoing = core::mem::take(&mut connection.outgoing);
        let n = connection.write(&outgoing[..outgoing.len().min(connection.chunk.max(1))]);
        connection.outgoing = outgoing;
        connection.outgoing.drain(..n);
        // Nothing is left out: bytes, frames or room.
        self.receive(at) == Intake::More || n > 0 || !self.connections[at].framer.taken().is_empty()
    }

    /// Lets a client read at its speed; closes it when the server is done with it.
    fn drain(&mut self, at: usize) -> bool {
        let connection = &mut self.connections[at];
        let Some(link) = connection.link else { return false };
        let mut moved = false;
        self.buffer.resize(self.buffer.len().max(connection.pull), 0);
        while connection.in_flight.len() < connection.window {
            let n = self.server.pull(link, &mut self.buffer[..connection.pull]);
            if n == 0 {
                break;
            }
            connection.in_flight.extend_from_slice(&self.buffer[..n]);
            moved = true;
            if connection.reading == Reading::Eager {
                connection.inbox.append(&mut connection.in_flight);
            }
        }
        let closing = self.server.closing(link);
        let quota = match connection.reading {
            _ if closing => usize::MAX,
            Reading::Eager => usize::MAX,
            Reading::Slow(n) => n,
            Reading::Stopped => 0,
        };
        let n = quota.min(connection.in_flight.len());
        connection.inbox.extend(connection.in_flight.drain(..n));
        connection.closed |= closing;
        if closing {
            self.close(at);
        }
        moved || closing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::echo::Echo;

    fn driver() -> Driver<Echo<2, 1024>> {
        Driver::new(Box::new(Echo::new()))
    }

    #[test]
    fn a_place_is_used_again_and_late_news_go_to_nobody() {
        let mut driver = driver();
        let ann = driver.open().unwrap();
        driver.write(ann, b"E\x01a");
        assert_eq!(driver.receive_all(ann), Intake::Hungry);
        driver.close(ann);
        driver.release();
        assert_eq!(driver.next_ready(), None);
        driver.open_at(ann).unwrap();
        driver.write(ann, b"E\x01b");
        driver.receive_all(ann);
        driver.release();
        assert_eq!(driver.next_ready(), Some(ann));
        let mut out = [0; 8];
        assert_eq!((driver.pull(ann, &mut out), &out[..3]), (3, &b"E\x01b"[..]));
    }

    #[test]
    fn a_slow_reader_gets_its_bytes_in_time() {
        let mut driver = driver();
        let ann = driver.connect().unwrap();
        driver.connections[ann].reading = Reading::Slow(1);
        driver.connections[ann].window = 2;
        driver.send(ann, b"E\x01aE\x01b");
        let mut read = driver.take(ann);
        assert!(read.len() < 6, "{read:?}");
        for _ in 0..6 {
            driver.run();
            read.extend(driver.take(ann));
        }
        assert_eq!(read, b"E\x01aE\x01b");
    }

    #[test]
    fn what_is_asked_waits_for_its_answer_and_what_is_said_for_its_release() {
        let mut driver = driver();
        (driver.answering, driver.releasing) = (false, false);
        let ann = driver.connect().unwrap();
        driver.connections[ann].taken = Some(Vec::new());
        driver.send(ann, b"H\x02ab");
        assert_eq!(driver.asked[0].reply, Some(Reply::Hash(b"#ba".to_vec())));
        driver.answer_all();
        driver.run();
        assert_eq!(driver.take(ann), b"");
        driver.let_go();
        assert_eq!(driver.take(ann), b"H\x03#ba");
        assert_eq!(driver.connections[ann].taken.as_deref(), Some(&b"H\x02ab"[..]));
    }
}

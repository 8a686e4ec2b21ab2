//! Drives any server in memory, the way its trait asks.
//!
//! The harness is a network without a network: every client has a pipe of its own, cut into pieces of any size, read at
//! any speed. Time stands still until it is told to move.

use parlor_core::server::{Answer, Ask, Framer, Full, Intake, Link, Millis, Seq, Server};

/// How a client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Everything, at once.
    Eager,
    /// At most this many bytes each time the harness runs.
    Slow(usize),
    /// Nothing: its bytes stay with the server.
    Stopped,
}

/// One connection as both ends see it.
pub struct Client<S: Server> {
    pub link: Option<Link>,
    framer: S::Framer,
    /// Sent by the client, not yet taken by the server.
    outgoing: Vec<u8>,
    /// Received by the client, not yet looked at by the test.
    pub inbox: Vec<u8>,
    /// Pulled from the server, not yet read by a slow client.
    in_flight: Vec<u8>,
    pub reading: Reading,
    /// Bytes handed to the server in one piece.
    pub chunk: usize,
    /// Bytes that its socket holds unread.
    pub window: usize,
    /// Room given to the server in one pull.
    pub pull: usize,
    stalled: bool,
    /// The server has closed it.
    pub closed: bool,
}

/// A server and its clients.
pub struct Harness<S: Server> {
    pub server: S,
    pub clients: Vec<Client<S>>,
    pub now: Millis,
    /// Released after every step; `false`: only by [`Harness::release`].
    pub releasing: bool,
}

impl<S: Server> Harness<S> {
    pub fn new(server: S) -> Self {
        Self { server, clients: Vec::new(), now: Millis(1_000), releasing: true }
    }

    /// A new connection; its number.
    pub fn connect(&mut self) -> Result<usize, Full> {
        let link = self.server.open(self.now)?;
        self.clients.push(Client {
            link: Some(link),
            framer: S::Framer::default(),
            outgoing: Vec::new(),
            inbox: Vec::new(),
            in_flight: Vec::new(),
            reading: Reading::Eager,
            chunk: usize::MAX,
            window: 1024,
            pull: S::MAX_FRAME.max(600),
            stalled: false,
            closed: false,
        });
        self.run();
        Ok(self.clients.len() - 1)
    }

    /// The client sends, and everything that follows at once happens.
    pub fn send(&mut self, client: usize, bytes: &[u8]) {
        self.clients[client].outgoing.extend_from_slice(bytes);
        self.run();
    }

    /// The client hangs up.
    pub fn hang_up(&mut self, client: usize) {
        if let Some(link) = self.clients[client].link.take() {
            self.server.close(link, self.now);
        }
        self.run();
    }

    /// Time moves on, stopping at every deadline on the way.
    pub fn advance(&mut self, ms: u64) {
        let until = self.now.plus(ms);
        while let Some(due) = self.server.deadline().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            let before = self.server.deadline();
            self.server.tick(self.now);
            self.run();
            assert!(self.server.deadline() != before, "tick({:?}) left its deadline where it was", self.now);
        }
        self.now = until;
        self.server.tick(self.now);
        self.run();
    }

    /// What was produced until now may be read.
    pub fn release(&mut self) -> Seq {
        self.server.lag_all(self.now);
        let seq = self.server.produced();
        self.server.release(seq);
        self.run();
        seq
    }

    /// Takes what a client has received.
    pub fn take(&mut self, client: usize) -> Vec<u8> {
        core::mem::take(&mut self.clients[client].inbox)
    }

    /// Runs until nothing moves any more.
    pub fn run(&mut self) {
        loop {
            let mut moved = false;
            for client in 0..self.clients.len() {
                moved |= self.feed(client);
            }
            self.answer_requests();
            if self.releasing {
                self.server.lag_all(self.now);
                let seq = self.server.produced();
                self.server.release(seq);
            }
            while let Some(link) = self.server.next_ready() {
                if let Some(client) = self.clients.iter_mut().find(|client| client.link == Some(link)) {
                    client.stalled = false;
                }
            }
            for client in 0..self.clients.len() {
                moved |= self.drain(client);
            }
            if !moved {
                return;
            }
        }
    }

    /// Hands one chunk to the server.
    fn feed(&mut self, index: usize) -> bool {
        let client = &mut self.clients[index];
        let Some(link) = client.link.filter(|_| !client.stalled) else { return false };
        let window = client.framer.window();
        let n = client.outgoing.len().min(client.chunk.max(1)).min(window.len());
        window[..n].copy_from_slice(&client.outgoing[..n]);
        client.framer.commit(n);
        client.outgoing.drain(..n);
        let intake = self.server.receive(link, &mut client.framer, self.now);
        client.stalled = intake == Intake::Stalled;
        // Nothing is left out: bytes, frames or room.
        n > 0 || intake == Intake::More || !client.framer.taken().is_empty()
    }

    /// Lets a client read at its speed; closes it when the server is done with it.
    fn drain(&mut self, index: usize) -> bool {
        let client = &mut self.clients[index];
        let mut moved = false;
        let quota = match client.reading {
            Reading::Eager => usize::MAX,
            Reading::Slow(n) => n,
            Reading::Stopped => 0,
        };
        let Some(link) = client.link else { return false };
        let mut out = vec![0; client.pull];
        while client.in_flight.len() < client.window {
            let n = self.server.pull(link, &mut out);
            if n == 0 {
                break;
            }
            client.in_flight.extend_from_slice(&out[..n]);
            moved = true;
            if client.reading == Reading::Eager {
                client.inbox.append(&mut client.in_flight);
            }
        }
        let n = quota.min(client.in_flight.len());
        client.inbox.extend(client.in_flight.drain(..n));
        if self.server.closing(link) {
            client.link = None;
            client.closed = true;
            client.inbox.append(&mut client.in_flight);
            self.server.close(link, self.now);
            moved = true;
        }
        moved
    }

    fn answer_requests(&mut self) {
        while let Some(request) = self.server.next_request() {
            let id = request.id;
            // A hash is the secret backwards: enough to be told apart.
            let hashed = |secret: &[u8]| secret.iter().rev().copied().collect::<Vec<u8>>();
            match request.ask {
                Ask::Hash(secret) => {
                    let hash = hashed(secret);
                    self.server.answer(id, Answer::Hash(&hash), self.now);
                }
                Ask::Verify { secret, hash } => {
                    let verdict = Answer::Verified(hashed(secret) == hash);
                    self.server.answer(id, verdict, self.now);
                }
                _ => continue,
            }
        }
    }
}

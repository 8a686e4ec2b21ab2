//! Drives one server of core over byte streams, as the head of `parlor_core::server` asks.
//!
//! One task a connection, one for the clock. The server stands behind a lock that is never held across an await; a task
//! sleeps until its stream or the server has something for it. A peer that stops reading keeps only its own task waiting.
//! While nothing is said, a connection costs its framer and its task: buffers for output live only while they are written.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_core::server::{Answer, Ask, Framer as _, Intake, Link, Millis, RequestId, Server, Summary};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Bytes pulled and written in one go.
const BATCH: usize = 4096;
/// How long a link that the game has given up may take to read the rest.
pub const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long we read after closing our half: a reset would eat the last error.
const LINGER: Duration = Duration::from_secs(1);

/// How the host hashes a secret for a game that asks.
pub type Hasher = fn(&[u8]) -> Vec<u8>;

/// Anything that carries a game's bytes: TCP, TLS, WebSocket.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A table of any game, as the doors and the status page know it.
pub trait Room: Send + Sync {
    /// One connection, from its first byte to its last.
    fn attend(self: Arc<Self>, stream: Box<dyn Stream>) -> Task;
    /// The table's clock: one such task for each table.
    fn keep_time(self: Arc<Self>) -> Task;
    fn summary(&self) -> Summary;
    fn traffic(&self) -> Traffic;
    /// Every connection is sent what is due and closed; new ones too.
    fn stop(&self);
}

/// What went over a table's connections so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    pub received: u64,
    pub sent: u64,
    /// Connections now.
    pub links: u64,
    /// Connections ever turned away because no link was left.
    pub full: u64,
}

/// Why a connection and a table parted.
pub(crate) enum Parting {
    /// One of them is done.
    Over,
    /// The next frame may be for another table of the lobby.
    Elsewhere,
}

#[derive(Default)]
struct Meters {
    received: AtomicU64,
    sent: AtomicU64,
    links: AtomicU64,
    full: AtomicU64,
}

/// A server, shared by the tasks that drive it.
pub struct Shared<S> {
    server: Mutex<S>,
    /// One a link slot: there is output, or input is taken again.
    wakes: Vec<Notify>,
    /// The server's deadline may have moved earlier.
    rearm: Notify,
    start: Instant,
    hasher: Option<Hasher>,
    /// Output waits for [`Shared::release`]: a journal is being written.
    held: bool,
    stopping: AtomicBool,
    meters: Meters,
}

impl<S: Server + Send + 'static> Shared<S> {
    /// `links` as the server was made for.
    pub fn new(server: S, links: usize) -> Self {
        Self {
            server: Mutex::new(server),
            wakes: (0..links).map(|_| Notify::new()).collect(),
            rearm: Notify::new(),
            start: Instant::now(),
            hasher: None,
            held: false,
            stopping: AtomicBool::new(false),
            meters: Meters::default(),
        }
    }

    /// Hashes secrets for the game. Without it, such requests are answered as failed.
    pub fn with_hasher(self, hasher: Hasher) -> Self {
        Self { hasher: Some(hasher), ..self }
    }

    /// Nothing is sent before [`Shared::release`].
    pub fn holding(self) -> Self {
        Self { held: true, ..self }
    }

    /// What was produced until now may be sent.
    pub fn release(self: &Arc<Self>) {
        self.with(|server| {
            let produced = server.produced();
            server.release(produced);
        });
    }

    pub fn now(&self) -> Millis {
        Millis(self.start.elapsed().as_millis() as u64)
    }

    /// Calls the server, then does what every call may have made necessary. Whatever changes a table passes here.
    pub(crate) fn with<T>(self: &Arc<Self>, call: impl FnOnce(&mut S) -> T) -> T {
        let mut server = self.lock();
        let before = server.deadline();
        let result = call(&mut server);
        while let Some(request) = server.next_request() {
            self.take_request(request.id, request.ask);
        }
        if !self.held {
            let produced = server.produced();
            server.release(produced);
        }
        while let Some(link) = server.next_ready() {
            self.wake(link);
        }
        let after = server.deadline();
        if after.is_some_and(|after| before.is_none_or(|before| after < before)) {
            self.rearm.notify_one();
        }
        result
    }

    /// A hash takes long: it is made elsewhere and only the link that asked waits.
    fn take_request(self: &Arc<Self>, id: RequestId, ask: Ask<'_>) {
        let secret = match ask {
            Ask::Hash(secret) => secret.to_vec(),
            _ => Vec::new(),
        };
        let shared = self.clone();
        tokio::task::spawn_blocking(move || {
            let hash = shared.hasher.map(|hasher| hasher(&secret));
            let answer = hash.as_deref().map_or(Answer::Failed, Answer::Hash);
            let now = shared.now();
            shared.with(|server| server.answer(id, answer, now));
        });
    }

    fn lock(&self) -> MutexGuard<'_, S> {
        // Core does not panic; if it ever did, the state is still the best there is.
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the server what changes nothing.
    pub(crate) fn look<T>(&self, ask: impl FnOnce(&S) -> T) -> T {
        ask(&self.lock())
    }

    fn is_done_with(&self, link: Link) -> bool {
        self.stopping.load(Ordering::Relaxed) || self.lock().closing(link)
    }

    fn wake(&self, link: Link) {
        if let Some(wake) = self.wakes.get(usize::from(link.slot)) {
            wake.notify_one();
        }
    }

    pub(crate) async fn woken(&self, link: Link) {
        match self.wakes.get(usize::from(link.slot)) {
            Some(wake) => wake.notified().await,
            None => std::future::pending().await,
        }
    }

    /// What the server has for this link, in a buffer of its size; `None`: nothing more for now.
    fn pull(self: &Arc<Self>, link: Link) -> Option<Box<[u8]>> {
        // One a worker thread: a connection holds only what it is about to write.
        thread_local!(static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(BATCH.max(S::MAX_FRAME), 0);
            let n = self.with(|server| server.pull(link, scratch));
            scratch.get(..n).filter(|bytes| !bytes.is_empty()).map(Box::from)
        })
    }

    /// One connection, from its first byte to its last.
    pub async fn attend(self: Arc<Self>, mut stream: impl Stream) {
        let now = self.now();
        // Full: there is no link to say so on. A game keeps links beyond its seats to answer that.
        let Ok(link) = self.with(|server| server.open(now)) else {
            self.meters.full.fetch_add(1, Ordering::Relaxed);
            return;
        };
        self.enter(0);
        let mut framer = S::Framer::default();
        if let Err(error) = self.talk(&mut stream, link, &mut framer, Intake::Hungry).await {
            tracing::debug!(slot = link.slot, %error, "connection lost");
        }
        self.leave(link);
    }

    /// A link was opened for a connection of which so many bytes were read already.
    pub(crate) fn enter(&self, read: usize) {
        self.meters.links.fetch_add(1, Ordering::Relaxed);
        self.meters.received.fetch_add(read as u64, Ordering::Relaxed);
    }

    pub(crate) fn leave(self: &Arc<Self>, link: Link) {
        self.meters.links.fetch_sub(1, Ordering::Relaxed);
        let now = self.now();
        self.with(|server| server.close(link, now));
    }

    /// Goes on from `intake` until the connection ends, or the next frame may be for another table.
    pub(crate) async fn talk(
        self: &Arc<Self>,
        stream: &mut impl Stream,
        link: Link,
        framer: &mut S::Framer,
        mut intake: Intake,
    ) -> io::Result<Parting> {
        loop {
            self.send_all(stream, link).await?;
            if self.is_done_with(link) {
                return hang_up(stream).await.map(|()| Parting::Over);
            }
            match intake {
                Intake::Hungry => tokio::select! {
                    read = stream.read(framer.window()) => {
                        let n = read?;
                        if n == 0 {
                            return Ok(Parting::Over);
                        }
                        framer.commit(n);
                        self.meters.received.fetch_add(n as u64, Ordering::Relaxed);
                    }
                    () = self.woken(link) => continue,
                },
                Intake::More => {}
                Intake::Stalled => self.woken(link).await,
                Intake::Elsewhere => return Ok(Parting::Elsewhere),
            }
            let now = self.now();
            intake = self.with(|server| server.receive(link, framer, now));
            // A peer that never stops talking must not keep the others' tasks from sending what it said.
            tokio::task::yield_now().await;
        }
    }

    /// Writes everything the server has for this link.
    pub(crate) async fn send_all(self: &Arc<Self>, stream: &mut impl Stream, link: Link) -> io::Result<()> {
        while let Some(bytes) = self.pull(link) {
            let write = async {
                stream.write_all(&bytes).await?;
                stream.flush().await
            };
            self.patiently(write, link).await?;
            self.meters.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A write may take as long as the game puts up with its link, and then some.
    async fn patiently(&self, write: impl Future<Output = io::Result<()>>, link: Link) -> io::Result<()> {
        let mut write = std::pin::pin!(write);
        let mut woken = false;
        let written = loop {
            tokio::select! {
                biased;
                written = write.as_mut() => break written,
                () = self.woken(link) => woken = true,
            }
            if self.is_done_with(link) {
                break timeout(LAST_WORDS, write).await.unwrap_or(Err(io::ErrorKind::TimedOut.into()));
            }
        };
        // It may have meant that input is taken again: whoever waits for that must still hear it.
        if woken {
            self.wake(link);
        }
        written
    }

    /// Ticks when the server asks for it.
    pub async fn keep_time(self: Arc<Self>) {
        loop {
            self.strike().await;
        }
    }

    /// Waits until the server's next deadline and ticks, or until the deadline moves. Without a deadline nothing wakes it.
    pub(crate) async fn strike(self: &Arc<Self>) {
        let deadline = self.lock().deadline();
        let Some(due) = deadline else { return self.rearm.notified().await };
        tokio::select! {
            () = sleep_until(self.start + Duration::from_millis(due.0)) => {
                let now = self.now();
                self.with(|server| server.tick(now));
            }
            () = self.rearm.notified() => {}
        }
    }
}

impl<S: Server + Send + 'static> Room for Shared<S> {
    fn attend(self: Arc<Self>, stream: Box<dyn Stream>) -> Task {
        Box::pin(Shared::attend(self, stream))
    }

    fn keep_time(self: Arc<Self>) -> Task {
        Box::pin(Shared::keep_time(self))
    }

    fn summary(&self) -> Summary {
        self.lock().summary()
    }

    fn traffic(&self) -> Traffic {
        let Meters { received, sent, links, full } = &self.meters;
        let [received, sent, links, full] = [received, sent, links, full].map(|meter| meter.load(Ordering::Relaxed));
        Traffic { received, sent, links, full }
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.wakes.iter().for_each(Notify::notify_one);
    }
}

/// One server on one port, for ever: no limits, no TLS.
pub async fn serve<S: Server + Send + 'static>(listener: TcpListener, shared: Arc<Shared<S>>) {
    tokio::spawn(Shared::keep_time(shared.clone()));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let _ = stream.set_nodelay(true);
                tokio::spawn(Shared::attend(shared.clone(), stream));
            }
            // Out of descriptors, most likely: it passes when somebody leaves.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Closes our half and reads the other to its end.
pub(crate) async fn hang_up(stream: &mut impl Stream) -> io::Result<()> {
    let farewell = async {
        stream.shutdown().await?;
        let mut rest = [0; 256];
        while stream.read(&mut rest).await? > 0 {}
        Ok(())
    };
    timeout(LINGER, farewell).await.unwrap_or(Ok(()))
}

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

/// Reads after which a connection that is always ready lets others have a turn.
const PATIENCE: u32 = 8;

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
    /// Calls `note` with every kind of frame that passed: its name, how many were received, how many sent.
    fn frames(&self, note: &mut dyn FnMut(&'static str, u64, u64));
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

#[derive(Default)]
struct Meters {
    received: AtomicU64,
    sent: AtomicU64,
    links: AtomicU64,
    full: AtomicU64,
    frames_in: Tally,
    frames_out: Tally,
}

/// Frames by kind. Counted under the server's lock, so that one after the other writes; read without it.
struct Tally([AtomicU64; 256]);

impl Default for Tally {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; 256])
    }
}

impl Tally {
    fn note(&self, kind: u8) {
        if let Some(count) = self.0.get(usize::from(kind)) {
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }
}

/// A server, shared by the tasks that drive it.
pub struct Shared<S> {
    server: Mutex<S>,
    /// One a link slot: there is output, or input is taken again.
    wakes: Vec<Notify>,
    /// The server's deadline has moved earlier than what its clock waits for.
    rearm: Notify,
    /// What its clock waits for, in milliseconds. Written under the server's lock.
    armed: AtomicU64,
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
            armed: AtomicU64::new(u64::MAX),
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
    fn with<T>(self: &Arc<Self>, call: impl FnOnce(&mut S) -> T) -> T {
        self.with_served(|server| (call(server), None))
    }

    /// The same, for a call that names a link whose task knows by itself what to do next: it is not woken.
    fn with_served<T>(self: &Arc<Self>, call: impl FnOnce(&mut S) -> (T, Option<Link>)) -> T {
        let mut server = self.lock();
        let (result, served) = call(&mut server);
        while let Some(request) = server.next_request() {
            self.take_request(request.id, request.ask);
        }
        self.release_at_once(&mut server);
        while let Some(link) = server.next_ready() {
            if Some(link) != served {
                self.wake(link);
            }
        }
        let due = server.deadline().map_or(u64::MAX, |due| due.0);
        if due < self.armed.load(Ordering::Relaxed) {
            self.armed.store(due, Ordering::Relaxed);
            self.rearm.notify_one();
        }
        result
    }

    /// Unless a journal is being written.
    fn release_at_once(&self, server: &mut S) {
        if !self.held {
            let produced = server.produced();
            server.release(produced);
        }
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

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    fn is_done_with(&self, link: Link) -> bool {
        self.is_stopping() || self.lock().closing(link)
    }

    fn wake(&self, link: Link) {
        if let Some(wake) = self.wakes.get(usize::from(link.slot)) {
            wake.notify_one();
        }
    }

    async fn woken(&self, link: Link) {
        match self.wakes.get(usize::from(link.slot)) {
            Some(wake) => wake.notified().await,
            None => std::future::pending().await,
        }
    }

    /// Hands the server what came on this link, if anything did, and takes what it has for it: in one go, for most of what
    /// is said is answered at once.
    fn serve(self: &Arc<Self>, link: Link, came: Option<&mut S::Framer>) -> Served {
        // One a worker thread: a connection holds only what it is about to write.
        thread_local!(static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        let now = self.now();
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(BATCH.max(S::MAX_FRAME), 0);
            self.with_served(|server| {
                let intake = came.map(|framer| {
                    let intake = server.receive(link, framer, now);
                    S::kinds(framer.taken(), |kind| self.meters.frames_in.note(kind));
                    intake
                });
                self.release_at_once(server);
                let (n, is_all) = draw(server, link, scratch);
                let bytes = scratch.get(..n).unwrap_or_default();
                S::kinds(bytes, |kind| self.meters.frames_out.note(kind));
                let is_done = is_all && server.closing(link);
                // Who is stalled must hear when that ends, be it by this very call.
                let served = (is_all && intake != Some(Intake::Stalled)).then_some(link);
                (Served { intake, bytes: bytes.into(), is_all, is_done }, served)
            })
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
        self.meters.links.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = self.talk(&mut stream, link).await {
            tracing::debug!(slot = link.slot, %error, "connection lost");
        }
        self.meters.links.fetch_sub(1, Ordering::Relaxed);
        let now = self.now();
        self.with(|server| server.close(link, now));
    }

    async fn talk(self: &Arc<Self>, stream: &mut impl Stream, link: Link) -> io::Result<()> {
        let mut framer = S::Framer::default();
        let mut intake = Intake::Hungry;
        let mut served = self.serve(link, None);
        for turn in 1_u32.. {
            while !self.send(stream, link, &served).await? {
                served = self.serve(link, None);
            }
            if served.is_done || self.is_stopping() {
                break;
            }
            served = match intake {
                Intake::Hungry => tokio::select! {
                    biased;
                    () = self.woken(link) => self.serve(link, None),
                    read = stream.read(framer.window()) => {
                        let n = read?;
                        if n == 0 {
                            return Ok(());
                        }
                        framer.commit(n);
                        self.meters.received.fetch_add(n as u64, Ordering::Relaxed);
                        self.serve(link, Some(&mut framer))
                    }
                },
                Intake::More => self.serve(link, Some(&mut framer)),
                Intake::Stalled => {
                    self.woken(link).await;
                    self.serve(link, Some(&mut framer))
                }
            };
            intake = served.intake.unwrap_or(intake);
            // A peer that never stops talking must not keep the others' tasks from sending what it said.
            if intake == Intake::More || turn.is_multiple_of(PATIENCE) {
                tokio::task::yield_now().await;
            }
        }
        hang_up(stream).await
    }

    /// Writes what was taken; whether that was all.
    async fn send(self: &Arc<Self>, stream: &mut impl Stream, link: Link, served: &Served) -> io::Result<bool> {
        if !served.bytes.is_empty() {
            let write = async {
                stream.write_all(&served.bytes).await?;
                stream.flush().await
            };
            self.patiently(write, link).await?;
            self.meters.sent.fetch_add(served.bytes.len() as u64, Ordering::Relaxed);
        }
        Ok(served.is_all)
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
            let deadline = {
                let server = self.lock();
                let deadline = server.deadline();
                self.armed.store(deadline.map_or(u64::MAX, |due| due.0), Ordering::Relaxed);
                deadline
            };
            match deadline {
                Some(due) => {
                    let due = self.start + Duration::from_millis(due.0);
                    tokio::select! {
                        () = sleep_until(due) => {
                            let now = self.now();
                            self.with(|server| server.tick(now));
                        }
                        () = self.rearm.notified() => {}
                    }
                }
                None => self.rearm.notified().await,
            }
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
        let Meters { received, sent, links, full, .. } = &self.meters;
        let [received, sent, links, full] = [received, sent, links, full].map(|meter| meter.load(Ordering::Relaxed));
        Traffic { received, sent, links, full }
    }

    fn frames(&self, note: &mut dyn FnMut(&'static str, u64, u64)) {
        let Meters { frames_in, frames_out, .. } = &self.meters;
        for (kind, (received, sent)) in (0..=u8::MAX).zip(frames_in.0.iter().zip(&frames_out.0)) {
            let counts = (received.load(Ordering::Relaxed), sent.load(Ordering::Relaxed));
            if counts != (0, 0) {
                note(S::kind_name(kind).unwrap_or("unknown"), counts.0, counts.1);
            }
        }
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.wakes.iter().for_each(Notify::notify_one);
    }
}

/// What a call has left for a connection to do.
struct Served {
    /// If something was received.
    intake: Option<Intake>,
    bytes: Box<[u8]>,
    /// The server has nothing more for now.
    is_all: bool,
    /// Nor ever.
    is_done: bool,
}

/// Fills `out` with what the server has for this link; how much, and whether that was all.
fn draw<S: Server>(server: &mut S, link: Link, out: &mut [u8]) -> (usize, bool) {
    let mut n = 0;
    while let Some(room) = out.get_mut(n..).filter(|room| room.len() >= S::MAX_FRAME) {
        match server.pull(link, room) {
            0 => return (n, true),
            pulled => n += pulled,
        }
    }
    (n, false)
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
async fn hang_up(stream: &mut impl Stream) -> io::Result<()> {
    let farewell = async {
        stream.shutdown().await?;
        let mut rest = [0; 256];
        while stream.read(&mut rest).await? > 0 {}
        Ok(())
    };
    timeout(LINGER, farewell).await.unwrap_or(Ok(()))
}

//! Drives one server of core over TCP, as the head of `parlor_core::server` asks.
//!
//! One task a connection, one for the clock. The server stands behind a lock that is never held across an await; a task
//! sleeps until its socket or the server has something for it. A peer that stops reading keeps only its own task waiting.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_core::server::{Answer, Ask, Framer as _, Intake, Link, Millis, RequestId, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Bytes pulled and written in one go.
const BATCH: usize = 4096;
/// How long a link that the game has given up may take to read the rest.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long we read after closing our half: a reset would eat the last error.
const LINGER: Duration = Duration::from_secs(1);

/// How the host hashes a secret for a game that asks.
pub type Hasher = fn(&[u8]) -> Vec<u8>;

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

    /// Calls the server, then does what every call may have made necessary.
    fn with<T>(self: &Arc<Self>, call: impl FnOnce(&mut S) -> T) -> T {
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
            if let Some(wake) = self.wakes.get(usize::from(link.slot)) {
                wake.notify_one();
            }
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

    async fn woken(&self, link: Link) {
        match self.wakes.get(usize::from(link.slot)) {
            Some(wake) => wake.notified().await,
            None => std::future::pending().await,
        }
    }
}

/// Accepts for ever.
pub async fn serve<S: Server + Send + 'static>(listener: TcpListener, shared: Arc<Shared<S>>) {
    tokio::spawn(keep_time(shared.clone()));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let shared = shared.clone();
                tokio::spawn(async move {
                    let now = shared.now();
                    // Full: there is no link to say so on. A game keeps links beyond its seats to answer that.
                    let Ok(link) = shared.with(|server| server.open(now)) else { return };
                    let _ = talk(stream, &shared, link).await;
                    let now = shared.now();
                    shared.with(|server| server.close(link, now));
                });
            }
            // Out of descriptors, most likely: it passes when somebody leaves.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Ticks when the server asks for it.
async fn keep_time<S: Server + Send + 'static>(shared: Arc<Shared<S>>) {
    loop {
        let deadline = shared.lock().deadline();
        match deadline {
            Some(due) => {
                let due = shared.start + Duration::from_millis(due.0);
                tokio::select! {
                    () = sleep_until(due) => {
                        let now = shared.now();
                        shared.with(|server| server.tick(now));
                    }
                    () = shared.rearm.notified() => {}
                }
            }
            None => shared.rearm.notified().await,
        }
    }
}

/// One connection, from its first byte to its last.
async fn talk<S: Server + Send + 'static>(stream: TcpStream, shared: &Arc<Shared<S>>, link: Link) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = stream.into_split();
    let mut framer = S::Framer::default();
    let mut intake = Intake::Hungry;
    loop {
        send_all(&mut writer, shared, link).await?;
        if shared.lock().closing(link) {
            return hang_up(&mut reader, &mut writer).await;
        }
        match intake {
            Intake::Hungry => tokio::select! {
                read = reader.read(framer.window()) => {
                    let n = read?;
                    if n == 0 {
                        return Ok(());
                    }
                    framer.commit(n);
                }
                () = shared.woken(link) => continue,
            },
            Intake::More => {}
            Intake::Stalled => shared.woken(link).await,
        }
        let now = shared.now();
        intake = shared.with(|server| server.receive(link, &mut framer, now));
        // A peer that never stops talking must not keep the others' tasks from sending what it said.
        tokio::task::yield_now().await;
    }
}

/// Writes everything the server has for this link.
async fn send_all<S: Server + Send + 'static>(
    writer: &mut OwnedWriteHalf,
    shared: &Arc<Shared<S>>,
    link: Link,
) -> io::Result<()> {
    // Made anew each time: only a link with something to say costs a buffer.
    let mut out = vec![0; BATCH.max(S::MAX_FRAME)];
    loop {
        let n = shared.with(|server| server.pull(link, &mut out));
        if n == 0 {
            return Ok(());
        }
        tokio::select! {
            written = writer.write_all(out.get(..n).unwrap_or_default()) => written?,
            () = given_up(shared, link) => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// Ends some time after the game has given up a link that does not read.
async fn given_up<S: Server + Send + 'static>(shared: &Arc<Shared<S>>, link: Link) {
    while !shared.lock().closing(link) {
        shared.woken(link).await;
    }
    sleep(LAST_WORDS).await;
}

/// Closes our half and reads the other to its end.
async fn hang_up(reader: &mut OwnedReadHalf, writer: &mut OwnedWriteHalf) -> io::Result<()> {
    writer.shutdown().await?;
    let mut rest = [0; 256];
    let drained = async { while reader.read(&mut rest).await.is_ok_and(|n| n > 0) {} };
    let _ = timeout(LINGER, drained).await;
    Ok(())
}

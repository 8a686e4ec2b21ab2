//! One connection: what comes is handed to the server, what the server has is written.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parlor_core::server::{Framer, Intake, Link, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::flood::Flood;
use super::strangers::{ANOTHER_TRY, Caller, Gate, Stranger};
use super::{Origin, Stream, TableDriver};

/// Bytes pulled and written in one go.
const BATCH: usize = 4096;
/// How long a link that the game has given up may take to read the rest.
pub const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long we read after closing our half: a reset would eat the last error.
const LINGER: Duration = Duration::from_secs(1);
/// Bytes that we read then at most: what may have been on its way.
const REST: usize = 64 << 10;
/// A client that is silent at first has a link after this. One that leaves at once is never heard of at the table.
const HESITATION: Duration = Duration::from_millis(100);
/// Bytes of one connection that may wait for the disk. All links of a table together do not fill the journal's queue,
/// so a client that talks without end waits alone.
const SHARE: usize = 16 << 10;

/// Why a connection and a table parted.
pub(crate) enum Parting {
    /// One of them is done.
    Over,
    /// The next frame may be for another table of the lobby.
    Elsewhere,
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

impl<S: Server + Send + 'static> TableDriver<S> {
    /// One connection, from its first byte to its last.
    pub async fn attend(self: Arc<Self>, mut stream: impl Stream, from: Origin) {
        let mut framer = S::Framer::default();
        let Some(read) = first_word(&mut stream, &mut framer, self.most_at_once(from)).await else { return };
        self.journal_has_room().await;
        let stranger = match self.gate.get() {
            Some(gate) => gate.enter(from),
            None => Some(Stranger::uncounted()),
        };
        let Some(stranger) = stranger else { return };
        // Full: there is no link to say so on. A game keeps links beyond its seats to answer that.
        let Some(link) = self.find_link().await else {
            self.meters.full.fetch_add(1, Ordering::Relaxed);
            return;
        };
        self.put_caller(link, Caller::new(from, stranger));
        self.enter(read);
        let intake = if read > 0 { Intake::More } else { Intake::Hungry };
        if let Err(error) = self.talk(&mut stream, link, &mut framer, intake).await {
            tracing::debug!(slot = link.slot, %error, "connection lost");
        }
        self.leave(link);
    }

    /// A link for a new client. Where none is free, clients that give way have a second to be gone.
    async fn find_link(self: &Arc<Self>) -> Option<Link> {
        for _ in 0..10 {
            self.make_room();
            if let Ok(link) = self.open() {
                return Some(link);
            }
            sleep(ANOTHER_TRY).await;
        }
        None
    }

    /// A link was opened for a connection of which so many bytes were read already.
    pub(crate) fn enter(&self, read: usize) {
        self.meters.links.fetch_add(1, Ordering::Relaxed);
        self.meters.received.fetch_add(read as u64, Ordering::Relaxed);
    }

    pub(crate) fn leave(self: &Arc<Self>, link: Link) {
        self.meters.links.fetch_sub(1, Ordering::Relaxed);
        drop(self.take_caller(link));
        self.close(link);
        self.forget_holdings();
    }

    /// Bytes that are read at once from this address. Where passwords have to wait, one: then what waits is a password
    /// and nothing else.
    fn most_at_once(&self, from: Origin) -> usize {
        let waits = |gate: &Gate| self.guard.is_some() && !gate.strangers.may_guess(from);
        if self.gate.get().is_some_and(waits) { 1 } else { usize::MAX }
    }

    /// The next frame is a password from an address with too many wrong ones: it is not looked at, right or wrong,
    /// until its turn has come.
    fn is_held(&self, link: Link, framer: &S::Framer) -> bool {
        let (Some(guard), Some(gate)) = (&self.guard, self.gate.get()) else { return false };
        if !(guard.offers)(framer) {
            return false;
        }
        let Some(from) = self.stranger(link) else { return false };
        let is_held = !gate.strangers.may_guess(Some(from));
        let was_held = self.caller(link, |caller| std::mem::replace(&mut caller.is_held, is_held));
        if is_held && was_held == Some(false) {
            gate.strangers.figures.held.fetch_add(1, Ordering::Relaxed);
        }
        is_held
    }

    /// The next frame is handed over: if it is a wrong password, it is counted.
    fn note_guess(&self, link: Link, framer: &S::Framer) {
        let (Some(guard), Some(gate)) = (&self.guard, self.gate.get()) else { return };
        if !(guard.offers)(framer) {
            return;
        }
        let Some(from) = self.stranger(link) else { return };
        if !self.read(|server| (guard.is_right)(server, framer)) {
            self.caller(link, |caller| caller.is_counted = true);
            gate.strangers.note_wrong(Some(from));
        }
    }

    /// Hands over what came, or leaves it where it is for now; the link's output is taken either way.
    fn serve_frames(self: &Arc<Self>, link: Link, framer: &mut S::Framer) -> Served {
        if self.is_held(link, framer) {
            return Served { intake: Some(Intake::More), ..self.serve(link, None) };
        }
        self.note_guess(link, framer);
        let is_confined = self.is_confined(link);
        self.serve(link, Some((framer, is_confined)))
    }

    /// Goes on from `intake` until the connection ends, or the next frame may be for another table.
    pub(crate) async fn talk(
        self: &Arc<Self>,
        stream: &mut impl Stream,
        link: Link,
        framer: &mut S::Framer,
        mut intake: Intake,
    ) -> io::Result<Parting> {
        let mut served = self.serve(link, None);
        let (mut unsaved, mut flood) = (0, Flood::default());
        loop {
            while !self.send(stream, link, &served).await? {
                served = self.serve(link, None);
            }
            if served.is_done || self.is_stopping() || self.is_kicked(link) {
                break;
            }
            served = match intake {
                Intake::Hungry => tokio::select! {
                    biased;
                    () = self.woken(link) => self.serve(link, None),
                    read = flood.read(stream, self.window(link, framer)) => {
                        let n = read?;
                        if n == 0 {
                            return Ok(Parting::Over);
                        }
                        framer.commit(n);
                        self.meters.received.fetch_add(n as u64, Ordering::Relaxed);
                        self.journal_has_room().await;
                        unsaved += n;
                        if unsaved > SHARE {
                            self.journal_is_safe().await;
                            unsaved = 0;
                        }
                        self.serve_frames(link, framer)
                    }
                },
                Intake::More => {
                    if self.is_held(link, framer) {
                        let _ = timeout(ANOTHER_TRY, self.woken(link)).await;
                    }
                    self.journal_has_room().await;
                    self.serve_frames(link, framer)
                }
                Intake::Stalled => {
                    if !self.stays_until_woken(stream, link, framer, &mut flood).await? {
                        return Ok(Parting::Over);
                    }
                    self.journal_has_room().await;
                    self.serve_frames(link, framer)
                }
                Intake::Elsewhere => return Ok(Parting::Elsewhere),
            };
            intake = served.intake.unwrap_or(intake);
            // A peer that never stops talking must not keep the others' tasks from sending what it said.
            if intake == Intake::More || flood.is_impatient() {
                tokio::task::yield_now().await;
            }
        }
        // Its place is another's from now on, however long its peer takes to leave. It counts as a stranger until then.
        let _caller = self.take_caller(link);
        self.close(link);
        hang_up(stream).await.map(|()| Parting::Over)
    }

    /// Until the link is woken; `false`: its peer has left meanwhile. That is looked for while something is done for this link
    /// alone, which ends then: what it says in this time is read as far as there is room, and left to wait.
    async fn stays_until_woken(
        &self,
        stream: &mut impl Stream,
        link: Link,
        framer: &mut S::Framer,
        flood: &mut Flood,
    ) -> io::Result<bool> {
        loop {
            let is_worked_for = self.caller(link, |caller| caller.work.is_going_on()) == Some(true);
            let window = self.window(link, framer);
            tokio::select! {
                biased;
                () = self.woken(link) => return Ok(true),
                read = flood.read(stream, window), if is_worked_for && !window.is_empty() => match read? {
                    0 => return Ok(false),
                    n => {
                        framer.commit(n);
                        self.meters.received.fetch_add(n as u64, Ordering::Relaxed);
                    }
                },
            }
        }
    }

    /// Where the next bytes go.
    fn window<'f>(&self, link: Link, framer: &'f mut S::Framer) -> &'f mut [u8] {
        let most = self.stranger(link).map_or(usize::MAX, |from| self.most_at_once(Some(from)));
        let window = framer.window();
        let room = window.len().min(most);
        window.get_mut(..room).unwrap_or_default()
    }

    /// Hands the server what came on this link, if anything did, and takes what it has for it: in one go, for most of
    /// what is said is answered at once. A confined client makes nothing that stays.
    fn serve(self: &Arc<Self>, link: Link, came: Option<(&mut S::Framer, bool)>) -> Served {
        // One a worker thread: a connection holds only what it is about to write.
        thread_local!(static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(BATCH.max(S::MAX_FRAME), 0);
            let mut server = self.lock();
            let intake = came.map(|(framer, is_confined)| {
                self.hear(&mut server, (link, is_confined), framer, |server, framer, now| {
                    server.receive(link, framer, now)
                })
            });
            // What is only pulled leaves the clock as it is; so does what is refused, and most questions.
            let mut hastens = intake.is_some() && server.hastens() || self.is_waiting.load(Ordering::Relaxed);
            self.take_settings(&mut server);
            self.take_requests(&mut server);
            hastens |= self.find_lagging(&mut server);
            self.let_out(&mut server);
            let (n, is_all) = self.draw_all(&mut server, link, scratch);
            let is_done = is_all && server.closing(link);
            // What was read may have made way for a dump, and nothing else is let out from here on: else this task would
            // have to be told of it.
            let is_more_to_come = self.find_lagging(&mut server);
            if is_more_to_come {
                self.let_out(&mut server);
            }
            // A stalled link must hear when that ends, be it by this very call.
            let knows_all = is_all && intake != Some(Intake::Stalled) && !is_more_to_come;
            self.wake_ready(&mut server, knows_all.then_some(link));
            if hastens || is_more_to_come {
                self.set_clock(&server);
            }
            let bytes = scratch.get(..n).unwrap_or_default().into();
            Served { intake, bytes, is_all, is_done }
        })
    }

    /// Fills `out` with what the server has for this link; how much, and whether that was all.
    fn draw_all(&self, server: &mut S, link: Link, out: &mut [u8]) -> (usize, bool) {
        let mut n = 0;
        while let Some(room) = out.get_mut(n..).filter(|room| room.len() >= S::MAX_FRAME) {
            match self.draw(server, link, room) {
                0 => return (n, true),
                drawn => n += drawn,
            }
        }
        (n, false)
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

    /// Writes everything the server has for this link.
    pub(crate) async fn send_all(self: &Arc<Self>, stream: &mut impl Stream, link: Link) -> io::Result<()> {
        while !self.send(stream, link, &self.serve(link, None)).await? {}
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
        // It may have meant that input is taken again: the task that waits for that must still hear it.
        if woken {
            self.wake(link);
        }
        written
    }
}

/// What is said at once, in bytes; `None`: the peer has left.
async fn first_word<F: Framer>(stream: &mut impl Stream, framer: &mut F, most: usize) -> Option<usize> {
    let window = framer.window();
    let room = window.len().min(most);
    match timeout(HESITATION, stream.read(window.get_mut(..room).unwrap_or_default())).await {
        Ok(Ok(0) | Err(_)) => None,
        Ok(Ok(n)) => {
            framer.commit(n);
            Some(n)
        }
        Err(_) => Some(0),
    }
}

/// Closes our half and reads the other to its end, unless that is far: a peer that goes on talking does not listen.
pub(crate) async fn hang_up(stream: &mut impl Stream) -> io::Result<()> {
    let farewell = async {
        stream.shutdown().await?;
        let (mut rest, mut left) = ([0; 256], REST);
        while left > 0 {
            match stream.read(&mut rest).await? {
                0 => break,
                n => left = left.saturating_sub(n),
            }
        }
        Ok(())
    };
    timeout(LINGER, farewell).await.unwrap_or(Ok(()))
}

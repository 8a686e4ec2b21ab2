//! One connection: what comes is handed to the server, what the server has is written.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parlor_core::server::{Framer as _, Intake, Link, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::{Origin, Pen, Shared, Stream};

/// Bytes pulled and written in one go.
const BATCH: usize = 4096;
/// How long a link that the game has given up may take to read the rest.
pub const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long we read after closing our half: a reset would eat the last error.
const LINGER: Duration = Duration::from_secs(1);
/// Reads after which a connection that is always ready lets others have a turn.
const PATIENCE: u32 = 8;

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

impl<S: Server + Send + 'static> Shared<S> {
    /// One connection, from its first byte to its last.
    pub async fn attend(self: Arc<Self>, mut stream: impl Stream, from: Origin) {
        self.journal_has_room().await;
        // Full: there is no link to say so on. A game keeps links beyond its seats to answer that.
        let Ok(link) = self.open() else {
            self.meters.full.fetch_add(1, Ordering::Relaxed);
            return;
        };
        self.note_origin(link, from);
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
        self.close(link);
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
                            return Ok(Parting::Over);
                        }
                        framer.commit(n);
                        self.meters.received.fetch_add(n as u64, Ordering::Relaxed);
                        self.journal_has_room().await;
                        self.serve(link, Some(framer))
                    }
                },
                Intake::More => {
                    self.journal_has_room().await;
                    self.serve(link, Some(framer))
                }
                Intake::Stalled => {
                    self.woken(link).await;
                    self.journal_has_room().await;
                    self.serve(link, Some(framer))
                }
                Intake::Elsewhere => return Ok(Parting::Elsewhere),
            };
            intake = served.intake.unwrap_or(intake);
            // A peer that never stops talking must not keep the others' tasks from sending what it said.
            if intake == Intake::More || turn.is_multiple_of(PATIENCE) {
                tokio::task::yield_now().await;
            }
        }
        hang_up(stream).await.map(|()| Parting::Over)
    }

    /// Hands the server what came on this link, if anything did, and takes what it has for it: in one go, for most of what
    /// is said is answered at once.
    fn serve(self: &Arc<Self>, link: Link, came: Option<&mut S::Framer>) -> Served {
        // One a worker thread: a connection holds only what it is about to write.
        thread_local!(static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(BATCH.max(S::MAX_FRAME), 0);
            self.with_served(|server, pen| {
                let intake = came.map(|framer| {
                    self.hear(server, &pen, link, framer, |server, framer, now| server.receive(link, framer, now))
                });
                self.let_out(server);
                let (n, is_all) = self.draw_all(server, &pen, link, scratch);
                let is_done = is_all && server.closing(link);
                // Who is stalled must hear when that ends, be it by this very call.
                let served = (is_all && intake != Some(Intake::Stalled)).then_some(link);
                let bytes = scratch.get(..n).unwrap_or_default().into();
                (Served { intake, bytes, is_all, is_done }, served)
            })
        })
    }

    /// Fills `out` with what the server has for this link; how much, and whether that was all.
    fn draw_all(&self, server: &mut S, pen: &Pen<'_, S>, link: Link, out: &mut [u8]) -> (usize, bool) {
        let mut n = 0;
        while let Some(room) = out.get_mut(n..).filter(|room| room.len() >= S::MAX_FRAME) {
            match self.draw(server, pen, link, room) {
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
        // It may have meant that input is taken again: whoever waits for that must still hear it.
        if woken {
            self.wake(link);
        }
        written
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

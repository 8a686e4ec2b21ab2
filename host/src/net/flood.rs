//! The brake on peers that never stop talking. Answering one would take all of the processor that the system lets us have,
//! and then every game waits for its turn with the other programs: so it is read less and less often until it is quiet
//! once.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::Stream;

/// Reads after which a connection that is always ready lets others have a turn.
const PATIENCE: u32 = 8;
/// Reads in a row that found bytes waiting, after which a connection is taken for a flood.
const FLOOD: u32 = 32;
/// How long a flood waits at first after so many reads as are within our patience; twice as long each time, up to `MOST`
/// doublings.
const BREATH: Duration = Duration::from_millis(1);
const MOST: u32 = 4;
const SECOND: Duration = Duration::from_secs(1);
/// A peer that takes nothing for this long is gone, as one that acknowledges nothing.
const UNTAKEN: Duration = Duration::from_secs(120);

#[derive(Default)]
pub struct Flood {
    /// Reads that did not have to wait, since one that had to.
    eager: u32,
    /// The read that is under way has had to wait, be it before something else was done in between.
    has_waited: bool,
    /// Not read before this.
    until: Option<Instant>,
}

impl Flood {
    /// So much was read without a wait that others must have a turn. A wait for its peer lets them have one anyway.
    pub fn is_impatient(&self) -> bool {
        self.eager > 0 && self.eager.is_multiple_of(PATIENCE)
    }

    fn note_read(&mut self) {
        self.eager = if std::mem::take(&mut self.has_waited) { 0 } else { self.eager.saturating_add(1) };
        self.until = self.pause().map(|pause| Instant::now() + pause);
    }

    fn pause(&self) -> Option<Duration> {
        let beyond = self.eager.checked_sub(FLOOD).filter(|beyond| beyond.is_multiple_of(PATIENCE))?;
        Some(BREATH * (1 << (beyond / PATIENCE).min(MOST)))
    }

    /// Waits until it may be read, then for bytes; how many.
    pub async fn read(&mut self, stream: &mut impl Stream, window: &mut [u8]) -> io::Result<usize> {
        if let Some(until) = self.until {
            // Boxed: few ever need it, and every connection would have the room for it.
            Box::pin(sleep_until(until)).await;
        }
        let mut read = std::pin::pin!(stream.read(window));
        let n = std::future::poll_fn(|context| {
            let polled = read.as_mut().poll(context);
            self.has_waited |= polled.is_pending();
            polled
        })
        .await?;
        self.note_read();
        Ok(n)
    }
}

/// So many of something in a second; a caller with more waits until it is over.
pub struct PerSecond {
    most: u32,
    count: u32,
    since: Instant,
}

impl PerSecond {
    pub fn new(most: u32) -> Self {
        Self { most, count: 0, since: Instant::now() }
    }

    /// One more; until when nothing more is taken.
    pub fn note(&mut self) -> Option<Instant> {
        if self.since.elapsed() >= SECOND {
            (self.count, self.since) = (0, Instant::now());
        }
        self.count += 1;
        (self.count >= self.most).then(|| self.since + SECOND)
    }
}

/// A stream with the brake in it, for readers of their own: HTTP, and below WebSocket what never becomes a message. It has an end
/// when its peer takes nothing of what is written for `UNTAKEN`: else who asks and does not read would keep its connection for ever.
pub struct Braked<S> {
    stream: S,
    flood: Flood,
    pause: Option<Pin<Box<Sleep>>>,
    patience: Duration,
    /// When the write that waits has waited for too long.
    end: Option<Pin<Box<Sleep>>>,
}

impl<S> Braked<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, flood: Flood::default(), pause: None, patience: UNTAKEN, end: None }
    }

    /// What came of a write, which may not wait for ever.
    fn patiently<T>(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.end = None;
            return polled;
        }
        let patience = self.patience;
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(patience)));
        end.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: Stream> AsyncRead for Braked<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        let polled = Pin::new(&mut self.stream).poll_read(cx, room);
        if polled.is_pending() {
            self.flood.has_waited = true;
            return Poll::Pending;
        }
        self.flood.note_read();
        self.pause = self.flood.until.map(|until| Box::pin(sleep_until(until)));
        polled
    }
}

impl<S: Stream> AsyncWrite for Braked<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.patiently(cx, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.patiently(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.patiently(cx, polled)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[test]
    fn a_flood_is_read_less_and_less_often_until_it_is_quiet() {
        let mut flood = Flood::default();
        let mut pauses = Vec::new();
        for read in 1..=80 {
            flood.note_read();
            pauses.extend(flood.pause().map(|pause| (read, pause.as_millis())));
        }
        assert_eq!(pauses, [(32, 1), (40, 2), (48, 4), (56, 8), (64, 16), (72, 16), (80, 16)]);
        flood.has_waited = true;
        flood.note_read();
        assert_eq!((flood.eager, flood.pause()), (0, None));
    }

    /// Always has another byte.
    struct Endless;

    impl AsyncRead for Endless {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            room.put_slice(&[0]);
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Endless {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }
        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn who_takes_nothing_is_let_go_and_who_takes_a_little_is_not() {
        let (mut peer, stream) = tokio::io::duplex(16);
        let mut stream = Braked { patience: Duration::from_millis(200), ..Braked::new(stream) };
        let reader = tokio::spawn(async move {
            for _ in 0..16 {
                sleep(Duration::from_millis(20)).await;
                peer.read_u8().await.unwrap();
            }
            peer
        });
        // Together these take longer than one of them may.
        stream.write_all(&[7; 32]).await.unwrap();
        let peer = reader.await.unwrap();
        assert_eq!(stream.write_all(&[7; 32]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(peer);
    }

    #[tokio::test]
    async fn whoever_reads_by_itself_is_held_back_as_well() {
        let (mut stream, start) = (Braked::new(Endless), Instant::now());
        for _ in 0..80 {
            stream.read_u8().await.unwrap();
        }
        // 1 + 2 + 4 + 8 + 16 + 16: the last pause comes before the next read.
        assert!(start.elapsed() >= Duration::from_millis(47), "{:?}", start.elapsed());
    }
}

//! Bots that play evening after evening, each from an address of its own, and how long they wait for each word.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::Castle;
use parlor::bot::{AnyPlayer, Pace, play};
use parlor::games::Entry;
use parlor_core::game::{End, Progress, Seat, Strength};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpSocket;

/// Takes the time from a word to the next that is heard.
struct Timed<'t, S> {
    stream: S,
    asked: Option<Instant>,
    has_seat: &'t AtomicBool,
    honest: &'t Honest,
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<'_, S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(cx, room);
        if let (Poll::Ready(Ok(())), Some(asked)) = (&polled, self.asked) {
            self.honest.note(self.has_seat.load(Relaxed), asked.elapsed());
            self.asked = None;
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<'_, S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !bytes.is_empty() && self.asked.is_none() {
            self.asked = Some(Instant::now());
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// What became of the honest.
#[derive(Default)]
pub struct Honest {
    /// Of rounds at a seat, and of those on the way to one: a password is hashed for some of these.
    seated: Mutex<Vec<Duration>>,
    coming: Mutex<Vec<Duration>>,
    /// Connections that ended before a word was heard, by game and player.
    pub turned_away: Mutex<Vec<String>>,
    /// Evenings that they were refused at first.
    pub late: AtomicU64,
}

impl Honest {
    fn note(&self, has_seat: bool, time: Duration) {
        let times = if has_seat { &self.seated } else { &self.coming };
        times.lock().unwrap().push(time);
    }

    /// How long rounds took since it was asked last: at a seat, and on the way to one.
    pub fn take_times(&self) -> [Vec<Duration>; 2] {
        [&self.seated, &self.coming].map(|times| std::mem::take(&mut *times.lock().unwrap()))
    }
}

/// Two who play one game with each other. Whoever missed the end of an evening, or came before the other had left the last
/// one, goes on with the one that is played: alone they would wait for ever, and nobody would notice.
#[derive(Default)]
pub struct Pair {
    evening: AtomicU32,
    /// Evenings that one of them won.
    pub won: AtomicU64,
}

/// One player of a game, evening after evening, from an address of its own.
pub struct Guest {
    pub entry: &'static Entry,
    pub to: SocketAddr,
    pub from: Ipv4Addr,
    pub number: u8,
    pub pair: Arc<Pair>,
}

impl Guest {
    async fn connect(&self) -> io::Result<tokio::net::TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::V4(self.from), 0))?;
        let stream = socket.connect(self.to).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    fn player(&self, evening: u32) -> Box<dyn AnyPlayer> {
        let seat = Seat {
            name: &format!("guest{}", self.number),
            password: &format!("secret of {}", self.number),
            game: &format!("evening{evening}"),
            is_guest: false,
            players: 2,
            strength: Strength::Plain,
            seed: evening.wrapping_mul(16) + u32::from(self.number),
        };
        (self.entry.player)(&seat).unwrap()
    }

    pub async fn stay(&self, castle: &Castle, honest: &Honest, is_over: &AtomicBool) {
        while !is_over.load(Relaxed) {
            let evening = self.pair.evening.load(Relaxed);
            match self.spend(evening, castle, honest, is_over).await {
                Some(End::Over { won }) => {
                    self.pair.evening.fetch_max(evening + 1, Relaxed);
                    self.pair.won.fetch_add(u64::from(won), Relaxed);
                }
                // The last evening's connection is not gone yet, or somebody else has the seat.
                Some(End::Refused) => {
                    honest.late.fetch_add(1, Relaxed);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                None => {}
            }
        }
    }

    /// One evening, over as many connections as it takes; `None`: the other is at the next one already.
    async fn spend(&self, evening: u32, castle: &Castle, honest: &Honest, is_over: &AtomicBool) -> Option<End> {
        let mut player = self.player(evening);
        let begun = Instant::now();
        let goes_on = || !is_over.load(Relaxed) && self.pair.evening.load(Relaxed) == evening;
        while goes_on() {
            let was_down = castle.is_down.load(Relaxed);
            let Ok(stream) = self.connect().await else {
                if !was_down && !castle.is_down.load(Relaxed) {
                    honest.turned_away.lock().unwrap().push(format!("{} of {}", self.number, self.entry.name));
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let connected = Instant::now();
            let has_seat = AtomicBool::new(false);
            let mut stream = Timed { stream, asked: None, has_seat: &has_seat, honest };
            let mut has_heard = false;
            let played = play(
                &mut *player,
                &mut stream,
                || Pace::NONE,
                |player, heard| {
                    has_heard |= heard;
                    has_seat.store(player.progress() == Progress::Seated, Relaxed);
                    goes_on()
                },
            );
            match played.await {
                _ if !goes_on() => break,
                Ok(end) => return Some(end),
                Err(_) if has_heard || was_down || castle.is_down.load(Relaxed) => {}
                Err(error) => {
                    let (here, since) = (connected.elapsed(), begun.elapsed());
                    let which = format!("{} of {}, evening {evening}", self.number, self.entry.name);
                    let when = format!("{here:?} after it came, {since:?} after the evening before");
                    honest.turned_away.lock().unwrap().push(format!("{which}: {error}, {when}"));
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        None
    }
}

//! Bots that play every game over TCP, each time at whichever node they come to, and note all that they say and hear.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use parlor::bot::{self, Pace};
use parlor::games::GAMES as ENTRIES;
use parlor_core::game::{Seat, Strength};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::common::disk::Chance;
use crate::nodes::{Cluster, GAMES, runtime};

/// Bots of one game.
const BOTS: u8 = 2;
/// A bot comes anew after this, so that what it heard is still in the log when that is looked at.
const VISIT: Duration = Duration::from_secs(6);
/// Nothing is heard for so long only by whoever was forgotten: an engine that has lost servers may need half of it.
const FORGOTTEN: Duration = Duration::from_secs(60);
/// How long a bot thinks.
const PACE: Pace = Pace(Duration::from_millis(15));

/// One connection, as its client knows it.
pub struct Transcript {
    pub shard: String,
    pub said: Vec<u8>,
    pub heard: Vec<u8>,
}

/// What is said and heard is noted.
struct Tee {
    stream: TcpStream,
    said: Vec<u8>,
    heard: Vec<u8>,
}

impl AsyncRead for Tee {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let before = room.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, room);
        self.heard.extend_from_slice(&room.filled()[before..]);
        read
    }
}

impl AsyncWrite for Tee {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(n)) = written {
            self.said.extend_from_slice(&bytes[..n]);
        }
        written
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// What all bots share.
#[derive(Default)]
struct Shared {
    /// Where each game is served, at nodes that live.
    ports: Mutex<BTreeMap<&'static str, Vec<SocketAddr>>>,
    transcripts: Mutex<Vec<Transcript>>,
    over: AtomicBool,
    /// Of each game, the evening that is played: whoever was away when one ended goes on with the next.
    rounds: [AtomicU32; GAMES.len()],
}

pub struct Evening {
    shared: Arc<Shared>,
    bots: Vec<JoinHandle<()>>,
}

impl Evening {
    pub fn begin(cluster: &Cluster) -> Self {
        let mut evening = Self { shared: Arc::default(), bots: Vec::new() };
        evening.note_ports(cluster);
        let everybody = (0..GAMES.len()).flat_map(|game| (1..=BOTS).map(move |index| (game, index)));
        evening.bots =
            everybody.map(|(game, index)| runtime().spawn(play(evening.shared.clone(), game, index))).collect();
        evening
    }

    /// Nodes have come or gone.
    pub fn note_ports(&self, cluster: &Cluster) {
        let mut ports = self.shared.ports.lock().unwrap();
        for game in GAMES {
            ports.insert(game, cluster.alive().map(|node| node.port(game)).collect());
        }
    }

    /// What was said and heard on connections that have ended since the last time.
    pub fn take(&self) -> Vec<Transcript> {
        std::mem::take(&mut self.shared.transcripts.lock().unwrap())
    }

    /// Of each game, how often it was played to its end.
    pub fn games(&self) -> [u32; GAMES.len()] {
        self.shared.rounds.each_ref().map(|round| round.load(Relaxed))
    }

    /// Everybody leaves.
    pub fn end(&mut self) {
        self.shared.over.store(true, Relaxed);
        self.bots.drain(..).for_each(|bot| runtime().block_on(bot).unwrap());
    }
}

/// One bot, game after game, at any node.
async fn play(shared: Arc<Shared>, game: usize, index: u8) {
    let (game, rounds) = (GAMES[game], &shared.rounds[game]);
    let entry = ENTRIES.iter().find(|entry| entry.name == game).unwrap();
    let mut chance = Chance(u64::from(index) + game.len() as u64 * 7);
    loop {
        let round = rounds.load(Relaxed);
        let (name, table) = (format!("{game}{index}"), format!("evening{round}"));
        let seat = Seat {
            name: &name,
            password: "a word",
            game: &table,
            is_guest: false,
            players: BOTS,
            strength: Strength::Plain,
            seed: u32::from(index) + 31 * round,
        };
        let mut player = (entry.player)(&seat).unwrap();
        while player.end().is_none() && rounds.load(Relaxed) == round {
            if shared.over.load(Relaxed) {
                return;
            }
            visit(&shared, game, &mut *player, &mut chance).await;
        }
        rounds.fetch_max(round + 1, Relaxed);
    }
}

/// One connection.
async fn visit(shared: &Shared, game: &str, player: &mut dyn bot::AnyPlayer, chance: &mut Chance) {
    let ports = shared.ports.lock().unwrap()[game].clone();
    let Ok(stream) = TcpStream::connect(ports[chance.below(ports.len())]).await else {
        return tokio::time::sleep(Duration::from_millis(50)).await;
    };
    stream.set_nodelay(true).unwrap();
    let (mut tee, begun) = (Tee { stream, said: Vec::new(), heard: Vec::new() }, Instant::now());
    let mut last = begun;
    // Whoever hears nothing stays: it must not be its leaving that helps.
    let stays = |_: &dyn bot::AnyPlayer, is_heard: bool| {
        if is_heard {
            last = Instant::now();
        }
        assert!(last.elapsed() < FORGOTTEN, "{game}: a connection was forgotten");
        (!is_heard || begun.elapsed() < VISIT) && !shared.over.load(Relaxed)
    };
    let end = bot::play(player, &mut tee, || PACE, stays).await;
    let Tee { said, heard, .. } = tee;
    shared.transcripts.lock().unwrap().push(Transcript { shard: format!("{game}.1"), said, heard });
    if end.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

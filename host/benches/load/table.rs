//! Four bots at each table, in this process: each has a connection, a view and a bot that sees nothing else.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parlor_core::pimp::bot::session::Session;
use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::view::{Prompt, View};
use parlor_core::pimp::wire::{FRAME_MAX, Framer, Message, Name};
use parlor_core::server::Framer as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

const PLAYERS: u8 = 4;
/// Turns after which a game is interrupted: most deeds are sold by then.
const INTERRUPTED: u32 = 60;
/// Nothing came for so long: what was said may be said again.
const NUDGE: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct Count {
    turns: AtomicU64,
    said: AtomicU64,
    /// From the beginning of a turn to that of the next one in the same game, in nanoseconds: all of them.
    between: AtomicU64,
}

impl Count {
    /// Commands so far.
    pub fn said(&self) -> u64 {
        self.said.load(Ordering::Relaxed)
    }
}

pub struct Player {
    stream: TcpStream,
    session: Session,
    bot: Bot,
    view: Box<View>,
    framer: Box<Framer>,
    /// Turns seen in this game, and when the last one began.
    turns: u32,
    turn: Option<Instant>,
    out: Vec<u8>,
    throw: Throw,
}

/// A throw of the dice, from word to answer.
#[derive(Default)]
struct Throw {
    /// It is among what will be said next.
    is_meant: bool,
    said: Option<Instant>,
    answered: Option<Duration>,
}

impl Player {
    pub async fn sit(address: SocketAddr, number: u8) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut session = Session::new(Name::new(&[b'b', b'0' + number]).unwrap_or_default(), number, true);
        let mut out = Vec::new();
        say(&mut out, &session.connect());
        let bot = Bot::new(Strength::Plain, u32::from(number));
        let (view, framer, throw) = (Box::new(View::new()), Box::default(), Throw::default());
        Ok(Self { stream, session, bot, view, framer, turns: 0, turn: None, out, throw })
    }

    /// There is something to say.
    pub fn has_words(&self) -> bool {
        !self.out.is_empty()
    }

    /// How long the last throw waited for its dice, once.
    pub fn throw_time(&mut self) -> Option<Duration> {
        self.throw.answered.take()
    }

    /// Says what there is to say, then hears; `false` once somebody has won. The first of a table counts its turns.
    pub async fn step(&mut self, count: &Count, counts: bool) -> io::Result<bool> {
        if std::mem::take(&mut self.throw.is_meant) {
            self.throw.said = Some(Instant::now());
        }
        self.stream.write_all(&self.out).await?;
        self.out.clear();
        match timeout(NUDGE, self.stream.read(self.framer.window())).await {
            Ok(Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => self.framer.commit(read?),
            Err(_) => self.bot.nudge(),
        }
        while let Ok(Some(frame)) = self.framer.peek() {
            if let Ok(message) = Message::from_server(frame.code, frame.payload) {
                if matches!(message, Message::StartOfTurn { .. }) {
                    self.turns += 1;
                    let now = Instant::now();
                    if let (true, Some(last)) = (counts, self.turn.replace(now)) {
                        count.turns.fetch_add(1, Ordering::Relaxed);
                        count.between.fetch_add((now - last).as_nanos() as u64, Ordering::Relaxed);
                    }
                }
                // Whoever throws is on turn.
                if matches!(message, Message::DiceRolled { .. }) && self.view.turn() == self.view.me() {
                    self.throw.answered = self.throw.said.take().map(|said| said.elapsed());
                }
                if let Some(answer) = self.session.take(&message) {
                    say(&mut self.out, &answer);
                }
                self.view.take(&message);
            }
            self.framer.skip();
        }
        let (out, throw) = (&mut self.out, &mut self.throw);
        while self.bot.next(&self.view, &mut |message| {
            count.said.fetch_add(1, Ordering::Relaxed);
            throw.is_meant |= matches!(message, Message::ThrowDice {});
            say(out, &message);
        }) && out.len() < FRAME_MAX
        {}
        Ok(!matches!(self.view.prompt(), Prompt::Over { .. }))
    }
}

fn say(out: &mut Vec<u8>, message: &Message<'_>) {
    let mut frame = [0; FRAME_MAX];
    let n = message.encode(&mut frame).unwrap_or_default();
    out.extend_from_slice(&frame[..n]);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// What came of games that were played for some time.
pub struct Played {
    /// Turns and commands a second.
    pub turns: f64,
    pub commands: f64,
    /// From one turn of a game to the next, in microseconds. What passes between two games is not in it.
    pub turn_micros: f64,
    /// How much more the figure that was asked for became in a second.
    pub figure: f64,
}

/// Games at every table, one after the other.
pub fn play(ports: &[SocketAddr], time: Duration, figure: impl Fn() -> f64) -> Played {
    let count = Arc::new(Count::default());
    runtime().block_on(async {
        let seats = ports.iter().flat_map(|port| (1..=PLAYERS).map(|number| (*port, number)));
        for (port, number) in seats {
            let count = count.clone();
            tokio::spawn(async move {
                loop {
                    // A table that says good-bye to its last game may close a connection that came too early.
                    let Ok(mut player) = Player::sit(port, number).await else { continue };
                    while player.step(&count, number == 1).await.unwrap_or(false) {}
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            });
        }
        // The first second is spent on sitting down.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let read = || [&count.turns, &count.said, &count.between].map(|count| count.load(Ordering::Relaxed));
        let (more, start, before) = (figure(), Instant::now(), read());
        tokio::time::sleep(time).await;
        let (seconds, after) = (start.elapsed().as_secs_f64(), read());
        let [turns, said, between] = [0, 1, 2].map(|at| (after[at] - before[at]) as f64);
        Played {
            turns: turns / seconds,
            commands: said / seconds,
            turn_micros: between / turns / 1e3,
            figure: (figure() - more) / seconds,
        }
    })
}

/// A game at every table that everybody stopped playing; of each the connection of somebody who is not on turn. The
/// others stay connected.
pub fn interrupted(ports: &[SocketAddr]) -> Vec<std::net::TcpStream> {
    runtime().block_on(async {
        let tables = ports.iter().map(|port| tokio::spawn(interrupt(*port))).collect::<Vec<_>>();
        let mut players = Vec::new();
        for table in tables {
            let table = table.await.expect("a table");
            let (own, others) =
                table.into_iter().partition::<Vec<_>, _>(|player| player.view.turn() != player.view.me());
            let mut streams = own.into_iter().chain(others).map(|player| player.stream.into_std().expect("a socket"));
            players.extend(streams.next());
            streams.for_each(std::mem::forget);
        }
        players
    })
}

async fn interrupt(port: SocketAddr) -> Vec<Player> {
    let is_late = Arc::new(AtomicBool::new(false));
    let seats = (1..=PLAYERS).map(|number| {
        let is_late = is_late.clone();
        tokio::spawn(async move {
            let mut player = Player::sit(port, number).await.expect("the server should listen");
            while !is_late.load(Ordering::Relaxed) {
                assert!(player.step(&Count::default(), false).await.expect("the server should stay"), "over so early");
                is_late.fetch_or(player.turns >= INTERRUPTED, Ordering::Relaxed);
            }
            player
        })
    });
    let mut players = Vec::new();
    for seat in seats.collect::<Vec<_>>() {
        players.push(seat.await.expect("a player"));
    }
    players
}

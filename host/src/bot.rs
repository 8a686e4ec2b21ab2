//! Seats core's bots: over the network for `parlor bot`, and within the process for `POST /tables/N/bots`.

use std::future::Future;
use std::io;
use std::time::Duration;

use parlor_core::pimp::bot::session::{Session, Standing};
use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::view::{Prompt, View};
use parlor_core::pimp::wire::{FRAME_MAX, Framer, Message, Name};
use parlor_core::server::Framer as _;
use parlor_core::yard::bot as yard_bot;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use crate::cli::{self, Exit};
use crate::client::{self, Target, Trust};
use crate::games::Words;
use crate::net::Stream;
use crate::yard;

/// Nothing came for this long: what was said may be said again.
const NUDGE: Duration = Duration::from_secs(5);
/// Messages said in a row without listening.
const BREATH: usize = 16;
/// How often, and after which pause, a lost connection is made anew.
pub const RETRIES: u32 = 60;
pub const PAUSE: Duration = Duration::from_millis(500);

/// How a bot's evening ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Somebody won; was it this bot?
    Over { won: bool },
    /// The server will not have it.
    Refused,
}

/// A bot of any game. It knows what it knows over any number of connections.
pub trait Player: Send + 'static {
    /// Plays until the game is over; an error is a lost connection.
    fn play(&mut self, stream: &mut Box<dyn Stream>) -> impl Future<Output = io::Result<End>> + Send;
}

impl Player for Seat {
    async fn play(&mut self, stream: &mut Box<dyn Stream>) -> io::Result<End> {
        Seat::play(self, stream).await
    }
}

/// A bot of Monopoly and what it knows, over any number of connections.
pub struct Seat {
    session: Session,
    bot: Bot,
    view: Box<View>,
}

impl Seat {
    pub fn new(name: &str, strength: Strength, seed: u32) -> Self {
        let name = Name::new(name.as_bytes()).unwrap_or_default();
        Self { session: Session::new(name, 0, true), bot: Bot::new(strength, seed), view: Box::new(View::new()) }
    }

    /// Plays until the game is over; an error is a lost connection.
    pub async fn play(&mut self, stream: &mut impl Stream) -> io::Result<End> {
        let mut framer = Box::new(Framer::new());
        let mut out = Vec::new();
        say(&mut out, &self.session.connect());
        loop {
            stream.write_all(&out).await?;
            stream.flush().await?;
            out.clear();
            match timeout(NUDGE, stream.read(framer.window())).await {
                Ok(Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => framer.commit(read?),
                Err(_) => self.bot.nudge(),
            }
            while let Ok(Some(frame)) = framer.peek() {
                if let Ok(message) = Message::from_server(frame.code, frame.payload) {
                    self.hear(&message, &mut out);
                }
                framer.skip();
            }
            if let Some(end) = self.end() {
                return Ok(end);
            }
            for _ in 0..BREATH {
                if !self.bot.next(&self.view, &mut |message| say(&mut out, &message)) {
                    break;
                }
            }
        }
    }

    fn hear(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        if let Some(answer) = self.session.take(message) {
            say(out, &answer);
        }
        self.view.take(message);
    }

    fn end(&self) -> Option<End> {
        match self.view.prompt() {
            Prompt::Over { winner } => Some(End::Over { won: winner == self.view.me() }),
            _ => (self.session.standing() == Standing::Refused).then_some(End::Refused),
        }
    }
}

fn say(out: &mut Vec<u8>, message: &Message<'_>) {
    let mut frame = [0; FRAME_MAX];
    let n = message.encode(&mut frame).unwrap_or_default();
    out.extend_from_slice(frame.get(..n).unwrap_or_default());
}

/// A name for the `index`th bot.
pub fn name(index: u8) -> String {
    format!("bot{index}")
}

/// `parlor bot`: ends when the game is over.
pub async fn run(args: cli::Bot) -> Result<(), Exit> {
    let trust = match (&args.fingerprint, args.insecure) {
        (Some(fingerprint), _) => Trust::Fingerprint(fingerprint.replace(':', "")),
        (None, false) if args.connect.is_secure => {
            return Err(Exit::fault("TLS needs --fingerprint, as the server prints it, or --insecure"));
        }
        _ => Trust::Blind,
    };
    let place = Place { target: args.connect.clone(), trust, words: args.game.words() };
    let seats = (1..=args.players).map(|index| {
        let seed = args.seed.wrapping_mul(31).wrapping_add(u32::from(index));
        let place = place.clone();
        match args.game {
            cli::GameName::Pimp => Ok(tokio::spawn(stay(Seat::new(&name(index), args.strength.into(), seed), place))),
            cli::GameName::Yard => Ok(tokio::spawn(stay(in_yard(&args, index, seed)?, place))),
        }
    });
    let seats = seats.collect::<Result<Vec<_>, Exit>>()?;
    let mut is_over = false;
    for (index, task) in (1..).zip(seats) {
        let end = task.await.map_err(|error| Exit::failure(error.to_string()))?;
        match end.map_err(|error| Exit::failure(format!("{}: {error}", args.connect)))? {
            End::Over { won } => {
                is_over = true;
                if won {
                    println!("{} won", name(index));
                }
            }
            // Two quick bots may have ended the game before the third could sit down.
            End::Refused => eprintln!("{} was not let in", name(index)),
        }
    }
    if is_over { Ok(()) } else { Err(Exit::failure(format!("{}: nobody was let in", args.connect))) }
}

/// A bot of Scotland Yard. Whoever gives the same seed is the same user: bots that were stopped come back to their game.
fn in_yard(args: &cli::Bot, index: u8, seed: u32) -> Result<yard::player::Player, Exit> {
    let (name, password) = (name(index), format!("bot {seed:08x}"));
    let session = yard_bot::session::Session::new(&name, &password, &args.table, None, args.players.max(2));
    let player = yard::player::Player::new(session, name, args.strength.into(), seed);
    player.ok_or_else(|| Exit::fault(format!("--table {}: too long a name for a game", args.table)))
}

/// Where a bot goes.
#[derive(Clone)]
struct Place {
    target: Target,
    trust: Trust,
    words: Words,
}

impl Place {
    async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        client::connect(&self.target, &self.trust, self.words).await
    }
}

/// Comes back when the connection is lost. The first connection must succeed.
async fn stay(mut seat: impl Player, place: Place) -> io::Result<End> {
    let mut stream = place.connect().await?;
    let mut lost = 0;
    loop {
        let error = match seat.play(&mut stream).await {
            Ok(end) => return Ok(end),
            Err(error) => error,
        };
        stream = loop {
            if lost == RETRIES {
                return Err(error);
            }
            lost += 1;
            sleep(PAUSE).await;
            if let Ok(stream) = place.connect().await {
                break stream;
            }
        };
    }
}

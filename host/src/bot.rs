//! Seats core's bots: over the network for `parlor bot`, and within the process for players who ask.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use parlor_core::game::{End, Player, Progress, Seat};
use parlor_core::server::Framer as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::cli::{self, Exit};
use crate::client::{self, Target, Trust};
use crate::games::Entry;
use crate::net::Stream;

/// Nothing came for this long: what was said may be said again.
const NUDGE: Duration = Duration::from_secs(5);
/// How often, and after which pause, a lost connection is made anew.
pub const RETRIES: u32 = 60;
pub const PAUSE: Duration = Duration::from_millis(500);

/// A bot of any game at its end of a connection, with the bytes it has not read yet.
pub trait AnyPlayer: Send {
    /// A connection has opened.
    fn connect(&mut self, out: &mut Vec<u8>);
    /// Where the next bytes go; empty: no sense can be made of those that came.
    fn window(&mut self) -> &mut [u8];
    /// So many bytes of the window came.
    fn receive(&mut self, n: usize, out: &mut Vec<u8>);
    fn nudge(&mut self, out: &mut Vec<u8>);
    fn progress(&self) -> Progress;
    fn end(&self) -> Option<End>;
    /// The players at its game before it begins, itself counted; none: not known.
    fn companions(&self) -> Vec<String>;
    /// It has a seat at a game that has not begun.
    fn is_waiting(&self) -> bool;
}

/// The one implementation.
pub struct Playing<P: Player> {
    player: P,
    framer: P::Framer,
}

impl<P: Player> Playing<P> {
    pub fn new(player: P) -> Self {
        Self { player, framer: P::Framer::default() }
    }
}

impl<P: Player<Framer: Send> + Send> AnyPlayer for Playing<P> {
    fn connect(&mut self, out: &mut Vec<u8>) {
        self.framer = P::Framer::default();
        self.player.connect(&mut |bytes| out.extend_from_slice(bytes));
    }
    fn window(&mut self) -> &mut [u8] {
        self.framer.window()
    }
    fn receive(&mut self, n: usize, out: &mut Vec<u8>) {
        self.framer.commit(n);
        self.player.receive(&mut self.framer, &mut |bytes| out.extend_from_slice(bytes));
    }
    fn nudge(&mut self, out: &mut Vec<u8>) {
        self.player.nudge(&mut |bytes| out.extend_from_slice(bytes));
    }
    fn progress(&self) -> Progress {
        self.player.progress()
    }
    fn end(&self) -> Option<End> {
        self.player.end()
    }
    fn companions(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.player.each_companion(&mut |name| names.push(name.into()));
        names
    }
    fn is_waiting(&self) -> bool {
        self.player.is_waiting()
    }
}

/// What comes while a bot thinks; more than this is not read before it has spoken.
const THINKING: usize = 64 * 1024;

/// How long the bots of this process think before they speak, once they sit: as long as a person would, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace(pub Duration);

impl Pace {
    pub const NONE: Self = Self(Duration::ZERO);

    /// No person is as regular as a clock: from three quarters to five quarters of the time.
    fn thought(self, turn: u32) -> Duration {
        self.0 * (12 + turn.wrapping_mul(2_654_435_761) % 9) / 16
    }
}

/// Waits, and keeps what comes meanwhile: a table never waits for a bot to read.
async fn think(stream: &mut impl Stream, time: Duration, kept: &mut Vec<u8>) -> io::Result<()> {
    let end = Instant::now() + time;
    let mut part = [0; 1024];
    loop {
        let is_full = kept.len() + part.len() > THINKING;
        tokio::select! {
            () = sleep_until(end) => return Ok(()),
            read = stream.read(&mut part), if !is_full => match read? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => kept.extend_from_slice(&part[..n]),
            },
        }
    }
}

/// Plays until the game is over or `stays` says no, which is asked whenever something was heard (`true`) or nothing was
/// for long; an error is a lost connection. `pace` is asked before each thought: it may change while it plays.
pub async fn play(
    player: &mut dyn AnyPlayer,
    stream: &mut impl Stream,
    pace: impl Fn() -> Pace + Send,
    mut stays: impl FnMut(&dyn AnyPlayer, bool) -> bool + Send,
) -> io::Result<End> {
    let (mut out, mut kept, mut turn) = (Vec::new(), Vec::new(), 0_u32);
    player.connect(&mut out);
    loop {
        if !out.is_empty() && player.progress() == Progress::Seated {
            let pace = pace();
            if pace != Pace::NONE {
                turn = turn.wrapping_add(1);
                think(stream, pace.thought(turn), &mut kept).await?;
            }
        }
        stream.write_all(&out).await?;
        stream.flush().await?;
        out.clear();
        let heard = if kept.is_empty() {
            match timeout(NUDGE, stream.read(player.window())).await {
                Ok(Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    player.receive(read?, &mut out);
                    true
                }
                Err(_) => {
                    player.nudge(&mut out);
                    false
                }
            }
        } else {
            recall(player, &mut kept, &mut out)?;
            true
        };
        if let Some(end) = player.end() {
            return Ok(end);
        }
        if !stays(player, heard) {
            return Ok(End::Refused);
        }
    }
}

/// What came while a bot was thinking, as much as it can take at once.
fn recall(player: &mut dyn AnyPlayer, kept: &mut Vec<u8>, out: &mut Vec<u8>) -> io::Result<()> {
    let window = player.window();
    let n = window.len().min(kept.len());
    if n == 0 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    window[..n].copy_from_slice(&kept[..n]);
    kept.drain(..n);
    player.receive(n, out);
    Ok(())
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
    let place = Place { target: args.connect.clone(), trust, entry: args.game, is_played: Arc::default() };
    let bots = (1..=args.players).map(|index| Ok(tokio::spawn(stay(bot(&args, index)?, place.clone()))));
    let bots = bots.collect::<Result<Vec<_>, Exit>>()?;
    let mut is_over = false;
    for (index, task) in (1..).zip(bots) {
        let end = task.await.map_err(|error| Exit::failure(error.to_string()))?;
        match end.map_err(|error| Exit::failure(format!("{}: {}", args.connect, client::in_words(&error))))? {
            End::Over { won } => {
                is_over = true;
                if won {
                    println!("{} won", name(index));
                }
            }
            // Two quick bots may have ended the game before the third could sit down, or while it had no connection.
            End::Refused => eprintln!("{} was not let in", name(index)),
        }
    }
    if is_over { Ok(()) } else { Err(Exit::failure(format!("{}: nobody was let in", args.connect))) }
}

/// The same seed makes the same user: bots that were stopped come back to their game.
fn bot(args: &cli::Bot, index: u8) -> Result<Box<dyn AnyPlayer>, Exit> {
    let seed = args.seed.wrapping_mul(31).wrapping_add(u32::from(index));
    let seat = Seat {
        name: &name(index),
        password: &format!("bot {seed:08x}"),
        game: &args.table,
        is_guest: false,
        players: args.players.max(2),
        strength: args.strength.into(),
        seed,
    };
    (args.game.player)(&seat).ok_or_else(|| Exit::fault(format!("--table {}: too long a name for a game", args.table)))
}

/// Where a bot goes.
#[derive(Clone)]
struct Place {
    target: Target,
    trust: Trust,
    entry: &'static Entry,
    /// One of the bots that went there together has played its game to the end.
    is_played: Arc<AtomicBool>,
}

impl Place {
    async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        client::connect(&self.target, &self.trust, self.entry.encoding).await
    }
}

/// Whether a bot waits for a game that was played without it: no one comes any more.
fn is_too_late(is_played: &AtomicBool, player: &dyn AnyPlayer, heard: bool) -> bool {
    // A bot that hears something may hear next how the game ended.
    !heard && player.is_waiting() && is_played.load(Relaxed)
}

/// Comes back when the connection is lost. The first connection must succeed.
async fn stay(mut player: Box<dyn AnyPlayer>, place: Place) -> io::Result<End> {
    let mut stream = place.connect().await?;
    let mut lost = 0;
    loop {
        let stays = |player: &dyn AnyPlayer, heard| !is_too_late(&place.is_played, player, heard);
        let error = match play(&mut *player, &mut stream, || Pace::NONE, stays).await {
            Ok(end) => {
                place.is_played.fetch_or(matches!(end, End::Over { .. }), Relaxed);
                return Ok(end);
            }
            Err(error) => error,
        };
        if lost == 0 && player.progress() != Progress::Seated {
            eprintln!(
                "{}: closed before a bot had its seat, tried again: is that a port of {}?",
                place.target, place.entry.name
            );
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;
    use parlor_core::game::Strength;

    #[tokio::test]
    async fn whoever_comes_after_the_game_was_played_leaves() {
        let table = crate::registry::tests::registry(1).make(&GAMES[0]).unwrap();
        let seat = Seat {
            name: "late",
            password: "",
            game: "",
            is_guest: false,
            players: 2,
            strength: Strength::Plain,
            seed: 1,
        };
        let (mut near, far) = tokio::io::duplex(4096);
        tokio::spawn(table.table.clone().attend(Box::new(far), None));
        let mut player = (GAMES[0].player)(&seat).unwrap();
        let [not_yet, played] = [false, true].map(AtomicBool::new);
        let mut was_patient = false;
        let stays = |player: &dyn AnyPlayer, heard| {
            // Alone at a table, others may come; but not the bots that have played already.
            was_patient |= player.is_waiting() && !is_too_late(&not_yet, player, heard);
            !is_too_late(&played, player, heard)
        };
        let end = play(&mut *player, &mut near, || Pace::NONE, stays).await.unwrap();
        assert_eq!((end, was_patient), (End::Refused, true));
    }
}

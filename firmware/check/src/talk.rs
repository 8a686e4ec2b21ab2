//! The conversations of a game, each held with an image that was booted for it, and with the core in this process: what
//! every connection hears must be the same, byte for byte.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use parlor_core::game::Encoding;
use parlor_tests::conversation::{Coverage, Entry, Limits, Need, Setup, Talk};
use parlor_tests::games::GAMES;
use parlor_tests::peer::{Backend, OverTcp, Peer};
use parlor_tests::record::{Heard, Recorded};

use crate::Outcome;
use crate::emulator::{Emulator, Start};
use crate::over_websocket::OverWebSocket;
use crate::{web, words};

/// Boards at the same time. They sleep while a conversation lets time pass, which is most of the time.
const AT_ONCE: usize = 6;

#[derive(Default)]
struct Tally {
    held: usize,
    bytes: usize,
    left_out: Vec<String>,
    failures: Vec<String>,
}

/// How a board is spoken to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Tcp,
    WebSocket,
}

/// All conversations of a game, by its name, or every so many of them.
pub fn hold_all(run: &Path, elf: &Path, (game, every): (&str, usize), way: Way) -> Outcome {
    let start = Instant::now();
    let game = GAMES.iter().find(|entry| entry.game == game).ok_or_else(|| format!("{game}: no such game"))?;
    let mut talks: Vec<_> = game.talks()?.into_iter().step_by(every.max(1)).collect();
    // The last is held first: one that waits for long does so beside the others.
    talks.sort_by_key(|talk| talk.waits());
    let queue = Mutex::new(talks);
    let tally = Mutex::new(Tally::default());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(talk) = next(&queue) {
                    let outcome = hold_file(Start { run, elf, qemu: "" }, game, &*talk, way);
                    if let Ok(mut tally) = tally.lock() {
                        tally.note(outcome);
                    }
                }
            });
        }
    });
    let tally = tally.into_inner().map_err(|_| "a conversation broke off")?;
    tally.left_out.iter().for_each(|line| println!("not held: {line}"));
    let Tally { held, bytes, failures, .. } = tally;
    println!(
        "{held} conversations held with the image in {} s, {bytes} bytes heard and the same as from the core",
        start.elapsed().as_secs()
    );
    if failures.is_empty() && held > 0 {
        Ok(())
    } else {
        Err(format!("{} failed\n\n{}", failures.len(), failures.join("\n\n")).into())
    }
}

fn next(queue: &Mutex<Vec<Box<dyn Talk>>>) -> Option<Box<dyn Talk>> {
    queue.lock().ok()?.pop()
}

/// Bytes heard, or why the file is not for a board.
type Held = Result<Result<usize, String>, String>;

impl Tally {
    fn note(&mut self, outcome: Held) {
        match outcome {
            Ok(Ok(bytes)) => {
                self.held += 1;
                self.bytes += bytes;
            }
            Ok(Err(why)) => self.left_out.push(why),
            Err(failure) => self.failures.push(failure),
        }
    }
}

fn hold_file(start: Start<'_>, entry: &Entry, talk: &dyn Talk, way: Way) -> Held {
    let game = entry.game;
    let name = Path::new(talk.file()).file_stem().unwrap_or_default().to_string_lossy();
    if let Some(why) = unfit(talk.setup()) {
        return Ok(Err(format!("{name}: {why}")));
    }
    if way == Way::WebSocket && entry.encoding == Encoding::Text && !talk.is_text() {
        return Ok(Err(format!("{name}: says what is no text")));
    }
    let (said, by_core) = hold(talk, &mut *talk.in_memory(usize::MAX)?);
    said?;

    let board = start.game(game, &format!("{game}-{name}"), &options(talk.setup()));
    let board = board.map_err(|error| format!("{name}: {error}"))?;
    let (said, by_board) = match way {
        Way::Tcp => hold(talk, &mut Emulated(&board, OverTcp((Ipv4Addr::LOCALHOST, board.port).into()))),
        Way::WebSocket => {
            let door = web::door(board.web);
            hold(talk, &mut Emulated(&board, OverWebSocket { door, game, encoding: entry.encoding }))
        }
    };
    said.map_err(|failure| format!("{failure}\n  the board's log\n{}", board.log()))?;
    if let Some(why) = board.complaint() {
        return Err(format!("{name}: {why}\n{}", board.log()));
    }
    match by_core.difference(&by_board) {
        None => Ok(Ok(by_board.bytes())),
        Some(difference) => Err(format!("{name}: core and board differ: {difference}")),
    }
}

/// A board in an emulator, which may be kept waiting: a little more time must pass, by the board's own clock.
struct Emulated<'b, B>(&'b Emulator, B);

/// In this time a board has surely read what was sent to it, on a machine that has much to do.
const SETTLING: Duration = Duration::from_millis(60);

impl<B: Backend> Backend for Emulated<'_, B> {
    /// Only the board knows when it has taken a connection: the emulator's network takes it at once, calls the board itself, and
    /// calls again 6 s later where no link listened just then: several calls came at once, or the link that gave way was not
    /// free yet.
    fn connect(&mut self) -> Box<dyn Peer> {
        let before = self.0.opened();
        let peer = self.1.connect();
        self.0.wait_until_opened(before + 1);
        peer
    }
    fn wait(&mut self, ms: u64) {
        self.0.wait(Duration::from_millis(ms + ms / 20 + 100));
    }
    fn settle(&mut self) {
        self.0.wait(SETTLING);
    }
}

/// Where games are saved by name. A board saves its games, but not by name.
const STORAGE: (&str, &str) = ("storage", "on");

/// Why a conversation can't be held with a board.
fn unfit(setup: &Setup) -> Option<&'static str> {
    if setup.limits == Limits::Host {
        return Some("needs more than a board has");
    }
    if setup.options.iter().any(|(name, value)| (name.as_str(), value.as_str()) == STORAGE) {
        return Some("needs a place for files");
    }
    setup.needs.first().map(|need| match need {
        Need::SmallWindow => "the emulator's network holds more than the file's reader may leave unread",
        Need::Patience => "takes minutes",
    })
}

/// What the header asks for, as the words that an image takes.
fn options(setup: &Setup) -> Vec<String> {
    let words = setup.options.iter().map(|(name, value)| format!("{}={value}", name.replace('_', "-")));
    // Boards that have bots say so; the core in this process has none unless the file says otherwise.
    ["bots=off".to_string()].into_iter().chain(words).chain([words::seed(&setup.seed)]).collect()
}

fn hold(talk: &dyn Talk, backend: &mut dyn Backend) -> (Result<(), String>, Heard) {
    let mut recorded = Recorded::new(backend);
    let said = talk.run(&mut recorded, &mut Coverage::default());
    (said, recorded.heard())
}

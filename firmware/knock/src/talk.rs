//! The conversations of a folder, each held with an image that was booted for it, and with the core in this process: what
//! every connection hears must be the same, byte for byte.

use std::error::Error;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use parlor_core::pimp::limits::BoardTable;
use parlor_core::yard::limits::BoardYard;
use parlor_tests::conversation::{self, Coverage, Limits, Need};
use parlor_tests::peer::{Backend, OverTcp, Peer};
use parlor_tests::record::{Heard, Recorded};
use parlor_tests::talk;

use crate::Outcome;
use crate::emulator::{Emulator, Start};
use crate::words;

/// Boards at the same time. They sleep while a conversation lets time pass, which is most of the time.
const AT_ONCE: usize = 6;

#[derive(Default)]
struct Tally {
    held: usize,
    bytes: usize,
    left_out: Vec<String>,
    failures: Vec<String>,
}

/// A conversation of some game.
pub trait Talk: Sized {
    fn parse(file: &str, text: &str) -> Result<Self, String>;
    /// Why it can't be held with a board.
    fn unfit(&self) -> Option<&'static str>;
    /// The core in this process, as the conversation wants it.
    fn core(&self) -> Result<Box<dyn Backend>, String>;
    /// The same for an image.
    fn options(&self) -> Result<Vec<String>, String>;
    fn boot(start: Start<'_>, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>>;
    fn run(&self, backend: &mut dyn Backend) -> Result<(), String>;
}

pub fn hold_all<T: Talk>(run: &Path, elf: &Path, folder: &Path) -> Outcome {
    let start = Instant::now();
    let paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    let mut talks: Vec<_> =
        paths.into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "talk")).collect();
    talks.sort();
    let queue = Mutex::new(talks);
    let tally = Mutex::new(Tally::default());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(path) = next(&queue) {
                    let outcome = hold_file::<T>(run, elf, &path);
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

fn next(queue: &Mutex<Vec<PathBuf>>) -> Option<PathBuf> {
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

fn hold_file<T: Talk>(run: &Path, elf: &Path, path: &Path) -> Held {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let talk = T::parse(&format!("{name}.talk"), &text)?;
    if let Some(why) = talk.unfit() {
        return Ok(Err(format!("{name}: {why}")));
    }
    let (said, by_core) = hold(&talk, &mut *talk.core()?);
    said?;

    let board = T::boot(Start { run, elf, qemu: "" }, &name, &talk.options()?);
    let board = board.map_err(|error| format!("{name}: {error}"))?;
    let (said, by_board) = hold(&talk, &mut Emulated(OverTcp((Ipv4Addr::LOCALHOST, board.port).into())));
    said.map_err(|failure| format!("{failure}\n  the board's log\n{}", board.log()))?;
    if let Some(why) = board.complaint() {
        return Err(format!("{name}: {why}\n{}", board.log()));
    }
    match by_core.difference(&by_board) {
        None => Ok(Ok(by_board.bytes())),
        Some(difference) => Err(format!("{name}: core and board differ: {difference}")),
    }
}

/// A board in an emulator. Its clock loses a tick whenever the emulator is kept waiting, so more time must
/// pass.
struct Emulated(OverTcp);

/// Milliseconds in which a board has surely read what was sent to it, on a machine that has much to do.
const SETTLING: u64 = 60;

impl Backend for Emulated {
    fn connect(&mut self) -> Box<dyn Peer> {
        self.0.connect()
    }
    fn wait(&mut self, ms: u64) {
        self.0.wait(ms + ms / 20 + 100);
    }
    fn settle(&mut self) {
        self.0.wait(SETTLING);
    }
}

fn hold(talk: &impl Talk, backend: &mut dyn Backend) -> (Result<(), String>, Heard) {
    let mut recorded = Recorded::new(backend);
    let said = talk.run(&mut recorded);
    (said, recorded.heard())
}

impl Talk for conversation::Conversation {
    fn parse(file: &str, text: &str) -> Result<Self, String> {
        Self::parse(file, text)
    }
    fn unfit(&self) -> Option<&'static str> {
        if self.setup.limits == Limits::Host {
            return Some("needs more seats than a board has");
        }
        self.setup.needs.first().map(|need| match need {
            Need::SmallWindow => "the emulator's network holds more than the file's reader may leave unread",
            Need::Patience => "takes minutes",
        })
    }
    fn core(&self) -> Result<Box<dyn Backend>, String> {
        self.setup.in_memory(usize::MAX)
    }
    fn options(&self) -> Result<Vec<String>, String> {
        let mut options = words::settings::<BoardTable>(&self.setup.config()?);
        options.push(words::seed(&self.setup.seed));
        Ok(options)
    }
    fn boot(start: Start<'_>, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        start.pimp(name, options)
    }
    fn run(&self, backend: &mut dyn Backend) -> Result<(), String> {
        self.run(backend, &mut Coverage::default())
    }
}

impl Talk for talk::Conversation {
    fn parse(file: &str, text: &str) -> Result<Self, String> {
        Self::parse(file, text)
    }
    fn unfit(&self) -> Option<&'static str> {
        self.setup.host.then_some("needs longer lines or more games than a board has")
    }
    fn core(&self) -> Result<Box<dyn Backend>, String> {
        self.setup.in_memory(usize::MAX)
    }
    fn options(&self) -> Result<Vec<String>, String> {
        let mut options = words::settings::<BoardYard>(&self.setup.config()?);
        options.push(words::seed(&self.setup.seed));
        Ok(options)
    }
    fn boot(start: Start<'_>, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        start.yard(name, options)
    }
    fn run(&self, backend: &mut dyn Backend) -> Result<(), String> {
        self.run(backend, &mut talk::Heard::new())
    }
}

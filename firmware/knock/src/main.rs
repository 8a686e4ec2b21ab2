//! Knocks at a board and says what was tried; ends with an error or a panic at the first thing that is not as it should be.
//!
//! - `knock echo PORT LINKS`: a board that serves Echo: what only a board can get wrong (its few sockets, cut and refused
//!   connections), then what Echo promises everywhere.
//! - `knock held PORT`: the same with `hold=yes`: nothing leaves before it is released.
//! - `knock pimp PORT SEATS`: a board that serves Monopoly with `rate=0 vote-pause=0`, and is treated badly.
//! - `knock bots PORT BOTS`: the same with `claim-grace=0` and an empty table, for a whole game of bots.
//! - `knock outage RUN ELF BOTS`: boots an image that saves its game, cuts its power in the middle of one, boots it again,
//!   and has everybody go on.
//! - `knock talk RUN ELF`: boots the image anew for each conversation of the game, holds it, and compares
//!   every byte with what the core in this process says.
//! - `knock yard PORT LINKS`, `knock yard-bots PORT BOTS`, `knock yard-outage RUN ELF`, `knock yard-talk RUN ELF`: the
//!   same for a board that serves Scotland Yard with `rate=0 password-pause=0`.
//! - `knock stop RUN ELF SECONDS`: boots the image for a game in which somebody stops reading for so long, and comes back.
//! - `knock soak RUN ELF MINUTES`: boots the image for games of bots among bad guests, and prints a line a minute.
//! - `knock minute RUN ELF QEMU`: boots the image with these options for QEMU, and plays a minute as people do.
//! - `knock count RUN ELF`: boots an image with the feature `count` and prints what commands cost it.
//! - `knock share RUN ELF BARE`: boots two images and prints the first one's round trips as a share of the second's, one
//!   with the feature `bare`.

mod count;
mod door;
mod echo;
mod emulator;
mod minute;
mod pimp;
mod share;
mod soak;
mod stop;
mod talk;
mod words;
mod yard;

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

type Outcome = Result<(), Box<dyn Error>>;

const USAGE: &str = "knock echo PORT LINKS | knock held PORT | knock pimp PORT SEATS | knock bots PORT BOTS | \
                     knock outage RUN ELF BOTS | knock talk RUN ELF | knock yard PORT LINKS | \
                     knock yard-bots PORT BOTS | knock yard-outage RUN ELF | knock yard-talk RUN ELF | \
                     knock stop RUN ELF SECONDS | \
                     knock soak RUN ELF MINUTES | knock minute RUN ELF QEMU | knock count RUN ELF | \
                     knock share RUN ELF BARE";

fn main() -> ExitCode {
    match knock() {
        Ok(()) => ExitCode::SUCCESS,
        // As it reads, not as it is quoted.
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn knock() -> Outcome {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["echo", port, links] => echo::knock(port.parse()?, links.parse()?),
        ["held", port] => echo::knock_held(port.parse()?),
        ["pimp", port, seats] => pimp::knock(port.parse()?, seats.parse()?),
        ["bots", port, bots] => pimp::play(port.parse()?, bots.parse()?),
        ["outage", run, elf, bots] => pimp::play_through_outage(Path::new(run), Path::new(elf), bots.parse()?),
        ["talk", run, elf] => {
            talk::hold_all(Path::new(run), Path::new(elf), "pimp", |start, name, options| start.pimp(name, options))
        }
        ["yard", port, links] => yard::knock(port.parse()?, links.parse()?),
        ["yard-bots", port, bots] => yard::play(port.parse()?, bots.parse()?),
        ["yard-outage", run, elf] => yard::play_through_outage(Path::new(run), Path::new(elf)),
        ["yard-talk", run, elf] => {
            talk::hold_all(Path::new(run), Path::new(elf), "yard", |start, name, options| start.yard(name, options))
        }
        ["stop", run, elf, seconds] => {
            stop::knock(Path::new(run), Path::new(elf), Duration::from_secs(seconds.parse()?))
        }
        ["soak", run, elf, minutes] => soak::knock(Path::new(run), Path::new(elf), minutes.parse()?),
        ["minute", run, elf, qemu] => minute::play(Path::new(run), Path::new(elf), qemu),
        ["count", run, elf] => count::print(Path::new(run), Path::new(elf)),
        ["share", run, elf, bare] => share::print(Path::new(run), Path::new(elf), Path::new(bare)),
        _ => Err(USAGE.into()),
    }
}

fn step(what: &str, attempt: impl FnOnce() -> Outcome) -> Outcome {
    let start = Instant::now();
    attempt().map_err(|error| format!("{what}: {error}"))?;
    println!("ok, {:5} ms: {what}", start.elapsed().as_millis());
    Ok(())
}

//! Checks a board over the network and says what was tried; ends with an error or a panic at the first thing that is not as
//! it should be.
//!
//! - `board-check echo PORT LINKS`: a board that serves Echo: what only a board can get wrong (its few sockets, cut and refused
//!   connections), then what Echo promises everywhere.
//! - `board-check held PORT`: the same with `hold=yes`: nothing leaves before it is released.
//! - `board-check pimp PORT SEATS`: a board that serves Monopoly with `rate=0 vote-pause=0`, and is abused.
//! - `board-check bots PORT BOTS`: the same with `claim-grace=0` and an empty table, for a whole game of bots.
//! - `board-check outage RUN ELF BOTS`: boots an image that saves its game, cuts its power in the middle of one, boots it again,
//!   and has everybody go on.
//! - `board-check talk GAME RUN ELF EVERY [websocket]`: boots the image anew for each conversation of the game, or for every so
//!   many of them, holds it over TCP or WebSocket, and compares every byte with what the core in this process says.
//! - `board-check evening GAME RUN ELF BOTS`: boots the image for a whole game of bots that was played with the core before, and
//!   compares every byte with what the core said.
//! - `board-check yard PORT LINKS`, `board-check yard-bots PORT BOTS`, `board-check yard-outage RUN ELF`: as for Monopoly, for
//!   a board that serves Scotland Yard with `rate=0 password-pause=0`.
//! - `board-check venus-bots PORT BOTS`: a whole game of bots on a board that serves Merchant of Venus with `rate=0`.
//! - `board-check house-bots PORT GAME BOTS`: one player with so many of the board's own bots, to the end of a game; a board with `rate=0`.
//! - `board-check abuse RUN ELF`: boots an image in QEMU for games of bots that nothing may disturb: half requests, slow readers,
//!   long heads, garbage, many connections.
//! - `board-check flood RUN ELF`: the same for a flood of calls from addresses without a host.
//! - `board-check web PORT [open]`: a board that serves pages and WebSocket beside both games; `open`: over a network that
//!   takes whatever the board sends.
//! - `board-check fair RUN ELF`: boots an image whose games have keys for a game of bots, and checks every throw of it by its key.
//! - `board-check settings RUN ELF`: boots an image that is set up from a browser, cuts its power, and holds its button.
//! - `board-check mdns RUN ELF`: boots the image in an emulator that carries datagrams, and asks for its name.
//! - `board-check neighbours RUN ELF`: boots two boards in QEMU on one cable, and asks for their names.
//! - `board-check stop RUN ELF SECONDS`: boots the image for a game whose player stops reading for so long.
//! - `board-check soak RUN ELF MINUTES`: boots the image for games of bots among bad guests, and prints a line a minute.
//! - `board-check soak-house RUN ELF MINUTES`: the same with all games, bots of the board's own, pages, and bad requests.
//! - `board-check minute RUN ELF QEMU`: boots the image with these options for QEMU, and plays a minute as people do.
//! - `board-check count RUN ELF`: boots an image with the feature `count` and prints what commands cost it.
//! - `board-check chip RUN ELF BARE`: boots two images with the feature `count`, the second with `bare` too, and prints what the whole
//!   chip does for an answer.
//! - `board-check clock RUN ELF`: boots the image, keeps its emulator waiting, and looks whether its clock has gone on.
//! - `board-check wait RUN ELF`: boots an image in QEMU for a game of eight, and prints how long a player waits for an
//!   answer while others load pages, by the chip's time.
//! - `board-check share RUN ELF BARE`: boots two images and prints the first one's round trips as a share of the second's, one
//!   with the feature `bare`.

mod abuse;
mod cable;
mod chip;
mod clock;
mod count;
mod door;
mod echo;
mod emulator;
mod evening;
mod fair;
mod flood;
mod frames;
mod house_bots;
mod mdns;
mod minute;
mod neighbours;
mod over_websocket;
mod pimp;
mod settings;
mod share;
mod soak;
mod stop;
mod talk;
mod venus;
mod wait;
mod web;
mod words;
mod yard;

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parlor_core::venus::limits::BoardVenus;
use parlor_core::yard::limits::BoardYard;
use talk::Way;

type Outcome = Result<(), Box<dyn Error>>;

const USAGE: &str = "board-check echo PORT LINKS | board-check held PORT | board-check pimp PORT SEATS | board-check bots PORT BOTS | \
                     board-check outage RUN ELF BOTS | board-check talk GAME RUN ELF EVERY [websocket] | \
                     board-check evening GAME RUN ELF BOTS | board-check yard PORT LINKS | board-check yard-bots PORT BOTS | \
                     board-check yard-outage RUN ELF | board-check venus-bots PORT BOTS | board-check house-bots PORT GAME BOTS | \
                     board-check abuse RUN ELF | board-check neighbours RUN ELF | board-check web PORT [open] | board-check fair RUN ELF | board-check settings RUN ELF | board-check mdns RUN ELF | \
                     board-check stop RUN ELF SECONDS | board-check soak RUN ELF MINUTES | board-check soak-house RUN ELF MINUTES | board-check minute RUN ELF QEMU | board-check count RUN ELF | \
                     board-check chip RUN ELF BARE | board-check flood RUN ELF | board-check clock RUN ELF | board-check wait RUN ELF | \
                     board-check share RUN ELF BARE";

fn main() -> ExitCode {
    match check() {
        Ok(()) => ExitCode::SUCCESS,
        // As it reads, not as it is quoted.
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Outcome {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["echo", port, links] => echo::check(port.parse()?, links.parse()?),
        ["held", port] => echo::check_held(port.parse()?),
        ["pimp", port, seats] => pimp::check(port.parse()?, seats.parse()?),
        ["bots", port, bots] => pimp::play(port.parse()?, bots.parse()?),
        ["outage", run, elf, bots] => pimp::play_through_outage(Path::new(run), Path::new(elf), bots.parse()?),
        ["talk", game, run, elf, every] => {
            talk::hold_all(Path::new(run), Path::new(elf), (game, every.parse()?), Way::Tcp)
        }
        ["talk", game, run, elf, every, "websocket"] => {
            talk::hold_all(Path::new(run), Path::new(elf), (game, every.parse()?), Way::WebSocket)
        }
        ["evening", game, run, elf, bots] => evening::hold(game, Path::new(run), Path::new(elf), bots.parse()?),
        ["yard", port, links] => yard::check(port.parse()?, links.parse()?),
        ["yard-bots", port, bots] => yard::play(port.parse()?, bots.parse()?),
        ["yard-outage", run, elf] => yard::play_through_outage(Path::new(run), Path::new(elf)),
        ["venus-bots", port, bots] => venus::play(port.parse()?, bots.parse()?),
        ["house-bots", port, "yard", bots] => {
            house_bots::play::<BoardYard>(&yard::door(port.parse()?), "requestai\r\n", bots.parse()?)
        }
        ["house-bots", port, "venus", bots] => {
            house_bots::play::<BoardVenus>(&venus::door(port.parse()?), "REQUESTBOT\n", bots.parse()?)
        }
        ["abuse", run, elf] => abuse::check(Path::new(run), Path::new(elf)),
        ["flood", run, elf] => abuse::check_flood(Path::new(run), Path::new(elf)),
        ["neighbours", run, elf] => neighbours::check(Path::new(run), Path::new(elf)),
        ["web", port] => web::check(port.parse()?, true),
        ["web", port, "open"] => web::check(port.parse()?, false),
        ["fair", run, elf] => fair::check(Path::new(run), Path::new(elf)),
        ["settings", run, elf] => settings::check_kept(Path::new(run), Path::new(elf)),
        ["mdns", run, elf] => mdns::check(Path::new(run), Path::new(elf)),
        ["stop", run, elf, seconds] => {
            stop::check(Path::new(run), Path::new(elf), Duration::from_secs(seconds.parse()?))
        }
        ["soak", run, elf, minutes] => soak::check(Path::new(run), Path::new(elf), minutes.parse()?),
        ["soak-house", run, elf, minutes] => soak::check_house(Path::new(run), Path::new(elf), minutes.parse()?),
        ["minute", run, elf, qemu] => minute::play(Path::new(run), Path::new(elf), qemu),
        ["count", run, elf] => count::print(Path::new(run), Path::new(elf)),
        ["chip", run, elf, bare] => chip::print(Path::new(run), Path::new(elf), Path::new(bare)),
        ["clock", run, elf] => clock::check(Path::new(run), Path::new(elf)),
        ["wait", run, elf] => wait::print(Path::new(run), Path::new(elf)),
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

//! How long a client of a game waits for an answer while others load pages, by the chip's own time.
//!
//! The emulator's clock counts instructions, and it stamps every frame of the board's cable with that clock: an answer took
//! the time between two frames. What this machine does meanwhile, and how fast, is not in it.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::Duration;

use parlor_core::game::Game as _;
use parlor_core::pimp::limits::BoardTable;
use parlor_tests::peer::OverTcp;
use parlor_tests::pimp::bots::Party;

use crate::Outcome;
use crate::door::{ANSWER, Door};
use crate::emulator::Start;
use crate::share::QUESTION;
use crate::web::{self, get, must, read_answer};

/// An instruction takes 32 ns: a chip of 31 MHz, slower than any board that is sold.
const SHIFT: u32 = 5;
const PORT: u16 = BoardTable::PORT;
const OPTIONS: [&str; 5] = ["rate=0", "vote-pause=0", "claim-grace=0", "farewell=300ms", "deserted=300ms"];
/// Players at the table. The client that asks has no seat: the same links serve all.
const PLAYERS: u8 = 8;
/// Questions before any browser loads a page, and as many while they do.
const QUESTIONS: u32 = 2_000;
const BROWSERS: usize = 3;
/// The longest that any answer may take.
const LIMIT: Duration = Duration::from_millis(50);

pub fn print(run: &Path, elf: &Path) -> Outcome {
    let file = std::env::temp_dir().join(format!("parlor-{}-wait.pcap", std::process::id()));
    let qemu = format!("-icount shift={SHIFT} -object filter-dump,id=pcap,netdev=net,file={}", file.display());
    let board = Start { run, elf, qemu: &qemu }.pimp("wait", &OPTIONS.map(String::from))?;
    let (over, pages) = (&AtomicBool::new(false), &AtomicU32::new(0));
    let (door, address) = (&web::door(board.web), (Ipv4Addr::LOCALHOST, board.port).into());
    let asked = Door { port: board.port, question: &QUESTION, answer: (&[0xFE, 1, 0x2D], 3) };
    let calm = scope(|scope| {
        scope.spawn(|| play(address, over));
        let calm = ask_often(&asked);
        let browsers = [(); BROWSERS].map(|()| scope.spawn(|| load(door, over, pages)));
        let busy = ask_often(&asked);
        over.store(true, Relaxed);
        browsers.into_iter().try_for_each(|browser| browser.join().map_err(|_| "a browser broke off")?)?;
        busy?;
        calm
    })?;
    drop(board);
    let capture = fs::read(&file)?;
    fs::remove_file(&file)?;
    println!("| asked | answers | median | longest | instructions, longest |\n|---|---:|---:|---:|---:|");
    let waits = waits(&capture).ok_or("no capture")?;
    let (before, after) = waits.split_at_checked(calm as usize).ok_or("few answers")?;
    line(&format!("beside a game of {PLAYERS}"), before)?;
    let longest = line(&format!("and {BROWSERS} browsers, {} pages", pages.load(Relaxed)), after)?;
    Ok(must(longest <= LIMIT, "somebody waits for too long")?)
}

fn line(what: &str, waits: &[Duration]) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut waits = waits.to_vec();
    waits.sort_unstable();
    let (middle, longest) = (waits.get(waits.len() / 2), waits.last());
    let (middle, longest) = middle.copied().zip(longest.copied()).ok_or("no answers")?;
    let instructions = longest.as_nanos() >> SHIFT;
    println!("| {what} | {} | {middle:.2?} | {longest:.2?} | {instructions} |", waits.len());
    Ok(longest)
}

/// Games of bots, one after another.
fn play(address: std::net::SocketAddr, over: &AtomicBool) {
    let board = &mut OverTcp(address);
    while !over.load(Relaxed) {
        let mut party = Party::sit(board, PLAYERS);
        while party.played.winner.is_none() && !over.load(Relaxed) {
            party.step();
            party.mend(board);
        }
        drop(party);
        sleep(Duration::from_secs(1));
    }
}

/// Answers that came. A connection without a seat may have to give way: then a new one is opened.
fn ask_often(door: &Door) -> Result<u32, Box<dyn std::error::Error>> {
    let mut answers = 0;
    while answers < QUESTIONS {
        let mut stream = door.guest(ANSWER)?;
        answers += 1;
        while answers < QUESTIONS && door.ask(&mut stream).is_ok() {
            answers += 1;
        }
    }
    Ok(answers)
}

/// A page, again and again, each time over a connection of its own.
fn load(door: &Door, over: &AtomicBool, pages: &AtomicU32) -> Result<(), String> {
    while !over.load(Relaxed) {
        let one = || {
            let mut stream: TcpStream = door.connect()?;
            stream.write_all(get("/pimp", "Connection: close\r\n").as_bytes())?;
            read_answer(&mut stream, true)
        };
        let answer = one().map_err(|error| format!("no page: {error}"))?;
        must(answer.status == 200, "no page").map_err(|error| error.to_string())?;
        pages.fetch_add(1, Relaxed);
    }
    Ok(())
}

/// From each such question on the board's cable to the frame that answers it, in the order of the questions.
fn waits(capture: &[u8]) -> Option<Vec<Duration>> {
    let (mut waits, mut asked) = (Vec::new(), Vec::<(u16, Duration)>::new());
    let mut rest = capture.get(24..)?;
    while let Some((at, frame, after)) = cut(rest) {
        rest = after;
        match segment(frame) {
            Some((from, PORT, payload)) if payload == QUESTION => asked.push((from, at)),
            Some((PORT, to, payload)) if !payload.is_empty() => {
                if let Some(nth) = asked.iter().position(|(port, _)| *port == to) {
                    waits.push(at - asked.remove(nth).1);
                }
            }
            _ => {}
        }
    }
    Some(waits)
}

/// When a frame passed, the frame, and what is behind it: a capture's own head is 16 bytes.
fn cut(capture: &[u8]) -> Option<(Duration, &[u8], &[u8])> {
    let word = |at: usize| Some(u32::from_le_bytes(capture.get(at..at + 4)?.try_into().ok()?));
    let at = Duration::from_secs(word(0)?.into()) + Duration::from_micros(word(4)?.into());
    let (frame, rest) = capture.get(16..)?.split_at_checked(word(8)? as usize)?;
    Some((at, frame, rest))
}

/// Ports and payload, if it is TCP over IPv4.
fn segment(frame: &[u8]) -> Option<(u16, u16, &[u8])> {
    let packet = frame.get(14..)?;
    if frame.get(12..14)? != [8, 0] || *packet.get(9)? != 6 {
        return None;
    }
    let length = usize::from(u16::from_be_bytes(packet.get(2..4)?.try_into().ok()?));
    let tcp = packet.get(..length)?.get(usize::from(packet.first()? & 15) * 4..)?;
    let port = |at: usize| Some(u16::from_be_bytes(tcp.get(at..at + 2)?.try_into().ok()?));
    Some((port(0)?, port(2)?, tcp.get(usize::from(tcp.get(12)? >> 4) * 4..)?))
}

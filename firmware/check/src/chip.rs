//! What the whole chip does for an answer, in instructions: network, page, WebSocket and game together, beside an image that
//! only sends back what it got. Images with the feature `count` log the sum, in an emulator whose clock counts instructions.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::Outcome;
use crate::count::COUNTING;
use crate::door::{ANSWER, Door};
use crate::emulator::{Emulator, Start};
use crate::share::QUESTION;
use crate::web::{door, frame, get, read_answer, read_frame, value, websocket};

/// How often each is asked.
const TIMES: u32 = 200;
/// What came last is done, and logged.
const SETTLED: Duration = Duration::from_millis(300);

type Count = Result<u32, Box<dyn Error>>;

pub fn print(run: &Path, elf: &Path, bare: &Path) -> Outcome {
    let table = Start { run, elf, qemu: COUNTING }.pimp("chip-table", &["rate=0".to_string()])?;
    let bare = Start { run, elf: bare, qemu: COUNTING }.board("chip-bare", &[])?;
    println!("| instructions of the chip | for |\n|---:|---|");
    let echoed = Door { port: bare.port, question: &QUESTION, answer: (&QUESTION, 3) };
    let asked = Door { port: table.port, question: &QUESTION, answer: (&[0xFE, 1, 0x2D], 3) };
    let [bare, tcp] = [round_trip(&bare, &echoed)?, round_trip(&table, &asked)?];
    println!("| {bare} | three bytes and back, the bare image |");
    println!("| {tcp} | a command of three bytes and its answer over TCP: {:.2} |", f64::from(bare) / f64::from(tcp));
    let web = &door(table.web);
    let mut socket = websocket(web, "pimp")?;
    let framed = frame(0x82, &QUESTION);
    let over_websocket = cost(&table, || exchange(&mut socket, &framed))?;
    let share = f64::from(bare) / f64::from(over_websocket);
    println!("| {over_websocket} | the same over WebSocket, a frame in and one out: {share:.2} |");
    let ping = frame(0x89, &QUESTION);
    println!("| {} | a ping and its pong |", cost(&table, || exchange(&mut socket, &ping))?);
    drop(socket);
    for path in ["/", "/pimp", "/status"] {
        page(&table, web, path)?;
    }
    Ok(())
}

fn round_trip(board: &Emulator, door: &Door) -> Count {
    let mut stream = door.guest(ANSWER)?;
    cost(board, || Ok(door.ask(&mut stream)?))
}

fn exchange(stream: &mut TcpStream, bytes: &[u8]) -> Outcome {
    stream.write_all(bytes)?;
    read_frame(stream)?;
    Ok(())
}

/// One page in full, and where the browser has it already.
fn page(board: &Emulator, door: &Door, path: &str) -> Outcome {
    let mut stream = door.connect()?;
    let mut ask = |lines: &str| {
        stream.write_all(get(path, lines).as_bytes())?;
        read_answer(&mut stream, true)
    };
    let first = ask("")?;
    let whole = cost(board, || Ok(ask("").map(drop)?))?;
    println!("| {whole} | GET {path}, {} bytes after its head |", first.body.len());
    if let Some(tag) = value(&first.head, "ETag") {
        let line = format!("If-None-Match: {tag}\r\n");
        println!("| {} | GET {path}, not modified |", cost(board, || Ok(ask(&line).map(drop)?))?);
    }
    // A client that leaves reads to the end first.
    stream.shutdown(std::net::Shutdown::Write)?;
    stream.read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Instructions for each of many. What the board does by itself meanwhile is in it, and little.
fn cost(board: &Emulator, mut ask: impl FnMut() -> Outcome) -> Count {
    let before = sum(board)?;
    for _ in 0..TIMES {
        ask()?;
    }
    Ok(sum(board)?.wrapping_sub(before) / TIMES)
}

fn sum(board: &Emulator) -> Count {
    sleep(SETTLED);
    let log = board.log();
    let last = log.lines().rev().find_map(|line| line.split_once("busy for ")?.1.split(' ').next()?.parse().ok());
    last.ok_or_else(|| "the log has no sum: an image without the feature count".into())
}

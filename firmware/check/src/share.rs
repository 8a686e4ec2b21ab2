//! Round trips with a Monopoly table as a share of those with a board that only sends back what it got: the same sizes, the
//! same chip, by turns.
//!
//! A second is one of the emulator's own: other programs on this machine should not count.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::door::Door;
use crate::emulator::{Emulator, Start};

/// How long each is asked at a time, and how often. The best stretch counts: any disturbance makes it slower.
const STRETCH: Duration = Duration::from_millis(50);
const STRETCHES: usize = 150;
/// A frame of three bytes that no client may send; a table answers with three.
pub const QUESTION: [u8; 3] = [0x2D, 1, 7];

pub fn print(run: &Path, elf: &Path, bare: &Path) -> Outcome {
    let table = Start { run, elf, qemu: "" }.pimp("share-table", &["rate=0".to_string()])?;
    let bare = Start { run, elf: bare, qemu: "" }.board("share-bare", &[])?;
    println!("| connections | table, round trips a second | bare | share |\n|---:|---:|---:|---:|");
    for links in [1, 8] {
        let mut asked = Door { port: table.port, question: &QUESTION, answer: (&[0xFE, 1, 0x2D], 3) }.guests(links)?;
        let mut echoed = Door { port: bare.port, question: &QUESTION, answer: (&QUESTION, 3) }.guests(links)?;
        let mut best = (0_f64, 0_f64);
        for _ in 0..STRETCHES {
            best = (best.0.max(trips(&mut asked, &table)?), best.1.max(trips(&mut echoed, &bare)?));
        }
        println!("| {links} | {:.0} | {:.0} | {:.2} |", best.0, best.1, best.0 / best.1);
    }
    Ok(())
}

/// Round trips a second of the board's: each connection has one question on its way at a time.
fn trips(streams: &mut [TcpStream], board: &Emulator) -> io::Result<f64> {
    let (start, busy, mut count) = (Instant::now(), board.busy()?, 0);
    let mut answer = [0; 3];
    while start.elapsed() < STRETCH {
        streams.iter_mut().try_for_each(|stream| stream.write_all(&QUESTION))?;
        streams.iter_mut().try_for_each(|stream| stream.read_exact(&mut answer))?;
        count += streams.len();
    }
    Ok(count as f64 / (board.busy()? - busy).as_secs_f64())
}

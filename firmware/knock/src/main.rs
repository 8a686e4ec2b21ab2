//! Knocks at a board that serves Echo: `knock PORT LINKS`. Says what was tried, and ends with an error or a panic at the
//! first thing that is not as it should be.
//!
//! First what only a board can get wrong (its few sockets, cut and refused connections), then what Echo promises
//! everywhere.

use std::env;
use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_tests::echo;
use parlor_tests::peer::OverTcp;

type Outcome = Result<(), Box<dyn Error>>;

/// A board boots in well under a second; a loaded machine that emulates one may take longer.
const BOOT: Duration = Duration::from_secs(20);
const ANSWER: Duration = Duration::from_secs(10);
/// Two megabytes a thousand: enough to fill every buffer between a board and one who has stopped reading.
const MOVES: usize = 3_000;

fn main() -> Outcome {
    let mut words = env::args().skip(1);
    let port = words.next().ok_or("knock PORT LINKS")?.parse()?;
    let links = words.next().ok_or("knock PORT LINKS")?.parse()?;
    let board = Board { port };
    step("it boots", || board.guest(BOOT).map(drop).map_err(Into::into))?;
    step("every link is served at the same time", || board.serves(links))?;
    step("one more is refused, and served when others have left", || board.refuses(links))?;
    step("garbage is answered, a frame without an end closes", || board.survives_garbage())?;
    step("the last word arrives at one who has stopped sending", || board.answers_half_closed())?;
    step("200 connections, one after the other", || (0..200).try_for_each(|_| board.serves(1)))?;
    step("connections that are cut leave their links free", || board.survives_cuts(links))?;

    let board = &mut OverTcp((Ipv4Addr::LOCALHOST, port).into());
    promise("everybody hears what is for them", || echo::everybody_hears_what_is_for_them(board))?;
    promise("frames may come in any pieces", || echo::frames_may_come_in_any_pieces(board))?;
    promise("the adapter does what is asked", || echo::the_adapter_does_what_is_asked(board))?;
    promise("the last word arrives", || echo::the_last_word_arrives(board))?;
    promise("a slot is used again", || echo::a_slot_is_used_again(board, 100))?;
    // One who moves and one who has stopped reading; all others follow.
    promise("nobody waits for a slow reader", || echo::nobody_waits_for_a_slow_reader(board, links - 2, MOVES))
}

fn step(what: &str, attempt: impl FnOnce() -> Outcome) -> Outcome {
    let start = Instant::now();
    attempt().map_err(|error| format!("{what}: {error}"))?;
    println!("ok, {:5} ms: {what}", start.elapsed().as_millis());
    Ok(())
}

/// A promise connects without trying again, so it waits until the sockets of the last one listen once more.
fn promise(what: &str, keep: impl FnOnce()) -> Outcome {
    sleep(Duration::from_millis(200));
    step(what, || {
        keep();
        Ok(())
    })
}

struct Board {
    port: u16,
}

impl Board {
    fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// A connection that is known to be served. An emulator accepts before its board does, and a board refuses while its
    /// sockets are still busy closing: only an answer tells, and whoever was refused tries again.
    fn guest(&self, patience: Duration) -> io::Result<TcpStream> {
        let end = Instant::now() + patience;
        loop {
            let guest = self.connect().and_then(|mut stream| ask(&mut stream, b"here").map(|()| stream));
            if guest.is_ok() || Instant::now() > end {
                return guest;
            }
            sleep(Duration::from_millis(10));
        }
    }

    fn guests(&self, links: usize) -> io::Result<Vec<TcpStream>> {
        (0..links).map(|_| self.guest(ANSWER)).collect()
    }

    fn serves(&self, links: usize) -> Outcome {
        let mut guests = self.guests(links)?;
        for (i, guest) in guests.iter_mut().enumerate() {
            ask(guest, format!("link {i}").as_bytes())?;
        }
        Ok(())
    }

    fn refuses(&self, links: usize) -> Outcome {
        let guests = self.guests(links)?;
        if self.connect().and_then(|mut stream| ask(&mut stream, b"one more")).is_ok() {
            return Err("one more than all was served".into());
        }
        drop(guests);
        self.serves(links)
    }

    /// Unknown codes, many at once, then an impossible length.
    fn survives_garbage(&self) -> Outcome {
        let mut stream = self.guest(ANSWER)?;
        stream.write_all(&[0x80, 1, 7].repeat(100))?;
        expect(&mut stream, &[b'X', 1, 0x80].repeat(100))?;
        stream.write_all(&[b'E', 255, 1, 2, 3])?;
        expect(&mut stream, &[b'X', 1, 255])?;
        Ok(expect_end(&mut stream)?)
    }

    fn answers_half_closed(&self) -> Outcome {
        let mut stream = self.guest(ANSWER)?;
        stream.write_all(b"E\x04last")?;
        stream.shutdown(Shutdown::Write)?;
        expect(&mut stream, b"E\x04last")?;
        Ok(expect_end(&mut stream)?)
    }

    /// Half a frame and away, on every link.
    fn survives_cuts(&self, links: usize) -> Outcome {
        for _ in 0..links {
            self.guest(ANSWER)?.write_all(&[b'E', 100, 1])?;
        }
        self.serves(links)
    }
}

/// Sends a frame that comes back as it is.
fn ask(stream: &mut TcpStream, payload: &[u8]) -> io::Result<()> {
    let length = u8::try_from(payload.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    let frame = [&[b'E', length], payload].concat();
    stream.write_all(&frame)?;
    expect(stream, &frame)
}

fn expect(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut came = vec![0; bytes.len()];
    stream.read_exact(&mut came)?;
    if came == bytes { Ok(()) } else { Err(io::Error::other(format!("{came:02x?} came instead of {bytes:02x?}"))) }
}

fn expect_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest)?;
    if rest.is_empty() { Ok(()) } else { Err(io::Error::other(format!("{rest:02x?} came instead of the end"))) }
}

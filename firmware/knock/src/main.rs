//! Knocks at a board that serves Echo: `knock PORT LINKS`. Says what was tried; ends with an error at the first thing
//! that is not as it should be.

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

fn main() -> Outcome {
    let mut words = env::args().skip(1);
    let port = words.next().ok_or("knock PORT LINKS")?.parse()?;
    let links = words.next().ok_or("knock PORT LINKS")?.parse()?;
    let board = Board { port };
    step("it boots", || board.guest(BOOT).map(drop).map_err(Into::into))?;
    step("every link is served at the same time", || board.serves(links))?;
    step("one more is refused, and served when others have left", || board.refuses(links))?;
    step("bytes may come one by one", || board.takes_single_bytes())?;
    step("garbage is answered, a frame without an end closes", || board.survives_garbage())?;
    step("the last word arrives, also at one who has stopped sending", || board.last_word())?;
    step("200 connections, one after the other", || (0..200).try_for_each(|_| board.serves(1)))?;
    step("timers ring", || board.rings())?;
    step("connections that are cut leave their links free", || board.survives_cuts(links))?;
    let mut backend = OverTcp((Ipv4Addr::LOCALHOST, port).into());
    let t = Instant::now();
    sleep(Duration::from_millis(200)); echo::everybody_hears_what_is_for_them(&mut backend); eprintln!("{:?}", t.elapsed());
    sleep(Duration::from_millis(200)); echo::frames_may_come_in_any_pieces(&mut backend);eprintln!("{:?}", t.elapsed());
    sleep(Duration::from_millis(200)); echo::the_adapter_does_what_is_asked(&mut backend);eprintln!("{:?}", t.elapsed());
    sleep(Duration::from_millis(200)); echo::the_last_word_arrives(&mut backend);eprintln!("{:?}", t.elapsed());
    sleep(Duration::from_millis(200)); echo::a_slot_is_used_again(&mut backend, 100);eprintln!("{:?}", t.elapsed());
    sleep(Duration::from_millis(200)); echo::nobody_waits_for_a_slow_reader(&mut backend, 8, 400, 4_000_000);eprintln!("{:?}", t.elapsed());
    Ok(())
}

fn step(promise: &str, keep: impl FnOnce() -> Outcome) -> Outcome {
    let start = Instant::now();
    keep().map_err(|error| format!("{promise}: {error}"))?;
    println!("ok, {:4} ms: {promise}", start.elapsed().as_millis());
    Ok(())
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
            let guest = self.connect().and_then(|mut stream| speak(&mut stream, b"here").map(|()| stream));
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
            speak(guest, format!("link {i}").as_bytes())?;
        }
        Ok(())
    }

    fn refuses(&self, links: usize) -> Outcome {
        let guests = self.guests(links)?;
        if self.connect().and_then(|mut stream| speak(&mut stream, b"one more")).is_ok() {
            return Err("one more than all was served".into());
        }
        drop(guests);
        self.serves(links)
    }

    fn takes_single_bytes(&self) -> Outcome {
        let mut stream = self.guest(ANSWER)?;
        for byte in b"E\x04kerz" {
            stream.write_all(&[*byte])?;
            sleep(Duration::from_millis(2));
        }
        Ok(expect(&mut stream, b"E\x04kerz")?)
    }

    fn survives_garbage(&self) -> Outcome {
        let mut stream = self.guest(ANSWER)?;
        // An unknown code, many at once, then an impossible length.
        stream.write_all(&[0x80, 1, 7].repeat(100))?;
        expect(&mut stream, &[b'X', 1, 0x80].repeat(100))?;
        stream.write_all(&[b'E', 255, 1, 2, 3])?;
        expect(&mut stream, &[b'X', 1, 255])?;
        Ok(expect_end(&mut stream)?)
    }

    fn last_word(&self) -> Outcome {
        let mut stream = self.guest(ANSWER)?;
        stream.write_all(b"Q\x03bye")?;
        expect(&mut stream, b"Q\x03bye")?;
        expect_end(&mut stream)?;
        let mut stream = self.guest(ANSWER)?;
        stream.write_all(b"E\x04last")?;
        stream.shutdown(Shutdown::Write)?;
        expect(&mut stream, b"E\x04last")?;
        Ok(expect_end(&mut stream)?)
    }

    fn rings(&self) -> Outcome {
        let mut stream = self.guest(ANSWER)?;
        let start = Instant::now();
        stream.write_all(&[b'W', 2, 0, 200])?;
        expect(&mut stream, b"W\0")?;
        let took = start.elapsed();
        if took < Duration::from_millis(190) {
            return Err(format!("rang after {} ms instead of 200", took.as_millis()).into());
        }
        Ok(())
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
fn speak(stream: &mut TcpStream, payload: &[u8]) -> io::Result<()> {
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

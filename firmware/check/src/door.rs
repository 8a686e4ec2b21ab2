//! Connections to a board. An emulator accepts before its board does, and a board refuses while its sockets are still
//! busy closing: only an answer tells, and a client that was refused tries again.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A board boots in well under a second; a loaded machine that emulates one may take longer.
pub const BOOT: Duration = Duration::from_secs(60);
pub const ANSWER: Duration = Duration::from_secs(10);

/// A board's port, and the question that tells whether the board serves it.
pub struct Door {
    pub port: u16,
    pub question: &'static [u8],
    /// How the answer begins, and how long it is.
    pub answer: (&'static [u8], usize),
}

impl Door {
    pub fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Asks, and takes the answer.
    pub fn ask(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(self.question)?;
        let mut came = vec![0; self.answer.1];
        stream.read_exact(&mut came)?;
        if came.starts_with(self.answer.0) {
            Ok(())
        } else {
            Err(io::Error::new(ErrorKind::InvalidData, format!("{came:02x?} came as an answer")))
        }
    }

    /// A connection that is known to be served.
    pub fn guest(&self, patience: Duration) -> io::Result<TcpStream> {
        let end = Instant::now() + patience;
        loop {
            let guest = self.connect().and_then(|mut stream| self.ask(&mut stream).map(|()| stream));
            if guest.is_ok() || Instant::now() > end {
                return guest;
            }
            sleep(Duration::from_millis(10));
        }
    }

    pub fn guests(&self, links: usize) -> io::Result<Vec<TcpStream>> {
        (0..links).map(|_| self.guest(ANSWER)).collect()
    }

    /// All of them at the same time.
    pub fn serves(&self, links: usize) -> io::Result<()> {
        let mut guests = self.guests(links)?;
        guests.iter_mut().try_for_each(|guest| self.ask(guest))
    }

    /// When the last link is taken, the guest who came first gives way: they have not joined.
    pub fn makes_way_at(&self, links: usize) -> io::Result<()> {
        let mut guests = self.guests(links)?;
        guests.first_mut().map_or(Ok(()), expect_end)?;
        drop(guests);
        self.serves(links - 1)
    }

    pub fn refuses_one_more_than(&self, links: usize) -> io::Result<()> {
        let guests = self.guests(links)?;
        if self.connect().and_then(|mut stream| self.ask(&mut stream)).is_ok() {
            return Err(io::Error::other("one more than all was served"));
        }
        drop(guests);
        self.serves(links)
    }
}

pub fn expect(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut came = vec![0; bytes.len()];
    stream.read_exact(&mut came)?;
    if came == bytes { Ok(()) } else { Err(io::Error::other(format!("{came:02x?} came instead of {bytes:02x?}"))) }
}

pub fn expect_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest)?;
    if rest.is_empty() { Ok(()) } else { Err(io::Error::other(format!("{rest:02x?} came instead of the end"))) }
}

//! Clients that mean no good, each a function that ends when it is done, when the server has had enough, or when told.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parlor_tests::peer::{Backend, Peer, over};
use parlor_tests::pimp::bots::Guest;
use socket2::{Domain, Socket, Type};

use super::HELLO;

/// How often they look whether they are to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How much of each.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// Who connect and leave.
    pub visits: usize,
    /// Bytes of frames that mean nothing.
    pub rubbish: usize,
    /// Connections that send garbage, and as many that send frames without an end.
    pub garbage: usize,
    /// Between two bytes of the slow one, and how many there are.
    pub pause: Duration,
    pub slow: usize,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Done {
    pub visits: AtomicUsize,
    pub garbage: AtomicUsize,
    pub endless: AtomicUsize,
    /// In bytes.
    pub rubbish: AtomicUsize,
    /// How often one that never reads got its seat.
    pub seated: AtomicUsize,
}

/// Where, and until when.
#[derive(Clone, Copy)]
pub struct Siege<'a> {
    pub table: SocketAddr,
    pub is_over: &'a AtomicBool,
    pub done: &'a Done,
}

impl Siege<'_> {
    /// All of it at the same time, once.
    pub fn once(&self, amount: Amount) {
        std::thread::scope(|scope| {
            scope.spawn(|| self.deaf());
            scope.spawn(|| self.slow(amount.slow, amount.pause));
            scope.spawn(|| self.visits(amount.visits));
            scope.spawn(|| self.garbage(amount.garbage));
            scope.spawn(|| self.endless(amount.garbage));
            scope.spawn(|| self.rubbish(amount.rubbish));
        });
    }

    /// All of it again every second, and rubbish without end, until it is over. One of them sits at the table.
    pub fn lasting(&self, amount: Amount, eve: &mut Option<Guest>) {
        std::thread::scope(|scope| {
            scope.spawn(|| self.every_second(|| self.deaf()));
            scope.spawn(|| self.every_second(|| self.slow(amount.slow, amount.pause)));
            scope.spawn(|| self.every_second(|| self.visits(amount.visits)));
            scope.spawn(|| self.every_second(|| self.garbage(amount.garbage)));
            scope.spawn(|| self.every_second(|| self.endless(amount.garbage)));
            scope.spawn(|| self.rubbish(usize::MAX));
            self.seated(eve);
        });
    }

    fn every_second(&self, abuse: impl Fn()) {
        while self.goes_on() {
            let next = Instant::now() + Duration::from_secs(1);
            abuse();
            while self.goes_on() && Instant::now() < next {
                std::thread::sleep(LOOK.min(next.saturating_duration_since(Instant::now())));
            }
        }
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Relaxed)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.table).expect("the server should accept");
        stream.set_read_timeout(Some(LOOK)).unwrap();
        stream.set_write_timeout(Some(LOOK)).unwrap();
        stream
    }

    /// Sends all of it, however long the server takes; how much it took before it closed.
    fn send(&self, stream: &mut TcpStream, mut bytes: &[u8]) -> usize {
        let all = bytes.len();
        while self.goes_on() && !bytes.is_empty() {
            match stream.write(bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(error) if is_pause(&error) => {}
                Err(_) => break,
            }
        }
        all - bytes.len()
    }

    fn hear_to_the_end(&self, stream: &mut TcpStream) {
        while self.goes_on() {
            match stream.read(&mut [0; 16 * 1024]) {
                Ok(0) => return,
                Err(error) if !is_pause(&error) => return,
                _ => {}
            }
        }
    }

    /// Asks for ever and never reads an answer; the server stops reading, and closes when its time to join is over.
    fn deaf(&self) {
        let mut stream = self.connect();
        let questions = HELLO.repeat(1_000);
        while self.goes_on() && self.send(&mut stream, &questions) == questions.len() {}
    }

    /// Sits down to look on, or comes back to its seat, and reads nothing from then on.
    fn seated(&self, eve: &mut Option<Guest>) {
        let mut narrow = Narrow(self.table);
        match eve {
            Some(eve) => eve.come_back(&mut narrow),
            None => *eve = Some(Guest::come(&mut narrow, "eve", 7, false)),
        }
        let Some(eve) = eve else { return };
        while self.goes_on() && !eve.is_seated() {
            // Between two games nobody is let in.
            if eve.peer().is_closed() {
                eve.come_back(&mut narrow);
            }
            eve.hear();
            std::thread::sleep(LOOK);
        }
        self.done.seated.fetch_add(usize::from(eve.is_seated()), Relaxed);
        while self.goes_on() {
            std::thread::sleep(LOOK);
        }
    }

    /// A frame of 250 bytes, byte by byte.
    fn slow(&self, count: usize, pause: Duration) {
        let mut stream = self.connect();
        for byte in [0x02, 250].into_iter().chain(std::iter::repeat(0)).take(count) {
            if !self.goes_on() || stream.write_all(&[byte]).is_err() {
                return;
            }
            std::thread::sleep(pause);
        }
    }

    fn visits(&self, count: usize) {
        for _ in 0..count {
            drop(self.connect());
            self.done.visits.fetch_add(1, Relaxed);
            if !self.goes_on() {
                return;
            }
        }
    }

    /// Bytes without sense, until the server closes.
    fn garbage(&self, count: usize) {
        let mut state = 7_u32;
        for _ in 0..count {
            let bytes: Vec<u8> = std::iter::repeat_with(|| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .take(4_096)
            .collect();
            self.done.garbage.fetch_add(usize::from(self.say_and_listen(&bytes)), Relaxed);
        }
    }

    /// A frame whose length is the reserved 255.
    fn endless(&self, count: usize) {
        for _ in 0..count {
            self.done.endless.fetch_add(usize::from(self.say_and_listen(&[0x02, 0xFF])), Relaxed);
        }
    }

    /// Whether there was time for it.
    fn say_and_listen(&self, bytes: &[u8]) -> bool {
        if !self.goes_on() {
            return false;
        }
        let mut stream = self.connect();
        if self.send(&mut stream, bytes) == bytes.len() {
            let _ = stream.shutdown(Shutdown::Write);
            self.hear_to_the_end(&mut stream);
        }
        true
    }

    /// Frames of an unknown kind, all answered, as fast as the server takes them.
    fn rubbish(&self, bytes: usize) {
        let mut frame = vec![0xAA; 256];
        (frame[0], frame[1]) = (0x0F, 254);
        let block = frame.repeat(64);
        let mut sent = 0;
        // The time to join ends every such connection: another takes its place.
        while self.goes_on() && sent < bytes {
            let mut stream = self.connect();
            let mut ears = stream.try_clone().unwrap();
            std::thread::scope(|scope| {
                scope.spawn(move || self.hear_to_the_end(&mut ears));
                loop {
                    let taken = self.send(&mut stream, &block);
                    sent += taken;
                    self.done.rubbish.fetch_add(taken, Relaxed);
                    if taken < block.len() || sent >= bytes {
                        break;
                    }
                }
                let _ = stream.shutdown(Shutdown::Write);
            });
        }
    }
}

fn is_pause(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Connections that hold little on their way: who stops reading is soon behind.
pub struct Narrow(pub SocketAddr);

impl Backend for Narrow {
    fn connect(&mut self) -> Box<dyn Peer> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        socket.set_tcp_mss(536).unwrap();
        socket.connect(&self.0.into()).expect("the server should accept");
        over(socket.into())
    }
    fn wait(&mut self, ms: u64) {
        std::thread::sleep(Duration::from_millis(ms));
    }
}

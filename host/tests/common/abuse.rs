//! Clients that mean no good, each a function that ends when it is done or the server has had enough.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use super::{HELLO, PATIENCE};

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

/// All of it at the same time, at one table.
pub fn all(table: SocketAddr, amount: Amount) {
    std::thread::scope(|scope| {
        scope.spawn(move || deaf(table));
        scope.spawn(move || slow(table, amount.slow, amount.pause));
        scope.spawn(move || visits(table, amount.visits));
        scope.spawn(move || garbage(table, amount.garbage));
        scope.spawn(move || endless(table, amount.garbage));
        scope.spawn(move || rubbish(table, amount.rubbish));
    });
}

fn connect(table: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(table).expect("the server should accept");
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Asks for ever and never reads an answer; the server stops reading, and closes when its time to join is over.
fn deaf(table: SocketAddr) {
    let mut stream = connect(table);
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    while stream.write_all(&HELLO.repeat(1_000)).is_ok() {}
}

/// A frame of 250 bytes, byte by byte.
fn slow(table: SocketAddr, count: usize, pause: Duration) {
    let mut stream = connect(table);
    for byte in [0x02, 250].into_iter().chain(std::iter::repeat(0)).take(count) {
        if stream.write_all(&[byte]).is_err() {
            return;
        }
        std::thread::sleep(pause);
    }
}

fn visits(table: SocketAddr, count: usize) {
    (0..count).for_each(|_| drop(connect(table)));
}

/// Bytes without sense, until the server closes.
fn garbage(table: SocketAddr, count: usize) {
    let mut state = 7_u32;
    for _ in 0..count {
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(4_096)
        .collect();
        say_and_listen(table, &bytes);
    }
}

/// A frame whose length is the reserved 255.
fn endless(table: SocketAddr, count: usize) {
    (0..count).for_each(|_| say_and_listen(table, &[0x02, 0xFF]));
}

fn say_and_listen(table: SocketAddr, bytes: &[u8]) {
    let mut stream = connect(table);
    if stream.write_all(bytes).is_ok() {
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

/// Frames of an unknown kind, all answered, as fast as the server takes them.
fn rubbish(table: SocketAddr, bytes: usize) {
    let mut frame = vec![0xAA; 256];
    (frame[0], frame[1]) = (0x0F, 254);
    let block = frame.repeat(64);
    let mut sent = 0;
    // The time to join ends every such connection: another takes its place.
    while sent < bytes {
        let mut stream = connect(table);
        let mut ears = stream.try_clone().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || while ears.read(&mut [0; 16 * 1024]).is_ok_and(|n| n > 0) {});
            while sent < bytes && stream.write_all(&block).is_ok() {
                sent += block.len();
            }
            let _ = stream.shutdown(Shutdown::Write);
        });
    }
}

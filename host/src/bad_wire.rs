//! `parlor bad-wire LISTEN UPSTREAM`: a TCP proxy that treats its connections as a bad network would. What happens to the
//! bytes of each connection and direction depends on the seed alone ([`Wire`]); the sockets are the smaller part.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use crate::cli::{BadWire, Exit};
use crate::task;

/// Bytes that are read at once, where no smaller pieces were asked for.
const PIECE: usize = 4096;
/// Pieces on their way: more than these hold back the sender.
const ON_THE_WAY: usize = 256;

/// What a network does to one direction of one connection.
#[derive(Clone, Debug)]
pub struct Wire {
    args: BadWire,
    random: u64,
    /// Bytes that have passed.
    passed: u64,
    /// When the last piece arrives; the next can't be earlier: TCP keeps the order.
    last: Duration,
    /// When the wire is free for the next byte.
    free: Duration,
    has_stalled: bool,
}

/// What becomes of bytes that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// So many of them go on together,
    pub length: usize,
    /// and arrive at this time after the connection was made.
    pub at: Duration,
    /// The connection ends behind them.
    pub cut: bool,
}

impl Wire {
    pub fn new(args: &BadWire, connection: u64, upstream: bool) -> Self {
        // Odd steps: no two connections and directions share a sequence.
        let random = args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(connection * 2 + u64::from(upstream));
        Self { args: args.clone(), random, passed: 0, last: Duration::ZERO, free: Duration::ZERO, has_stalled: false }
    }

    /// SplitMix64, as the tests' own randomness.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }

    /// What becomes of the first of these `waiting` bytes at the time `now`. At least one goes on.
    pub fn take(&mut self, waiting: usize, now: Duration) -> Piece {
        let mut length = match self.args.chunk {
            0 => waiting,
            most => 1 + self.below(u64::from(most)) as usize,
        };
        length = length.min(waiting);
        let left = self.args.cut_after.map(|cut| cut.saturating_sub(self.passed));
        if let Some(left) = left {
            length = length.min(usize::try_from(left).unwrap_or(usize::MAX));
        }
        self.passed += length as u64;
        let jitter = self.below(u64::from(self.args.jitter) + 1);
        let mut sent = now.max(self.free);
        if self.args.rate > 0 {
            sent += Duration::from_nanos(length as u64 * 1_000_000_000 / u64::from(self.args.rate));
            self.free = sent;
        }
        if !self.has_stalled && self.args.stall_after.is_some_and(|after| self.passed >= after) {
            self.has_stalled = true;
            sent += Duration::from_millis(self.args.stall.into());
            self.free = sent;
        }
        self.last = self.last.max(sent + Duration::from_millis(u64::from(self.args.delay) + jitter));
        Piece { length, at: self.last, cut: left.is_some_and(|left| left <= length as u64) }
    }
}

pub async fn run(args: BadWire) -> Result<(), Exit> {
    let fault = |what: String| Exit::fault(format!("{}: {what}", args.listen));
    let listener = TcpListener::bind(args.listen).await.map_err(|error| fault(error.to_string()))?;
    let address = listener.local_addr().map_err(|error| fault(error.to_string()))?;
    println!("ready bad-wire={address} upstream={}", args.upstream);
    serve(listener, args).await;
    Ok(())
}

/// Carries every connection until the process ends.
pub async fn serve(listener: TcpListener, args: BadWire) {
    for connection in 0.. {
        match listener.accept().await {
            Ok((near, from)) => {
                let args = args.clone();
                task::spawn(async move {
                    let how = carry(near, &args, connection).await;
                    eprintln!("connection {connection} from {from}: {how}");
                });
            }
            Err(error) => {
                // Too many open files, mostly: earlier connections go on.
                eprintln!("can't accept: {error}");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// How a connection ended, in a word.
async fn carry(near: TcpStream, args: &BadWire, connection: u64) -> &'static str {
    let Ok(far) = TcpStream::connect(&args.upstream).await else { return "upstream does not answer" };
    let begin = Instant::now();
    // What is cut into pieces stays in pieces.
    if near.set_nodelay(true).and(far.set_nodelay(true)).is_err() {
        return "closed at once";
    }
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    let there = direction(near_in, far_out, Wire::new(args, connection, true), begin);
    let back = direction(far_in, near_out, Wire::new(args, connection, false), begin);
    let (mut there, mut back) = (std::pin::pin!(there), std::pin::pin!(back));
    // The end of one direction is told to the other side, and the other direction goes on; a cut ends both.
    let (first, is_there) = tokio::select! {
        how = &mut there => (how, true),
        how = &mut back => (how, false),
    };
    match first {
        Ok(End::Cut) => return "cut",
        Err(_) => return "broken",
        Ok(End::Closed) => {}
    }
    match if is_there { back.await } else { there.await } {
        Ok(End::Cut) => "cut",
        Ok(End::Closed) => "closed",
        Err(_) => "broken",
    }
}

enum End {
    Closed,
    Cut,
}

/// Reads, and writes what was read when its time has come.
async fn direction<R, W>(mut from: R, mut to: W, mut wire: Wire, begin: Instant) -> io::Result<End>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let (sender, mut pieces) = mpsc::channel::<(Vec<u8>, Duration, bool)>(ON_THE_WAY);
    // Moved in, the sender ends with the reader: then the writer writes all there is and ends too.
    let read = async move {
        let mut buffer = [0; PIECE];
        loop {
            let n = from.read(&mut buffer).await?;
            let mut rest = &buffer[..n];
            if n == 0 {
                return Ok(());
            }
            while !rest.is_empty() {
                let piece = wire.take(rest.len(), begin.elapsed());
                let (bytes, after) = rest.split_at(piece.length);
                rest = after;
                if sender.send((bytes.to_vec(), piece.at, piece.cut)).await.is_err() || piece.cut {
                    return Ok(());
                }
            }
        }
    };
    let write = async {
        while let Some((bytes, at, cut)) = pieces.recv().await {
            sleep_until(begin + at).await;
            to.write_all(&bytes).await?;
            to.flush().await?;
            if cut {
                return Ok(End::Cut);
            }
        }
        to.shutdown().await?;
        Ok(End::Closed)
    };
    let (read, written): (io::Result<()>, _) = tokio::join!(read, write);
    read.and(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: BadWire = BadWire {
        listen: std::net::SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0),
        upstream: String::new(),
        delay: 0,
        jitter: 0,
        rate: 0,
        chunk: 0,
        stall: 0,
        stall_after: None,
        cut_after: None,
        seed: 0,
    };

    /// All pieces of so many bytes that are there from the beginning.
    fn pieces(args: &BadWire, connection: u64, bytes: usize) -> Vec<Piece> {
        let (mut wire, mut rest, mut all) = (Wire::new(args, connection, true), bytes, Vec::new());
        while rest > 0 {
            let piece = wire.take(rest, Duration::ZERO);
            rest -= piece.length;
            all.push(piece);
            if piece.cut {
                break;
            }
        }
        all
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn without_wishes_bytes_pass_at_once() {
        assert_eq!(pieces(&CALM, 0, 500), [Piece { length: 500, at: ms(0), cut: false }]);
    }

    #[test]
    fn the_seed_decides_and_no_piece_overtakes() {
        let args = BadWire { chunk: 7, delay: 10, jitter: 50, seed: 3, ..CALM };
        let (first, again, other) = (pieces(&args, 0, 1000), pieces(&args, 0, 1000), pieces(&args, 1, 1000));
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_ne!(first, pieces(&BadWire { seed: 4, ..args }, 0, 1000));
        assert_eq!(first.iter().map(|piece| piece.length).sum::<usize>(), 1000);
        assert!(first.iter().all(|piece| (1..=7).contains(&piece.length) && piece.at >= ms(10) && piece.at <= ms(60)));
        assert!(first.is_sorted_by_key(|piece| piece.at));
        assert!((1..=7).all(|length| first.iter().any(|piece| piece.length == length)));
    }

    #[test]
    fn a_rate_spreads_bytes_over_time() {
        let all = pieces(&BadWire { chunk: 10, rate: 1000, ..CALM }, 0, 500);
        assert_eq!(all.last().unwrap().at, ms(500));
        let mut wire = Wire::new(&BadWire { rate: 1000, ..CALM }, 0, true);
        assert_eq!(wire.take(100, ms(0)).at, ms(100));
        // A wire that was idle does not make up for it.
        assert_eq!(wire.take(100, ms(1000)).at, ms(1100));
    }

    #[test]
    fn a_stall_comes_once_and_a_cut_ends_it() {
        let all = pieces(&BadWire { chunk: 1, stall: 300, stall_after: Some(3), cut_after: Some(5), ..CALM }, 0, 100);
        let at: Vec<_> = all.iter().map(|piece| piece.at.as_millis()).collect();
        assert_eq!(at, [0, 0, 300, 300, 300]);
        assert_eq!(all.iter().map(|piece| piece.cut).collect::<Vec<_>>(), [false, false, false, false, true]);
        let all = pieces(&BadWire { cut_after: Some(5), ..CALM }, 0, 100);
        assert_eq!(all, [Piece { length: 5, at: ms(0), cut: true }]);
    }
}

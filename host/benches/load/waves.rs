//! The same question on many connections at once, again and again.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// In this time an answer has come, however busy the machine.
const SURELY: Duration = Duration::from_millis(700);
/// An answer that takes longer will never come.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connections that ask, and how long the answer is on each.
pub struct Caller {
    lines: Vec<(TcpStream, usize)>,
    request: Vec<u8>,
    room: Vec<u8>,
    is_mute: bool,
}

impl Caller {
    /// Asks on each until the answers are as long as the last time: so long they are.
    pub fn new(mut streams: Vec<TcpStream>, request: &[u8]) -> Self {
        rest(&mut streams);
        let mut lengths = Vec::new();
        loop {
            for stream in &mut streams {
                stream.write_all(request).expect("the server should listen");
            }
            let now = rest(&mut streams);
            if now == lengths && now.iter().all(|length| *length > 0) {
                break;
            }
            lengths = now;
        }
        Self::with(streams.into_iter().zip(lengths).collect(), request)
    }

    pub fn with(lines: Vec<(TcpStream, usize)>, request: &[u8]) -> Self {
        let longest = lines.iter().map(|(_, length)| *length).max().unwrap_or_default();
        for (stream, _) in &lines {
            stream.set_nodelay(true).expect("TCP_NODELAY");
            stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        }
        Self { lines, request: request.to_vec(), room: vec![0; longest], is_mute: false }
    }

    pub fn request(&self) -> &[u8] {
        &self.request
    }

    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().map(|(_, length)| *length)
    }

    /// Question and answer, as a person reads it.
    pub fn bytes(&self) -> String {
        format!("{} → {}", self.request.len(), self.lengths().sum::<usize>() / self.lines.len())
    }

    /// Answers a second; 0 once an answer did not come.
    fn round(&mut self, time: Duration) -> f64 {
        let (start, mut answers) = (Instant::now(), 0);
        if self.is_mute {
            return 0.0;
        }
        while start.elapsed() < time {
            for (stream, _) in &mut self.lines {
                stream.write_all(&self.request).expect("the server should listen");
            }
            for (stream, length) in &mut self.lines {
                if stream.read_exact(&mut self.room[..*length]).is_err() {
                    self.is_mute = true;
                    return 0.0;
                }
                answers += 1;
            }
        }
        f64::from(answers) / start.elapsed().as_secs_f64()
    }
}

/// Waits until everything has surely come, and takes it; how much on each.
pub fn rest(streams: &mut [TcpStream]) -> Vec<usize> {
    hear(streams).iter().map(Vec::len).collect()
}

/// The same, with the bytes themselves.
pub fn hear(streams: &mut [TcpStream]) -> Vec<Vec<u8>> {
    std::thread::sleep(SURELY);
    let heard = streams.iter_mut().map(|stream| {
        let mut all = Vec::new();
        stream.set_nonblocking(true).expect("non-blocking");
        let end = stream.read_to_end(&mut all);
        assert!(end.is_err_and(|error| error.kind() == ErrorKind::WouldBlock), "the server has closed");
        stream.set_nonblocking(false).expect("blocking");
        all
    });
    heard.collect()
}

/// Each caller's median of answers a second, and of its share of the first caller's of the same round.
pub fn compare(callers: &mut [&mut Caller], rounds: usize, time: Duration) -> Vec<(f64, f64)> {
    for caller in callers.iter_mut() {
        caller.round(time / 4);
    }
    let rates: Vec<Vec<f64>> =
        (0..rounds).map(|_| callers.iter_mut().map(|caller| caller.round(time)).collect()).collect();
    let of = |which: usize| {
        let rate = median(rates.iter().map(|round| round[which]).collect());
        let share = median(rates.iter().map(|round| round[which] / round[0]).collect());
        (rate, share)
    };
    (0..callers.len()).map(of).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The last columns of a row: the limit, then rates with their shares.
pub fn show(rates: &[(f64, f64)]) -> String {
    let mut columns = format!("{:.0} |", rates[0].0);
    for (rate, share) in &rates[1..] {
        columns += &if *rate > 0.0 { format!(" {rate:.0} ({share:.2}) |") } else { " stopped answering |".into() };
    }
    columns
}

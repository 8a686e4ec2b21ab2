//! The same question on many connections at once, again and again.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Connections that ask, and how long the answer is on each.
pub struct Caller {
    lines: Vec<(TcpStream, usize)>,
    request: Vec<u8>,
    room: Vec<u8>,
}

impl Caller {
    /// Asks once on each, to learn how long the answers are.
    pub fn new(streams: impl Iterator<Item = TcpStream>, request: &[u8]) -> Self {
        let lines = streams.map(|mut stream| {
            stream.set_nonblocking(false).expect("blocking");
            stream.set_nodelay(true).expect("TCP_NODELAY");
            drain(&mut stream);
            stream.write_all(request).expect("the server should listen");
            let length = drain(&mut stream);
            (stream, length)
        });
        Self::with(lines.collect(), request)
    }

    pub fn with(lines: Vec<(TcpStream, usize)>, request: &[u8]) -> Self {
        let longest = lines.iter().map(|(_, length)| *length).max().unwrap_or_default();
        assert!(lines.iter().all(|(_, length)| *length > 0), "somebody was not answered");
        Self { lines, request: request.to_vec(), room: vec![0; longest] }
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

    /// Answers a second.
    fn round(&mut self, time: Duration) -> f64 {
        let (start, mut answers) = (Instant::now(), 0);
        while start.elapsed() < time {
            for (stream, _) in &mut self.lines {
                stream.write_all(&self.request).expect("the server should listen");
            }
            for (stream, length) in &mut self.lines {
                stream.read_exact(&mut self.room[..*length]).expect("the server should answer");
                answers += 1;
            }
        }
        f64::from(answers) / start.elapsed().as_secs_f64()
    }
}

/// Reads until nothing has come for a while; how much.
pub fn drain(stream: &mut TcpStream) -> usize {
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a time-out");
    let (mut room, mut all) = ([0; 65536], 0);
    loop {
        match stream.read(&mut room) {
            Ok(0) => panic!("the server has closed"),
            Ok(n) => all += n,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
            Err(error) => panic!("{error}"),
        }
    }
    stream.set_read_timeout(None).expect("no time-out");
    all
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
        columns += &format!(" {rate:.0} ({share:.2}) |");
    }
    columns
}

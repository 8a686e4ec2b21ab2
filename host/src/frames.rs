//! Frames by kind and direction, for all tables of a game together: a table that is gone leaves its counts behind, and
//! thousands of tables cost no more than one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parlor_core::server::Server;

/// One count a kind: core tells a frame's kind as a byte.
type Counts = [AtomicU64; 256];

pub struct Frames {
    name: fn(u8) -> Option<&'static str>,
    received: Counts,
    sent: Counts,
}

impl Frames {
    /// For tables of this kind.
    pub const fn of<S: Server>() -> Self {
        let (received, sent) = ([const { AtomicU64::new(0) }; 256], [const { AtomicU64::new(0) }; 256]);
        Self { name: S::kind_name, received, sent }
    }

    pub fn note_received<S: Server>(&self, frames: &[u8]) {
        note::<S>(&self.received, frames);
    }

    pub fn note_sent<S: Server>(&self, frames: &[u8]) {
        note::<S>(&self.sent, frames);
    }

    /// Every kind that ever passed: its name, how many were received, how many sent.
    pub fn told(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let counts =
            self.received.iter().zip(&self.sent).map(|(received, sent)| (received.load(Relaxed), sent.load(Relaxed)));
        let passed = (0..=u8::MAX).zip(counts).filter(|(_, counts)| *counts != (0, 0));
        passed.map(|(kind, (received, sent))| ((self.name)(kind).unwrap_or("unknown"), received, sent))
    }
}

/// A full state has many frames of one kind behind one another: they are counted at once.
fn note<S: Server>(counts: &Counts, frames: &[u8]) {
    let (mut last, mut times) = (0, 0);
    S::kinds(frames, |kind| {
        if kind != last {
            add(counts, last, times);
            (last, times) = (kind, 0);
        }
        times += 1;
    });
    add(counts, last, times);
}

fn add(counts: &Counts, kind: u8, times: u64) {
    if let Some(count) = counts.get(usize::from(kind)).filter(|_| times > 0) {
        count.fetch_add(times, Relaxed);
    }
}

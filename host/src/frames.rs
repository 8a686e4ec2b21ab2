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

    pub fn note_received(&self, kind: u8) {
        note(&self.received, kind);
    }

    pub fn note_sent(&self, kind: u8) {
        note(&self.sent, kind);
    }

    /// Every kind that ever passed: its name, how many were received, how many sent.
    pub fn told(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let counts =
            self.received.iter().zip(&self.sent).map(|(received, sent)| (received.load(Relaxed), sent.load(Relaxed)));
        let passed = (0..=u8::MAX).zip(counts).filter(|(_, counts)| *counts != (0, 0));
        passed.map(|(kind, (received, sent))| ((self.name)(kind).unwrap_or("unknown"), received, sent))
    }
}

fn note(counts: &Counts, kind: u8) {
    if let Some(count) = counts.get(usize::from(kind)) {
        count.fetch_add(1, Relaxed);
    }
}

//! Log lines that strangers can cause: one of a kind in ten seconds, with a count of those that were not said.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Between two lines of a kind.
const PAUSE: Duration = Duration::from_secs(10);

/// One kind of line.
pub struct Line(Mutex<(Option<Instant>, u64)>);

impl Line {
    pub const fn new() -> Self {
        Self(Mutex::new((None, 0)))
    }

    /// Whether it is said now; if so, how many were not since the last.
    pub fn say(&self) -> Option<u64> {
        self.say_at(Instant::now())
    }

    fn say_at(&self, now: Instant) -> Option<u64> {
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, unsaid) = &mut *line;
        if last.is_some_and(|last| now.duration_since(last) < PAUSE) {
            *unsaid += 1;
            return None;
        }
        *last = Some(now);
        Some(std::mem::take(unsaid))
    }
}

impl Default for Line {
    fn default() -> Self {
        Self::new()
    }
}

/// As `tracing::warn!`, but seldom.
macro_rules! warn_seldom {
    ($($said:tt)*) => {{
        static LINE: $crate::quiet::Line = $crate::quiet::Line::new();
        if let Some(unsaid) = LINE.say() {
            tracing::warn!(unsaid, $($said)*);
        }
    }};
}
pub(crate) use warn_seldom;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_said_once_in_a_while_and_tells_what_was_left_out() {
        let (line, start) = (Line::new(), Instant::now());
        assert_eq!(line.say_at(start), Some(0));
        assert_eq!([1, 2, 9].map(|s| line.say_at(start + Duration::from_secs(s))), [None; 3]);
        assert_eq!(line.say_at(start + PAUSE), Some(3));
        assert_eq!(line.say_at(start + PAUSE * 2), Some(0));
    }
}

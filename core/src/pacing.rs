//! When a link is read: at most so many commands a second, and not at all for a while after a wrong password. A link
//! that only waits for time is named again when that has come.
//!
//! What can never happen here: an input that was not taken leaves a trace. A server played again from its journal, which
//! has only what was taken, would count differently.

use crate::server::Millis;

/// What the rate is counted over, in milliseconds.
const SECOND: u64 = 1_000;

/// The pace of one link. The game keeps the values where they cost least, and lends them.
pub(crate) struct Pace<'a> {
    /// When the second began in which so many commands were taken.
    pub second: &'a mut Millis,
    pub taken: &'a mut u16,
    /// Not read before this.
    pub deaf_until: &'a mut Millis,
    /// Stalled until this; 0: no such wait.
    pub wake_at: &'a mut Millis,
}

impl Pace<'_> {
    /// Whether the link is read now. If only time is in the way, it is woken then; `own` is until when the game itself has
    /// it wait. A rate of 0 is no limit.
    pub fn may_read(self, rate: u16, own: Option<Millis>, now: Millis) -> bool {
        *self.wake_at = if now < *self.deaf_until {
            *self.deaf_until
        } else if rate != 0 && *self.taken >= rate && now < self.second.plus(SECOND) {
            self.second.plus(SECOND)
        } else {
            own.unwrap_or_default()
        };
        *self.wake_at == Millis(0)
    }

    /// One command more was taken.
    pub fn count(self, now: Millis) {
        if now >= self.second.plus(SECOND) {
            (*self.second, *self.taken) = (now, 0);
        }
        *self.taken = self.taken.saturating_add(1);
    }

    fn due(&self) -> Option<Millis> {
        (*self.wake_at != Millis(0)).then_some(*self.wake_at)
    }

    /// The wait is over if its time has come; whether it has.
    pub fn wake(self, now: Millis) -> bool {
        let is_due = self.due().is_some_and(|due| due <= now);
        if is_due {
            *self.wake_at = Millis(0);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Line {
        second: Millis,
        taken: u16,
        deaf_until: Millis,
        wake_at: Millis,
    }

    impl Line {
        fn pace(&mut self) -> Pace<'_> {
            let Self { second, taken, deaf_until, wake_at } = self;
            Pace { second, taken, deaf_until, wake_at }
        }
    }

    #[test]
    fn so_many_a_second() {
        let mut line = Line::default();
        for _ in 0..3 {
            assert!(line.pace().may_read(3, None, Millis(1_500)));
            line.pace().count(Millis(1_500));
        }
        assert!(!line.pace().may_read(3, None, Millis(1_600)) && line.pace().may_read(0, None, Millis(1_600)));
        assert!(!line.pace().may_read(3, None, Millis(2_499)));
        assert_eq!(line.pace().due(), Some(Millis(2_500)));
        assert!(
            !line.pace().wake(Millis(2_499)) && line.pace().wake(Millis(2_500)) && !line.pace().wake(Millis(2_501))
        );
        assert!(line.pace().may_read(3, None, Millis(2_500)));
        line.pace().count(Millis(2_500));
        assert_eq!((line.second, line.taken), (Millis(2_500), 1));
    }

    #[test]
    fn deafness_comes_first_and_the_games_own_wait_last() {
        let mut line = Line { deaf_until: Millis(900), ..Line::default() };
        assert!(!line.pace().may_read(0, Some(Millis(2_000)), Millis(100)));
        assert_eq!(line.pace().due(), Some(Millis(900)));
        assert!(!line.pace().may_read(0, Some(Millis(2_000)), Millis(900)));
        assert_eq!(line.pace().due(), Some(Millis(2_000)));
        assert!(line.pace().may_read(0, None, Millis(900)));
        assert_eq!(line.pace().due(), None);
    }
}

//! Whether the tasks that a board can't do without still run. A watchdog is fed by [`crate::serve::clock`] for as long as
//! all of them do and the tables come back from their ticks, and by nothing else.

use core::cell::Cell;

use embassy_futures::select::select;
use embassy_net::{Runner, driver::Driver};
use embassy_sync::{blocking_mutex::raw::NoopRawMutex, signal::Signal};
use embassy_time::Duration;

/// How often everybody is asked. A watchdog should wait for many of these.
pub const BEAT: Duration = Duration::from_secs(1);

/// One task's sign of life: it is asked for one each [`BEAT`], and answers when it has done a round of its work.
pub struct Heartbeat {
    asked: Signal<NoopRawMutex, ()>,
    answered: Cell<bool>,
}

impl Heartbeat {
    pub const fn new() -> Self {
        Self { asked: Signal::new(), answered: Cell::new(false) }
    }

    /// Whether the task has answered since this was called last; asks it anew.
    pub(crate) fn take(&self) -> bool {
        self.asked.signal(());
        self.answered.replace(false)
    }

    /// For the task: until it is asked.
    pub async fn asked(&self) {
        self.asked.wait().await;
    }

    /// For the task: it is alive, and so is what it works with.
    pub fn answer(&self) {
        self.answered.set(true);
    }

    pub(crate) async fn answer_always(&self) -> ! {
        loop {
            self.asked().await;
            self.answer();
        }
    }
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs the network, forever. It answers for itself: a network without traffic sleeps, and that is not a fault.
pub async fn network<D: Driver>(mut runner: Runner<'_, D>, alive: &Heartbeat) -> ! {
    // The runner comes first: an answer says that it was polled and came back.
    match select(runner.run(), alive.answer_always()).await {}
}

#[cfg(test)]
mod tests {
    use core::pin::pin;

    use embassy_futures::poll_once;

    use super::*;

    #[test]
    fn only_who_runs_is_alive() {
        let alive = Heartbeat::new();
        let mut task = pin!(alive.answer_always());
        assert!(!alive.take());
        assert!(!alive.take());
        assert!(poll_once(task.as_mut()).is_pending());
        assert!(alive.take());
        assert!(!alive.take());
        assert!(poll_once(task.as_mut()).is_pending());
        assert!(alive.take());
    }
}

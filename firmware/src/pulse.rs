//! The board's pulse: whether the network and the table are still alive. A watchdog is fed by [`crate::serve::clock`] for
//! as long as both are, and by nothing else.

use core::cell::Cell;

use embassy_futures::select::select;
use embassy_net::{Runner, driver::Driver};
use embassy_sync::{blocking_mutex::raw::NoopRawMutex, signal::Signal};
use embassy_time::Duration;

/// How often the pulse is taken. A watchdog should wait for many of these.
pub const BEAT: Duration = Duration::from_secs(1);

/// What the network answers the clock.
pub struct Pulse {
    asked: Signal<NoopRawMutex, ()>,
    answered: Cell<bool>,
}

impl Pulse {
    pub const fn new() -> Self {
        Self { asked: Signal::new(), answered: Cell::new(false) }
    }

    /// Whether the network has run since this was asked last; asks it anew.
    pub(crate) fn take(&self) -> bool {
        self.asked.signal(());
        self.answered.replace(false)
    }

    pub(crate) async fn answer(&self) -> ! {
        loop {
            self.asked.wait().await;
            self.answered.set(true);
        }
    }
}

impl Default for Pulse {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs the network, forever. It answers for itself: a network without traffic sleeps, and that is not a fault.
pub async fn network<D: Driver>(mut runner: Runner<'_, D>, pulse: &Pulse) -> ! {
    // The runner comes first: an answer says that it was polled and came back.
    match select(runner.run(), pulse.answer()).await {}
}

#[cfg(test)]
mod tests {
    use core::pin::pin;

    use embassy_futures::poll_once;

    use super::*;

    #[test]
    fn only_who_runs_has_a_pulse() {
        let pulse = Pulse::new();
        let mut network = pin!(pulse.answer());
        assert!(!pulse.take());
        assert!(!pulse.take());
        assert!(poll_once(network.as_mut()).is_pending());
        assert!(pulse.take());
        assert!(!pulse.take());
        assert!(poll_once(network.as_mut()).is_pending());
        assert!(pulse.take());
    }
}

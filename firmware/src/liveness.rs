//! Whether the tasks that a board can't do without still run. A watchdog is fed by [`crate::links::serve`] for as long
//! as all of them do and the tables come back from their ticks, and by nothing else.

use core::cell::Cell;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Context;

use embassy_net::{Runner, driver::Driver};
use embassy_sync::{blocking_mutex::raw::NoopRawMutex, signal::Signal};
use embassy_time::Duration;

/// How often tasks are asked. A watchdog should wait for many of these.
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

    /// For a task whose every poll is a round of its work: it answers, and is woken when it is asked again. A task that has
    /// answered since it was asked last is known already.
    fn answer_poll(&self, context: &mut Context<'_>) {
        if !self.answered.get() {
            while pin!(self.asked.wait()).poll(context).is_ready() {}
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
    let mut run = pin!(runner.run());
    poll_fn(|context| {
        // The runner comes first: an answer says that it was polled and came back.
        let never = run.as_mut().poll(context);
        alive.answer_poll(context);
        never
    })
    .await
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use core::task::Waker;
    use std::sync::Arc;
    use std::task::Wake;

    use super::*;

    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn only_who_runs_is_alive_and_each_question_wakes_it() {
        let (alive, woken) = (Heartbeat::new(), Arc::new(Woken(AtomicUsize::new(0))));
        let waker = Waker::from(woken.clone());
        let context = &mut Context::from_waker(&waker);
        assert!(!alive.take());
        assert!(!alive.take());
        for asked in 1..4 {
            // It may run as often as it likes before it is asked.
            (0..asked).for_each(|_| alive.answer_poll(context));
            assert_eq!(woken.0.load(Relaxed), asked - 1);
            assert!(alive.take());
            assert_eq!(woken.0.load(Relaxed), asked);
            assert!(!alive.take());
        }
    }
}

//! Which links have something to do: one bell a link, rung by its socket, by its game, and once a beat by the clock.
//!
//! All links are one task. If a socket woke only that task, it would have to look at every link each time, and every look at
//! a socket has the whole network stack polled.
#![allow(unsafe_code, reason = "a waker is made of a pointer and functions")]

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_sync::waitqueue::AtomicWaker;

/// The task of all links. A board has one.
pub(super) static POOL: AtomicWaker = AtomicWaker::new();

pub(super) struct Bell(AtomicBool);

impl Bell {
    /// All zero bytes.
    pub(super) const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// The link is looked at when the task runs next.
    pub(super) fn ring(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether it has rung since this was asked last. Sockets are woken by another task, never by an interrupt: nothing can
    /// come between.
    pub(super) fn take(&self) -> bool {
        let has_rung = self.0.load(Relaxed);
        self.0.store(false, Relaxed);
        has_rung
    }

    /// Rings, and has the task run.
    pub(super) fn waker(&'static self) -> Waker {
        // SAFETY: the pointer is to something that never moves or ends, and the functions keep a waker's contract: they may
        // be called from anywhere, and there is nothing to clone or to drop.
        unsafe { Waker::from_raw(raw(self)) }
    }
}

static FUNCTIONS: RawWakerVTable = RawWakerVTable::new(|bell| RawWaker::new(bell, &FUNCTIONS), wake, wake, |_| {});

fn raw(bell: &'static Bell) -> RawWaker {
    RawWaker::new((&raw const *bell).cast(), &FUNCTIONS)
}

fn wake(bell: *const ()) {
    // SAFETY: every waker with these functions was made by `raw`, of a bell that never ends.
    let bell = unsafe { &*bell.cast::<Bell>() };
    bell.ring();
    POOL.wake();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waker_rings_its_own_bell_as_often_as_it_is_used() {
        static BELLS: [Bell; 2] = [Bell::new(), Bell::new()];
        let [first, second] = &BELLS;
        assert!(!first.take());
        let waker = first.waker();
        let copy = waker.clone();
        waker.wake();
        assert!(first.take() && !first.take() && !second.take());
        copy.wake_by_ref();
        copy.wake_by_ref();
        assert!(first.take() && !first.take() && !second.take());
        assert!(first.waker().will_wake(&copy) && !second.waker().will_wake(&copy));
    }
}

//! Which links have something to do: one bell a link, rung by its socket, by its game, and once a beat by the clock.
//!
//! All links are one task. If a socket woke only that task, it would have to look at every link each time, and every look at
//! a socket has the whole network stack polled. So all bells are the bits of one word, and a look at it names the links.
#![allow(unsafe_code, reason = "a waker is made of a pointer and functions")]

use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_sync::waitqueue::AtomicWaker;

/// The task of all links. A board has one.
pub(super) static POOL: AtomicWaker = AtomicWaker::new();

/// As many bells as there can be.
pub(super) const BELLS: usize = u32::BITS as usize;

/// A bit for each bell that has rung, the lowest for the first.
static RUNG: AtomicU32 = AtomicU32::new(0);

/// Those that have rung since this was asked last. Sockets are woken by another task, never by an interrupt: nothing can come
/// between.
pub(super) fn take_rung() -> Rung {
    let rung = RUNG.load(Relaxed);
    RUNG.store(0, Relaxed);
    Rung(rung)
}

/// Whether any has rung since they were taken last.
pub(super) fn has_rung() -> bool {
    RUNG.load(Relaxed) != 0
}

/// The numbers of bells, in their order.
pub(super) struct Rung(u32);

impl Iterator for Rung {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let rest = self.0.checked_sub(1)?;
        let number = self.0.trailing_zeros() as usize;
        self.0 &= rest;
        Some(number)
    }
}

/// One of [`BELLS`], by its number.
#[derive(Clone, Copy)]
pub(super) struct Bell(u8);

impl Bell {
    pub(super) const fn new(number: u8) -> Self {
        Self(number)
    }

    /// The link is looked at when the task runs next.
    pub(super) fn ring(self) {
        RUNG.store(RUNG.load(Relaxed) | 1 << (u32::from(self.0) % u32::BITS), Relaxed);
    }

    /// Rings, and has the task run.
    pub(super) fn waker(self) -> Waker {
        // SAFETY: the functions keep a waker's contract: they may be called from anywhere, nothing lies behind the pointer, and
        // there is nothing to clone or to drop.
        unsafe { Waker::from_raw(raw(self)) }
    }
}

static FUNCTIONS: RawWakerVTable = RawWakerVTable::new(|number| RawWaker::new(number, &FUNCTIONS), wake, wake, |_| {});

/// The pointer is no address but the bell's number.
fn raw(Bell(number): Bell) -> RawWaker {
    RawWaker::new(ptr::without_provenance(usize::from(number)), &FUNCTIONS)
}

fn wake(number: *const ()) {
    Bell(number.addr() as u8).ring();
    POOL.wake();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waker_rings_its_own_bell_as_often_as_it_is_used() {
        let [first, last] = [Bell::new(0), Bell::new(BELLS as u8 - 1)];
        let taken = || take_rung().collect::<std::vec::Vec<_>>();
        assert!(!has_rung() && taken().is_empty());
        let waker = first.waker();
        let copy = waker.clone();
        waker.wake();
        assert!(has_rung());
        assert_eq!((taken(), has_rung()), (std::vec![0], false));
        copy.wake_by_ref();
        copy.wake_by_ref();
        last.ring();
        assert_eq!(taken(), [0, BELLS - 1]);
        assert!(taken().is_empty());
        assert!(first.waker().will_wake(&copy) && !last.waker().will_wake(&copy));
    }
}

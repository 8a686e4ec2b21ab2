//! embassy's clock: SysTick, once a millisecond.

use core::cell::{Cell, RefCell};
use core::task::Waker;

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::exception;
use critical_section::Mutex;
use embassy_time_driver::Driver;
use embassy_time_queue_utils::Queue;

use crate::clock::CORE_HZ;

struct SysTickDriver {
    now: Mutex<Cell<u64>>,
    /// When the next timer is due. 0 before the first: one look too many costs nothing, and the value lies in .bss.
    due: Mutex<Cell<u64>>,
    queue: Mutex<RefCell<Queue>>,
}

embassy_time_driver::time_driver_impl!(static DRIVER: SysTickDriver = SysTickDriver {
    now: Mutex::new(Cell::new(0)),
    due: Mutex::new(Cell::new(0)),
    queue: Mutex::new(RefCell::new(Queue::new())),
});

impl Driver for SysTickDriver {
    fn now(&self) -> u64 {
        critical_section::with(|cs| self.now.borrow(cs).get())
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|cs| {
            let mut queue = self.queue.borrow(cs).borrow_mut();
            if queue.schedule_wake(at, waker) {
                self.due.borrow(cs).set(queue.next_expiration(self.now.borrow(cs).get()));
            }
        });
    }
}

#[exception]
fn SysTick() {
    critical_section::with(|cs| {
        let now = DRIVER.now.borrow(cs).get() + 1;
        DRIVER.now.borrow(cs).set(now);
        if now >= DRIVER.due.borrow(cs).get() {
            DRIVER.due.borrow(cs).set(DRIVER.queue.borrow(cs).borrow_mut().next_expiration(now));
        }
    });
}

pub fn start(mut syst: SYST) {
    syst.set_reload(CORE_HZ / 1_000 - 1);
    syst.set_clock_source(SystClkSource::Core);
    syst.clear_current();
    syst.enable_interrupt();
    syst.enable_counter();
}

/// Where the core's clock stands inside this millisecond: a source of entropy.
pub fn phase() -> u32 {
    SYST::get_current()
}

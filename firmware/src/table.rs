//! The one server value of a board, and what wakes its links.
//!
//! Every call goes in and out without waiting, so the value stands behind a blocking mutex and is never held across an
//! await. After each call the rest of the adapter's duty is done here, in one place: requests are answered, output is
//! released (a board keeps no journal, so at once), and the links and the clock that have something to do are woken.

use core::cell::{Cell, RefCell};
use core::marker::PhantomData;

use embassy_sync::blocking_mutex::{Mutex, raw::NoopRawMutex};
use embassy_sync::signal::Signal;
use embassy_time::Instant;
use parlor_core::server::{Answer, Ask, Framer, Full, Intake, Link, Millis, Request, Server};

use crate::fmt::error;
use crate::hash;

type Wake = Signal<NoopRawMutex, ()>;

/// Tells what a command costs, on a board that wants to know. `()` does not.
pub trait Meter {
    /// Some count that goes on.
    fn now() -> u32 {
        0
    }
    /// The frames `taken` were handled, and everything that was due after them.
    fn spent(_taken: &[u8], _since: u32) {}
}

impl Meter for () {}

/// A server and its `LINKS` wake signals. [`Table::new`] of an all-zero server is all zero, so that it lies in .bss.
pub struct Table<S, const LINKS: usize, M = ()> {
    server: Mutex<NoopRawMutex, RefCell<S>>,
    /// One for each link slot.
    wakes: [Wake; LINKS],
    /// The deadline that the clock waits for.
    armed: Cell<Option<Millis>>,
    /// The deadline is an earlier one now.
    moved: Wake,
    /// Bytes came or went: for a lamp.
    talk: Wake,
    /// The server was called since its deadline was last looked at.
    called: Cell<bool>,
    /// Goes into every hash that the server asks for.
    salt: [u8; 32],
    meter: PhantomData<M>,
}

impl<S: Server, const LINKS: usize, M: Meter> Table<S, LINKS, M> {
    pub const fn new(server: S) -> Self {
        Self {
            server: Mutex::new(RefCell::new(server)),
            wakes: [const { Signal::new() }; LINKS],
            armed: Cell::new(None),
            moved: Signal::new(),
            talk: Signal::new(),
            called: Cell::new(false),
            salt: [0; 32],
            meter: PhantomData,
        }
    }

    /// Once, before anything else: all that is random at this table comes from `seed`. `begin` readies the server in
    /// place.
    pub fn begin(&mut self, seed: [u8; 32], begin: impl FnOnce(&mut S, &[u8; 32], Millis)) {
        self.salt = seed;
        self.call(|server, now| begin(server, &seed, now));
    }

    pub(crate) fn open(&self) -> Result<Link, Full> {
        let link = self.call(|server, now| server.open(now))?;
        let Some(wake) = self.wakes.get(usize::from(link.slot)) else {
            error!("link slot {} has no wake signal: a table has as many links as its server", link.slot);
            self.close(link);
            return Err(Full);
        };
        // The slot's last owner may have left before it was told. Whatever waits for this one is pulled first anyway.
        wake.reset();
        Ok(link)
    }

    pub(crate) fn receive(&self, link: Link, framer: &mut S::Framer) -> Intake {
        self.talk.signal(());
        let since = M::now();
        let intake = self.call(|server, now| server.receive(link, framer, now));
        M::spent(framer.taken(), since);
        intake
    }

    pub(crate) fn pull(&self, link: Link, out: &mut [u8]) -> usize {
        self.server.lock(|server| {
            let mut server = server.borrow_mut();
            let length = server.pull(link, out);
            // What was pulled made room: a link that stalled on it may be named, a timer that waited for it be due.
            if length > 0 {
                self.wake(&mut server);
                self.talk.signal(());
            }
            length
        })
    }

    /// Bytes came or went since this was asked last.
    pub(crate) async fn talk(&self) {
        self.talk.wait().await;
    }

    pub(crate) fn closing(&self, link: Link) -> bool {
        self.server.lock(|server| server.borrow().closing(link))
    }

    pub(crate) fn close(&self, link: Link) {
        self.call(|server, now| server.close(link, now));
        self.rearm();
    }

    pub(crate) fn tick(&self) {
        self.call(|server, now| server.tick(now));
    }

    /// A look at the server that changes nothing.
    #[cfg(feature = "keep")]
    pub(crate) fn look<R>(&self, look: impl FnOnce(&S) -> R) -> R {
        self.server.lock(|server| look(&server.borrow()))
    }

    /// When to [`Table::tick`]. [`Table::moved`] tells when it is an earlier moment; a later one is not told: a tick too
    /// many costs less than waking the clock with every command.
    pub(crate) fn arm(&self) -> Option<Millis> {
        let deadline = self.server.lock(|server| server.borrow().deadline());
        self.armed.set(deadline);
        deadline
    }

    /// Has the clock ring earlier if that became necessary. Whoever called the server does this before it waits for
    /// anything, once for all its calls.
    pub(crate) fn rearm(&self) {
        if !self.called.replace(false) {
            return;
        }
        let deadline = self.server.lock(|server| server.borrow().deadline());
        if deadline.is_some_and(|at| self.armed.get().is_none_or(|armed| at < armed)) {
            self.armed.set(deadline);
            self.moved.signal(());
        }
    }

    pub(crate) async fn moved(&self) {
        self.moved.wait().await;
    }

    /// The server has output for this link, takes its input again, or is done with it.
    pub(crate) async fn woken(&self, link: Link) {
        match self.wakes.get(usize::from(link.slot)) {
            Some(wake) => wake.wait().await,
            None => core::future::pending().await,
        }
    }

    /// Whoever is about to look at everything that [`Table::woken`] could tell need not be told.
    pub(crate) fn looks(&self, link: Link) {
        if let Some(wake) = self.wakes.get(usize::from(link.slot)) {
            wake.reset();
        }
    }

    /// One call that takes the time, and all that is due after it.
    fn call<R>(&self, act: impl FnOnce(&mut S, Millis) -> R) -> R {
        let now = Millis(Instant::now().as_millis());
        self.server.lock(|server| {
            let mut server = server.borrow_mut();
            let result = act(&mut server, now);
            self.answer_requests(&mut server, now);
            let produced = server.produced();
            server.release(produced);
            self.wake(&mut server);
            result
        })
    }

    fn answer_requests(&self, server: &mut S, now: Millis) {
        while let Some(Request { id, ask, .. }) = server.next_request() {
            match ask {
                Ask::Hash(secret) => {
                    let hashed = hash::salted(&self.salt, secret);
                    server.answer(id, Answer::Hash(&hashed), now);
                }
                // A board has no disk and no other program to ask.
                _ => server.answer(id, Answer::Failed, now),
            }
        }
    }

    /// Wakes whoever has something to do.
    fn wake(&self, server: &mut S) {
        while let Some(link) = server.next_ready() {
            if let Some(wake) = self.wakes.get(usize::from(link.slot)) {
                wake.signal(());
            }
        }
        self.called.set(true);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use core::pin::pin;
    use std::vec::Vec;

    use embassy_futures::poll_once;
    use embassy_time::{Duration, MockDriver};
    use parlor_core::echo::Echo;

    use super::*;
    use crate::pulse::{BEAT, Pulse};
    use crate::serve;

    type Small = Table<Echo<2, 1024>, 2>;

    /// There is one clock for all tests: whoever moves it, or needs it to stand still, holds this.
    pub static CLOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());

    fn say(table: &Small, link: Link, bytes: &[u8]) -> Intake {
        let mut framer = <Echo<2, 1024> as Server>::Framer::default();
        framer.window()[..bytes.len()].copy_from_slice(bytes);
        framer.commit(bytes.len());
        let intake = table.receive(link, &mut framer);
        table.rearm();
        intake
    }

    fn pulled(table: &Small, link: Link) -> Vec<u8> {
        let mut out = [0; 256];
        let length = table.pull(link, &mut out);
        out[..length].to_vec()
    }

    fn is_woken(table: &Small, link: Link) -> bool {
        poll_once(pin!(table.woken(link))).is_ready()
    }

    #[test]
    fn who_has_something_to_do_is_woken() {
        let table = Small::new(Echo::new());
        let (ann, bob) = (table.open().unwrap(), table.open().unwrap());
        assert_eq!(table.open(), Err(Full));
        assert!(!is_woken(&table, ann) && !is_woken(&table, bob));
        assert_eq!(say(&table, ann, b"E\x02hi"), Intake::Hungry);
        assert!(is_woken(&table, ann));
        assert_eq!(pulled(&table, ann), b"E\x02hi");
        assert_eq!(say(&table, ann, b"Q\x00"), Intake::Stalled);
        assert_eq!(pulled(&table, ann), b"Q\x00");
        assert!(table.closing(ann) && !table.closing(bob));
    }

    #[test]
    fn a_slot_forgets_its_last_owner() {
        let table = Small::new(Echo::new());
        let old = table.open().unwrap();
        assert_eq!(say(&table, old, b"E\x01x"), Intake::Hungry);
        table.close(old);
        let new = table.open().unwrap();
        assert_eq!(new.slot, old.slot);
        assert!(!is_woken(&table, new));
        assert_eq!(pulled(&table, new), b"");
    }

    #[test]
    fn hashes_are_answered_at_once_and_follow_the_seed() {
        let answer = |seed| {
            let mut table = Small::new(Echo::new());
            table.begin(seed, |_, _, _| ());
            let link = table.open().unwrap();
            assert_eq!(say(&table, link, b"H\x04kerz"), Intake::Stalled);
            assert!(is_woken(&table, link));
            pulled(&table, link)
        };
        assert_eq!(answer([1; 32]).len(), 2 + 32);
        assert_eq!(answer([1; 32]), answer([1; 32]));
        assert_ne!(answer([1; 32]), answer([2; 32]));
    }

    #[test]
    fn the_clock_rings_when_a_deadline_comes_nearer() {
        let _clock = CLOCK.lock();
        let table = Small::new(Echo::new());
        let link = table.open().unwrap();
        let pulse = Pulse::new();
        let mut clock = pin!(serve::clock(&table, &pulse, || ()));
        assert!(poll_once(clock.as_mut()).is_pending());
        assert_eq!(say(&table, link, b"W\x02\x10\x00"), Intake::Hungry);
        assert!(poll_once(clock.as_mut()).is_pending());
        assert_eq!(say(&table, link, b"W\x02\x00\x32"), Intake::Hungry);
        assert!(poll_once(clock.as_mut()).is_pending());
        assert_eq!(pulled(&table, link), b"");
        MockDriver::get().advance(Duration::from_millis(60));
        assert!(poll_once(clock.as_mut()).is_pending());
        assert_eq!(pulled(&table, link), b"W\x00");
    }

    #[test]
    fn the_watchdog_is_fed_while_the_network_answers() {
        let _clock = CLOCK.lock();
        let table = Small::new(Echo::new());
        let pulse = Pulse::new();
        let fed = Cell::new(0);
        let mut clock = pin!(serve::clock(&table, &pulse, || fed.set(fed.get() + 1)));
        let mut network = pin!(pulse.answer());
        let mut beat = || {
            assert!(poll_once(clock.as_mut()).is_pending());
            MockDriver::get().advance(BEAT + Duration::from_millis(1));
            assert!(poll_once(clock.as_mut()).is_pending());
            MockDriver::get().advance(Duration::from_millis(1));
            fed.get()
        };
        // Nobody was asked before the first beat.
        assert_eq!(beat(), 0);
        assert!(poll_once(network.as_mut()).is_pending());
        assert_eq!(beat(), 1);
        assert!(poll_once(network.as_mut()).is_pending());
        assert_eq!(beat(), 2);
        assert_eq!(beat(), 2);
    }
}

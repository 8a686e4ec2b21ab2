//! The one server value of a board, and what wakes its links.
//!
//! Every call goes in and out without waiting, so the value stands behind a blocking mutex and is never held across an
//! await. After each call the rest of the adapter's duty is done here, in one place: requests are answered, output is
//! released (a board keeps no journal, so at once), and the links and the clock that have something to do are woken.

use core::cell::{Cell, RefCell};

use embassy_sync::blocking_mutex::{Mutex, raw::NoopRawMutex};
use embassy_sync::signal::Signal;
use embassy_time::Instant;
use parlor_core::server::{Answer, Ask, Full, Intake, Link, Millis, Request, Server};

use crate::fmt::error;
use crate::hash;

type Wake = Signal<NoopRawMutex, ()>;

/// A server and its `LINKS` wake signals. [`Table::new`] of an all-zero server is all zero, so that it lies in .bss.
pub struct Table<S, const LINKS: usize> {
    server: Mutex<NoopRawMutex, RefCell<S>>,
    /// One for each link slot.
    wakes: [Wake; LINKS],
    /// The deadline that the clock was last told.
    armed: Cell<Option<Millis>>,
    /// The deadline is another one now.
    moved: Wake,
    /// Goes into every hash that the server asks for.
    salt: [u8; 32],
}

impl<S: Server, const LINKS: usize> Table<S, LINKS> {
    pub const fn new(server: S) -> Self {
        Self {
            server: Mutex::new(RefCell::new(server)),
            wakes: [const { Signal::new() }; LINKS],
            armed: Cell::new(None),
            moved: Signal::new(),
            salt: [0; 32],
        }
    }

    /// Once, before anything else: all that is random at this table comes from `seed`. `begin` readies the server in
    /// place.
    pub fn begin(&mut self, seed: [u8; 32], begin: impl FnOnce(&mut S, &[u8; 32])) {
        self.salt = seed;
        self.call(|server, _now| begin(server, &seed));
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
        self.call(|server, now| server.receive(link, framer, now))
    }

    pub(crate) fn pull(&self, link: Link, out: &mut [u8]) -> usize {
        self.server.lock(|server| {
            let mut server = server.borrow_mut();
            let length = server.pull(link, out);
            // What was pulled made room: a link that stalled on it may be named, a timer that waited for it be due.
            if length > 0 {
                self.wake(&mut server);
            }
            length
        })
    }

    pub(crate) fn closing(&self, link: Link) -> bool {
        self.server.lock(|server| server.borrow().closing(link))
    }

    pub(crate) fn close(&self, link: Link) {
        self.call(|server, now| server.close(link, now));
    }

    pub(crate) fn tick(&self) {
        self.call(|server, now| server.tick(now));
    }

    /// When to [`Table::tick`]. [`Table::moved`] tells when it is another moment.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        self.server.lock(|server| server.borrow().deadline())
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
        while let Some(Request { id, ask }) = server.next_request() {
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

    /// Wakes whoever has something to do: links, and the clock if it has to ring at another moment.
    fn wake(&self, server: &mut S) {
        while let Some(link) = server.next_ready() {
            if let Some(wake) = self.wakes.get(usize::from(link.slot)) {
                wake.signal(());
            }
        }
        let deadline = server.deadline();
        if self.armed.replace(deadline) != deadline {
            self.moved.signal(());
        }
    }
}

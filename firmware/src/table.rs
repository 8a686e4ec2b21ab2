//! A game's one server value on a board, and what wakes its links.
//!
//! Every call goes in and out without waiting, so the value stands behind a blocking mutex and is never held across an
//! await. After each call the rest of the adapter's duty is done here, in one place: requests are answered, output is
//! released (a board keeps no journal, so at once), and the links and the clock that have something to do are woken.

use core::cell::{Cell, RefCell};
use core::marker::PhantomData;

use embassy_futures::select::select;
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
    /// The salts of the hashes that the server asks for come from it.
    key: [u8; 32],
    /// Salts drawn.
    salts: Cell<u32>,
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
            key: [0; 32],
            salts: Cell::new(0),
            meter: PhantomData,
        }
    }

    /// Once, before anything else: all that is random at this table comes from `seed`. `begin` readies the server in
    /// place.
    pub fn begin(&mut self, seed: [u8; 32], begin: impl FnOnce(&mut S, &[u8; 32], Millis)) {
        self.key = seed;
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

    pub(crate) fn closing(&self, link: Link) -> bool {
        self.server.lock(|server| server.borrow().closing(link))
    }

    pub(crate) fn close(&self, link: Link) {
        self.call(|server, now| server.close(link, now));
        self.rearm();
    }

    /// A look at the server that changes nothing.
    #[cfg(feature = "keep")]
    pub(crate) fn look<R>(&self, look: impl FnOnce(&S) -> R) -> R {
        self.server.lock(|server| look(&server.borrow()))
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
            // Drawn for a check too: it must take as long as a new hash.
            let salt = hash::salt(&self.key, self.salts.replace(self.salts.get().wrapping_add(1)));
            match ask {
                Ask::Hash(secret) => {
                    let hashed = hash::make(&salt, secret);
                    server.answer(id, Answer::Hash(&hashed), now);
                }
                Ask::Verify { secret, hash } => {
                    let verdict = hash::is_of(hash, secret);
                    server.answer(id, Answer::Verified(verdict), now);
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

/// One table or several, as the board's clock and its lamp see them.
pub trait Tables {
    /// When to [`Tables::tick`]. [`Tables::moved`] tells when it is an earlier moment; a later one is not told: a tick too
    /// many costs less than waking the clock with every command.
    fn arm(&self) -> Option<Millis>;
    fn tick(&self);
    fn moved(&self) -> impl Future<Output = ()>;
    /// Bytes came or went since this was asked last.
    fn talk(&self) -> impl Future<Output = ()>;
}

impl<S: Server, const LINKS: usize, M: Meter> Tables for Table<S, LINKS, M> {
    fn arm(&self) -> Option<Millis> {
        let deadline = self.server.lock(|server| server.borrow().deadline());
        self.armed.set(deadline);
        deadline
    }
    fn tick(&self) {
        self.call(|server, now| server.tick(now));
    }
    async fn moved(&self) {
        self.moved.wait().await;
    }
    async fn talk(&self) {
        self.talk.wait().await;
    }
}

/// Two games on one board.
impl<A: Tables, B: Tables> Tables for (&A, &B) {
    fn arm(&self) -> Option<Millis> {
        self.0.arm().into_iter().chain(self.1.arm()).min()
    }
    fn tick(&self) {
        self.0.tick();
        self.1.tick();
    }
    async fn moved(&self) {
        select(self.0.moved(), self.1.moved()).await;
    }
    async fn talk(&self) {
        select(self.0.talk(), self.1.talk()).await;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use core::pin::pin;
    use std::vec::Vec;

    use embassy_futures::poll_once;
    use embassy_time::{Duration, MockDriver};
    use parlor_core::echo::Echo;
    use parlor_core::yard::limits::BoardYard;
    use parlor_core::yard;

    use super::*;
    use crate::liveness::{BEAT, Heartbeat};
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
        assert_eq!(answer([1; 32]).len(), 2 + 48);
        assert_eq!(answer([1; 32]), answer([1; 32]));
        assert_ne!(answer([1; 32]), answer([2; 32]));
    }

    type Yard = Table<BoardYard, 10>;

    /// Somebody new says this, and what the board answers.
    fn yard_says(table: &Yard, lines: &[u8]) -> Vec<u8> {
        let link = table.open().unwrap();
        let mut framer = <BoardYard as Server>::Framer::default();
        framer.window()[..lines.len()].copy_from_slice(lines);
        framer.commit(lines.len());
        let (mut heard, mut out) = (Vec::new(), [0; BoardYard::MAX_FRAME]);
        // The password waits for its hash; the answer is there by the next call.
        while table.receive(link, &mut framer) != Intake::Hungry {}
        while let length @ 1.. = table.pull(link, &mut out) {
            heard.extend_from_slice(&out[..length]);
        }
        table.close(link);
        heard
    }

    #[test]
    fn passwords_are_hashed_and_checked_on_the_board() {
        let mut table = Yard::new(BoardYard::new());
        table.begin([1; 32], |yard, seed, _| yard.begin(seed, &yard::server::Config::BOARD));
        let hello: &[u8] = b"protocol 2.0\r\n";
        let login = |password: &[u8]| yard_says(&table, &[hello, b"login joe ", password, b"\r\n"].concat());
        assert_eq!(login(b"kerz"), b"- ok\r\n- ok\r\n");
        assert_eq!(login(b"kerx"), b"- ok\r\n- no wrong password\r\n");
        assert_eq!(login(b"kerz"), b"- ok\r\n- ok\r\n");
    }

    #[test]
    fn one_clock_rings_for_two_tables() {
        let _clock = CLOCK.lock();
        let (one, other) = (Small::new(Echo::new()), Small::new(Echo::new()));
        let links = [&one, &other].map(|table| table.open().unwrap());
        let both = (&one, &other);
        let mut clock = pin!(serve::clock(&both, &[], || ()));
        assert!(poll_once(clock.as_mut()).is_pending());
        // In 50 ms at one table, in 100 at the other.
        assert_eq!(say(&one, links[0], b"W\x02\x00\x64"), Intake::Hungry);
        assert_eq!(say(&other, links[1], b"W\x02\x00\x32"), Intake::Hungry);
        for (heard, heard_there) in [(&b""[..], &b"W\x00"[..]), (b"W\x00", b"")] {
            assert!(poll_once(clock.as_mut()).is_pending());
            MockDriver::get().advance(Duration::from_millis(60));
            assert!(poll_once(clock.as_mut()).is_pending());
            MockDriver::get().advance(Duration::from_millis(2));
            assert_eq!((&pulled(&one, links[0])[..], &pulled(&other, links[1])[..]), (heard, heard_there));
        }
    }

    #[test]
    fn the_clock_rings_when_a_deadline_comes_nearer() {
        let _clock = CLOCK.lock();
        let table = Small::new(Echo::new());
        let link = table.open().unwrap();
        let mut clock = pin!(serve::clock(&table, &[], || ()));
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
    fn the_watchdog_is_fed_while_everybody_answers() {
        let _clock = CLOCK.lock();
        let table = Small::new(Echo::new());
        let (network, mover) = (Heartbeat::new(), Heartbeat::new());
        let fed = Cell::new(0);
        let tasks = [&network, &mover];
        let mut clock = pin!(serve::clock(&table, &tasks, || fed.set(fed.get() + 1)));
        let (mut network, mut mover) = (pin!(network.answer_always()), pin!(mover.answer_always()));
        let mut beat = |network_runs, mover_runs| {
            if network_runs {
                assert!(poll_once(network.as_mut()).is_pending());
            }
            if mover_runs {
                assert!(poll_once(mover.as_mut()).is_pending());
            }
            assert!(poll_once(clock.as_mut()).is_pending());
            MockDriver::get().advance(BEAT + Duration::from_millis(1));
            assert!(poll_once(clock.as_mut()).is_pending());
            MockDriver::get().advance(Duration::from_millis(1));
            fed.get()
        };
        // Nobody was asked before the first beat.
        assert_eq!(beat(true, true), 0);
        assert_eq!(beat(true, true), 1);
        assert_eq!(beat(true, false), 1);
        assert_eq!(beat(false, true), 1);
        assert_eq!(beat(true, true), 2);
        assert_eq!(beat(false, false), 2);
    }
}

//! Clients that are connected and have no seat yet, counted by their address: how many there are at one place, and how
//! many wrong passwords they have said. And what is held from an address at one place when its connections are gone:
//! seats and games (`holdings.rs`).
//!
//! An address that guesses too much waits: a password is then not looked at, right or wrong, until some were forgotten.
//! So no right one is called wrong because a neighbour guessed, and guessing faster teaches nothing.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::Ipv6Addr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use parlor_core::server::{Link, Millis, Server};
use parlor_core::throttle::{Allowance, Throttle};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::{Origin, lock};
use crate::quiet::warn_seldom;
use crate::vault;

/// Addresses that are remembered at once.
const ADDRESSES: usize = 256;
/// Links that a crowd of strangers leaves free: others come while one of them is on its way out.
const SPARE: usize = 4;
/// How often a client that has to wait is looked at again.
pub const ANOTHER_TRY: Duration = Duration::from_millis(100);

/// What was done lately, by address.
pub struct Count {
    throttle: Mutex<Throttle<ADDRESSES>>,
    allowance: Mutex<Allowance>,
    start: Instant,
}

impl Count {
    pub fn new(allowance: Allowance) -> Self {
        Self { throttle: Mutex::new(Throttle::new()), allowance: Mutex::new(allowance), start: Instant::now() }
    }

    /// From now on.
    pub fn allow(&self, allowance: Allowance) {
        *lock(&self.allowance) = allowance;
    }

    fn ask<T>(&self, ask: impl FnOnce(&mut Throttle<ADDRESSES>, Allowance, Millis) -> T) -> T {
        let (now, allowance) = (Millis(self.start.elapsed().as_millis() as u64), *lock(&self.allowance));
        ask(&mut lock(&self.throttle), allowance, now)
    }

    /// Whether it may be done once more from there. A client of this process always may.
    pub fn may(&self, from: Origin) -> bool {
        from.is_none_or(|address| self.ask(|throttle, allowance, now| throttle.may(address, allowance, now)))
    }

    /// Does it, if it may be done once more from there.
    pub fn take(&self, from: Origin) -> bool {
        from.is_none_or(|address| {
            self.ask(|throttle, allowance, now| {
                let may = throttle.may(address, allowance, now);
                if may {
                    throttle.count(address, allowance, now);
                }
                may
            })
        })
    }

    pub fn note(&self, from: Origin) {
        if let Some(address) = from {
            self.ask(|throttle, allowance, now| throttle.count(address, allowance, now));
        }
    }
}

/// How many of something there are, by place and address.
#[derive(Default)]
struct Tally(Mutex<HashMap<(u32, u128), u32>>);

impl Tally {
    /// One more; `None`: there are as many as may be. 0: no limit.
    fn add(self: &Arc<Self>, key: (u32, u128), most: u32) -> Option<Counted> {
        let mut all = lock(&self.0);
        let here = all.entry(key).or_default();
        if most != 0 && *here >= most {
            return None;
        }
        *here += 1;
        Some(Counted { tally: self.clone(), key })
    }

    fn count(&self, key: (u32, u128)) -> u32 {
        lock(&self.0).get(&key).copied().unwrap_or_default()
    }
}

/// One of them, as long as this lives.
pub struct Counted {
    tally: Arc<Tally>,
    key: (u32, u128),
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut all = lock(&self.tally.0);
        if let Some(here) = all.get_mut(&self.key) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                all.remove(&self.key);
            }
        }
    }
}

/// How much is put up with from one address at one place; 0: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// Connections that have not joined.
    pub unjoined: u32,
    /// Seats, their owners connected or not.
    pub seats: u32,
    /// Games that were made from there.
    pub games: u32,
}

/// Strangers at every place of this process.
pub struct Strangers {
    guesses: Count,
    /// Unjoined connections, seats, games.
    most: [AtomicU32; 3],
    waiting: Arc<Tally>,
    held: Arc<Tally>,
    places: AtomicU32,
    pub figures: Figures,
    /// The figures of the threads that hash passwords.
    pub hashing: Arc<vault::Figures>,
}

#[derive(Default)]
pub struct Figures {
    /// Wrong passwords for seats.
    pub wrong: AtomicU64,
    /// Passwords that had to wait.
    pub held: AtomicU64,
    /// Connections that were one too many.
    pub refused: AtomicU64,
    /// Seats and games that were asked for where too much was held already.
    pub confined: AtomicU64,
}

impl Strangers {
    pub fn new(guesses: Allowance, most: Most) -> Self {
        Self {
            guesses: Count::new(guesses),
            most: [most.unjoined, most.seats, most.games].map(AtomicU32::new),
            waiting: Arc::default(),
            held: Arc::default(),
            places: AtomicU32::default(),
            figures: Figures::default(),
            hashing: Arc::default(),
        }
    }

    /// From now on.
    pub fn allow(&self, guesses: Allowance, most: Most) {
        self.guesses.allow(guesses);
        let all = [most.unjoined, most.seats, most.games];
        self.most.iter().zip(all).for_each(|(limit, most)| limit.store(most, Relaxed));
    }

    pub(super) fn most(&self) -> Most {
        let [unjoined, seats, games] = self.most.each_ref().map(|limit| limit.load(Relaxed));
        Most { unjoined, seats, games }
    }

    /// A place where strangers are counted apart from others: a table, or a lobby with all its tables.
    pub fn place(self: &Arc<Self>) -> Gate {
        Gate { strangers: self.clone(), place: self.places.fetch_add(1, Relaxed) }
    }

    /// Whether a password from there is looked at.
    pub fn may_guess(&self, from: Origin) -> bool {
        self.guesses.may(from)
    }

    pub fn note_wrong(&self, from: Origin) {
        self.figures.wrong.fetch_add(1, Relaxed);
        self.guesses.note(from);
        if !self.may_guess(from) {
            Self::tell_of(from);
        }
    }

    /// Logs that an address guesses too much.
    pub fn tell_of(from: Origin) {
        let address = from.map(|bits| Ipv6Addr::from_bits(bits).to_canonical());
        warn_seldom!(?address, "many wrong passwords for seats from one address: it waits");
    }
}

/// Where strangers are counted.
#[derive(Clone)]
pub struct Gate {
    pub strangers: Arc<Strangers>,
    place: u32,
}

impl Gate {
    /// `None`: there are too many from this address.
    pub fn enter(&self, from: Origin) -> Option<Stranger> {
        let Some(address) = from else { return Some(Stranger(None)) };
        let counted = self.strangers.waiting.add((self.place, address), self.strangers.most().unjoined);
        if counted.is_none() {
            self.strangers.figures.refused.fetch_add(1, Relaxed);
        }
        counted.map(|counted| Stranger(Some(counted)))
    }

    /// Something more is held from there.
    pub(super) fn hold(&self, address: u128) -> Option<Counted> {
        self.strangers.held.add((self.place, address), 0)
    }

    /// How much is.
    pub(super) fn held(&self, address: u128) -> u32 {
        self.strangers.held.count((self.place, address))
    }
}

/// A client that has not joined, as long as this lives.
pub struct Stranger(#[expect(dead_code, reason = "it counts as long as it is there")] Option<Counted>);

impl Stranger {
    /// Where strangers are not counted.
    pub const fn uncounted() -> Self {
        Self(None)
    }
}

/// The client at a link.
#[derive(Default)]
pub struct Caller {
    /// `None`: the slot is free.
    pub link: Option<Link>,
    pub from: Origin,
    pub came: Option<Instant>,
    /// Until it has joined.
    pub stranger: Option<Stranger>,
    /// It is to go.
    pub is_kicked: bool,
    /// The password that it says now waits.
    pub is_held: bool,
    /// The password that it says now was counted as a wrong one.
    pub is_counted: bool,
    /// What is done for it alone, and dropped with it.
    pub work: Work,
}

impl Caller {
    /// A new client.
    pub fn new(from: Origin, stranger: Stranger) -> Self {
        Self { from, came: Some(Instant::now()), stranger: Some(stranger), ..Self::default() }
    }

    /// It has not joined, and comes from somewhere.
    fn is_stranger(&self) -> bool {
        self.link.is_some() && self.from.is_some() && self.stranger.is_some() && !self.is_kicked
    }
}

/// The slot of the client that gives way where links are nearly all taken: the first stranger of the address that has
/// most of them. So the few addresses of a crowd make way for each other, and for all others. Where each is alone, it
/// is for the game to say when the oldest goes.
pub(super) fn who_gives_way(callers: &[Caller]) -> Option<usize> {
    let free = callers.iter().filter(|caller| caller.link.is_none() || caller.is_kicked).count();
    if free >= SPARE {
        return None;
    }
    let mut by_address = HashMap::<_, u32>::new();
    for caller in callers.iter().filter(|caller| caller.is_stranger()) {
        *by_address.entry(caller.from).or_default() += 1;
    }
    by_address.retain(|_, strangers| *strangers > 1);
    let crowd = callers.iter().enumerate().filter(|(_, caller)| caller.is_stranger());
    let crowd = crowd.filter_map(|(slot, caller)| Some((slot, Reverse(by_address.get(&caller.from)?), caller.came)));
    crowd.min_by_key(|(_, strangers, came)| (*strangers, *came)).map(|(slot, ..)| slot)
}

/// A task that ends with the client it is for.
#[derive(Default)]
pub struct Work(pub Option<AbortHandle>);

impl Work {
    pub fn is_going_on(&self) -> bool {
        self.0.as_ref().is_some_and(|task| !task.is_finished())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// By which of its frames a game tells that a client has joined, and that a password was wrong; and how one that is not
/// yet taken is known. A game that has its passwords hashed by us needs none: we know what became of them.
pub struct Guard<S: Server> {
    /// The next frame asks for a seat with a password.
    pub offers: fn(&S::Framer) -> bool,
    /// And it is the right one.
    pub is_right: fn(&S, &S::Framer) -> bool,
    /// Kinds of frames, by their names in the protocol.
    pub welcome: &'static [&'static str],
    pub wrong: &'static [&'static str],
    /// Of those in `welcome`: a seat that was free.
    pub seated: &'static [&'static str],
}

impl<S: Server> Clone for Guard<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Server> Copy for Guard<S> {}

/// What frames to a stranger say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub is_welcome: bool,
    pub is_seated: bool,
    pub is_wrong: bool,
}

impl<S: Server> Guard<S> {
    pub fn told(&self, frames: &[u8]) -> Told {
        let mut told = Told::default();
        S::kinds(frames, |kind| {
            let name = S::kind_name(kind).unwrap_or_default();
            told.is_welcome |= self.welcome.contains(&name);
            told.is_seated |= self.seated.contains(&name);
            told.is_wrong |= self.wrong.contains(&name);
        });
        told
    }
}

#[cfg(test)]
mod tests {
    use super::super::TableDriver;
    use super::*;
    use parlor_core::pimp::limits::BoardTable;

    const FEW: Allowance = Allowance { most: 2, forgets: 3_600_000 };

    #[test]
    fn strangers_are_counted_by_place_and_address() {
        let strangers = Arc::new(Strangers::new(FEW, Most { unjoined: 2, ..Most::default() }));
        let (here, there) = (strangers.place(), strangers.place());
        let (first, _second) = (here.enter(Some(1)), here.enter(Some(1)));
        assert!(first.is_some() && here.enter(Some(1)).is_none());
        assert!(here.enter(Some(2)).is_some() && there.enter(Some(1)).is_some() && here.enter(None).is_some());
        drop(first);
        assert!(here.enter(Some(1)).is_some());
        assert_eq!(strangers.figures.refused.load(Relaxed), 1);
        strangers.allow(FEW, Most::default());
        assert!((0..9).map(|_| here.enter(Some(1))).collect::<Vec<_>>().iter().all(Option::is_some));
        drop(_second);
        assert!(lock(&strangers.waiting.0).is_empty());
    }

    /// Its link was closed, and another has the slot, while its peer took its time to leave.
    #[test]
    fn who_leaves_late_takes_nothing_from_who_came_after() {
        let driver = Arc::new(TableDriver::new(Box::new(BoardTable::new()), 10));
        let first = driver.open().unwrap();
        driver.enter(0);
        driver.put_caller(first, Caller::new(Some(1), Stranger::uncounted()));
        driver.close(first);
        let second = driver.open().unwrap();
        assert_eq!((first.slot, first == second), (second.slot, false));
        driver.put_caller(second, Caller::new(Some(2), Stranger::uncounted()));
        driver.has_joined(first);
        driver.leave(first);
        assert_eq!((driver.stranger(first), driver.stranger(second)), (None, Some(2)));
    }

    #[test]
    fn the_address_with_most_strangers_gives_way() {
        let start = Instant::now();
        let caller = |slot: u16, from: u128, came: u64| Caller {
            link: Some(Link { slot, generation: 1 }),
            came: Some(start + Duration::from_secs(came)),
            ..Caller::new(Some(from), Stranger::uncounted())
        };
        // The oldest client of all is alone from its address, and one has a seat.
        let mut callers = vec![caller(0, 1, 0), caller(1, 2, 3), caller(2, 2, 2), caller(3, 2, 1), caller(4, 3, 4)];
        callers[3].stranger = None;
        assert_eq!(who_gives_way(&callers), Some(2));
        callers.push(Caller::default());
        assert_eq!(who_gives_way(&callers), Some(2));
        callers.extend((1..SPARE).map(|_| Caller::default()));
        assert_eq!(who_gives_way(&callers), None);
        // A client that goes already counts no more: then all are alone.
        callers.truncate(5);
        callers[2].is_kicked = true;
        assert_eq!(who_gives_way(&callers), None);
    }

    #[test]
    fn whoever_guesses_waits_and_nobody_else() {
        let strangers = Strangers::new(FEW, Most::default());
        for _ in 0..2 {
            assert!(strangers.may_guess(Some(1)));
            strangers.note_wrong(Some(1));
        }
        assert!(!strangers.may_guess(Some(1)) && strangers.may_guess(Some(2)) && strangers.may_guess(None));
    }
}

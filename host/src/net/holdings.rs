//! What stays when the connection is gone that made it, counted by the address it came from: seats at tables, and games in
//! halls. So few can't fill a house with what they have left behind.
//!
//! A table knows what is its own, and forgets it when it is no more; an address has a sum of it over all tables of a place.
//! Where that is as much as may be, the table is told to make nothing more in the next call ([`Server::confine`]), and
//! answers so in its own words.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock};

use parlor_core::game::Scope;
use parlor_core::server::{Link, Server, Sight};

use super::strangers::{Counted, Gate};
use super::{TableDriver, lock};
use crate::quiet::warn_seldom;

/// What is held at a server: seats where it is a table, games where it is a hall.
#[derive(Clone, Copy)]
pub struct Holding {
    pub scope: Scope,
    /// The kinds of frames that ask for more of it.
    pub makes: &'static [&'static str],
}

/// What is held at one server.
#[derive(Default)]
pub(super) struct Holdings {
    what: Option<Holding>,
    /// Where it is counted.
    gate: OnceLock<Gate>,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    /// By the game's number or name; the oldest first.
    held: Vec<(String, Counted)>,
    /// The games that were there when the last one was made: others are new.
    known: BTreeSet<String>,
}

impl Holdings {
    pub fn of(what: Holding) -> Self {
        Self { what: Some(what), ..Self::default() }
    }

    /// Whether one of these frames asks for more.
    fn is_asked_for<S: Server>(&self, frames: &[u8]) -> bool {
        let Some(what) = self.what else { return false };
        let mut is_asked_for = false;
        S::kinds(frames, |kind| is_asked_for |= S::kind_name(kind).is_some_and(|name| what.makes.contains(&name)));
        is_asked_for
    }

    /// Seats and games that are no more are not held.
    fn forget_gone<S: Server>(&self, server: &S) {
        let Some(what) = self.what else { return };
        let mut book = lock(&self.book);
        if book.held.is_empty() {
            return;
        }
        match what.scope {
            Scope::Table => {
                let summary = server.summary();
                let number = summary.own.1.to_string();
                book.held.retain(|(game, _)| *game == number);
                // A watcher who left has no seat any more, and it is not told which was whose: the oldest goes.
                let over = book.held.len().saturating_sub(usize::from(summary.users));
                book.held.drain(..over);
            }
            Scope::Hall => {
                let names = names(server);
                book.held.retain(|(game, _)| names.contains(game));
            }
        }
    }
}

/// The games of a server, by name.
fn names<S: Server>(server: &S) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    server.each_sight(&mut |sight| {
        if let Sight::Table { name, .. } = sight {
            names.insert(name.to_owned());
        }
    });
    names
}

impl<S: Server + Send + 'static> TableDriver<S> {
    /// Where it is counted what is held here. Told once, before the first connection.
    pub(crate) fn count_holdings(&self, gate: Gate) {
        let names = names(&**self.lock());
        let _ = self.holdings.gate.set(gate);
        lock(&self.holdings.book).known = names;
    }

    /// Whether this link's address may make nothing more that stays. Not to be asked under a table's lock: it takes it.
    pub(super) fn is_confined(&self, link: Link) -> bool {
        let (Some(what), Some(gate)) = (self.holdings.what, self.holdings.gate.get()) else { return false };
        // A user with a seat asks for no other.
        if what.scope != Scope::Hall && self.settled.has(link) {
            return false;
        }
        let from =
            self.caller(link, |caller| caller.from.filter(|_| what.scope == Scope::Hall || caller.stranger.is_some()));
        let Some(address) = from.flatten() else { return false };
        let limits = gate.strangers.most();
        let most = if what.scope == Scope::Hall { limits.games } else { limits.seats };
        let has_enough = || most != 0 && gate.held(address) >= most;
        if !has_enough() {
            return false;
        }
        self.forget_holdings();
        has_enough()
    }

    /// Forgets seats and games that are no more.
    pub(super) fn forget_holdings(&self) {
        // Most tables hold nothing for any address: their lock is left alone.
        let is_empty = lock(&self.holdings.book).held.is_empty();
        if !is_empty {
            self.holdings.forget_gone(&**self.lock());
        }
    }

    /// Frames of a link were taken; whether they asked for something that stays, though nothing more may.
    pub(super) fn note_asked(&self, server: &S, link: Link, frames: &[u8], is_confined: bool) -> bool {
        let (Some(what), Some(gate)) = (self.holdings.what, self.holdings.gate.get()) else { return false };
        if !self.holdings.is_asked_for::<S>(frames) {
            return false;
        }
        if is_confined {
            gate.strangers.figures.confined.fetch_add(1, Relaxed);
            warn_seldom!(slot = link.slot, "one address holds too many seats or games: it gets no more");
        } else if what.scope == Scope::Hall {
            let from = self.caller(link, |caller| caller.from).flatten();
            let mut book = lock(&self.holdings.book);
            let names = names(server);
            if let Some(address) = from {
                let made: Vec<_> = names.difference(&book.known).cloned().collect();
                book.held.extend(made.into_iter().filter_map(|name| Some((name, gate.hold(address)?))));
            }
            book.known = names;
        }
        is_confined
    }

    /// A user from this address has a seat from now on.
    pub(super) fn note_seat(&self, server: &S, address: u128) {
        self.holdings.forget_gone(server);
        if let Some(counted) = self.holdings.gate.get().and_then(|gate| gate.hold(address)) {
            lock(&self.holdings.book).held.push((server.summary().own.1.to_string(), counted));
        }
    }
}

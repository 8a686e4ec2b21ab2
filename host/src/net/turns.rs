//! The players whom a server's games wait for, looked at after every call once a webhook wants to know: a turn that was
//! begun and over in a moment is counted like any other.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use parlor_core::server::{Seq, Server, Sight};

/// A player whom a game waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The table's name, where tables have names.
    pub place: String,
    pub name: String,
    /// Another number than before: it is another time.
    pub number: u64,
}

#[derive(Default)]
pub(super) struct Turns {
    /// While no one wants to know, `look` does nothing.
    is_followed: AtomicBool,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    awaited: Vec<Awaited>,
    /// The number that was given last.
    last: u64,
    /// How far the server had come then; `None`: it was not looked at yet.
    at: Option<Seq>,
}

impl Turns {
    pub fn follow(&self, server: &impl Server, is_followed: bool) {
        self.is_followed.store(is_followed, Relaxed);
        self.seen().at = None;
        self.look(server);
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After every call of the server; most of them change nothing.
    pub fn look(&self, server: &impl Server) {
        if !self.is_followed.load(Relaxed) {
            return;
        }
        let (mut seen, at) = (self.seen(), server.produced());
        if seen.at.replace(at).is_some_and(|before| !at.has_changed_since(before)) {
            return;
        }
        let mut now: Vec<(String, String)> = Vec::new();
        each_awaited(server, &mut |place, name| now.push((place.into(), name.into())));
        let Seen { awaited, last, .. } = &mut *seen;
        awaited.retain(|known| now.iter().any(|(place, name)| known.is(place, name)));
        for (place, name) in now {
            if !awaited.iter().any(|known| known.is(&place, &name)) {
                *last += 1;
                awaited.push(Awaited { place, name, number: *last });
            }
        }
    }

    /// As of the last call.
    pub fn awaited(&self) -> Vec<Awaited> {
        self.seen().awaited.clone()
    }
}

impl Awaited {
    pub fn is(&self, place: &str, name: &str) -> bool {
        self.place == place && self.name == name
    }
}

/// Tells each of them, by the table's name and the player's.
fn each_awaited(server: &impl Server, tell: &mut dyn FnMut(&str, &str)) {
    let mut at = String::new();
    server.each_sight(&mut |sight| match sight {
        Sight::Table { name, .. } => name.clone_into(&mut at),
        Sight::Player { name, is_awaited: true, .. } => tell(&at, name),
        Sight::Player { .. } | Sight::Guest(_) => {}
    });
}

//! A table without a network: it can be thawed, called again as a journal says, frozen, and opened.

use std::fmt;
use std::sync::Arc;

use parlor_core::save::{Durable, LoadError};
use parlor_core::server::{Framer as _, Link, Millis, RequestId, Seq};

use super::record::{Card, Event, sum};
use super::{Frost, Journal, Ledger, Ways};
use crate::frames::Frames;
use crate::net::{Help, Room, Shared};

/// The longest pull that is believed.
const LONGEST_PULL: u32 = 1 << 20;

/// The journal and the table do not agree on what happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// A record of a link that is not there, or that is there already.
    Link(u16),
    /// The table takes other frames than it took.
    Taken(u16),
    /// The table says something else than it said.
    Said { slot: u16, recorded: u32, replayed: u32 },
    /// The state of a table can't be read.
    State(LoadError),
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(slot) => write!(f, "link {slot} should be another"),
            Self::Taken(slot) => write!(f, "link {slot} is not heard as it was"),
            Self::Said { slot, recorded, replayed } => {
                write!(f, "link {slot} was sent {recorded} bytes, and now other {replayed}")
            }
            Self::State(error) => write!(f, "its state can't be read ({error:?})"),
        }
    }
}

/// A table of any game, at rest.
pub trait Resting: Send {
    /// Makes the recorded call; what it let out goes to `heard`.
    fn apply(&mut self, event: &Event<'_>, heard: &mut Vec<u8>) -> Result<(), Disagreement>;
    fn freeze(&self) -> Vec<u8>;
    /// The table's own time, as of its last call.
    fn now(&self) -> Millis;
    fn set_now(&mut self, now: Millis);
    /// All that a link would still be sent; it is gone then.
    fn drain(&mut self, slot: u16) -> Vec<u8>;
    /// Opens it for connections. With a journal it goes on there under this number; whoever was connected is not any more.
    /// `help` does what the game can't.
    fn open(self: Box<Self>, kept: Option<(Arc<Journal>, u32, Card)>, help: Option<Arc<dyn Help>>) -> Arc<dyn Room>;
    /// The table itself, for whoever knows its kind.
    fn any(&self) -> &dyn std::any::Any;
    /// This very value, for whoever knows its kind.
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any>;
}

/// The one implementation.
pub struct Rest<S> {
    server: Box<S>,
    links: usize,
    now: Millis,
    gated: bool,
    frames: Option<&'static Frames>,
}

impl<S: Durable> Rest<S> {
    /// `links` as the server was made for.
    pub fn new(server: Box<S>, links: usize) -> Self {
        Self { server, links, now: Millis(0), gated: false, frames: None }
    }

    /// Once opened, its frames are counted here.
    pub fn counting(self, frames: &'static Frames) -> Self {
        Self { frames: Some(frames), ..self }
    }

    /// The table, to ask it what changes nothing.
    pub fn server(&self) -> &S {
        &self.server
    }

    fn link(&self, slot: u16) -> Result<Link, Disagreement> {
        self.server.link(slot).ok_or(Disagreement::Link(slot))
    }

    fn call(&mut self, event: &Event<'_>, heard: &mut Vec<u8>) -> Result<(), Disagreement> {
        match *event {
            Event::Begin { gated, state, now, .. } => {
                self.server.thaw(state).map_err(Disagreement::State)?;
                (self.gated, self.now) = (gated, now);
            }
            Event::Open { slot, now } => {
                self.past(now);
                let opened = self.server.open(now).map(|link| link.slot);
                return if opened == Ok(slot) { Ok(()) } else { Err(Disagreement::Link(slot)) };
            }
            Event::Receive { slot, now, bytes } => {
                self.past(now);
                let (link, mut framer) = (self.link(slot)?, S::Framer::default());
                let window = framer.window().get_mut(..bytes.len()).ok_or(Disagreement::Taken(slot))?;
                window.copy_from_slice(bytes);
                framer.commit(bytes.len());
                self.server.recall(link, &mut framer, now);
                return if framer.taken() == bytes { Ok(()) } else { Err(Disagreement::Taken(slot)) };
            }
            Event::Close { slot, now } => {
                self.past(now);
                let link = self.link(slot)?;
                self.server.close(link, now);
            }
            Event::Tick { now } => {
                self.past(now);
                self.server.tick(now);
            }
            Event::Answer { id, answer, now } => {
                self.past(now);
                self.server.answer(RequestId(id), answer, now);
            }
            Event::Pull { slot, room, length, sum: recorded } => {
                let link = self.link(slot)?;
                heard.resize(room.min(LONGEST_PULL) as usize, 0);
                let n = self.server.pull(link, heard);
                heard.truncate(n);
                if (n as u32, sum(heard)) != (length, recorded) {
                    return Err(Disagreement::Said { slot, recorded: length, replayed: n as u32 });
                }
            }
            Event::Release { ring, replies } => self.server.release(Seq { ring, replies }),
            Event::Port(_) | Event::End => {}
        }
        Ok(())
    }

    fn past(&mut self, now: Millis) {
        self.now = self.now.max(now);
    }
}

impl<S: Durable + Clone + Send + 'static> Rest<S> {
    /// As [`Resting::open`], for whoever knows the table's kind.
    pub fn share(self, kept: Option<(Arc<Journal>, u32, Card)>, help: Option<Arc<dyn Help>>) -> Arc<Shared<S>> {
        let Self { server, links, now, frames, .. } = self;
        let shared = Shared::new(server, links).since(now);
        let shared = match help {
            Some(help) => shared.helped(help),
            None => shared,
        };
        let shared = match frames {
            Some(frames) => shared.counting(frames),
            None => shared,
        };
        let Some((journal, number, card)) = kept else { return Arc::new(shared) };
        let ways = Ways { copy, place: S::place, link: S::link };
        let shared = Arc::new(shared.journalled(Ledger::new(journal.clone(), number, ways)));
        let weak = Arc::downgrade(&shared);
        journal.admit(number, weak, card, now, &shared.frozen());
        shared.close_all();
        shared
    }
}

impl<S: Durable + Clone + Send + 'static> Resting for Rest<S> {
    fn apply(&mut self, event: &Event<'_>, heard: &mut Vec<u8>) -> Result<(), Disagreement> {
        heard.clear();
        let result = self.call(event, heard);
        // What it asks for was answered then, and the answers stand in the journal.
        while self.server.next_request().is_some() {}
        if !self.gated {
            let produced = self.server.produced();
            self.server.release(produced);
        }
        result
    }

    fn freeze(&self) -> Vec<u8> {
        freeze(&*self.server)
    }

    fn now(&self) -> Millis {
        self.now
    }

    fn set_now(&mut self, now: Millis) {
        self.now = now;
    }

    fn drain(&mut self, slot: u16) -> Vec<u8> {
        let (mut all, mut out) = (Vec::new(), vec![0; S::MAX_FRAME.max(4096)]);
        let produced = self.server.produced();
        self.server.release(produced);
        let Some(link) = self.server.link(slot) else { return all };
        loop {
            match self.server.pull(link, &mut out) {
                0 => return all,
                n => all.extend_from_slice(&out[..n]),
            }
        }
    }

    fn open(self: Box<Self>, kept: Option<(Arc<Journal>, u32, Card)>, help: Option<Arc<dyn Help>>) -> Arc<dyn Room> {
        self.share(kept, help)
    }

    fn any(&self) -> &dyn std::any::Any {
        &*self.server
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any> {
        self
    }
}

/// Takes no longer than a copy in memory; freezing the copy is for another thread.
fn copy<S: Durable + Clone + Send + 'static>(server: &S) -> Frost {
    let copy = Box::new(server.clone());
    Box::new(move || freeze(&*copy))
}

fn freeze<S: Durable>(server: &S) -> Vec<u8> {
    let mut out = vec![0; S::FROZEN_MAX];
    let n = server.freeze(&mut out).unwrap_or_else(|error| {
        tracing::error!(?error, "a table does not fit the room it asked for");
        0
    });
    out.truncate(n);
    out
}

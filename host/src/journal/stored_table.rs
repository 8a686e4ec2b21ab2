//! A table without a network: it can be thawed, called again as a journal says, frozen, and opened.

use std::fmt;
use std::sync::Arc;

use parlor_core::save::{Durable, LoadError};
use parlor_core::server::{Framer as _, Link, Millis, RequestId, Server};

use super::record::{Event, TableMeta};
use super::{DeferredFreeze, DurableOps, Journal, TableJournal};
use crate::frames::Frames;
use crate::net::holdings::Holding;
use crate::net::strangers::Guard;
use crate::net::{GameServices, TableDriver, TableHandle};
use crate::table_id::TableId;

/// The journal and the table do not agree on what happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// A record of a link that is not there, or that is there already.
    Link(u16),
    /// The table takes other frames than it took.
    Taken(u16),
    /// The table says something else than it said: another sum than the one recorded.
    Said { recorded: u8, replayed: u8 },
    /// A setting that the table does not have, or that is so already.
    Setting,
    /// There is no game of the name of one that was ended.
    Game,
    /// The state of a table can't be read.
    State(LoadError),
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(slot) => write!(f, "link {slot} should be another"),
            Self::Taken(slot) => write!(f, "link {slot} is not heard as it was"),
            Self::Said { recorded, replayed } => {
                write!(f, "it says something else than it said (sum {replayed:#04x}, not {recorded:#04x})")
            }
            Self::Setting => f.write_str("a setting is not changed as it was"),
            Self::Game => f.write_str("a game that was ended is not there"),
            Self::State(error) => write!(f, "its state can't be read ({error:?})"),
        }
    }
}

/// What links hear, by slot.
pub type Heard = Vec<(u16, Vec<u8>)>;

/// A table of any game, at rest.
pub trait AnyTable: Send {
    /// Makes the recorded call, compares what the table has said by then, and lets every link hear it.
    fn apply(&mut self, event: &Event<'_>, sum: u8, heard: &mut Heard) -> Result<(), Disagreement>;
    fn freeze(&self) -> Vec<u8>;
    /// As [`Durable::begin_keys`].
    fn begin_keys(&mut self) -> bool;
    /// The table's own time, as of its last call.
    fn now(&self) -> Millis;
    fn set_now(&mut self, now: Millis);
    /// Opens it for connections. With a journal it goes on there under this name; earlier connections are closed.
    /// `services` does what the game can't.
    fn open(
        self: Box<Self>,
        kept: Option<(Arc<Journal>, TableId, TableMeta)>,
        services: Option<Arc<dyn GameServices>>,
    ) -> Arc<dyn TableHandle>;
    /// The table itself, for callers that know its kind.
    fn any(&self) -> &dyn std::any::Any;
    /// This very value, for callers that know its kind.
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any>;
}

/// The one implementation.
pub struct StoredTable<S: Server> {
    server: Box<S>,
    links: usize,
    now: Millis,
    /// For what links read.
    pulled: Vec<u8>,
    frames: Option<&'static Frames>,
    guard: Option<Guard<S>>,
    holding: Option<Holding>,
}

impl<S: Server> StoredTable<S> {
    pub fn into_server(self) -> Box<S> {
        self.server
    }
}

impl<S: Durable> StoredTable<S> {
    /// `links` as the server was made for.
    pub fn new(server: Box<S>, links: usize) -> Self {
        Self { server, links, now: Millis(0), pulled: Vec::new(), frames: None, guard: None, holding: None }
    }

    /// Once opened, its frames are counted here.
    pub fn counting(self, frames: &'static Frames) -> Self {
        Self { frames: Some(frames), ..self }
    }

    /// Once opened, passwords are counted by this.
    pub fn guarded(self, guard: Guard<S>) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// Once opened, what is held there is counted by address.
    pub fn keeping(self, holding: Holding) -> Self {
        Self { holding: Some(holding), ..self }
    }

    /// The table, to ask it what changes nothing.
    pub fn server(&self) -> &S {
        &self.server
    }

    fn link(&self, slot: u16) -> Result<Link, Disagreement> {
        self.server.link(slot).ok_or(Disagreement::Link(slot))
    }

    fn call(&mut self, event: &Event<'_>) -> Result<(), Disagreement> {
        match *event {
            Event::Begin { state, now, .. } => {
                self.server.thaw(state).map_err(Disagreement::State)?;
                self.now = now;
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
            Event::Lagged { lagging, now } => {
                self.past(now);
                self.link(lagging.slot)?;
                self.server.lag(lagging, now);
            }
            Event::Set { name, text, now } => {
                self.past(now);
                return if self.server.set(name, text) == Ok(true) { Ok(()) } else { Err(Disagreement::Setting) };
            }
            Event::Confine { slot, now } => {
                self.past(now);
                self.link(slot)?;
                self.server.confine();
            }
            Event::EndGame { name, now } => {
                self.past(now);
                return if self.server.end_game(name, now) { Ok(()) } else { Err(Disagreement::Game) };
            }
            Event::Port(_) | Event::End => {}
        }
        Ok(())
    }

    /// Every link reads all there is: how much they read in truth is not known, and nothing follows from it.
    fn drain(&mut self, is_thawed: bool, heard: &mut Heard) {
        let produced = self.server.produced();
        self.server.release(produced);
        // Of what was thawed, a link may have been named before it was frozen.
        if is_thawed {
            (0..self.links as u16)
                .filter_map(|slot| self.server.link(slot))
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|link| self.drain_link(link, heard));
        }
        while let Some(link) = self.server.next_ready() {
            self.drain_link(link, heard);
        }
    }

    fn drain_link(&mut self, link: Link, heard: &mut Heard) {
        self.pulled.resize(S::MAX_FRAME.max(4096), 0);
        let mut all = Vec::new();
        while let n @ 1.. = self.server.pull(link, &mut self.pulled) {
            all.extend_from_slice(self.pulled.get(..n).unwrap_or_default());
        }
        if !all.is_empty() {
            heard.push((link.slot, all));
        }
    }

    fn past(&mut self, now: Millis) {
        self.now = self.now.max(now);
    }
}

impl<S: Durable + Clone + Send + 'static> StoredTable<S> {
    /// As [`AnyTable::open`], for callers that know the table's kind.
    pub fn share(
        self,
        kept: Option<(Arc<Journal>, TableId, TableMeta)>,
        services: Option<Arc<dyn GameServices>>,
    ) -> Arc<TableDriver<S>> {
        let Self { server, links, now, frames, guard, holding, .. } = self;
        let driver = TableDriver::new(server, links).since(now);
        let driver = match services {
            Some(services) => driver.with_services(services),
            None => driver,
        };
        let driver = match frames {
            Some(frames) => driver.counting(frames),
            None => driver,
        };
        let driver = match holding {
            Some(holding) => driver.keeping(holding),
            None => driver,
        };
        let driver = match guard {
            Some(guard) => driver.guarded(guard),
            None => driver,
        };
        let Some((journal, id, meta)) = kept else { return Arc::new(driver) };
        let ops = DurableOps { copy, sum: S::sum, link: S::link };
        let index = journal.index(id);
        let driver = Arc::new(driver.journalled(TableJournal::new(journal.clone(), index, ops)));
        let weak = Arc::downgrade(&driver);
        journal.admit((id, index), weak, meta, now, || driver.frozen());
        driver.begin_journal();
        driver.close_all();
        driver
    }
}

impl<S: Durable + Clone + Send + 'static> AnyTable for StoredTable<S> {
    fn apply(&mut self, event: &Event<'_>, sum: u8, heard: &mut Heard) -> Result<(), Disagreement> {
        heard.clear();
        let result = self.call(event);
        // What it asks for was answered then, and the answers stand in the journal.
        while self.server.next_request().is_some() {}
        let replayed = self.server.sum();
        self.drain(matches!(event, Event::Begin { .. }), heard);
        // Where no call is noted, nothing was said.
        let is_call = !matches!(event, Event::Begin { .. } | Event::Port(_) | Event::End | Event::Confine { .. });
        match result {
            Ok(()) if is_call && replayed != sum => Err(Disagreement::Said { recorded: sum, replayed }),
            result => result,
        }
    }

    fn freeze(&self) -> Vec<u8> {
        freeze(&*self.server)
    }
    fn begin_keys(&mut self) -> bool {
        self.server.begin_keys()
    }

    fn now(&self) -> Millis {
        self.now
    }

    fn set_now(&mut self, now: Millis) {
        self.now = now;
    }

    fn open(
        self: Box<Self>,
        kept: Option<(Arc<Journal>, TableId, TableMeta)>,
        services: Option<Arc<dyn GameServices>>,
    ) -> Arc<dyn TableHandle> {
        self.share(kept, services)
    }

    fn any(&self) -> &dyn std::any::Any {
        &*self.server
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any> {
        self
    }
}

/// Takes no longer than a copy in memory; freezing the copy is for another thread.
fn copy<S: Durable + Clone + Send + 'static>(server: &S) -> DeferredFreeze {
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

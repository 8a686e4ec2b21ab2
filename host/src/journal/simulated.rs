//! A store in memory that several processes share, as an engine of several machines is shared: the process that takes
//! it last writes, and the one that wrote before is told that it is fenced. Every step can go wrong, by plan or by
//! seed, and goes wrong in the same way each time.
//!
//! Tests and simulations of many tables use it; no program keeps games here.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use super::store::{Append, Batch, Cabinet, Damage, Source, Store, StoreError};
use super::{archive, lock, record};

/// How a step goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done, and the answer says so.
    Fails,
    /// It is done, and no answer comes.
    Done,
    /// It is not done, and no answer comes.
    NotDone,
    /// Another process takes the store just before.
    Fenced,
}

impl Fault {
    pub const ALL: [Self; 4] = [Self::Fails, Self::Done, Self::NotDone, Self::Fenced];
}

/// One append, by the process that has taken the store for the `epoch`th time.
#[derive(Clone)]
struct Message {
    epoch: u64,
    batch: Batch,
}

#[derive(Default)]
struct State {
    /// How often it was taken.
    epoch: u64,
    log: Vec<Message>,
    /// Messages that were let go, for tests that want the whole story.
    trimmed: Vec<Message>,
    files: BTreeMap<String, Vec<u8>>,
    /// Steps so far.
    steps: usize,
    plan: BTreeMap<usize, Fault>,
    /// By chance: the generator's state, and how seldom.
    chance: Option<(u64, u64)>,
}

/// What the processes share.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<State>>);

impl Memory {
    /// The step of this number, counted from 1, goes wrong.
    pub fn with_fault(self, step: usize, fault: Fault) -> Self {
        lock(&self.0).plan.insert(step, fault);
        self
    }

    /// One step in so many goes wrong, but no other process takes the store.
    pub fn with_chance(self, seed: u64, one_in: u64) -> Self {
        lock(&self.0).chance = Some((seed, one_in));
        self
    }

    /// The next step goes wrong.
    pub fn disturb(&self, fault: Fault) {
        let mut state = lock(&self.0);
        let next = state.steps + 1;
        state.plan.insert(next, fault);
    }

    pub fn steps(&self) -> usize {
        lock(&self.0).steps
    }

    /// How often it was taken.
    pub fn epoch(&self) -> u64 {
        lock(&self.0).epoch
    }

    /// Messages by the process that took it for the `epoch`th time.
    pub fn written_by(&self, epoch: u64) -> usize {
        lock(&self.0).log.iter().filter(|message| message.epoch == epoch).count()
    }

    /// The first record of every message that was ever appended, and for the how-manieth time the store was taken by its
    /// writer.
    pub fn writers(&self) -> Vec<(u64, u64)> {
        let state = lock(&self.0);
        let all = state.trimmed.iter().chain(&state.log);
        all.map(|message| (message.batch.first, message.epoch)).collect()
    }

    /// Bytes that lie in it, what was let go included.
    pub fn size(&self) -> u64 {
        let state = lock(&self.0);
        let messages = state.trimmed.iter().chain(&state.log).map(|message| message.batch.bytes.len());
        messages.chain(state.files.values().map(Vec::len)).sum::<usize>() as u64
    }

    /// Everything that was ever appended, without snapshots.
    pub fn whole_story(&self) -> Self {
        let state = lock(&self.0);
        let log = state.trimmed.iter().chain(&state.log).cloned().collect();
        Self(Arc::new(Mutex::new(State { log, epoch: state.epoch, ..State::default() })))
    }

    /// The last messages are gone, as if they had never been acknowledged.
    pub fn go_back(&self, messages: usize) {
        let mut state = lock(&self.0);
        let left = state.log.len().saturating_sub(messages);
        state.log.truncate(left);
    }

    /// A byte in the middle of the log is another from now on.
    pub fn damage(&self) {
        let mut state = lock(&self.0);
        let middle = state.log.len() / 2;
        if let Some(byte) = state.log.get_mut(middle).and_then(|message| message.batch.bytes.last_mut()) {
            *byte ^= 1;
        }
    }

    /// A byte of a file is another from now on.
    pub fn damage_file(&self, name: &str) {
        if let Some(byte) = lock(&self.0).files.get_mut(name).and_then(|bytes| bytes.last_mut()) {
            *byte ^= 1;
        }
    }

    /// Messages in the log.
    pub fn messages(&self) -> usize {
        lock(&self.0).log.len()
    }

    /// A message is gone, by its place.
    pub fn lose(&self, at: usize) {
        let mut state = lock(&self.0);
        if at < state.log.len() {
            state.log.remove(at);
        }
    }
}

impl State {
    /// Counts a step; whether and how it goes wrong.
    fn step(&mut self) -> Option<Fault> {
        self.steps += 1;
        let by_chance = self.chance.as_mut().and_then(|(state, one_in)| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let drawn = *state >> 33;
            drawn.is_multiple_of(*one_in).then(|| Fault::ALL[(drawn / *one_in % 3) as usize])
        });
        let fault = self.plan.remove(&self.steps).or(by_chance);
        if fault == Some(Fault::Fenced) {
            self.epoch += 1;
        }
        fault
    }

    /// Makes a change unless the step goes wrong before it; an error if it goes wrong at all.
    fn change(&mut self, epoch: Option<u64>, change: impl FnOnce(&mut Self)) -> io::Result<()> {
        let fault = self.step();
        if epoch.is_some_and(|epoch| epoch != self.epoch) {
            return Err(io::Error::other("somebody else has taken it"));
        }
        if matches!(fault, None | Some(Fault::Done | Fault::Fenced)) {
            change(self);
        }
        match fault {
            None | Some(Fault::Fenced) => Ok(()),
            Some(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// One process and what it shares with others.
pub struct Simulated {
    memory: Memory,
    /// For the how-manieth time the store was taken when this process took it; 0: it has not.
    epoch: Mutex<u64>,
    /// The number behind the last record that this process was told is safe.
    safe: Mutex<Option<u64>>,
}

impl Simulated {
    pub fn new(memory: &Memory) -> Self {
        Self { memory: memory.clone(), epoch: Mutex::default(), safe: Mutex::default() }
    }

    fn own_epoch(&self) -> u64 {
        *lock(&self.epoch)
    }
}

impl Source for Simulated {
    fn parts(&self) -> io::Result<Vec<u64>> {
        Ok(lock(&self.memory.0).log.iter().map(|message| message.batch.first).collect())
    }

    fn part(&self, first: u64) -> io::Result<Vec<u8>> {
        let state = lock(&self.memory.0);
        let found = state.log.iter().find(|message| message.batch.first == first).ok_or(io::ErrorKind::NotFound)?;
        Ok([&record::head(first), &found.batch.bytes[..]].concat())
    }

    fn snapshots(&self) -> io::Result<Vec<String>> {
        let state = lock(&self.memory.0);
        Ok(state.files.keys().filter(|name| name.ends_with(archive::ENDING)).cloned().collect())
    }

    fn snapshot(&self, name: &str) -> io::Result<Vec<u8>> {
        lock(&self.memory.0).files.get(name).cloned().ok_or(io::ErrorKind::NotFound.into())
    }
}

impl Store for Simulated {
    fn take(&self) -> Result<(), StoreError> {
        let mut state = lock(&self.memory.0);
        state.change(None, |state| state.epoch += 1)?;
        *lock(&self.epoch) = state.epoch;
        Ok(())
    }

    fn append(&self, batch: &Batch) -> Append {
        let (mut state, epoch) = (lock(&self.memory.0), self.own_epoch());
        let fault = state.step();
        if state.epoch != epoch {
            return Append::Fenced;
        }
        let mut safe = lock(&self.safe);
        if let Some(safe) = safe.take_if(|safe| state.log.last().is_none_or(|last| last.batch.next < *safe)) {
            tracing::debug!(safe, "the simulated store has gone back");
            return Append::Gone;
        }
        let is_there = state.log.last().is_some_and(|last| last.epoch == epoch && last.batch == *batch);
        if !is_there && matches!(fault, None | Some(Fault::Done)) {
            state.log.push(Message { epoch, batch: batch.clone() });
        }
        match fault {
            None => {
                *safe = Some(batch.next);
                Append::Safe
            }
            Some(_) => Append::Unsure(io::ErrorKind::TimedOut.into()),
        }
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut state = lock(&self.memory.0);
        state.change(Some(self.own_epoch()), |state| _ = state.files.insert(name.into(), bytes.into()))
    }

    fn trim(&self, before: u64, is_needed: &dyn Fn(&str) -> bool) -> io::Result<()> {
        let mut state = lock(&self.memory.0);
        state.change(Some(self.own_epoch()), |state| {
            state.files.retain(|name, _| !name.ends_with(archive::ENDING) || is_needed(name));
            let useless = state.log.iter().take_while(|message| message.batch.next <= before).count();
            let useless: Vec<_> = state.log.drain(..useless).collect();
            state.trimmed.extend(useless);
        })
    }

    fn put_aside(&self, damage: &Damage) {
        let mut state = lock(&self.memory.0);
        match damage {
            Damage::Snapshot(name) => _ = state.files.remove(name),
            Damage::Part { first, good: Some(_) } => state.log.retain(|message| message.batch.first != *first),
            Damage::Part { good: None, .. } | Damage::Missing(_) => {}
        }
    }
}

impl Cabinet for Simulated {
    fn get(&self, folder: &str, name: &str) -> io::Result<Vec<u8>> {
        self.snapshot(&format!("{folder}/{name}"))
    }

    fn put(&self, folder: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.keep(&format!("{folder}/{name}"), bytes)
    }

    fn throw_away(&self, folder: &str, name: &str) -> io::Result<()> {
        let mut state = lock(&self.memory.0);
        state.change(Some(self.own_epoch()), |state| _ = state.files.remove(&format!("{folder}/{name}")))
    }
}

//! A disk that breaks when told to, and afterwards holds what a real one might.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex};

use parlor::journal::disk::{Disk, Sheet};

/// A small generator: the same seed breaks the disk in the same way.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

#[derive(Clone, Default)]
struct File {
    written: Vec<u8>,
    /// How much of it is there for good.
    synced: usize,
}

#[derive(Default)]
struct State {
    files: Vec<File>,
    names: BTreeMap<String, usize>,
    /// As the folders were when they were synced last.
    synced_names: BTreeMap<String, usize>,
    /// Everything ever removed, for whoever wants to know the whole story.
    removed: BTreeMap<String, usize>,
    /// What was asked of it so far: writes, syncs, renames, removals.
    steps: usize,
    broken: bool,
}

#[derive(Clone, Default)]
pub struct Sim {
    state: Arc<Mutex<State>>,
    /// The step at which it breaks.
    breaks_at: Option<usize>,
    /// From and up to which step it is full.
    full: Option<(usize, usize)>,
}

impl Sim {
    pub fn breaking_at(step: usize) -> Self {
        Self { breaks_at: Some(step), ..Self::default() }
    }

    pub fn full_between(from: usize, to: usize) -> Self {
        Self { full: Some((from, to)), ..Self::default() }
    }

    pub fn steps(&self) -> usize {
        self.state.lock().unwrap().steps
    }

    pub fn is_broken(&self) -> bool {
        self.state.lock().unwrap().broken
    }

    /// Counts a step and says whether it happens.
    fn step(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        state.steps += 1;
        state.broken |= self.breaks_at == Some(state.steps);
        if state.broken {
            return Err(io::Error::other("the power is gone"));
        }
        match self.full {
            Some((from, to)) if (from..to).contains(&state.steps) => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }

    /// What is there after a power cut: all that was synced; of the rest a part, or rubbish, or nothing.
    pub fn after_the_cut(&self, chance: &mut Chance) -> Self {
        let state = self.state.lock().unwrap();
        let mut survivor = State::default();
        for file in &state.files {
            let more = file.written.len() - file.synced;
            let mut written = file.written[..file.synced + chance.below(more + 1)].to_vec();
            if written.len() > file.synced && chance.below(3) == 0 {
                let at = file.synced + chance.below(written.len() - file.synced);
                written[at] ^= 1 << chance.below(8);
            }
            survivor.files.push(File { synced: written.len(), written });
        }
        let all: BTreeSet<_> = state.names.keys().chain(state.synced_names.keys()).collect();
        for name in all {
            let kept = if chance.below(2) == 0 { state.names.get(name) } else { state.synced_names.get(name) };
            if let Some(file) = kept {
                survivor.names.insert(name.clone(), *file);
            }
        }
        survivor.synced_names = survivor.names.clone();
        survivor.removed = state.removed.clone();
        Self { state: Arc::new(Mutex::new(survivor)), ..Self::default() }
    }

    /// The same with every segment that was ever removed, and without snapshots: the whole story from its beginning.
    pub fn whole_story(&self) -> Self {
        let state = self.state.lock().unwrap();
        let mut story = State { files: state.files.clone(), ..State::default() };
        for (name, file) in state.removed.iter().chain(&state.names) {
            if name.starts_with("journal/") {
                story.names.insert(name.clone(), *file);
            }
        }
        Self { state: Arc::new(Mutex::new(story)), ..Self::default() }
    }
}

impl Disk for Sim {
    fn create(&self, name: &str) -> io::Result<Box<dyn Sheet>> {
        self.step()?;
        let mut state = self.state.lock().unwrap();
        state.files.push(File::default());
        let file = state.files.len() - 1;
        state.names.insert(name.into(), file);
        Ok(Box::new(SimSheet { disk: self.clone(), file }))
    }
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let state = self.state.lock().unwrap();
        let file = state.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(state.files[*file].written.clone())
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.step()?;
        let mut state = self.state.lock().unwrap();
        let file = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.names.insert(to.into(), file);
        Ok(())
    }
    fn remove(&self, name: &str) -> io::Result<()> {
        self.step()?;
        let mut state = self.state.lock().unwrap();
        let file = state.names.remove(name).ok_or(io::ErrorKind::NotFound)?;
        state.removed.insert(name.into(), file);
        Ok(())
    }
    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let state = self.state.lock().unwrap();
        let inside = |name: &String| Some(name.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
        Ok(state.names.keys().filter_map(inside).collect())
    }
    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.step()?;
        let mut state = self.state.lock().unwrap();
        let names = state.names.clone();
        state.synced_names.retain(|name, _| !name.starts_with(folder));
        state.synced_names.extend(names.into_iter().filter(|(name, _)| name.starts_with(folder)));
        Ok(())
    }
}

struct SimSheet {
    disk: Sim,
    file: usize,
}

impl Sheet for SimSheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let happens = self.disk.step();
        let mut state = self.disk.state.lock().unwrap();
        // A write that fails may have been half done.
        let written = if happens.is_ok() { bytes } else { &bytes[..bytes.len() / 2] };
        state.files[self.file].written.extend_from_slice(written);
        happens
    }
    fn sync(&mut self) -> io::Result<()> {
        self.disk.step()?;
        let file = &mut self.disk.state.lock().unwrap().files[self.file];
        file.synced = file.written.len();
        Ok(())
    }
}

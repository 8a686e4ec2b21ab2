//! What every store of a journal promises, whatever it is made of: one suite for all of them.

use std::sync::Arc;
use std::time::Duration;

use parlor::journal::archive::{self, Snapshot};
use parlor::journal::record::{Block, Event, Records};
use parlor::journal::restore::{self, From, Witness};
use parlor::journal::store::{Append, Batch, Store, StoreError};
use parlor::journal::{Cabinet, Journal, TableMeta};
use parlor::table_id::TableId;
use parlor_core::game::Game as _;
use parlor_core::pimp::limits::HostTable;
use parlor_core::pimp::server::Config;
use parlor_core::save::Durable as _;
use parlor_core::server::Millis;

use super::disk::Chance;
use super::world::{ID, Streams, World, saved};

/// A kind of store.
pub trait Place {
    /// A process that has not yet taken what all processes share.
    fn process(&self) -> Arc<dyn Store>;
    /// The same, for what is kept beside the log.
    fn cabinet(&self) -> Arc<dyn Cabinet>;
    /// The next append is not answered; whether it was written is not known.
    fn disturb(&self);
    /// A byte in the middle of the log is another from now on.
    fn damage(&self);
    /// A message of the log, or whatever it is written in, is gone.
    fn lose(&self, which: Which);
    /// A byte of this snapshot is another from now on.
    fn damage_snapshot(&self, name: &str);
}

/// One of several messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    First,
    Middle,
}

impl Which {
    /// Its place among so many.
    pub fn of(self, count: usize) -> usize {
        match self {
            Self::First => 0,
            Self::Middle => count / 2,
        }
    }
}

/// A batch of `count` records of tables that nobody knows.
pub fn batch(first: u64, count: u64, length: usize) -> Batch {
    let (mut block, mut bytes) = (Block::default(), Vec::new());
    let mut begun = first;
    for number in first..first + count {
        let said = vec![number as u8; length];
        block.push(7, number as u8, &Event::Receive { slot: number as u16, now: Millis(number), bytes: &said });
        // As a journal does.
        if block.len() > 32 << 10 {
            block.seal(begun, &mut bytes);
            begun = number + 1;
        }
    }
    block.seal(begun, &mut bytes);
    Batch { bytes, first, next: first + count }
}

/// The numbers of all records, in the order of the log. Of two parts that overlap, the later is right.
pub fn numbers(store: &dyn Store) -> Vec<u64> {
    let parts = store.parts().unwrap();
    let mut all = Vec::new();
    for (at, first) in parts.iter().enumerate() {
        let bytes = store.part(*first).unwrap();
        let end = parts.get(at + 1).copied().unwrap_or(u64::MAX);
        let records = Records::new(&bytes).expect("a part").map_while(Result::ok);
        all.extend(records.map(|record| record.number).take_while(|number| *number < end));
    }
    all
}

pub fn append(store: &dyn Store, batch: &Batch) -> usize {
    let mut tries = 0;
    loop {
        tries += 1;
        match store.append(batch) {
            Append::Safe => return tries,
            Append::Fenced | Append::Gone => panic!("nobody else has taken it, and nothing is lost"),
            Append::Unsure(_) => assert!(tries < 1000),
        }
    }
}

/// Takes it as soon as it can be had: an engine may be busy.
pub fn take(store: &dyn Store) {
    for _ in 0..50 {
        match store.take() {
            Ok(()) => return,
            Err(StoreError::Io(error)) => println!("not yet taken: {error}"),
            Err(error) => panic!("{error}"),
        }
    }
    panic!("it can't be taken");
}

/// Everything, on one kind of store; `place` makes an empty one each time.
pub fn suite<P: Place>(place: impl Fn() -> P) {
    what_is_safe_is_read_back(&place());
    an_unsure_batch_is_there_once(&place());
    there_is_one_writer(&place());
    what_is_kept_is_whole(&place());
    trimming_leaves_what_is_needed(&place());
    damage_is_told(&place());
    what_is_missing_is_told(&place(), Which::Middle);
    what_is_missing_is_told(&place(), Which::First);
    a_damaged_snapshot_is_told(&place());
    as_much_is_told_as_there_is(&place());
    a_game_goes_on(&place());
    claims_race_with_snapshots_and_trims(&place());
}

fn what_is_safe_is_read_back(place: &impl Place) {
    let store = place.process();
    take(&*store);
    assert!(numbers(&*store).is_empty());
    let mut next = 0;
    // The last is larger than any message that an engine takes.
    for (count, length) in [(1, 10), (3, 10), (200, 100), (40_000, 50)] {
        append(&*store, &batch(next, count, length));
        next += count;
    }
    drop(store);
    let store = place.process();
    take(&*store);
    assert_eq!(numbers(&*store), (0..next).collect::<Vec<_>>());
}

fn an_unsure_batch_is_there_once(place: &impl Place) {
    let store = place.process();
    take(&*store);
    append(&*store, &batch(0, 2, 10));
    place.disturb();
    append(&*store, &batch(2, 3, 10));
    append(&*store, &batch(5, 1, 10));
    drop(store);
    let store = place.process();
    take(&*store);
    assert_eq!(numbers(&*store), [0, 1, 2, 3, 4, 5]);
}

fn there_is_one_writer(place: &impl Place) {
    let (first, second) = (place.process(), place.process());
    take(&*first);
    append(&*first, &batch(0, 1, 10));
    match second.take() {
        // It is the first's as long as the first lives.
        Err(StoreError::Taken) => append(&*first, &batch(1, 1, 10)),
        // It is the second's, and the first is told so, for ever.
        Ok(()) => {
            assert_eq!(numbers(&*second), [0]);
            for _ in 0..3 {
                assert!(matches!(first.append(&batch(1, 1, 10)), Append::Fenced));
            }
            assert!(first.keep("pimp.1.0000000000000001.snap", b"late").is_err());
            append(&*second, &batch(1, 1, 10));
            assert!(matches!(first.append(&batch(2, 1, 10)), Append::Fenced));
            append(&*second, &batch(2, 1, 10))
        }
        Err(error) => panic!("{error}"),
    };
    let written = if matches!(first.append(&batch(9, 1, 10)), Append::Fenced) { 3 } else { 2 };
    drop((first, second));
    let store = place.process();
    take(&*store);
    assert_eq!(numbers(&*store)[..written], (0..written as u64).collect::<Vec<_>>());
    assert!(!store.snapshots().unwrap().iter().any(|name| name.contains("0001.snap")));
}

fn snapshot(number: u32, next: u64) -> (String, Vec<u8>) {
    let meta = TableMeta { game: "pimp".into(), house: true, port: None };
    let snapshot = Snapshot { table: number, number, next, meta, now: Millis(5), state: &[next as u8; 100] };
    (archive::name(TableId::new("pimp", number), next), snapshot.encode())
}

fn what_is_kept_is_whole(place: &impl Place) {
    let store = place.process();
    take(&*store);
    let kept: Vec<_> = (1..4).flat_map(|number| [snapshot(number, 1), snapshot(number, 2)]).collect();
    kept.iter().for_each(|(name, bytes)| store.keep(name, bytes).unwrap());
    drop(store);
    let cabinet = place.cabinet();
    assert_eq!(cabinet.get("tables", "bots").unwrap_err().kind(), std::io::ErrorKind::NotFound);
    cabinet.put("tables", "bots", b"a key").unwrap();
    cabinet.put("files", "venus.evening", &[7; 5000]).unwrap();
    cabinet.put("files", "venus.evening", &[8; 5000]).unwrap();
    drop(cabinet);
    let cabinet = place.cabinet();
    assert_eq!(cabinet.get("tables", "bots").unwrap(), b"a key");
    assert_eq!(cabinet.get("files", "venus.evening").unwrap(), [8; 5000]);
    cabinet.throw_away("tables", "bots").unwrap();
    assert_eq!(cabinet.get("tables", "bots").unwrap_err().kind(), std::io::ErrorKind::NotFound);
    drop(cabinet);
    let store = place.process();
    take(&*store);
    let mut names = store.snapshots().unwrap();
    names.sort();
    assert_eq!(names, kept.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
    assert!(kept.iter().all(|(name, bytes)| store.snapshot(name).unwrap() == *bytes));
}

fn trimming_leaves_what_is_needed(place: &impl Place) {
    let store = place.process();
    take(&*store);
    for first in 0..30 {
        append(&*store, &batch(first, 1, 400));
        if first % 10 == 9 {
            let (name, bytes) = snapshot(1, first);
            store.keep(&name, &bytes).unwrap();
            let (name, bytes) = snapshot(2, first);
            store.keep(&name, &bytes).unwrap();
        }
    }
    // Of table 1 the last two are needed; table 2 is no more.
    let needed = [archive::name(TableId::new("pimp", 1), 19), archive::name(TableId::new("pimp", 1), 29)];
    store.trim(19, &|name| needed.iter().any(|needed| needed == name)).unwrap();
    drop(store);
    let store = place.process();
    take(&*store);
    let mut names = store.snapshots().unwrap();
    names.sort();
    assert_eq!(names, needed);
    let left = numbers(&*store);
    assert!(left[0] > 0 && left[0] <= 19, "{left:?}");
    assert_eq!(left, (left[0]..30).collect::<Vec<_>>());
}

/// Takes note of nothing but warnings.
#[derive(Default)]
struct Warned(Vec<String>);

impl Witness for Warned {
    fn warn(&mut self, text: String) {
        self.0.push(text);
    }
}

/// A table at which nobody says a word, as it is frozen.
fn quiet_table() -> (HostTable, Vec<u8>) {
    let mut table = HostTable::NEW;
    table.begin(&[23; 32], &Config::DEFAULT, Millis(0));
    let mut state = vec![0; HostTable::FROZEN_MAX];
    let n = table.freeze(&mut state).unwrap();
    state.truncate(n);
    (table, state)
}

/// Where the quiet table begins in the log.
pub fn beginning(first: u64) -> Batch {
    let ((_, state), meta) = (quiet_table(), TableMeta { game: "pimp".into(), house: true, port: None });
    let (mut block, mut bytes) = (Block::default(), Vec::new());
    block.push(7, 0, &Event::Begin { number: 1, meta, now: Millis(0), state: &state });
    block.seal(first, &mut bytes);
    Batch { bytes, first, next: first + 1 }
}

/// So many ticks of the quiet table.
pub fn ticks(first: u64, count: u64) -> Batch {
    let (table, _) = quiet_table();
    let (mut block, mut bytes) = (Block::default(), Vec::new());
    for number in first..first + count {
        block.push(7, table.sum(), &Event::Tick { now: Millis(number) });
    }
    block.seal(first, &mut bytes);
    Batch { bytes, first, next: first + count }
}

/// The quiet table as it stands before this record.
pub fn quiet_snapshot(next: u64) -> (String, Vec<u8>) {
    let ((_, state), meta) = (quiet_table(), TableMeta { game: "pimp".into(), house: true, port: None });
    let snapshot = Snapshot { table: 7, number: 1, next, meta, now: Millis(next - 1), state: &state };
    (archive::name(ID, next), snapshot.encode())
}

/// What is told when all is read.
pub fn read(store: &dyn Store) -> (restore::House, Vec<String>) {
    let mut warned = Warned::default();
    let house = restore::read(store, From::Newest, &mut warned).unwrap();
    (house, warned.0)
}

/// A log of the quiet table in several messages; all is well with it.
fn write_quiet_log(place: &impl Place) {
    let store = place.process();
    take(&*store);
    append(&*store, &beginning(0));
    for nth in 0..9 {
        append(&*store, &ticks(1 + 200 * nth, 200));
    }
    drop(store);
    let store = place.process();
    take(&*store);
    let (house, warned) = read(&*store);
    assert!(warned.is_empty() && !house.is_damaged() && house.next == 1_801, "{warned:?}");
}

/// What was damaged is told, once it is put aside the log goes on, and who writes how the table stands is believed.
fn go_on_behind_damage(place: &impl Place, what: &str) {
    let store = place.process();
    take(&*store);
    let (house, warned) = read(&*store);
    assert!(!warned.is_empty() && house.is_damaged(), "{what} passed unseen: {warned:?}");
    restore::put_aside(&*store, &house);
    let next = house.next;
    append(&*store, &beginning(next));
    append(&*store, &ticks(next + 1, 5));
    drop(store);
    let store = place.process();
    take(&*store);
    let (house, _) = read(&*store);
    assert_eq!((house.next, house.tables.len()), (next + 6, 1), "{what}");
    assert_eq!(house.tables[&ID].stored.now(), Millis(next + 5), "{what}");
}

fn damage_is_told(place: &impl Place) {
    write_quiet_log(place);
    place.damage();
    go_on_behind_damage(place, "a flipped byte");
}

fn what_is_missing_is_told(place: &impl Place, which: Which) {
    write_quiet_log(place);
    place.lose(which);
    go_on_behind_damage(place, &format!("a missing message ({which:?})"));
}

fn a_damaged_snapshot_is_told(place: &impl Place) {
    let store = place.process();
    take(&*store);
    append(&*store, &beginning(0));
    for nth in 0..3 {
        append(&*store, &ticks(1 + 10 * nth, 10));
        let (name, bytes) = quiet_snapshot(11 + 10 * nth);
        store.keep(&name, &bytes).unwrap();
    }
    drop(store);
    place.damage_snapshot(&archive::name(ID, 31));
    let store = place.process();
    take(&*store);
    let (house, warned) = read(&*store);
    assert!(warned.len() == 1 && house.is_damaged(), "{warned:?}");
    assert_eq!(house.tables[&ID].point, 21, "the snapshot before is used");
    assert_eq!((house.next, house.tables[&ID].stored.now()), (31, Millis(30)));
}

/// Whoever wants to know what happened begins where the log says how the table stood, though a younger snapshot is there.
fn as_much_is_told_as_there_is(place: &impl Place) {
    let store = place.process();
    take(&*store);
    append(&*store, &beginning(0));
    append(&*store, &ticks(1, 10));
    let (name, bytes) = quiet_snapshot(11);
    store.keep(&name, &bytes).unwrap();
    append(&*store, &ticks(11, 10));
    drop(store);
    let store = place.process();
    take(&*store);
    let replayed = |from| {
        let mut warned = Warned::default();
        let house = restore::read(&*store, from, &mut warned).unwrap();
        assert!(warned.0.is_empty() && house.next == 21, "{:?}", warned.0);
        house.replayed
    };
    assert_eq!((replayed(From::Newest), replayed(From::Oldest)), (10, 20));
}

/// Whoever has the store snapshots and trims all the time, and others take it from there at any moment: what they read back is
/// whole each time.
fn claims_race_with_snapshots_and_trims(place: &impl Place) {
    let store = place.process();
    take(&*store);
    if matches!(place.process().take(), Err(StoreError::Taken)) {
        // It can't be taken from whoever lives.
        return;
    }
    let mut chance = Chance(11);
    let mut found = 0;
    for _ in 0..6 {
        let store = place.process();
        take(&*store);
        let (house, warned) = read(&*store);
        assert!(warned.is_empty() && !house.is_damaged(), "{warned:?}");
        found += house.tables.len();
        let after = Duration::from_millis(20 + chance.below(300) as u64);
        let journal = Journal::resume_shared(&house);
        std::thread::scope(|scope| {
            let playing = scope.spawn(move || {
                let mut world = World::with(store, journal);
                while !world.journal.figures.is_failing() {
                    world.play_snapshotting(&mut Chance(5));
                }
                world.archivist.round()
            });
            std::thread::sleep(after);
            take(&*place.process());
            assert!(!playing.join().unwrap().unwrap(), "whoever lost the store still keeps snapshots");
        });
    }
    assert!(found > 0, "nothing was ever read back");
}

/// A game of bots goes from process to process.
fn a_game_goes_on(place: &impl Place) {
    let store = place.process();
    take(&*store);
    let mut world = World::new(store.clone(), true);
    world.play(|| false, &mut Chance(3));
    while world.writer.round().unwrap() || world.archivist.round().unwrap() {}
    let whole =
        saved(&restore::read(&*reopened(place, store, &mut world), From::Newest, &mut Streams::default()).unwrap());
    let store = place.process();
    take(&*store);
    let house = restore::read(&*store, From::Newest, &mut Streams::default()).unwrap();
    assert!(saved(&house) == whole, "read twice, it is not the same game");
    assert!(!house.is_damaged() && house.tables.contains_key(&ID));
    let journal = Journal::resume_shared(&house);
    assert_eq!(journal.lag(), 0);
}

/// Another process, once the one that played is gone.
fn reopened(place: &impl Place, store: Arc<dyn Store>, world: &mut World) -> Arc<dyn Store> {
    world.rest();
    drop(store);
    let store = place.process();
    take(&*store);
    store
}

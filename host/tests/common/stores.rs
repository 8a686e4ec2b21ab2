//! What every store of a journal promises, whatever it is made of: one suite for all of them.

use std::sync::Arc;

use parlor::journal::archive::{self, Snapshot};
use parlor::journal::record::{Block, Event, Records};
use parlor::journal::restore::{self, From, Witness};
use parlor::journal::store::{Append, Batch, Store, StoreError};
use parlor::journal::{Cabinet, Journal, TableMeta};
use parlor::table_id::TableId;
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
}

/// A batch of `count` records of tables that nobody knows.
fn batch(first: u64, count: u64, length: usize) -> Batch {
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
fn numbers(store: &dyn Store) -> Vec<u64> {
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

fn append(store: &dyn Store, batch: &Batch) -> usize {
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

/// Everything, on one kind of store; `place` makes an empty one each time.
pub fn suite<P: Place>(place: impl Fn() -> P) {
    what_is_safe_is_read_back(&place());
    an_unsure_batch_is_there_once(&place());
    there_is_one_writer(&place());
    what_is_kept_is_whole(&place());
    trimming_leaves_what_is_needed(&place());
    damage_is_told(&place());
    a_game_goes_on(&place());
}

fn what_is_safe_is_read_back(place: &impl Place) {
    let store = place.process();
    store.take().unwrap();
    assert!(numbers(&*store).is_empty());
    let mut next = 0;
    // The last is larger than any message that an engine takes.
    for (count, length) in [(1, 10), (3, 10), (200, 100), (40_000, 50)] {
        assert_eq!(append(&*store, &batch(next, count, length)), 1);
        next += count;
    }
    drop(store);
    let store = place.process();
    store.take().unwrap();
    assert_eq!(numbers(&*store), (0..next).collect::<Vec<_>>());
}

fn an_unsure_batch_is_there_once(place: &impl Place) {
    let store = place.process();
    store.take().unwrap();
    append(&*store, &batch(0, 2, 10));
    place.disturb();
    append(&*store, &batch(2, 3, 10));
    append(&*store, &batch(5, 1, 10));
    drop(store);
    let store = place.process();
    store.take().unwrap();
    assert_eq!(numbers(&*store), [0, 1, 2, 3, 4, 5]);
}

fn there_is_one_writer(place: &impl Place) {
    let (first, second) = (place.process(), place.process());
    first.take().unwrap();
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
    store.take().unwrap();
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
    store.take().unwrap();
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
    store.take().unwrap();
    let mut names = store.snapshots().unwrap();
    names.sort();
    assert_eq!(names, kept.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
    assert!(kept.iter().all(|(name, bytes)| store.snapshot(name).unwrap() == *bytes));
}

fn trimming_leaves_what_is_needed(place: &impl Place) {
    let store = place.process();
    store.take().unwrap();
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
    store.take().unwrap();
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

fn damage_is_told(place: &impl Place) {
    let store = place.process();
    store.take().unwrap();
    for first in 0..9 {
        append(&*store, &batch(first, 1, 10));
    }
    drop(store);
    place.damage();
    let store = place.process();
    let (taken, mut warned) = (store.take(), Warned::default());
    taken.unwrap();
    let house = restore::read(&*store, From::Newest, &mut warned).unwrap();
    assert!(!warned.0.is_empty() && house.is_damaged(), "damage passed unseen");
    restore::put_aside(&*store, &house);
    // And it goes on behind it.
    assert_eq!(append(&*store, &batch(house.next, 1, 10)), 1);
    drop(store);
    let store = place.process();
    store.take().unwrap();
    assert!(numbers(&*store).contains(&house.next));
}

/// A game of bots goes from process to process.
fn a_game_goes_on(place: &impl Place) {
    let store = place.process();
    store.take().unwrap();
    let mut world = World::new(store.clone(), true);
    world.play(|| false, &mut Chance(3));
    while world.writer.round().unwrap() || world.archivist.round().unwrap() {}
    let whole =
        saved(&restore::read(&*reopened(place, store, &mut world), From::Newest, &mut Streams::default()).unwrap());
    let store = place.process();
    store.take().unwrap();
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
    store.take().unwrap();
    store
}

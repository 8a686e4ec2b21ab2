//! The same suite on every store of a journal that needs no other program, and a store of many machines that goes wrong at
//! every step in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use crate::common;
use crate::common::HELLO;
use crate::common::disk::Chance;
use crate::common::stores::{Place, Which, append, beginning, quiet_snapshot, read, suite, ticks};
use crate::common::world::{ID, SEGMENT, Streams, World, explain, saved};
use parlor::flags::Chosen;
use parlor::games::GAMES;
use parlor::journal::disk::Disk;
use parlor::journal::simulated::{Fault, Memory, Simulated};
use parlor::journal::writer::Writer;
use parlor::journal::{Cabinet, FileStore, Files, Journal, Store, restore};
use parlor::net::strangers::{Most, Strangers};
use parlor::placement::{Past, Plan};
use parlor::registry::Registry;
use parlor_core::lobby::Terms;
use parlor_core::server::Millis;
use parlor_core::throttle::Allowance;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

/// The disk of this machine.
struct RealFiles(std::path::PathBuf);

impl RealFiles {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        Self(common::scratch(&format!("stores-{}", MADE.fetch_add(1, Relaxed))))
    }
}

impl RealFiles {
    fn segment(&self, which: Which) -> String {
        let mut names = Files::unlocked(&self.0).list("journal").unwrap();
        names.sort();
        format!("journal/{}", names[which.of(names.len())])
    }

    /// The last byte that was written.
    fn flip(&self, name: &str) {
        let mut bytes = std::fs::read(self.0.join(name)).unwrap();
        let written = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        bytes[written] ^= 1;
        std::fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for RealFiles {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Place for RealFiles {
    fn process(&self) -> Arc<dyn Store> {
        Arc::new(FileStore::new(Arc::new(Files::unlocked(&self.0))).with_segments(SEGMENT))
    }
    fn cabinet(&self) -> Arc<dyn Cabinet> {
        Arc::new(Files::unlocked(&self.0))
    }
    // A disk that fails is played by the tests of faults.
    fn disturb(&self) {}
    fn damage(&self) {
        let name = self.segment(Which::Middle);
        self.flip(&name);
    }
    fn lose(&self, which: Which) {
        std::fs::remove_file(self.0.join(self.segment(which))).unwrap();
    }
    fn damage_snapshot(&self, name: &str) {
        self.flip(&format!("tables/{name}"));
    }
}

/// A memory that processes share.
struct Shared(Memory, Fault);

impl Place for Shared {
    fn process(&self) -> Arc<dyn Store> {
        Arc::new(Simulated::new(&self.0))
    }
    fn cabinet(&self) -> Arc<dyn Cabinet> {
        let simulated = Simulated::new(&self.0);
        simulated.take().unwrap();
        Arc::new(simulated)
    }
    fn disturb(&self) {
        self.0.disturb(self.1);
    }
    fn damage(&self) {
        self.0.damage();
    }
    fn lose(&self, which: Which) {
        self.0.lose(which.of(self.0.messages()));
    }
    fn damage_snapshot(&self, name: &str) {
        self.0.damage_file(name);
    }
}

#[test]
fn files_are_a_store() {
    suite(RealFiles::new);
}

#[test]
fn the_simulated_store_is_one_however_an_append_fails() {
    for fault in [Fault::Fails, Fault::Done, Fault::NotDone] {
        suite(|| Shared(Memory::default(), fault));
    }
}

/// Every record since a snapshot is kept. Where the log begins later than that, the table goes on as it was, and that is told.
#[test]
fn a_log_that_begins_behind_its_snapshots_is_told() {
    let memory = Memory::default();
    let store = Simulated::new(&memory);
    store.take().unwrap();
    append(&store, &beginning(0));
    for nth in 0..3 {
        append(&store, &ticks(1 + 10 * nth, 10));
    }
    let (name, bytes) = quiet_snapshot(11);
    store.keep(&name, &bytes).unwrap();
    store.trim(11, &|_| true).unwrap();
    let (house, warned) = read(&store);
    assert!(warned.is_empty() && house.tables[&ID].stored.now() == Millis(30), "{warned:?}");
    memory.lose(0);
    let (house, warned) = read(&store);
    assert!(warned.iter().any(|text| text.contains("records 11 to 20 are missing")), "{warned:?}");
    assert_eq!((house.next, house.tables[&ID].stored.now()), (31, Millis(10)));
}

fn shared_world(memory: &Memory) -> (World, Arc<Simulated>) {
    let store = Arc::new(Simulated::new(memory));
    while store.take().is_err() {}
    let house = restore::read(&*store, restore::From::Newest, &mut restore::Logged).unwrap();
    (World::with(store.clone(), Journal::resume_shared(&house)), store)
}

fn whole_story(memory: &Memory) -> Simulated {
    Simulated::new(&memory.whole_story())
}

#[test]
fn whichever_step_goes_wrong_nothing_that_was_told_is_lost() {
    let memory = Memory::default();
    let (mut world, store) = shared_world(&memory);
    world.play(|| false, &mut Chance(1));
    let heard = explain(&world, &whole_story(&memory), &*store).unwrap();
    assert!(heard > 8_000, "{heard} bytes were heard");
    let steps = memory.steps();
    assert!(steps > 100, "{steps}");
    let (mut bytes, mut fenced) = (0, 0);
    for step in 1..=steps {
        for fault in Fault::ALL {
            let memory = Memory::default().with_fault(step, fault);
            let (mut world, store) = shared_world(&memory);
            world.play(|| false, &mut Chance(1));
            while world.writer.round().is_err() {}
            let explained = explain(&world, &whole_story(&memory), &*store);
            bytes += explained.unwrap_or_else(|lost| panic!("step {step}, {fault:?}: {lost}"));
            let is_lost = world.journal.figures.is_failing();
            // Whoever takes it before we have, takes nothing from us; and a snapshot that comes too late is no loss.
            assert!(fault == Fault::Fenced || !is_lost, "step {step}: {fault:?}");
            fenced += usize::from(is_lost);
        }
    }
    assert!(fenced > steps / 2, "{fenced} of {steps}");
    println!(
        "{steps} steps went wrong in {} ways, {fenced} by a fence; {bytes} bytes heard, all explained",
        Fault::ALL.len()
    );
}

#[test]
fn a_store_that_often_fails_loses_nothing() {
    for seed in 1..=20 {
        let memory = Memory::default().with_chance(seed, 4);
        let (mut world, store) = shared_world(&memory);
        world.play(|| false, &mut Chance(seed));
        while world.writer.round().is_err() {}
        assert!(world.journal.figures.failures.load(Relaxed) > 5);
        explain(&world, &whole_story(&memory), &*store).unwrap_or_else(|lost| panic!("seed {seed}: {lost}"));
    }
}

#[test]
fn a_store_that_loses_what_it_kept_is_told_how_the_tables_stand() {
    for lost in [1, 5, 30] {
        let memory = Memory::default();
        let (mut world, _) = shared_world(&memory);
        world.play(|| memory.steps() > 150, &mut Chance(1));
        while world.writer.round().unwrap() {}
        (0..world.players.len()).for_each(|at| world.read(at));
        memory.go_back(lost);
        let heard = |world: &World| world.heard.iter().map(|heard| heard.bytes.len()).sum::<usize>();
        let before = heard(&world);
        world.play(|| memory.steps() > 300, &mut Chance(2));
        while world.writer.round().unwrap() {}
        (0..world.players.len()).for_each(|at| world.read(at));
        assert!(heard(&world) > before, "the game does not go on");
        // Whoever takes the store now finds the table as it stands, whatever is missing before.
        let other = Simulated::new(&memory);
        other.take().unwrap();
        let house = restore::read(&other, restore::From::Newest, &mut Streams::default()).unwrap();
        assert!(saved(&house) == world.saved(), "{lost} messages lost: another table was read back");
    }
}

#[test]
fn whoever_is_fenced_writes_and_says_nothing_more() {
    let memory = Memory::default();
    let (mut zombie, _) = shared_world(&memory);
    zombie.play(|| memory.steps() > 60, &mut Chance(1));
    while zombie.writer.round().unwrap() {}
    (0..zombie.players.len()).for_each(|at| zombie.read(at));
    // Everything noted is safe: even a refusal, which changes nothing, must wait for the log now.
    let heard: usize = zombie.heard.iter().map(|heard| heard.bytes.len()).sum();
    let other = Simulated::new(&memory);
    other.take().unwrap();
    let written = memory.written_by(memory.epoch() - 1);
    const THROW_DICE: [u8; 2] = [0x21, 0];
    for _ in 0..5 {
        for at in 0..zombie.players.len() {
            zombie.players[at].send(&zombie.table, &THROW_DICE);
            zombie.speak(at);
            zombie.read(at);
            let _ = zombie.writer.round();
            let _ = zombie.archivist.round();
            zombie.read(at);
        }
        zombie.table.tick();
    }
    assert_eq!(zombie.heard.iter().map(|heard| heard.bytes.len()).sum::<usize>(), heard, "bytes released");
    assert_eq!(memory.written_by(memory.epoch() - 1), written, "appends");
}

#[tokio::test]
async fn whoever_waits_for_a_store_that_is_lost_waits_no_more() {
    let memory = Memory::default();
    let (mut world, _) = shared_world(&memory);
    world.sit(0);
    Simulated::new(&memory).take().unwrap();
    let journal = world.journal.clone();
    let waits = tokio::spawn(async move { journal.flush().await });
    tokio::task::yield_now().await;
    assert!(!world.writer.round().unwrap());
    assert!(!waits.await.unwrap(), "what is lost was called safe");
    world.journal.lost().await;
    world.journal.room().await;
}

#[tokio::test]
async fn whoever_asks_a_lobby_for_another_table_is_sent_away_when_the_store_is_lost() {
    const REJOIN: &[u8] = &[0x0A, 5, 1, 0, 0, 0, 9];
    let memory = Memory::default();
    let store = Arc::new(Simulated::new(&memory));
    store.take().unwrap();
    let journal = Journal::resume_shared(&restore::House::default());
    let mut writer = Writer::new(journal.clone(), store);
    let strangers = Arc::new(Strangers::new(Allowance { most: 10, forgets: 1_000 }, Most::default()));
    let registry = Arc::new(Registry::new(&[], &[], 16, Some(journal.clone()), strangers));
    let lobby = GAMES.iter().find_map(|entry| entry.lobby).unwrap();
    let (past, chosen) = (Past::none([5; 32]), Chosen::default());
    let plan = Plan { entry: &lobby.tables, past: &past, chosen: &chosen, terms: Terms::DEFAULT, registry: &registry };
    let (mut client, server) = tokio::io::duplex(4096);
    let connection = tokio::spawn((lobby.open)(plan).attend(Box::new(server), 7));
    client.write_all(&[HELLO, REJOIN].concat()).await.unwrap();
    // The answer to the greeting waits for the store, and the rest of what was said for that answer.
    while journal.lag() < 3 {
        sleep(Duration::from_millis(1)).await;
    }
    sleep(Duration::from_millis(50)).await;
    Simulated::new(&memory).take().unwrap();
    assert!(!writer.round().unwrap());
    let heard = timeout(Duration::from_secs(20), client.read(&mut [0; 64])).await.expect("it is kept waiting");
    assert_eq!(heard.unwrap(), 0, "bytes released");
    drop(client);
    connection.await.unwrap();
}

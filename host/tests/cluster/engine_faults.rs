//! Servers of the engine are killed, stopped and cut off, one, two or all of them, while shards are written: what was said to be
//! safe is there once, in its order, and nothing else.
//!
//! `CLUSTER_FAULTS` says how often each is done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use parlor::cluster::engine::{Asked, Engine};
use parlor::cluster::engine_store::EngineStore;
use parlor::journal::Store as _;
use parlor::journal::store::{Append, Batch};
use rustix::process::Signal;

use crate::common::nats::Nats;
use crate::common::network;
use crate::common::stores::{batch, numbers};
use crate::nodes::{in_words, runtime, variable, wait_for};

/// Their streams have leaders of their own.
const SHARDS: [&str; 3] = ["faults.1", "faults.2", "faults.3"];
/// Between two appends of a shard.
const PAUSE: Duration = Duration::from_millis(3);

fn connect(servers: &str, nats: &Nats) -> Arc<Engine> {
    // A network of a test is none of this machine's own, and has no TLS.
    let asked = Asked { servers, key: &nats.key(), monitors: &nats.monitors(), trust: true };
    runtime().block_on(Engine::connect(asked)).unwrap()
}

/// Takes it as soon as the engine lets us.
fn take(store: &EngineStore) {
    wait_for("a shard", || store.take().is_ok());
}

#[derive(Default)]
struct Progress {
    /// Records that were said to be safe.
    safe: AtomicU64,
    is_over: AtomicBool,
}

/// Appends one record after another until it is over.
fn write(engine: &Arc<Engine>, shard: &str, progress: &Progress) {
    let store = EngineStore::new(engine, shard);
    take(&store);
    while !progress.is_over.load(Relaxed) {
        let next = batch(progress.safe.load(Relaxed), 1, 100);
        if append(&store, &next, &progress.is_over) {
            progress.safe.store(next.next, Relaxed);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Until it is safe, or all is over and nobody knows.
fn append(store: &EngineStore, batch: &Batch, is_over: &AtomicBool) -> bool {
    loop {
        match store.append(batch) {
            Append::Safe => return true,
            Append::Unsure(_) if is_over.load(Relaxed) => return false,
            Append::Unsure(_) => {}
            end => panic!("record {}: {end:?}, and nobody else writes", batch.first),
        }
    }
}

/// How long it takes until every shard has had an append that began now.
fn all_go_on(writers: &[Progress; 3]) -> Duration {
    let before = writers.each_ref().map(|writer| writer.safe.load(Relaxed));
    wait_for("every shard", || {
        writers.iter().zip(before).all(|(writer, before)| writer.safe.load(Relaxed) > before + 1)
    })
}

/// The server that leads the first shard's log.
fn leader(nats: &Nats) -> usize {
    let sum = SHARDS[0].bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let mut found = None;
    wait_for("a leader", || {
        found = nats.leader(&format!("PARLOR-J{}", sum % 16));
        found.is_some()
    });
    found.unwrap()
}

/// The server that we are connected to.
fn own(engine: &Engine) -> usize {
    engine.client.server_info().server_name.strip_prefix('n').and_then(|number| number.parse().ok()).unwrap()
}

/// What is done to servers of the engine, to which of them and those that come after it, and what undoes it.
struct Fault {
    name: &'static str,
    /// The first is the one that we are connected to, else the one that leads the first shard's log.
    is_ours: bool,
    servers: usize,
    begin: fn(&Nats, usize),
    end: fn(&Nats, usize),
}

fn kill(nats: &Nats, at: usize) {
    nats.kill(at);
}

fn up(nats: &Nats, at: usize) {
    nats.up(at);
}

fn stop(nats: &Nats, at: usize) {
    nats.signal(at, Signal::STOP);
}

fn wake(nats: &Nats, at: usize) {
    nats.signal(at, Signal::CONT);
}

fn cut(nats: &Nats, at: usize) {
    nats.cut(at, true);
}

fn join(nats: &Nats, at: usize) {
    nats.cut(at, false);
}

/// Each fault in turn. With one server away the others go on; with more nobody is told anything until they are back.
fn endure(nats: &Nats, faults: &[Fault]) {
    let (engine, rounds) = (connect(&nats.url(), nats), variable("CLUSTER_FAULTS", 1));
    let writers: [Progress; 3] = Default::default();
    let waits = Mutex::new(vec![Vec::new(); faults.len()]);
    std::thread::scope(|scope| {
        for (shard, progress) in SHARDS.iter().zip(&writers) {
            scope.spawn(|| write(&engine, shard, progress));
        }
        // However this ends, the writers end too.
        let _over = Over(&writers);
        all_go_on(&writers);
        for _ in 0..rounds {
            for (fault, waits) in faults.iter().zip(waits.lock().unwrap().iter_mut()) {
                let first = if fault.is_ours { own(&engine) } else { leader(nats) };
                let struck: Vec<usize> = (0..fault.servers).map(|nth| (first + nth) % nats.len()).collect();
                struck.iter().for_each(|at| (fault.begin)(nats, *at));
                let mut begun = Instant::now();
                if fault.servers == 1 {
                    all_go_on(&writers);
                    waits.push(begun.elapsed());
                    (fault.end)(nats, struck[0]);
                } else {
                    std::thread::sleep(Duration::from_secs(2));
                    let before = writers.each_ref().map(|writer| writer.safe.load(Relaxed));
                    std::thread::sleep(Duration::from_secs(1));
                    let now = writers.each_ref().map(|writer| writer.safe.load(Relaxed));
                    assert_eq!(before, now, "{}: said to be safe by a minority", fault.name);
                    struck.iter().for_each(|at| (fault.end)(nats, *at));
                    begun = Instant::now();
                    all_go_on(&writers);
                    waits.push(begun.elapsed());
                }
                nats.wait();
            }
        }
    });
    for (fault, waits) in faults.iter().zip(waits.into_inner().unwrap()) {
        let since = if fault.servers == 1 { "on" } else { "on after the end of it" };
        println!("{}: all shards went {since}: {}", fault.name, in_words(waits));
    }
    for (shard, progress) in SHARDS.iter().zip(&writers) {
        let store = EngineStore::new(&engine, shard);
        take(&store);
        let (found, safe) = (numbers(&store), progress.safe.load(Relaxed));
        println!("{shard}: {safe} records were safe, {} are there", found.len());
        // The last may be there without anybody having been told.
        let is_whole =
            (safe..=safe + 1).contains(&(found.len() as u64)) && found.iter().copied().eq(0..found.len() as u64);
        assert!(is_whole, "{shard}: {safe} records were safe, and these are there: {found:?}");
    }
}

struct Over<'a>(&'a [Progress]);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|writer| writer.is_over.store(true, Relaxed));
    }
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn servers_of_the_engine_are_killed_and_stopped() {
    let nats = Nats::start(3, "always");
    endure(
        &nats,
        &[
            Fault { name: "one server killed", is_ours: false, servers: 1, begin: kill, end: up },
            Fault { name: "one server stopped", is_ours: false, servers: 1, begin: stop, end: wake },
            Fault { name: "two servers killed", is_ours: false, servers: 2, begin: kill, end: up },
            Fault { name: "two servers stopped", is_ours: false, servers: 2, begin: stop, end: wake },
            Fault { name: "all servers killed", is_ours: false, servers: 3, begin: kill, end: up },
            Fault { name: "all servers stopped", is_ours: false, servers: 3, begin: stop, end: wake },
        ],
    );
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn servers_of_the_engine_are_cut_off() {
    if network::within("engine_faults::servers_of_the_engine_are_cut_off") {
        return;
    }
    let nats = Nats::start_apart(3);
    // Clients still reach every server: one that is cut off takes what it can't keep.
    endure(
        &nats,
        &[
            Fault { name: "one server cut off", is_ours: false, servers: 1, begin: cut, end: join },
            Fault { name: "our own server cut off", is_ours: true, servers: 1, begin: cut, end: join },
            Fault { name: "two servers cut off", is_ours: false, servers: 2, begin: cut, end: join },
            Fault { name: "all servers cut off", is_ours: false, servers: 3, begin: cut, end: join },
        ],
    );
    an_owner_at_a_server_that_is_cut_off_writes_nothing(&nats);
}

/// The shard's owner and the leader of its log are on the wrong side, and another node takes the shard on the right one. The
/// owner may come to that side before it does, and write on; behind the claim it writes nothing.
fn an_owner_at_a_server_that_is_cut_off_writes_nothing(nats: &Nats) {
    let shard = SHARDS[0];
    let alone = leader(nats);
    let zombie = EngineStore::new(&connect(&nats.url_of(alone), nats), shard);
    take(&zombie);
    let next = numbers(&zombie).len() as u64;
    let never = AtomicBool::new(false);
    append(&zombie, &batch(next, 1, 100), &never);
    let others: Vec<String> = (0..nats.len()).filter(|at| *at != alone).map(|at| nats.url_of(at)).collect();
    let engine = connect(&others.join(","), nats);
    nats.cut(alone, true);
    let writers: [Progress; 1] = Default::default();
    let (found, safe) = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let mut safe = next + 1;
            loop {
                assert!(!writers[0].is_over.load(Relaxed), "never fenced");
                match zombie.append(&batch(safe, 1, 77)) {
                    Append::Fenced => return safe,
                    Append::Safe => safe += 1,
                    Append::Unsure(_) => {}
                    Append::Gone => panic!("nothing was lost"),
                }
            }
        });
        // However this ends, the writer ends too.
        let over = Over(&writers);
        let owner = EngineStore::new(&engine, shard);
        let taken = wait_for("the shard", || owner.take().is_ok());
        let found = numbers(&owner).len() as u64;
        println!(
            "the shard of an owner that is cut off was taken after {taken:.2?}, {} records behind",
            found - next - 1
        );
        append(&owner, &batch(found, 1, 100), &never);
        nats.cut(alone, false);
        let safe = writing.join().unwrap();
        drop(over);
        append(&owner, &batch(found + 1, 1, 100), &never);
        (found, safe)
    });
    // The last may be there without anybody having been told.
    assert!((safe..=safe + 1).contains(&found), "{safe} records were safe before the claim, which found {found}");
    let again = EngineStore::new(&engine, shard);
    take(&again);
    assert_eq!(numbers(&again), (0..found + 2).collect::<Vec<_>>());
}

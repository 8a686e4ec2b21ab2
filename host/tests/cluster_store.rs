//! The suite of every store on a real JetStream cluster of three servers, and what is asked of an engine before anything is
//! kept there.

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::stream::Stream;
use common::nats::Nats;
use common::run;
use common::stores::{Place, Which, append, batch, numbers, suite, take};
use parlor::cluster::engine::{Asked, Engine};
use parlor::cluster::engine_store::EngineStore;
use parlor::journal::store::{Append, Batch};
use parlor::journal::{Cabinet, Store};
use rustix::process::Signal;
use tokio::runtime::Runtime;

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

fn connect(nats: &Nats, key: &Path, trust: bool) -> Result<Arc<Engine>, String> {
    let asked = Asked { servers: &nats.url(), key, monitors: &nats.monitors(), trust };
    runtime().block_on(Engine::connect(asked))
}

/// A shard of its own each time.
struct Shard {
    nats: Arc<Nats>,
    engine: Arc<Engine>,
    name: String,
}

impl Shard {
    fn new(nats: &Arc<Nats>, engine: &Arc<Engine>) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("suite.{}", MADE.fetch_add(1, Relaxed));
        Self { nats: nats.clone(), engine: engine.clone(), name }
    }

    fn subject(&self) -> String {
        let sum = self.name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        format!("j.{}.{}", sum % 16, self.name)
    }

    fn stream(&self) -> String {
        format!("PARLOR-J{}", self.subject().split('.').nth(1).unwrap())
    }

    fn js(&self) -> Context {
        async_nats::jetstream::new(self.engine.client.clone())
    }

    /// The engine has other messages under a subject than it was given.
    fn rewrite(&self, stream: &str, subject: &str, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
        runtime().block_on(async {
            let stream = self.js().get_stream(stream).await.unwrap();
            let mut all: Vec<_> = messages(&stream, subject).await.into_iter().map(|(_, payload)| payload).collect();
            change(&mut all);
            stream.purge().filter(subject).await.unwrap();
            for payload in all {
                self.js().publish(subject.to_owned(), payload.into()).await.unwrap().await.unwrap();
            }
        });
    }
}

impl Place for Shard {
    fn process(&self) -> Arc<dyn Store> {
        Arc::new(EngineStore::new(&self.engine, &self.name))
    }
    fn cabinet(&self) -> Arc<dyn Cabinet> {
        let store = EngineStore::new(&self.engine, &self.name);
        take(&store);
        Arc::new(store)
    }
    fn disturb(&self) {
        // Nobody answers for longer than is waited, and then everybody does.
        let nats = self.nats.clone();
        (0..nats.len()).for_each(|at| nats.signal(at, Signal::STOP));
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(2_500));
            (0..nats.len()).for_each(|at| nats.signal(at, Signal::CONT));
        });
    }
    fn damage(&self) {
        self.rewrite(&self.stream(), &self.subject(), |messages| {
            let middle = messages.len() / 2;
            flip(&mut messages[middle]);
        });
    }
    fn lose(&self, which: Which) {
        runtime().block_on(async {
            let stream = self.js().get_stream(self.stream()).await.unwrap();
            let all = messages(&stream, &self.subject()).await;
            // The last message is a claim.
            let (sequence, _) = all[1..all.len() - 1][which.of(all.len() - 2)].clone();
            assert!(stream.delete_message(sequence).await.unwrap());
        });
    }
    fn damage_snapshot(&self, name: &str) {
        let (game, number, _) = parlor::journal::archive::parse(name).unwrap();
        self.rewrite("PARLOR-SNAP", &format!("s.{}.t.{game}.{number}", self.name), |messages| {
            flip(messages.last_mut().unwrap());
        });
    }
}

fn flip(message: &mut [u8]) {
    *message.last_mut().unwrap() ^= 1;
}

/// Every message of a subject, with its sequence.
async fn messages(stream: &Stream, subject: &str) -> Vec<(u64, Vec<u8>)> {
    let (mut all, mut next) = (Vec::new(), 1);
    while let Ok(message) = stream.raw_message_builder().sequence(next).next_by_subject(subject).send().await {
        next = message.sequence + 1;
        all.push((message.sequence, message.payload.to_vec()));
    }
    all
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn the_engine_is_a_store() {
    let nats = Arc::new(Nats::start(3, "always"));
    let engine = connect(&nats, &nats.key(), false).unwrap();
    suite(|| Shard::new(&nats, &engine));
    what_lies_there_tells_nothing(&nats, &engine);
    a_shard_is_taken_from_an_owner_that_writes_on(&nats, &engine);
}

/// It has always written one more by the time that its log was read to the end, and the shard is taken all the same.
fn a_shard_is_taken_from_an_owner_that_writes_on(nats: &Arc<Nats>, engine: &Arc<Engine>) {
    let shard = Shard::new(nats, engine);
    let owner = shard.process();
    take(&*owner);
    let written = AtomicU64::new(0);
    let next = EngineStore::new(&connect(nats, &nats.key(), false).unwrap(), &shard.name);
    let (safe, taken) = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            // An owner that nobody fences ends too.
            for _ in 0..5_000 {
                let next = written.load(Relaxed);
                match owner.append(&batch(next, 1, 100)) {
                    Append::Safe => written.store(next + 1, Relaxed),
                    Append::Fenced => return next,
                    Append::Unsure(_) => {}
                    Append::Gone => panic!("nothing was lost"),
                }
            }
            panic!("never fenced");
        });
        while written.load(Relaxed) < 50 && !writing.is_finished() {
            std::thread::yield_now();
        }
        // A server may not know yet of what another has made: it says so, and is asked again.
        let mut takes = (0..5).map(|_| next.take().inspect_err(|error| println!("not taken: {error}")));
        let taken = takes.find(Result::is_ok);
        (writing.join().unwrap(), taken)
    });
    assert!(taken.is_some());
    let found = numbers(&next);
    // The last may be there without its owner having been told.
    assert!((safe..=safe + 1).contains(&(found.len() as u64)), "{safe} records were safe, {} are there", found.len());
    assert_eq!(found, (0..found.len() as u64).collect::<Vec<_>>());
}

/// Whoever runs the engine reads sizes and times; whoever has another key reads nothing, and is told so.
fn what_lies_there_tells_nothing(nats: &Arc<Nats>, engine: &Arc<Engine>) {
    let shard = Shard::new(nats, engine);
    let store = shard.process();
    take(&*store);
    let secret = b"a seed that nobody may know";
    append(&*store, &Batch { bytes: secret.to_vec(), first: 0, next: 1 });
    store.keep("pimp.1.0000000000000001.snap", secret).unwrap();
    let raw = runtime().block_on(async {
        let js = async_nats::jetstream::new(engine.client.clone());
        let mut all = Vec::new();
        for (name, subject) in
            [(shard.stream(), shard.subject()), ("PARLOR-SNAP".into(), format!("s.{}.t.pimp.1", shard.name))]
        {
            let stream = js.get_stream(name).await.unwrap();
            all.extend(stream.get_last_raw_message_by_subject(&subject).await.unwrap().payload);
        }
        all
    });
    assert!(raw.len() > 2 * secret.len());
    assert!(!raw.windows(6).any(|window| secret.windows(6).any(|part| part == window)));
    let other = nats.key().with_file_name("other");
    std::fs::write(&other, "fedcba9876543210fedcba9876543210\n").unwrap();
    let stranger = connect(nats, &other, false).unwrap();
    let stranger = EngineStore::new(&stranger, &shard.name);
    let mut refusals = (0..50).map(|_| stranger.take().unwrap_err().to_string());
    let refused = refusals.find(|refused| !refused.contains("no responders")).unwrap();
    assert!(refused.contains("--cluster-key"), "{refused}");
    // Whoever was refused has taken nothing.
    let next = Batch { bytes: b"more".to_vec(), first: 1, next: 2 };
    append(&*store, &next);
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn an_engine_that_would_lose_something_is_refused_in_one_sentence() {
    let lazy = Nats::start(1, "2m");
    let refused = |nats: &Nats| connect(nats, &nats.key(), false).err().unwrap();
    let text = refused(&lazy);
    assert!(text.contains("does not sync") && text.contains("--cluster-trust") && !text.contains('\n'), "{text}");
    // Who says so goes on all the same, even with one copy.
    let engine = connect(&lazy, &lazy.key(), true).unwrap();
    let store = EngineStore::new(&engine, "trusted.1");
    take(&store);
    let alone = Nats::start(1, "always");
    let text = refused(&alone);
    assert!(text.contains("3 copies") && text.contains("--cluster-trust") && !text.contains('\n'), "{text}");
    let asked = |servers: &str, monitors: &[String]| {
        let (key, trust) = (alone.key(), false);
        runtime().block_on(Engine::connect(Asked { servers, key: &key, monitors, trust })).err().unwrap()
    };
    let nowhere = asked(&alone.url(), &["127.0.0.1:1".into()]);
    assert!(nowhere.contains("/varz") && nowhere.contains("--cluster-monitor"), "{nowhere}");
    let far = asked("nats://192.0.2.1:4222", &[]);
    assert!(far.contains("tls://"), "{far}");
    let missing = connect(&alone, Path::new("/nowhere/key"), false).err().unwrap();
    assert!(missing.contains("--cluster-key"), "{missing}");
    // The program says the same, and ends.
    for (servers, monitors, why) in
        [(alone.url(), alone.monitors(), "3 copies"), (lazy.url(), lazy.monitors(), "does not sync"), old_server()]
    {
        let (key, monitors) = (alone.key(), monitors.join(","));
        let flags = ["--cluster", &servers, "--cluster-key", key.to_str().unwrap(), "--cluster-monitor", &monitors];
        let local = ["--http", "127.0.0.1:0", "--pimp", "127.0.0.1:0", "--pimp-ws", "off", "--log", "error"];
        let output = run(&[&flags[..], &local].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{text}");
        assert!(
            text.contains(why) && text.contains("--cluster-trust") && text.trim_end().lines().count() == 1,
            "{text}"
        );
    }
}

/// A server that greets like one of another year, and what is said of it.
fn old_server() -> (String, Vec<String>, &'static str) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let info =
                r#"{"server_id":"x","server_name":"old","version":"2.10.27","max_payload":1048576,"jetstream":true}"#;
            let _ = stream.write_all(format!("INFO {info}\r\n").as_bytes());
            for line in BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok) {
                if line.starts_with("PING") {
                    let _ = stream.write_all(b"PONG\r\n");
                }
            }
        }
    });
    (format!("nats://{address}"), vec![address], "is nats-server 2.10.27, and 2.15 is needed")
}

/// The engine has lost what it acknowledged: whoever still knows it is told, and writes it anew.
#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn an_owner_is_told_that_its_log_went_back() {
    let nats = Arc::new(Nats::start(3, "always"));
    let engine = connect(&nats, &nats.key(), false).unwrap();
    let shard = Shard::new(&nats, &engine);
    let store = shard.process();
    take(&*store);
    for first in 0..5 {
        append(&*store, &batch(first, 1, 10));
    }
    runtime().block_on(async {
        let stream = shard.js().get_stream(shard.stream()).await.unwrap();
        let (last, _) = messages(&stream, &shard.subject()).await.pop().unwrap();
        assert!(stream.delete_message(last).await.unwrap());
    });
    // For a while it may only be a server that does not know better.
    let told = loop {
        match store.append(&batch(5, 1, 10)) {
            Append::Unsure(_) => std::thread::sleep(Duration::from_millis(200)),
            told => break told,
        }
    };
    assert!(matches!(told, Append::Gone), "{told:?}");
    append(&*store, &batch(6, 1, 10));
    drop(store);
    let store = shard.process();
    take(&*store);
    assert_eq!(numbers(&*store), [0, 1, 2, 3, 6]);
}

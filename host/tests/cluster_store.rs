//! The suite of every store on a real JetStream cluster of three servers, and what is asked of an engine before anything is
//! kept there.

mod common;

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use common::nats::Nats;
use common::stores::{Place, suite};
use parlor::cluster::engine::{Asked, Engine};
use parlor::cluster::engine_store::EngineStore;
use parlor::journal::store::Batch;
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
}

impl Place for Shard {
    fn process(&self) -> Arc<dyn Store> {
        Arc::new(EngineStore::new(&self.engine, &self.name))
    }
    fn cabinet(&self) -> Arc<dyn Cabinet> {
        let store = EngineStore::new(&self.engine, &self.name);
        store.take().unwrap();
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
        let (client, subject) = (self.engine.client.clone(), self.subject());
        runtime().block_on(async {
            let js = async_nats::jetstream::new(client.clone());
            let stream = js.get_stream(format!("PARLOR-J{}", subject.split('.').nth(1).unwrap())).await.unwrap();
            let mut bytes = stream.get_last_raw_message_by_subject(&subject).await.unwrap().payload.to_vec();
            *bytes.last_mut().unwrap() ^= 1;
            client.request(subject, bytes.into()).await.unwrap();
        });
    }
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn the_engine_is_a_store() {
    let nats = Arc::new(Nats::start(3, "always"));
    let engine = connect(&nats, &nats.key(), false).unwrap();
    suite(|| Shard::new(&nats, &engine));
    what_lies_there_tells_nothing(&nats, &engine);
}

/// Whoever runs the engine reads sizes and times; whoever has another key reads nothing, and is told so.
fn what_lies_there_tells_nothing(nats: &Arc<Nats>, engine: &Arc<Engine>) {
    let shard = Shard::new(nats, engine);
    let store = shard.process();
    store.take().unwrap();
    let secret = b"a seed that nobody may know";
    assert!(matches!(
        store.append(&Batch { bytes: secret.to_vec(), first: 0, next: 1 }),
        parlor::journal::store::Append::Safe
    ));
    store.keep("pimp.1.0000000000000001.snap", secret).unwrap();
    let raw = runtime().block_on(async {
        let js = async_nats::jetstream::new(engine.client.clone());
        let mut all = Vec::new();
        for (name, subject) in [
            (format!("PARLOR-J{}", shard.subject().split('.').nth(1).unwrap()), shard.subject()),
            ("PARLOR-SNAP".into(), format!("s.{}.t.pimp.1", shard.name)),
        ] {
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
    let refused = EngineStore::new(&stranger, &shard.name).take().unwrap_err().to_string();
    assert!(refused.contains("--cluster-key"), "{refused}");
    // Whoever was refused has taken nothing.
    let next = Batch { bytes: b"more".to_vec(), first: 1, next: 2 };
    assert!(matches!(store.append(&next), parlor::journal::store::Append::Safe));
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
    store.take().unwrap();
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
}

//! Batches of some sizes, one after the other, to the disk of this machine and to an engine.

use std::sync::Arc;
use std::time::Instant;

use parlor::cluster::engine::{Asked, Engine};
use parlor::cluster::engine_store::EngineStore;
use parlor::journal::store::{Append, Batch};
use parlor::journal::{FileStore, Files, Store};

use crate::common::nats::Nats;
use crate::common::scratch;

/// Bytes of a batch, and how many are appended by turns.
const SIZES: [(usize, usize); 4] = [(64, 40), (4 << 10, 40), (64 << 10, 20), (512 << 10, 8)];
const ROUNDS: usize = 8;

/// Appends of one size to one store, in microseconds.
fn append(store: &dyn Store, bytes: usize, count: usize, next: &mut u64) -> Vec<u32> {
    let appended = (0..count).map(|_| {
        let batch = Batch { bytes: vec![7; bytes], first: *next, next: *next + 1 };
        *next += 1;
        let start = Instant::now();
        assert!(matches!(store.append(&batch), Append::Safe));
        start.elapsed().as_micros() as u32
    });
    appended.collect()
}

pub fn compare(nats: &Nats) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (url, key, monitors) = (nats.url(), nats.key(), nats.monitors());
    let asked = Asked { servers: &url, key: &key, monitors: &monitors, trust: false };
    let engine = runtime.block_on(Engine::connect(asked)).unwrap();
    let folder = scratch("appends");
    let disk = FileStore::new(Arc::new(Files::unlocked(&folder)));
    let stores: [Arc<dyn Store>; 2] = [Arc::new(disk), Arc::new(EngineStore::new(&engine, "appends.1"))];
    stores.iter().for_each(|store| store.take().unwrap());
    println!("Appends alone, one after the other: p50 and p99 in ms\n");
    println!("| bytes | disk | engine | ratio of p50 |\n|---:|---:|---:|---:|");
    let mut next = [0; 2];
    for (bytes, count) in SIZES {
        let mut took = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (at, store) in stores.iter().enumerate() {
                took[at].extend(append(&**store, bytes, count, &mut next[at]));
            }
        }
        took.iter_mut().for_each(|took| took.sort_unstable());
        let of = |at: usize, percent: usize| f64::from(took[at][(took[at].len() - 1) * percent / 100]) / 1e3;
        let [disk, engine] = [0, 1].map(|at| format!("{:.2}, {:.2}", of(at, 50), of(at, 99)));
        println!("| {bytes} | {disk} | {engine} | {:.1} |", of(1, 50) / of(0, 50).max(0.001));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

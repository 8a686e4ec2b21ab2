//! Owners die while bots play every game.

use std::time::Duration;

use rustix::process::Signal;

use crate::common::disk::Chance;
use crate::evening::Evening;
use crate::nodes::{Cluster, GAMES, Node, in_words, variable, wait_for};
use crate::replay::Checker;

const NODES: usize = 3;

/// Kills the node that has this shard; its place, and how long it took until another had it.
fn kill_owner(cluster: &mut Cluster, evening: &Evening, shard: &str) -> (usize, Duration) {
    let (at, before) = cluster.owner(shard);
    let victim = cluster.nodes[at].take().unwrap();
    let id = victim.id.clone();
    evening.note_ports(cluster);
    drop(victim);
    let witness = cluster.alive().next().unwrap();
    let took = wait_for("another owner", || {
        let (node, epoch) = witness.owner(shard);
        node.is_some_and(|node| node != id) && epoch > before
    });
    (at, took)
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn owners_die_while_bots_play_every_game() {
    let (kills, seed) = (variable("CLUSTER_KILLS", 6), variable("CLUSTER_SEED", 1));
    println!("CLUSTER_KILLS={kills} CLUSTER_SEED={seed}");
    let mut cluster = Cluster::start(NODES, &[]);
    let mut checker = Checker::new(&cluster.nats, &cluster.key);
    let mut evening = Evening::begin(&cluster);
    let (mut chance, mut takeovers, mut with_engine) = (Chance(seed), Vec::new(), Vec::new());
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(300 + chance.below(1_200) as u64));
        // Every sixth time a server of the engine dies too, or stops for a while.
        let server = (kill % 6 == 5).then(|| chance.below(cluster.nats.len()));
        if let Some(at) = server {
            if chance.below(2) == 0 { cluster.nats.kill(at) } else { cluster.nats.signal(at, Signal::STOP) }
        }
        let shard = format!("{}.1", GAMES[(kill % 3) as usize]);
        let (at, took) = kill_owner(&mut cluster, &evening, &shard);
        if server.is_some() { &mut with_engine } else { &mut takeovers }.push(took);
        if let Some(at) = server {
            cluster.nats.signal(at, Signal::CONT);
            cluster.nats.kill(at);
            cluster.nats.up(at);
            cluster.nats.wait();
        }
        // Another comes in its place, and meanwhile what was heard is looked at.
        std::thread::scope(|scope| {
            let (nats, key) = (&cluster.nats, &cluster.key);
            let starting = scope.spawn(move || Node::start(nats, key, &format!("n{at}"), &[]));
            checker.check(&evening);
            starting.join()
        })
        .map(|node| cluster.nodes[at] = Some(node))
        .unwrap();
        evening.note_ports(&cluster);
        if kill % 10 == 9 {
            let games = evening.games();
            println!("{} kills, {} bytes, {} mirrors, {games:?} games", kill + 1, checker.bytes, checker.mirrors());
        }
    }
    std::thread::sleep(Duration::from_secs(1));
    evening.end();
    checker.check(&evening);
    println!("takeover of a killed owner: {}", in_words(takeovers));
    println!("with a server of the engine killed or stopped as well: {}", in_words(with_engine));
    let (mirrors, games) = (checker.mirrors(), evening.games());
    let Checker { bytes, transcripts, .. } = checker;
    println!(
        "{transcripts} transcripts, {bytes} bytes, all explained; {mirrors} mirrors compared; games ended of {GAMES:?}: {games:?}"
    );
    assert!(bytes > 10_000 && transcripts > 10 && mirrors > 3);
}

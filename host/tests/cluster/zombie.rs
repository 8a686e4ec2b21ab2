//! An owner that was stopped and wakes when its shards are another's: it writes nothing and says nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::common::{handshake, tcp};
use crate::evening::Evening;
use crate::nodes::{Cluster, GAMES, wait_for};
use crate::replay::Checker;

/// A question that a server answers at once.
fn question(game: &str) -> &'static [u8] {
    match game {
        // THROW_DICE, which is refused.
        "pimp" => &[0x21, 0],
        "yard" => b"listgames\r\n",
        _ => b"LOGOUTOTHER,nobody,x\nLOGIN,,x\n",
    }
}

/// A connection that has heard something.
fn come(game: &str, mut stream: TcpStream) -> TcpStream {
    match game {
        "pimp" => _ = handshake(&mut stream),
        "yard" => {
            stream.write_all(b"protocol 2.0\r\n").unwrap();
            stream.read_exact(&mut [0; 6]).unwrap();
        }
        // The server speaks first, one line.
        _ => {
            let mut byte = [0];
            while byte != *b"\n" {
                stream.read_exact(&mut byte).unwrap();
            }
        }
    }
    stream
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn a_stopped_owner_that_wakes_writes_nothing_and_says_nothing() {
    let cluster = Cluster::start(2, &[]);
    let mut checker = Checker::new(&cluster.nats, &cluster.key);
    let mut evening = Evening::begin(&cluster);
    std::thread::sleep(Duration::from_millis(1_500));
    let (at, _) = cluster.owner("pimp.1");
    let [zombie, other] = [at, 1 - at].map(|at| cluster.nodes[at].as_ref().unwrap());
    let had: Vec<(&str, u64)> = GAMES
        .into_iter()
        .map(|game| (game, other.some_owner(&format!("{game}.1"))))
        .filter_map(|(game, (id, epoch))| (id == zombie.id).then_some((game, epoch)))
        .collect();
    // At the zombie, and through the other node to it.
    let mut near: Vec<_> = had.iter().map(|(game, _)| come(game, tcp(zombie.port(game)))).collect();
    let mut spliced: Vec<_> = had.iter().map(|(game, _)| come(game, tcp(other.port(game)))).collect();
    let (status, found) = other.server.http("GET", "/where/pimp/1", &[]);
    assert_eq!(status, 200);
    assert!(found.contains("\"here\":false"), "{found}");
    zombie.server.freeze();
    // It will find questions when it wakes.
    for ((game, _), streams) in had.iter().zip(near.iter_mut().zip(&mut spliced)) {
        streams.0.write_all(question(game)).unwrap();
        let _ = streams.1.write_all(question(game));
    }
    for (game, epoch) in &had {
        let took = wait_for("another owner", || {
            let (node, now) = other.owner(&format!("{game}.1"));
            node.as_ref() == Some(&other.id) && now > *epoch
        });
        println!("{game}.1 of the stopped owner was taken, {took:.2?} after the one before or the stop");
        // Whoever comes to the other node is at home there now.
        come(game, tcp(other.port(game)));
    }
    zombie.server.thaw();
    for stream in near.iter_mut().chain(&mut spliced) {
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        assert!(said.is_empty(), "the zombie spoke: {}", said.escape_ascii());
    }
    for (game, epoch) in &had {
        let shard = format!("{game}.1");
        wait_for("the zombie to know", || zombie.owner(&shard).0.as_ref() == Some(&other.id));
        let (_, epochs) = checker.look(&shard);
        let claim = epochs.iter().position(|found| u64::from(*found) > *epoch).expect("the claim");
        let late = epochs[claim..].iter().filter(|found| u64::from(**found) <= *epoch).count();
        println!("{shard}: {} messages behind the claim, {late} of the zombie's", epochs.len() - claim);
        assert_eq!(late, 0);
    }
    // Bots that were at the zombie heard nothing but what the one log tells, and go on.
    std::thread::sleep(Duration::from_secs(1));
    evening.end();
    checker.check(&evening);
    println!("{} transcripts, {} bytes, all explained", checker.transcripts, checker.bytes);
    assert!(checker.bytes > 1_000);
}

//! A node is drained while bots play: its shards go elsewhere, and nobody hears anything else than what the log tells.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use crate::common::{HELLO, handshake, run, tcp_from};
use crate::evening::Evening;
use crate::nodes::{Cluster, GAMES, Node};
use crate::replay::Checker;

/// What the program says to whoever asks a node.
fn ask(node: &Node, arguments: &[&str]) -> String {
    let http = format!("http://{}", node.server.port("http"));
    let output = run(&[arguments, &["--http", &http]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The value of a figure, by its whole name.
fn figure(page: &str, name: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn a_drained_node_gives_its_shards_away_and_nobody_loses_a_byte() {
    let mut cluster = Cluster::start(2, &[]);
    let mut checker = Checker::new(&cluster.nats, &cluster.key);
    let mut evening = Evening::begin(&cluster);
    std::thread::sleep(Duration::from_secs(2));
    let (at, before) = cluster.owner("pimp.1");
    let [node, other] = [at, 1 - at].map(|at| cluster.nodes[at].as_ref().unwrap());
    let shards: Vec<String> = GAMES.iter().map(|game| format!("{game}.1")).collect();
    let had: Vec<&String> = shards.iter().filter(|shard| other.some_owner(shard).0 == node.id).collect();
    // Any node tells who has what.
    let status = ask(other, &["status", "--cluster"]);
    for shard in &shards {
        let (owner, epoch) = other.some_owner(shard);
        let row = status.lines().find(|line| line.starts_with(shard)).expect(shard);
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[1..3], [owner, epoch.to_string()], "{status}");
        assert_eq!(words.len(), 7, "tables, links, lag and log: {row}");
    }
    let page = node.server.http("GET", "/metrics", &[]).1;
    assert_eq!(figure(&page, "parlor_cluster_nodes"), Some(2.0));
    for shard in &had {
        let of = |name: &str| figure(&page, &format!("parlor_shard_{name}{{shard=\"{shard}\"}}"));
        assert!(of("epoch").is_some_and(|epoch| epoch > 0.0) && of("lag_records").is_some(), "{page}");
        assert!(of("log_messages").is_some_and(|count| count > 0.0), "{page}");
    }
    let told = ask(node, &["drain"]);
    println!("{}", told.trim_end());
    for shard in &had {
        assert!(told.contains(&format!("{shard}: at {} after ", other.id)), "{told}");
        let (owner, epoch) = other.owner(shard);
        assert_eq!(owner.as_ref(), Some(&other.id));
        assert!(**shard != "pimp.1" || epoch > before);
    }
    assert!(told.contains(&format!("{} shards moved, the longest pause ", had.len())), "{told}");
    let page = node.server.http("GET", "/metrics", &[]).1;
    assert_eq!(figure(&page, "parlor_cluster_moved_total"), Some(had.len() as f64));
    assert_eq!(figure(&page, "parlor_cluster_lost_total"), Some(0.0), "a shard that is given is not taken");
    // It takes nothing back, and ends when it is told to; who is connected through it goes on elsewhere.
    std::thread::sleep(Duration::from_secs(1));
    assert!(shards.iter().all(|shard| other.owner(shard).0.as_ref() == Some(&other.id)));
    let mut node = cluster.nodes[at].take().unwrap();
    evening.note_ports(&cluster);
    node.server.terminate();
    assert!(node.server.wait().success());
    std::thread::sleep(Duration::from_secs(1));
    evening.end();
    checker.check(&evening);
    println!("{} transcripts, {} bytes, all explained", checker.transcripts, checker.bytes);
    assert!(checker.bytes > 1_000);
}

/// Whoever is passed on by another node counts at the owner by its own address, which a proxy may have said.
#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn limits_by_address_hold_through_another_node() {
    const PROXY: &str = "127.0.0.9";
    let cluster = Cluster::start(2, &["--proxy-protocol", "--trusted-proxy", PROXY, "--max-per-address", "8"]);
    let (at, _) = cluster.owner("pimp.1");
    let [owner, edge] = [at, 1 - at].map(|at| cluster.nodes[at].as_ref().unwrap());
    let come = |node: &Node, visitor: &str| {
        let mut stream = tcp_from(PROXY, node.port("pimp"));
        stream.write_all(format!("PROXY TCP4 {visitor} 10.0.0.7 51234 13220\r\n").as_bytes()).unwrap();
        stream
    };
    let mut welcome: Vec<_> =
        [owner, edge].iter().flat_map(|node| [node; 4]).map(|node| come(node, "192.0.2.1")).collect();
    welcome.iter_mut().map(handshake).for_each(drop);
    // At the edge it is the fifth from there, at the owner the ninth.
    let mut ninth = come(edge, "192.0.2.1");
    ninth.write_all(HELLO).unwrap();
    let mut said = Vec::new();
    let _ = ninth.read_to_end(&mut said);
    assert!(said.is_empty(), "a ninth was let in: {said:02x?}");
    handshake(&mut come(edge, "192.0.2.2"));
    // Whoever runs the owner sees where they come from, and sends them away.
    let callers = owner.server.http("GET", "/admin/callers", &[]).1;
    assert_eq!(callers.matches("\"address\":\"192.0.2.1\"").count(), 8, "{callers}");
    assert_eq!(owner.server.http("DELETE", "/admin/callers?address=192.0.2.1", &[]).1, "8 connections closed\n");
    for stream in &mut welcome {
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let page = edge.server.http("GET", "/metrics", &[]).1;
    assert!(figure(&page, "parlor_cluster_spliced_total").is_some_and(|count| count >= 5.0));
    assert_eq!(figure(&page, "parlor_cluster_nowhere_total"), Some(0.0), "it was told at once");
}

//! A machine is gone, and with it a server of the engine: nodes come back all the same.

use crate::nodes::{Cluster, Node, wait_for};

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn a_node_starts_while_a_server_of_the_engine_is_away() {
    let mut cluster = Cluster::start(1, &[]);
    assert_eq!(cluster.alive().next().unwrap().doubts(), Vec::<String>::new());
    cluster.nats.kill(2);
    cluster.nodes[0] = None;
    let node = Node::start(&cluster.nats, &cluster.key, "again", &[]);
    let gone = &cluster.nats.monitors()[2];
    let doubts = node.doubts();
    assert!(matches!(&doubts[..], [doubt] if doubt.contains(gone)), "{doubts:?}");
    assert!(node.server.http("GET", "/metrics", &[]).1.contains("\nparlor_cluster_doubted_servers 1\n"));
    // It has what the other had: nothing is wrong with the rest of the engine.
    wait_for("the shard", || node.owner("pimp.1").0.as_ref() == Some(&node.id));
    cluster.nats.up(2);
    wait_for("the end of doubt", || node.doubts().is_empty());
}

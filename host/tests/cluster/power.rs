//! The machine of a shard's owner loses its power: it closes no connection, and nothing that is sent to it comes back. Whoever
//! was passed on to it is told so in seconds, and finds the shard at another node.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use crate::common::nats::Nats;
use crate::common::network::{self, CLIENTS};
use crate::common::{Server, handshake, tcp};
use crate::nodes::{Node, command};

/// Longer than an edge waits for an owner's machine, also where the processor is another's for a while; TCP by itself would wait for
/// a quarter of an hour, or for ever where nothing is said.
const SECONDS: Duration = Duration::from_secs(15);

#[test]
#[ignore = "needs a nats-server: tests/run cluster"]
fn whoever_was_passed_on_to_a_machine_without_power_comes_back() {
    if network::within("power::whoever_was_passed_on_to_a_machine_without_power_comes_back") {
        return;
    }
    let nats = Nats::start_apart(3);
    let (key, place) = (nats.key(), nats.len());
    let address = |number: usize| format!("{}.{number}", CLIENTS.map(|part| part.to_string()).join("."));
    let there = address(place + 1);
    let mut owner = command(&nats, &key, "owner", &there);
    owner.args(["--cluster-trust", "--cluster-inner", &format!("{there}:0")]);
    let owner = Server::spawn(nats.network().enter(place, &owner));
    // A shard where somebody is stays where it is.
    let mut guest = tcp(owner.port("pimp"));
    handshake(&mut guest);
    let edge =
        Node::start(&nats, &key, "edge", &["--cluster-trust", "--cluster-inner", &format!("{}:0", address(254))]);
    let [mut silent, mut speaking] = [(); 2].map(|()| tcp(edge.port("pimp")));
    [&mut silent, &mut speaking].into_iter().for_each(|stream| _ = handshake(stream));
    let (_, found) = edge.server.http("GET", "/where/pimp/1", &[]);
    assert!(found.contains("\"here\":false"), "{found}");
    nats.network().unplug(place);
    let cut = Instant::now();
    // What is said is sent again and again; where nothing is said, the edge asks.
    speaking.write_all(&[0x21, 0]).unwrap();
    for (who, stream) in [("whoever is silent", &mut silent), ("whoever speaks", &mut speaking)] {
        stream.set_read_timeout(Some(SECONDS.saturating_sub(cut.elapsed()).max(Duration::from_millis(1)))).unwrap();
        let heard = stream.read(&mut [0; 64]);
        let is_ended = matches!(&heard, Ok(0))
            || matches!(&heard, Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset);
        assert!(is_ended, "{who} hears {heard:?} after {:.1?}", cut.elapsed());
        println!("{who} was told {:.1?} after the power went", cut.elapsed());
    }
    handshake(&mut tcp(edge.port("pimp")));
    println!("the shard was answered for {:.1?} after the power went", cut.elapsed());
}

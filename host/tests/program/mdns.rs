//! `NAME.local` with the real program: asked, contradicted and left over real datagrams, on this machine's own network.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::time::{Duration, Instant};

use crate::common::{PATIENCE, Server, parlor, scratch};
use socket2::{Domain, Socket, Type};

const GROUP: Ipv4Addr = Ipv4Addr::new(224, 0, 0, 251);
const PORT: u16 = 5353;
const HERE: Ipv4Addr = Ipv4Addr::LOCALHOST;
const A: u8 = 1;
const PTR: u8 = 12;
const TXT: u8 = 16;
const SRV: u8 = 33;

fn start(name: &str) -> Server {
    Server::start(&["--mdns", name, "--mdns-at", "127.0.0.1"])
}

/// Somebody in the network. `port` 0: who asks as plain DNS does, and is answered alone.
fn somebody(port: u16) -> UdpSocket {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
    socket.set_reuse_address(true).unwrap();
    let at = if port == 0 { HERE } else { GROUP };
    socket.bind(&SocketAddrV4::new(at, port).into()).unwrap();
    if port != 0 {
        socket.join_multicast_v4(&GROUP, &HERE).unwrap();
    }
    socket.set_multicast_if_v4(&HERE).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    socket.into()
}

fn name(labels: &[&str]) -> Vec<u8> {
    let labels = labels.iter().flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat());
    labels.chain([0]).collect()
}

fn question(labels: &[&str], kind: u8) -> Vec<u8> {
    [b"\x12\x34\0\0\0\x01\0\0\0\0\0\0", &name(labels)[..], &[0, kind, 0, 1]].concat()
}

/// The head of a record that is the sender's alone, up to its time.
fn record(labels: &[&str], kind: u8) -> Vec<u8> {
    [&name(labels)[..], &[0, kind, 0x80, 1]].concat()
}

fn has(packet: &[u8], bytes: &[u8]) -> bool {
    packet.windows(bytes.len()).any(|window| window == bytes)
}

fn is_response(packet: &[u8]) -> bool {
    packet[2] & 0x80 != 0
}

fn to_all(socket: &UdpSocket, packet: &[u8]) {
    socket.send_to(packet, (GROUP, PORT)).unwrap();
}

/// The next packet like this; between two, `meanwhile` is done.
fn hear(socket: &UdpSocket, mut meanwhile: impl FnMut(), is_it: impl Fn(&[u8]) -> bool) -> (Vec<u8>, SocketAddr) {
    let end = Instant::now() + PATIENCE;
    let mut packet = [0; 1500];
    while Instant::now() < end {
        match socket.recv_from(&mut packet) {
            Ok((length, from)) if length >= 12 && is_it(&packet[..length]) => return (packet[..length].to_vec(), from),
            Ok(_) => {}
            Err(_) => meanwhile(),
        }
    }
    panic!("nothing came");
}

/// Asks as plain DNS does until there is an answer: who is called so may not be sure of it yet.
fn ask(labels: &[&str], kind: u8) -> Vec<u8> {
    let socket = somebody(0);
    to_all(&socket, &question(labels, kind));
    let (answer, from) = hear(&socket, || to_all(&socket, &question(labels, kind)), is_response);
    assert_eq!(from, SocketAddr::from((HERE, PORT)));
    answer
}

#[test]
fn a_server_is_found_by_its_name_and_as_a_service() {
    let server = start("games-at-home");
    let port = server.port("http").port().to_be_bytes();
    let answer = ask(&["GAMES-at-home", "local"], A);
    assert!(answer.starts_with(b"\x12\x34\x84\0\0\x01\0\x01") && answer.ends_with(&HERE.octets()), "{answer:02x?}");
    for service in ["_http", "_parlor"] {
        // Other servers may answer as well: this one is asked for by its own name then.
        let own = ["games-at-home", service, "_tcp", "local"];
        let all = somebody(PORT);
        let asked = question(&[service, "_tcp", "local"], PTR);
        to_all(&all, &asked);
        hear(&all, || to_all(&all, &asked), |packet| is_response(packet) && has(packet, &name(&own)));
        let place = ask(&own, SRV);
        assert!(place.ends_with(&[&port[..], &name(&["games-at-home", "local"])].concat()), "{place:02x?}");
        assert!(has(&ask(&own, TXT), b"games=pimp"));
    }
    let (_, now) = server.http("GET", "/now", &[]);
    assert!(now.contains(&format!("http://games-at-home.local:{}/", server.port("http").port())), "{now}");
}

#[test]
fn the_longest_name_has_room() {
    let longest = "x".repeat(57);
    let server = start(&longest);
    let all = somebody(PORT);
    // What is said without being asked: everything at once.
    let place = [&record(&[&longest, "_parlor", "_tcp", "local"], SRV)[..], &[0, 0, 0, 120]].concat();
    let (said, _) = hear(&all, || (), |packet| is_response(packet) && has(packet, &place));
    assert!(has(&said, &server.port("http").port().to_be_bytes()) && has(&said, b"games=pimp"));
}

#[test]
fn who_stops_says_so() {
    let mut server = start("games-until-ten");
    ask(&["games-until-ten", "local"], A);
    let all = somebody(PORT);
    server.terminate();
    let gone = [&record(&["games-until-ten", "local"], A)[..], &[0; 4]].concat();
    hear(&all, || (), |packet| is_response(packet) && has(packet, &gone));
    assert!(server.wait().success());
}

#[test]
fn a_name_that_somebody_has_is_left_to_them() {
    let all = somebody(PORT);
    let server = start("games-taken");
    // Somebody at another address says that the name is theirs whenever it is asked for.
    let probe = [&name(&["games-taken", "local"])[..], &[0, 255]].concat();
    hear(&all, || (), |packet| !is_response(packet) && has(packet, &probe));
    let claim = [&record(&["games-taken", "local"], A)[..], &[0, 0, 0, 120, 0, 4, 10, 9, 9, 9]].concat();
    to_all(&all, &[b"\0\0\x84\0\0\0\0\x01\0\0\0\0", &claim[..]].concat());
    assert!(ask(&["games-taken-2", "local"], A).ends_with(&HERE.octets()));
    let (_, now) = server.http("GET", "/now", &[]);
    assert!(now.contains("http://games-taken-2.local:") && !now.contains("games-taken.local"), "{now}");
}

#[test]
fn two_servers_on_one_machine_have_two_names() {
    let both = [start("games-twice"), start("games-twice")];
    for name in ["games-twice", "games-twice-2"] {
        ask(&[name, "local"], A);
    }
    let end = Instant::now() + PATIENCE;
    let is_named = |server: &Server, name: &str| {
        let (_, now) = server.http("GET", "/now", &[]);
        now.contains(&format!("http://{name}.local:{}/", server.port("http").port()))
    };
    let are_two = || {
        let first = both.each_ref().map(|server| is_named(server, "games-twice"));
        let second = both.each_ref().map(|server| is_named(server, "games-twice-2"));
        first.iter().filter(|is| **is).count() == 1 && first != second && second.contains(&true)
    };
    while !are_two() {
        assert!(Instant::now() < end, "both have one name");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Nobody could come: nothing is said, but why.
#[test]
fn pages_for_this_machine_alone_are_announced_nowhere() {
    let log = scratch("mdns").join("log");
    let mut command = parlor();
    command.args(["--pimp", "off", "--http", "127.0.0.1:0", "--mdns", "games-alone"]);
    command.stderr(File::create(&log).unwrap());
    let server = Server::spawn(command);
    assert_eq!(server.http("GET", "/healthz", &[]).0, 200);
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("--mdns announces nothing"), "{said}");
}

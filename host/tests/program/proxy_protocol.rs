//! The PROXY protocol over real connections: a proxy that is trusted speaks for others at every door, and nobody else does.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::common::{self, HELLO, Server, handshake, tcp, tcp_from, tls, ws};
use tungstenite::Message;

/// The address of loopback that is believed.
const PROXY: &str = "127.0.0.9";
const FLAGS: [&str; 7] = ["--proxy-protocol", "--trusted-proxy", PROXY, "--token", "sesame", "--max-per-address", "2"];

fn start(more: &[&str]) -> Server {
    Server::start(&[&FLAGS, more].concat())
}

/// What a proxy says first, for a visitor.
fn line(visitor: &str) -> Vec<u8> {
    format!("PROXY TCP4 {visitor} 10.0.0.7 51234 13220\r\n").into_bytes()
}

/// The same in version 2, with something behind the addresses that is to be passed over.
fn binary(visitor: [u8; 4]) -> Vec<u8> {
    let more = [0x05, 0, 3, 1, 2, 3];
    [&b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x12"[..], &visitor, &[10, 0, 0, 7, 0xc8, 0x22, 0x33, 0xa4], &more].concat()
}

/// A connection from the proxy that begins so.
fn through(to: SocketAddr, header: &[u8]) -> TcpStream {
    let mut stream = tcp_from(PROXY, to);
    stream.write_all(header).unwrap();
    stream
}

/// The server has closed, and said nothing.
fn is_refused(mut stream: TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

/// What the page at this path says to whoever has the token. Each question comes from another address: those before it may
/// still be counted.
fn ask(server: &Server, path: &str) -> String {
    static ASKED: AtomicU8 = AtomicU8::new(1);
    let from = format!("127.0.1.{}", ASKED.fetch_add(1, Ordering::Relaxed).max(1));
    let answer = get(tcp_from(&from, server.port("http")), path);
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    body.into()
}

fn get(mut stream: TcpStream, path: &str) -> String {
    let head = "Host: localhost\r\nConnection: close\r\nAuthorization: Bearer sesame";
    stream.write_all(format!("GET {path} HTTP/1.1\r\n{head}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Every address that is at a table.
fn callers(server: &Server) -> Vec<String> {
    let list = ask(server, "/admin/callers");
    let mut found: Vec<String> =
        list.split("\"address\":\"").skip(1).map(|rest| rest.split('"').next().unwrap().into()).collect();
    found.sort();
    found
}

fn refused_headers(server: &Server) -> String {
    let page = ask(server, "/metrics");
    let line = page.lines().find_map(|line| line.strip_prefix("parlor_refused_total{reason=\"proxy_header\"} "));
    line.expect("a figure").into()
}

#[test]
fn limits_count_the_visitor_and_not_the_proxy() {
    let server = start(&[]);
    let port = server.port("pimp");
    let mut one = [through(port, &line("192.0.2.1")), through(port, &binary([192, 0, 2, 1]))];
    one.iter_mut().map(handshake).for_each(drop);
    assert!(is_refused(through(port, &line("192.0.2.1"))), "a third from there");
    let mut other = through(port, &binary([192, 0, 2, 2]));
    handshake(&mut other);
    assert_eq!(callers(&server), ["192.0.2.1", "192.0.2.1", "192.0.2.2"]);
    // Whoever leaves makes room for another from there, when the server has noticed.
    drop(one);
    let is_served = || {
        let mut again = through(port, &[&line("192.0.2.1"), HELLO].concat());
        matches!(again.read(&mut [0]), Ok(1))
    };
    while !is_served() {
        std::thread::yield_now();
    }
    // The proxy itself, which only looks whether anybody is at home, has no such limit.
    let mut own: Vec<_> = (0..4).map(|_| through(port, b"PROXY UNKNOWN\r\n")).collect();
    own.push(through(port, b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"));
    own.iter_mut().map(handshake).for_each(drop);
    assert_eq!(refused_headers(&server), "0");
}

#[test]
fn a_header_may_come_in_pieces_and_with_what_follows() {
    let server = start(&[]);
    for header in [line("192.0.2.1"), binary([192, 0, 2, 2])] {
        let mut slow = tcp_from(PROXY, server.port("pimp"));
        for byte in header.iter().chain(HELLO) {
            slow.write_all(&[*byte]).unwrap();
        }
        let mut answer = [0; 2];
        slow.read_exact(&mut answer).unwrap();
        assert_eq!(answer, [0x01, 4]);
        let mut at_once = through(server.port("pimp"), &[&header[..], HELLO].concat());
        at_once.read_exact(&mut answer).unwrap();
        assert_eq!(answer, [0x01, 4]);
    }
}

#[test]
fn it_is_the_same_at_every_door() {
    let server = start(&["--tls", "self-signed", "--yard", "127.0.0.1:0"]);
    // TLS begins behind the header.
    let mut secure = tls(through(server.port("pimp"), &line("192.0.2.1")));
    handshake(&mut secure);
    let mut lines = through(server.port("yard"), &binary([192, 0, 2, 2]));
    lines.write_all(b"protocol 2.0\r\n").unwrap();
    let mut answer = [0; 6];
    lines.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"- ok\r\n");
    // WebSocket, on the table's own port and on the port of pages.
    let mut sockets = [
        ws(through(server.port("pimp-ws"), &line("192.0.2.3")), "/"),
        ws(through(server.port("http"), &binary([192, 0, 2, 4])), "/ws/pimp"),
    ];
    for socket in &mut sockets {
        socket.send(Message::Binary(HELLO.to_vec().into())).unwrap();
        assert!(matches!(socket.read().unwrap(), Message::Binary(bytes) if bytes[..2] == [0x01, 4]));
    }
    assert_eq!(callers(&server), ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]);
}

#[test]
fn nobody_behind_a_proxy_is_of_this_machine() {
    let server = Server::start(&FLAGS[..3]);
    let pages = server.port("http");
    let status = |stream, path| get(stream, path).split(' ').nth(1).unwrap_or("nothing").to_owned();
    assert_eq!(status(tcp(pages), "/tables"), "200");
    for header in [line("127.0.0.1"), binary([127, 0, 0, 1]), b"PROXY UNKNOWN\r\n".to_vec()] {
        assert_eq!(status(through(pages, &header), "/tables"), "401");
        assert_eq!(status(through(pages, &header), "/healthz"), "200");
    }
}

#[test]
fn who_is_banned_is_banned_behind_a_proxy() {
    let server = start(&[]);
    let admin = |order: &str| {
        let http = format!("http://{}", server.port("http"));
        let output = common::run(&["admin", "--http", &http, "--token", "sesame", order, "192.0.2.7"]);
        assert!(output.status.success(), "{output:?}");
    };
    admin("ban");
    assert!(is_refused(through(server.port("pimp"), &line("192.0.2.7"))));
    handshake(&mut through(server.port("pimp"), &line("192.0.2.8")));
    admin("unban");
    handshake(&mut through(server.port("pimp"), &line("192.0.2.7")));
}

#[test]
fn what_is_no_header_closes_the_connection() {
    let server = start(&[]);
    let mut cut = binary([192, 0, 2, 1]);
    cut[15] = 4; // Shorter than two addresses.
    let mut endless = binary([192, 0, 2, 1]);
    endless[14] = 0xff;
    let long = [&b"PROXY UNKNOWN "[..], &[b'x'; 100]].concat();
    let words: [&[u8]; 8] = [
        HELLO,
        b"GET / HTTP/1.1\r\n\r\n",
        b"PROXY TCP4 192.0.2.1\r\n",
        b"PROXY TCP4 192.0.2.256 10.0.0.7 1 2\r\n",
        b"\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c",
        &cut,
        &endless,
        &long,
    ];
    for word in words {
        assert!(is_refused(through(server.port("pimp"), word)), "{}", word.escape_ascii());
    }
    assert_eq!(refused_headers(&server), words.len().to_string());
    handshake(&mut through(server.port("pimp"), &line("192.0.2.1")));
}

#[test]
fn others_are_not_believed() {
    let server = start(&["--yard", "127.0.0.1:0"]);
    // To the game it is a line like any other, and one that it does not know.
    let mut liar = tcp(server.port("yard"));
    liar.write_all(&line("192.0.2.1")).unwrap();
    let mut answer = [0; 5];
    liar.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"- bad");
    assert_eq!(callers(&server), ["127.0.0.1"]);
    // Without one they are let in as ever.
    handshake(&mut server.tcp());
    // And where nothing was said of the protocol, a trusted proxy's header is nothing either.
    let server = Server::start(&["--trusted-proxy", PROXY, "--yard", "127.0.0.1:0"]);
    let mut early = through(server.port("yard"), &line("192.0.2.1"));
    early.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"- bad");
}

//! A game that is nothing but its room, its page and a line in the list has all that the others have: a port, WebSocket, a
//! page, bots, a journal that outlives `kill -9`, a replay, a place in the lists. Run by `tests/run example-game`.

use std::io::{Read as _, Write as _};

use crate::common::{Server, run, scratch, tcp, ws};
use parlor::games::GAMES;
use tungstenite::Message;

/// The example is the last of the list.
fn name() -> &'static str {
    GAMES.last().unwrap().name
}

fn start(more: &[&str]) -> Server {
    let flag = format!("--{}", name());
    Server::start(&[&[&flag, "127.0.0.1:0"], more].concat())
}

/// Says something, and reads so many bytes of what is answered.
fn ask(server: &Server, said: &[u8], length: usize) -> Vec<u8> {
    let mut stream = tcp(server.port(name()));
    stream.write_all(said).unwrap();
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer).unwrap();
    answer
}

#[test]
fn it_has_ports_a_page_and_a_place_in_the_lists() {
    let server = start(&[]);
    assert_eq!(ask(&server, b"E\x02hi", 4), b"E\x02hi");
    let mut socket = ws(tcp(server.port("http")), &format!("/ws/{}/1", name()));
    socket.send(Message::binary(&b"E\x03web"[..])).unwrap();
    assert_eq!(socket.read().unwrap().into_data(), &b"E\x03web"[..]);
    let mut page = tcp(server.port("http"));
    let request = format!("GET /{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", name(), server.port("http"));
    page.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    page.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200 OK"), "{}", answer.escape_ascii());
    for path in ["/lobby", "/tables"] {
        let (status, body) = server.http("GET", path, &[]);
        assert!(status == 200 && body.contains(name()), "{path}: {body}");
    }
    let status = run(&["status", "--http", &server.port("http").to_string()]);
    assert!(String::from_utf8_lossy(&status.stdout).contains(name()));
}

#[test]
fn its_bots_play() {
    let server = start(&[]);
    let target = server.port(name()).to_string();
    let output = run(&["bot", "--game", name(), "--connect", &target, "--players", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("won"));
}

#[test]
fn it_outlives_the_process() {
    let data = scratch("example-game");
    let flags = ["--data", data.to_str().unwrap()];
    let moved = b"M\x03\x00\x01\x05";
    let server = start(&flags);
    assert_eq!(ask(&server, &[b"J\x01\x00", &moved[..]].concat(), 4 + moved.len())[4..], moved[..]);
    // A server that is dropped was killed.
    drop(server);
    let replay = run(&["replay", data.to_str().unwrap()]);
    let told = String::from_utf8_lossy(&replay.stdout);
    assert!(replay.status.success() && told.contains("said again as they were said"), "{told}");
    assert_eq!(ask(&start(&flags), b"D\x00", 8), b"D\x02\x00\x5fD\x02\x01\x69");
}

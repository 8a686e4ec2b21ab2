//! The front door over HTTP: who plays what, the way in for friends, files that never change.

use std::io::{Read, Write};

use crate::common::{self, Server, handshake};
use serde_json::{Value, json};

fn now(server: &Server, headers: &[(&str, &str)]) -> Value {
    let (status, body) = server.http("GET", "/now", headers);
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[test]
fn the_door_tells_who_sits_where() {
    let server = Server::start(&["--yard", "127.0.0.1:0"]);
    let empty = now(&server, &[]);
    let names: Vec<_> = empty["games"].as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pimp", "yard"]);
    let mut ann = server.tcp();
    handshake(&mut ann);
    // JOIN as a player: piece 0, "ann"; WELCOME_DETAILS follows.
    ann.write_all(&[0x02, 6, 0, 1, 3, b'a', b'n', b'n']).unwrap();
    ann.read_exact(&mut [0; 2]).unwrap();
    let game = &now(&server, &[])["games"][0];
    let table = json!({
        "place": "1", "stage": "filling", "seats": 8, "turn": 0,
        "players": [{ "name": "ann", "is_here": true }], "watchers": [],
    });
    assert_eq!(game["tables"], json!([table]));
    assert!(game["rules"].as_array().unwrap().iter().any(|rule| rule["value"] == "8"), "{game}");
    // Who is gone keeps the seat.
    drop(ann);
    while now(&server, &[])["games"][0]["tables"][0]["players"][0]["is_here"] == true {}
    assert_eq!(server.http("GET", "/now", &[("Origin", "http://elsewhere.example")]).0, 403);
}

#[test]
fn friends_are_told_an_address_only_where_there_is_one() {
    let server = Server::start(&[]);
    assert_eq!(now(&server, &[])["addresses"], json!([]));
    let here = server.port("http");
    let code = |url: &str| server.http("GET", &format!("/qr.svg?{url}"), &[]);
    let (status, picture) = code(&format!("http://{here}/pimp?table=1"));
    assert!(status == 200 && picture.starts_with("<svg "), "{picture}");
    for url in ["", "http://elsewhere.example/", "javascript:alert(1)", &format!("ftp://{here}/")] {
        assert_eq!(code(url).0, 404, "{url}");
    }
    assert_eq!(code(&format!("http://{here}/{}", "x".repeat(400))).0, 404);
}

#[test]
fn a_file_of_a_version_is_kept_for_ever() {
    let server = Server::start(&[]);
    let head = |path: &str| {
        let mut stream = common::tcp(server.port("http"));
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).to_lowercase()
    };
    // Nobody asks for another version of a page's files than the one that the page names.
    assert!(head("/0123456789ab/pimp/page.css").contains("cache-control: no-cache"));
    assert!(head("/pimp/page.css").contains("cache-control: no-cache"));
    assert!(head("/0123456789ab/lib/none.js").starts_with("http/1.1 404"));
}

/// Anybody at the page may call bots to a table where somebody sits, for who sits there lets them in; nobody else may.
#[test]
fn bots_come_to_whoever_sits_at_a_table() {
    let server = Server::start(&["--host-name", "box.example"]);
    let far = [("Host", "box.example"), ("Origin", "http://box.example"), ("X-Forwarded-For", "10.0.0.9")];
    let ask = |headers: &[(&str, &str)]| server.http("POST", "/tables/1/bots", headers).0;
    let pace = |table: &str| server.http_with("PUT", &format!("/bots/pimp/{table}"), &far, "{\"pace\":100}");
    assert_eq!(ask(&far), 401);
    assert_eq!((pace("1").0, pace("7").0), (401, 404));
    let mut ann = server.tcp();
    handshake(&mut ann);
    ann.write_all(&[0x02, 6, 0, 1, 3, b'a', b'n', b'n']).unwrap();
    ann.read_exact(&mut [0; 2]).unwrap();
    assert_eq!(ask(&far), 202);
    // How long it thinks is the matter of who plays there, and any of them may say it.
    assert_eq!(pace("1"), (200, "true".into()));
    let mut stranger = common::tcp_from("127.0.0.9", server.port("http"));
    let head =
        "PUT /bots/pimp/1 HTTP/1.1\r\nHost: box.example\r\nX-Forwarded-For: 127.0.0.1\r\nContent-Length: 12\r\n\r\n";
    stranger.write_all(format!("{head}{{\"pace\":100}}").as_bytes()).unwrap();
    let mut status = [0; 12];
    stranger.read_exact(&mut status).unwrap();
    assert_eq!(status, *b"HTTP/1.1 401", "nobody sits there from its address");
    assert_eq!(ask(&[far[0], far[2]]), 401);
    assert_eq!(ask(&[far[0], ("Origin", "http://elsewhere.example"), far[2]]), 403);
}

//! Health, metrics and tables over HTTP; bots and status as programs.

use std::io::{Read, Write};

use crate::common::{Server, handshake, run, tcp};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn health_and_metrics_are_for_everybody() {
    let server = Server::start(&["--tables", "2"]);
    let far = [("Host", "box.local"), ("X-Forwarded-For", "10.0.0.9")];
    assert_eq!(server.http("GET", "/healthz", &far), (200, "ok\n".into()));
    let mut client = server.tcp();
    handshake(&mut client);
    handshake(&mut client);
    // THROW_DICE, from somebody who has not even joined.
    client.write_all(&[0x21, 0]).unwrap();
    client.read_exact(&mut [0; 3]).unwrap();
    let (status, page) = server.http("GET", "/metrics", &far);
    assert_eq!(status, 200);
    for line in [
        "parlor_tables 2",
        "parlor_links 1",
        "parlor_commands_total 3",
        "parlor_bytes_total{direction=\"in\"} 8",
        "parlor_frames_total{game=\"pimp\",type=\"HANDSHAKE\",direction=\"in\"} 2",
        "parlor_frames_total{game=\"pimp\",type=\"HANDSHAKE_ACKNOWLEDGE\",direction=\"out\"} 2",
        "parlor_frames_total{game=\"pimp\",type=\"THROW_DICE\",direction=\"in\"} 1",
        "parlor_frames_total{game=\"pimp\",type=\"ERROR_UNEXPECTED_MESSAGE\",direction=\"out\"} 1",
        "parlor_refused_total{reason=\"total\"} 0",
        "parlor_lagging_links_total 0",
    ] {
        assert!(page.lines().any(|found| found == line), "no `{line}` in\n{page}");
    }
}

#[test]
fn tables_are_listed_and_made() {
    let server = Server::start(&["--max-tables", "2"]);
    let mut client = server.tcp();
    let game = handshake(&mut client);
    let (status, body) = server.http("GET", "/tables", &[]);
    assert_eq!(status, 200);
    let list = json(&body);
    let first = &list["tables"][0];
    assert_eq!((&first["table"], &first["game"]), (&1.into(), &"pimp".into()));
    assert_eq!((&first["users"], &first["phase"]), (&0.into(), &"idle".into()));
    assert_eq!(first["ports"]["tcp"][0], server.port("pimp").to_string());
    assert_eq!(first["ports"]["ws"][0], server.port("pimp-ws").to_string());

    let (status, body) = server.http("POST", "/tables", &[]);
    assert_eq!(status, 201);
    let made = json(&body);
    assert_eq!((&made["table"], &made["path"]), (&2.into(), &"/ws/pimp/2".into()));
    let port = made["ports"]["tcp"][0].as_str().unwrap().parse().unwrap();
    assert_ne!(handshake(&mut tcp(port)), game);
    assert_eq!(server.http("POST", "/tables", &[]).0, 503);
    assert_eq!(server.http("GET", "/nowhere", &[]).0, 404);
}

#[test]
fn tables_that_were_made_can_be_removed() {
    let server = Server::start(&["--max-tables", "2"]);
    let made = json(&server.http("POST", "/tables", &[]).1);
    let port = made["ports"]["tcp"][0].as_str().unwrap().parse().unwrap();
    let mut client = tcp(port);
    handshake(&mut client);
    assert_eq!(server.http("DELETE", "/tables/1", &[]).0, 409, "it is always there");
    assert_eq!(server.http("DELETE", "/tables/7", &[]).0, 404);
    assert_eq!(server.http("DELETE", "/tables/2", &[("X-Forwarded-For", "10.0.0.9")]).0, 401);
    assert_eq!(server.http("DELETE", "/tables/2", &[]), (204, String::new()));
    // Whoever was there is told by the end of the connection, and nobody comes any more.
    assert_eq!(client.read(&mut [0; 16]).unwrap(), 0);
    assert_eq!(server.http("DELETE", "/tables/2", &[]).0, 404);
    assert_eq!(json(&server.http("GET", "/tables", &[]).1)["tables"].as_array().unwrap().len(), 1);
    // There is room for another, whose number nobody had.
    let made = json(&server.http("POST", "/tables", &[]).1);
    assert_eq!((&made["table"], &made["path"]), (&3.into(), &"/ws/pimp/3".into()));
}

const COMMANDS: [(&str, &str); 3] = [("GET", "/tables"), ("POST", "/tables"), ("POST", "/tables/1/bots")];

fn is_done(status: u16) -> bool {
    (200..300).contains(&status)
}

#[test]
fn without_a_token_commands_need_this_machine() {
    let server = Server::start(&[]);
    for (method, path) in COMMANDS {
        let ask = |headers: &[(&str, &str)]| server.http(method, path, headers).0;
        assert!(is_done(ask(&[])) && is_done(ask(&[("Origin", "http://localhost:8080")])));
        assert_eq!(ask(&[("Host", "box.local")]), 401);
        assert_eq!(ask(&[("Host", "rebound.example")]), 421);
        assert_eq!(ask(&[("Origin", "http://evil.example")]), 403);
        // Whatever a proxy may say of itself, be it one that says who asks or one that does not.
        for sign in ["X-Forwarded-For", "X-Real-IP", "Via", "Forwarded", "CF-Connecting-IP", "X-Forwarded-Proto"] {
            assert_eq!(ask(&[(sign, "127.0.0.1")]), 401, "{sign}");
        }
        let mut old = tcp(server.port("http"));
        old.write_all(format!("{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        old.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(" 401 "), "{answer}");
    }
}

#[test]
fn where_there_is_a_token_everybody_needs_it() {
    let server = Server::start(&["--token", "open sesame"]);
    let token = ("Authorization", "Bearer open sesame");
    for (method, path) in COMMANDS {
        let ask = |headers: &[(&str, &str)]| server.http(method, path, headers).0;
        assert_eq!(ask(&[]), 401, "a proxy's request may look like one from here");
        assert_eq!(ask(&[("Authorization", "Bearer open barley")]), 401);
        assert_eq!(ask(&[token, ("Origin", "http://evil.example")]), 403);
        assert!(is_done(ask(&[token])) && is_done(ask(&[token, ("X-Forwarded-For", "10.0.0.9")])));
    }
    let address = server.port("http").to_string();
    assert!(!run(&["status", "--http", &address]).status.success());
    assert!(run(&["status", "--http", &address, "--token", "open sesame"]).status.success());
}

#[test]
fn only_names_of_the_server_are_answered_to() {
    let server = Server::start(&["--host-name", "games.example"]);
    for path in ["/", "/lobby", "/healthz", "/metrics", "/pimp", "/tables"] {
        assert_eq!(server.http("GET", path, &[("Host", "evil.example")]).0, 421, "{path}");
        assert_ne!(server.http("GET", path, &[("Host", "games.example:8080")]).0, 421, "{path}");
    }
    let upgrade = |flag: &str, path: &str, host: &str| {
        let mut stream = tcp(server.port(flag));
        let key = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{key}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        String::from_utf8_lossy(&status[9..]).into_owned()
    };
    for (flag, path) in [("http", "/ws/pimp"), ("pimp-ws", "/")] {
        assert_eq!(upgrade(flag, path, "games.example"), "101");
        assert_eq!(upgrade(flag, path, "evil.example"), "421");
    }
}

#[test]
fn the_page_is_served_from_the_program() {
    let server = Server::start(&[]);
    let far = [("Host", "box.local"), ("X-Forwarded-For", "10.0.0.9")];
    let ask = |path: &str, extra: &str| {
        let mut stream = tcp(server.port("http"));
        let request = format!("GET {path} HTTP/1.1\r\nHost: box.local\r\nConnection: close\r\n{extra}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap().to_lowercase(), answer[end + 4..].to_vec())
    };
    let (head, body) = ask("/", "Accept-Encoding: gzip\r\n");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    for line in [
        "content-type: text/html; charset=utf-8",
        "content-encoding: gzip",
        "cache-control: no-cache",
        "x-content-type-options: nosniff",
        "content-security-policy: default-src 'self'; ",
    ] {
        assert!(head.contains(line), "no `{line}` in\n{head}");
    }
    assert_eq!(body[..3], [0x1f, 0x8b, 8], "gzip");
    // A page is always sent; of its files, what is known is not sent again, and another version would be.
    assert!(!head.contains("etag: "), "{head}");
    assert!(ask("/front/index.html", "If-None-Match: \"other\"\r\n").0.starts_with("http/1.1 200"));
    let (head, _) = ask("/pimp/page.css", "Accept-Encoding: gzip\r\n");
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let (head, body) = ask("/pimp/page.css", &format!("Accept-Encoding: gzip\r\nIf-None-Match: {tag}\r\n"));
    assert!(head.starts_with("http/1.1 304") && body.is_empty(), "{head}");
    // Whoever does not take gzip gets it as it is, under another tag.
    let (plain, _) = ask("/pimp/page.css", &format!("Accept-Encoding: br, gzip;q=0\r\nIf-None-Match: {tag}\r\n"));
    assert!(plain.starts_with("http/1.1 200") && !plain.contains("content-encoding"), "{plain}");
    assert!(plain.contains("etag: ") && !plain.contains(tag), "{plain}");
    let (plain, text) = ask("/", "Accept-Encoding: br, gzip;q=0\r\n");
    assert!(text.starts_with(b"<!doctype html>"), "{}", String::from_utf8_lossy(&text[..99]));
    assert!(plain.contains("vary: accept-encoding"), "{plain}");
    // In the language that its reader asks for.
    assert!(plain.contains("accept-language"), "{plain}");
    for (asked, told) in [
        ("he-IL, en;q=0.5", "lang=\"he\" dir=\"rtl\""),
        ("fr, de;q=0.4", "lang=\"de\" dir=\"ltr\""),
        ("fr", "lang=\"en\""),
    ] {
        let (head, page) = ask("/pimp", &format!("Accept-Language: {asked}\r\n"));
        let page = String::from_utf8_lossy(&page).into_owned();
        assert!(head.starts_with("http/1.1 200") && page.contains(told), "{asked}: {page}");
    }
    // A page of each game; links from before there were several lead to the first one's tables.
    assert!(ask("/pimp?table=7", "").0.contains("content-type: text/html"));
    assert!(ask("/yard?game=g", "").0.contains("content-type: text/html"));
    let (head, _) = ask("/?table=7", "");
    assert!(head.starts_with("http/1.1 308") && head.contains("location: /pimp?table=7"), "{head}");
    assert!(ask("/pimp/main.js", "").0.contains("content-type: text/javascript"));
    assert!(ask("/pimp/page.css", "").0.contains("content-type: text/css"));
    for path in
        ["/nowhere.js", "/lib", "/lib/nowhere.js", "/..%2fCargo.toml", "/lib/..%2f..%2fCargo.toml", "/web/lib/dom.js"]
    {
        assert_eq!(server.http("GET", path, &far).0, 404, "{path}");
    }
}

#[test]
fn the_lobby_is_for_everybody_who_may_load_the_page() {
    let server = Server::start(&["--tables", "2", "--pot", "off", "--max-players", "5"]);
    let (status, body) = server.http("GET", "/lobby", &[("Host", "box.local"), ("X-Forwarded-For", "10.0.0.9")]);
    assert_eq!(status, 200);
    let lobby = json(&body);
    assert_eq!((&lobby["may_command"], &lobby["tables"][1]["table"]), (&false.into(), &2.into()));
    assert_eq!((&lobby["rules"]["max_players"], &lobby["rules"]["pot"]), (&5.into(), &Value::Null));
    assert_eq!(lobby["tables"][0].get("ports"), None);
    assert_eq!(json(&server.http("GET", "/lobby", &[]).1)["may_command"], true);
    assert_eq!(server.http("GET", "/lobby", &[("Origin", "http://evil.example")]).0, 403);
}

#[test]
fn a_long_request_is_refused() {
    let server = Server::start(&[]);
    // The status, or nothing if the connection was ended before it came through.
    let ask = |kilobytes: usize| {
        let mut stream = tcp(server.port("http"));
        let padding = format!("X-Padding: {}\r\n", "x".repeat(1_000)).repeat(kilobytes);
        let _ = stream.write_all(format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{padding}\r\n").as_bytes());
        let mut status = [0; 12];
        stream.read_exact(&mut status).ok().map(|()| String::from_utf8_lossy(&status[9..]).into_owned())
    };
    assert_eq!(ask(4).as_deref(), Some("200"));
    // 20 KB: the library alone would take 400 of them.
    assert!(matches!(ask(20).as_deref(), None | Some("431")));
    assert_eq!(server.http("GET", "/healthz", &[]).0, 200);
}

#[test]
fn bots_are_asked_for_in_json() {
    let server = Server::start(&[]);
    let ask = |body: &str| {
        let mut stream = tcp(server.port("http"));
        let head = "POST /tables/1/bots HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer[9..12].parse::<u16>().unwrap()
    };
    assert_eq!(ask(r#"{"players": 2, "strength": "plain", "seed": 7}"#), 202);
    assert_eq!(ask(r#"{"players": 0}"#), 400);
    assert_eq!(ask(r#"{"players": 9}"#), 400);
    assert_eq!(ask(r#"{"colour": 9}"#), 400);
    assert_eq!(ask("{"), 400);
    assert_eq!(ask(&" ".repeat(5_000)), 400);
}

#[test]
fn status_shows_the_tables() {
    let server = Server::start(&["--tables", "2"]);
    let output = run(&["status", "--http", &server.port("http").to_string()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(text.contains(&server.port("pimp").to_string()), "{text}");
    assert!(text.lines().last().unwrap().starts_with("2 tables, 0 users, "), "{text}");
    let nobody = run(&["status", "--http", "127.0.0.1:1"]);
    assert_eq!(nobody.status.code(), Some(1));
}

//! Passwords are hashed for whoever logs in, and that takes time: how much of it one address has, over real connections.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::{PATIENCE, Server, tcp_from};

/// Logins that wait at the same time: many times the places that one address has in line.
const MANY: u64 = 48;

fn figure(server: &Server, name: &str) -> u64 {
    let (_, page) = server.http("GET", "/metrics", &[]);
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in\n{page}")).parse().unwrap()
}

fn hashed(server: &Server) -> u64 {
    figure(server, "parlor_passwords_hashed_total")
}

fn line(stream: &mut TcpStream) -> String {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        line.extend(byte);
    }
    String::from_utf8(line).unwrap().trim_end().into()
}

/// Somebody from there, who was greeted.
fn visitor(server: &Server, from: &str) -> TcpStream {
    let mut stream = tcp_from(from, server.port("venus"));
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(line(&mut stream).starts_with("CONNECTSTRING"));
    stream
}

/// A game that looks at the password whether or not the name is in use.
fn server() -> Server {
    Server::start(&["--venus", "127.0.0.1:0", "--max-per-address", "0", "--rate", "0"])
}

fn log_in(server: &Server, from: &str, name: &str) -> TcpStream {
    let mut stream = visitor(server, from);
    stream.write_all(format!("LOGIN,{name},secret\n").as_bytes()).unwrap();
    assert_eq!(line(&mut stream), "WELCOME");
    stream
}

/// One account logs in again and again over many connections, its password right: they wait now. So many were hashed so far.
fn keep_busy(server: &Server, logins: usize) -> (Vec<TcpStream>, u64) {
    let many: Vec<_> = (0..MANY).map(|_| visitor(server, "127.0.0.2")).collect();
    for mut stream in &many {
        stream.write_all("LOGIN,eve,secret\n".repeat(logins).as_bytes()).unwrap();
    }
    let start = Instant::now();
    while figure(server, "parlor_passwords_waiting") < MANY * 2 / 3 {
        assert!(start.elapsed() < PATIENCE, "not enough of them wait");
    }
    let so_far = hashed(server);
    (many, so_far)
}

#[test]
fn whoever_logs_in_without_end_waits_for_itself() {
    let server = server();
    let _accounts = [log_in(&server, "127.0.0.2", "eve"), log_in(&server, "127.0.0.3", "ann")];
    let mut ann = visitor(&server, "127.0.0.3");
    let (_many, before) = keep_busy(&server, 50);
    ann.write_all(b"LOGIN,ann,secret\n").unwrap();
    assert_eq!(line(&mut ann), "ALREADYLOGGEDIN");
    // Two of theirs may have been before hers, and some are hashed while we ask.
    let meanwhile = hashed(&server) - before;
    assert!(meanwhile < MANY / 2, "{meanwhile} were hashed before hers");
}

/// Whether the login was the last thing they said, or something waits behind it.
fn nothing_is_hashed_for_who_has_left(logins: usize) {
    let server = server();
    let _account = log_in(&server, "127.0.0.2", "eve");
    let (many, before) = keep_busy(&server, logins);
    drop(many);
    let start = Instant::now();
    while figure(&server, "parlor_passwords_waiting") > 0 {
        assert!(start.elapsed() < PATIENCE, "somebody still waits");
        std::thread::sleep(Duration::from_millis(5));
    }
    let meanwhile = hashed(&server) - before;
    assert!(meanwhile < MANY / 2, "{meanwhile} were hashed for those who had left");
}

#[test]
fn nothing_is_hashed_for_who_has_left_after_its_login() {
    nothing_is_hashed_for_who_has_left(1);
}

#[test]
fn nothing_is_hashed_for_who_has_left_with_more_to_say() {
    nothing_is_hashed_for_who_has_left(2);
}

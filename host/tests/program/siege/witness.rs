//! What must not be lost when the server is killed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use super::Castle;
use crate::common::{self, PATIENCE};
use socket2::{Domain, Socket, Type};

/// Somebody who remembers what the server has promised: a seat at a table of its own, and accounts with a game.
pub struct Witness {
    table: SocketAddr,
    password: u32,
    /// The pawns of the Yard's game, as its players were told.
    pawns: Vec<String>,
}

/// A client of lines, from an address of its own, that waits for each answer.
fn said(to: SocketAddr, lines: &[&str], is_last: impl Fn(&str) -> bool) -> (TcpStream, Vec<String>) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::new(Ipv4Addr::new(127, 0, 2, 1).into(), 0).into()).unwrap();
    socket.connect(&to.into()).unwrap();
    let mut stream: TcpStream = socket.into();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut ears, mut heard) = (BufReader::new(stream.try_clone().unwrap()), Vec::new());
    for line in lines {
        stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        while !is_last(&answer) {
            answer.clear();
            assert_ne!(ears.read_line(&mut answer).unwrap(), 0, "closed after {line}: {heard:?}");
            heard.push(answer.trim_end().to_owned());
        }
    }
    (stream, heard)
}

fn is_answer(line: &str) -> bool {
    line.starts_with("- ")
}

impl Witness {
    pub fn begin(castle: &Castle) -> (Self, Vec<TcpStream>) {
        let made = castle.server.lock().unwrap().as_ref().unwrap().http("POST", "/tables", &[]).1;
        let made: serde_json::Value = serde_json::from_str(&made).unwrap();
        let table = made["ports"]["tcp"][0].as_str().unwrap().parse().unwrap();
        let mut seat = common::tcp(table);
        common::handshake(&mut seat);
        seat.write_all(&[0x02, 6, 0, 1, 3, b'w', b'i', b't']).unwrap();
        let mut details = [0; 7];
        seat.read_exact(&mut details).unwrap();
        let [0x03, 5, 1, password @ ..] = details else { panic!("{details:02x?} is no WELCOME_DETAILS") };
        let yard = castle.port("yard");
        let (first, _) = said(yard, &["protocol 2.0", "login wit1 secret", "newgame witness standard"], is_answer);
        let (second, _) =
            said(yard, &["protocol 2.0", "login wit2 secret", "join witness", "votestart True"], is_answer);
        let mut voter = first.try_clone().unwrap();
        voter.write_all(b"votestart True\r\n").unwrap();
        let (mut ears, mut pawns) = (BufReader::new(second.try_clone().unwrap()), Vec::new());
        while pawns.len() < 6 {
            let mut line = String::new();
            assert_ne!(ears.read_line(&mut line).unwrap(), 0);
            pawns.extend(line.starts_with("* pawninfo").then(|| line.trim_end().to_owned()));
        }
        let is_in = |line: &str| line.starts_with("INHABITANT,wit,") || line.starts_with("ERROR");
        let (venus, heard) = said(castle.port("venus"), &["LOGIN,wit,secret"], is_in);
        assert!(heard.iter().any(|line| line == "WELCOME"), "{heard:?}");
        (Self { table, password: u32::from_be_bytes(password), pawns }, vec![seat, first, second, venus])
    }

    /// All of it is there after the kill, and nobody else's.
    pub fn check(&self, castle: &Castle) {
        let mut seat = common::tcp(self.table);
        common::handshake(&mut seat);
        let [a, b, c, d] = self.password.to_be_bytes();
        seat.write_all(&[0x0A, 5, 1, a, b, c, d]).unwrap();
        let mut head = [0; 2];
        seat.read_exact(&mut head).unwrap();
        assert_eq!(head[0], 0x0B, "WELCOME_BACK");
        let yard = castle.port("yard");
        let (_, heard) = said(yard, &["protocol 2.0", "login wit2 other"], is_answer);
        assert_eq!(heard.last().unwrap(), "- no \"wrong password\"");
        let back = ["protocol 2.0", "login wit2 secret", "join witness", "pawninfo", "noop"];
        let (_, heard) = said(yard, &back, is_answer);
        let pawns: Vec<_> = heard.iter().filter(|line| line.starts_with("* pawninfo")).take(6).cloned().collect();
        assert_eq!(pawns, self.pawns, "{heard:?}");
        let told = |line: &str| line.starts_with("WELCOME") || line.starts_with("ERROR");
        let (_, heard) = said(castle.port("venus"), &["LOGIN,wit,other"], told);
        assert_eq!(heard.last().unwrap(), "ERROR,Wrong password.");
        let (_, heard) = said(castle.port("venus"), &["LOGIN,wit,secret"], told);
        assert_eq!(heard.last().unwrap(), "WELCOME");
    }
}

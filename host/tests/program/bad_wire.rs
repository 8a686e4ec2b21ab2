//! `parlor bad-wire` over real sockets: a game goes on through whatever it does, and a cut is a cut.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::common::{HELLO, NOBODY, PATIENCE, Server, parlor};

struct Proxy {
    child: Child,
    address: SocketAddr,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn proxy(upstream: SocketAddr, flags: &[&str]) -> Proxy {
    let mut command: Command = parlor();
    command.args(["bad-wire", "127.0.0.1:0", &upstream.to_string()]).args(flags);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
    let address = ready.split(['=', ' ']).nth(2).and_then(|word| word.parse().ok());
    Proxy { child, address: address.unwrap_or_else(|| panic!("{ready}")) }
}

fn connect(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(proxy.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// HANDSHAKE is answered with the number of the game.
fn greet(stream: &mut TcpStream) {
    stream.write_all(HELLO).unwrap();
    let mut answer = [0; 6];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[..2], [0x01, 4]);
}

#[test]
fn bots_play_a_game_to_its_end_over_it() {
    let server = Server::start(&["--rate", "0", "--claim-grace", "0", "--vote-pause", "0.01", "--seed", "07"]);
    let flags = ["--chunk", "3", "--delay", "1", "--jitter", "2", "--rate", "200000", "--seed", "7"];
    let proxy = proxy(server.port("pimp"), &flags);
    let bots = parlor()
        .args(["bot", "--connect", &proxy.address.to_string(), "--players", "2", "--strength", "plain"])
        .output()
        .unwrap();
    assert!(bots.status.success(), "{}", String::from_utf8_lossy(&bots.stderr));
}

#[test]
fn a_cut_ends_both_ways() {
    let server = Server::start(&[]);
    let proxy = proxy(server.port("pimp"), &["--cut-after", "6"]);
    let mut stream = connect(&proxy);
    greet(&mut stream);
    // Nothing more passes, and the end is seen: by a reset or a plain end.
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.is_empty());
    // The next connection is another one.
    greet(&mut connect(&proxy));
}

#[test]
fn the_end_of_one_side_is_told_to_the_other() {
    let server = Server::start(&[]);
    let proxy = proxy(server.port("pimp"), &["--stall", "50", "--stall-after", "2", "--chunk", "1"]);
    let mut stream = connect(&proxy);
    greet(&mut stream);
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(stream.read_to_end(&mut Vec::new()).unwrap(), 0);
}

#[test]
fn nobody_behind_it_is_an_end_at_once() {
    let mut stream = connect(&proxy(NOBODY, &[]));
    assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
}

//! What few strangers could do to many, each over real connections: they are counted by what they do and where they come
//! from.

mod common;

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::{HELLO, Server, handshake, run, tcp, tcp_from, ws};
use tokio_tungstenite::tungstenite::{Message, client::IntoClientRequest as _};

/// What a visitor of a proxy sends.
fn proxied(server: &Server, visitor: &str) -> Option<impl Sized + use<>> {
    let mut request = format!("ws://{}/ws/pimp", server.port("http")).into_client_request().unwrap();
    request.headers_mut().insert("x-forwarded-for", visitor.parse().unwrap());
    tokio_tungstenite::tungstenite::client(request, tcp(server.port("http"))).ok()
}

#[test]
fn visitors_of_a_trusted_proxy_are_counted_one_by_one() {
    let server = Server::start(&["--trusted-proxy", "127.0.0.1", "--max-per-address", "2"]);
    let one = [proxied(&server, "192.0.2.1"), proxied(&server, "192.0.2.1")];
    assert!(one.iter().all(Option::is_some));
    assert!(proxied(&server, "192.0.2.1").is_none(), "a third from there");
    // What a visitor writes before the proxy's own word changes nothing.
    assert!(proxied(&server, "192.0.2.7, 192.0.2.1").is_none());
    let other = proxied(&server, "192.0.2.2");
    assert!(other.is_some());
    // No request of a proxy is one of this machine.
    assert_eq!(server.http("GET", "/tables", &[]).0, 401);
    assert_eq!(server.http("GET", "/tables", &[("X-Forwarded-For", "127.0.0.1")]).0, 401);
    // Without a proxy that is trusted, what is said of visitors is not believed.
    let server = Server::start(&["--max-per-address", "2"]);
    let _all = [proxied(&server, "192.0.2.1"), proxied(&server, "192.0.2.2")];
    assert!(proxied(&server, "192.0.2.3").is_none());
}

/// A client's frame without a payload, masked with zeros.
fn empty_frame(first: u8) -> [u8; 6] {
    [first, 0x80, 0, 0, 0, 0]
}

#[test]
fn pings_and_empty_messages_are_counted() {
    let server = Server::start(&["--rate", "0", "--join-timeout", "60"]);
    let mut honest = server.tcp();
    handshake(&mut honest);
    let start = Instant::now();
    let mut socket = ws(tcp(server.port("pimp-ws")), "/");
    for _ in 0..2_000 {
        socket.write(Message::Ping(vec![7].into())).unwrap();
    }
    socket.flush().unwrap();
    let stream = socket.get_mut();
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let (mut pongs, mut answer) = (0, [0; 3]);
    // Each is a head of two bytes and what was sent.
    while stream.read_exact(&mut answer).is_ok() {
        assert_eq!(answer, [0x8A, 1, 7]);
        pongs += 1;
    }
    let most = 16 * (start.elapsed().as_secs() + 2);
    assert!((1..=most).contains(&pongs), "{pongs} answers in {:?}", start.elapsed());
    // What a game says after too many of them waits for its turn, and others do not.
    for kind in [0x8A, 0x82, 0x02] {
        let mut socket = ws(tcp(server.port("pimp-ws")), "/");
        let flood: Vec<u8> = empty_frame(kind).into_iter().chain(empty_frame(0x00).repeat(20_000)).collect();
        let flood = if kind == 0x02 { flood } else { empty_frame(kind).repeat(20_000) };
        let stream: &mut TcpStream = socket.get_mut();
        stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
        let _ = stream.write_all(&flood);
        handshake(&mut honest);
    }
}

/// HANDSHAKE and REJOIN as user 1, in one go.
fn guess(stream: &mut TcpStream, password: u32) {
    let [a, b, c, d] = password.to_be_bytes();
    stream.write_all(&[HELLO, &[0x0A, 5, 1, a, b, c, d]].concat()).unwrap();
}

/// The code of the next message that is no HANDSHAKE_ACKNOWLEDGE; `None`: closed.
fn heard(stream: &mut TcpStream) -> Option<u8> {
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).ok()?;
        stream.read_exact(&mut vec![0; usize::from(head[1])]).ok()?;
        if head[0] != 0x01 {
            return Some(head[0]);
        }
    }
}

const WELCOME_BACK: u8 = 0x0B;
const WRONG_PASSWORD: u8 = 0xF4;

/// Sits down to watch, the first at the table; her password.
fn ann(stream: &mut TcpStream) -> u32 {
    handshake(stream);
    stream.write_all(&[0x02, 6, 0, 0, 3, b'a', b'n', b'n']).unwrap();
    let mut details = [0; 7];
    stream.read_exact(&mut details).unwrap();
    let [0x03, 5, 1, password @ ..] = details else { panic!("{details:02x?} is no WELCOME_DETAILS") };
    u32::from_be_bytes(password)
}

fn figure(server: &Server, name: &str) -> u64 {
    let (_, page) = server.http("GET", "/metrics", &[]);
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in\n{page}")).parse().unwrap()
}

/// Guesses at a table or in a lobby, from one address: three are answered, then they wait, and a right one waits with them.
/// Another address is not concerned, nor is whoever sits.
fn guesses_wait(port: &str, more: &[&str]) {
    let few = ["--lobby-guesses", "3", "--lobby-forgets", "3600", "--join-timeout", "2", "--password-pause", "0"];
    let server = Server::start(&[&few[..], more].concat());
    let mut seated = tcp_from("127.0.0.1", server.port(port));
    let password = ann(&mut seated);
    for _ in 0..3 {
        let mut stranger = tcp_from("127.0.0.2", server.port(port));
        guess(&mut stranger, password ^ 1);
        assert_eq!(heard(&mut stranger), Some(WRONG_PASSWORD));
    }
    // Right, wrong, in one piece or byte by byte: there is no answer, until the time to join is over.
    let mut waiting: Vec<_> = (0..3).map(|_| tcp_from("127.0.0.2", server.port(port))).collect();
    guess(&mut waiting[0], password);
    guess(&mut waiting[1], password ^ 2);
    let [a, b, c, d] = password.to_be_bytes();
    for byte in HELLO.iter().chain(&[0x0A, 5, 1, a, b, c, d]) {
        waiting[2].write_all(&[*byte]).unwrap();
    }
    // A newcomer from there is let in meanwhile, and a neighbour with the right password comes back from elsewhere.
    let mut newcomer = tcp_from("127.0.0.2", server.port(port));
    handshake(&mut newcomer);
    newcomer.write_all(&[0x02, 6, 0, 0, 3, b'b', b'o', b'b']).unwrap();
    assert_eq!(heard(&mut seated).map(|code| code != WRONG_PASSWORD), Some(true), "ann is asked about bob");
    let mut back = tcp_from("127.0.0.3", server.port(port));
    guess(&mut back, password);
    assert_eq!(heard(&mut back), Some(WELCOME_BACK));
    for stream in &mut waiting {
        let mut said = Vec::new();
        stream.read_to_end(&mut said).expect("closed when the time to join is over");
        assert!(said.len() <= 12 && said.chunks(6).all(|frame| frame[0] == 0x01), "{said:02x?}");
    }
    let name = if port == "pimp" { "parlor_wrong_passwords_total" } else { "parlor_lobby_wrong_passwords_total" };
    assert_eq!(figure(&server, name), 3);
    drop(server);
}

#[test]
fn guesses_at_a_table_wait_and_a_right_password_is_never_called_wrong() {
    guesses_wait("pimp", &[]);
}

#[test]
fn guesses_in_a_lobby_wait_and_a_right_password_is_never_called_wrong() {
    guesses_wait("pimp-lobby", &["--pimp-lobby", "127.0.0.1:0"]);
}

/// Silent connections of one address leave room for everybody else, wherever they sit.
#[test]
fn few_strangers_do_not_fill_a_table() {
    let server = Server::start(&[
        "--yard",
        "127.0.0.1:0",
        "--venus",
        "127.0.0.1:0",
        "--pimp-lobby",
        "127.0.0.1:0",
        "--max-unjoined",
        "4",
        "--claim-grace",
        "0",
        "--vote-pause",
        "0.01",
        "--rate",
        "0",
    ]);
    for port in ["pimp", "yard", "venus", "pimp-lobby"] {
        let mut silent: Vec<_> = (0..12).map(|_| tcp_from("127.0.0.2", server.port(port))).collect();
        for stream in &mut silent {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            // A lobby opens no link for somebody who says nothing.
            let _ = stream.write_all(if port == "yard" || port == "venus" { b"x" } else { &HELLO[..1] });
        }
        // Eight of twelve are closed; which ones is not for us to say.
        let mut closed = 0;
        for stream in &mut silent {
            stream.set_read_timeout(Some(Duration::from_millis(700))).unwrap();
            let mut byte = [0; 64];
            loop {
                match stream.read(&mut byte) {
                    Ok(0) => break closed += 1,
                    Ok(_) => {}
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                    Err(_) => break closed += 1,
                }
            }
        }
        assert_eq!(closed, 8, "{port}");
    }
    assert_eq!(figure(&server, "parlor_refused_total{reason=\"unjoined\"}"), 32);
    // Whoever joins is none of them any more: bots of one address, more than four, play a game to its end.
    let table = server.port("pimp").to_string();
    let quick = run(&["bot", "--connect", &table, "--players", "6", "--strength", "plain"]);
    assert!(quick.status.success(), "{}", String::from_utf8_lossy(&quick.stderr));
}

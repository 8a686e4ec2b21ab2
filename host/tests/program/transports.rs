//! The same bytes over TCP, TLS and WebSocket, on every port.

use std::io::ErrorKind::{TimedOut, WouldBlock};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt as _;

use crate::common::{HELLO, Server, handshake, scratch, tcp, tls, ws};
use tungstenite::{Message, client::IntoClientRequest as _};

/// A WebSocket as a byte stream: each write is a message.
struct Bytes<S>(tungstenite::WebSocket<S>, Vec<u8>);

impl<S: Read + Write> Read for Bytes<S> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        while self.1.is_empty() {
            match self.0.read() {
                Ok(Message::Binary(bytes)) => self.1.extend_from_slice(&bytes),
                Ok(Message::Close(_)) | Err(tungstenite::Error::ConnectionClosed) => return Ok(0),
                Ok(_) => {}
                Err(error) => return Err(std::io::Error::other(error)),
            }
        }
        let n = room.len().min(self.1.len());
        room[..n].copy_from_slice(&self.1.drain(..n).collect::<Vec<_>>());
        Ok(n)
    }
}

impl<S: Read + Write> Write for Bytes<S> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.send(Message::Binary(bytes.to_vec().into())).map_err(std::io::Error::other)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush().map_err(std::io::Error::other)
    }
}

fn bytes<S: Read + Write>(socket: tungstenite::WebSocket<S>) -> Bytes<S> {
    Bytes(socket, Vec::new())
}

#[test]
fn a_table_is_the_same_on_every_way_to_it() {
    let server = Server::start(&["--tables", "2"]);
    let (first, second) = (handshake(&mut server.tcp()), handshake(&mut tcp(server.ports("pimp")[1])));
    assert_ne!(first, second);
    let own = |index: usize| handshake(&mut bytes(ws(tcp(server.ports("pimp-ws")[index]), "/")));
    assert_eq!((own(0), own(1)), (first, second));
    let http = |path: &str| handshake(&mut bytes(ws(tcp(server.port("http")), path)));
    assert_eq!((http("/ws/pimp"), http("/ws/pimp/1"), http("/ws/pimp/2")), (first, first, second));
}

#[test]
fn messages_may_be_cut_anywhere() {
    let server = Server::start(&[]);
    let game = handshake(&mut server.tcp());
    let mut cut = bytes(ws(tcp(server.port("pimp-ws")), "/any/path"));
    for byte in &HELLO[..2] {
        cut.write_all(&[*byte]).unwrap();
    }
    cut.write_all(&[]).unwrap();
    // The end of one frame, a whole one and the beginning of a third.
    cut.write_all(&[&HELLO[2..], HELLO, &HELLO[..1]].concat()).unwrap();
    cut.write_all(&HELLO[1..]).unwrap();
    let mut answers = [0; 18];
    cut.read_exact(&mut answers).unwrap();
    assert_eq!((&answers[..6], &answers[6..12]), (&answers[6..12], &answers[12..]));
    assert_eq!(handshake(&mut cut), game);
    // A ping is answered in between.
    cut.0.send(Message::Ping(vec![7].into())).unwrap();
    assert_eq!(cut.0.read().unwrap(), Message::Pong(vec![7].into()));
}

#[test]
fn sigterm_closes_websockets_cleanly() {
    let mut server = Server::start(&[]);
    let mut socket = ws(tcp(server.port("pimp-ws")), "/");
    server.terminate();
    assert!(matches!(socket.read(), Ok(Message::Close(_))));
    assert!(matches!(socket.read(), Err(tungstenite::Error::ConnectionClosed)));
    drop(socket);
    assert!(server.wait().success());
}

/// Reads until the server ends the connection, which it must do without another word and not for want of a JOIN.
fn is_ended<S: Read + Write>(mut socket: tungstenite::WebSocket<S>) -> bool {
    loop {
        match socket.read() {
            Ok(message) if message.is_close() => {}
            Ok(_) => return false,
            Err(tungstenite::Error::Io(error)) => return !matches!(error.kind(), WouldBlock | TimedOut),
            Err(_) => return true,
        }
    }
}

#[test]
fn what_is_no_binary_message_ends_the_connection() {
    let server = Server::start(&["--join-timeout", "3600"]);
    let connect = || ws(tcp(server.port("pimp-ws")), "/");
    let mut socket = connect();
    socket.send(Message::Text("HANDSHAKE".into())).unwrap();
    let Ok(Message::Close(Some(why))) = socket.read() else { panic!("a last word") };
    assert_eq!(u16::from(why.code), 1003, "a kind of data that is not taken");
    assert!(is_ended(socket));
    // The bytes of a message are a stream, however long it is: nothing of it is kept.
    for greetings in [5_000, 60_000] {
        let mut socket = connect();
        let _ = socket.send(Message::Binary(HELLO.repeat(greetings).into()));
        assert!(matches!(socket.read(), Ok(Message::Binary(_))), "{greetings}");
    }
}

#[test]
fn what_asks_for_no_websocket_is_told_what_is_here() {
    let server = Server::start(&[]);
    let key = ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    let (upgrade, connection, version) =
        (("Upgrade", "WebSocket"), ("Connection", "keep-alive, Upgrade"), ("Sec-WebSocket-Version", "13"));
    let status = |method: &str, headers: &[(&str, &str)]| server.http(method, "/ws/pimp", headers).0;
    assert_eq!(status("GET", &[]), 426);
    assert_eq!(status("GET", &[upgrade, version, key]), 426);
    assert_eq!(status("GET", &[connection, upgrade, ("Sec-WebSocket-Version", "12"), key]), 426);
    assert_eq!(status("GET", &[connection, upgrade, version, ("Sec-WebSocket-Key", "short")]), 400);
    assert_eq!(status("POST", &[connection, upgrade, version, key]), 405);
}

#[test]
fn plain_and_tls_share_every_port() {
    let data = scratch("tls");
    let mut server = Server::start(&["--tls", "self-signed", "--data", data.to_str().unwrap()]);
    let game = handshake(&mut server.tcp());
    assert_eq!(handshake(&mut tls(server.tcp())), game);
    assert_eq!(handshake(&mut bytes(ws(tls(tcp(server.port("pimp-ws"))), "/"))), game);
    assert_eq!(handshake(&mut bytes(ws(tcp(server.port("pimp-ws")), "/"))), game);
    assert_eq!(handshake(&mut bytes(ws(tls(tcp(server.port("http"))), "/ws/pimp"))), game);
    assert_eq!(server.http("GET", "/healthz", &[]).0, 200);

    // Only its owner reads it, and the next start has the same.
    let file = data.join("self-signed.pem");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read(&file).unwrap();
    let mut client = tls(server.tcp());
    handshake(&mut client);
    server.terminate();
    assert_eq!(client.read(&mut [0]).unwrap(), 0, "a clean end of TLS");
    drop(client);
    assert!(server.wait().success());
    // The same file serves as certificate and key.
    let path = file.to_str().unwrap();
    let again = Server::start(&["--tls-cert", path, "--tls-key", path]);
    handshake(&mut tls(again.tcp()));
    assert_eq!(std::fs::read(&file).unwrap(), kept);
}

#[test]
fn pages_of_strangers_get_no_websocket() {
    let server = Server::start(&["--origin", "https://games.example"]);
    let try_from = |port: &str, path: &str, origin: &str| {
        let mut request = format!("ws://{}{path}", server.port(port)).into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        tungstenite::client(request, tcp(server.port(port))).is_ok()
    };
    for (port, path) in [("http", "/ws/pimp"), ("http", "/ws/pimp/1"), ("pimp-ws", "/")] {
        assert!(!try_from(port, path, "http://evil.example"));
        assert!(!try_from(port, path, "null"));
        assert!(try_from(port, path, "http://127.0.0.1:9999"));
        assert!(try_from(port, path, "http://localhost"));
        assert!(try_from(port, path, "https://games.example"));
    }
    assert!(!try_from("http", "/ws/pimp/7", "http://localhost"));
    assert!(!try_from("http", "/ws/chess", "http://localhost"));
}

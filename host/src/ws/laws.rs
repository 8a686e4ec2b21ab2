//! Frames from a seed, most of them sound, in any pieces: what is read of them is what `tungstenite` reads, which others
//! wrote, at both ends. A failure prints its seed; `WS_SEED=7 cargo test -p parlor --lib ws::laws` runs that one alone.

use std::io::{self, Cursor, Read, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use parlor_core::game::Encoding;
use parlor_tests::rng::Rng;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tungstenite::protocol::{Role, WebSocket};
use tungstenite::{Error, Message};

use super::messages::Messages;

const SEEDS: u64 = 4_000;
/// More control frames in a second are not read at once.
const CONTROLS: usize = 6;

/// How reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// There was no more.
    Open,
    Closed,
    Refused,
}

/// What one end sends, and the pings in it, with where they end.
#[derive(Default)]
struct Sent {
    wire: Vec<u8>,
    /// The same to its end.
    uncut: Vec<u8>,
    pings: Vec<(usize, Vec<u8>)>,
}

fn frame(rng: &mut Rng, first: u8, payload: &[u8], is_masked: bool) -> Vec<u8> {
    let mut frame = vec![first];
    let masked = u8::from(is_masked) << 7;
    match payload.len() {
        short @ 0..126 => frame.push(masked | short as u8),
        long @ 126..65_536 => {
            frame.push(masked | 126);
            frame.extend((long as u16).to_be_bytes());
        }
        longer => {
            frame.push(masked | 127);
            frame.extend((longer as u64).to_be_bytes());
        }
    }
    let mut mask = [0; 4];
    if is_masked {
        rng.fill(&mut mask);
        frame.extend(mask);
    }
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

fn payload(rng: &mut Rng, encoding: Encoding) -> Vec<u8> {
    let length = match rng.below(12) {
        0 => 0,
        1 => 120 + rng.below(12),
        2 if rng.one_in(20) => 65_530 + rng.below(12),
        _ => rng.below(20),
    };
    let mut bytes = Vec::new();
    if encoding == Encoding::Binary {
        bytes.resize(length as usize, 0);
        rng.fill(&mut bytes);
        return bytes;
    }
    const PIECES: [&[u8]; 6] =
        [b"a", b"\r\n", "\u{e9}".as_bytes(), "\u{221e}".as_bytes(), "\u{1f3b2}".as_bytes(), b"noop"];
    while bytes.len() < length as usize {
        bytes.extend_from_slice(rng.pick(&PIECES).copied().unwrap_or_default());
    }
    if rng.one_in(60) {
        bytes.push(0xFF);
    }
    bytes
}

fn sent(rng: &mut Rng, encoding: Encoding, is_masked: bool) -> Sent {
    let own = if encoding == Encoding::Text { 1 } else { 2 };
    let mut sent = Sent::default();
    let mut controls = 0;
    for _ in 0..rng.below(10) {
        if rng.one_in(40) {
            let code = rng.below(5) as u8;
            let flaw = match rng.below(6) {
                0 => frame(rng, 0xC0 | own, b"x", is_masked),
                1 => frame(rng, 0x83 + code, b"x", is_masked),
                2 => frame(rng, 0x8B, b"", is_masked),
                3 => frame(rng, 0x80 | own, b"unmasked", !is_masked),
                4 => frame(rng, 0x09, b"x", is_masked),
                _ => frame(rng, 0x89, &[b'x'; 126], is_masked),
            };
            sent.wire.extend(flaw);
        }
        if rng.one_in(30) {
            sent.wire.extend(frame(rng, 0x80 | (3 - own), b"x", is_masked));
        }
        if rng.one_in(30) {
            let code = [1000, 1001, 1005, 3000, 999_u16][rng.below(5) as usize].to_be_bytes();
            let why = if rng.one_in(2) { Vec::new() } else { [&code[..], b"bye"].concat() };
            sent.wire.extend(frame(rng, 0x88, &why, is_masked));
        }
        let whole = payload(rng, encoding);
        // A part that is none of a message's, or the first of two messages at once.
        let is_stray = rng.one_in(60);
        let parts = 1 + rng.below(3) as usize;
        let mut left = &whole[..];
        for part in 0..parts {
            if controls < CONTROLS && rng.one_in(6) {
                controls += 1;
                let said: Vec<u8> = (0..rng.below(9)).map(|_| rng.next() as u8).collect();
                let is_ping = rng.one_in(2);
                sent.wire.extend(frame(rng, if is_ping { 0x89 } else { 0x8A }, &said, is_masked));
                if is_ping {
                    sent.pings.push((sent.wire.len(), said));
                }
            }
            let is_last = part + 1 == parts;
            let length = if is_last { left.len() } else { rng.below(left.len() as u64 + 1) as usize };
            let (now, later) = left.split_at(length);
            left = later;
            let code = if part == 0 && !is_stray { own } else { 0 };
            let is_final = is_last && !rng.one_in(60);
            sent.wire.extend(frame(rng, u8::from(is_final) << 7 | code, now, is_masked));
        }
    }
    sent.uncut = sent.wire.clone();
    if rng.one_in(4) {
        let length = rng.below(sent.wire.len() as u64 + 1) as usize;
        sent.wire.truncate(length);
        sent.pings.retain(|(end, _)| *end <= length);
    }
    sent
}

/// A connection that has brought all of `wire` and brings no more.
struct Socket {
    wire: Cursor<Vec<u8>>,
    said: Arc<Mutex<Vec<u8>>>,
    /// Brings a few bytes at a time.
    slow: Option<Rng>,
}

impl Socket {
    fn new(wire: &[u8], slow: Option<Rng>) -> Self {
        Self { wire: Cursor::new(wire.to_vec()), said: Arc::default(), slow }
    }
}

impl Read for Socket {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match Read::read(&mut self.wire, room)? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            read => Ok(read),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let most = self.slow.as_mut().map_or(usize::MAX, |rng| 1 + rng.below(9) as usize);
        let mut piece = vec![0; most.min(room.remaining())];
        let read = Read::read(&mut self.wire, &mut piece)?;
        room.put_slice(&piece[..read]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.said.lock().unwrap().extend(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// What `tungstenite` reads. It tells whole messages alone.
fn theirs(wire: &[u8], encoding: Encoding, role: Role) -> (Vec<u8>, End) {
    let mut socket = WebSocket::from_raw_socket(Socket::new(wire, None), role, None);
    let mut stream = Vec::new();
    let end = loop {
        match socket.read() {
            Ok(Message::Binary(bytes)) if encoding == Encoding::Binary => stream.extend(bytes),
            Ok(Message::Text(text)) if encoding == Encoding::Text => stream.extend(text.as_bytes()),
            Ok(Message::Binary(_) | Message::Text(_)) => break End::Refused,
            Ok(Message::Close(_)) => break End::Closed,
            Ok(_) => {}
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => break End::Open,
            Err(_) => break End::Refused,
        }
    };
    (stream, end)
}

/// What `Messages` read, and what is said of it: control frames, without masks.
async fn ours<const FROM_CLIENT: bool>(
    mut messages: Messages<Socket, FROM_CLIENT>,
    said: &Mutex<Vec<u8>>,
    rng: &mut Rng,
) -> (Vec<u8>, End, Vec<(u8, Vec<u8>)>) {
    let mut stream = Vec::new();
    let end = loop {
        let mut room = vec![0; 1 + rng.below(300) as usize];
        match messages.read(&mut room).await {
            Ok(0) => break End::Open,
            Ok(read) => stream.extend_from_slice(&room[..read]),
            Err(_) => break End::Refused,
        }
    };
    let said = said.lock().unwrap().clone();
    let (mut frames, mut rest) = (Vec::new(), &said[..]);
    while let [first, second, after @ ..] = rest {
        assert_eq!((second & 0x80 == 0, second & 0x7F < 126), (FROM_CLIENT, true), "{said:x?}");
        let (mask, after) = if FROM_CLIENT { (&[0; 4][..], after) } else { after.split_at(4) };
        let (payload, after) = after.split_at((second & 0x7F).into());
        frames.push((*first, payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect()));
        rest = after;
    }
    let is_closed = frames.last().is_some_and(|(first, _)| *first == 0x88);
    (stream, if end == End::Open && is_closed { End::Closed } else { end }, frames)
}

async fn hold(seed: u64) {
    let mut rng = Rng::new(seed);
    let encoding = if rng.one_in(2) { Encoding::Text } else { Encoding::Binary };
    let is_server = rng.one_in(2);
    let Sent { wire, uncut, pings } = sent(&mut rng, encoding, is_server);
    let role = if is_server { Role::Server } else { Role::Client };
    let (whole, expected) = theirs(&wire, encoding, role);
    let slow = rng.one_in(2).then(|| rng.clone());
    let socket = Socket::new(&wire, slow);
    let said = socket.said.clone();
    let (stream, end, answers) = if is_server {
        ours(Messages::of_client(socket, encoding), &said, &mut rng).await
    } else {
        ours(Messages::of_server(socket, encoding), &said, &mut rng).await
    };
    // A frame is refused as soon as that is known, and not when it is whole.
    let is_early = end == End::Refused && theirs(&uncut, encoding, role).1 == End::Refused;
    assert!(end == expected || is_early, "{end:?} for {expected:?}: {wire:x?}");
    // A message that has no end is told as far as it has come.
    assert!(stream.starts_with(&whole), "{whole:x?} {stream:x?}");
    let (last, pongs) = match end {
        End::Open => (None, &answers[..]),
        End::Closed | End::Refused => answers.split_last().map(|(last, pongs)| (Some(last), pongs)).unwrap(),
    };
    if let Some((first, why)) = last {
        let code = why.first_chunk().map(|code| u16::from_be_bytes(*code));
        let is_told = end == End::Closed || matches!(code, Some(1002 | 1003 | 1007));
        assert!(*first == 0x88 && is_told, "{why:x?}");
    }
    // Every pong is to a ping, in their order; the last ping of all is answered.
    let mut asked = pings.iter();
    assert!(pongs.iter().all(|(first, pong)| *first == 0x8A && asked.any(|(_, ping)| ping == pong)), "{answers:x?}");
    let answered = pongs.last().map(|(_, pong)| pong);
    assert!(
        end != End::Open || wire.is_empty() || answered == pings.last().map(|(_, ping)| ping),
        "{pings:x?} {answers:x?}"
    );
}

#[test]
fn what_is_read_is_what_others_read() {
    let one = std::env::var("WS_SEED").ok().and_then(|seed| seed.parse().ok());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for seed in one.map_or(0..SEEDS, |seed| seed..seed + 1) {
        let run = std::panic::catch_unwind(|| runtime.block_on(hold(seed)));
        assert!(run.is_ok(), "failed with WS_SEED={seed}");
    }
}

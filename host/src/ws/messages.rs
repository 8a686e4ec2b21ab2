//! A game's bytes in WebSocket messages, seen as a byte stream: messages may be cut anywhere on the way in; on the way out
//! each is one write, which is whole frames.
//!
//! A connection keeps no byte of what it reads, and of what it writes the frame that is on its way and the answer to the last
//! ping. What carries no byte of a game is counted: beyond a little of it a second, the connection waits unread.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use parlor_core::game::Encoding;
use parlor_core::web::frames::{self, CONTROL, Control, Event, FRONT, Frames, MASKED_FRONT};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep_until};

use super::utf8::Utf8;
use crate::net::{PerSecond, Stream};

/// Bytes read in one go.
const PIECE: usize = 1024;
/// The longest message that is sent. Text in which every byte is mended is three times as long.
const LONGEST: usize = 16 * 1024;
/// Control frames, and pieces of `BARREN` bytes, without a byte of a game that are taken in a second: a client pings once in
/// many.
const IDLE: u32 = 16;
const BARREN: usize = 256;

/// A client's messages as a server sees them, or (`FROM_CLIENT` is false) a server's as a client does.
pub struct Messages<S, const FROM_CLIENT: bool> {
    stream: S,
    encoding: Encoding,
    frames: Frames<FROM_CLIENT>,
    text: Utf8,
    idle: Idle,
    /// A frame on its way out, from `sent` on.
    out: Vec<u8>,
    sent: usize,
    /// The stream may hold back some of what it took.
    is_unflushed: bool,
    /// The payload of the control frame that comes in.
    control: Vec<u8>,
    /// To be said next: the answer to a ping or a close. A later one takes the place of one that nobody could be told yet.
    answer: Option<(Control, Vec<u8>)>,
    /// The last word was said: nothing is written any more.
    is_closing: bool,
    /// The peer has said its last word: nothing is read any more.
    is_over: bool,
    /// The peer does not speak this protocol, which its reader hears after what came before it.
    is_refused: bool,
}

impl<S: Stream> Messages<S, true> {
    /// A client's, after its handshake.
    pub fn of_client(stream: S, encoding: Encoding) -> Self {
        Self::begin(stream, encoding, Frames::new(encoding))
    }
}

impl<S: Stream> Messages<S, false> {
    /// A server's, after its handshake.
    pub fn of_server(stream: S, encoding: Encoding) -> Self {
        Self::begin(stream, encoding, Frames::of_server(encoding))
    }
}

impl<S: Stream, const FROM_CLIENT: bool> Messages<S, FROM_CLIENT> {
    fn begin(stream: S, encoding: Encoding, frames: Frames<FROM_CLIENT>) -> Self {
        Self {
            stream,
            encoding,
            frames,
            text: Utf8::new(),
            idle: Idle::new(),
            out: Vec::new(),
            sent: 0,
            is_unflushed: false,
            control: Vec::new(),
            answer: None,
            is_closing: false,
            is_over: false,
            is_refused: false,
        }
    }

    /// Puts a frame on its way. Whatever was is out.
    fn put(&mut self, payload: &[u8], control: Option<Control>) -> io::Result<()> {
        let front = if FROM_CLIENT { FRONT } else { MASKED_FRONT };
        let mut out = Vec::with_capacity(front + payload.len());
        out.resize(front, 0);
        out.extend_from_slice(payload);
        let length = payload.len();
        self.sent = if !FROM_CLIENT {
            let mask = getrandom::u32().map_err(io::Error::other)?.to_ne_bytes();
            frames::seal_masked(&mut out, length, self.encoding, control, mask)
        } else if let Some(control) = control {
            frames::seal_control(&mut out, length, control)
        } else {
            frames::seal(&mut out, length, self.encoding)
        };
        self.out = out;
        Ok(())
    }

    /// Writes what is on its way, and what is to be said after it.
    fn poll_out(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            while let Some(rest) = self.out.get(self.sent..).filter(|rest| !rest.is_empty()) {
                match ready!(Pin::new(&mut self.stream).poll_write(cx, rest))? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    written => (self.sent, self.is_unflushed) = (self.sent + written, true),
                }
            }
            // While nothing is said, a connection has no room for it.
            (self.out, self.sent) = (Vec::new(), 0);
            let Some((control, payload)) = self.answer.take() else { break };
            self.put(&payload, Some(control))?;
        }
        if self.is_unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
            self.is_unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// What can be written now is; the rest goes on its way with whatever is asked for next.
    fn try_out(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.poll_out(cx) {
            Poll::Ready(Err(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// The last word, with why.
    fn close(&mut self, code: Option<u16>) {
        if !self.is_closing {
            let why = code.map(|code| code.to_be_bytes().to_vec()).unwrap_or_default();
            (self.answer, self.is_closing) = (Some((Control::Close, why)), true);
        }
    }

    /// Takes what came apart: a game's bytes are put into `room`, which is as large as `wire` at least.
    fn take(&mut self, mut wire: &[u8], room: &mut ReadBuf<'_>) -> Result<(), u16> {
        loop {
            let window = room.initialize_unfilled();
            let (taken, event) = self.frames.take(wire, window);
            wire = wire.get(taken..).unwrap_or_default();
            match event {
                Event::Stream(0) | Event::Payload(_, 0) if taken == 0 => return Ok(()),
                Event::Stream(count) => {
                    let came = window.get(..count).unwrap_or_default();
                    let text = if self.encoding == Encoding::Text { self.text.go_on(came) } else { count };
                    room.advance(text);
                    if text < count {
                        return Err(frames::NO_TEXT);
                    }
                }
                Event::Control(control, length) => {
                    self.idle.note();
                    self.control = Vec::with_capacity(length.min(CONTROL));
                    if length == 0 {
                        self.hear(control);
                    }
                }
                Event::Payload(control, count) => {
                    self.control.extend_from_slice(window.get(..count).unwrap_or_default());
                    if !self.frames.is_in_control() {
                        self.hear(control);
                    }
                }
                Event::Broken(code) => return Err(code),
            }
            if self.is_over {
                return Ok(());
            }
        }
    }

    /// A control frame has come whole.
    fn hear(&mut self, control: Control) {
        let payload = std::mem::take(&mut self.control);
        match control {
            Control::Ping if !self.is_closing => self.answer = Some((Control::Pong, payload)),
            Control::Ping | Control::Pong => {}
            Control::Close => {
                self.close(echoed(&payload));
                self.is_over = true;
            }
        }
    }
}

/// What is said to a peer that closes (RFC 6455 5.5.1, 7.4): its own code, if there is one and it may be sent.
fn echoed(payload: &[u8]) -> Option<u16> {
    let code = match payload {
        [] => return None,
        [high, low, ..] => u16::from_be_bytes([*high, *low]),
        [_] => frames::PROTOCOL_ERROR,
    };
    Some(if matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) { code } else { frames::PROTOCOL_ERROR })
}

impl<S: Stream, const FROM_CLIENT: bool> AsyncRead for Messages<S, FROM_CLIENT> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let (mut piece, before) = ([0; PIECE], room.filled().len());
        // A frame is never shorter than what it carries: what is read fits.
        let most = room.remaining().min(PIECE);
        loop {
            this.try_out(cx)?;
            if this.is_refused {
                return Poll::Ready(Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "no WebSocket messages of this game",
                )));
            }
            if this.is_over || most == 0 {
                return Poll::Ready(Ok(()));
            }
            ready!(this.idle.poll_over(cx));
            let mut wire = ReadBuf::new(piece.get_mut(..most).unwrap_or_default());
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut wire))?;
            if wire.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            if let Err(code) = this.take(wire.filled(), room) {
                this.close(Some(code));
                this.is_refused = true;
            }
            let is_barren = room.filled().len() == before;
            this.idle.note_bytes(wire.filled().len(), is_barren);
            if !is_barren {
                // The peer need not wait for its pong until the game has something to say.
                this.try_out(cx)?;
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<S: Stream, const FROM_CLIENT: bool> AsyncWrite for Messages<S, FROM_CLIENT> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_out(cx))?;
        if this.is_closing {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let piece = bytes.get(..LONGEST).unwrap_or(bytes);
        match this.encoding {
            Encoding::Binary => this.put(piece, None)?,
            // A browser gives a connection up for one byte that is no text.
            Encoding::Text => this.put(String::from_utf8_lossy(piece).as_bytes(), None)?,
        }
        this.try_out(cx)?;
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_out(cx)
    }

    /// Says the last word. The connection itself stays: the peer's last word may be read.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.close(None);
        this.poll_out(cx)
    }
}

/// How much has come that carries no byte of a game.
struct Idle {
    count: PerSecond,
    /// Bytes since the last one of a game.
    barren: usize,
    /// There was too much: nothing is read until then.
    pause: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    fn new() -> Self {
        Self { count: PerSecond::new(IDLE), barren: 0, pause: None }
    }

    fn note_bytes(&mut self, count: usize, are_barren: bool) {
        self.barren = if are_barren { self.barren + count } else { 0 };
        while self.barren > BARREN {
            self.barren -= BARREN;
            self.note();
        }
    }

    fn note(&mut self) {
        if let Some(until) = self.count.note() {
            self.pause = Some(Box::pin(sleep_until(until)));
        }
    }

    fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::*;

    /// A client's frame, masked with zeros.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        [&[first, 0x80 | payload.len() as u8, 0, 0, 0, 0], payload].concat()
    }

    fn pair(encoding: Encoding) -> (DuplexStream, Messages<DuplexStream, true>) {
        let (near, far) = duplex(4096);
        (near, Messages::of_client(far, encoding))
    }

    async fn read(stream: &mut (impl AsyncRead + Unpin), most: usize) -> io::Result<Vec<u8>> {
        let mut room = vec![0; most];
        let n = timeout(Duration::from_secs(20), stream.read(&mut room)).await.expect("bytes")?;
        room.truncate(n);
        Ok(room)
    }

    #[tokio::test]
    async fn a_ping_is_answered_between_two_pieces_of_a_message_and_the_last_of_many_alone() {
        let (mut wire, mut messages) = pair(Encoding::Binary);
        let pings: Vec<u8> = (1..=3).flat_map(|n| frame(0x89, &[n])).collect();
        let all = [frame(0x02, b"ab"), pings, frame(0x80, b"cd")].concat();
        wire.write_all(&all).await.unwrap();
        assert_eq!(read(&mut messages, 256).await.unwrap(), b"abcd");
        assert_eq!(read(&mut wire, 256).await.unwrap(), [0x8A, 1, 3]);
        // With room for two bytes at a time it is the same stream.
        wire.write_all(&all).await.unwrap();
        let mut stream = Vec::new();
        while stream.len() < 4 {
            stream.extend(read(&mut messages, 2).await.unwrap());
        }
        assert_eq!(stream, b"abcd");
    }

    #[tokio::test]
    async fn who_closes_is_answered_and_nothing_is_said_or_heard_after_it() {
        for (said, answered) in [
            (&b""[..], &[0x88, 0][..]),
            (&[0x03, 0xE8], &[0x88, 2, 0x03, 0xE8]),
            (&[0x0F, 0xA0, b'o', b'k'], &[0x88, 2, 0x0F, 0xA0]),
            // No code, and one that nobody may send.
            (&[0x03], &[0x88, 2, 0x03, 0xEA]),
            (&[0x03, 0xED], &[0x88, 2, 0x03, 0xEA]),
        ] {
            let (mut wire, mut messages) = pair(Encoding::Binary);
            wire.write_all(&[frame(0x82, b"last"), frame(0x88, said), frame(0x82, b"more")].concat()).await.unwrap();
            assert_eq!(read(&mut messages, 256).await.unwrap(), b"last");
            assert_eq!(read(&mut messages, 256).await.unwrap(), b"");
            assert_eq!(read(&mut wire, 256).await.unwrap(), answered);
            assert_eq!(messages.write(b"x").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        }
    }

    #[tokio::test]
    async fn our_last_word_is_said_once() {
        let (mut wire, mut messages) = pair(Encoding::Binary);
        messages.shutdown().await.unwrap();
        messages.shutdown().await.unwrap();
        wire.write_all(&[frame(0x82, b"late"), frame(0x89, b"?"), frame(0x88, b"")].concat()).await.unwrap();
        assert_eq!(read(&mut messages, 256).await.unwrap(), b"late");
        assert_eq!(read(&mut messages, 256).await.unwrap(), b"");
        drop(messages);
        let mut said = Vec::new();
        wire.read_to_end(&mut said).await.unwrap();
        assert_eq!(said, [0x88, 0]);
    }

    #[tokio::test]
    async fn what_is_no_message_of_the_game_is_refused_with_why() {
        for (encoding, wrong, code) in [
            (Encoding::Binary, frame(0x81, b"text"), 1003_u16),
            (Encoding::Text, frame(0x82, b"bytes"), 1003),
            (Encoding::Text, frame(0x81, b"\xC3("), 1007),
            (Encoding::Binary, vec![0x82, 1, 7, 0, 0, 0], 1002),
            (Encoding::Binary, frame(0xC2, b"x"), 1002),
        ] {
            let (mut wire, mut messages) = pair(encoding);
            // What came before it counts, however it comes.
            let right = frame(if encoding == Encoding::Text { 0x81 } else { 0x82 }, b"right");
            wire.write_all(&[&right[..], &wrong].concat()).await.unwrap();
            assert!(read(&mut messages, 256).await.unwrap().starts_with(b"right"), "{wrong:x?}");
            assert_eq!(read(&mut messages, 256).await.unwrap_err().kind(), io::ErrorKind::InvalidData, "{wrong:x?}");
            let [high, low] = code.to_be_bytes();
            assert_eq!(read(&mut wire, 256).await.unwrap(), [0x88, 2, high, low], "{wrong:x?}");
        }
        // A character that is cut between two messages is one.
        let (mut wire, mut messages) = pair(Encoding::Text);
        wire.write_all(&[frame(0x81, b"a\xC3"), frame(0x81, b"\xA9\n")].concat()).await.unwrap();
        assert_eq!(read(&mut messages, 256).await.unwrap(), "a\u{e9}\n".as_bytes());
    }

    #[tokio::test]
    async fn a_peer_that_does_not_read_is_waited_for_and_gets_whole_frames() {
        let (near, far) = duplex(64);
        let (mut wire, mut messages) = (near, Messages::of_client(far, Encoding::Binary));
        let long = vec![7; 300];
        let writing = tokio::spawn(async move {
            messages.write_all(&long).await.unwrap();
            messages.write_all(b"end").await.unwrap();
            messages.flush().await.unwrap();
            messages
        });
        // A ping that comes meanwhile is answered behind what is on its way.
        wire.write_all(&frame(0x89, b"p")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!writing.is_finished());
        let mut said = vec![0; 4 + 300 + 2 + 3];
        wire.read_exact(&mut said).await.unwrap();
        assert_eq!((&said[..4], &said[304..]), (&[0x82, 126, 1, 44][..], &[0x82, 3, b'e', b'n', b'd'][..]));
        assert!(said[4..304].iter().all(|byte| *byte == 7));
        let mut messages = writing.await.unwrap();
        let _ = timeout(Duration::from_millis(50), messages.read(&mut [0; 8])).await;
        assert_eq!(read(&mut wire, 8).await.unwrap(), [0x8A, 1, b'p']);
        assert_eq!(messages.out.capacity(), 0, "what is written is not kept");
    }

    #[tokio::test]
    async fn both_sides_understand_each_other() {
        let (near, far) = duplex(4096);
        let (mut client, mut server) =
            (Messages::of_server(near, Encoding::Text), Messages::of_client(far, Encoding::Text));
        for line in ["noop\r\n".to_owned(), "\u{e9}".repeat(900)] {
            client.write_all(line.as_bytes()).await.unwrap();
            let mut heard = vec![0; line.len()];
            server.read_exact(&mut heard).await.unwrap();
            assert_eq!(heard, line.as_bytes());
            server.write_all(&heard).await.unwrap();
            client.read_exact(&mut heard).await.unwrap();
            assert_eq!(heard, line.as_bytes());
        }
        server.shutdown().await.unwrap();
        assert_eq!(read(&mut client, 8).await.unwrap(), b"");
        assert_eq!(read(&mut server, 8).await.unwrap(), b"");
    }

    #[tokio::test]
    async fn what_carries_nothing_of_a_game_waits_and_a_head_that_comes_by_itself_does_not() {
        let (mut wire, mut messages) = pair(Encoding::Binary);
        // As some clients write: the head of each message first.
        for _ in 0..100 {
            let message = frame(0x82, b"x");
            let (head, payload) = message.split_at(6);
            wire.write_all(head).await.unwrap();
            assert!(timeout(Duration::from_millis(1), messages.read(&mut [0; 64])).await.is_err());
            wire.write_all(payload).await.unwrap();
            assert_eq!(messages.read_u8().await.unwrap(), b'x');
        }
        assert!(messages.idle.pause.is_none());
        for barren in [frame(0x82, b""), frame(0x8A, b"")] {
            let (mut wire, mut messages) = pair(Encoding::Binary);
            let flood = tokio::spawn(async move { wire.write_all(&barren.repeat(3_000)).await });
            assert!(timeout(Duration::from_millis(100), messages.read(&mut [0; 64])).await.is_err());
            assert!(messages.idle.pause.is_some() && !flood.is_finished());
            flood.abort();
        }
    }
}

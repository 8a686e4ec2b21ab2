//! A game's bytes in WebSocket messages, seen as a byte stream: messages may be cut anywhere on the way in; on the way out
//! each is one write, which is whole frames.
//!
//! What carries no byte of a game is counted: pings, pongs and empty messages beyond a few a second wait unread.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::{Sink as _, Stream as _};
use parlor_core::game::Encoding;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep_until};

use crate::door::Ticket;
use crate::net::{PerSecond, Stream};
use crate::task::Task;

/// The longest message taken from a client: many times what a client says at once.
const LONGEST: usize = 16 * 1024;
/// Buffers a connection holds. The library's own default is 128 KB.
const BUFFER: usize = 1024;

/// Answers the request; once upgraded, the connection is `attend`ed to.
pub fn upgrade<F>(request: WebSocketUpgrade, encoding: Encoding, ticket: Arc<Ticket>, attend: F) -> Response
where
    F: FnOnce(Box<dyn Stream>) -> Task + Send + 'static,
{
    request
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(4 * LONGEST)
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .on_upgrade(move |socket| async move {
            let stream = Messages { socket, encoding, unread: Bytes::new(), idle: Idle::new() };
            attend(Box::new(stream)).await;
            drop(ticket);
        })
}

struct Messages {
    socket: WebSocket,
    encoding: Encoding,
    /// The rest of the last message.
    unread: Bytes,
    idle: Idle,
}

/// Messages without a byte of a game that are taken in a second: a client pings once in many.
const IDLE: u32 = 16;

/// How many of them have come.
struct Idle {
    count: PerSecond,
    /// There were too many: nothing is read until then.
    pause: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    fn new() -> Self {
        Self { count: PerSecond::new(IDLE), pause: None }
    }

    /// One more.
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

impl AsyncRead for Messages {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        while self.unread.is_empty() {
            ready!(self.idle.poll_over(cx));
            self.unread = match ready!(Pin::new(&mut self.socket).poll_next(cx)) {
                Some(Ok(Message::Binary(bytes))) if self.encoding == Encoding::Binary => bytes,
                Some(Ok(Message::Text(text))) if self.encoding == Encoding::Text => text.into(),
                Some(Ok(Message::Binary(_) | Message::Text(_))) => {
                    let wrong = io::Error::new(io::ErrorKind::InvalidData, "the wrong kind of WebSocket message");
                    return Poll::Ready(Err(wrong));
                }
                // Answered by the library.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_))) => Bytes::new(),
                Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error))),
                None => return Poll::Ready(Ok(())),
            };
            if self.unread.is_empty() {
                self.idle.note();
            }
        }
        let taken = self.unread.len().min(room.remaining());
        room.put_slice(&self.unread.split_to(taken));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Messages {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(Pin::new(&mut self.socket).poll_ready(cx)).map_err(io::Error::other)?;
        let message = match self.encoding {
            Encoding::Binary => Message::Binary(Bytes::copy_from_slice(bytes)),
            Encoding::Text => Message::Text(Utf8Bytes::from(String::from_utf8_lossy(bytes).into_owned())),
        };
        Pin::new(&mut self.socket).start_send(message).map_err(io::Error::other)?;
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx).map_err(io::Error::other)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_close(cx).map_err(io::Error::other)
    }
}

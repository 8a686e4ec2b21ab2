//! The way of a connection that came to one node and belongs to another: mutual TLS, a PROXY header with its address,
//! its shard's name behind a byte of length, a byte that says whether it is welcome, then its bytes, not looked into.
//!
//! Towards the client, what the owner writes at once is passed on at once: two bytes of length before each write. So a
//! WebSocket message is what it would have been at the owner's own port.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::identity::Identity;
use crate::net::Stream;
use crate::proxy_protocol::{self, Header};

/// How long the other node may take to let a connection in.
const WELCOME: Duration = Duration::from_secs(3);
/// What it says then, and what it says to one that it will not have: then no other way is looked for.
const WELCOMED: u8 = 1;
const REFUSED: u8 = 2;
/// How long an owner's machine may be silent, and after which silence and how often it is asked. A machine without power closes no
/// connection: others have its shards after about as long, and its clients must come back to find them there. A client that says
/// something just before the time is over has it once more: the kernel counts for what was said from then on.
const SILENCE: Duration = Duration::from_secs(5);
const ASKED_AFTER: Duration = Duration::from_secs(2);
const ASKED_EVERY: Duration = Duration::from_secs(1);
/// Bytes that a connection's buffer holds on its way in.
const BUFFER: usize = 2048;

/// A connection to the shard's owner; `PermissionDenied`: the owner will not have this client.
pub async fn connect(
    identity: &Identity,
    inner: SocketAddr,
    shard: &str,
    peer: SocketAddr,
) -> io::Result<impl Stream + use<>> {
    let connecting = async {
        let stream = TcpStream::connect(inner).await?;
        stream.set_nodelay(true)?;
        notice_silence(&stream)?;
        let mut stream = identity.connector.connect(Identity::name(), stream).await?;
        let length = u8::try_from(shard.len()).map_err(io::Error::other)?;
        stream.write_all(&[&proxy_protocol::header_of(peer)[..], &[length], shard.as_bytes()].concat()).await?;
        stream.flush().await?;
        match stream.read_u8().await? {
            WELCOMED => Ok(stream),
            REFUSED => Err(io::ErrorKind::PermissionDenied.into()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    };
    timeout(WELCOME, connecting).await?
}

/// An end that does not acknowledge for so long is gone: what waits there unsaid, and what is asked when nothing is said.
fn notice_silence(stream: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(stream);
    socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(ASKED_AFTER).with_interval(ASKED_EVERY).with_retries(3))?;
    socket.set_tcp_user_timeout(Some(SILENCE))
}

/// The other end: the client's address and its shard. [`welcome`] lets it in, [`refuse`] does not.
pub async fn accept(identity: &Identity, stream: TcpStream) -> io::Result<(impl Stream + use<>, SocketAddr, String)> {
    let accepting = async {
        stream.set_nodelay(true)?;
        let mut stream = identity.acceptor.accept(stream).await?;
        // A node that passes a connection on says each time for which client.
        let Header::Visitor(peer) = proxy_protocol::take(&mut stream).await? else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let mut shard = vec![0; stream.read_u8().await?.into()];
        stream.read_exact(&mut shard).await?;
        let shard = String::from_utf8(shard).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok((stream, peer, shard))
    };
    timeout(WELCOME, accepting).await?
}

pub async fn welcome(mut stream: impl Stream + 'static) -> io::Result<Box<dyn Stream>> {
    stream.write_all(&[WELCOMED]).await?;
    stream.flush().await?;
    Ok(Box::new(Written { stream, waiting: Vec::new(), sent: 0 }))
}

/// There are too many already, or it is banned.
pub async fn refuse(mut stream: impl Stream) -> io::Result<()> {
    stream.write_all(&[REFUSED]).await?;
    stream.shutdown().await
}

/// Passes bytes on in both directions until either end has none.
pub async fn splice(client: Box<dyn Stream>, owner: impl Stream) -> io::Result<()> {
    let (mut from_client, mut to_client) = tokio::io::split(client);
    let (mut from_owner, mut to_owner) = tokio::io::split(owner);
    let inwards = async {
        let mut buffer = [0; BUFFER];
        loop {
            match from_client.read(&mut buffer).await? {
                0 => return to_owner.shutdown().await,
                n => {
                    to_owner.write_all(buffer.get(..n).unwrap_or_default()).await?;
                    to_owner.flush().await?;
                }
            }
        }
    };
    let outwards = async {
        let mut write = Vec::new();
        while let Ok(length) = from_owner.read_u16().await {
            write.resize(length.into(), 0);
            from_owner.read_exact(&mut write).await?;
            to_client.write_all(&write).await?;
            to_client.flush().await?;
        }
        to_client.shutdown().await
    };
    // A client that has sent all may still listen; when the owner has nothing more, it is over.
    tokio::pin!(outwards);
    tokio::select! {
        ended = &mut outwards => ended,
        ended = inwards => match ended {
            Ok(()) => outwards.await,
            Err(error) => Err(error),
        },
    }
}

/// Each write with its length before it.
struct Written<S> {
    stream: S,
    /// Of the write that is under way, and how much of it is gone.
    waiting: Vec<u8>,
    sent: usize,
}

impl<S: Stream> Written<S> {
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.waiting.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match ready!(Pin::new(&mut self.stream).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                n => self.sent += n,
            }
        }
        self.waiting = Vec::new();
        self.sent = 0;
        Poll::Ready(Ok(()))
    }
}

impl<S: Stream> AsyncRead for Written<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, room)
    }
}

impl<S: Stream> AsyncWrite for Written<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_send(cx))?;
        let taken = bytes.get(..bytes.len().min(usize::from(u16::MAX))).unwrap_or_default();
        if !taken.is_empty() {
            self.waiting.extend((taken.len() as u16).to_be_bytes());
            self.waiting.extend(taken);
            // What is not gone now goes with the next write or flush.
            if let Poll::Ready(Err(error)) = self.poll_send(cx) {
                return Poll::Ready(Err(error));
            }
        }
        Poll::Ready(Ok(taken.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written at once arrives at once, however small the pipe between is.
    #[tokio::test]
    async fn writes_keep_their_bounds() {
        let (mut client, edge) = tokio::io::duplex(1 << 20);
        let (inner, owner) = tokio::io::duplex(7);
        let passing = tokio::spawn(splice(Box::new(edge), inner));
        let owner = tokio::spawn(async move {
            let mut owner = Written { stream: owner, waiting: Vec::new(), sent: 0 };
            let mut word = [0; 5];
            owner.read_exact(&mut word).await.unwrap();
            assert_eq!(&word, b"hello");
            for length in [1, 2, 300, 70_000] {
                owner.write_all(&vec![length as u8; length]).await.unwrap();
                owner.flush().await.unwrap();
            }
            owner.shutdown().await.unwrap();
        });
        client.write_all(b"hello").await.unwrap();
        let mut all = Vec::new();
        client.read_to_end(&mut all).await.unwrap();
        assert_eq!(all.len(), 1 + 2 + 300 + 70_000);
        owner.await.unwrap();
        passing.await.unwrap().unwrap();
    }
}

//! WebSocket (RFC 6455): the handshakes of both sides, here; `messages`: what goes over it then, as a byte stream; `utf8`: what
//! is text. The frames themselves are core's, the same as on a board.

#[cfg(test)]
mod laws;
mod messages;
mod utf8;

use std::io;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use parlor_core::game::Encoding;
use parlor_core::web::handshake;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::door::Ticket;
use crate::net::Stream;
use crate::task::{self, Task};
use messages::Messages;

/// 16 bytes in base64.
const KEY: usize = 24;
/// The longest answer to a handshake that is read.
const ANSWER: usize = 8 * 1024;

/// A request to go on as a WebSocket.
pub struct Upgrade {
    key: [u8; KEY],
    upgraded: OnUpgrade,
}

/// Why a request is none.
pub enum NoUpgrade {
    Method,
    Unasked,
    Version,
    Key,
}

impl IntoResponse for NoUpgrade {
    fn into_response(self) -> Response {
        // A peer that does not say so speaks no WebSocket, or another version (RFC 6455 4.4).
        let ours = [(header::UPGRADE, "websocket"), (header::SEC_WEBSOCKET_VERSION, "13")];
        let (status, why) = match self {
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, "a WebSocket begins with GET of HTTP/1.1\n"),
            Self::Unasked => (StatusCode::UPGRADE_REQUIRED, "a game is here, for WebSockets\n"),
            Self::Version => (StatusCode::UPGRADE_REQUIRED, "version 13 of WebSocket is spoken here\n"),
            Self::Key => (StatusCode::BAD_REQUEST, "a WebSocket's key is 16 bytes in base64\n"),
        };
        (status, ours, why).into_response()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Upgrade {
    type Rejection = NoUpgrade;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, NoUpgrade> {
        let headers = &parts.headers;
        if parts.method != Method::GET || parts.version < Version::HTTP_11 {
            return Err(NoUpgrade::Method);
        }
        if !names(headers, &header::CONNECTION, "upgrade") || !names(headers, &header::UPGRADE, "websocket") {
            return Err(NoUpgrade::Unasked);
        }
        if !names(headers, &header::SEC_WEBSOCKET_VERSION, "13") {
            return Err(NoUpgrade::Version);
        }
        let key = headers.get(header::SEC_WEBSOCKET_KEY).and_then(|key| key.as_bytes().try_into().ok());
        let upgraded = parts.extensions.remove();
        key.zip(upgraded).map(|(key, upgraded)| Self { key, upgraded }).ok_or(NoUpgrade::Key)
    }
}

/// Whether a header's list has this word.
fn names(headers: &HeaderMap, header: &HeaderName, word: &str) -> bool {
    let lists = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|named| named.trim().eq_ignore_ascii_case(word))
}

/// Answers the request; once upgraded, the connection is `attend`ed to.
pub fn upgrade<F>(request: Upgrade, encoding: Encoding, ticket: Arc<Ticket>, attend: F) -> Response
where
    F: FnOnce(Box<dyn Stream>) -> Task + Send + 'static,
{
    let Upgrade { key, upgraded } = request;
    let Ok(accept) = HeaderValue::from_bytes(&handshake::accept(&key)) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    task::spawn(async move {
        // A client that left before the answer has no connection any more.
        if let Ok(upgraded) = upgraded.await {
            attend(Box::new(Messages::of_client(TokioIo::new(upgraded), encoding))).await;
        }
        drop(ticket);
    });
    let (connection, websocket) = (HeaderValue::from_static("upgrade"), HeaderValue::from_static("websocket"));
    let answer =
        [(header::CONNECTION, connection), (header::UPGRADE, websocket), (header::SEC_WEBSOCKET_ACCEPT, accept)];
    (StatusCode::SWITCHING_PROTOCOLS, answer).into_response()
}

/// Asks a server to go on as a WebSocket.
pub async fn connect(
    mut stream: impl Stream + 'static,
    authority: &str,
    path: &str,
    encoding: Encoding,
) -> io::Result<Box<dyn Stream>> {
    let key = new_key()?;
    let asked = format!(
        "GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n\r\n",
        String::from_utf8_lossy(&key)
    );
    stream.write_all(asked.as_bytes()).await?;
    stream.flush().await?;
    let mut answer = Vec::new();
    // Byte by byte: what follows is the game's.
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() == ANSWER {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer has no end"));
        }
        answer.push(stream.read_u8().await?);
    }
    check(&String::from_utf8_lossy(&answer), &key)?;
    Ok(Box::new(Messages::of_server(stream, encoding)))
}

fn new_key() -> io::Result<[u8; KEY]> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(handshake::key(&random))
}

/// Whether the server goes on as a WebSocket, and has heard our key.
fn check(answer: &str, key: &[u8; KEY]) -> io::Result<()> {
    let mut lines = answer.split("\r\n");
    let status = lines.next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("101") {
        return Err(io::Error::other(format!("the server refused a WebSocket: {status}")));
    }
    let accept = handshake::accept(key);
    let is_right = lines.filter_map(|line| line.split_once(':')).any(|(name, value)| {
        name.eq_ignore_ascii_case(header::SEC_WEBSOCKET_ACCEPT.as_str()) && value.trim().as_bytes() == accept
    });
    if is_right {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, "the server's answer is to another key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_comes_twice() {
        let keys: std::collections::BTreeSet<_> = (0..100).map(|_| new_key().unwrap()).collect();
        assert_eq!(keys.len(), 100);
    }

    #[test]
    fn an_answer_counts_if_it_is_to_our_key() {
        let key = b"dGhlIHNhbXBsZSBub25jZQ==";
        let right = "HTTP/1.1 101 Switching Protocols\r\nSEC-WebSocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
        assert!(check(right, key).is_ok());
        assert!(check(right, b"xGhlIHNhbXBsZSBub25jZQ==").is_err());
        let refused = check("HTTP/1.1 403 Forbidden\r\n\r\n", key).unwrap_err().to_string();
        assert_eq!(refused, "the server refused a WebSocket: HTTP/1.1 403 Forbidden");
    }
}

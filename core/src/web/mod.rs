//! HTTP/1.1 heads and WebSocket frames as pure bytes, for adapters that serve pages: no socket, no allocation, nothing that
//! grows.
//!
//! - [`head`]: a request's head, byte by byte, in less than 400 bytes of state.
//! - [`status`]: the answers that have no body.
//! - [`host`]: by which names a small server may be called.
//! - [`frames`]: WebSocket frames in and out (RFC 6455).
//! - [`handshake`]: the answer to a WebSocket's key.
//! - [`json`]: small objects written into a buffer.

pub mod frames;
pub mod handshake;
pub mod head;
pub mod host;
pub mod json;
pub mod status;

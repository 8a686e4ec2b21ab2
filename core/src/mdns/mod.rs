//! Multicast DNS as bytes (RFC 6762, 6763): for adapters to be found by a name, without a server that knows it. Time
//! is an argument, and nothing here knows a socket: [`Responder`] says what is to be said when, to all or to one asker.

mod packet;
mod responder;

pub use responder::{LONGEST, NAME_MAX, Responder, TEXT_MAX};

/// Where everybody listens and speaks.
pub const GROUP: [u8; 4] = [224, 0, 0, 251];
pub const PORT: u16 = 5353;
/// Packets must come from this very network (RFC 6762, 11).
pub const HOPS: u8 = 255;

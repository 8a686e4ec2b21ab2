//! The std adapter: sockets, clock and entropy for the games of parlor-core.

pub mod net;

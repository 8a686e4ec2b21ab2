//! Monopoly: how its conversations are written, games of its bots with any backend, whole games simulated.

pub mod bots;
mod client_data;
mod dialect;
mod made;
mod mirror;
pub mod sim;
pub mod vectors;

pub use dialect::Dialect;

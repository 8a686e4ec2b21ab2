//! Merchant of Venus: how its conversations are written, positions as rows of text, a second
//! opinion on the rules, and whole games by bots.

mod client_data;
mod dialect;
pub mod evening;
mod reading;
pub mod rows;
pub mod slow_steps;

pub use dialect::Dialect;

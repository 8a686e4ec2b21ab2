//! Merchant of Venus: how its conversations are written, positions as rows of text, and a second opinion on the rules.

mod dialect;
mod reading;
pub mod rows;
pub mod slow_steps;

pub use dialect::Dialect;

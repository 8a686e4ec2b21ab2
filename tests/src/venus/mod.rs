//! Merchant of Venus: how its conversations are written, positions as rows of text and at random, a second opinion on
//! steps and moves, and whole games by bots.

pub mod any_position;
mod client_data;
mod dialect;
pub mod evening;
mod mirror;
mod reading;
pub mod rows;
pub mod slow_moves;
pub mod slow_steps;
mod told;

pub use dialect::Dialect;

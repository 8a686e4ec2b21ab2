//! One conformance suite, spoken over bytes, for core, host and firmware alike.

pub mod bots;
pub mod conversation;
pub mod echo;
pub mod harness;
pub mod peer;
pub mod record;
mod report;
pub mod sim;
pub mod talk;
pub mod vectors;
pub mod venus;
pub mod yard;

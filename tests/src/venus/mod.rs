//! Merchant of Venus: positions as rows of text, and a second opinion on the rules.

pub mod rows;
pub mod slow_steps;

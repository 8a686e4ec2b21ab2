//! One conformance suite, spoken over bytes, for core, host and firmware alike.

pub mod callgrind;
pub mod conversation;
pub mod echo;
pub mod games;
pub mod mirror;
pub mod pcap;
pub mod peer;
pub mod pimp;
pub mod record;
pub mod rng;
pub mod served;
pub mod venus;
pub mod yard;

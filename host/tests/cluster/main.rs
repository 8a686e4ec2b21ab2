//! Real nodes on a real JetStream cluster: owners are killed, stopped and drained, engine servers too, while bots play every
//! game over TCP at whichever node they come to. Every byte that any of them received is what a replay of the log lets its
//! link hear.
//!
//! `CLUSTER_KILLS` says how often an owner is killed, `CLUSTER_SEED` which; both are printed.

mod away;
#[path = "../common/mod.rs"]
mod common;
mod drain;
mod engine_faults;
mod evening;
mod matching;
mod nodes;
mod owners;
mod power;
mod replay;
mod zombie;

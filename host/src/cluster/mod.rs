//! Tables beyond one machine: nodes that keep their journals in one NATS JetStream cluster, so that a shard's tables go on at
//! another node when theirs dies.
//!
//! A shard is a lobby or a hall: what has one journal. It has one owner: the node that claimed it last in its log.
//!
//! - [`sealed`]: what a message is, and who may read it. [`engine`]: the JetStream cluster. [`engine_store`]: a shard's
//!   journal there, and the fence; `engine_read` and `pieces` are its parts.
//! - [`shard`]: a shard at its owner. [`members`]: nodes and what each has, as far as is known. [`node`]: which takes
//!   what when. [`edge`] and [`identity`]: the way of a connection from one node to another.
//! - [`serve`]: a node as a program.

pub mod edge;
pub mod engine;
mod engine_check;
mod engine_read;
pub mod engine_store;
pub mod identity;
pub mod members;
pub mod node;
mod pieces;
pub mod sealed;
pub mod serve;
pub mod shard;

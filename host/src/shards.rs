//! Lobbies and halls that may be at another machine: what the HTTP port asks of the cluster, where there is one.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use parlor_core::game::Encoding;
use serde::Serialize;

use crate::net::Stream;
use crate::placement::Placement;
use crate::registry::Registry;
use crate::task::Task;

/// A lobby or a hall of this process.
pub struct Held {
    pub registry: Arc<Registry>,
    /// `None`: it is a hall.
    pub lobby: Option<Arc<dyn Placement>>,
}

/// The owner of a shard, as `/where/GAME/NUMBER` tells.
#[derive(Clone, Debug, Serialize)]
pub struct Where {
    pub shard: String,
    /// `None`: no node has it now.
    pub node: Option<String>,
    pub epoch: u32,
    /// It is at the node that was asked.
    pub here: bool,
    /// Where browsers reach that node, if they do.
    pub public: Option<String>,
    /// The ways of a page to it, the shortest first: origins of nodes; an empty one is the node that was asked, from where it
    /// is passed on.
    pub ways: Vec<String>,
}

/// One shard as `/cluster` tells.
#[derive(Clone, Debug, Serialize)]
pub struct ShardRow {
    pub shard: String,
    /// `None`: no node has it now.
    pub node: Option<String>,
    pub epoch: u32,
    pub tables: u32,
    pub links: u64,
    /// Records that are noted and not yet safe.
    pub lag: u64,
    /// Messages of the log that a node reads to take the shard.
    pub log: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct NodeRow {
    pub node: String,
    pub name: String,
    pub inner: SocketAddr,
    pub draining: bool,
    pub shards: u32,
    /// Milliseconds since it was heard of.
    pub silent: u64,
}

/// All that `/cluster` tells.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterView {
    pub node: String,
    pub nodes: Vec<NodeRow>,
    pub shards: Vec<ShardRow>,
    /// What this node could not see to be right of the engine, a sentence a server.
    pub doubts: Vec<String>,
}

/// One shard that was moved, as `POST /drain` tells.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    pub shard: String,
    /// The node that has it now; `None`: none took it in time.
    pub to: Option<String>,
    /// Milliseconds between the last word here and the first there.
    pub pause: u64,
}

pub type Draining = Pin<Box<dyn Future<Output = Vec<Moved>> + Send>>;

/// What the cluster has counted here.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterFigures {
    pub taken: u64,
    pub lost: u64,
    pub moved: u64,
    pub spliced: u64,
    /// Connections that found no owner in time.
    pub nowhere: u64,
    /// How long the last takeover took, in milliseconds, and the longest.
    pub last_take: u64,
    pub longest_take: u64,
}

pub trait Shards: Send + Sync {
    /// What WebSockets of this shard's game carry; `None`: there is no such shard.
    fn encoding(&self, shard: &str) -> Option<Encoding>;
    /// One connection, from its first byte to its last, here or at the shard's owner.
    fn attend(self: Arc<Self>, shard: String, stream: Box<dyn Stream>, peer: SocketAddr) -> Task;
    /// Its owner; `None`: there is no such shard.
    fn find(&self, shard: &str) -> Option<Where>;
    /// The origins under which browsers reach the nodes that live.
    fn origins(&self) -> Vec<String>;
    fn view(&self) -> ClusterView;
    fn held(&self) -> Vec<(String, Held)>;
    fn figures(&self) -> ClusterFigures;
    /// Gives every shard to other nodes, and takes none from now on.
    fn drain(self: Arc<Self>) -> Draining;
}

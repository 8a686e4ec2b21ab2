//! Which nodes live and which shards they have, as they tell each other once a second over the engine. A hint and never
//! a proof: what is so, the logs say. A wrong suspicion costs a handover and no more.
//!
//! Nodes that have not been heard of for [`LEASE`] are gone; a node whose subject has no responder is gone at once, as
//! its process has ended.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ring::digest;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// How long a node that is not heard of is believed to be there.
pub const LEASE: Duration = Duration::from_secs(3);
/// How often it tells that it is.
pub const BEAT: Duration = Duration::from_secs(1);

/// What a node has of a shard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holding {
    pub epoch: u32,
    pub tables: u32,
    pub links: u64,
    pub lag: u64,
    pub log: u64,
}

/// What a node tells of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// Drawn when its process began.
    pub node: String,
    pub name: String,
    /// Where other nodes reach it.
    pub inner: SocketAddr,
    /// Where browsers do.
    pub public: Option<String>,
    /// It takes no shards.
    pub draining: bool,
    /// It ends now.
    pub leaving: bool,
    pub shards: BTreeMap<String, Holding>,
}

pub struct Members {
    me: String,
    heard: Mutex<BTreeMap<String, (Beat, Instant)>>,
    changed: watch::Sender<u64>,
}

impl Members {
    pub fn new(me: &str) -> Self {
        Self { me: me.into(), heard: Mutex::default(), changed: watch::Sender::new(0) }
    }

    fn heard(&self) -> MutexGuard<'_, BTreeMap<String, (Beat, Instant)>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For tasks that wait until a shard changes its owner.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Something is another than before.
    pub fn stir(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// A node tells of itself; whether for the first time.
    pub fn hear(&self, beat: Beat, now: Instant) -> bool {
        let mut heard = self.heard();
        let is_new = !beat.leaving && !heard.contains_key(&beat.node);
        let is_news = heard.get(&beat.node).is_none_or(|(before, _)| {
            (before.draining, before.shards.len()) != (beat.draining, beat.shards.len())
                || before
                    .shards
                    .iter()
                    .any(|(shard, held)| beat.shards.get(shard).map(|held| held.epoch) != Some(held.epoch))
        });
        if beat.leaving {
            heard.remove(&beat.node);
        } else {
            heard.insert(beat.node.clone(), (beat, now));
        }
        drop(heard);
        if is_news {
            self.stir();
        }
        is_new
    }

    /// Its process has ended.
    pub fn bury(&self, node: &str) {
        if self.heard().remove(node).is_some() {
            self.stir();
        }
    }

    /// Nodes that were heard of lately, by id, with how long ago.
    pub fn alive(&self, now: Instant) -> Vec<(Beat, Duration)> {
        let heard = self.heard();
        let silent = |at: &Instant| now.saturating_duration_since(*at);
        heard.values().filter(|(_, at)| silent(at) < LEASE).map(|(beat, at)| (beat.clone(), silent(at))).collect()
    }

    /// The owner of a shard, as far as is known: of two, the one that took it later.
    pub fn owner(&self, shard: &str, now: Instant) -> Option<(Beat, Holding)> {
        let holders = self.alive(now).into_iter().filter_map(|(beat, _)| {
            let held = beat.shards.get(shard)?.clone();
            Some((beat, held))
        });
        holders.max_by_key(|(_, held)| held.epoch)
    }

    /// The nodes that may have a shard, the one that should first. Every node comes to the same order by itself, and when one
    /// comes or goes only its shards change places.
    pub fn ranked(&self, shard: &str, now: Instant) -> Vec<String> {
        let alive = self.alive(now).into_iter().filter(|(beat, _)| !beat.draining);
        let mut ranked: Vec<_> = alive.map(|(beat, _)| (weight(&beat.node, shard), beat.node)).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, node)| node).collect()
    }

    /// The place of this node among those that may have a shard; `None`: it may not.
    pub fn rank(&self, shard: &str, now: Instant) -> Option<usize> {
        self.ranked(shard, now).iter().position(|node| *node == self.me)
    }
}

fn weight(node: &str, shard: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, format!("{node} {shard}").as_bytes()).as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(node: &str, shards: &[(&str, u32)]) -> Beat {
        let held = |epoch| Holding { epoch, ..Holding::default() };
        Beat {
            node: node.into(),
            name: node.into(),
            inner: "127.0.0.1:1".parse().unwrap(),
            public: None,
            draining: false,
            leaving: false,
            shards: shards.iter().map(|(shard, epoch)| ((*shard).into(), held(*epoch))).collect(),
        }
    }

    #[test]
    fn whoever_took_a_shard_last_has_it_as_long_as_it_is_heard_of() {
        let (members, now) = (Members::new("a"), Instant::now());
        assert!(members.hear(beat("a", &[("pimp.1", 4)]), now));
        assert!(members.hear(beat("b", &[("pimp.1", 5)]), now));
        let owner = |now| members.owner("pimp.1", now).map(|(beat, held)| (beat.node, held.epoch));
        assert_eq!(owner(now), Some(("b".into(), 5)));
        assert_eq!(owner(now + LEASE), None);
        assert!(!members.hear(beat("a", &[("pimp.1", 4)]), now + LEASE));
        assert_eq!(owner(now + LEASE), Some(("a".into(), 4)));
        members.bury("a");
        assert_eq!(owner(now + LEASE), None);
    }

    #[test]
    fn when_a_node_goes_only_its_shards_change_places() {
        let (members, now) = (Members::new("a"), Instant::now());
        ["a", "b", "c"].iter().for_each(|node| _ = members.hear(beat(node, &[]), now));
        let first = |shard: &String| members.ranked(shard, now)[0].clone();
        let shards: Vec<String> = (0..99).map(|number| format!("pimp.{number}")).collect();
        let before: Vec<_> = shards.iter().map(first).collect();
        assert!(["a", "b", "c"].iter().all(|node| before.iter().filter(|first| first == node).count() > 15));
        members.hear(Beat { draining: true, ..beat("b", &[]) }, now);
        for (before, shard) in before.iter().zip(&shards) {
            assert!(before == "b" || first(shard) == *before);
        }
        assert!(members.rank("pimp.1", now).is_some_and(|rank| rank < 2));
    }
}

//! One node: which shards it takes, when it lets them go, and the way of connections to their owners.
//!
//! A shard without an owner is taken by the node that comes first for it in an order that all nodes agree on, and by
//! the next if that one does not. A shard that is another's by that order, and has no connections, is given to it. All
//! this only says which node tries: the log says which has it ([`super::engine_store`]).

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::RequestErrorKind;
use bytes::Bytes;
use futures_util::StreamExt as _;
use parlor_core::game::Encoding;
use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::edge;
use super::engine::Engine;
use super::identity::Identity;
use super::members::{BEAT, Beat, LEASE, Members};
use super::shard::{Owned, Terms, can_be_shard};
use crate::access::is_origin;
use crate::door::Door;
use crate::flags::Asked;
use crate::net::Stream;
use crate::quiet::warn_seldom;
use crate::shards::{ClusterFigures, ClusterView, Draining, Held, Moved, NodeRow, ShardRow, Shards, Where};
use crate::task::{self, Task};

/// Where nodes tell of themselves.
const BEATS: &str = "node.beat";
/// How often a node looks whether there is something to take or to give.
const LOOK: Duration = Duration::from_millis(200);
/// A new node listens so long before it takes anything. Nodes that first hear of it tell of themselves at once.
const LISTEN: Duration = Duration::from_secs(1);
/// Connections that have not yet proven to be other nodes': strangers on that port take no more than these.
const STRANGERS: usize = 256;
/// How often the others are asked whether they are there, and how often in a row there is no responder for a process
/// that ended. An engine's server that dies takes its clients' subjects with it until they have found another.
const PING: Duration = Duration::from_millis(100);
const SILENCES: u32 = 4;
/// Shards that are taken at once.
const TOGETHER: usize = 4;
/// How long a connection waits for its shard to have an owner.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long the node that is given a shard may take to open it.
const HANDOVER: Duration = Duration::from_secs(30);
/// How long a shard without connections has waited before it is given to the node it should be with.
const QUIET: Duration = Duration::from_secs(3);

/// What is said of this node.
pub struct About {
    pub name: String,
    pub inner: SocketAddr,
    pub public: Option<String>,
}

#[derive(Default)]
struct Counts {
    taken: AtomicU64,
    lost: AtomicU64,
    moved: AtomicU64,
    spliced: AtomicU64,
    nowhere: AtomicU64,
    last_take: AtomicU64,
    longest_take: AtomicU64,
}

pub struct Node {
    id: String,
    about: About,
    engine: Arc<Engine>,
    identity: Identity,
    terms: Terms,
    door: Arc<Door>,
    /// Every shard of the cluster, with the game it is of.
    games: BTreeMap<String, Asked>,
    members: Members,
    owned: Mutex<BTreeMap<String, Arc<Owned>>>,
    /// Shards that are being taken or given.
    busy: Mutex<BTreeSet<String>>,
    /// Since when a shard has no owner, or one of ours no connection.
    since: Mutex<BTreeMap<String, Instant>>,
    draining: AtomicBool,
    beat_now: Notify,
    together: Semaphore,
    strangers: Arc<Semaphore>,
    counts: Counts,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A shard that is being taken or given, until this is dropped.
struct Busy {
    node: Arc<Node>,
    shard: String,
}

impl Drop for Busy {
    fn drop(&mut self) {
        lock(&self.node.busy).remove(&self.shard);
    }
}

/// The shards of a game, by their numbers from 1.
pub fn names(asked: &Asked, count: u16) -> Vec<String> {
    (1..=count).map(|number| format!("{}.{number}", asked.entry.name)).collect()
}

impl Node {
    pub fn new(engine: Arc<Engine>, terms: Terms, door: Arc<Door>, about: About) -> std::io::Result<Arc<Self>> {
        let mut id = [0; 8];
        getrandom::fill(&mut id).map_err(std::io::Error::other)?;
        let id = id.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let count = terms.args.cluster.cluster_shards;
        let games = terms.args.games.iter().filter(|asked| can_be_shard(asked) && is_asked(asked));
        let games = games.flat_map(|asked| names(asked, count).into_iter().map(|name| (name, asked.clone()))).collect();
        Ok(Arc::new(Self {
            members: Members::new(&id),
            identity: Identity::new(&engine.keys)?,
            id,
            about,
            engine,
            terms,
            door,
            games,
            owned: Mutex::default(),
            busy: Mutex::default(),
            since: Mutex::default(),
            draining: AtomicBool::new(false),
            beat_now: Notify::new(),
            together: Semaphore::new(TOGETHER),
            strangers: Arc::new(Semaphore::new(STRANGERS)),
            counts: Counts::default(),
        }))
    }

    /// Begins to listen, to tell, and to take.
    pub async fn start(self: &Arc<Self>, inner: TcpListener) -> Result<(), String> {
        let failed = |error: async_nats::SubscribeError| format!("the engine does not let us listen: {error}");
        let beats = self.engine.client.subscribe(BEATS).await.map_err(failed)?;
        let asked = self.engine.client.subscribe(format!("node.{}.>", self.id)).await.map_err(failed)?;
        task::spawn(self.clone().hear(beats));
        task::spawn(self.clone().answer(asked));
        task::spawn(self.clone().tell());
        task::spawn(self.clone().let_in(inner));
        task::spawn(self.clone().ping());
        task::spawn(self.clone().look());
        Ok(())
    }

    /// Until every shard has an owner, or for so long.
    pub async fn settled(&self, patience: Duration) {
        let is_settled = || self.games.keys().all(|shard| self.members.owner(shard, Instant::now()).is_some());
        let _ = timeout(patience, async {
            while !is_settled() {
                sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }

    fn owned(&self, shard: &str) -> Option<Arc<Owned>> {
        lock(&self.owned).get(shard).cloned()
    }

    fn all_owned(&self) -> Vec<Arc<Owned>> {
        lock(&self.owned).values().cloned().collect()
    }

    fn make_busy(self: &Arc<Self>, shard: &str) -> Option<Busy> {
        lock(&self.busy).insert(shard.into()).then(|| Busy { node: self.clone(), shard: shard.into() })
    }

    fn beat(&self, leaving: bool) -> Beat {
        Beat {
            node: self.id.clone(),
            name: self.about.name.clone(),
            inner: self.about.inner,
            public: self.about.public.clone(),
            draining: self.draining.load(Relaxed),
            leaving,
            shards: self.all_owned().iter().map(|owned| (owned.shard.clone(), owned.holding())).collect(),
        }
    }

    async fn send_beat(&self, leaving: bool) {
        let beat = self.beat(leaving);
        let bytes = serde_json::to_vec(&beat).unwrap_or_default();
        let _ = self.members.hear(beat, Instant::now());
        if let Err(error) = self.engine.client.publish(BEATS, bytes.into()).await {
            warn_seldom!(%error, "other nodes can't be told that this one is there");
        }
    }

    /// Tells that this node is there and what it has.
    async fn tell(self: Arc<Self>) {
        loop {
            self.send_beat(false).await;
            let _ = timeout(BEAT, self.beat_now.notified()).await;
        }
    }

    async fn hear(self: Arc<Self>, mut beats: async_nats::Subscriber) {
        while let Some(message) = beats.next().await {
            match serde_json::from_slice::<Beat>(&message.payload) {
                Ok(beat) if beat.node != self.id => {
                    if self.members.hear(beat, Instant::now()) {
                        self.beat_now.notify_one();
                    }
                }
                Ok(_) => {}
                Err(error) => warn_seldom!(%error, "a node tells what can't be read: is it of another version?"),
            }
        }
    }

    /// What other nodes ask of this one: whether it is there, and that it take a shard.
    async fn answer(self: Arc<Self>, mut asked: async_nats::Subscriber) {
        while let Some(message) = asked.next().await {
            let Some(reply) = message.reply.clone() else { continue };
            let is_take = message.subject.as_str().ends_with(".take");
            let node = self.clone();
            if !is_take {
                let _ = node.engine.client.publish(reply, Bytes::new()).await;
                continue;
            }
            task::spawn(async move {
                let shard = String::from_utf8_lossy(&message.payload).into_owned();
                let taken = node.take(&shard).await;
                let said = match taken {
                    Ok(epoch) => format!("ok {epoch}"),
                    Err(error) => error,
                };
                let _ = node.engine.client.publish(reply, said.into()).await;
            });
        }
    }

    /// A node whose subject has no responder has ended.
    async fn ping(self: Arc<Self>) {
        let mut silences = BTreeMap::<String, u32>::new();
        loop {
            sleep(PING).await;
            let others = self.members.alive(Instant::now()).into_iter().map(|(beat, _)| beat.node);
            let others: Vec<String> = others.filter(|node| *node != self.id).collect();
            silences.retain(|node, _| others.contains(node));
            let asking = others.into_iter().map(|node| {
                let client = self.engine.client.clone();
                async move {
                    let asked = timeout(BEAT, client.request(format!("node.{node}.ping"), Bytes::new())).await;
                    let is_gone = matches!(asked, Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders);
                    (node, is_gone)
                }
            });
            for (node, is_gone) in futures_util::future::join_all(asking).await {
                let count = silences.entry(node.clone()).or_default();
                *count = if is_gone { *count + 1 } else { 0 };
                if *count >= SILENCES {
                    tracing::info!(node, "the node's process has ended");
                    self.members.bury(&node);
                }
            }
        }
    }

    /// Takes shards without an owner and gives those that should be another's, for ever.
    async fn look(self: Arc<Self>) {
        sleep(LISTEN).await;
        let mut changes = self.members.changes();
        loop {
            let _ = timeout(LOOK, changes.changed()).await;
            for shard in self.games.keys() {
                self.consider(shard);
            }
        }
    }

    fn consider(self: &Arc<Self>, shard: &str) {
        let now = Instant::now();
        if lock(&self.busy).contains(shard) {
            return;
        }
        let owner = self.members.owner(shard, now);
        if let Some(owned) = self.owned(shard) {
            if owner.is_some_and(|(beat, held)| beat.node != self.id && held.epoch > owned.epoch) {
                tracing::warn!(shard, "another node says that it has this shard: it is let go here");
                return self.drop_lost(owned);
            }
            let ranked = self.members.ranked(shard, now);
            let is_foreign = ranked.first().is_some_and(|node| *node != self.id);
            if self.has_waited(shard, is_foreign && owned.registry.links() == 0, QUIET) {
                let node = self.clone();
                let shard = shard.to_owned();
                task::spawn(async move { _ = node.give(&shard).await });
            }
            return;
        }
        let Some(rank) = self.members.rank(shard, now) else { return };
        if self.has_waited(shard, owner.is_none(), LEASE * rank as u32) {
            let (node, shard) = (self.clone(), shard.to_owned());
            task::spawn(async move {
                if let Err(error) = node.take(&shard).await {
                    warn_seldom!(shard, error, "a shard could not be taken");
                }
            });
        }
    }

    /// Whether something has been so for long enough; it is counted anew then.
    fn has_waited(&self, shard: &str, is_so: bool, long: Duration) -> bool {
        let mut since = lock(&self.since);
        if !is_so {
            since.remove(shard);
            return false;
        }
        let now = Instant::now();
        let begun = *since.entry(shard.into()).or_insert(now);
        let is_over = now.duration_since(begun) >= long;
        if is_over {
            since.remove(shard);
        }
        is_over
    }

    /// Takes a shard and opens its tables; the epoch.
    async fn take(self: &Arc<Self>, shard: &str) -> Result<u32, String> {
        if let Some(owned) = self.owned(shard) {
            return Ok(owned.epoch);
        }
        let asked = self.games.get(shard).ok_or_else(|| format!("there is no shard {shard} here"))?;
        let Some(_busy) = self.make_busy(shard) else { return self.taken_meanwhile(shard).await };
        let _place = self.together.acquire().await.map_err(|error| error.to_string())?;
        if self.draining.load(Relaxed) {
            return Err("this node takes nothing any more".into());
        }
        let begun = Instant::now();
        let owned = Owned::open(&self.terms, &self.engine, shard, asked).await.map_err(|error| error.to_string())?;
        let ms = begun.elapsed().as_millis() as u64;
        let (epoch, tables) = (owned.epoch, owned.registry.all().len());
        tracing::info!(shard, epoch, tables, ms, "this node has the shard now");
        self.counts.taken.fetch_add(1, Relaxed);
        self.counts.last_take.store(ms, Relaxed);
        self.counts.longest_take.fetch_max(ms, Relaxed);
        lock(&self.owned).insert(shard.into(), owned.clone());
        let node = self.clone();
        task::spawn(async move {
            owned.journal.lost().await;
            node.drop_lost(owned);
        });
        self.send_beat(false).await;
        Ok(epoch)
    }

    /// A node that gives a shard away asks us to take it, and we may have begun to by ourselves: what becomes of that.
    async fn taken_meanwhile(&self, shard: &str) -> Result<u32, String> {
        while lock(&self.busy).contains(shard) {
            sleep(Duration::from_millis(5)).await;
        }
        self.owned(shard).map(|owned| owned.epoch).ok_or_else(|| "it could not be taken".into())
    }

    /// A shard is another's: nothing more is said here.
    fn drop_lost(self: &Arc<Self>, owned: Arc<Owned>) {
        let is_ours = {
            let mut all = lock(&self.owned);
            let is_ours = all.get(&owned.shard).is_some_and(|other| Arc::ptr_eq(other, &owned));
            is_ours && all.remove(&owned.shard).is_some()
        };
        if !is_ours {
            return;
        }
        self.counts.lost.fetch_add(1, Relaxed);
        tracing::warn!(shard = owned.shard, epoch = owned.epoch, "the shard is another node's now");
        self.beat_now.notify_one();
        task::spawn(async move { owned.end().await });
    }

    /// Gives a shard to the node that comes first for it.
    async fn give(self: &Arc<Self>, shard: &str) -> Option<Moved> {
        let _busy = self.make_busy(shard)?;
        let owned = lock(&self.owned).remove(shard)?;
        let begun = Instant::now();
        if !owned.close().await {
            tracing::warn!(shard, "not all of the shard could be made safe: whoever takes it goes on with what was");
        }
        self.send_beat(false).await;
        let mut to = None;
        for node in self.members.ranked(shard, Instant::now()).into_iter().filter(|node| *node != self.id) {
            let request = async_nats::Request::new().payload(shard.to_owned().into()).timeout(Some(HANDOVER));
            match self.engine.client.send_request(format!("node.{node}.take"), request).await {
                Ok(answer) if answer.payload.starts_with(b"ok") => {
                    to = Some(node);
                    break;
                }
                Ok(answer) => tracing::warn!(shard, node, why = ?answer.payload, "a node does not take the shard"),
                Err(error) => tracing::warn!(shard, node, %error, "a node does not take the shard"),
            }
        }
        let pause = begun.elapsed().as_millis() as u64;
        self.counts.moved.fetch_add(1, Relaxed);
        tracing::info!(shard, to, pause, "the shard was given away");
        Some(Moved { shard: shard.into(), to, pause })
    }

    /// Gives everything away; a shard that no node takes is closed, so that its next owner finds it whole.
    pub async fn give_all(self: &Arc<Self>) -> Vec<Moved> {
        self.draining.store(true, Relaxed);
        self.send_beat(false).await;
        let mut moved = Vec::new();
        loop {
            let next = lock(&self.owned).keys().next().cloned();
            let Some(shard) = next else { break };
            match self.give(&shard).await {
                Some(one) => moved.push(one),
                // It is being taken or given.
                None => sleep(Duration::from_millis(20)).await,
            }
        }
        moved
    }

    /// This node ends: the others need not wait until they miss it.
    pub async fn leave(self: &Arc<Self>) {
        self.give_all().await;
        self.send_beat(true).await;
        let _ = timeout(BEAT, self.engine.client.flush()).await;
    }

    /// Connections that other nodes pass on.
    async fn let_in(self: Arc<Self>, listener: TcpListener) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.door.closing_time() => return,
            };
            let Ok((stream, from)) = accepted else {
                sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Ok(place) = self.strangers.clone().try_acquire_owned() else {
                warn_seldom!(%from, "too many connections to --cluster-inner say nothing: one is closed");
                continue;
            };
            let node = self.clone();
            task::spawn(async move {
                if let Err(error) = node.receive(stream, place).await {
                    tracing::debug!(%from, %error, "a connection that another node passed on");
                }
            });
        }
    }

    async fn receive(
        self: &Arc<Self>,
        stream: tokio::net::TcpStream,
        place: OwnedSemaphorePermit,
    ) -> std::io::Result<()> {
        let (stream, peer, shard) = edge::accept(&self.identity, stream).await?;
        drop(place);
        // The node that passes it on looks again for the owner.
        let Some(owned) = self.owned(&shard) else { return Ok(()) };
        let Some(_ticket) = self.door.admit(peer) else { return edge::refuse(stream).await };
        owned.attend(edge::welcome(stream).await?, peer.ip()).await;
        Ok(())
    }

    async fn serve(self: Arc<Self>, shard: String, stream: Box<dyn Stream>, peer: SocketAddr) {
        let (end, mut changes) = (Instant::now() + PATIENCE, self.members.changes());
        while Instant::now() < end {
            if let Some(owned) = self.owned(&shard) {
                return owned.attend(stream, peer.ip()).await;
            }
            let owner = self.members.owner(&shard, Instant::now()).filter(|(beat, _)| beat.node != self.id);
            if let Some((beat, _)) = owner {
                match edge::connect(&self.identity, beat.inner, &shard, peer).await {
                    Ok(inner) => {
                        self.counts.spliced.fetch_add(1, Relaxed);
                        if let Err(error) = edge::splice(stream, inner).await {
                            tracing::debug!(shard, %error, "a connection to another node ended");
                        }
                        return;
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return,
                    Err(error) => tracing::debug!(shard, node = beat.node, %error, "no way to the shard yet"),
                }
            }
            let _ = timeout(Duration::from_millis(100), changes.changed()).await;
        }
        self.counts.nowhere.fetch_add(1, Relaxed);
    }
}

/// Whether a game is served at any port.
fn is_asked(asked: &Asked) -> bool {
    !(asked.tcp.is_empty() && asked.ws.is_empty() && asked.lobby.is_empty())
}

impl Shards for Node {
    fn encoding(&self, shard: &str) -> Option<Encoding> {
        self.games.get(shard).map(|asked| asked.entry.encoding)
    }

    fn attend(self: Arc<Self>, shard: String, stream: Box<dyn Stream>, peer: SocketAddr) -> Task {
        Box::pin(self.serve(shard, stream, peer))
    }

    fn find(&self, shard: &str) -> Option<Where> {
        self.games.get(shard)?;
        let (beat, held) = self.members.owner(shard, Instant::now()).unzip();
        let (node, public) = beat.map(|beat| (beat.node, beat.public)).unzip();
        let (here, public) = (node.as_ref() == Some(&self.id), public.flatten());
        let straight = public.clone().filter(|public| !here && is_origin(public));
        let mut ways: Vec<_> = straight.into_iter().chain([String::new()]).collect();
        let others = self.origins().into_iter().filter(|other| Some(other) != self.about.public.as_ref());
        others.for_each(|other| ways.extend((!ways.contains(&other)).then_some(other)));
        Some(Where { shard: shard.into(), node, epoch: held.unwrap_or_default().epoch, here, public, ways })
    }

    fn origins(&self) -> Vec<String> {
        let alive = self.members.alive(Instant::now()).into_iter();
        alive.filter_map(|(beat, _)| beat.public).filter(|public| is_origin(public)).collect()
    }

    fn view(&self) -> ClusterView {
        let now = Instant::now();
        let nodes = self.members.alive(now).into_iter().map(|(beat, silent)| NodeRow {
            node: beat.node,
            name: beat.name,
            inner: beat.inner,
            draining: beat.draining,
            shards: beat.shards.len() as u32,
            silent: silent.as_millis() as u64,
        });
        let shards = self.games.keys().map(|shard| {
            let (node, held) = self.members.owner(shard, now).map(|(beat, held)| (beat.node, held)).unzip();
            let held = held.unwrap_or_default();
            let (epoch, tables, links, lag, log) = (held.epoch, held.tables, held.links, held.lag, held.log);
            ShardRow { shard: shard.clone(), node, epoch, tables, links, lag, log }
        });
        let (nodes, shards) = (nodes.collect(), shards.collect());
        ClusterView { node: self.id.clone(), nodes, shards, doubts: self.engine.doubted.sentences() }
    }

    fn held(&self) -> Vec<(String, Held)> {
        let held = |owned: &Arc<Owned>| Held { registry: owned.registry.clone(), lobby: owned.lobby().cloned() };
        self.all_owned().iter().map(|owned| (owned.shard.clone(), held(owned))).collect()
    }

    fn figures(&self) -> ClusterFigures {
        let Counts { taken, lost, moved, spliced, nowhere, last_take, longest_take } = &self.counts;
        let all = [taken, lost, moved, spliced, nowhere, last_take, longest_take].map(|count| count.load(Relaxed));
        let [taken, lost, moved, spliced, nowhere, last_take, longest_take] = all;
        ClusterFigures { taken, lost, moved, spliced, nowhere, last_take, longest_take }
    }

    fn drain(self: Arc<Self>) -> Draining {
        Box::pin(async move { self.give_all().await })
    }
}

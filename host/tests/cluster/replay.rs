//! What a shard's log tells, played again: one order of all that happened, in which every link of every table has its part.
//! Whoever was connected must have heard the beginning of its link's part and nothing else, and what the log holds of it must
//! be the beginning of what it said: so nothing that was told is lost, and nothing that was said is done twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parlor::cluster::engine::{Asked, Engine};
use parlor::cluster::engine_store::EngineStore;
use parlor::journal::record::{Event, Record};
use parlor::journal::restore::{self, From, Table, Witness};
use parlor::journal::stored_table::{Disagreement, Heard};
use parlor::journal::{AnyTable, StoredTable};
use parlor_core::pimp::limits::LobbyTable;
use parlor_core::venus::limits::HostVenus;
use parlor_core::yard::limits::HostYard;
use parlor_tests::mirror::{Mirrored, compare};

use crate::common::nats::Nats;
use crate::common::{HELLO, PATIENCE};
use crate::evening::{Evening, Transcript};
use crate::matching::{Matching, Way};
use crate::nodes::{GAMES, runtime};

/// How long a leader may not know that it is none any more.
const STALE: Duration = Duration::from_secs(20);

/// A link, as the log has it.
#[derive(Default)]
struct Link {
    /// The record that opened it: no other link has it.
    opened: u64,
    said: Vec<u8>,
    heard: Vec<u8>,
}

#[derive(Default)]
struct Replay {
    /// By table and slot.
    open: BTreeMap<(u32, u16), usize>,
    links: Vec<Link>,
    warnings: Vec<String>,
    /// Tables that a new owner began with, and mirrors of their clients that were compared with them.
    mirrors: BTreeMap<u64, usize>,
}

impl Replay {
    /// A node begins with the table as it read it: whoever was connected knows what that table tells.
    fn compare_mirrors(&mut self, table: &Table, record: &Record<'_>) {
        let mut compared = 0;
        for ((index, slot), at) in &self.open {
            let link = &self.links[*at];
            if *index != table.index {
                continue;
            }
            let mut copy = (table.game.blank)();
            copy.apply(&record.event, 0, &mut Vec::new()).unwrap();
            let result = match table.game.name {
                "pimp-lobby" => compare_at::<LobbyTable>(copy, *slot, link),
                "yard" => compare_at::<HostYard>(copy, *slot, link),
                "venus" => compare_at::<HostVenus>(copy, *slot, link),
                other => panic!("{other}: no mirror"),
            };
            compared += usize::from(result.is_some());
            if let Some(Err(difference)) = result {
                panic!("{} at record {}: the table read back is another: {difference}", table.id, record.number);
            }
        }
        self.mirrors.insert(record.number, compared);
    }
}

fn compare_at<S: Mirrored + Clone + Send + 'static>(
    copy: Box<dyn AnyTable>,
    slot: u16,
    link: &Link,
) -> Option<Result<(), String>> {
    let now = copy.now();
    let stored = copy.into_any().downcast::<StoredTable<S>>().expect("a table of its game");
    compare(&mut *stored.into_server(), now, slot, &link.said, &link.heard)
}

impl Witness for Replay {
    fn saw(&mut self, table: &Table, record: &Record<'_>, heard: &Heard, agreed: Result<(), &Disagreement>) {
        assert_eq!(agreed, Ok(()), "record {}", record.number);
        match record.event {
            Event::Begin { .. } => self.compare_mirrors(table, record),
            Event::Open { slot, .. } => {
                self.open.insert((table.index, slot), self.links.len());
                self.links.push(Link { opened: record.number, ..Link::default() });
            }
            Event::Receive { slot, bytes, .. } => {
                if let Some(at) = self.open.get(&(table.index, slot)) {
                    self.links[*at].said.extend_from_slice(bytes);
                }
            }
            _ => {}
        }
        for (slot, bytes) in heard {
            if let Some(at) = self.open.get(&(table.index, *slot)) {
                self.links[*at].heard.extend_from_slice(bytes);
            }
        }
        if let Event::Close { slot, .. } = record.event {
            self.open.remove(&(table.index, slot));
        }
    }
    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }
}

/// Whether a log's bytes are the beginning of what a client said. A secret is covered before it is noted, with these.
fn is_beginning(noted: &[u8], said: &[u8]) -> bool {
    let is_cover = |byte: u8| matches!(byte, 0 | 1 | b'x' | b' ' | b'\r');
    noted.len() <= said.len() && noted.iter().zip(said).all(|(noted, said)| noted == said || is_cover(*noted))
}

impl Link {
    fn explains(&self, said: &[u8], heard: &[u8]) -> bool {
        self.heard.starts_with(heard) && is_beginning(&self.said, said)
    }

    /// Somebody came to a lobby's table that fills, and went on to its own, where it was announced with a greeting.
    fn explains_with(&self, next: &Self, said: &[u8], heard: &[u8]) -> bool {
        let Some(rest) = said.get(self.said.len()..).filter(|_| is_beginning(&self.said, said)) else { return false };
        let Some(noted) = next.said.strip_prefix(HELLO) else { return false };
        let same = self.heard.iter().zip(heard).take_while(|(one, other)| one == other).count();
        is_beginning(noted, rest) && (1..=same).any(|cut| next.heard.starts_with(&heard[cut..]))
    }
}

/// What was looked at so far.
pub struct Checker {
    engine: Arc<Engine>,
    /// By shard, which links the transcripts are of: no two are of one.
    matchings: BTreeMap<String, Matching>,
    mirrors: BTreeMap<(String, u64), usize>,
    pub bytes: usize,
    pub transcripts: usize,
}

impl Checker {
    pub fn new(nats: &Nats, key: &Path) -> Self {
        let asked = Asked { servers: &nats.url(), key, monitors: &nats.monitors(), trust: false };
        let engine = runtime().block_on(Engine::connect(asked)).unwrap();
        Self { engine, matchings: BTreeMap::new(), mirrors: BTreeMap::new(), bytes: 0, transcripts: 0 }
    }

    /// Mirrors that were compared with a table read back.
    pub fn mirrors(&self) -> usize {
        self.mirrors.values().sum()
    }

    /// A shard's log as it is now, and the epochs of its messages in their order.
    pub fn look(&self, shard: &str) -> (EngineStore, Vec<u32>) {
        let (store, end) = (EngineStore::new(&self.engine, shard), Instant::now() + PATIENCE);
        loop {
            // An engine that has lost a server may take a while to answer.
            match store.look() {
                Ok(epochs) => return (store, epochs),
                Err(error) => assert!(Instant::now() < end, "{shard}: {error}"),
            }
        }
    }

    /// Everything that was heard since the last time is explained by the logs as they are now.
    pub fn check(&mut self, evening: &Evening) {
        let transcripts = evening.take();
        for game in GAMES {
            let shard = format!("{game}.1");
            let ours = transcripts.iter().filter(|one| one.shard == shard && !one.heard.is_empty());
            let ours: Vec<_> = ours.collect();
            let end = Instant::now() + STALE;
            // A leader that is none any more may tell a log without its end. Whoever takes the shard would notice.
            while let Err(text) = self.check_shard(&shard, &ours) {
                assert!(Instant::now() < end, "{text}");
                std::thread::sleep(Duration::from_millis(500));
            }
        }
    }

    fn check_shard(&mut self, shard: &str, ours: &[&Transcript]) -> Result<(), String> {
        let (store, epochs) = self.look(shard);
        assert!(epochs.is_sorted(), "{shard}: an append of an earlier owner stands behind a claim: {epochs:?}");
        let mut replay = Replay::default();
        restore::read(&store, From::Oldest, &mut replay).unwrap();
        assert!(replay.warnings.is_empty(), "{shard}: {:?}", replay.warnings);
        let mut matching = self.matchings.get(shard).cloned().unwrap_or_default();
        for transcript in ours {
            if !matching.add(ways(&replay.links, transcript)) {
                let (likely, all) = (likely(&replay.links, transcript), list(&replay.links, &matching));
                return Err(format!("{shard}: no link of the replay explains a connection.\n{likely}{all}"));
            }
        }
        self.matchings.insert(shard.into(), matching);
        self.mirrors.extend(replay.mirrors.iter().map(|(record, count)| ((shard.to_owned(), *record), *count)));
        self.bytes += ours.iter().map(|one| one.heard.len()).sum::<usize>();
        self.transcripts += ours.len();
        Ok(())
    }
}

/// The links that a connection may have been at, or the twos of one that went on to its own table.
fn ways(links: &[Link], Transcript { said, heard, .. }: &Transcript) -> Vec<Way> {
    let alone = links.iter().filter(|link| link.explains(said, heard));
    let alone: Vec<_> = alone.map(|link| vec![link.opened]).collect();
    if !alone.is_empty() {
        return alone;
    }
    // Links at a table that fills are all alike: most likely the last before is the one that was left for the other.
    let pairs = links.iter().rev().flat_map(|one| links.iter().map(move |next| (one, next)));
    let pairs = pairs.filter(|(one, next)| one.opened < next.opened && one.explains_with(next, said, heard));
    pairs.map(|(one, next)| vec![one.opened, next.opened]).collect()
}

/// All links, a line each.
fn list(links: &[Link], matching: &Matching) -> String {
    let lines = links.iter().map(|Link { opened, said, heard }| {
        let begins = heard[..heard.len().min(12)].escape_ascii();
        let whose = if matching.has(*opened) { "another's" } else { "nobody's" };
        format!("{opened}: said {}, heard {} ({begins}), {whose}\n", said.len(), heard.len())
    });
    lines.collect()
}

/// What a connection said and heard, and the links that come nearest to it.
fn likely(links: &[Link], Transcript { said, heard, .. }: &Transcript) -> String {
    let same = |one: &[u8], other: &[u8]| one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let near =
        |link: &Link| (0..heard.len().min(8)).map(|cut| same(&link.heard, &heard[cut..])).max().unwrap_or_default();
    let mut links: Vec<_> = links.iter().map(|link| (near(link), link)).collect();
    links.sort_by_key(|(near, _)| std::cmp::Reverse(*near));
    let links = links.iter().take(4).map(|(near, Link { opened, said, heard })| {
        let (said, length) = (said.escape_ascii(), heard.len());
        format!("link of record {opened}: {near} bytes of its {length} are the same; it said {said}\n")
    });
    let (said, length) = (said.escape_ascii(), heard.len());
    format!("it said {said}\nit heard {length}: {}\n{}", heard.escape_ascii(), links.collect::<String>())
}

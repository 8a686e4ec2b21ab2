//! Many tables over many shards in one process, against the store that is simulated, while owners die by the dozen: nothing
//! that anybody heard is lost, nobody who lost a shard says another byte, and what a take-over reads is told.
//!
//! The ordinary test is small. `tests/run capacity` has 100,000 tables over 100 shards. `CAPACITY_SEED` repeats a failure,
//! `CAPACITY_TABLES`, `CAPACITY_SHARDS` and `CAPACITY_NODES` are other sizes of the long one. No clock has a part in it: every
//! pause of the game is off, tables are not ticked, and snapshots are taken by rounds.

mod common;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::disk::Chance;
use parlor::bot::AnyPlayer;
use parlor::games::GAMES;
use parlor::journal::archive::Archivist;
use parlor::journal::record::{Event, Record};
use parlor::journal::restore::{self, From, House, Table, Witness};
use parlor::journal::simulated::{Memory, Simulated};
use parlor::journal::store::Source;
use parlor::journal::stored_table::{Disagreement, Heard};
use parlor::journal::writer::Writer;
use parlor::journal::{Journal, Kept, Store as _, StoredTable, TableMeta};
use parlor::net::TableDriver;
use parlor::table_id::TableId;
use parlor_core::game::{Game as _, Seat as Chair, Strength};
use parlor_core::pimp::limits::{LobbyTable, save_max};
use parlor_core::pimp::server::Config;
use parlor_core::pimp::wire::Framer;
use parlor_core::server::{Framer as _, Link, Millis};

/// Who play at one table.
const PLAYERS: usize = 2;
/// Rounds: everybody says one thing, the journals are written, everybody reads.
const ROUNDS: usize = 48;
/// Each table gets a snapshot once in so many rounds.
const SNAPSHOT: usize = 12;
/// Shards that a node takes in one round.
const TOGETHER: usize = 4;
/// One step of a store in so many goes wrong.
const FAULTS: u64 = 64;
const GAME: &str = "pimp-lobby";
const THROW_DICE: [u8; 2] = [0x21, 0];

#[derive(Clone, Copy)]
struct Size {
    tables: usize,
    shards: usize,
    nodes: usize,
}

/// What befalls the owners in a round.
#[derive(Clone, Copy, Debug)]
enum Storm {
    /// So many nodes in a hundred end at once.
    Killed(usize),
    /// So many stop, and wake when others have had their shards for a while.
    Stopped(usize),
}

const STORMS: [(usize, Storm); 4] =
    [(8, Storm::Killed(30)), (18, Storm::Stopped(40)), (28, Storm::Killed(50)), (38, Storm::Stopped(50))];
/// Rounds that a stopped node sleeps.
const SLEEP: usize = 6;

/// All that a connection heard, as a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum {
    length: usize,
    hash: u64,
}

impl Sum {
    const NONE: Self = Self { length: 0, hash: 0xcbf2_9ce4_8422_2325 };

    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        self.hash = bytes.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    }
}

/// A connection: the table's number, for the how-manieth time its shard was taken, the slot, and how often that owner had
/// opened the slot before.
type Name = (u32, u64, u16, u32);

/// A connection as its player has it.
struct Line {
    name: Name,
    link: Link,
    framer: Framer,
    heard: Sum,
}

struct Seat {
    player: Box<dyn AnyPlayer>,
    line: Option<Line>,
    /// What it will say next.
    words: Vec<u8>,
}

impl Seat {
    fn new(seed: u32, index: usize) -> Self {
        let chair = Chair {
            name: &format!("bot{index}"),
            password: "",
            game: "",
            is_guest: true,
            players: PLAYERS as u8,
            strength: Strength::Plain,
            seed,
        };
        let player = (GAMES[0].player)(&chair).expect("a short name");
        Self { player, line: None, words: Vec::new() }
    }

    fn speak(&mut self, table: &Arc<TableDriver<LobbyTable>>) {
        let Some(line) = &mut self.line else { return };
        say(table, line, &self.words);
        self.words.clear();
    }

    /// Hears all there is, and thinks.
    fn listen(&mut self, table: &Arc<TableDriver<LobbyTable>>) {
        let Some(line) = &mut self.line else { return };
        let mut heard = [0; 1024];
        while let n @ 1.. = table.pull_into(line.link, &mut heard) {
            line.heard.add(&heard[..n]);
            let mut rest = &heard[..n];
            while !rest.is_empty() {
                let window = self.player.window();
                let (part, more) = rest.split_at(window.len().min(rest.len()));
                assert!(!part.is_empty(), "a player can't read what it heard");
                window[..part.len()].copy_from_slice(part);
                self.player.receive(part.len(), &mut self.words);
                rest = more;
            }
        }
    }
}

fn say(table: &Arc<TableDriver<LobbyTable>>, line: &mut Line, words: &[u8]) {
    // Whoever is not heard now says it again, or something else, later: a player is nudged.
    if let Some(window) = line.framer.window().get_mut(..words.len()) {
        window.copy_from_slice(words);
        line.framer.commit(words.len());
    }
    table.receive(line.link, &mut line.framer);
}

/// A shard at the node that has it.
struct Owner {
    node: usize,
    epoch: u64,
    writer: Writer,
    archivist: Archivist,
    tables: Vec<Arc<TableDriver<LobbyTable>>>,
    /// How often a slot of a table was opened.
    opened: BTreeMap<(u32, u16), u32>,
}

struct Shard {
    memory: Memory,
    owner: Option<Owner>,
    seats: Vec<Seat>,
    /// Every connection that has ended, with what it heard.
    ended: Vec<(Name, Sum)>,
    /// Since which round nobody has it.
    free_since: usize,
}

/// A node that was stopped does not know that its shards are another's.
struct Zombie {
    shard: usize,
    owner: Owner,
    lines: Vec<(usize, Line)>,
    wakes: usize,
}

/// The game of a table.
fn saved(table: &Table) -> Vec<u8> {
    let mut out = vec![0; save_max(14)];
    let n = table.stored.any().downcast_ref::<LobbyTable>().unwrap().save(&mut out).unwrap();
    out.truncate(n);
    out
}

/// Counts what is read.
struct Counted<'a>(&'a dyn Source, Cell<u64>);

impl Counted<'_> {
    fn count(&self, bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        bytes.inspect(|bytes| self.1.set(self.1.get() + bytes.len() as u64))
    }
}

impl Source for Counted<'_> {
    fn parts(&self) -> io::Result<Vec<u64>> {
        self.0.parts()
    }
    fn part(&self, first: u64) -> io::Result<Vec<u8>> {
        self.count(self.0.part(first))
    }
    fn snapshots(&self) -> io::Result<Vec<String>> {
        self.0.snapshots()
    }
    fn snapshot(&self, name: &str) -> io::Result<Vec<u8>> {
        self.count(self.0.snapshot(name))
    }
}

/// One take-over.
struct Take {
    node: usize,
    round: usize,
    /// Rounds in which nobody had it.
    waited: usize,
    bytes: u64,
    records: u64,
    took: Duration,
}

struct Sim {
    size: Size,
    seed: u64,
    chance: Chance,
    shards: Vec<Shard>,
    /// The nodes that live.
    nodes: BTreeSet<usize>,
    zombies: Vec<Zombie>,
    takes: Vec<Take>,
}

impl Drop for Sim {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Size { tables, shards, nodes } = self.size;
            let sizes = format!("CAPACITY_TABLES={tables} CAPACITY_SHARDS={shards} CAPACITY_NODES={nodes}");
            eprintln!("CAPACITY_SEED={} {sizes} repeats it: tests/run capacity", self.seed);
        }
    }
}

/// Bytes of this process's memory that are in use.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

fn meta() -> TableMeta {
    TableMeta { game: GAME.into(), house: true, port: None }
}

/// What is kept of a shard's tables is all there; whoever reads it is told nothing else.
struct Trusting;

impl Witness for Trusting {
    fn saw(&mut self, table: &Table, record: &Record<'_>, _: &Heard, agreed: Result<(), &Disagreement>) {
        assert_eq!(agreed, Ok(()), "table {}, record {}", table.id, record.number);
    }
    fn warn(&mut self, text: String) {
        panic!("{text}");
    }
}

/// Reads what the shard's store has now; how much that was.
fn read(source: &dyn Source) -> (House, u64) {
    let counted = Counted(source, Cell::default());
    let house = restore::read(&counted, From::Newest, &mut Trusting).unwrap();
    (house, counted.1.get())
}

impl Owner {
    /// Takes the store and opens its tables, or makes them.
    fn take(memory: &Memory, node: usize, tables: usize) -> (Self, u64, u64) {
        let store = Arc::new(Simulated::new(memory));
        while store.take().is_err() {}
        let (mut house, bytes) = read(&*store);
        let records = house.replayed;
        let journal = Journal::resume_shared(&house);
        let mut saved: BTreeMap<u32, _> =
            std::mem::take(&mut house.tables).into_iter().map(|(id, table)| (id.number, table.stored)).collect();
        assert!(saved.is_empty() || saved.len() == tables, "{} of {tables} tables are there", saved.len());
        let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, dump_pause: 0, ..Config::DEFAULT };
        let open = |number: u32| {
            let stored = match saved.remove(&number) {
                Some(stored) => *stored.into_any().downcast::<StoredTable<LobbyTable>>().unwrap_or_else(|_| panic!()),
                None => {
                    let (mut table, mut seed) = (Box::new(LobbyTable::new()), [7; 32]);
                    seed[..4].copy_from_slice(&number.to_le_bytes());
                    table.begin(&seed, &config, Millis(0));
                    StoredTable::new(table, LobbyTable::LINKS)
                }
            };
            stored.share(Some((journal.clone(), TableId::new(GAME, number), meta())), None)
        };
        let tables = (0..tables as u32).map(open).collect();
        let writer = Writer::new(journal.clone(), store.clone()).with_refresh(u64::MAX);
        let archivist = Archivist::new(journal, store);
        let owner = Self { node, epoch: memory.epoch(), writer, archivist, tables, opened: BTreeMap::new() };
        (owner, bytes, records)
    }

    fn write(&mut self) {
        let _ = self.writer.round();
    }

    fn archive(&mut self, round: usize) {
        for table in self.tables.iter().skip(round % SNAPSHOT).step_by(SNAPSHOT) {
            Kept::snapshot(&**table);
        }
        while let Ok(true) = self.archivist.round() {}
    }
}

impl Shard {
    fn new(number: usize, size: Size, seed: u64) -> Self {
        let tables = size.tables / size.shards;
        let memory = Memory::default().with_chance(seed.wrapping_add(number as u64), FAULTS);
        Self { memory, owner: None, seats: Vec::with_capacity(tables * PLAYERS), ended: Vec::new(), free_since: 0 }
    }

    fn fill(&mut self, tables: usize, seed: u64) {
        for at in 0..tables * PLAYERS {
            self.seats.push(Seat::new((seed as u32).wrapping_mul(31).wrapping_add(at as u32), at % PLAYERS));
        }
    }

    fn hang_up(&mut self, at: usize) -> Option<Line> {
        let seat = &mut self.seats[at];
        seat.words.clear();
        let line = seat.line.take()?;
        self.ended.push((line.name, line.heard));
        Some(line)
    }

    /// The owner is gone, and with it every connection; they, as the owner still has them.
    fn lose(&mut self, round: usize) -> Option<(Owner, Vec<(usize, Line)>)> {
        let owner = self.owner.take()?;
        self.free_since = round;
        let lines = (0..self.seats.len()).filter_map(|at| Some((at / PLAYERS, self.hang_up(at)?))).collect();
        Some((owner, lines))
    }

    /// Everybody hears all there is.
    fn listen(&mut self) {
        let Some(owner) = &self.owner else { return };
        self.seats.iter_mut().enumerate().for_each(|(at, seat)| seat.listen(&owner.tables[at / PLAYERS]));
    }

    fn round(&mut self, round: usize, chance: &mut Chance) {
        let Some(mut owner) = self.owner.take() else { return };
        for at in 0..self.seats.len() {
            let table = &owner.tables[at / PLAYERS];
            // Somebody loses the connection.
            if chance.below(100) == 0
                && let Some(line) = self.hang_up(at)
            {
                table.close(line.link);
            }
            let seat = &mut self.seats[at];
            if seat.line.is_none() {
                let link = table.open().expect("a link for everybody");
                let number = (at / PLAYERS) as u32;
                let nth = owner.opened.entry((number, link.slot)).or_default();
                *nth += 1;
                let name = (number, owner.epoch, link.slot, *nth);
                seat.line = Some(Line { name, link, framer: Framer::new(), heard: Sum::NONE });
                seat.player.connect(&mut seat.words);
            }
            if seat.words.is_empty() && chance.below(16) == 0 {
                seat.player.nudge(&mut seat.words);
            }
            seat.speak(table);
        }
        owner.write();
        owner.archive(round);
        for at in 0..self.seats.len() {
            // Somebody does not read every time.
            if chance.below(8) > 0 {
                self.seats[at].listen(&owner.tables[at / PLAYERS]);
            }
        }
        self.owner = Some(owner);
    }
}

impl Sim {
    fn new(size: Size, seed: u64) -> Self {
        let shards = (0..size.shards).map(|number| Shard::new(number, size, seed)).collect();
        let (nodes, zombies) = ((0..size.nodes).collect(), Vec::new());
        Self { size, seed, chance: Chance(seed), shards, nodes, zombies, takes: Vec::new() }
    }

    fn tables(&self) -> usize {
        self.size.tables / self.size.shards
    }

    fn stored(&self) -> u64 {
        self.shards.iter().map(|shard| shard.memory.size()).sum()
    }

    /// Every shard is somebody's for the first time; how much memory a table takes, what the store has left out.
    fn open(&mut self) -> u64 {
        let (before, stored) = (resident(), self.stored());
        let (tables, nodes) = (self.tables(), self.size.nodes);
        for (number, shard) in self.shards.iter_mut().enumerate() {
            let (mut owner, ..) = Owner::take(&shard.memory, number % nodes, tables);
            owner.write();
            shard.owner = Some(owner);
        }
        let grown = resident().saturating_sub(before);
        let each = grown.saturating_sub(self.stored() - stored) / self.size.tables as u64;
        for (number, shard) in self.shards.iter_mut().enumerate() {
            shard.fill(tables, self.seed.wrapping_add(number as u64));
        }
        each
    }

    fn strike(&mut self, round: usize, storm: Storm) {
        let (percent, is_killed) = match storm {
            Storm::Killed(percent) => (percent, true),
            Storm::Stopped(percent) => (percent, false),
        };
        let count = (self.nodes.len() * percent / 100).min(self.nodes.len() - 1);
        let mut struck = BTreeSet::new();
        while struck.len() < count {
            let at = self.chance.below(self.nodes.len());
            struck.extend(self.nodes.iter().nth(at).copied());
            self.nodes.retain(|node| !struck.contains(node));
        }
        for (number, shard) in self.shards.iter_mut().enumerate() {
            if shard.owner.as_ref().is_none_or(|owner| !struck.contains(&owner.node)) {
                continue;
            }
            // What was sent to whoever is connected has arrived before a node is found to be stopped.
            if !is_killed {
                shard.listen();
            }
            let Some((owner, lines)) = shard.lose(round) else { continue };
            if !is_killed {
                self.zombies.push(Zombie { shard: number, owner, lines, wakes: round + SLEEP });
            }
        }
    }

    /// Those who live take what is nobody's, a few shards each.
    fn take(&mut self, round: usize) {
        let (tables, nodes): (_, Vec<usize>) = (self.tables(), self.nodes.iter().copied().collect());
        let mut hands: BTreeMap<usize, usize> = nodes.iter().map(|node| (*node, TOGETHER)).collect();
        for (number, shard) in self.shards.iter_mut().enumerate() {
            let node = nodes[number % nodes.len()];
            let Some(hand) = hands.get_mut(&node).filter(|hand| **hand > 0 && shard.owner.is_none()) else { continue };
            *hand -= 1;
            let start = Instant::now();
            let (owner, bytes, records) = Owner::take(&shard.memory, node, tables);
            shard.owner = Some(owner);
            let waited = round - shard.free_since;
            self.takes.push(Take { node, round, waited, bytes, records, took: start.elapsed() });
        }
    }

    /// Who slept wakes, and everybody who was connected there says something. Nobody hears anything, and nothing is written.
    fn wake(&mut self, round: usize) -> usize {
        let is_due = |zombie: &Zombie| zombie.wakes <= round && self.shards[zombie.shard].owner.is_some();
        let (awake, asleep): (Vec<_>, Vec<_>) = std::mem::take(&mut self.zombies).into_iter().partition(is_due);
        self.zombies = asleep;
        let mut woken = 0;
        for Zombie { shard, mut owner, lines, .. } in awake {
            let memory = &self.shards[shard].memory;
            let written = memory.written_by(owner.epoch);
            for (table, mut line) in lines {
                say(&owner.tables[table], &mut line, &THROW_DICE);
                let table = &owner.tables[table];
                assert_eq!(table.pull_into(line.link, &mut [0; 64]), 0, "shard {shard}: a fenced owner spoke");
                let _ = owner.writer.round();
                assert_eq!(table.pull_into(line.link, &mut [0; 64]), 0, "shard {shard}: a fenced owner spoke");
                woken += 1;
            }
            let _ = owner.archivist.round();
            assert_eq!(memory.written_by(owner.epoch), written, "shard {shard}: a fenced owner wrote");
        }
        woken
    }

    fn round(&mut self, round: usize) -> usize {
        if let Some((_, storm)) = STORMS.iter().find(|(at, _)| *at == round) {
            self.strike(round, *storm);
        } else {
            self.take(round);
        }
        let woken = self.wake(round);
        for shard in &mut self.shards {
            shard.round(round, &mut self.chance);
        }
        woken
    }

    /// Every shard is somebody's, and nobody sleeps.
    fn is_calm(&self) -> bool {
        self.zombies.is_empty() && self.shards.iter().all(|shard| shard.owner.is_some())
    }

    /// Everything that anybody ever heard, by what the log tells; how many bytes that were.
    fn explain(&mut self) -> (usize, u64) {
        let mut all = (0, 0);
        for (number, shard) in self.shards.iter_mut().enumerate() {
            (0..shard.seats.len()).for_each(|at| _ = shard.hang_up(at));
            let mut replay = Replay::of(&shard.memory, &shard.ended);
            let story = Simulated::new(&shard.memory.whole_story());
            let whole = restore::read(&story, From::Oldest, &mut replay).unwrap();
            let (kept, _) = read(&Simulated::new(&shard.memory));
            for (id, table) in &whole.tables {
                assert!(saved(&kept.tables[id]) == saved(table), "shard {number}: {id} is another");
            }
            assert_eq!(kept.tables.len(), whole.tables.len());
            all.0 += replay.finish(number);
            all.1 += whole.replayed;
        }
        all
    }
}

/// What the log lets every connection hear, beside what it heard.
struct Replay {
    /// The first record of each message, and who wrote it.
    writers: Vec<(u64, u64)>,
    /// Who writes now, by table, and how often each slot was opened by it.
    opened: BTreeMap<(u32, u16), (u64, u32)>,
    heard: BTreeMap<Name, (Sum, Sum)>,
}

impl Replay {
    fn of(memory: &Memory, ended: &[(Name, Sum)]) -> Self {
        let heard = ended.iter().map(|(name, heard)| (*name, (*heard, Sum::NONE))).collect();
        Self { writers: memory.writers(), opened: BTreeMap::new(), heard }
    }

    /// Every connection heard what the log tells, as far as it heard.
    fn finish(&self, shard: usize) -> usize {
        for (name, (heard, told)) in &self.heard {
            assert!(
                heard == told,
                "shard {shard}: connection {name:?} heard {} bytes, the log tells {} or others",
                heard.length,
                told.length
            );
        }
        self.heard.values().map(|(heard, _)| heard.length).sum()
    }
}

impl Witness for Replay {
    fn saw(&mut self, table: &Table, record: &Record<'_>, heard: &Heard, agreed: Result<(), &Disagreement>) {
        assert_eq!(agreed, Ok(()), "table {}, record {}", table.id, record.number);
        let at = self.writers.partition_point(|(first, _)| *first <= record.number) - 1;
        let (number, epoch) = (table.id.number, self.writers[at].1);
        if let Event::Open { slot, .. } = record.event {
            let (owner, nth) = self.opened.entry((number, slot)).or_default();
            if std::mem::replace(owner, epoch) != epoch {
                *nth = 0;
            }
            *nth += 1;
        }
        for (slot, bytes) in heard {
            let Some((owner, nth)) = self.opened.get(&(number, *slot)) else { continue };
            if let Some((heard, told)) = self.heard.get_mut(&(number, *owner, *slot, *nth)) {
                // What is safe and was not sent is more than was heard.
                let left = heard.length - told.length;
                told.add(&bytes[..left.min(bytes.len())]);
            }
        }
    }
    fn warn(&mut self, text: String) {
        panic!("{text}");
    }
}

/// All of it; how many bytes were heard, and how many records explain them.
fn evening(size: Size, seed: u64) -> (usize, u64) {
    let mut sim = Sim::new(size, seed);
    let Size { tables, shards, nodes } = size;
    println!("{tables} tables of {shards} shards at {nodes} nodes, {PLAYERS} players each, CAPACITY_SEED={seed}");
    let (begun, each) = (Instant::now(), sim.open());
    println!("a table takes {each} bytes of memory, and {} of the store's to begin", sim.stored() / tables as u64);
    let (mut woken, mut round) = (0, 0);
    while round < ROUNDS || !sim.is_calm() {
        woken += sim.round(round);
        round += 1;
    }
    assert!(woken > 0, "nobody woke");
    println!("{round} rounds in {:.1?}, {} MB of memory for all", begun.elapsed(), resident() >> 20);
    sim.report();
    let (bytes, records) = sim.explain();
    let connections: usize = sim.shards.iter().map(|shard| shard.ended.len()).sum();
    println!("{connections} connections heard {bytes} bytes, all explained by {records} records;");
    println!("{woken} at owners that had been stopped heard nothing");
    (bytes, records)
}

impl Sim {
    /// What each storm cost.
    fn report(&self) {
        println!(
            "\n| round | storm | shards taken | by nodes | rounds until the last | KB read for one: mean, most | records played again: mean, most | ms for one: mean, most |"
        );
        println!("|---:|---|---:|---:|---:|---:|---:|---:|");
        for (at, storm) in STORMS {
            let takes: Vec<&Take> = self.takes.iter().filter(|take| take.round - take.waited == at).collect();
            let nodes: BTreeSet<usize> = takes.iter().map(|take| take.node).collect();
            let rounds = takes.iter().map(|take| take.waited).max().unwrap_or_default();
            let of = |figure: fn(&Take) -> u64| {
                let sum = takes.iter().map(|take| figure(take)).sum::<u64>();
                let most = takes.iter().map(|take| figure(take)).max().unwrap_or_default();
                format!("{}, {most}", sum / takes.len().max(1) as u64)
            };
            let (bytes, records) = (of(|take| take.bytes >> 10), of(|take| take.records));
            let (count, took) = (takes.len(), of(|take| take.took.as_millis() as u64));
            println!("| {at} | {storm:?} % | {count} | {} | {rounds} | {bytes} | {records} | {took} |", nodes.len());
        }
        println!();
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn a_storm_of_dead_and_stopped_owners_loses_nothing() {
    let size = Size { tables: 400, shards: 20, nodes: 8 };
    let seeds: Vec<u64> = match std::env::var("CAPACITY_SEED") {
        Ok(seed) => vec![seed.parse().expect("a number")],
        Err(_) => vec![1, 2],
    };
    for seed in seeds {
        let (bytes, records) = evening(size, seed);
        assert!(bytes > 1_000_000 && records > 20_000, "{bytes} {records}");
        // The same again, byte for byte.
        assert_eq!(evening(size, seed), (bytes, records));
    }
}

/// What was heard is looked up in truth.
#[test]
#[should_panic(expected = "heard")]
fn a_store_that_forgets_its_last_message_is_found_out() {
    let mut sim = Sim::new(Size { tables: 8, shards: 2, nodes: 2 }, 1);
    sim.open();
    (0..6).for_each(|round| _ = sim.round(round));
    sim.shards[0].listen();
    sim.shards[0].memory.go_back(1);
    sim.explain();
}

#[test]
#[ignore = "takes minutes and gigabytes: tests/run capacity"]
fn a_hundred_thousand_tables_outlive_a_storm() {
    let (tables, shards) = (number("CAPACITY_TABLES", 100_000), number("CAPACITY_SHARDS", 100));
    evening(Size { tables, shards, nodes: number("CAPACITY_NODES", 16) }, number("CAPACITY_SEED", 1) as u64);
}

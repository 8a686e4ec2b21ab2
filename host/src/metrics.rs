//! The figures of this process as Prometheus reads them.

use std::fmt::{Display, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use parlor_core::game::Scope;

use crate::games::GAMES;
use crate::http::Desk;
use crate::journal::figures::{self, BOUNDS};
use crate::net::{TableHandle, Traffic};
use crate::placement::{Figures, Placement};
use crate::registry::{Cause, Served};
use crate::shards::Shards;

/// One page of text, built line by line.
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP parlor_{name} {help}\n# TYPE parlor_{name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "parlor_{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.value(name, "", value);
    }

    /// What never passed is not told: a counter that is not there is 0.
    fn frames(&mut self) {
        self.family("frames_total", "counter", "Frames of games, by type and direction.");
        for game in &GAMES {
            for (kind, received, sent) in game.frames.told() {
                for (direction, count) in [("in", received), ("out", sent)].into_iter().filter(|(_, count)| *count > 0)
                {
                    let labels = format!("{{game=\"{}\",type=\"{kind}\",direction=\"{direction}\"}}", game.name);
                    self.value("frames_total", &labels, count);
                }
            }
        }
    }
}

/// The figures of several servers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    pub traffic: Traffic,
    pub users: u64,
    pub players: u64,
    pub commands: u64,
    pub lagging: u64,
}

impl Sums {
    pub fn add(&mut self, table: &dyn TableHandle) {
        let (traffic, summary) = (table.traffic(), table.summary());
        self.traffic.received += traffic.received;
        self.traffic.sent += traffic.sent;
        self.traffic.links += traffic.links;
        self.traffic.full += traffic.full;
        self.users += u64::from(summary.users);
        self.players += u64::from(summary.players);
        self.commands += summary.commands;
        self.lagging += u64::from(summary.lagging);
    }

    /// With those of other servers.
    fn with(self, other: &Self) -> Self {
        Self {
            traffic: Traffic {
                received: self.traffic.received + other.traffic.received,
                sent: self.traffic.sent + other.traffic.sent,
                links: self.traffic.links + other.traffic.links,
                full: self.traffic.full + other.traffic.full,
            },
            users: self.users + other.users,
            players: self.players + other.players,
            commands: self.commands + other.commands,
            lagging: self.lagging + other.lagging,
        }
    }

    /// The same for a server that is gone: it has no connections any more.
    pub fn keep_of(&mut self, table: &dyn TableHandle) {
        let Self { traffic: Traffic { links, .. }, users, players, .. } = *self;
        self.add(table);
        (self.traffic.links, self.users, self.players) = (links, users, players);
    }
}

pub fn page(desk: &Desk) -> String {
    let mut page = Page(String::new());
    let (registry, door) = (&desk.registry, &desk.door);
    let held: Vec<_> = desk.shards.iter().flat_map(|shards| shards.held()).map(|(_, held)| held).collect();
    let lobbies: Vec<_> =
        desk.lobbies.iter().chain(held.iter().filter_map(|held| held.lobby.as_ref())).cloned().collect();
    let lobbies = &lobbies[..];
    let registries: Vec<_> = held.iter().map(|held| &held.registry).chain([registry]).collect();
    let served = desk.all();
    let is_table = |served: &&Arc<Served>| served.entry.scope == Scope::Table;
    let sums = registries.iter().fold(Sums::default(), |sums, registry| sums.with(&registry.sums()));
    let Sums { traffic, users, players, commands, lagging } = sums;
    let Traffic { received, sent, links, full } = traffic;
    page.one("tables", "gauge", "Tables.", served.iter().filter(is_table).count());
    page.family("hall_games", "gauge", "Games in progress on a port that has many.");
    for hall in served.iter().filter(|served| !is_table(served)) {
        page.value("hall_games", &format!("{{game=\"{}\"}}", hall.entry.name), hall.table.summary().own.1);
    }
    page.one("links", "gauge", "Connections at tables.", links);
    page.one("connections", "gauge", "Connections, at tables or not.", door.connections());
    page.one("users", "gauge", "Players and watchers, connected or not.", users);
    page.one("players", "gauge", "Players, connected or not.", players);
    page.one("commands_total", "counter", "Commands handled.", commands);
    page.family("bytes_total", "counter", "Bytes of games, by direction.");
    page.value("bytes_total", "{direction=\"in\"}", received);
    page.value("bytes_total", "{direction=\"out\"}", sent);
    page.frames();
    page.one("lagging_links_total", "counter", "Links closed because they read too slowly.", lagging);
    let figures = &door.figures;
    page.one("accepted_total", "counter", "Connections let in.", figures.accepted.load(Relaxed));
    page.one("tls_total", "counter", "Connections that spoke TLS.", figures.tls.load(Relaxed));
    page.family("refused_total", "counter", "Connections closed at once, by reason.");
    page.value("refused_total", "{reason=\"total\"}", figures.over_total.load(Relaxed));
    page.value("refused_total", "{reason=\"address\"}", figures.over_address.load(Relaxed));
    page.value("refused_total", "{reason=\"table_full\"}", full + sum(lobbies, |figures| figures.full));
    page.value("refused_total", "{reason=\"tls\"}", figures.tls_failed.load(Relaxed));
    page.value("refused_total", "{reason=\"plain\"}", figures.plain.load(Relaxed));
    page.value("refused_total", "{reason=\"banned\"}", figures.banned.load(Relaxed));
    page.value("refused_total", "{reason=\"proxy_header\"}", figures.no_header.load(Relaxed));
    let strangers = &registry.strangers.figures;
    page.value("refused_total", "{reason=\"unjoined\"}", strangers.refused.load(Relaxed));
    page.one("wrong_passwords_total", "counter", "Wrong passwords for seats.", strangers.wrong.load(Relaxed));
    let help = "Seats and games refused, because too much was held from there.";
    page.one("confined_total", "counter", help, strangers.confined.load(Relaxed));
    let held = strangers.held.load(Relaxed);
    page.one("held_passwords_total", "counter", "Passwords that waited, because too many were wrong from there.", held);
    let hashing = &registry.strangers.hashing;
    page.one("passwords_hashed_total", "counter", "Passwords hashed or checked.", hashing.hashed.load(Relaxed));
    page.one("passwords_waiting", "gauge", "Passwords that wait to be hashed.", hashing.waiting.load(Relaxed));
    let journals: Vec<_> = registries.iter().filter_map(|registry| registry.journal()).collect();
    if !journals.is_empty() {
        let sum = figures::Figures::default();
        journals.iter().for_each(|journal| sum.add(&journal.figures));
        tell_journal(&mut page, &sum);
    }
    if let Some(shards) = &desk.shards {
        tell_cluster(&mut page, &**shards);
    }
    if !lobbies.is_empty() {
        let tables = served.iter().filter(|served| served.cause == Cause::Lobby).count();
        page.one("lobby_tables", "gauge", "Tables of lobbies.", tables);
        type Count = fn(&Figures) -> u64;
        let counts: [(_, _, Count); 4] = [
            ("lobby_made_total", "Tables that lobbies have made.", |figures| figures.made),
            ("lobby_retired_total", "Tables that lobbies no longer needed.", |figures| figures.retired),
            ("lobby_late_total", "Newcomers for whom no table was filling.", |figures| figures.late),
            ("lobby_wrong_passwords_total", "Passwords that no table of a lobby knew.", |figures| figures.wrong),
        ];
        for (name, help, count) in counts {
            page.one(name, "counter", help, sum(lobbies, count));
        }
    }
    page.one("resident_bytes", "gauge", "Memory of this process.", resident());
    page.0
}

fn tell_cluster(page: &mut Page, shards: &dyn Shards) {
    let (figures, view) = (shards.figures(), shards.view());
    page.one("cluster_nodes", "gauge", "Nodes that were heard of lately.", view.nodes.len());
    let nobodys = view.shards.iter().filter(|row| row.node.is_none()).count();
    page.one("cluster_unowned_shards", "gauge", "Shards that nobody has.", nobodys);
    let doubts = view.doubts.len();
    page.one(
        "cluster_doubted_servers",
        "gauge",
        "Servers of the engine not seen to sync what they acknowledge.",
        doubts,
    );
    page.one("cluster_taken_total", "counter", "Shards that this node has taken.", figures.taken);
    page.one("cluster_lost_total", "counter", "Shards that other nodes took from this one.", figures.lost);
    page.one("cluster_moved_total", "counter", "Shards that this node gave away.", figures.moved);
    page.one("cluster_spliced_total", "counter", "Connections passed on to other nodes.", figures.spliced);
    page.one("cluster_nowhere_total", "counter", "Connections that found no owner in time.", figures.nowhere);
    let seconds = |millis: u64| millis as f64 / 1e3;
    page.one("cluster_last_take_seconds", "gauge", "How long the last takeover took.", seconds(figures.last_take));
    page.one("cluster_longest_take_seconds", "gauge", "How long the longest took.", seconds(figures.longest_take));
    let ours: Vec<_> = view.shards.iter().filter(|row| row.node.as_ref() == Some(&view.node)).collect();
    type Figure = fn(&crate::shards::ShardRow) -> u64;
    let families: [(_, _, Figure); 4] = [
        ("shard_epoch", "How often a shard of this node was taken.", |row| row.epoch.into()),
        ("shard_lag_records", "Records noted and not yet safe.", |row| row.lag),
        ("shard_log_messages", "Messages that whoever takes the shard would read.", |row| row.log),
        ("shard_links", "Connections at a shard of this node.", |row| row.links),
    ];
    for (name, help, figure) in families {
        page.family(name, "gauge", help);
        ours.iter().for_each(|row| page.value(name, &format!("{{shard=\"{}\"}}", row.shard), figure(row)));
    }
}

/// Of all lobbies.
fn sum(lobbies: &[Arc<dyn Placement>], of: fn(&Figures) -> u64) -> u64 {
    lobbies.iter().map(|lobby| of(&lobby.figures())).sum()
}

fn tell_journal(page: &mut Page, figures: &figures::Figures) {
    let seconds = |micros: u64| micros as f64 / 1e6;
    page.one("journal_failing", "gauge", "1 while the journal can't be written.", u8::from(figures.is_failing()));
    page.one("journal_failures_total", "counter", "Writes that failed.", figures.failures.load(Relaxed));
    page.one("journal_bytes_total", "counter", "Bytes written to the journal.", figures.bytes.load(Relaxed));
    page.one("journal_records_total", "counter", "Records written to the journal.", figures.records.load(Relaxed));
    let help = "From the first call of a batch until the batch is safe on the disk.";
    page.family("journal_wait_seconds", "histogram", help);
    for (count, bound) in figures.waits.iter().zip(BOUNDS) {
        let label = format!("{{le=\"{}\"}}", seconds(bound));
        page.value("journal_wait_seconds_bucket", &label, count.load(Relaxed));
    }
    let syncs = figures.syncs.load(Relaxed);
    page.value("journal_wait_seconds_bucket", "{le=\"+Inf\"}", syncs);
    page.value("journal_wait_seconds_sum", "", seconds(figures.waited_micros.load(Relaxed)));
    page.value("journal_wait_seconds_count", "", syncs);
    page.one("journal_full_total", "counter", "Waits for room in the journal's queue.", figures.full.load(Relaxed));
    page.one("snapshots_total", "counter", "Snapshots of tables written.", figures.snapshots.load(Relaxed));
    let held = figures.held_nanos.load(Relaxed) as f64 / 1e9;
    page.one("snapshot_hold_seconds_max", "gauge", "The longest that a snapshot held a table.", held);
}

/// Bytes of memory in use; 0 where the system does not say.
pub fn resident() -> u64 {
    // Pages: in all, then in memory. The file that says it in words takes the system twice as long to write.
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident: u64 = pages.split(' ').nth(1).and_then(|count| count.parse().ok()).unwrap_or_default();
    resident * rustix::param::page_size() as u64
}

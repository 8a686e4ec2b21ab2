//! The figures of this process as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::door::Door;
use crate::house::{House, Table};

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
    fn frames(&mut self, tables: &[Arc<Table>]) {
        let mut counts = BTreeMap::new();
        for table in tables {
            table.room.frames(&mut |kind, received, sent| {
                let (all_received, all_sent) = counts.entry((table.game.name, kind)).or_insert((0, 0));
                *all_received += received;
                *all_sent += sent;
            });
        }
        self.family("frames_total", "counter", "Frames of games, by type and direction.");
        for ((game, kind), (received, sent)) in counts {
            for (direction, count) in [("in", received), ("out", sent)].into_iter().filter(|(_, count)| *count > 0) {
                let labels = format!("{{game=\"{game}\",type=\"{kind}\",direction=\"{direction}\"}}");
                self.value("frames_total", &labels, count);
            }
        }
    }
}

pub fn page(house: &House, door: &Door) -> String {
    let mut page = Page(String::new());
    let tables = house.tables();
    let (mut received, mut sent, mut links, mut full) = (0, 0, 0, 0);
    let (mut users, mut players, mut commands, mut lagging) = (0, 0, 0, 0);
    for table in &tables {
        let (traffic, summary) = (table.room.traffic(), table.room.summary());
        received += traffic.received;
        sent += traffic.sent;
        links += traffic.links;
        full += traffic.full;
        users += u64::from(summary.users);
        players += u64::from(summary.players);
        commands += summary.commands;
        lagging += u64::from(summary.lagging);
    }
    page.one("tables", "gauge", "Tables.", tables.len());
    page.one("links", "gauge", "Connections at tables.", links);
    page.one("connections", "gauge", "Connections, at tables or not.", door.connections());
    page.one("users", "gauge", "Players and watchers, connected or not.", users);
    page.one("players", "gauge", "Players, connected or not.", players);
    page.one("commands_total", "counter", "Commands handled.", commands);
    page.family("bytes_total", "counter", "Bytes of games, by direction.");
    page.value("bytes_total", "{direction=\"in\"}", received);
    page.value("bytes_total", "{direction=\"out\"}", sent);
    page.frames(&tables);
    page.one("lagging_links_total", "counter", "Links closed because they read too slowly.", lagging);
    let figures = &door.figures;
    page.one("accepted_total", "counter", "Connections let in.", figures.accepted.load(Relaxed));
    page.one("tls_total", "counter", "Connections that spoke TLS.", figures.tls.load(Relaxed));
    page.family("refused_total", "counter", "Connections closed at once, by reason.");
    page.value("refused_total", "{reason=\"total\"}", figures.over_total.load(Relaxed));
    page.value("refused_total", "{reason=\"address\"}", figures.over_address.load(Relaxed));
    page.value("refused_total", "{reason=\"table_full\"}", full);
    page.value("refused_total", "{reason=\"tls\"}", figures.tls_failed.load(Relaxed));
    page.one("resident_bytes", "gauge", "Memory of this process.", resident());
    page.0
}

/// Bytes of memory in use; 0 where the system does not say.
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().unwrap_or_default();
    kilobytes * 1024
}

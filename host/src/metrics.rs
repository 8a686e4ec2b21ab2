//! The figures of this process as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::door::Door;
use crate::house::{House, Table};
use crate::journal::figures::{BOUNDS, Figures};

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
    if let Some(journal) = house.journal() {
        tell_journal(&mut page, &journal.figures);
    }
    page.one("resident_bytes", "gauge", "Memory of this process.", resident());
    page.0
}

fn tell_journal(page: &mut Page, figures: &Figures) {
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
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().unwrap_or_default();
    kilobytes * 1024
}

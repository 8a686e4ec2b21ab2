//! What a server used: by its page of figures, and by the system's books.

use std::time::Duration;

/// Of a time, or since the start.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    commands: f64,
    messages: f64,
    bytes: f64,
    seconds: f64,
    /// Processor time of the server, and of the engine's servers together, in seconds.
    server: f64,
    pub engine: f64,
}

impl Usage {
    /// By the page of figures of a server, its process, and the commands that its bots said.
    pub fn read(page: &str, process: i32, commands: u64) -> Self {
        let figure = |name: &str| -> f64 {
            let line = page.lines().find_map(|line| line.strip_prefix(&format!("parlor_{name} ")[..]));
            line.and_then(|value| value.parse().ok()).unwrap_or_default()
        };
        Self {
            commands: commands as f64,
            messages: figure("journal_wait_seconds_count"),
            bytes: figure("journal_bytes_total"),
            seconds: 0.0,
            server: stat(process).map_or(0.0, |stat| stat.processor_time()),
            engine: 0.0,
        }
    }

    pub fn since(&self, before: &Self, time: Duration) -> Self {
        Self {
            commands: self.commands - before.commands,
            messages: self.messages - before.messages,
            bytes: self.bytes - before.bytes,
            seconds: time.as_secs_f64(),
            server: self.server - before.server,
            engine: 0.0,
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.seconds += other.seconds;
        self.server += other.server;
        self.engine += other.engine;
    }

    pub fn commands_a_second(&self) -> f64 {
        self.commands / self.seconds.max(0.001)
    }

    /// The last columns of a row.
    pub fn row(&self) -> String {
        let commands = self.commands.max(1.0);
        format!(
            "{:.0} | {:.0} | {:.1} | {:.0} | {:.0}, {:.0} |",
            self.commands_a_second(),
            self.messages / self.seconds.max(0.001),
            self.commands / self.messages.max(1.0),
            self.bytes / commands,
            1e6 * self.server / commands,
            1e6 * self.engine / commands,
        )
    }
}

/// A line of /proc/PID/stat.
struct Stat(String);

fn stat(process: i32) -> Option<Stat> {
    std::fs::read_to_string(format!("/proc/{process}/stat")).ok().map(Stat)
}

impl Stat {
    fn name(&self) -> &str {
        self.0.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(name, _)| name)
    }

    /// The fields behind the name, counted from 3.
    fn field(&self, number: usize) -> u64 {
        let rest = self.0.rsplit_once(") ").map_or("", |(_, rest)| rest);
        rest.split(' ').nth(number - 3).and_then(|word| word.parse().ok()).unwrap_or_default()
    }

    fn parent(&self) -> u64 {
        self.field(4)
    }

    /// In seconds; the system counts in hundredths.
    fn processor_time(&self) -> f64 {
        (self.field(14) + self.field(15)) as f64 / 100.0
    }
}

/// Of all our children of this name.
pub fn processor_time(name: &str) -> f64 {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let ours = processes.filter_map(stat).filter(|stat| stat.parent() == u64::from(std::process::id()));
    ours.filter(|stat| stat.name() == name).map(|stat| stat.processor_time()).sum()
}

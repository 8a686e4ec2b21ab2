//! An image in an emulator, for as long as the value lives.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::door::{BOOT, Door};
use crate::{pimp, venus, web, yard};

/// By the board's clock: it saves 5 s after a change, when it looks, once a second.
pub const REST: Duration = Duration::from_secs(9);
/// A board's clock that stands still for this long is given up.
const STANDSTILL: Duration = Duration::from_secs(60);

/// The emulator's network calls a board that did not answer again after 6 s, and once more 12 s later.
const CALLED_AGAIN: Duration = Duration::from_secs(20);

/// Bytes of stack that loading may take: less than this.
const LOADING: u32 = 8 * 1024;
/// Bytes that a board may have used when it begins to serve, saved games loaded. To set up takes most of it.
const LOADED_MAX: u32 = 10 * 1024;

/// The variable that says where a board's pages are to be found.
const WEB: &str = "PARLOR_HTTP_PORT";

pub struct Emulator {
    child: Child,
    pub port: u16,
    /// Where its pages are.
    pub web: u16,
    /// Where its emulator tells the chip's time, if it does.
    clock: u16,
    log: PathBuf,
}

/// How a board is started.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The board's `run`.
    pub run: &'a Path,
    pub elf: &'a Path,
    /// Options for the emulator itself.
    pub qemu: &'a str,
}

impl Start<'_> {
    /// A Monopoly table with these options; `name` tells its log from others. It is answering when this returns.
    pub fn pimp(self, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        self.game("pimp", name, options)
    }

    /// The game of this name.
    pub fn game(self, game: &str, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        let door = match game {
            "pimp" => pimp::door,
            "yard" => yard::door,
            "venus" => venus::door,
            _ => return Err(format!("{game}: no such game").into()),
        };
        self.start(&format!("PARLOR_{}_PORT", game.to_uppercase()), name, options)?.answering(door)
    }

    /// On a cable between two ports of this machine, `HERE-THERE`, and on no other network.
    pub fn on_cable(self, name: &str, cable: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        self.start_with(&[("PARLOR_CABLE", cable)], WEB, name, options)
    }

    /// A Monopoly table that hears a cable beside the emulator's own network.
    pub fn pimp_beside(self, name: &str, cable: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        self.start_with(&[("PARLOR_BESIDE", cable)], "PARLOR_PIMP_PORT", name, options)?.answering(pimp::door)
    }

    /// All games: its table of Monopoly, and where the other games are.
    pub fn house(self, name: &str, options: &[String]) -> Result<(Emulator, [u16; 2]), Box<dyn Error>> {
        let ports = [free_port().ok_or("no port is free")?, free_port().ok_or("no port is free")?];
        let [yard, venus] = ports.map(|port| port.to_string());
        let more = [("PARLOR_YARD_PORT", yard.as_str()), ("PARLOR_VENUS_PORT", venus.as_str())];
        Ok((self.start_with(&more, "PARLOR_PIMP_PORT", name, options)?.answering(pimp::door)?, ports))
    }

    /// Asked for pages.
    pub fn pages(self, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        self.start(WEB, name, options)?.answering(web::door)
    }

    /// Asked for names.
    pub fn names(self, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        self.start("PARLOR_MDNS_PORT", name, options)
    }

    /// A board with any game in Monopoly's place: it has an address when this returns.
    pub fn board(self, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        self.start("PARLOR_PIMP_PORT", name, options)
    }

    /// `variable` says where the board's port is to be found.
    fn start(self, variable: &str, name: &str, options: &[String]) -> Result<Emulator, Box<dyn Error>> {
        self.start_with(&[], variable, name, options)
    }

    fn start_with(
        self,
        more: &[(&str, &str)],
        variable: &str,
        name: &str,
        options: &[String],
    ) -> Result<Emulator, Box<dyn Error>> {
        let [port, other] = [free_port(), free_port()].map(|port| port.ok_or("no port is free"));
        let port = port?;
        let web = if variable == WEB { port } else { other? };
        let clock = free_port().ok_or("no port is free")?;
        let log = std::env::temp_dir().join(format!("parlor-{}-{name}.log", std::process::id()));
        let file = File::create(&log)?;
        // Whatever ends this program, a signal included, ends the emulator: `run` becomes it.
        let child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL"])
            .arg(self.run)
            .arg(self.elf)
            .env(WEB, web.to_string())
            .env(variable, port.to_string())
            .envs(more.iter().copied())
            .env("PARLOR_CLOCK_PORT", clock.to_string())
            .env("PARLOR_ONLY", "1")
            .env("PARLOR_ARGS", options.join(" "))
            .env("PARLOR_QEMU", self.qemu)
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()?;
        let mut emulator = Emulator { child, port, web, clock, log };
        emulator.has_address()?;
        Ok(emulator)
    }
}

impl Emulator {
    /// Waits until the board answers at this door.
    fn answering(self, door: impl Fn(u16) -> Door) -> Result<Self, Box<dyn Error>> {
        drop(door(self.port).guest(BOOT).map_err(|error| format!("no answer: {error}\n{}", self.log()))?);
        // The link that answered is free again.
        sleep(Duration::from_millis(100));
        Ok(self)
    }

    /// Waits until the board can be reached: a connection that comes earlier is only tried again seconds later.
    fn has_address(&mut self) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        while !self.log().contains("network: address") {
            if start.elapsed() > BOOT || self.child.try_wait()?.is_some() {
                return Err(format!("it has no address\n{}", self.log()).into());
            }
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Lets this much time pass for the board. QEMU's boards have our time; an emulator that is slower than its chip tells when
    /// the chip's has passed.
    pub fn wait(&self, time: Duration) {
        if !self.log().contains("the chip's clock: ") {
            return sleep(time);
        }
        // An emulator that is gone is noticed later.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.clock)).and_then(|mut clock| {
            clock.set_read_timeout(Some(10 * time + STANDSTILL))?;
            clock.write_all(time.as_millis().to_string().as_bytes())?;
            clock.read(&mut [0])
        });
    }

    /// Connections that the board has taken to a game since it began.
    pub fn opened(&self) -> usize {
        self.log().matches(": open to ").count()
    }

    /// Waits until there were so many. A board that takes no more is noticed by whoever speaks next.
    pub fn wait_until_opened(&self, count: usize) {
        let start = Instant::now();
        while self.opened() < count && start.elapsed() < CALLED_AGAIN {
            sleep(Duration::from_millis(2));
        }
    }

    /// Stops the whole emulator, or lets it go on.
    pub fn hold(&self, held: bool) -> io::Result<()> {
        self.signal(if held { "-STOP" } else { "-CONT" })
    }

    fn signal(&self, signal: &str) -> io::Result<()> {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other("no such emulator")) }
    }

    /// Holds the board's button down from now on.
    pub fn hold_button(&self) -> io::Result<()> {
        self.signal("-HUP")
    }

    pub fn is_running(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// What the log says of trouble.
    pub fn complaint(&self) -> Option<&'static str> {
        let log = self.log();
        if log.contains("ERROR") {
            return Some("the board complains");
        }
        // A board logs its start once; one that the watchdog has reset logs it again.
        (log.matches("parlor on").count() != 1).then_some("the board has started anew")
    }

    /// A saved game was loaded. Bytes of stack that loading took, and that were used in all when the board first looked, just
    /// after it.
    pub fn loaded(&self) -> Result<(u32, u32), String> {
        let log = self.log();
        let told =
            |before: &str| log.lines().find_map(|line| line.split_once(before)?.1.split(' ').next()?.parse().ok());
        // Of loading, whose line says both.
        let loading = told("autosave: ").filter(|_| log.contains("bytes of stack to load"));
        match (loading, told("stack: ")) {
            _ if !log.contains(": goes on, ") => Err(format!("no game was loaded\n{log}")),
            (Some(loading), Some(used)) if loading < LOADING && used <= LOADED_MAX => Ok((loading, used)),
            (Some(loading), Some(used)) => Err(format!(
                "{loading} bytes of stack to load a game, less than {LOADING} were to be enough; {used} of {LOADED_MAX} in all\n{log}"
            )),
            _ => Err(format!("the log says nothing about the stack\n{log}")),
        }
    }

    /// How long the emulator has run on this machine's processors, all its threads together.
    pub fn busy(&self) -> io::Result<Duration> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id()))?;
        let nanoseconds = threads.map(|thread| {
            let times = fs::read_to_string(thread?.path().join("schedstat"))?;
            times
                .split(' ')
                .next()
                .and_then(|time| time.parse::<u64>().ok())
                .ok_or_else(|| io::Error::other(times.clone()))
        });
        Ok(Duration::from_nanos(nanoseconds.sum::<io::Result<u64>>()?))
    }

    /// What the emulator holds of this machine's memory.
    pub fn memory(&self) -> Option<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.trim().to_string())
    }

    /// What the board has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// A port without a listener now, never the same twice: several emulators start at once. Below those that connections
/// are given, and another place to begin for each process.
fn free_port() -> Option<u16> {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 100) as u16 * 100;
    let mut candidates = (0..1_000).map(|_| first + TAKEN.fetch_add(1, Ordering::Relaxed) % 1_000);
    candidates.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // `run` has become the emulator: this is its id.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.log);
    }
}

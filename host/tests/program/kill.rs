//! The real program is killed at random moments of a game of bots: whoever was told something finds it true afterwards.
//!
//! `KILLS` says how often, `KILL_SEED` which moments; both are printed.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::disk::Chance;
use crate::common::{PATIENCE, Server, is_explained, scratch, tcp};
use parlor::journal::disk::{Disk, Files, Sheet};
use parlor::journal::record::{Event, Record};
use parlor::journal::restore::{self, From, Table, Witness};
use parlor::journal::stored_table::{Disagreement, Heard};
use parlor::journal::{FileStore, StoreError};
use parlor::table_id::TableId;
use parlor_core::game::Game as _;
use parlor_core::pimp::bot::session::{Session, Standing};
use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::limits::HostTable;
use parlor_core::pimp::view::{Prompt, View};
use parlor_core::pimp::wire::{FRAME_MAX, Framer, HEADER, Message, Name};
use parlor_core::server::{Framer as _, Millis, Server as _};
use parlor_tests::pimp::sim::told::Told;
use rustix::process::{Signal, kill_process};

const ID: TableId = TableId::new("pimp", 1);
const PLAYERS: u8 = 4;
/// The longest that a server lives once everybody is back, in microseconds.
const LIFE: usize = 150_000;
/// Nothing was said for this long: nothing will be.
const SILENCE: Duration = Duration::from_millis(30);

struct Player {
    stream: TcpStream,
    /// All that this connection has received.
    heard: Vec<u8>,
    /// How much of it the view has taken.
    taken: usize,
    session: Session,
    view: Box<View<32>>,
    bot: Bot,
}

fn encoded(message: &Message<'_>) -> Vec<u8> {
    let mut frame = [0; FRAME_MAX];
    let n = message.encode(&mut frame).unwrap();
    frame[..n].to_vec()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = tcp(address);
    stream.set_nonblocking(true).unwrap();
    stream
}

impl Player {
    fn new(number: u8, address: SocketAddr) -> Self {
        let strength = if number.is_multiple_of(2) { Strength::Shrewd } else { Strength::Plain };
        let mut player = Self {
            stream: connect(address),
            heard: Vec::new(),
            taken: 0,
            session: Session::new(Name::new(&[b'b', b'0' + number]).unwrap(), 0, true),
            view: Box::new(View::new()),
            bot: Bot::new(strength, u32::from(number)),
        };
        player.greet();
        player
    }

    fn come_back(&mut self, address: SocketAddr) {
        self.stream = connect(address);
        self.heard.clear();
        self.taken = 0;
        self.greet();
    }

    fn greet(&mut self) {
        let hello = encoded(&self.session.connect());
        let _ = self.stream.write_all(&hello);
    }

    /// Reads what there is; `false` at the end of the stream.
    fn read(&mut self) -> bool {
        let mut buffer = [0; 4096];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return false,
                Ok(n) => self.heard.extend_from_slice(&buffer[..n]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }

    /// Believes what was heard; answers what no bot is asked. Did anything come?
    fn take(&mut self) -> bool {
        let before = self.taken;
        while let Some([code, length, rest @ ..]) = self.heard.get(self.taken..)
            && let Some(payload) = rest.get(..usize::from(*length))
        {
            let message = Message::from_server(*code, payload).expect("a message");
            self.view.take(&message);
            self.taken += HEADER + payload.len();
            if let Some(answer) = self.session.take(&message) {
                let _ = self.stream.write_all(&encoded(&answer));
            }
        }
        self.taken > before
    }

    fn is_back(&self) -> bool {
        self.session.standing() == Standing::Seated && !self.view.is_dumping() && !self.heard.is_empty()
    }
}

/// What this life of the server has let every link hear. Links are told apart by what they heard.
#[derive(Default)]
struct Streams {
    open: BTreeMap<u16, usize>,
    all: Vec<(u16, Vec<u8>)>,
    warnings: Vec<String>,
}

impl Witness for Streams {
    fn saw(&mut self, _: &Table, record: &Record<'_>, heard: &Heard, agreed: Result<(), &Disagreement>) {
        assert_eq!(agreed, Ok(()), "record {}", record.number);
        match record.event {
            Event::Open { slot, .. } => {
                self.open.insert(slot, self.all.len());
                self.all.push((slot, Vec::new()));
            }
            Event::Close { slot, .. } => drop(self.open.remove(&slot)),
            _ => {}
        }
        for (slot, bytes) in heard {
            // Who was connected in the life before hears how it ends.
            if let Some(at) = self.open.get(slot) {
                self.all[*at].1.extend_from_slice(bytes);
            }
        }
    }
    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }
}

/// The segments from one on, without snapshots: one life of the server.
struct Life {
    files: Files,
    first: String,
}

fn read(data: &Path, witness: &mut dyn Witness) -> Result<restore::House, StoreError> {
    restore::read(&FileStore::new(Arc::new(Files::unlocked(data))), From::Newest, witness)
}

fn segments(data: &Path) -> Vec<String> {
    let mut names = Files::unlocked(data).list("journal").unwrap();
    names.sort();
    names
}

impl Disk for Life {
    fn create(&self, _: &str) -> io::Result<Box<dyn Sheet>> {
        unreachable!("only read")
    }
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        // Which segments there were before is of no interest.
        if name.starts_with("tables/") { Err(ErrorKind::NotFound.into()) } else { self.files.read(name) }
    }
    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        unreachable!("only read")
    }
    fn remove(&self, _: &str) -> io::Result<()> {
        unreachable!("only read")
    }
    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut names = self.files.list(folder)?;
        names.retain(|name| folder == "journal" && *name >= self.first);
        Ok(names)
    }
    fn sync_folder(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// What the table would tell this user who comes back.
fn dump(table: &HostTable, now: Millis, player: &Player) -> Vec<u8> {
    let mut copy = Box::new(table.clone());
    let mut out = vec![0; 4096];
    let seq = copy.produced();
    copy.release(seq);
    for slot in 0..HostTable::LINKS as u16 {
        if let Some(link) = parlor_core::save::Durable::link(&*copy, slot) {
            while copy.pull(link, &mut out) > 0 {}
        }
    }
    let link = copy.open(now).unwrap();
    let rejoin = Message::Rejoin { player: player.view.me(), password: player.view.password() };
    let said = [encoded(&Message::Handshake { version: 1 }), encoded(&rejoin)].concat();
    let mut framer = Framer::new();
    framer.window()[..said.len()].copy_from_slice(&said);
    framer.commit(said.len());
    copy.receive(link, &mut framer, now);
    let seq = copy.produced();
    copy.release(seq);
    let mut all = Vec::new();
    loop {
        match copy.pull(link, &mut out) {
            0 => return all,
            n => all.extend_from_slice(&out[..n]),
        }
    }
}

#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    games: usize,
    /// Bytes received, all found again.
    heard: usize,
    /// Connections whose last answers had no cause that could be lost, and were.
    answers: usize,
    /// Bytes that were safe and not received yet.
    unsent: usize,
    /// Players whose mirror was compared with the table that was read back.
    mirrors: usize,
    /// Players whose mirror was compared with what the restarted server told them.
    dumps: usize,
    /// Not compared so: the server passed for everybody in an auction when they were gone.
    auctions: usize,
    records: u64,
    restart: Duration,
}

struct World {
    data: std::path::PathBuf,
    server: Server,
    first: String,
    players: Vec<Player>,
    /// What each player knew when the server died, if it knew everything.
    mirrors: Vec<Option<Told>>,
    tally: Tally,
}

fn start(data: &Path) -> Server {
    let haste = ["--rate", "0", "--claim-grace", "0", "--vote-pause", "0.01", "--farewell", "3600"];
    Server::start(&[&haste[..], &["--data", data.to_str().unwrap()]].concat())
}

impl World {
    fn new(data: &Path, tally: Tally) -> Self {
        let _ = std::fs::remove_dir_all(data);
        let server = start(data);
        let first = segments(data).pop().unwrap();
        let players: Vec<_> = (0..PLAYERS).map(|number| Player::new(number, server.port("pimp"))).collect();
        let mirrors = players.iter().map(|_| None).collect();
        let tally = Tally { games: tally.games + 1, ..tally };
        let mut world = Self { data: data.into(), server, first, players, mirrors, tally };
        // Whoever is told a password only after the server died has none: everybody sits before the first kill.
        let seats = |world: &Self| world.players[0].view.known().users.len();
        world.play_until(|world| world.players.iter().all(Player::is_back) && seats(world) >= usize::from(PLAYERS));
        world
    }

    /// Everybody hears; who is asked to vote or to move does so.
    fn step(&mut self, moves: bool) -> bool {
        let mut moved = false;
        for player in &mut self.players {
            player.read();
            moved |= player.take();
            if moves {
                let Player { bot, view, stream, .. } = player;
                moved |= bot.next(view, &mut |message| _ = stream.write_all(&encoded(&message)));
            }
        }
        moved
    }

    fn play_until(&mut self, done: impl Fn(&Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut stirred = Instant::now();
        while !done(self) {
            assert!(Instant::now() < end, "the game does not go on");
            if self.step(true) {
                stirred = Instant::now();
            } else if stirred.elapsed() > Duration::from_millis(300) {
                stirred = Instant::now();
                self.players.iter_mut().for_each(|player| player.bot.nudge());
            } else {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
    }

    /// Nobody moves until everybody is back; then what they were told is what they knew.
    fn gather(&mut self) {
        let (mut quiet, end) = (Instant::now(), Instant::now() + PATIENCE);
        while quiet.elapsed() < SILENCE || !self.players.iter().all(Player::is_back) {
            assert!(Instant::now() < end, "not everybody came back");
            if self.step(false) {
                quiet = Instant::now();
            } else {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        for (player, mirror) in self.players.iter().zip(&mut self.mirrors) {
            let Some(mirror) = mirror.take() else { continue };
            let mut told = Told::default();
            told.read(&player.heard);
            let mut mirror = mirror;
            mirror.forget_ghosts(&told);
            if let Some(difference) = mirror.difference(&told) {
                panic!("after the restart user {} is told something else: {difference}", player.view.me());
            }
            self.tally.dumps += 1;
        }
    }

    /// Plays on until the server is killed from outside.
    fn die(&mut self, after: Duration) {
        let (pid, killed) = (self.server.pid(), Arc::new(AtomicBool::new(false)));
        let told = killed.clone();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(after);
            kill_process(pid, Signal::KILL).unwrap();
            told.store(true, Ordering::Release);
        });
        self.play_until(|_| killed.load(Ordering::Acquire));
        killer.join().unwrap();
        self.server.wait();
        for player in &mut self.players {
            let end = Instant::now() + PATIENCE;
            while player.read() {
                assert!(Instant::now() < end, "a dead server keeps a connection open");
                std::thread::sleep(Duration::from_micros(100));
            }
            player.take();
        }
        self.tally.kills += 1;
    }

    /// What the files hold explains all that was received, and what was not received yet leads to the table they hold.
    fn explain(&mut self) {
        let mut streams = Streams::default();
        let life = Life { files: Files::unlocked(&self.data), first: self.first.clone() };
        restore::read(&FileStore::new(Arc::new(life)), From::Newest, &mut streams).unwrap();
        let mut lost = Streams::default();
        let read = read(&self.data, &mut Ignored(&mut lost)).unwrap();
        self.tally.records += read.replayed;
        let table = read.tables[&ID].stored.any().downcast_ref::<HostTable>().unwrap();
        let now = read.tables[&ID].stored.now();
        for (at, player) in self.players.iter_mut().enumerate() {
            self.tally.heard += player.heard.len();
            self.mirrors[at] = None;
            if player.heard.is_empty() {
                continue;
            }
            // Every connection is answered with another number of bytes, or with the same: any that fits will do.
            let fits = |bytes: &&Vec<u8>| bytes.starts_with(&player.heard);
            let stream = streams.all.iter().map(|(_, bytes)| bytes).find(fits);
            let Some(stream) = stream else {
                let none = [Vec::new()];
                let mut all = streams.all.iter().map(|(_, bytes)| bytes).chain(&none);
                let is_explained = all.any(|bytes| is_explained(bytes, &player.heard));
                assert!(is_explained, "user {} has received {:02x?} that is lost", player.view.me(), player.heard);
                self.tally.answers += 1;
                continue;
            };
            if player.session.standing() != Standing::Seated {
                continue;
            }
            self.tally.unsent += stream.len() - player.heard.len();
            player.heard.clone_from(stream);
            player.take();
            let (mut seen, mut told) = (Told::default(), Told::default());
            seen.of(&player.view.known());
            told.read(&dump(table, now, player));
            let mut seen_now = seen.clone();
            seen_now.forget_ghosts(&told);
            if let Some(difference) = seen_now.difference(&told) {
                panic!("user {} was told another game than the files hold: {difference}", player.view.me());
            }
            self.tally.mirrors += 1;
            if matches!(player.view.prompt(), Prompt::Auction { .. }) {
                self.tally.auctions += 1;
            } else {
                self.mirrors[at] = Some(seen);
            }
        }
    }

    fn rise(&mut self) {
        let begun = Instant::now();
        self.server = start(&self.data);
        self.tally.restart += begun.elapsed();
        self.first = segments(&self.data).pop().unwrap();
        let address = self.server.port("pimp");
        self.players.iter_mut().for_each(|player| player.come_back(address));
    }

    fn is_over(&self) -> bool {
        self.players.iter().any(|player| matches!(player.view.prompt(), Prompt::Over { .. }))
    }
}

/// Only warnings are of interest.
struct Ignored<'a>(&'a mut Streams);

impl Witness for Ignored<'_> {
    fn warn(&mut self, text: String) {
        self.0.warnings.push(text);
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn nobody_is_told_what_a_kill_takes_back() {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let (kills, seed) = (number("KILLS").unwrap_or(12), number("KILL_SEED").unwrap_or(clock));
    println!("KILLS={kills} KILL_SEED={seed}");
    let (data, mut chance) = (scratch("kill"), Chance(seed));
    let mut world = World::new(&data, Tally::default());
    while world.tally.kills < kills as usize {
        world.die(Duration::from_micros(chance.below(LIFE) as u64));
        world.explain();
        if world.is_over() {
            world = World::new(&data, std::mem::take(&mut world.tally));
            continue;
        }
        world.rise();
        // Now and then the next kill does not wait until everybody is back.
        if chance.below(4) > 0 {
            world.gather();
        }
    }
    let Tally { kills, restart, .. } = world.tally;
    println!("{:?}; a restart takes {:?} until the ready line", world.tally, restart / kills.max(1) as u32);
    assert!(world.tally.mirrors > 0 && world.tally.dumps > 0);
    drop(world);
    std::fs::remove_dir_all(data).unwrap();
}

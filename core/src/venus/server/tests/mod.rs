//! The server by example: what is said to whom, to the letter.

#[cfg(feature = "postcard")]
mod failures;
mod leak;
mod lobby;
mod minds;
mod oracle;
mod play;
mod players;
#[cfg(feature = "postcard")]
mod saves;
mod slow;
#[cfg(feature = "postcard")]
mod states;

use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::dice::script;
use crate::server::{Ask, Framer as _};
use crate::venus::limits::BoardVenus;

#[derive(Clone)]
struct Client {
    link: Link,
    framer: Lines<258>,
    unread: Vec<u8>,
    sent: Vec<u8>,
    stalled: bool,
    reading: bool,
    closed: bool,
    /// Everything that was taken, as a journal would have it.
    taken: Vec<u8>,
}

/// What the adapter is asked, and what it will answer.
#[derive(Clone)]
enum Owed {
    Hash(Vec<u8>),
    Verdict(bool),
    Saved(String, Vec<u8>),
    Load(String),
    /// A bot for this room.
    Bot(String),
}

/// A server and clients by name, all in this process.
#[derive(Clone)]
pub struct House {
    pub venus: std::boxed::Box<BoardVenus>,
    clients: BTreeMap<String, Client>,
    pub now: Millis,
    /// Requests are answered at once.
    answering: bool,
    owed: Vec<(RequestId, Owed)>,
    files: BTreeMap<String, Vec<u8>>,
    /// Bytes that are read at once.
    chunk: usize,
}

pub const CONFIG: Config = Config { rate: 0, storage: true, ..Config::DEFAULT };

impl House {
    pub fn new() -> Self {
        Self::with(&CONFIG, &[])
    }

    /// What is dealt, as [`script`] takes it.
    pub fn with(config: &Config, steps: &[u8]) -> Self {
        Self::with_seed(config, &script(steps).unwrap())
    }

    pub fn with_seed(config: &Config, seed: &[u8; 32]) -> Self {
        let mut venus = std::boxed::Box::new(BoardVenus::new());
        venus.begin(seed, config);
        let (clients, files) = (BTreeMap::new(), BTreeMap::new());
        Self { venus, clients, now: Millis(1_000), answering: true, owed: Vec::new(), files, chunk: 258 }
    }

    /// ann and bob sit in "den", in this order, and cat looks on; the game has begun.
    pub fn with_game(config: &Config, steps: &[u8]) -> Self {
        let mut house = Self::with(config, steps);
        house.gather(&["ann", "bob", "cat"]);
        for line in ["ann JOIN", "bob JOIN", "ann VALIDATESETUP", "ann LIKEOPTIONS", "bob LIKEOPTIONS"] {
            let (name, action) = line.split_once(' ').unwrap();
            house.say(name, action);
        }
        house
    }

    /// All of them enter "den", and the first begins a game there.
    pub fn gather(&mut self, names: &[&str]) {
        names.iter().for_each(|name| self.login(name));
        self.say(names[0], "NEWROOM,den");
        names.iter().for_each(|name| self.say(name, "CHANGEROOM,den"));
        self.say(names[0], "NEWGAME,MerchantOfVenus");
    }

    pub fn connect(&mut self, name: &str) {
        let link = self.venus.open(self.now).unwrap();
        let client = Client {
            link,
            framer: Lines::new(),
            unread: Vec::new(),
            sent: Vec::new(),
            stalled: false,
            reading: true,
            closed: false,
            taken: Vec::new(),
        };
        self.clients.insert(name.to_string(), client);
        self.run();
    }

    pub fn login(&mut self, name: &str) {
        self.connect(name);
        self.say(name, &std::format!("LOGIN,{name},pw"));
        assert_eq!(self.heard(name)[1], "WELCOME", "{name}");
    }

    pub fn say(&mut self, name: &str, line: &str) {
        self.send(name, &std::format!("{line}\n").into_bytes());
    }

    pub fn send(&mut self, name: &str, bytes: &[u8]) {
        self.clients.get_mut(name).unwrap().sent.extend_from_slice(bytes);
        self.run();
    }

    pub fn hang_up(&mut self, name: &str) {
        let client = self.clients.remove(name).unwrap();
        self.venus.close(client.link, self.now);
        self.run();
    }

    #[cfg(feature = "postcard")]
    pub fn stop_answering(&mut self) {
        self.answering = false;
    }

    pub fn stop_reading(&mut self, name: &str, stop: bool) {
        self.clients.get_mut(name).unwrap().reading = !stop;
    }

    pub fn is_closed(&self, name: &str) -> bool {
        self.clients[name].closed
    }

    /// What came since it was last asked, line by line.
    pub fn heard(&mut self, name: &str) -> Vec<String> {
        let bytes = core::mem::take(&mut self.clients.get_mut(name).unwrap().unread);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'), "{text}");
        text.split_terminator('\n').map(str::to_string).collect()
    }

    pub fn forget(&mut self) {
        self.clients.values_mut().for_each(|client| client.unread.clear());
    }

    /// Says it and gives what comes back to the speaker; the others forget what they heard before.
    pub fn ask(&mut self, name: &str, line: &str) -> Vec<String> {
        self.forget();
        self.say(name, line);
        self.heard(name)
    }

    pub fn advance(&mut self, ms: u64) {
        let until = self.now.plus(ms);
        for _ in 0..1_000 {
            let Some(due) = self.venus.deadline().filter(|due| *due <= until) else { break };
            self.now = due.max(self.now);
            self.tick();
        }
        self.now = until;
        self.tick();
    }

    /// A deadline that has come is then behind: an adapter would spin.
    fn tick(&mut self) {
        self.venus.tick(self.now);
        let due = self.venus.deadline();
        assert!(due.is_none_or(|due| due > self.now), "{due:?} has come already at {:?}", self.now);
        self.run();
    }

    fn collect_requests(&mut self) {
        while let Some(request) = self.venus.next_request() {
            // A hash is the secret backwards: good enough to be told apart.
            let hashed =
                |secret: &[u8]| [b"#", &secret.iter().rev().map(|b| b ^ 0x55).collect::<Vec<u8>>()[..]].concat();
            let owed = match request.ask {
                Ask::Hash(secret) => Owed::Hash(hashed(secret)),
                Ask::Verify { secret, hash } => Owed::Verdict(hashed(secret) == hash),
                Ask::Save { name, file } => Owed::Saved(name.into(), file.into()),
                Ask::Load { name } => Owed::Load(name.into()),
                Ask::Bot { game } => Owed::Bot(game.into()),
            };
            self.owed.push((request.id, owed));
        }
        if self.answering {
            self.give_answers();
        }
    }

    pub fn give_answers(&mut self) {
        for (id, owed) in core::mem::take(&mut self.owed) {
            let file;
            let answer = match &owed {
                Owed::Hash(hash) => Answer::Hash(hash),
                Owed::Verdict(verdict) => Answer::Verified(*verdict),
                Owed::Saved(name, file) => {
                    self.files.insert(name.clone(), file.clone());
                    Answer::Done
                }
                Owed::Load(name) => {
                    file = self.files.get(name).cloned();
                    file.as_deref().map_or(Answer::Failed, Answer::File)
                }
                // One comes to the den, and nowhere else.
                Owed::Bot(room) if room == "den" => Answer::Done,
                Owed::Bot(_) => Answer::Failed,
            };
            self.venus.answer(id, answer, self.now);
        }
    }

    /// Runs until nothing moves any more.
    pub fn run(&mut self) {
        loop {
            let mut moved = false;
            for client in self.clients.values_mut().filter(|client| !client.closed && !client.stalled) {
                let chunk = self.chunk;
                let window = client.framer.window();
                let n = client.sent.len().min(window.len()).min(chunk);
                window[..n].copy_from_slice(&client.sent[..n]);
                client.framer.commit(n);
                client.sent.drain(..n);
                let intake = self.venus.receive(client.link, &mut client.framer, self.now);
                client.taken.extend_from_slice(client.framer.taken());
                self.venus.lag_all(self.now);
                client.stalled = intake == Intake::Stalled;
                moved |= n > 0 || !client.framer.taken().is_empty();
            }
            self.collect_requests();
            self.venus.lag_all(self.now);
            let seq = self.venus.produced();
            self.venus.release(seq);
            let mut ready = Vec::new();
            while let Some(link) = self.venus.next_ready() {
                ready.push(link);
            }
            for client in self.clients.values_mut().filter(|client| !client.closed) {
                if ready.contains(&client.link) {
                    client.stalled = false;
                    moved = true;
                }
                let mut room = [0; <BoardVenus as Server>::MAX_FRAME];
                while client.reading {
                    let n = self.venus.pull(client.link, &mut room);
                    client.unread.extend_from_slice(&room[..n]);
                    moved |= n > 0;
                    if n == 0 {
                        break;
                    }
                }
                if self.venus.closing(client.link) {
                    client.closed = true;
                    self.venus.close(client.link, self.now);
                }
            }
            if !moved {
                return;
            }
        }
    }
}

const NOT_LEGAL: &str = "ERROR,That is not a legal move.";
const UNKNOWN: &str = "ERROR,Unknown Action sent to server!";
const GUI: &str = "NEWGUI,MerchantOfVenus,http://localhost/venus,MerchantOfVenusClient.xml";

//! The server by example: what is said to whom, to the letter.

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

pub const CONFIG: Config = Config { rate: 0, storage: true, ..Config::BOARD };

impl House {
    pub fn new() -> Self {
        Self::with(&CONFIG, &[])
    }

    /// What is dealt, as [`script`] takes it.
    pub fn with(config: &Config, steps: &[u8]) -> Self {
        let mut venus = std::boxed::Box::new(BoardVenus::new());
        venus.begin(&script(steps).unwrap(), config);
        let (clients, files) = (BTreeMap::new(), BTreeMap::new());
        Self { venus, clients, now: Millis(1_000), answering: true, owed: Vec::new(), files, chunk: 258 }
    }

    /// ann and bob sit in "den", in this order, and cat looks on; the game has begun.
    pub fn with_game(config: &Config, steps: &[u8]) -> Self {
        let mut house = Self::with(config, steps);
        for name in ["ann", "bob", "cat"] {
            house.login(name);
        }
        house.say("ann", "NEWROOM,den");
        for name in ["ann", "bob", "cat"] {
            house.say(name, "CHANGEROOM,den");
        }
        house.say("ann", "NEWGAME,MerchantOfVenus");
        for line in ["ann JOIN", "bob JOIN", "ann VALIDATESETUP", "ann LIKEOPTIONS", "bob LIKEOPTIONS"] {
            let (name, action) = line.split_once(' ').unwrap();
            house.say(name, action);
        }
        house
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
            self.venus.tick(self.now);
            self.run();
        }
        self.now = until;
        self.venus.tick(until);
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
                Ask::Bot { .. } => unreachable!("no bot is asked for here"),
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
                client.stalled = intake == Intake::Stalled;
                moved |= n > 0 || !client.framer.taken().is_empty();
            }
            self.collect_requests();
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

#[test]
fn a_login_is_told_of_rooms_and_users() {
    let mut house = House::new();
    house.connect("ann");
    assert_eq!(house.heard("ann"), ["CONNECTSTRING,parlor: Merchant of Venus"]);
    assert_eq!(house.ask("ann", "JOIN"), [UNKNOWN]);
    assert_eq!(house.ask("ann", "NEWROOM,den"), [UNKNOWN]);
    assert_eq!(
        house.ask("ann", "LOGIN,ann,pw"),
        [
            "WELCOME",
            "NEWGUI,ROOMGUI,http://localhost/venus,rooms.xml",
            "GAMES,",
            "SAVEGAMES,",
            "GUIIAM,ann",
            "GUIROOM,Great Hall,,",
            "INHABITANT,ann,Great Hall"
        ]
    );
    assert_eq!(house.ask("ann", "LOGIN,ann,pw"), [UNKNOWN]);
    house.say("ann", "NEWROOM,den%C 100 %%");
    house.say("ann", "CHANGEROOM,den%C 100 %%");
    house.heard("ann");
    house.connect("bob");
    assert_eq!(
        house.ask("bob", "LOGIN,b%Cb,")[4..],
        [
            "GUIIAM,b%Cb",
            "GUIROOM,Great Hall,,",
            "GUIROOM,den%C 100 %%,,",
            "INHABITANT,ann,den%C 100 %%",
            "INHABITANT,b%Cb,Great Hall"
        ]
    );
    assert_eq!(house.heard("ann"), ["INHABITANT,b%Cb,Great Hall"]);
    house.hang_up("bob");
    assert_eq!(house.heard("ann"), ["DROPINHABITANT,b%Cb"]);
}

#[test]
fn wrong_passwords_and_names_that_are_connected() {
    let mut house = House::new();
    house.login("ann");
    house.connect("new");
    house.heard("new");
    assert_eq!(house.ask("new", "LOGIN,ann,wrong"), ["ERROR,Wrong password."]);
    assert_eq!(house.ask("new", "LOGIN,ann,pw"), [""; 0], "not read for a second");
    house.advance(1_000);
    assert_eq!(house.heard("new"), ["ALREADYLOGGEDIN"]);
    assert_eq!(house.ask("new", "LOGOUTOTHER,bob,pw"), ["ERROR,There is no such user."]);
    assert_eq!(house.ask("new", "LOGOUTOTHER,ann,pwx"), ["ERROR,Wrong password."]);
    house.advance(1_000);
    assert!(!house.is_closed("ann"));
    // The client sends both at once.
    house.forget();
    house.send("new", b"LOGOUTOTHER,ann,pw\nLOGIN,ann,pw\n");
    assert_eq!(house.heard("new")[0], "WELCOME");
    assert!(house.is_closed("ann"));
    for odd in ["LOGIN,,pw", "LOGIN, bo,pw", "LOGIN,bo ,pw", "LOGIN,b\u{7f}o,pw", "LOGIN,abcdefghijklmnopqrstu,pw"] {
        house.connect("odd");
        house.heard("odd");
        assert_eq!(house.ask("odd", odd), ["ERROR,That is no name for a user."], "{odd}");
        house.hang_up("odd");
    }
    house.connect("odd");
    house.heard("odd");
    let long = "p".repeat(65);
    assert_eq!(house.ask("odd", &std::format!("LOGIN,odd,{long}")), ["ERROR,A password has at most 64 bytes."]);
    for n in 0..5 {
        house.advance(1_000);
        house.say("odd", &std::format!("LOGIN,ann,{n}"));
    }
    assert!(house.is_closed("odd"));
}

#[test]
fn lines_that_are_no_actions() {
    let mut house = House::new();
    house.login("ann");
    for (line, answer) in [
        ("", UNKNOWN),
        (",", UNKNOWN),
        ("DANCE", UNKNOWN),
        ("newroom,a", UNKNOWN),
        ("NEWROOM", "ERROR,Bad number of arguments to NEWROOM"),
        ("NEWROOM,a,b", "ERROR,Bad number of arguments to NEWROOM"),
        ("PLAYERTALK,a", "ERROR,Bad number of arguments to PLAYERTALK"),
        ("NEWROOM,", "ERROR,That is no name for a room."),
        ("NEWROOM,Great Hall", "ERROR,There is a room of that name."),
        ("CHANGEROOM,den", "ERROR,There is no such room."),
        ("ROOMTALK,", "ERROR,A message has 1 to 200 bytes."),
        ("PLAYERTALK,bob,hello", "ERROR,That user is not here."),
        // In the Great Hall nothing is played.
        ("NEWGAME,MerchantOfVenus", NOT_LEGAL),
        ("SAVEGAME,a", NOT_LEGAL),
        ("LOADGAME,a", NOT_LEGAL),
        ("JOIN", UNKNOWN),
        ("ENDTURN", UNKNOWN),
    ] {
        assert_eq!(house.ask("ann", line), [answer], "{line}");
    }
    house.send("ann", b"ROOMTALK,\xff\n");
    assert_eq!(house.heard("ann"), ["ERROR,That line is not UTF-8."]);
    house.send("ann", &[b'a'; 700]);
    assert_eq!(house.heard("ann"), ["ERROR,That line is too long."]);
    house.send("ann", b"aaa\nROOMTALK,hi\r\n");
    assert_eq!(house.heard("ann"), ["MESSAGE,(ann to room 'Great Hall') hi"]);
    let long = std::format!("ROOMTALK,{}", "x".repeat(201));
    assert_eq!(house.ask("ann", &long), ["ERROR,A message has 1 to 200 bytes."]);
}

#[test]
fn rooms_are_made_entered_and_dropped() {
    let mut house = House::new();
    for name in ["ann", "bob"] {
        house.login(name);
    }
    assert_eq!(house.ask("ann", "NEWROOM,den"), ["GUIROOM,den,,"]);
    assert_eq!(house.heard("bob"), ["GUIROOM,den,,"]);
    assert_eq!(house.ask("bob", "NEWROOM,den"), ["ERROR,There is a room of that name."]);
    house.say("bob", "NEWROOM,attic");
    assert_eq!(house.ask("bob", "NEWROOM,cellar"), ["ERROR,There is no space for another room."]);
    assert_eq!(house.ask("ann", "CHANGEROOM,den"), ["GAMES,MerchantOfVenus", "SAVEGAMES,", "INHABITANT,ann,den"]);
    assert_eq!(house.heard("bob"), ["INHABITANT,ann,den"]);
    assert_eq!(house.ask("ann", "ROOMTALK,is anybody%C well"), ["MESSAGE,(ann to room 'den') is anybody%C well"]);
    assert_eq!(house.heard("bob"), [""; 0]);
    assert_eq!(house.ask("bob", "PLAYERTALK,ann,hello"), [""; 0]);
    assert_eq!(house.heard("ann"), ["MESSAGE,(bob) hello"]);
    assert_eq!(house.ask("bob", "PLAYERTALK,bob,hello"), ["MESSAGE,(bob) hello"]);
    // The last one out takes the room along; one that nobody has entered goes with its maker.
    assert_eq!(
        house.ask("ann", "CHANGEROOM,Great Hall"),
        ["GAMES,", "SAVEGAMES,", "INHABITANT,ann,Great Hall", "DROPROOM,den"]
    );
    house.hang_up("bob");
    assert_eq!(house.heard("ann"), ["DROPINHABITANT,bob", "DROPROOM,attic"]);
}

#[test]
fn a_table_is_set_up() {
    let mut house = House::new();
    for name in ["ann", "bob", "cat"] {
        house.login(name);
    }
    house.say("ann", "NEWROOM,den");
    for name in ["ann", "bob"] {
        house.say(name, "CHANGEROOM,den");
    }
    assert_eq!(house.ask("ann", "NEWGAME,Chess"), ["ERROR,That game is not played here."]);
    let state = "NEWSTATE,InitialState,Players join and agree on the options.";
    let refresh = ["RESET,MerchantOfVenus", "OPTIONS,2000", state, "LEGALACTION,JOIN"];
    let begun = [&[GUI][..], &refresh, &["SAVEGAMES,", "GUIROOM,den,MerchantOfVenus,Starting up."]].concat();
    assert_eq!(house.ask("ann", "NEWGAME,MerchantOfVenus"), begun);
    assert_eq!(house.heard("bob"), begun);
    assert_eq!(house.heard("cat"), ["GUIROOM,den,MerchantOfVenus,Starting up."]);
    assert_eq!(house.ask("ann", "NEWGAME,MerchantOfVenus"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "UNJOIN"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "LIKEOPTIONS"), [UNKNOWN]);
    assert_eq!(house.ask("ann", "JOIN,"), ["ERROR,Bad number of arguments to JOIN"]);
    assert_eq!(house.ask("ann", "JOIN"), ["IAM,0", "PLAYER,ann,0", state, "LEGALACTION,OPTIONS", "LEGALACTION,UNJOIN"]);
    assert_eq!(house.heard("bob"), ["PLAYER,ann,0", state, "LEGALACTION,JOIN"]);
    assert_eq!(house.ask("ann", "JOIN"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "VALIDATESETUP"), [NOT_LEGAL], "alone");
    for odd in ["OPTIONS,999", "OPTIONS,20001", "OPTIONS,x", "OPTIONS,"] {
        assert_eq!(house.ask("ann", odd), ["ERROR,An argument is malformed."], "{odd}");
    }
    assert_eq!(house.ask("ann", "OPTIONS,1000")[0], "OPTIONS,1000");
    assert_eq!(house.heard("bob"), ["OPTIONS,1000", state, "LEGALACTION,JOIN"]);
    house.say("bob", "JOIN");
    house.say("cat", "CHANGEROOM,den");
    house.say("cat", "JOIN");
    // The later ones move up.
    assert_eq!(
        house.ask("ann", "UNJOIN"),
        ["RESET,MerchantOfVenus", "PLAYER,bob,0", "PLAYER,cat,1", "OPTIONS,1000", state, "LEGALACTION,JOIN"]
    );
    assert_eq!(
        house.heard("cat"),
        [
            "RESET,MerchantOfVenus",
            "PLAYER,bob,0",
            "PLAYER,cat,1",
            "IAM,1",
            "OPTIONS,1000",
            state,
            "LEGALACTION,OPTIONS",
            "LEGALACTION,UNJOIN",
            "LEGALACTION,VALIDATESETUP"
        ]
    );
    let check = "NEWSTATE,ValidateSetup,Does everybody like the options?";
    assert_eq!(
        house.ask("bob", "VALDIATESETUP"),
        [
            "PLAYEROKSTARTUP,0,0",
            "PLAYEROKSTARTUP,1,0",
            check,
            "LEGALACTION,DONTLIKEOPTIONS",
            "LEGALACTION,LIKEOPTIONS",
            "GUIROOM,den,MerchantOfVenus,In Progress."
        ]
    );
    assert_eq!(house.ask("bob", "LIKEOPTIONS"), ["PLAYEROKSTARTUP,0,1", check]);
    assert_eq!(house.ask("bob", "LIKEOPTIONS"), [NOT_LEGAL]);
    assert_eq!(house.ask("ann", "LIKEOPTIONS"), [NOT_LEGAL]);
    assert_eq!(house.ask("cat", "DONTLIKEOPTIONS")[..2], [state, "LEGALACTION,OPTIONS"]);
    assert_eq!(house.heard("ann"), [state, "LEGALACTION,JOIN", "GUIROOM,den,MerchantOfVenus,Starting up."]);
}

#[test]
fn who_leaves_before_the_start_gives_up_the_seat() {
    for how in ["CHANGEROOM,Great Hall", ""] {
        let mut house = House::new();
        for name in ["ann", "bob", "cat"] {
            house.login(name);
        }
        house.say("ann", "NEWROOM,den");
        for name in ["ann", "bob", "cat"] {
            house.say(name, "CHANGEROOM,den");
        }
        house.say("ann", "NEWGAME,MerchantOfVenus");
        for name in ["ann", "bob", "cat"] {
            house.say(name, "JOIN");
        }
        house.say("ann", "VALIDATESETUP");
        house.say("cat", "LIKEOPTIONS");
        house.forget();
        let gone = if how.is_empty() {
            house.hang_up("ann");
            "DROPINHABITANT,ann"
        } else {
            house.say("ann", how);
            "INHABITANT,ann,Great Hall"
        };
        let heard = house.heard("cat");
        let told = [
            "RESET,MerchantOfVenus",
            "PLAYER,bob,0",
            "PLAYER,cat,1",
            "IAM,1",
            "OPTIONS,2000",
            "NEWSTATE,InitialState,Players join and agree on the options.",
            "LEGALACTION,OPTIONS",
            "LEGALACTION,UNJOIN",
            "LEGALACTION,VALIDATESETUP",
            "GUIROOM,den,MerchantOfVenus,Starting up.",
        ];
        assert_eq!(heard.iter().filter(|line| *line != gone).collect::<Vec<_>>(), told);
        assert!(heard.iter().any(|line| line == gone));
        // Nobody waits for the one who is gone.
        for line in ["bob VALIDATESETUP", "bob LIKEOPTIONS", "cat LIKEOPTIONS"] {
            let (name, action) = line.split_once(' ').unwrap();
            house.say(name, action);
        }
        assert!(house.venus.game("den").unwrap().has_started());
    }
}

/// The kinds of lines, in their order, each once.
fn kinds(lines: &[String]) -> Vec<&str> {
    let mut kinds: Vec<&str> = lines.iter().map(|line| line.split(',').next().unwrap()).collect();
    kinds.dedup();
    kinds
}

#[test]
fn the_start_is_told_to_everybody() {
    let house = &mut House::with_game(&CONFIG, &[]);
    let current = house.venus.game("den").unwrap().current();
    let names = ["ann", "bob"];
    let (mover, other) = (names[current.index()], names[1 - current.index()]);
    let heard = house.heard(mover);
    let from = heard.iter().position(|line| line.starts_with("TURNORDER")).unwrap();
    let state = "NEWSTATE,SelectMove,The player moves.";
    assert_eq!(
        kinds(&heard[from..]),
        [
            "TURNORDER",
            "CURPLAYER",
            "ADDTOPLAYER",
            "PLAYERMONEY",
            "PLAYERRACE",
            "PLAYERLOCATION",
            "ADDTOTRADEBASE",
            "SOLARSYSTEMPRIVACY",
            "BASELOCATION",
            "DICE",
            "PILOTNUMBERCHOSEN",
            "DESTINATION",
            "NEWSTATE",
            "LEGALACTION",
        ]
    );
    assert_eq!(heard[heard.len() - 3..], [state, "LEGALACTION,ENDMOVE", "LEGALACTION,SELECTDESTINATION"]);
    assert!(heard.contains(&"PLAYERMONEY,0,40,0,40".to_string()));
    assert!(heard.contains(&"SOLARSYSTEMPRIVACY,Galactic Base,public".to_string()));
    let bytes: usize = heard[from..].iter().map(|line| line.len() + 1).sum();
    assert!((12_000..16_000).contains(&bytes), "{bytes} bytes");
    // The others hear the same but what is the mover's alone.
    let start =
        heard[from..].iter().filter(|line| !line.starts_with("DESTINATION") && !line.starts_with("LEGALACTION"));
    for name in [other, "cat"] {
        let heard = house.heard(name);
        let from = heard.iter().position(|line| line.starts_with("TURNORDER")).unwrap();
        assert!(heard[from..].iter().eq(start.clone()), "{name}");
    }
}

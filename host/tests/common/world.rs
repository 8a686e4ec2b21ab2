//! A table with three bots and a journal, without a network: whatever becomes of the journal's store, what was heard can be
//! compared with what the store tells.

use std::collections::BTreeMap;
use std::sync::Arc;

use parlor::journal::archive::Archivist;
use parlor::journal::record::{Event, Record};
use parlor::journal::restore::{self, From, Table, Witness};
use parlor::journal::simulated::{Memory, Simulated};
use parlor::journal::store::Source;
use parlor::journal::stored_table::{Disagreement, Heard as Told};
use parlor::journal::writer::Writer;
use parlor::journal::{Journal, Kept, Store, StoredTable, TableMeta};
use parlor::net::TableDriver;
use parlor::table_id::TableId;
use parlor_core::game::Game as _;
use parlor_core::pimp::bot::session::Session;
use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::limits::{HostTable, save_max};
use parlor_core::pimp::server::Config;
use parlor_core::pimp::view::View;
use parlor_core::pimp::wire::{FRAME_MAX, Framer, HEADER, Message, Name};
use parlor_core::server::{Framer as _, Link, Millis};

use super::disk::Chance;
use super::is_explained;

/// Rounds of a game: everybody reads, one speaks.
pub const ROUNDS: usize = 400;
/// Short, so that segments are closed and thrown away.
pub const SEGMENT: u64 = 1_000;
pub const ID: TableId = TableId::new("pimp", 1);

/// Everything a connection received.
pub struct Heard {
    pub link: Link,
    pub bytes: Vec<u8>,
}

pub struct Player {
    pub link: Link,
    pub framer: Framer,
    pub session: Session,
    pub view: Box<View<32>>,
    pub bot: Bot,
    /// Not yet a whole frame.
    pub unread: Vec<u8>,
    /// Its place among all that was heard.
    pub heard: usize,
}

pub struct World {
    pub table: Arc<TableDriver<HostTable>>,
    pub writer: Writer,
    pub archivist: Archivist,
    pub journal: Arc<Journal>,
    pub players: Vec<Player>,
    pub heard: Vec<Heard>,
}

pub fn meta() -> TableMeta {
    TableMeta { game: "pimp".into(), house: true, port: None }
}

impl World {
    /// A table in a journal of this store.
    pub fn new(store: Arc<dyn Store>, strict: bool) -> Self {
        Self::with(store, Journal::new(strict, 0))
    }

    pub fn with(store: Arc<dyn Store>, journal: Arc<Journal>) -> Self {
        let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        let mut table = Box::new(HostTable::new());
        table.begin(&[23; 32], &config, Millis(0));
        let table = StoredTable::new(table, HostTable::LINKS).share(Some((journal.clone(), ID, meta())), None);
        let writer = Writer::new(journal.clone(), store.clone()).with_refresh(SEGMENT);
        let archivist = Archivist::new(journal.clone(), store);
        Self { table, writer, archivist, journal, players: Vec::new(), heard: Vec::new() }
    }

    pub fn connect(&mut self) -> (Link, usize) {
        let link = self.table.open().unwrap();
        self.heard.push(Heard { link, bytes: Vec::new() });
        (link, self.heard.len() - 1)
    }

    pub fn sit(&mut self, number: u8) {
        let (link, heard) = self.connect();
        let name = [b'b', b'0' + number];
        let mut player = Player {
            link,
            framer: Framer::new(),
            session: Session::new(Name::new(&name).unwrap(), number, true),
            view: Box::new(View::new()),
            bot: Bot::new(Strength::Shrewd, u32::from(number)),
            unread: Vec::new(),
            heard,
        };
        let hello = player.session.connect();
        player.say(&self.table, &hello);
        self.players.push(player);
    }

    /// A connection is lost, and its player comes back.
    pub fn come_back(&mut self, at: usize) {
        self.table.close(self.players[at].link);
        let (link, heard) = self.connect();
        let player = &mut self.players[at];
        (player.link, player.heard, player.framer) = (link, heard, Framer::new());
        player.unread.clear();
        let hello = player.session.connect();
        player.say(&self.table, &hello);
    }

    /// Somebody reads all there is.
    pub fn read(&mut self, at: usize) {
        let (player, mut out) = (&mut self.players[at], [0; 700]);
        loop {
            let n = self.table.pull_into(player.link, &mut out);
            if n == 0 {
                break;
            }
            self.heard[player.heard].bytes.extend_from_slice(&out[..n]);
            player.unread.extend_from_slice(&out[..n]);
        }
        while let [code, length, rest @ ..] = &player.unread[..]
            && let Some(payload) = rest.get(..usize::from(*length))
        {
            let message = Message::from_server(*code, payload).expect("a message");
            player.view.take(&message);
            let answer = player.session.take(&message).map(|answer| encoded(&answer));
            player.unread.drain(..HEADER + usize::from(player.unread[1]));
            if let Some(answer) = answer {
                player.send(&self.table, &answer);
            }
        }
    }

    pub fn speak(&mut self, at: usize) {
        let player = &mut self.players[at];
        let mut said = Vec::new();
        player.bot.next(&player.view, &mut |message| said = encoded(&message));
        player.send(&self.table, &said);
    }

    /// Plays until the store breaks or the rounds are over; what the store is asked to do varies with `chance`.
    pub fn play(&mut self, is_broken: impl Fn() -> bool, chance: &mut Chance) {
        for round in 0..ROUNDS {
            if is_broken() {
                return;
            }
            match round {
                0 | 9 | 18 => self.sit((round / 9) as u8),
                _ if round % 47 == 40 => self.come_back(round % self.players.len()),
                _ if round % 31 == 30 => self.table.tick(),
                _ => {}
            }
            let who = round % self.players.len();
            self.speak(who);
            if chance.below(3) > 0 {
                let _ = self.writer.round();
            }
            if round % 60 == 55 {
                Kept::snapshot(&*self.table);
            }
            let _ = self.archivist.round();
            // Somebody does not read every time.
            for at in 0..self.players.len() {
                if chance.below(4) > 0 {
                    self.read(at);
                }
            }
            if round % 20 == 19 {
                self.players.iter_mut().for_each(|player| player.bot.nudge());
            }
        }
    }
}

impl World {
    /// Plays a few rounds, with a snapshot in each, until the store is another's.
    pub fn play_snapshotting(&mut self, chance: &mut Chance) {
        for round in 0..24 {
            if self.players.len() < 3 {
                self.sit(self.players.len() as u8);
            }
            self.speak(round % self.players.len());
            self.table.tick();
            while self.writer.round().is_err() {}
            if self.journal.figures.is_failing() {
                return;
            }
            Kept::snapshot(&*self.table);
            while self.writer.round().is_err() {}
            let _ = self.archivist.round();
            (0..self.players.len()).for_each(|at| self.read(at));
            if chance.below(5) == 0 {
                self.players.iter_mut().for_each(|player| player.bot.nudge());
            }
        }
    }
}

impl Player {
    pub fn say(&mut self, table: &Arc<TableDriver<HostTable>>, message: &Message<'_>) {
        self.send(table, &encoded(message));
    }

    pub fn send(&mut self, table: &Arc<TableDriver<HostTable>>, bytes: &[u8]) {
        // Whoever is not heard now says it again, or something else, later: a bot is nudged.
        if let Some(window) = self.framer.window().get_mut(..bytes.len()) {
            window.copy_from_slice(bytes);
            self.framer.commit(bytes.len());
        }
        table.receive(self.link, &mut self.framer);
    }
}

pub fn encoded(message: &Message<'_>) -> Vec<u8> {
    let mut frame = [0; FRAME_MAX];
    let n = message.encode(&mut frame).unwrap();
    frame[..n].to_vec()
}

/// What a journal lets every connection hear, by slot and by how often that slot was opened before.
#[derive(Default)]
pub struct Streams {
    pub all: BTreeMap<(u16, usize), Vec<u8>>,
    pub opened: BTreeMap<u16, usize>,
    pub warnings: Vec<String>,
}

impl Witness for Streams {
    fn saw(&mut self, _: &Table, record: &Record<'_>, heard: &Told, agreed: Result<(), &Disagreement>) {
        assert_eq!(agreed, Ok(()), "record {}", record.number);
        if let Event::Open { slot, .. } = record.event {
            *self.opened.entry(slot).or_default() += 1;
        }
        for (slot, bytes) in heard {
            let nth = self.opened.get(slot).copied().unwrap_or_default();
            self.all.entry((*slot, nth)).or_default().extend_from_slice(bytes);
        }
    }
    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }
}

pub fn saved(house: &restore::House) -> Vec<u8> {
    saved_table(house.tables[&ID].stored.any().downcast_ref::<HostTable>().unwrap())
}

fn saved_table(table: &HostTable) -> Vec<u8> {
    let mut out = vec![0; save_max(32)];
    let n = table.save(&mut out).unwrap();
    out.truncate(n);
    out
}

/// What the store holds explains every byte that anybody has received: `whole` is everything that ever was in it, `kept` what
/// is there now. How many bytes that were.
pub fn explain(world: &World, whole: &dyn Source, kept: &dyn Source) -> Result<usize, String> {
    let mut streams = Streams::default();
    let whole = restore::read(whole, From::Newest, &mut streams).unwrap();
    let mut opened = BTreeMap::<u16, usize>::new();
    for Heard { link, bytes } in &world.heard {
        let nth = opened.entry(link.slot).or_default();
        *nth += 1;
        let none = Vec::new();
        let stream = streams.all.get(&(link.slot, *nth)).unwrap_or(&none);
        if !is_explained(stream, bytes) {
            let same = bytes.iter().zip(stream).take_while(|(heard, told)| heard == told).count();
            return Err(format!("link {} heard what is lost: {:02x?}", link.slot, &bytes[same..]));
        }
    }
    // From its snapshots and what was not thrown away, the table comes to the same.
    let restored = restore::read(kept, From::Newest, &mut Streams::default()).unwrap();
    if whole.tables.contains_key(&ID) && saved(&restored) != saved(&whole) {
        return Err("the snapshots tell another game".into());
    }
    Ok(world.heard.iter().map(|heard| heard.bytes.len()).sum())
}

impl World {
    /// The table as it stands, without who has read how much.
    pub fn saved(&self) -> Vec<u8> {
        let mut copy = Box::new(HostTable::new());
        parlor_core::save::Durable::thaw(&mut *copy, &self.table.frozen()).unwrap();
        saved_table(&copy)
    }

    /// Lets go of the store: another process may have it.
    pub fn rest(&mut self) {
        let nowhere: Arc<dyn Store> = Arc::new(Simulated::new(&Memory::default()));
        self.writer = Writer::new(self.journal.clone(), nowhere.clone());
        self.archivist = Archivist::new(self.journal.clone(), nowhere);
    }
}

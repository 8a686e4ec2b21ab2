//! The server as it stands, its connections and what is on its way to them included: what a journal goes on from.
//!
//! Unlike a save (`keep.rs`) nothing is left out or begun anew, but a password that waits to be hashed: its link is
//! answered from the journal, or has ended with the server.

use heapless::Vec;

use super::keep::stations;
use super::line::State;
use super::names::{self, Text};
use super::rooms::{Room, SEATS, Seat};
use super::{Lines, Yard};
use crate::accounts::kept;
use crate::outbox::ask_outbox;
use crate::save::{Durable, LoadError, Reader, SaveError, Writer, must};
use crate::server::{Intake, Link, Millis};
use crate::yard::limits::frozen_max;
use crate::yard::map::Station;
use crate::yard::rules::{LOG_MAX, Outcome, Step};
use crate::yard::wire::Stage;

const MAGIC: [u8; 4] = *b"YARF";
/// Counts up with every change of anything that is frozen, or of what lines are answered: a journal's are answered anew.
const VERSION: u16 = 6;
/// Earlier versions are read, too: 4 had no clock, 4 and 5 no keys. A journal's later calls are answered without keys,
/// as they were then.
const OLDEST: u16 = 4;
const WITHOUT_KEYS: u16 = 5;

/// A game is its starts and its log; before it begins it has neither.
#[derive(serde::Serialize, serde::Deserialize)]
struct FrozenRoom<'a> {
    name: &'a str,
    stage: Stage,
    removed: bool,
    seats: Vec<Seat, SEATS, u8>,
    deserted_since: Millis,
    starts: Option<[u8; 6]>,
    log: Vec<Step, LOG_MAX, u8>,
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize> Durable
    for Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    const FROZEN_MAX: usize = frozen_max(ACCOUNTS, GAMES, LINKS, RING);

    /// A password was written over when it was taken, and what came of it is an answer of the adapter's: the same lines
    /// mean the same.
    fn recall(&mut self, link: Link, framer: &mut Lines<LINE>, now: Millis) -> Intake {
        self.take_in(link, framer, true, now)
    }

    ask_outbox!(Durable);

    fn freeze(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let (hall, mut writer) = (&self.hall, Writer::new(out));
        writer.put(&Self::SHAPE)?;
        writer.put(&(&hall.config, &hall.dice, self.commands))?;
        kept::freeze(&hall.accounts, &mut writer)?;
        hall.rooms.iter().try_for_each(|room| freeze_room(room, &mut writer))?;
        self.lines.iter().try_for_each(|line| line.freeze(&mut writer))?;
        // No answer of ours tells a secret: there is nothing to mask.
        self.out.freeze(&mut writer, |_, _| 0)?;
        writer.put(&hall.config.move_timeout)?;
        hall.rooms.iter().try_for_each(|room| writer.put(&room.due))?;
        writer.put(&hall.dice.kept_games())?;
        hall.rooms.iter().try_for_each(|room| writer.put(&room.draws))?;
        writer.seal(MAGIC, VERSION)
    }

    fn begin_keys(&mut self) -> bool {
        self.hall.dice.begin_keys()
    }

    fn thaw(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let mut body = Reader::open_since(bytes, MAGIC, OLDEST, VERSION)?;
        must(body.take::<[u32; 5]>()? == Self::SHAPE, "a server of another size")?;
        let hall = &mut self.hall;
        (hall.config, hall.dice, self.commands) = body.take()?;
        must(hall.dice.is_sound(), "a script that is too long")?;
        kept::thaw(&mut hall.accounts, LINKS, &mut body)?;
        hall.rooms.iter_mut().try_for_each(|room| thaw_room(room, ACCOUNTS, &mut body))?;
        self.lines.iter_mut().try_for_each(|line| line.thaw(&mut body))?;
        must(self.lines.iter().all(|line| usize::from(line.account) < ACCOUNTS), "no such account")?;
        let is_there = |room| self.hall.room(room).is_some();
        must(self.lines.iter().all(|line| line.room().is_none_or(is_there)), "no such game")?;
        let is_idle = |line: &super::Line| line.state == State::User || line.room().is_none();
        must(self.lines.iter().all(is_idle), "a stranger in a game")?;
        self.out.thaw(&mut body, |_, _| 0)?;
        if body.version > OLDEST {
            self.hall.config.move_timeout = body.take()?;
            self.hall.rooms.iter_mut().try_for_each(|room| body.take().map(|due| room.due = due))?;
        }
        if body.version > WITHOUT_KEYS {
            self.hall.dice.keep_games(body.take()?)?;
            self.hall.rooms.iter_mut().try_for_each(|room| body.take().map(|draws| room.draws = draws))?;
        }
        self.hall.rooms.iter_mut().for_each(|room| room.timed = room.awaited_move());
        body.end()
    }
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    const SHAPE: [u32; 5] = [ACCOUNTS as u32, GAMES as u32, LINKS as u32, RING as u32, LINE as u32];
}

fn freeze_room(room: &Room, writer: &mut Writer<'_>) -> Result<(), SaveError> {
    let has_begun = room.stage != Stage::New;
    writer.put(&FrozenRoom {
        name: room.name.as_str(),
        stage: room.stage,
        removed: room.removed,
        seats: room.seats.clone(),
        deserted_since: room.deserted_since,
        starts: has_begun.then(|| room.game.starts().map(Station::number)),
        log: Vec::from_slice(room.game.log()).unwrap_or_default(),
    })
}

fn thaw_room(room: &mut Room, accounts: usize, body: &mut Reader<'_>) -> Result<(), LoadError> {
    let frozen: FrozenRoom<'_> = body.take()?;
    *room = Room::BLANK;
    if !frozen.name.is_empty() {
        room.name = names::kept(frozen.name).ok_or(LoadError::Unsound("a game's name that can't be"))?;
    }
    must(frozen.seats.iter().all(|seat| usize::from(seat.account) < accounts), "a player without an account")?;
    (room.stage, room.removed, room.seats) = (frozen.stage, frozen.removed, frozen.seats);
    room.deserted_since = frozen.deserted_since;
    must(frozen.starts.is_some() == (room.stage != Stage::New), "a game that is new and has begun")?;
    if let Some(starts) = frozen.starts {
        must(room.game.relive(stations(starts), &frozen.log), "no game goes like this")?;
        let is_over = room.game.outcome() != Outcome::Open;
        must(is_over == (room.stage == Stage::Complete), "a game that is over and goes on")?;
    }
    must(room.name != Text::EMPTY || room.seats.is_empty(), "a game without a name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::save::{self, assert_damage_is_harmless};
    use crate::server::Server as _;
    use crate::yard::limits::BoardYard;
    use crate::yard::server::tests::House;

    fn frozen(server: &BoardYard) -> std::vec::Vec<u8> {
        save::frozen(server)
    }

    /// A game under way, one that is new, a watcher who has not read, a login that waits.
    fn busy() -> House {
        let mut house = House::with_game();
        for name in ["eve", "wil"] {
            house.login(name);
        }
        house.say("joe", "doublemove 102 taxi 115 black");
        house.say("eve", "newgame h standard");
        house.stop_reading("wil", true);
        house.say("wil", "watch g");
        house.answering = false;
        house.connect("new");
        house.say("new", "protocol 2.0");
        house.say("new", "#7 login new secret");
        house
    }

    #[test]
    fn a_thawed_server_goes_on_byte_by_byte() {
        let mut house = busy();
        let bytes = frozen(&house.server);
        let mut twin = BoardYard::new();
        twin.thaw(&bytes).unwrap();
        assert_eq!(frozen(&twin), bytes);
        let mut other = house.clone_with(twin);
        for house in [&mut house, &mut other] {
            house.answer_all();
            house.run();
            house.say("dan", "move 140 taxi");
            house.stop_reading("wil", false);
            house.run();
        }
        for name in ["joe", "dan", "eve", "wil", "new"] {
            assert_eq!(house.heard(name), other.heard(name), "{name}");
        }
        assert_eq!(frozen(&other.server), frozen(&house.server));
    }

    /// The clock runs on as it did; a server frozen before there was one is read, and has none.
    #[test]
    fn a_clock_goes_on_and_an_older_server_has_none() {
        let mut house = busy();
        let off = frozen(&house.server);
        assert_eq!(house.server.set("move_timeout", "3600"), Ok(true));
        house.say("dan", "move 140 taxi");
        let (bytes, mut twin) = (frozen(&house.server), BoardYard::new());
        twin.thaw(&bytes).unwrap();
        let due = |yard: &BoardYard| yard.next_late();
        assert_eq!((due(&twin), due(&house.server)), (Some(Millis(house.now.0 + 3_600_000)), due(&twin)));
        assert_eq!(frozen(&twin), bytes);
        let mut old = off[..off.len() - 5 /* 1, and 1 for each of 4 games */ - 71 /* no games with keys */ - 4 * 5 /* no draws */].to_vec();
        save::reseal(&mut old, MAGIC, OLDEST);
        twin.thaw(&old).unwrap();
        assert_eq!((due(&twin), frozen(&twin)), (None, off));
    }

    #[test]
    fn no_password_lies_in_the_open() {
        let bytes = frozen(&busy().server);
        assert!(!bytes.windows(6).any(|six| six == b"secret"));
    }

    #[test]
    fn what_is_damaged_is_refused_and_never_panics() {
        let (bytes, mut server) = (frozen(&busy().server), BoardYard::new());
        assert_damage_is_harmless(&mut server, &bytes, (MAGIC, VERSION), 1);
    }
}

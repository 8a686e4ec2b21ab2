//! The server as it stands, its connections and what is on its way to them included: what a journal goes on from.
//!
//! Unlike a save (`keep.rs`) nothing is left out or begun anew, but a password that waits to be hashed: its link is
//! answered from the journal, or has ended with the server.

use super::line::State;
use super::rooms::Room;
use super::saves::check_names;
use super::{Lines, Venus};
use crate::accounts::kept;
use crate::outbox::ask_outbox;
use crate::save::{Durable, LoadError, Reader, SaveError, Writer, must};
use crate::server::{Intake, Link, Millis};
use crate::venus::limits::frozen_max;

const MAGIC: [u8; 4] = *b"VENF";
/// Counts up with every change of anything that is frozen, or of what lines are answered: a journal's are answered anew.
const VERSION: u16 = 4;
/// Earlier versions are read, too: 2 had no clock, 2 and 3 no keys. A journal's later calls are answered without keys,
/// as they were then.
const OLDEST: u16 = 2;
const WITHOUT_KEYS: u16 = 3;

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Durable for Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    const FROZEN_MAX: usize = frozen_max([ACCOUNTS, ROOMS, LINKS, RING, SHOTS, SAVES]);

    /// A password was written over when it was taken, and what came of it is an answer of the adapter's: the same lines
    /// mean the same.
    fn recall(&mut self, link: Link, framer: &mut Lines<LINE>, now: Millis) -> Intake {
        self.take_in(link, framer, true, now)
    }

    ask_outbox!(Durable);

    fn freeze(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let (hall, mut writer) = (&self.hall, Writer::new(out));
        writer.put(&Self::SHAPE)?;
        writer.put(&(&hall.config, &hall.dice, self.commands, hall.versions, hall.version))?;
        kept::freeze(&hall.accounts, &mut writer)?;
        hall.rooms.iter().try_for_each(|room| freeze_room(room, &mut writer))?;
        hall.saves.freeze(&mut writer)?;
        self.lines.iter().try_for_each(|line| line.freeze(&mut writer))?;
        self.shots.freeze(&mut writer)?;
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
        must(body.take::<[u32; 7]>()? == Self::SHAPE, "a server of another size")?;
        let hall = &mut self.hall;
        (hall.config, hall.dice, self.commands, hall.versions, hall.version) = body.take()?;
        must(hall.dice.is_sound(), "a script that is too long")?;
        kept::thaw(&mut hall.accounts, LINKS, &mut body)?;
        hall.rooms.iter_mut().try_for_each(|room| thaw_room(room, ACCOUNTS, &mut body))?;
        hall.saves.thaw(&mut body, ACCOUNTS)?;
        self.lines.iter_mut().try_for_each(|line| line.thaw(&mut body))?;
        must(self.lines.iter().all(|line| usize::from(line.account) < ACCOUNTS), "no such account")?;
        let is_there = |room| self.hall.room(room).is_some();
        must(self.lines.iter().all(|line| line.room().is_none_or(is_there)), "no such room")?;
        let is_idle = |line: &super::Line| line.state == State::User || line.room().is_none();
        must(self.lines.iter().all(is_idle), "a stranger in a room")?;
        self.shots.thaw(&mut body)?;
        self.out.thaw(&mut body, |_, _| 0)?;
        if body.version > OLDEST {
            self.hall.config.move_timeout = body.take()?;
            self.hall.rooms.iter_mut().try_for_each(|room| body.take().map(|due| room.due = due))?;
        }
        if body.version > WITHOUT_KEYS {
            self.hall.dice.keep_games(body.take()?)?;
            self.hall.rooms.iter_mut().try_for_each(|room| body.take().map(|draws| room.draws = draws))?;
        }
        body.end()
    }
}

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    const SHAPE: [u32; 7] =
        [ACCOUNTS as u32, ROOMS as u32, LINKS as u32, RING as u32, LINE as u32, SHOTS as u32, SAVES as u32];
}

fn freeze_room(room: &Room, writer: &mut Writer<'_>) -> Result<(), SaveError> {
    writer.put(&room.name)?;
    if !room.is_open() {
        return Ok(());
    }
    let times = (room.empty_since, room.absent_since);
    writer.put(&(room.has_game, room.entered, room.maker, room.told, room.version, times))?;
    if room.has_game {
        writer.put(&room.names)?;
        writer.put(&room.game)?;
    }
    Ok(())
}

fn thaw_room(room: &mut Room, accounts: usize, body: &mut Reader<'_>) -> Result<(), LoadError> {
    *room = Room::BLANK;
    room.name = body.take()?;
    if room.name.is_empty() {
        return Ok(());
    }
    let times;
    (room.has_game, room.entered, room.maker, room.told, room.version, times) = body.take()?;
    (room.empty_since, room.absent_since) = times;
    must(usize::from(room.maker) < accounts, "a room that nobody made")?;
    if room.has_game {
        room.names = body.take()?;
        room.game = body.take()?;
        room.game.audit().map_err(LoadError::Unsound)?;
        check_names(&room.names, &room.game)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::save::{self, assert_damage_is_harmless};
    use crate::server::Server as _;
    use crate::venus::limits::BoardVenus;
    use crate::venus::server::tests::{CONFIG, House};

    fn frozen(server: &BoardVenus) -> std::vec::Vec<u8> {
        save::frozen(server)
    }

    /// A game under way, a room without one, a client that has not read a refresh, a login and a save that wait.
    fn busy() -> House {
        let mut house = House::with_game(&CONFIG, &[]);
        house.say("cat", "NEWROOM,attic");
        house.login("dan");
        house.stop_reading("dan", true);
        house.say("dan", "CHANGEROOM,den");
        house.stop_answering();
        house.say("ann", "SAVEGAME,evening");
        house.connect("new");
        house.say("new", "LOGIN,new,secret");
        house
    }

    #[test]
    fn a_thawed_server_goes_on_byte_by_byte() {
        let mut house = busy();
        let bytes = frozen(&house.venus);
        let mut twin = std::boxed::Box::new(BoardVenus::new());
        twin.thaw(&bytes).unwrap();
        assert_eq!(frozen(&twin), bytes);
        let mut other = house.clone();
        other.venus = twin;
        for house in [&mut house, &mut other] {
            house.give_answers();
            house.run();
            for name in ["ann", "bob"] {
                house.say(name, "ENDMOVE");
                house.say(name, "ENDTURN");
            }
            house.stop_reading("dan", false);
            house.run();
        }
        for name in ["ann", "bob", "cat", "dan", "new"] {
            assert_eq!(house.heard(name), other.heard(name), "{name}");
        }
        assert_eq!(frozen(&other.venus), frozen(&house.venus));
    }

    /// The clock runs on as it did; a server frozen before there was one is read, and has none.
    #[test]
    fn a_clock_goes_on_and_an_older_server_has_none() {
        let mut house = busy();
        let off = frozen(&house.venus);
        assert_eq!(house.venus.set("move_timeout", "3600"), Ok(true));
        house.say("ann", "ENDMOVE");
        house.say("bob", "ENDMOVE");
        let (bytes, mut twin) = (frozen(&house.venus), std::boxed::Box::new(BoardVenus::new()));
        twin.thaw(&bytes).unwrap();
        let due = |venus: &BoardVenus| venus.next_idle();
        assert_eq!((due(&twin), due(&house.venus)), (Some(Millis(house.now.0 + 3_600_000)), due(&twin)));
        assert_eq!(frozen(&twin), bytes);
        let mut old = off[..off.len() - 3 /* 1, and 1 for each of 2 rooms */ - 71 /* no games with keys */ - 2 * 5 /* no draws */].to_vec();
        save::reseal(&mut old, MAGIC, OLDEST);
        twin.thaw(&old).unwrap();
        assert_eq!((due(&twin), frozen(&twin)), (None, off));
    }

    #[test]
    fn no_password_lies_in_the_open() {
        let bytes = frozen(&busy().venus);
        assert!(!bytes.windows(6).any(|six| six == b"secret"));
        assert!(bytes.windows(7).any(|seven| seven == b"evening"));
    }

    #[test]
    fn what_is_damaged_is_refused_and_never_panics() {
        let (bytes, mut server) = (frozen(&busy().venus), std::boxed::Box::new(BoardVenus::new()));
        assert_damage_is_harmless(&mut *server, &bytes, (MAGIC, VERSION), 7);
    }
}

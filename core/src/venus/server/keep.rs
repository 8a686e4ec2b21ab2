//! Accounts, games in progress and the list of saved games in a saved file. Not the connections, nor rooms whose game has
//! not begun or is over: after a load everybody is gone, and comes back with LOGIN and CHANGEROOM.

use super::rooms::{Names, Room, RoomId, Status};
use super::saves::{Saves, check_names};
use super::{Config, Venus};
use crate::accounts::kept::{self, Saved};
use crate::dice::Dice;
use crate::fair::{Draws, HAS_KEYS};
use crate::save::{LoadError, Reader, SaveError, Writer, must};
use crate::server::Millis;
use crate::text::Text;
use crate::venus::rules::Game;
use crate::venus::wire::{ROOM_MAX, USER_MAX};

const MAGIC: [u8; 4] = *b"VENS";
/// Counts up with every change of anything that is saved. A program that gives games no keys has none to save.
const VERSION: u16 = if HAS_KEYS { 5 } else { WITHOUT_KEYS };
/// Earlier versions are read, too: 3 had no clock, 3 and 4 no keys.
const OLDEST: u16 = 3;
const WITHOUT_KEYS: u16 = 4;

/// How much follows.
#[derive(serde::Serialize, serde::Deserialize)]
struct Front {
    config: Config,
    dice: Dice,
    accounts: u16,
    rooms: u8,
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
    /// Writes everything that outlives a restart to `out`, of which [`crate::venus::limits::save_max`] bytes are enough;
    /// how long it became.
    pub fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let hall = &self.hall;
        let rooms = || hall.rooms.iter().filter(|room| room.is_open() && is_kept(room));
        let mut writer = Writer::new(out);
        writer.put(&(&hall.config, &hall.dice))?;
        writer.put(&(kept::made(&hall.accounts).count() as u16, rooms().count() as u8))?;
        kept::save(&hall.accounts, &mut writer)?;
        for room in rooms() {
            writer.put(&room.name)?;
            writer.put(&room.names)?;
            writer.put(&room.game)?;
        }
        hall.saves.freeze(&mut writer)?;
        writer.put(&hall.config.move_timeout)?;
        if HAS_KEYS {
            writer.put(&hall.dice.kept_games())?;
            rooms().try_for_each(|room| writer.put(&room.draws))?;
        }
        writer.seal(MAGIC, VERSION)
    }

    /// Goes on with what was saved; all links are closed. On an error nothing has happened.
    pub fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError> {
        let body = Reader::open_since(bytes, MAGIC, OLDEST, VERSION)?;
        check::<ACCOUNTS, ROOMS, SAVES>(body)?;
        for slot in 0..LINKS as u16 {
            self.out.doom(slot);
            if let Some(line) = self.line_mut(slot) {
                line.clear();
            }
        }
        self.put_in(body, now)
    }

    /// The same bytes have passed [`check`]: nothing here can fail.
    fn put_in(&mut self, mut body: Reader<'_>, now: Millis) -> Result<(), LoadError> {
        let front: Front = body.take()?;
        let hall = &mut self.hall;
        (hall.config, hall.dice) = (front.config, front.dice);
        hall.rooms.iter_mut().for_each(|room| *room = Room::BLANK);
        body = saved_accounts(body, front.accounts).load(&mut hall.accounts, now)?;
        for place in 0..front.rooms {
            let (name, names, game) = (body.take()?, body.take()?, body.take()?);
            let version = hall.next_version();
            if let Some(room) = hall.rooms.get_mut(usize::from(place)) {
                let times = Room { empty_since: now, absent_since: now.max(Millis(1)), ..Room::BLANK };
                *room = Room { name, names, game, version, has_game: true, entered: true, ..times };
                room.told = room.status();
            }
        }
        hall.saves.thaw(&mut body, ACCOUNTS)?;
        hall.config.move_timeout = take_timeout(&mut body)?;
        take_keys(&mut body, &mut hall.dice)?;
        if HAS_KEYS && body.version > WITHOUT_KEYS {
            let mut rooms = hall.rooms.iter_mut().take(usize::from(front.rooms));
            rooms.try_for_each(|room| body.take().map(|draws| room.draws = draws))?;
        }
        hall.change();
        // Players whom the games wait for have all their time anew.
        (0..ROOMS as u16).for_each(|id| self.start_clock(id as RoomId, now));
        Ok(())
    }
}

/// A game in progress is worth keeping; before its start its players would have left it.
fn is_kept(room: &Room) -> bool {
    room.status() == Status::InProgress && room.game.has_started()
}

/// Decodes all of it and looks whether a server can have written it.
fn check<const ACCOUNTS: usize, const ROOMS: usize, const SAVES: usize>(mut body: Reader<'_>) -> Result<(), LoadError> {
    let front: Front = body.take()?;
    must(front.dice.is_sound(), "a script that is too long")?;
    if usize::from(front.accounts) > ACCOUNTS || usize::from(front.rooms) > ROOMS {
        return Err(LoadError::TooManyUsers);
    }
    body = saved_accounts(body, front.accounts).check::<USER_MAX>(ACCOUNTS)?;
    let rooms = body;
    for nth in 0..front.rooms {
        let (name, names, game): (Text<ROOM_MAX>, Names, Game) = (body.take()?, body.take()?, body.take()?);
        must(!name.is_empty() && name.as_str() != super::GREAT_HALL, "no such room")?;
        game.audit().map_err(LoadError::Unsound)?;
        check_names(&names, &game)?;
        must(game.has_started() && game.winner().is_none(), "a game that is not played")?;
        let mut before = rooms;
        for _ in 0..nth {
            must(before.take::<Text<ROOM_MAX>>()? != name, "a room twice")?;
            let _: (Names, Game) = (before.take()?, before.take()?);
        }
    }
    let mut saves = Saves::<SAVES>::EMPTY;
    saves.thaw(&mut body, ACCOUNTS)?;
    take_timeout(&mut body)?;
    take_keys(&mut body, &mut Dice::new())?;
    if HAS_KEYS && body.version > WITHOUT_KEYS {
        (0..front.rooms).try_for_each(|_| body.take::<Draws>().map(|_| ()))?;
    }
    body.end()
}

fn take_timeout(body: &mut Reader<'_>) -> Result<u32, LoadError> {
    if body.version > OLDEST { body.take() } else { Ok(0) }
}

/// Games that go on have no keys where an earlier version has saved them; later ones have.
fn take_keys(body: &mut Reader<'_>, dice: &mut Dice) -> Result<(), LoadError> {
    if HAS_KEYS && body.version > WITHOUT_KEYS {
        return dice.keep_games(body.take()?);
    }
    dice.begin_keys();
    Ok(())
}

fn saved_accounts(body: Reader<'_>, count: u16) -> Saved<'_> {
    Saved { body, count, tells_who_played: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::venus::limits::{BoardVenus, save_max};
    use crate::venus::server::tests::{CONFIG, House};
    use std::boxed::Box;

    fn saved() -> (House, std::vec::Vec<u8>) {
        let mut house = House::with_game(&CONFIG, &[]);
        house.say("cat", "NEWROOM,attic");
        house.say("ann", "SAVEGAME,evening");
        let mut out = std::vec![0; save_max(10, 2, 4)];
        let length = house.venus.save(&mut out).unwrap();
        out.truncate(length);
        (house, out)
    }

    #[test]
    fn a_game_goes_on_after_a_restart() {
        let (mut house, bytes) = saved();
        let before = house.venus.game("den").cloned();
        house.venus.load(&bytes, house.now).unwrap();
        house.run();
        assert!(["ann", "bob", "cat"].iter().all(|name| house.is_closed(name)));
        assert_eq!(house.venus.game("den").cloned(), before);
        house.connect("ann");
        house.heard("ann");
        let told = house.ask("ann", "LOGIN,ann,pw");
        assert_eq!(
            told[4..],
            [
                "GUIIAM,ann",
                "GUIROOM,Great Hall,,",
                "GUIROOM,den,MerchantOfVenus,In Progress.",
                "INHABITANT,ann,Great Hall"
            ]
        );
        let told = house.ask("ann", "CHANGEROOM,den");
        assert!(told.contains(&"IAM,0".into()) && told.contains(&"SAVEGAMES,evening".into()), "{told:?}");
        house.connect("bob");
        house.heard("bob");
        assert_eq!(house.ask("bob", "LOGIN,bob,wrong"), ["ERROR,Wrong password."]);
    }

    #[test]
    fn what_is_damaged_is_refused_and_changes_nothing() {
        let (_, bytes) = saved();
        let mut venus = Box::new(BoardVenus::new());
        venus.begin(&[7; 32], &CONFIG);
        for length in (0..bytes.len()).step_by(5) {
            assert!(venus.load(&bytes[..length], Millis(1)).is_err(), "{length} bytes");
        }
        for at in (14..bytes.len()).step_by(3) {
            let mut out = bytes.clone();
            out[at] ^= 0x55;
            crate::save::reseal(&mut out, MAGIC, VERSION);
            if venus.load(&out, Millis(1)).is_ok() {
                // Whatever it says, it is what a server can have written.
                let mut again = std::vec![0; save_max(10, 2, 4)];
                assert!(venus.save(&mut again).is_ok());
            }
        }
    }
}

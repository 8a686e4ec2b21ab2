//! Accounts and games in progress in a saved file. Not the connections, nor games that have not begun or are over: after a
//! load everybody is gone, and comes back with `login` and `join`.

use heapless::Vec;

use super::dump::Snapshot;
use super::names::{self, Text};
use super::rooms::{Room, SEATS, Seat};
use super::{Config, Yard};
use crate::accounts::AccountId;
use crate::accounts::kept::{self, Saved};
use crate::dice::Dice;
use crate::fair::{Draws, HAS_KEYS};
use crate::save::{LoadError, Reader, SaveError, Writer, must};
use crate::server::Millis;
use crate::yard::map::Station;
use crate::yard::pieces::Team;
use crate::yard::rules::{Game, LOG_MAX, Outcome, Step};
use crate::yard::wire::{GAME_BYTES, Stage, USER_BYTES};

const MAGIC: [u8; 4] = *b"YARD";
/// Counts up with every change of anything that is saved. A program that gives games no keys has none to save.
const VERSION: u16 = if HAS_KEYS { 5 } else { WITHOUT_KEYS };
/// Earlier versions are read, too: 2 did not tell who has played, 2 and 3 had no clock, 2 to 4 no keys.
const OLDEST: u16 = 2;
const WITHOUT_CLOCK: u16 = 3;
const WITHOUT_KEYS: u16 = 4;

/// How much follows.
#[derive(serde::Serialize, serde::Deserialize)]
struct Front {
    config: Config,
    dice: Dice,
    accounts: u16,
    games: u8,
}

/// A game is its starts and its log.
#[derive(serde::Serialize, serde::Deserialize)]
struct KeptGame<'a> {
    name: &'a str,
    seats: Vec<Seat, SEATS, u8>,
    starts: [u8; 6],
    log: Vec<Step, LOG_MAX, u8>,
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    /// Writes everything that outlives a restart to `out`, of which [`crate::yard::limits::save_max`] bytes are enough; how
    /// long it became.
    pub fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let hall = &self.hall;
        let games = || hall.rooms.iter().filter(|room| room.is_open() && room.stage == Stage::InProgress);
        let mut writer = Writer::new(out);
        writer.put(&hall.config)?;
        writer.put(&hall.dice)?;
        writer.put(&(kept::made(&hall.accounts).count() as u16))?;
        writer.put(&(games().count() as u8))?;
        kept::save(&hall.accounts, &mut writer)?;
        for room in games() {
            let (seats, starts) = (room.seats.clone(), room.game.starts().map(Station::number));
            let log = Vec::from_slice(room.game.log()).unwrap_or_default();
            writer.put(&KeptGame { name: room.name.as_str(), seats, starts, log })?;
        }
        writer.put(&hall.config.move_timeout)?;
        if HAS_KEYS {
            writer.put(&hall.dice.kept_games())?;
            games().try_for_each(|room| writer.put(&room.draws))?;
        }
        writer.seal(MAGIC, VERSION)
    }

    /// Goes on with what was saved; all links are closed. On an error nothing has happened.
    pub fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError> {
        let body = Reader::open_since(bytes, MAGIC, OLDEST, VERSION)?;
        check::<ACCOUNTS, GAMES>(body)?;
        for slot in 0..LINKS as u16 {
            self.out.doom(slot);
            if let Some(line) = self.line_mut(slot) {
                line.clear();
                // Answers on their way were about games that are no more.
                line.snapshot = Snapshot::SILENT;
            }
        }
        self.put_in(body, now)
    }

    /// The same bytes have passed [`check`]: nothing here can fail.
    fn put_in(&mut self, mut body: Reader<'_>, now: Millis) -> Result<(), LoadError> {
        let Front { config, dice, accounts, games } = body.take()?;
        let hall = &mut self.hall;
        (hall.config, hall.dice) = (config, dice);
        hall.rooms.iter_mut().for_each(|room| *room = Room::BLANK);
        body = saved_accounts(body, accounts).load(&mut hall.accounts, now)?;
        for room in hall.rooms.iter_mut().take(usize::from(games)) {
            let kept: KeptGame<'_> = body.take()?;
            room.name = Text::new(kept.name).unwrap_or(Text::EMPTY);
            (room.stage, room.seats, room.deserted_since) = (Stage::InProgress, kept.seats, now);
            room.game.relive(stations(kept.starts), &kept.log);
        }
        hall.config.move_timeout = take_timeout(&mut body)?;
        take_keys(&mut body, &mut hall.dice)?;
        if HAS_KEYS && body.version > WITHOUT_KEYS {
            let mut rooms = hall.rooms.iter_mut().take(usize::from(games));
            rooms.try_for_each(|room| body.take().map(|draws| room.draws = draws))?;
        }
        // Players whom the games wait for have all their time anew.
        self.start_clocks(now);
        Ok(())
    }
}

fn saved_accounts(body: Reader<'_>, count: u16) -> Saved<'_> {
    Saved { body, count, tells_who_played: body.version > OLDEST }
}

fn take_timeout(body: &mut Reader<'_>) -> Result<u32, LoadError> {
    if body.version > WITHOUT_CLOCK { body.take() } else { Ok(0) }
}

/// Games that go on have no keys where an earlier version has saved them; later ones have.
fn take_keys(body: &mut Reader<'_>, dice: &mut Dice) -> Result<(), LoadError> {
    if HAS_KEYS && body.version > WITHOUT_KEYS {
        return dice.keep_games(body.take()?);
    }
    dice.begin_keys();
    Ok(())
}

/// A number that is no station becomes one, which no start can be.
pub(super) fn stations(numbers: [u8; 6]) -> [Station; 6] {
    numbers.map(|number| Station::new(number).unwrap_or_default())
}

/// Decodes all of it and looks whether a server can have written it.
fn check<const ACCOUNTS: usize, const GAMES: usize>(mut body: Reader<'_>) -> Result<(), LoadError> {
    let front: Front = body.take()?;
    must(front.dice.is_sound(), "a script that is too long")?;
    if usize::from(front.accounts) > ACCOUNTS || usize::from(front.games) > GAMES {
        return Err(LoadError::TooManyUsers);
    }
    let accounts = saved_accounts(body, front.accounts);
    body = accounts.check::<USER_BYTES>(ACCOUNTS)?;
    let games = body;
    for nth in 0..front.games {
        let kept: KeptGame<'_> = body.take()?;
        must(names::kept::<GAME_BYTES>(kept.name).is_some(), "a game's name that can't be")?;
        must(!any_game(games, nth, kept.name)?, "a game's name twice")?;
        check_seats(&kept.seats, |id| accounts.any(|account| account.id == id))?;
        let mut game = Game::new();
        must(game.relive(stations(kept.starts), &kept.log), "no game goes like this")?;
        must(game.outcome() == Outcome::Open, "a game that is over")?;
    }
    take_timeout(&mut body)?;
    take_keys(&mut body, &mut Dice::new())?;
    if HAS_KEYS && body.version > WITHOUT_KEYS {
        (0..front.games).try_for_each(|_| body.take::<Draws>().map(|_| ()))?;
    }
    body.end()
}

fn check_seats(seats: &[Seat], is_known: impl Fn(AccountId) -> Result<bool, LoadError>) -> Result<(), LoadError> {
    let count = |team| seats.iter().filter(|seat| seat.team == team && !seat.gone).count();
    must(count(Team::MrX) == 1 && count(Team::Detectives) >= 1 && !seats.iter().any(|seat| seat.gone), "teams")?;
    for (nth, seat) in seats.iter().enumerate() {
        must(is_known(seat.account)?, "a player without an account")?;
        must(!seats.iter().take(nth).any(|other| other.account == seat.account), "a player twice")?;
    }
    Ok(())
}

/// Has one of the first `count` games this name?
fn any_game(mut games: Reader<'_>, count: u8, name: &str) -> Result<bool, LoadError> {
    for _ in 0..count {
        if games.take::<KeptGame<'_>>()?.name == name {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yard::server::tests::{House, House4};

    fn saved() -> (House, std::vec::Vec<u8>) {
        let mut house = House::with_game();
        house.say("joe", "move 102 taxi");
        house.say("dan", "move 140 taxi");
        let mut out = std::vec![0; crate::yard::limits::save_max(16, 4)];
        let length = house.server.save(&mut out).unwrap();
        out.truncate(length);
        (house, out)
    }

    #[test]
    fn a_game_goes_on_after_a_load() {
        let (house, bytes) = saved();
        let before = house.server.game("g").unwrap().clone();
        let mut after = House::new();
        after.connect("eve");
        assert_eq!(after.server.load(&bytes, Millis(5_000)), Ok(()));
        after.run();
        assert!(after.is_closed("eve"));
        assert_eq!(after.server.game("g"), Some(&before));
        after.login("dan");
        after.say("dan", "join g");
        let heard = after.heard("dan");
        assert_eq!((heard[0].as_str(), heard[1].as_str()), ("- ok", "* pawninfo X joe -1 -1 -1 -1 5 2"));
        assert_eq!(heard[heard.len() - 2..], ["* turnnum 1", "* turn Yellow"]);
        after.say("dan", "move 142 taxi");
        assert_eq!(after.heard("dan"), ["- ok", "* move Yellow 142 taxi", "* turn Green"]);
        // The password is still the old one; only its hash was saved.
        after.connect("joe");
        after.say("joe", "protocol 2.0");
        after.say("joe", "login joe wrong");
        assert_eq!(after.heard("joe"), ["- ok", "- no \"wrong password\""]);
        assert!(!bytes.windows(2).any(|two| two == b"pw"));
    }

    /// joe is being told his own history when another game takes its place: he must not be told the new one's.
    #[test]
    fn a_load_ends_what_was_being_told() {
        let (_, bytes) = saved();
        let mut house = House::with_game();
        house.stop_reading("joe", true);
        house.say("joe", "history");
        assert_eq!(house.server.load(&bytes, Millis(5_000)), Ok(()));
        house.stop_reading("joe", false);
        house.run();
        assert_eq!(house.heard("joe"), ["- ok"]);
        assert!(house.is_closed("joe"));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        let (_, bytes) = saved();
        let mut house = House::new();
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << (at % 8);
            assert!(house.server.load(&bad, Millis(1)).is_err(), "{at}");
            assert!(house.server.load(&bytes[..at], Millis(1)).is_err(), "{at}");
            assert!(saved_into(&bytes[..at]).is_err());
        }
        assert_eq!(house.server.load(&bytes, Millis(1)), Ok(()));
    }

    /// A save of the version before has no word of who has played: its accounts are all kept.
    #[test]
    fn an_older_save_is_read() {
        let (_, bytes) = saved();
        let (mut writer_room, mut body) = (std::vec![0; bytes.len()], Reader::open(&bytes, MAGIC, VERSION).unwrap());
        let mut writer = Writer::new(&mut writer_room);
        let front: Front = body.take().unwrap();
        writer.put(&front).unwrap();
        for _ in 0..front.accounts {
            let (kept, _): (kept::Kept<'_>, bool) = body.take().unwrap();
            writer.put(&kept).unwrap();
        }
        for _ in 0..front.games {
            writer.put(&body.take::<KeptGame<'_>>().unwrap()).unwrap();
        }
        let length = writer.seal(MAGIC, OLDEST).unwrap();
        let mut house = House::new();
        assert_eq!(house.server.load(&writer_room[..length], Millis(1)), Ok(()));
        assert!(house.server.game("g").is_some());
        assert!(
            house.server.hall.accounts.iter().filter(|account| account.is_made()).all(|account| account.has_played)
        );
    }

    fn saved_into(room: &[u8]) -> Result<usize, SaveError> {
        saved().0.server.save(&mut room.to_vec())
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (_, bytes) = saved();
        let mut small = House4::new();
        assert_eq!(small.load(&bytes, Millis(1)), Err(LoadError::TooManyUsers));
    }
}

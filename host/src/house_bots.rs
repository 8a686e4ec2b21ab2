//! Bots that a game asked for. They speak the game's bytes over connections within the process, and have accounts like
//! other players.
//!
//! A bot's password is made of its name with a key that lies beside the saved games: so after a restart bots that were
//! in a game can come back, and no one else in their place. There are at most `MOST` of them, and `EACH` for one
//! address: they must leave links for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use parlor_core::game::{BEGIN_SECONDS, End, Progress, Seat, Strength};
use parlor_core::server::{Sight, Stage};
use ring::hmac;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::bot::{self, AnyPlayer, PAUSE, Pace, RETRIES};
use crate::games::Entry;
use crate::journal::Cabinet;
use crate::net::{Origin, Outcome, TableHandle};
use crate::task;

/// Bots at once.
const MOST: usize = 64;
/// Bots at once that were asked for from one address.
const EACH: usize = 20;
/// Names that are tried before the call fails: other users may have some of them.
const NAMES: usize = 4;
/// Numbers of bots, beside those whose names are other users': more than may be out there, as bots that left a game unfinished
/// still have a seat at it.
const NUMBERS: usize = 4 * MOST;
/// Bytes on their way between the server and a bot.
const PIPE: usize = 4096;
/// A game in which nothing happens for this long is given up.
const IDLE: Duration = Duration::from_secs(24 * 3600);
/// A bot that sits at a game which is not begun leaves after this.
const BEGIN: Duration = Duration::from_secs(BEGIN_SECONDS);
/// What every name begins with.
const PREFIX: &str = "bot-";

/// What passwords of bots are made with.
pub struct Key([u8; 32]);

impl Key {
    const FILE: (&str, &str) = ("tables", "bots");

    pub fn fresh() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        Ok(Self(key))
    }

    /// A key of its own for something else that is kept beside the games.
    pub fn of(&self, purpose: &str) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut made = [0; 32];
        made.copy_from_slice(hmac::sign(&key, purpose.as_bytes()).as_ref());
        made
    }

    /// The one that is kept, or a new one that will be.
    pub fn keep(cabinet: &dyn Cabinet) -> io::Result<Self> {
        let (folder, name) = Self::FILE;
        match cabinet.get(folder, name) {
            Ok(kept) => {
                if let Ok(kept) = kept.try_into() {
                    return Ok(Self(kept));
                }
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => {}
        }
        let key = Self::fresh()?;
        cabinet.put(folder, name, &key.0)?;
        Ok(key)
    }
}

/// The bots that are out there.
#[derive(Default)]
struct Book {
    /// By their numbers.
    out: BTreeSet<u32>,
    /// Names that turned out to be other users'.
    foreign: BTreeSet<u32>,
    for_whom: BTreeMap<Origin, usize>,
    /// Games where bots sit, or are on their way to: how many, and how long they think there.
    games: BTreeMap<String, (usize, Pace)>,
}

/// The bots of one server.
pub struct Bots {
    entry: &'static Entry,
    key: hmac::Key,
    pace: Pace,
    table: OnceLock<Weak<dyn TableHandle>>,
    book: Mutex<Book>,
}

/// What became of a bot that was called.
enum Arrival {
    Seated,
    /// The name is another user's.
    Unknown,
}

/// One bot's number, until it is dropped.
struct Place {
    bots: Arc<Bots>,
    number: u32,
    from: Origin,
    game: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut book = self.bots.book();
        book.out.remove(&self.number);
        if let Some(count) = book.for_whom.get_mut(&self.from) {
            *count -= 1;
            if *count == 0 {
                book.for_whom.remove(&self.from);
            }
        }
        if let Some((count, _)) = book.games.get_mut(&self.game) {
            *count -= 1;
            if *count == 0 {
                book.games.remove(&self.game);
            }
        }
    }
}

impl Bots {
    pub fn new(entry: &'static Entry, key: &Key, pace: Pace) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &key.0);
        Self { entry, key, pace, table: OnceLock::new(), book: Mutex::default() }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bots at this game think about so long from now on, as all bots do unless told. `false`: none sits there.
    pub fn set_pace(&self, game: &str, pace: Option<Pace>) -> bool {
        let mut book = self.book();
        let Some((_, theirs)) = book.games.get_mut(game) else { return false };
        *theirs = pace.unwrap_or(self.pace);
        true
    }

    fn pace_at(&self, game: &str) -> Pace {
        self.book().games.get(game).map_or(self.pace, |(_, pace)| *pace)
    }

    /// The server is open: our bots among these players go back.
    pub fn enter(self: &Arc<Self>, table: &Arc<dyn TableHandle>, players: &[(String, String)]) {
        let _ = self.table.set(Arc::downgrade(table));
        for (game, name) in players {
            let Some(number) = number_of(name) else { continue };
            // It may be a person who has such a name: then the password is wrong, and that is all.
            if let Some(place) = self.place(None, Some(number), game) {
                task::spawn(self.clone().attend(place, None));
            }
        }
    }

    /// A bot sits down at this game.
    pub async fn call(self: &Arc<Self>, game: String, from: Origin) -> Outcome {
        for _ in 0..NAMES {
            let Some(place) = self.place(from, None, &game) else { break };
            let number = place.number;
            let (told, arrival) = oneshot::channel();
            task::spawn(self.clone().attend(place, Some(told)));
            match arrival.await {
                Ok(Arrival::Seated) => return Outcome::Done,
                Ok(Arrival::Unknown) => {
                    self.book().foreign.insert(number);
                }
                // It was let in, but found no seat.
                Err(_) => break,
            }
        }
        Outcome::Failed
    }

    /// This number, or of those that no bot has the one with the fewest games to finish. `None`: there are enough.
    fn place(self: &Arc<Self>, from: Origin, wanted: Option<u32>, game: &str) -> Option<Place> {
        let table = self.table.get().and_then(Weak::upgrade);
        let seats = table.map_or_else(BTreeMap::new, |table| seats_at(|tell| table.each_sight(tell)));
        self.take(from, wanted, game, &seats)
    }

    fn take(
        self: &Arc<Self>,
        from: Origin,
        wanted: Option<u32>,
        game: &str,
        seats: &BTreeMap<u32, usize>,
    ) -> Option<Place> {
        let mut book = self.book();
        let count = book.for_whom.get(&from).copied().unwrap_or_default();
        if book.out.len() >= MOST || (from.is_some() && count >= EACH) {
            return None;
        }
        let is_free = |number: &u32| !book.out.contains(number) && !book.foreign.contains(number);
        let all = 1..=(NUMBERS + book.foreign.len()) as u32;
        let least = || all.filter(is_free).min_by_key(|number| seats.get(number).copied().unwrap_or_default());
        let number = wanted.or_else(least).filter(is_free)?;
        book.out.insert(number);
        *book.for_whom.entry(from).or_default() += 1;
        book.games.entry(game.into()).or_insert((0, self.pace)).0 += 1;
        drop(book);
        Some(Place { bots: self.clone(), number, from, game: game.into() })
    }

    fn player(&self, number: u32, game: &str) -> Option<Box<dyn AnyPlayer>> {
        let name = format!("{PREFIX}{number}");
        let password: String =
            hmac::sign(&self.key, name.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let seat = Seat {
            name: &name,
            password: &password,
            game,
            is_guest: true,
            // The player who called it begins the game.
            players: 0,
            strength: Strength::Shrewd,
            seed: number,
        };
        (self.entry.player)(&seat)
    }

    /// One bot, from its first connection to the end of its game.
    async fn attend(self: Arc<Self>, place: Place, mut told: Option<oneshot::Sender<Arrival>>) {
        let Some(mut player) = self.player(place.number, &place.game) else { return };
        let (mut best, mut leaves, mut heard_at) = (Progress::Outside, false, Instant::now());
        let mut waiting = Waiting::default();
        for _ in 0..RETRIES {
            let Some(table) = self.table.get().and_then(Weak::upgrade) else { return };
            let (mut near, far) = tokio::io::duplex(PIPE);
            tokio::spawn(table.attend(Box::new(far), None));
            let pace = || self.pace_at(&place.game);
            let end = bot::play(&mut *player, &mut near, pace, |player, heard| {
                best = best.max(player.progress());
                if heard {
                    heard_at = Instant::now();
                }
                if player.progress() == Progress::Seated
                    && let Some(told) = told.take()
                {
                    let _ = told.send(Arrival::Seated);
                }
                // As long as it knows its companions, the game has not begun.
                let companions = player.companions();
                let waits_in_vain = waiting.is_in_vain(!companions.is_empty(), Instant::now());
                leaves = heard_at.elapsed() >= IDLE || waits_in_vain || only_bots(&companions);
                !leaves
            });
            match end.await {
                Ok(End::Refused) if best == Progress::Outside => {
                    if let Some(told) = told.take() {
                        let _ = told.send(Arrival::Unknown);
                    }
                    return;
                }
                // Its old connection may not be gone yet.
                Ok(End::Refused) if best == Progress::Seated && !leaves => sleep(PAUSE).await,
                Ok(_) => return,
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
}

/// The seats that each bot has at games in progress, there or not: games let nobody play in many, and
/// after a restart a bot can come back to one.
fn seats_at(look: impl FnOnce(&mut dyn FnMut(Sight<'_>))) -> BTreeMap<u32, usize> {
    let (mut seats, mut is_playing) = (BTreeMap::new(), false);
    look(&mut |sight| match sight {
        Sight::Table { stage, .. } => is_playing = stage == Stage::Playing,
        Sight::Player { name, .. } if is_playing => {
            number_of(name).into_iter().for_each(|number| *seats.entry(number).or_default() += 1);
        }
        Sight::Player { .. } | Sight::Guest(_) => {}
    });
    seats
}

fn number_of(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

/// Since when a bot waits for its game to begin.
#[derive(Default)]
pub struct Waiting(Option<Instant>);

impl Waiting {
    /// Whether it has waited for too long; as long as `is_waiting`, the game has not begun.
    pub fn is_in_vain(&mut self, is_waiting: bool, now: Instant) -> bool {
        self.0 = is_waiting.then(|| self.0.unwrap_or(now));
        self.0.is_some_and(|since| now.duration_since(since) >= BEGIN)
    }
}

/// Are all players bots? Before any was told of, there may be people.
fn only_bots(players: &[String]) -> bool {
    !players.is_empty() && players.iter().all(|name| name.starts_with(PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn there_are_only_so_many() {
        let bots = Arc::new(Bots::new(&crate::games::GAMES[0], &Key([7; 32]), Pace::NONE));
        let mut places: Vec<_> = (0..EACH).map(|_| bots.place(Some(1), None, "g").unwrap()).collect();
        assert!(bots.place(Some(1), None, "g").is_none());
        while let Some(place) = bots.place(None, None, "h") {
            places.push(place);
        }
        assert_eq!(places.len(), MOST);
        places.remove(2);
        assert!(bots.place(None, Some(1), "g").is_none());
        assert_eq!(bots.place(Some(2), None, "g").unwrap().number, 3);
        drop(places);
        assert!(bots.book().out.is_empty() && bots.book().for_whom.is_empty() && bots.book().games.is_empty());
    }

    #[test]
    fn a_pace_is_for_one_game_while_bots_sit_there() {
        let (all, quick) = (Pace(Duration::from_secs(1)), Pace(Duration::from_millis(50)));
        let bots = Arc::new(Bots::new(&crate::games::GAMES[0], &Key([7; 32]), all));
        assert!(!bots.set_pace("g", Some(quick)));
        let places = ["g", "h"].map(|game| bots.place(None, None, game).unwrap());
        assert!(bots.set_pace("g", Some(quick)));
        // One more bot that comes to it goes along.
        let third = bots.place(None, None, "g").unwrap();
        assert_eq!((bots.pace_at("g"), bots.pace_at("h")), (quick, all));
        assert!(bots.set_pace("g", None));
        assert_eq!(bots.pace_at("g"), all);
        assert!(bots.set_pace("g", Some(quick)));
        drop((places, third));
        assert_eq!(bots.pace_at("g"), all);
    }

    /// A bot that has left games unfinished has its seats there still; one with many is let into no other.
    #[test]
    fn whoever_has_fewest_games_to_finish_is_called() {
        let table = |name, stage| Sight::Table { name, stage, seats: 6, turn: 0 };
        let player = |name| Sight::Player { name, is_here: false, is_awaited: false };
        let sights = [
            Sight::Guest("bot-1"),
            table("a", Stage::Playing),
            player("bot-1"),
            player("bot-2"),
            player("joe"),
            Sight::Guest("bot-3"),
            table("b", Stage::Playing),
            player("bot-1"),
            table("c", Stage::Filling),
            player("bot-3"),
            table("d", Stage::Over),
            player("bot-3"),
        ];
        let mut seats = seats_at(|tell| sights.iter().for_each(|sight| tell(*sight)));
        assert_eq!(seats, BTreeMap::from([(1, 2), (2, 1)]));
        let bots = Arc::new(Bots::new(&crate::games::GAMES[0], &Key([7; 32]), Pace::NONE));
        let next = |seats: &_| bots.take(None, None, "g", seats).unwrap().number;
        assert_eq!(next(&seats), 3);
        seats.extend((3..=NUMBERS as u32).map(|number| (number, 1)));
        assert_eq!(next(&seats), 2);
        assert_eq!(bots.take(None, Some(1), "g", &seats).unwrap().number, 1, "its own game");
    }

    #[test]
    fn a_bot_waits_some_minutes_for_its_game() {
        let (mut waiting, start) = (Waiting::default(), Instant::now());
        let mut after =
            |seconds, has_companions| waiting.is_in_vain(has_companions, start + Duration::from_secs(seconds));
        assert!(!after(0, true) && !after(299, true) && after(300, true));
        // The game has begun; the next one is waited for anew.
        assert!(!after(301, false) && !after(400, true) && !after(699, true) && after(700, true));
    }

    #[test]
    fn only_people_are_company() {
        let only = |names: &[&str]| only_bots(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(only(&["bot-1", "bot-2"]));
        assert!(!only(&["bot-1", "joe"]) && !only(&[]));
    }
}

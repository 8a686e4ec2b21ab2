//! Snapshots, from which what is long is told as its reader drains it: a game as it stood at one moment, or the rooms and
//! users of one moment.
//!
//! Links that are told the same share one. Places are taken in turn, still read or not: then a reader's snapshot is
//! gone, and that link lags like one that the ring has run over. So nothing here depends on how fast links read.

use super::rooms::{Names, Room, RoomId, Status};
use crate::text::Text;
use crate::venus::pieces::SEATS;
use crate::venus::rules::Game;
use crate::venus::wire::{ROOM_MAX, USER_MAX};

/// A game and its players' names.
#[derive(Clone)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct GameShot {
    /// The room's when it was taken; 0: never.
    version: u32,
    pub names: Names,
    pub game: Game,
}

impl GameShot {
    const BLANK: Self = Self { version: 0, names: [const { Text::EMPTY }; SEATS], game: Game::new() };
}

/// A user and where that user is: a room's number plus 1, or 0.
#[derive(Clone)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Inhabitant {
    pub user: Text<USER_MAX>,
    pub room: RoomId,
}

/// Every room and every user.
#[derive(Clone)]
pub(super) struct HallShot<const ROOMS: usize, const LINKS: usize> {
    version: u32,
    pub rooms: [(Text<ROOM_MAX>, Status); ROOMS],
    pub users: [Inhabitant; LINKS],
}

impl<const ROOMS: usize, const LINKS: usize> HallShot<ROOMS, LINKS> {
    const BLANK: Self = Self {
        version: 0,
        rooms: [const { (Text::EMPTY, Status::NoGame) }; ROOMS],
        users: [const { Inhabitant { user: Text::EMPTY, room: 0 } }; LINKS],
    };
}

/// All snapshots. New, they are all zero bytes.
#[derive(Clone)]
pub(super) struct Shots<const ROOMS: usize, const LINKS: usize, const SHOTS: usize> {
    games: [GameShot; SHOTS],
    halls: [HallShot<ROOMS, LINKS>; SHOTS],
    next_game: u8,
    next_hall: u8,
}

/// Which snapshot it is, and whether it had to be taken: then links told from that place before have lost it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub shot: u8,
    pub is_new: bool,
}

impl<const ROOMS: usize, const LINKS: usize, const SHOTS: usize> Shots<ROOMS, LINKS, SHOTS> {
    pub const BLANK: Self = Self {
        games: [const { GameShot::BLANK }; SHOTS],
        halls: [const { HallShot::BLANK }; SHOTS],
        next_game: 0,
        next_hall: 0,
    };

    pub fn game(&self, shot: u8) -> Option<&GameShot> {
        self.games.get(usize::from(shot))
    }

    pub fn hall(&self, shot: u8) -> Option<&HallShot<ROOMS, LINKS>> {
        self.halls.get(usize::from(shot))
    }

    /// A game as it is now. A room's version is never 0 once there is a game in it.
    pub fn take_game(&mut self, version: u32, names: &Names, game: &Game) -> Taken {
        if let Some(shot) = self.games.iter().position(|shot| shot.version == version) {
            return Taken { shot: shot as u8, is_new: false };
        }
        let shot = turn::<SHOTS>(&mut self.next_game);
        if let Some(place) = self.games.get_mut(usize::from(shot)) {
            place.version = version;
            place.names.clone_from(names);
            place.game.clone_from(game);
        }
        Taken { shot, is_new: true }
    }

    /// The rooms and users as they are now.
    pub fn take_hall<'u>(
        &mut self,
        version: u32,
        rooms: &[Room; ROOMS],
        users: impl Iterator<Item = (&'u str, Option<RoomId>)>,
    ) -> Taken {
        if let Some(shot) = self.halls.iter().position(|shot| shot.version == version) {
            return Taken { shot: shot as u8, is_new: false };
        }
        let shot = turn::<SHOTS>(&mut self.next_hall);
        if let Some(place) = self.halls.get_mut(usize::from(shot)) {
            place.version = version;
            for (to, room) in place.rooms.iter_mut().zip(rooms) {
                *to = (room.name.clone(), room.status());
            }
            place.users.iter_mut().for_each(|place| place.user = Text::EMPTY);
            for (to, (user, room)) in place.users.iter_mut().zip(users) {
                let room = room.map_or(0, |room| room.saturating_add(1));
                *to = Inhabitant { user: Text::new(user).unwrap_or(Text::EMPTY), room };
            }
        }
        Taken { shot, is_new: true }
    }
}

/// The next place, round and round.
fn turn<const SHOTS: usize>(next: &mut u8) -> u8 {
    let place = *next;
    let after = place.saturating_add(1);
    *next = if usize::from(after) < SHOTS { after } else { 0 };
    place
}

#[cfg(feature = "postcard")]
mod frozen {
    use super::{GameShot, HallShot, Shots};
    use crate::save::{LoadError, Reader, SaveError, Writer};

    impl<const ROOMS: usize, const LINKS: usize, const SHOTS: usize> Shots<ROOMS, LINKS, SHOTS> {
        pub fn freeze(&self, writer: &mut Writer<'_>) -> Result<(), SaveError> {
            writer.put(&(self.next_game, self.next_hall))?;
            for shot in &self.games {
                writer.put(&shot.version)?;
                if shot.version != 0 {
                    writer.put(shot)?;
                }
            }
            for shot in &self.halls {
                writer.put(&shot.version)?;
                if shot.version != 0 {
                    shot.rooms.iter().try_for_each(|room| writer.put(room))?;
                    shot.users.iter().try_for_each(|user| writer.put(user))?;
                }
            }
            Ok(())
        }

        pub fn thaw(&mut self, reader: &mut Reader<'_>) -> Result<(), LoadError> {
            (self.next_game, self.next_hall) = reader.take()?;
            if usize::from(self.next_game.max(self.next_hall)) >= SHOTS {
                return Err(LoadError::Unsound("no such snapshot"));
            }
            for shot in &mut self.games {
                *shot = GameShot::BLANK;
                if reader.take::<u32>()? != 0 {
                    // No audit: a start is told of a game between two phases, and whatever game it is can be told.
                    *shot = reader.take()?;
                }
            }
            for shot in &mut self.halls {
                *shot = HallShot::BLANK;
                shot.version = reader.take()?;
                if shot.version != 0 {
                    shot.rooms.iter_mut().try_for_each(|room| reader.take().map(|taken| *room = taken))?;
                    shot.users.iter_mut().try_for_each(|user| reader.take().map(|taken| *user = taken))?;
                }
            }
            Ok(())
        }
    }
}

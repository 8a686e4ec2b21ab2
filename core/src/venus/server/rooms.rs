//! The rooms there are beside the Great Hall, and the game in each.

use crate::accounts::AccountId;
use crate::fair::Draws;
use crate::server::Millis;
use crate::text::Text;
use crate::venus::pieces::{Phase, SEATS, Seat};
use crate::venus::rules::Game;
use crate::venus::wire::{ROOM_MAX, USER_MAX};

/// A place in the table of rooms.
pub(super) type RoomId = u8;

/// The players' names by seat: a seat belongs to a user's name, connected or not.
pub(super) type Names = [Text<USER_MAX>; SEATS];

/// How far a room's game has come, as GUIROOM tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Status {
    #[default]
    NoGame,
    StartingUp,
    InProgress,
    Complete,
}

impl Status {
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoGame => "",
            Self::StartingUp => "Starting up.",
            Self::InProgress => "In Progress.",
            Self::Complete => "Complete.",
        }
    }
}

/// One room. New, it is all zero bytes: no room.
#[derive(Clone)]
pub(super) struct Room {
    pub name: Text<ROOM_MAX>,
    pub has_game: bool,
    /// A user has been in it.
    pub entered: bool,
    /// The account of its maker.
    pub maker: AccountId,
    pub names: Names,
    pub game: Game,
    pub draws: Draws,
    /// What GUIROOM said last.
    pub told: Status,
    /// What the game was when it last changed: no two states of any room have the same.
    pub version: u32,
    /// Since when the room is empty.
    pub empty_since: Millis,
    /// Since when the game waits for a player who is not in the room; 0: it does not.
    pub absent_since: Millis,
    /// When the player whom the game waits for has had all the time there is; 0: never (venus 4.6).
    pub due: Millis,
}

impl Room {
    pub const BLANK: Self = Self {
        name: Text::EMPTY,
        has_game: false,
        entered: false,
        maker: 0,
        names: [const { Text::EMPTY }; SEATS],
        game: Game::new(),
        draws: Draws::NONE,
        told: Status::NoGame,
        version: 0,
        empty_since: Millis(0),
        absent_since: Millis(0),
        due: Millis(0),
    };

    pub fn is_open(&self) -> bool {
        !self.name.is_empty()
    }

    pub fn status(&self) -> Status {
        match self.game.phase() {
            _ if !self.has_game => Status::NoGame,
            Phase::InitialState => Status::StartingUp,
            Phase::TerminalState => Status::Complete,
            _ => Status::InProgress,
        }
    }

    /// The seat of a user.
    pub fn seat_of(&self, user: &str) -> Option<Seat> {
        let mut seats = self.game.seats().zip(&self.names).filter(|_| self.has_game);
        seats.find(|(_, name)| name.as_str() == user).map(|(seat, _)| seat)
    }

    /// Is a seat kept for this user: so that the account is not given to another?
    pub fn keeps(&self, user: &str) -> bool {
        self.is_open() && self.seat_of(user).is_some()
    }

    /// A user sits down behind the others.
    pub fn sit(&mut self, user: &str) {
        let place = self.names.get_mut(usize::from(self.game.seat_count()));
        if let (Some(place), Some(name)) = (place, Text::new(user)) {
            *place = name;
        }
    }

    /// A player stands up: the later ones move up.
    pub fn rise(&mut self, seat: Seat) {
        for place in seat.index()..SEATS {
            let next = self.names.get(place + 1).cloned().unwrap_or(Text::EMPTY);
            if let Some(name) = self.names.get_mut(place) {
                *name = next;
            }
        }
    }
}

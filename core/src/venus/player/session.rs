//! From a fresh connection to a seat and back to it: login, the room, the game in it, the set-up.

use heapless::{String, Vec};

use crate::game;
use crate::venus::pieces::{Phase, SEATS};
use crate::venus::wire::{Action, Event, PASSWORD_MAX, ROOM_MAX, USER_MAX, Verb};

/// The one game that is played in a room.
const GAME: &str = "MerchantOfVenus";

/// How far the session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Outside,
    LoggingIn,
    /// Logged in, being told of rooms and users.
    Hall,
    /// Asked for its room, or to enter it.
    Making,
    Entering,
    /// In the room, without a seat.
    Inside,
    Seated,
    /// The server will not have this player.
    Refused,
    /// There is no such game, or no seat at it.
    Unseated,
}

/// A player who wants to sit at the game in one room.
#[derive(Clone, Debug)]
pub struct Session {
    name: String<USER_MAX>,
    password: String<PASSWORD_MAX>,
    room: String<ROOM_MAX>,
    /// Closes the set-up once so many players are there; 0: leaves that to others.
    players: u8,
    /// Makes neither a room nor a game.
    is_guest: bool,
    standing: Standing,
    /// The room is there, and a game in it.
    has_room: bool,
    has_game: bool,
    /// Another link with this name was closed once.
    has_evicted: bool,
    seats: Vec<String<USER_MAX>, SEATS, u8>,
}

impl Session {
    /// `None` if a text is too long.
    pub fn new(seat: &game::Seat<'_>) -> Option<Self> {
        Some(Self {
            name: String::try_from(seat.name).ok()?,
            password: String::try_from(seat.password).ok()?,
            room: String::try_from(seat.game).ok()?,
            players: seat.players,
            is_guest: seat.is_guest,
            standing: Standing::Outside,
            has_room: false,
            has_game: false,
            has_evicted: false,
            seats: Vec::new(),
        })
    }

    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// This player can't play here: the server refused it, or there is no seat.
    pub fn is_refused(&self) -> bool {
        matches!(self.standing, Standing::Refused | Standing::Unseated)
    }

    /// The players with seats, itself counted, as far as they were told.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.seats.iter().map(String::as_str)
    }

    /// A connection has opened.
    pub fn connect(&mut self) {
        self.standing = Standing::Outside;
        (self.has_room, self.has_game, self.has_evicted) = (false, false, false);
        self.seats.clear();
    }

    /// Looks at an event and says what it calls for.
    pub fn take(&mut self, event: &Event<'_>, say: &mut dyn FnMut(&Action<'_>)) {
        match *event {
            Event::ConnectString { .. } => {
                self.standing = Standing::LoggingIn;
                say(&Action::Login { user: &self.name, password: &self.password });
            }
            Event::Welcome {} => self.standing = Standing::Hall,
            Event::AlreadyLoggedIn {} if !self.has_evicted => {
                self.has_evicted = true;
                let (user, password) = (self.name.as_str(), self.password.as_str());
                say(&Action::LogoutOther { user, password });
                say(&Action::Login { user, password });
            }
            Event::AlreadyLoggedIn {} => self.standing = Standing::Refused,
            Event::Error { .. } => match self.standing {
                Standing::LoggingIn => self.standing = Standing::Refused,
                // Another user may have taken the name of the room, or the room is gone that was there a moment ago.
                Standing::Making | Standing::Entering => self.standing = Standing::Unseated,
                // The table is full, or this player has too many games to finish (venus 3.6).
                Standing::Inside if self.is_guest => self.standing = Standing::Unseated,
                _ => {}
            },
            Event::GuiRoom { room, game, .. } if room == self.room.as_str() => {
                (self.has_room, self.has_game) = (true, !game.is_empty());
                if self.standing == Standing::Making {
                    self.enter(say);
                }
            }
            Event::Inhabitant { user, room } if user == self.name.as_str() => self.arrive(room, say),
            _ => self.take_in_room(event, say),
        }
    }

    /// It is in a room now: the Great Hall, after a login, or its own.
    fn arrive(&mut self, room: &str, say: &mut dyn FnMut(&Action<'_>)) {
        match self.standing {
            Standing::Hall if self.has_room => self.enter(say),
            Standing::Hall if self.is_guest => self.standing = Standing::Unseated,
            Standing::Hall => {
                self.standing = Standing::Making;
                say(&Action::NewRoom { room: &self.room });
            }
            Standing::Entering if room == self.room.as_str() => {
                self.standing = Standing::Inside;
                // Asked for where the table is full, too: the answer says so, and nothing else would.
                if self.has_game { say(&Action::Join {}) } else { self.begin(say) }
            }
            _ => {}
        }
    }

    fn enter(&mut self, say: &mut dyn FnMut(&Action<'_>)) {
        self.standing = Standing::Entering;
        say(&Action::ChangeRoom { room: &self.room });
    }

    fn begin(&mut self, say: &mut dyn FnMut(&Action<'_>)) {
        if self.is_guest {
            self.standing = Standing::Unseated;
        } else {
            say(&Action::NewGame { game: GAME });
        }
    }

    /// All players that this one waits for are there.
    fn is_complete(&self) -> bool {
        self.players != 0 && self.seats.len() >= usize::from(self.players)
    }

    fn take_in_room(&mut self, event: &Event<'_>, say: &mut dyn FnMut(&Action<'_>)) {
        match *event {
            Event::Reset { .. } => self.seats.clear(),
            Event::Player { user, .. } => {
                // There are at most six.
                let _ = String::try_from(user).map(|user| self.seats.push(user));
            }
            Event::Iam { .. } => self.standing = Standing::Seated,
            // A player with a seat was told so before.
            Event::NewState { state, .. } if self.standing != Standing::Seated => match state {
                Phase::InitialState => {}
                Phase::TerminalState => self.begin(say),
                _ => self.standing = Standing::Unseated,
            },
            Event::LegalAction { action: Verb::Join } if self.standing != Standing::Entering => say(&Action::Join {}),
            Event::LegalAction { action: Verb::ValidateSetup } if self.is_complete() => say(&Action::ValidateSetup {}),
            _ => {}
        }
    }
}

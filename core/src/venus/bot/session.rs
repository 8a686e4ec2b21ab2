//! From a fresh connection to a seat and back to it: login, the room, its game, a chair.
//!
//! Says what to send as lines come in. Whoever has the name already is asked to go: that was this player, before its
//! connection was lost.

use heapless::Vec;

use crate::text::Text;
use crate::venus::pieces::SEATS;
use crate::venus::wire::{Action, Event, PASSWORD_MAX, ROOM_MAX, USER_MAX};

/// Where everybody is after a login.
const GREAT_HALL: &str = "Great Hall";
const GAME: &str = "MerchantOfVenus";
/// Refusals on the way to a seat that are borne: somebody else may have made the room a moment before.
const PATIENCE: u8 = 4;

/// How far the session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not connected, or not spoken to yet.
    Outside,
    LoggingIn,
    /// In the Great Hall, and on the way to the room.
    Known,
    /// In the room.
    Inside,
    /// The server will not have this player.
    Refused,
}

/// A player who wants to sit at the game of one room.
#[derive(Clone, Debug)]
pub struct Session {
    name: Text<USER_MAX>,
    password: Text<PASSWORD_MAX>,
    room: Text<ROOM_MAX>,
    /// Sits down at a game that is there, and makes none.
    is_guest: bool,
    standing: Standing,
    /// The room is there; there is a game in it.
    is_room: bool,
    is_game: bool,
    refusals: u8,
    /// Who sits at the game.
    seated: Vec<Text<USER_MAX>, SEATS>,
}

/// Takes what is to be sent.
pub type Say<'s> = &'s mut dyn FnMut(&Action<'_>);

impl Session {
    /// `None` if a text is too long.
    pub fn new(name: &str, password: &str, room: &str, is_guest: bool) -> Option<Self> {
        Some(Self {
            name: Text::new(name)?,
            password: Text::new(password)?,
            room: Text::new(room)?,
            is_guest,
            standing: Standing::Outside,
            is_room: false,
            is_game: false,
            refusals: 0,
            seated: Vec::new(),
        })
    }

    pub fn is_guest(&self) -> bool {
        self.is_guest
    }

    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Who sits at the game, as far as it was told.
    pub fn seated(&self) -> impl Iterator<Item = &str> {
        self.seated.iter().map(Text::as_str)
    }

    /// A connection has opened; the server speaks first.
    pub fn connect(&mut self) {
        self.standing = Standing::Outside;
        (self.is_room, self.is_game, self.refusals) = (false, false, 0);
        self.seated.clear();
    }

    /// The game is not for this player: it goes on without a chair for it.
    pub fn give_up(&mut self) {
        self.standing = Standing::Refused;
    }

    /// Looks at a received line and says what it calls for.
    pub fn take(&mut self, event: &Event<'_>, say: Say<'_>) {
        match *event {
            Event::ConnectString { .. } => self.log_in(say),
            Event::Welcome {} => self.standing = Standing::Known,
            Event::AlreadyLoggedIn {} if self.refusals < PATIENCE => {
                self.refusals += 1;
                say(&Action::LogoutOther { user: self.name.as_str(), password: self.password.as_str() });
                self.log_in(say);
            }
            Event::Error { .. } | Event::AlreadyLoggedIn {} => self.refused(say),
            Event::GuiRoom { room, game, .. } if room == self.room.as_str() => {
                (self.is_room, self.is_game) = (true, !game.is_empty());
            }
            Event::DropRoom { room } if room == self.room.as_str() => (self.is_room, self.is_game) = (false, false),
            Event::Inhabitant { user, room } if user == self.name.as_str() => self.arrive(room, say),
            Event::Reset { .. } => self.seated.clear(),
            Event::Player { user, .. } => {
                let _ = Text::new(user).map(|user| self.seated.push(user));
            }
            _ => {}
        }
    }

    fn log_in(&mut self, say: Say<'_>) {
        self.standing = Standing::LoggingIn;
        say(&Action::Login { user: self.name.as_str(), password: self.password.as_str() });
    }

    fn is_patient(&mut self) -> bool {
        self.refusals = self.refusals.saturating_add(1);
        self.refusals <= PATIENCE
    }

    fn refused(&mut self, say: Say<'_>) {
        match self.standing {
            // A wrong password, or a name that the server does not take.
            Standing::LoggingIn => self.give_up(),
            Standing::Known => {
                if !self.is_patient() {
                    self.give_up();
                } else if self.is_room {
                    self.go(say);
                }
            }
            Standing::Outside | Standing::Inside | Standing::Refused => {}
        }
    }

    fn arrive(&mut self, room: &str, say: Say<'_>) {
        if room == self.room.as_str() {
            self.standing = Standing::Inside;
            if !self.is_game && !self.is_guest {
                say(&Action::NewGame { game: GAME });
            }
        } else if room == GREAT_HALL && self.standing == Standing::Known {
            self.go(say);
        }
    }

    fn go(&mut self, say: Say<'_>) {
        if !self.is_room {
            if self.is_guest {
                return self.give_up();
            }
            say(&Action::NewRoom { room: self.room.as_str() });
        }
        say(&Action::ChangeRoom { room: self.room.as_str() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    fn talk(session: &mut Session, lines: &[&str]) -> Vec<String> {
        let mut said = Vec::new();
        for line in lines {
            let mut room = [0; 200];
            let event = Event::parse(line.as_bytes(), &mut room[..line.len()]).unwrap();
            session.take(&event, &mut |action| {
                let mut out = [0; 200];
                let length = action.write(&mut out).unwrap();
                said.push(String::from_utf8(out[..length - 1].to_vec()).unwrap());
            });
        }
        said
    }

    fn session(is_guest: bool) -> Session {
        let mut session = Session::new("joe", "pw", "den", is_guest).unwrap();
        session.connect();
        session
    }

    #[test]
    fn makes_a_room_and_a_game_where_there_are_none() {
        let mut session = session(false);
        assert_eq!(talk(&mut session, &["CONNECTSTRING,hello"]), ["LOGIN,joe,pw"]);
        let hall = ["WELCOME", "GUIIAM,joe", "GUIROOM,Great Hall,,", "INHABITANT,joe,Great Hall"];
        assert_eq!(talk(&mut session, &hall), ["NEWROOM,den", "CHANGEROOM,den"]);
        assert_eq!(talk(&mut session, &["GUIROOM,den,,", "INHABITANT,joe,den"]), ["NEWGAME,MerchantOfVenus"]);
        assert_eq!(session.standing(), Standing::Inside);
    }

    #[test]
    fn goes_to_a_game_that_is_there_and_takes_its_name_back() {
        let mut session = session(true);
        assert_eq!(
            talk(&mut session, &["CONNECTSTRING,hello", "ALREADYLOGGEDIN"])[1..],
            ["LOGOUTOTHER,joe,pw", "LOGIN,joe,pw"]
        );
        let hall =
            ["WELCOME", "GUIROOM,den,MerchantOfVenus,Starting up.", "INHABITANT,ann,den", "INHABITANT,joe,Great Hall"];
        assert_eq!(talk(&mut session, &hall), ["CHANGEROOM,den"]);
        let refresh = ["RESET,MerchantOfVenus", "PLAYER,ann,0", "INHABITANT,joe,den"];
        assert_eq!(talk(&mut session, &refresh), [""; 0]);
        assert_eq!(session.seated().collect::<Vec<_>>(), ["ann"]);
    }

    #[test]
    fn somebody_else_may_have_been_quicker() {
        let mut session = session(false);
        talk(&mut session, &["CONNECTSTRING,hello", "WELCOME", "INHABITANT,joe,Great Hall"]);
        let quicker = ["GUIROOM,den,MerchantOfVenus,Starting up.", "ERROR,That name is taken."];
        assert_eq!(talk(&mut session, &quicker), ["CHANGEROOM,den"]);
        assert_eq!(talk(&mut session, &["INHABITANT,joe,den"]), [""; 0]);
        assert_eq!(session.standing(), Standing::Inside);
    }

    #[test]
    fn knows_when_it_is_not_wanted() {
        let mut wrong = session(false);
        talk(&mut wrong, &["CONNECTSTRING,hello", "ERROR,Wrong password."]);
        assert_eq!(wrong.standing(), Standing::Refused);
        let mut guest = session(true);
        assert_eq!(
            talk(&mut guest, &["CONNECTSTRING,hello", "WELCOME", "INHABITANT,joe,Great Hall"]),
            ["LOGIN,joe,pw"]
        );
        assert_eq!(guest.standing(), Standing::Refused);
        let mut full = session(false);
        talk(&mut full, &["CONNECTSTRING,hello", "WELCOME", "INHABITANT,joe,Great Hall"]);
        talk(&mut full, &["ERROR,Full."; 5]);
        assert_eq!(full.standing(), Standing::Refused);
    }
}

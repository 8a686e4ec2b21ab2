//! From a fresh connection to a seat and back to it: protocol, login, join or make the game, team, vote.
//!
//! Says what to send as lines come in, one command for one line at most. It uses no tags: it waits for each answer.

use heapless::{String, Vec};

use crate::yard::pieces::Team;
use crate::yard::wire::{Command, GAME_BYTES, Reply, Said, Status, USER_BYTES, Vote};

/// The longest password of a session.
const PASSWORD_MAX: usize = 64;

/// How far the session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not connected, or said the protocol.
    Outside,
    /// Asked to log in.
    LoggingIn,
    /// Asked to join the game, or to make it.
    Joining,
    Making,
    /// Sits at the game and asked for its players.
    Sitting,
    /// Asked for another team.
    Choosing,
    /// Waits for others, or has voted.
    Waiting,
    Voted,
    /// The server will not have this player.
    Refused,
    /// There is no such game, or no seat at it.
    Unseated,
}

/// A player who wants to sit at one game.
#[derive(Clone, Debug)]
pub struct Session {
    name: String<USER_BYTES>,
    password: String<PASSWORD_MAX>,
    game: String<GAME_BYTES>,
    /// The side it asks for, if it has a wish.
    wish: Option<Team>,
    /// Votes to begin once so many players are there.
    players: u8,
    /// The players at the game, as far as they were told.
    seen: Vec<String<USER_BYTES>, 6>,
    standing: Standing,
    /// Joining failed so often.
    tries: u8,
    /// Sits down at a game that is there, and makes none.
    is_guest: bool,
}

impl Session {
    /// `None` if a text is too long.
    pub fn new(name: &str, password: &str, game: &str, wish: Option<Team>, players: u8) -> Option<Self> {
        Some(Self {
            name: String::try_from(name).ok()?,
            password: String::try_from(password).ok()?,
            game: String::try_from(game).ok()?,
            wish,
            players,
            seen: Vec::new(),
            standing: Standing::Outside,
            tries: 0,
            is_guest: false,
        })
    }

    /// Makes no game: a guest joins one that is there, or none.
    pub fn as_guest(self) -> Self {
        Self { is_guest: true, ..self }
    }

    /// The players at the game, itself counted, as far as they were told.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.seen.iter().map(String::as_str)
    }

    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// This player can't play here: the server refused it, or there is no seat.
    pub fn is_refused(&self) -> bool {
        matches!(self.standing, Standing::Refused | Standing::Unseated)
    }

    /// A connection has opened: what to send first.
    pub fn connect(&mut self) -> Command<'static> {
        self.standing = Standing::Outside;
        self.seen.clear();
        self.tries = 0;
        Command::Protocol { version: "2.0" }
    }

    /// Looks at a received line and says what it calls for, if anything.
    pub fn take(&mut self, said: &Said<'_>) -> Option<Command<'_>> {
        match *said {
            Said::Reply(_, reply) => self.take_reply(reply),
            Said::Status(Status::PlayerInfo { user, .. }) => {
                if !self.seen.iter().any(|name| name.as_str() == user) {
                    let _ = String::try_from(user).map(|user| self.seen.push(user));
                }
                self.vote()
            }
            Said::Status(Status::PlayerLeave { user }) => {
                self.seen.retain(|name| name.as_str() != user);
                None
            }
            // The game goes on, or has begun: the session is done.
            Said::Status(Status::GameStart {} | Status::PawnInfo { .. }) => {
                self.standing = Standing::Voted;
                None
            }
            _ => None,
        }
    }

    fn take_reply(&mut self, reply: Reply<'_>) -> Option<Command<'_>> {
        let is_ok = reply == Reply::Ok;
        match (self.standing, is_ok) {
            (Standing::Outside, true) => {
                self.standing = Standing::LoggingIn;
                Some(Command::Login { name: &self.name, password: &self.password })
            }
            (Standing::LoggingIn, true) => Some(self.join()),
            (Standing::Joining, false) if self.tries < 3 && !self.is_guest => {
                self.tries += 1;
                self.standing = Standing::Making;
                Some(Command::NewGame { name: &self.game, kind: "standard" })
            }
            // Another player made it meanwhile.
            (Standing::Making, false) => Some(self.join()),
            (Standing::Joining | Standing::Making, true) => {
                self.standing = Standing::Sitting;
                Some(Command::ListPlayers { game: None })
            }
            (Standing::Sitting, true) => {
                self.standing = Standing::Choosing;
                let team = self.wish.map(Team::name);
                match team {
                    Some(team) => Some(Command::SetTeam { team }),
                    None => {
                        self.standing = Standing::Waiting;
                        self.vote()
                    }
                }
            }
            // A side that is taken is no reason not to play.
            (Standing::Choosing, _) => {
                self.standing = Standing::Waiting;
                self.vote()
            }
            (Standing::Outside | Standing::LoggingIn, false) => {
                self.standing = Standing::Refused;
                None
            }
            (Standing::Joining, false) => {
                self.standing = Standing::Unseated;
                None
            }
            _ => None,
        }
    }

    fn join(&mut self) -> Command<'_> {
        self.standing = Standing::Joining;
        Command::Join { game: &self.game }
    }

    fn vote(&mut self) -> Option<Command<'static>> {
        if self.standing != Standing::Waiting || self.seen.len() < usize::from(self.players) {
            return None;
        }
        self.standing = Standing::Voted;
        Some(Command::VoteStart { vote: Vote(true) })
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
            let heard = Said::parse(line.as_bytes(), &mut room).unwrap();
            let mut out = [0; 200];
            if let Some(command) = session.take(&heard) {
                let length = command.write("", &mut out).unwrap();
                said.push(std::str::from_utf8(&out[..length - 2]).unwrap().into());
            }
        }
        said
    }

    #[test]
    fn makes_a_game_and_begins_it_when_all_are_there() {
        let mut session = Session::new("joe", "pw", "g", Some(Team::MrX), 2).unwrap();
        assert_eq!(session.connect(), Command::Protocol { version: "2.0" });
        let said = talk(&mut session, &["- ok", "- ok", "- no \"there is no such game\"", "- ok", "- ok", "- ok"]);
        assert_eq!(said, ["login joe pw", "join g", "newgame g standard", "listplayers", "setteam \"Mr. X\""]);
        assert_eq!(talk(&mut session, &["* playerinfo joe \"Mr. X\" False X"]), [""; 0]);
        let there = "* playerinfo dan Detectives False \"Red Yellow Green Blue Black\"";
        assert_eq!(talk(&mut session, &[there, there, "- ok"]), ["votestart True"]);
        assert_eq!(session.standing(), Standing::Voted);
    }

    #[test]
    fn comes_back_to_a_game_that_goes_on() {
        let mut session = Session::new("joe", "pw", "g", None, 2).unwrap();
        session.connect();
        let said = talk(&mut session, &["- ok", "- ok", "- ok", "* pawninfo X joe 64 -1 -1 -1 4 2", "- ok"]);
        assert_eq!(said, ["login joe pw", "join g", "listplayers"]);
        assert_eq!(session.standing(), Standing::Voted);
    }

    #[test]
    fn a_guest_makes_no_game() {
        let mut session = Session::new("joe", "pw", "g", None, 1).unwrap().as_guest();
        session.connect();
        assert_eq!(talk(&mut session, &["- ok", "- ok", "- no \"there is no such game\""]), ["login joe pw", "join g"]);
        assert_eq!(session.standing(), Standing::Unseated);
        session.connect();
        let there = ["- ok", "- ok", "- ok", "- ok", "* playerinfo eve \"Mr. X\" False X"];
        assert_eq!(talk(&mut session, &there), ["login joe pw", "join g", "listplayers", "votestart True"]);
        assert_eq!(session.players().collect::<Vec<_>>(), ["eve"]);
    }

    #[test]
    fn knows_when_it_is_not_wanted() {
        let mut session = Session::new("joe", "pw", "g", None, 2).unwrap();
        session.connect();
        talk(&mut session, &["- ok", "- no \"wrong password\""]);
        assert_eq!(session.standing(), Standing::Refused);
    }
}

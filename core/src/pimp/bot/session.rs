//! From a fresh connection to a seat and back to it: handshake, join or rejoin, answers to pings.
//!
//! Says what to send as messages come in; keeps id and password over a lost connection. Never says more than one
//! message for one received.

use heapless::Vec;

use crate::pimp::wire::{Message, NAME_MAX, Name};

/// How far the session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not connected, or not greeted yet.
    Outside,
    /// Asked for a seat.
    Asking,
    Seated,
    /// The server will not have this user.
    Refused,
}

#[derive(Clone, Debug)]
pub struct Session {
    name: Vec<u8, NAME_MAX, u8>,
    /// Names tried so far; the second and later ones end in a digit.
    tries: u8,
    piece: u8,
    play: bool,
    standing: Standing,
    /// Id and password; id 0 = none.
    seat: (u8, u32),
}

impl Session {
    pub fn new(name: Name<'_>, piece: u8, play: bool) -> Self {
        // A wire name is never longer than the room for it.
        let name = Vec::from_slice(name.bytes()).unwrap_or_default();
        Self { name, tries: 0, piece, play, standing: Standing::Outside, seat: (0, 0) }
    }

    pub fn standing(&self) -> Standing {
        self.standing
    }
    pub fn name(&self) -> Name<'_> {
        Name::new(&self.name).unwrap_or_default()
    }

    /// A connection has opened: what to send first.
    pub fn connect(&mut self) -> Message<'static> {
        self.standing = Standing::Outside;
        Message::Handshake { version: 1 }
    }

    /// Looks at a received message and says what it calls for, if anything.
    pub fn take(&mut self, message: &Message<'_>) -> Option<Message<'_>> {
        match *message {
            Message::Ping { nonce } => return Some(Message::Pong { nonce }),
            // A lobby names the table that fills, then, before it welcomes somebody back, the table of the seat. So a seat
            // in another game is asked for all the same, and only what answers the handshake is answered.
            Message::HandshakeAcknowledge { .. } if self.standing == Standing::Outside => return Some(self.ask()),
            Message::WelcomeDetails { player, password } => {
                self.seat = (player, password);
                self.standing = Standing::Seated;
            }
            Message::WelcomeBack { .. } => self.standing = Standing::Seated,
            Message::ErrorWrongPassword {} => {
                self.seat = (0, 0);
                return Some(self.ask());
            }
            Message::ErrorNameInUse {} if self.standing == Standing::Asking => {
                if self.another_name() {
                    return Some(self.ask());
                }
                self.standing = Standing::Refused;
            }
            Message::ErrorTooManyUsers {} | Message::ErrorNotWelcome {} | Message::ErrorUnknownProtocol {}
                if self.standing != Standing::Seated =>
            {
                self.standing = Standing::Refused;
            }
            _ => {}
        }
        None
    }

    fn ask(&mut self) -> Message<'_> {
        self.standing = Standing::Asking;
        match self.seat {
            (0, _) => Message::Join { piece: self.piece, play: self.play, name: self.name() },
            (player, password) => Message::Rejoin { player, password },
        }
    }

    /// The name with a digit behind it, or with the next digit; false when they are used up.
    fn another_name(&mut self) -> bool {
        if self.tries >= 8 {
            return false;
        }
        if self.tries > 0 || self.name.is_full() {
            self.name.pop();
        }
        self.tries += 1;
        self.name.push(b'1' + self.tries).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name<'_> {
        Name::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn joins_and_comes_back() {
        let mut session = Session::new(name("ann"), 3, true);
        assert_eq!(session.connect(), Message::Handshake { version: 1 });
        let join = session.take(&Message::HandshakeAcknowledge { game: 9 });
        assert_eq!(join, Some(Message::Join { piece: 3, play: true, name: name("ann") }));
        assert_eq!(session.take(&Message::JoinPending {}), None);
        assert_eq!(session.standing(), Standing::Asking);
        session.take(&Message::WelcomeDetails { player: 4, password: 77 });
        assert_eq!(session.standing(), Standing::Seated);
        assert_eq!(session.take(&Message::Ping { nonce: 5 }), Some(Message::Pong { nonce: 5 }));
        session.connect();
        let back = session.take(&Message::HandshakeAcknowledge { game: 9 });
        assert_eq!(back, Some(Message::Rejoin { player: 4, password: 77 }));
        let again = session.take(&Message::ErrorWrongPassword {});
        assert_eq!(again, Some(Message::Join { piece: 3, play: true, name: name("ann") }));
    }

    #[test]
    fn a_seat_in_another_game_is_asked_for_and_then_joined_anew() {
        let mut session = Session::new(name("ann"), 0, false);
        session.take(&Message::HandshakeAcknowledge { game: 9 });
        session.take(&Message::WelcomeDetails { player: 4, password: 77 });
        session.connect();
        let back = session.take(&Message::HandshakeAcknowledge { game: 10 });
        assert_eq!(back, Some(Message::Rejoin { player: 4, password: 77 }));
        // In a lobby the game of the seat is named next.
        assert_eq!(session.take(&Message::HandshakeAcknowledge { game: 9 }), None);
        let join = session.take(&Message::ErrorWrongPassword {});
        assert_eq!(join, Some(Message::Join { piece: 0, play: false, name: name("ann") }));
    }

    #[test]
    fn a_taken_name_gets_a_digit_nine_times_at_most() {
        let mut session = Session::new(name("ann"), 0, true);
        session.take(&Message::HandshakeAcknowledge { game: 9 });
        let mut last = std::vec::Vec::new();
        while let Some(Message::Join { name, .. }) = session.take(&Message::ErrorNameInUse {}) {
            last.push(std::string::String::from(name.text().unwrap()));
        }
        assert_eq!((last.len(), last[0].as_str(), last[7].as_str()), (8, "ann2", "ann9"));
        assert_eq!(session.standing(), Standing::Refused);
        let mut long = Session::new(name("abcdefghijklmnopqrstuvwxyz012345"), 0, true);
        long.take(&Message::HandshakeAcknowledge { game: 9 });
        let Some(Message::Join { name, .. }) = long.take(&Message::ErrorNameInUse {}) else { panic!() };
        assert_eq!(name.text(), Some("abcdefghijklmnopqrstuvwxyz012342"));
    }
}

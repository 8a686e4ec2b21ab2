//! What a table does for the lobby it belongs to (see `pimp::lobby`): tells how it stands, leaves REJOINs to the lobby,
//! and takes its verdict. A table of no lobby judges for itself.

use super::Table;
use super::link::State;
use super::rejoin::REJOIN;
use super::users::Standing as Place;
use crate::id_space::IdSpace;
use crate::pimp::rules::Phase;
use crate::pimp::wire::{Frame, Framer, Message};
use crate::server::{Framer as _, Intake, Link, Millis};

/// HANDSHAKE of version 1.
const HELLO: [u8; 3] = [0x00, 1, 1];

/// What a REJOIN is met with. A table of no lobby asks nobody and compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The lobby is asked first.
    Ask,
    /// The lobby has sent it here: the password is compared.
    Check,
    /// It is wrong, whatever it says.
    Deny,
    /// A journal's: where the password stood is whether it was right. No client can say that.
    #[cfg(feature = "postcard")]
    Settled,
}

impl Trust {
    pub fn is_settled(self) -> bool {
        #[cfg(feature = "postcard")]
        return self == Self::Settled;
        #[cfg(not(feature = "postcard"))]
        false
    }
}

/// A table as its lobby sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Seats that a newcomer could still be let in to.
    pub seats: u16,
    /// Connections that have not joined yet, candidates among them: each may want one of the seats.
    pub coming: u16,
    /// Connections it could still take.
    pub links: u16,
    /// Turns begun in this game.
    pub turn: u32,
    /// A newcomer was refused in this game.
    pub has_refused: bool,
    pub is_over: bool,
    /// Nobody sits here and nobody is connected: no one would miss it.
    pub is_empty: bool,
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// The space it was begun in, and where another table would go on in it.
    pub fn space(&self) -> IdSpace {
        self.hall.dice.space()
    }

    pub fn standing(&self) -> Standing {
        let hall = &self.hall;
        let open = (0..).zip(&self.lines).filter(|(slot, _)| self.out.link(*slot).is_some());
        let (mut links, mut coming) = (0, 0);
        for (slot, line) in open {
            links += 1;
            coming += usize::from(line.state != State::User && !self.is_doomed(slot));
        }
        let most = usize::from(hall.config.max_players).min(crate::pimp::limits::SEATS);
        let waiting = hall.users.iter().filter(|(_, user)| user.standing == Place::Candidate).count();
        // A candidate has its place already.
        let has_place = waiting > 0 || hall.users.vacancy(&hall.game).is_some();
        let seats = if has_place { most.saturating_sub(hall.game.players.len()) } else { 0 };
        Standing {
            // At most 257 links and 8 seats.
            seats: seats as u16,
            coming: coming as u16,
            links: LINKS.saturating_sub(links) as u16,
            turn: hall.game.turn,
            has_refused: hall.votes.refused_any,
            is_over: matches!(hall.game.phase, Phase::Over { .. }),
            is_empty: links == 0 && hall.users.iter().next().is_none(),
        }
    }

    /// Whether the next frame is a REJOIN of one of this table's users.
    pub fn claims(&self, framer: &Framer) -> bool {
        framer.peek().ok().flatten().is_some_and(|frame| is_rejoin(frame) && self.hall.is_right(frame.payload))
    }

    /// As `receive`, after [`Intake::Elsewhere`]: the REJOIN that comes next is compared if the lobby has found that it
    /// belongs here (`known`), and is wrong if it has not.
    pub fn judge(&mut self, link: Link, framer: &mut Framer, known: bool, now: Millis) -> Intake {
        self.take_in(link, framer, if known { Trust::Check } else { Trust::Deny }, now)
    }

    /// What a client says first, for one that has said it at another table: here it is said again on its behalf, so that
    /// it hears the number of its game before WELCOME_BACK.
    pub fn greeting() -> Framer {
        let mut framer = Framer::new();
        crate::bytes::copy(framer.window(), &HELLO);
        framer.commit(HELLO.len());
        framer
    }

    /// Answers to this link wait to be pulled: it may not be moved before they are.
    pub fn owes(&self, link: Link) -> bool {
        self.out.owes(link)
    }

    /// A REJOIN that is legal now, at a table of a lobby. What is not legal is answered here as anywhere.
    pub(super) fn is_for_lobby(&self, slot: u16, frame: Frame<'_>) -> bool {
        is_rejoin(frame)
            && self.hall.dice.space().number != 0
            && self.line(slot).is_some_and(|line| line.state == State::Spoken)
    }
}

fn is_rejoin(frame: Frame<'_>) -> bool {
    frame.code == REJOIN && Message::from_client(frame.code, frame.payload).is_ok()
}

/// Id and password, if the next frame is a REJOIN.
pub(crate) fn rejoin(framer: &Framer) -> Option<(u8, u32)> {
    let frame = framer.peek().ok().flatten()?;
    match Message::from_client(frame.code, frame.payload) {
        Ok(Message::Rejoin { player, password }) => Some((player, password)),
        _ => None,
    }
}

//! What a table does for the lobby it belongs to (see [`crate::lobby`]): tells how it stands, leaves REJOINs to the lobby,
//! and takes its verdict. A table of no lobby judges for itself.

use super::link::State;
use super::rejoin::REJOIN;
use super::users::Standing as Place;
use super::{Config, Hall, Table};
use crate::id_space::IdSpace;
use crate::lobby::{Lobbied, Standing};
use crate::pimp::rules::{Phase, UserId};
use crate::pimp::wire::{Frame, Framer, Message};
use crate::server::{Framer as _, Link, Millis};

/// HANDSHAKE of version 1.
const HELLO: [u8; 3] = [0x00, 1, 1];

/// Milliseconds for which a player who left a lobby's game keeps the seat: one without deeds, as a client comes back
/// sooner, even to a restarted server; and one with deeds, while the game waits (pimp 16.3.8).
const GHOST: u64 = 15_000;
const ABSENT: u64 = 60_000;

/// How a REJOIN is judged. A table of no lobby asks no one and compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The lobby or the adapter is asked first.
    Ask,
    /// It was found to belong here: the password is compared.
    Check,
    /// It is wrong, whatever it says.
    Deny,
    /// A journal's: the verdict stands in the password's place. No client can say that.
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

impl<const USERS: usize, const LINKS: usize, const RING: usize> Lobbied for Table<USERS, LINKS, RING> {
    fn begin_in(&mut self, seed: &[u8; 32], space: IdSpace, config: &Config, now: Millis) {
        self.hall.dice.begin_in(seed, space);
        self.hall.config.clone_from(config);
        self.new_game(now);
    }

    fn space(&self) -> IdSpace {
        self.hall.dice.space()
    }

    fn patience(config: &Config) -> u32 {
        config.join_timeout
    }

    fn standing(&self) -> Standing {
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
            secrets: hall.dice.secrets(),
        }
    }

    /// A handshake, whose answer has the number of the game.
    fn greeting() -> Framer {
        let mut framer = Framer::new();
        crate::bytes::copy(framer.window(), &HELLO);
        framer.commit(HELLO.len());
        framer
    }

    fn owes(&self, link: Link) -> bool {
        self.out.owes(link)
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// A REJOIN that is legal now, where a lobby or an adapter judges it. Others are answered here.
    pub(super) fn is_for_others(&self, slot: u16, frame: Frame<'_>) -> bool {
        is_rejoin(frame)
            && (self.leaves_secrets || self.hall.dice.is_of_lobby())
            && self.line(slot).is_some_and(|line| line.state == State::Spoken)
    }

    /// Takes the seats of players who have left a lobby's game (pimp 16.3.8).
    pub(super) fn unseat_ghosts(&mut self, now: Millis) {
        // Each time one player fewer.
        while let Some((ghost, _)) = self.hall.next_ghost().filter(|(_, due)| now >= *due) {
            if self.play(|game, cx| game.kick(ghost, cx)).is_err() {
                return;
            }
            self.hall.watch.stir = true;
        }
    }
}

impl<const USERS: usize> Hall<USERS> {
    /// The player who loses a seat next, and when, at a table of a lobby: strangers wait for each other there, and few
    /// who sit down and leave again and again would hold up all games.
    pub(super) fn next_ghost(&self) -> Option<(UserId, Millis)> {
        if !self.dice.is_of_lobby() || matches!(self.game.phase, Phase::Idle | Phase::Over { .. }) {
            return None;
        }
        let gone = self.game.players.iter().filter_map(|player| {
            let user = self.users.user(player.id).filter(|user| !user.is_connected())?;
            let patience = match self.game.deeds_of(player.id).next() {
                None => GHOST,
                Some(_) if self.game.awaits(player.id) => ABSENT,
                Some(_) => return None,
            };
            Some((player.id, user.gone_since.plus(patience)))
        });
        gone.min_by_key(|(_, due)| *due)
    }
}

/// The user that the next frame wants to rejoin as, and the password that it gives.
pub(super) fn secret(framer: &Framer) -> Option<(u16, u32)> {
    let frame = framer.peek().ok().flatten()?;
    match Message::from_client(frame.code, frame.payload) {
        Ok(Message::Rejoin { player, password }) => Some((player.into(), password)),
        _ => None,
    }
}

pub(super) fn is_rejoin(frame: Frame<'_>) -> bool {
    frame.code == REJOIN && Message::from_client(frame.code, frame.payload).is_ok()
}

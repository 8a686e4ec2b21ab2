//! How a newcomer gets in (pimp 2): JOIN, the welcome, the piece.

use super::link::State;
use super::users::{Standing, User};
use super::{Table, names};
use crate::id_space::Kind;
use crate::pimp::board::{Piece, START_CASH};
use crate::pimp::rules::{Phase, Refusal, UserId, Verdict};
use crate::pimp::wire::{Message, Name};
use crate::server::Millis;

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// JOIN, its checks in the order of pimp 2.
    pub(super) fn join(&mut self, slot: u16, piece: u8, play: bool, name: Name<'_>, now: Millis) -> Verdict {
        let place = self.hall.users.vacancy(&self.hall.game);
        let refusal = if matches!(self.hall.game.phase, Phase::Over { .. }) {
            Message::ErrorNotWelcome {}
        } else if place.is_none() || self.is_confined || (play && self.hall.is_full_of_players()) {
            Message::ErrorTooManyUsers {}
        } else if !names::is_fit(name.bytes(), self.hall.config.ascii_names)
            || self.hall.users.is_name_taken(name.bytes())
        {
            Message::ErrorNameInUse {}
        } else if Piece::new(piece).is_none() {
            return Err(Refusal::Invalid);
        } else {
            if let Some(place) = place {
                self.seat_candidate(slot, place, piece, play, name, now);
            }
            return Ok(());
        };
        self.reply(slot, &refusal);
        Ok(())
    }

    /// A candidate has a place from now on, so that no other can take it or its name before the vote is over.
    fn seat_candidate(&mut self, slot: u16, place: UserId, piece: u8, play: bool, name: Name<'_>, now: Millis) {
        if self.hall.users.get(place).is_some() {
            self.hall.users.clear(place);
            self.lose_dumps_naming(place);
        }
        let mut user = User::BLANK;
        user.standing = Standing::Candidate;
        user.piece = piece;
        user.wants_play = play;
        user.set_name(name);
        user.connect(Some(slot));
        self.hall.users.put(place, user);
        if let Some(line) = self.line_mut(slot) {
            line.state = State::Candidate;
            line.user = place;
            line.wrong = 0;
        }
        if self.hall.is_electorate_empty(place) {
            self.admit(place, now);
        } else {
            self.hall.queue(place);
            self.reply(slot, &Message::JoinPending {});
        }
    }

    /// A candidate becomes a user; the messages in the order of pimp 2.
    pub(super) fn admit(&mut self, place: UserId, now: Millis) {
        let hall = &mut self.hall;
        let Some(candidate) = hall.users.get(place) else { return };
        let Some(slot) = candidate.slot() else { return };
        let mut user = candidate.clone();
        // The lowest number that is free now: a candidate before this one may have been refused.
        hall.users.clear(place);
        let id = hall.users.lowest_free().unwrap_or(place);
        let plays = user.wants_play;
        user.standing = Standing::User;
        user.candidate = 0;
        user.piece = hall.choose_piece(user.name(), user.piece, plays);
        let password = hall.dice.secret(Kind::Password);
        user.seal = hall.seal(id, password);
        user.paid = plays;
        (user.spoke_at, user.ping_at) = (now, now);
        let piece = user.piece;
        hall.users.put(id, user);
        if let Some(line) = self.lines.get_mut(usize::from(slot)) {
            line.state = State::User;
            line.user = id;
            line.refused = 0;
        }
        self.out.enter(slot, 0);
        self.reply(slot, &Message::WelcomeDetails { player: id, password });
        self.welcome(id, piece, plays);
        if plays {
            // There is a seat: every caller asks `is_full_of_players` first.
            let _ = self.play(|game, cx| game.sit(id, START_CASH, cx));
        }
        self.dump(slot);
        if plays {
            self.play(|game, cx| game.start(id, cx));
        }
        self.hall.watch.stir = true;
    }

    fn welcome(&mut self, player: UserId, piece: u8, plays: bool) {
        let name = self.hall.users.get(player).map(User::name).unwrap_or_default();
        let message = if plays {
            Message::WelcomePlayer { player, piece, name }
        } else {
            Message::WelcomeObserver { player, piece, name }
        };
        super::say(&mut self.out, crate::outbox::Audience::Room, &message);
    }
}

impl<const USERS: usize> super::Hall<USERS> {
    pub(super) fn is_full_of_players(&self) -> bool {
        self.game.players.len() >= usize::from(self.config.max_players).min(crate::pimp::limits::SEATS)
    }

    /// "The player with name kerz should always be identified by a car piece, and pavlov always by a donkey", which
    /// board 0 lacks: the horse is its nearest kin. Others get their wish if no player has it, else the lowest free.
    fn choose_piece(&self, name: Name<'_>, wish: u8, plays: bool) -> u8 {
        match name.bytes() {
            b"kerz" => return Piece::CAR.id(),
            b"pavlov" => return Piece::HORSE.id(),
            _ if !plays => return wish,
            _ => {}
        }
        let is_free = |piece: u8| {
            !self.game.players.iter().any(|player| self.users.get(player.id).is_some_and(|user| user.piece == piece))
        };
        if wish != Piece::ANY.id() && is_free(wish) {
            return wish;
        }
        Piece::all().map(Piece::id).find(|piece| *piece != Piece::ANY.id() && is_free(*piece)).unwrap_or_default()
    }
}

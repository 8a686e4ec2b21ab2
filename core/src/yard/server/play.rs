//! A game's events brought to its links. Only here is it decided who sees Mr. X.

use core::fmt::Write;

use heapless::String;

use super::dump::pawninfo;
use super::line::Role;
use super::rooms::{Room, RoomId};
use super::{Asker, Audience, Denied, Hall, Out, Verdict, Yard, hall_of, say, say_but};
use crate::server::Millis;
use crate::yard::pieces::{Pawn, Team};
use crate::yard::rules::{Event, Eye, Game, Outcome, Past, Refusal, is_reveal};
use crate::yard::wire::{Hop, Spot, Stage, Status};

/// The longest reason of an end: "all detectives are stuck and Mr. X is at 199".
type Reason = String<64>;

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    /// The link of Mr. X's player, if it is here.
    fn slot_of_x(&self, room: RoomId) -> Option<u16> {
        self.present(room, self.hall.room(room)?.owner(Pawn::X)?)
    }

    /// Draws the starts and tells everybody where things stand.
    pub(super) fn begin_game(&mut self, room: RoomId) {
        let x = self.slot_of_x(room);
        let all = Audience::Teams(hall_of(room));
        let Self { hall, out, .. } = self;
        let Some(Room { stage, game, draws, .. }) = hall.rooms.get_mut(usize::from(room)) else { return };
        *stage = Stage::InProgress;
        hall.dice.lend(draws, |dice| game.begin(dice));
        say(out, all, &Status::GameStart {});
        let Some(game) = hall.room(room) else { return };
        let past = Past::new(&game.game, 0, Eye::Public);
        let hidden = pawninfo(hall, game, past, Pawn::X);
        let seen = pawninfo(hall, game, Past::new(&game.game, 0, Eye::All), Pawn::X);
        tell_apart(out, room, x, &hidden, &seen);
        for pawn in Pawn::DETECTIVES {
            say(out, all, &pawninfo(hall, game, past, pawn));
        }
        say(out, all, &Status::TurnNum { turn: game.game.turn() });
        say(out, all, &Status::Turn { pawn: game.game.next() });
    }

    /// `move` and `doublemove`, with the pawn named or not: it must be the one to move, and the sender's.
    pub(super) fn make_move(
        &mut self,
        asker: Asker<'_>,
        room: RoomId,
        pawn: Option<Pawn>,
        first: Hop,
        second: Option<Hop>,
    ) -> Verdict {
        let account = self.line(asker.slot).map(|line| line.account).unwrap_or_default();
        let game = self.hall.room(room).ok_or(Denied::Bad("not now"))?;
        let next = game.game.next();
        if game.owner(next) != Some(account) || pawn.is_some_and(|pawn| pawn != next) {
            return Err(Denied::No("it is not your turn"));
        }
        self.move_next(Some(asker), room, first, second).map_err(|refusal| Denied::No(refusal.reason()))?;
        if let Some(account) = self.hall.accounts.get_mut(usize::from(account)) {
            account.has_played = true;
        }
        Ok(())
    }

    /// Moves the pawn whose turn it is, for its player or (without an asker) in its player's place.
    fn move_next(
        &mut self,
        mut asker: Option<Asker<'_>>,
        room: RoomId,
        first: Hop,
        second: Option<Hop>,
    ) -> Result<(), Refusal> {
        let x = self.slot_of_x(room);
        let Self { hall, out, .. } = self;
        let game = hall.room_mut(room).map(|room| &mut room.game).ok_or(Refusal::Over)?;
        // The answer comes first, but only if the move is made: the events wait for it.
        game.apply(game.next(), first, second, &mut |event| {
            if let Some(Asker { slot, tag }) = asker.take() {
                super::answer(out, slot, &super::Said::Reply(tag, super::Reply::Ok));
            }
            tell_event(out, room, x, event);
        })?;
        if game.outcome() != Outcome::Open {
            self.end_game(room);
        }
        Ok(())
    }

    /// Moves for players whose time has come (yard 2.24).
    pub(super) fn move_for_late(&mut self, now: Millis) {
        for room in 0..GAMES as RoomId {
            if !self.hall.room(room).is_some_and(|game| self.is_timed(game) && game.due <= now) {
                continue;
            }
            let Hall { rooms, dice, .. } = &mut self.hall;
            let Some(Room { game, draws, .. }) = rooms.get_mut(usize::from(room)) else { continue };
            if let Some(hop) = dice.lend(draws, |dice| game.idle_hop(dice)) {
                // The move is a legal one.
                let _ = self.move_next(None, room, hop, None);
            }
        }
    }

    fn is_timed(&self, room: &Room) -> bool {
        let is_running = room.timed != 0 && room.timed == room.awaited_move();
        self.hall.config.move_timeout != 0 && is_running && room.due != Millis(0)
    }

    /// When the first player has had all the time there is.
    pub(super) fn next_late(&self) -> Option<Millis> {
        self.hall.rooms.iter().filter(|room| self.is_timed(room)).map(|room| room.due).min()
    }

    /// After every input: what is waited for since now.
    pub(super) fn start_clocks(&mut self, now: Millis) {
        let timeout = self.hall.config.move_timeout;
        self.hall.rooms.iter_mut().for_each(|room| room.start_clock(timeout, now));
    }

    fn end_game(&mut self, room: RoomId) {
        let Some(game) = self.hall.room_mut(room) else { return };
        let (winner, why) = (game.game.outcome().winner().unwrap_or_default(), reason(&game.game));
        game.stage = Stage::Complete;
        self.hall.close_draws(room);
        self.say(room, &Status::GameOver { winner, reason: &why });
        // Players who are absent at the end are removed.
        for place in 0..super::SEATS {
            let seat = self.hall.room(room).and_then(|game| game.seats.get(place).copied());
            let Some(seat) = seat.filter(|seat| self.present(room, seat.account).is_none()) else { continue };
            if let Some(seat) = self.hall.room_mut(room).and_then(|game| game.seat_mut(seat.account)) {
                seat.gone = true;
            }
        }
        self.push_or_remove(room);
    }
}

/// Says how the game was won, and where.
fn reason(game: &Game) -> Reason {
    let (mut text, at) = (Reason::new(), game.at(Pawn::X).number());
    // There is room for the longest.
    let _ = match (game.outcome(), game.catcher()) {
        (Outcome::Caught, Some(by)) => write!(text, "{} caught {} at {at}", by.name(), Team::MrX.name()),
        (Outcome::Stuck, _) => write!(text, "all detectives are stuck and Mr. X is at {at}"),
        _ => write!(text, "Mr. X was not caught and is at {at}"),
    };
    text
}

/// One line to Mr. X's player, another to everybody else in the game: as many lines to each.
fn tell_apart<const RING: usize, const LINKS: usize>(
    out: &mut Out<RING, LINKS>,
    room: RoomId,
    x: Option<u16>,
    hidden: &Status<'_>,
    seen: &Status<'_>,
) {
    match x {
        Some(slot) => {
            say_but(out, room, (slot, Role::MrX), hidden);
            say(out, Audience::One(slot), seen);
        }
        None => say(out, Audience::Teams(hall_of(room)), hidden),
    }
}

fn tell_event<const RING: usize, const LINKS: usize>(
    out: &mut Out<RING, LINKS>,
    room: RoomId,
    x: Option<u16>,
    event: Event,
) {
    let all = Audience::Teams(hall_of(room));
    match event {
        Event::Moved { step, turn } => {
            let (pawn, ticket, to) = (step.pawn(), step.ticket(), Spot(Some(step.to())));
            let seen = Status::Move { pawn, to, ticket };
            if pawn == Pawn::X && !is_reveal(turn) {
                tell_apart(out, room, x, &Status::Move { pawn, to: Spot(None), ticket }, &seen);
            } else {
                say(out, all, &seen);
            }
        }
        Event::TurnNum(turn) => say(out, all, &Status::TurnNum { turn }),
        Event::Stuck(pawn) => say(out, all, &Status::Stuck { pawn }),
        Event::Turn(pawn) => say(out, all, &Status::Turn { pawn }),
        // Told by `end_game`, which knows how to say why.
        Event::Over(_) => {}
    }
}

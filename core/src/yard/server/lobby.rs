//! The games there are: made, listed, joined, watched, left and removed.

use super::dump::Kind;
use super::line::{Role, State};
use super::names::fit;
use super::rooms::{Room, RoomId, Seat};
use super::{Asker, Audience, Denied, Hall, LOBBY, Verdict, Yard, hall_of, say, team_of};
use crate::fmt::info;
use crate::names::are_alike;
use crate::server::Millis;
use crate::yard::limits::games_each;
use crate::yard::pieces::Team;
use crate::yard::wire::{GAME_CHARS, Stage, Status};

/// The one kind of game there is.
const STANDARD: &str = "standard";
const NO_SUCH_GAME: Denied = Denied::No("there is no such game");

fn gameinfo(room: &Room) -> Status<'_> {
    // At most six.
    let players = room.players().count() as u8;
    Status::GameInfo { name: room.name.as_str(), stage: room.stage, kind: STANDARD, players }
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    pub(super) fn find_room(&self, name: &str) -> Option<RoomId> {
        let name = name.trim();
        let found = self.hall.rooms.iter().position(|room| room.is_open() && room.name.as_str() == name)?;
        Some(found as RoomId)
    }

    pub(super) fn list_games(&mut self, asker: Asker<'_>) {
        let Self { hall, out, .. } = self;
        for room in hall.rooms.iter().filter(|room| room.is_open()) {
            say(out, Audience::One(asker.slot), &gameinfo(room));
        }
        self.ok(asker);
    }

    /// Tells all users who are in no game.
    pub(super) fn push_game(&mut self, room: RoomId) {
        let Self { hall, out, .. } = self;
        if let Some(room) = hall.room(room) {
            say(out, Audience::Teams(LOBBY), &gameinfo(room));
        }
    }

    pub(super) fn new_game(&mut self, asker: Asker<'_>, name: &str, kind: &str, now: Millis) -> Verdict {
        if kind != STANDARD {
            return Err(Denied::No("only standard games are played here"));
        }
        let name = fit(name, GAME_CHARS).ok_or(Denied::No("that is no name for a game"))?;
        let is_taken = |room: &Room| room.is_open() && are_alike(room.name.as_str(), name.as_str());
        if self.hall.rooms.iter().any(is_taken) {
            return Err(Denied::No("that name is taken"));
        }
        self.check_games_of(asker)?;
        if self.is_confined {
            return Err(Denied::No("too many games were made from your address"));
        }
        let room = self.free_room(now).ok_or(Denied::No("there is no room for another game"))?;
        let Hall { rooms, dice, .. } = &mut self.hall;
        if let Some(place) = rooms.get_mut(usize::from(room)) {
            *place = Room { name, draws: dice.new_game(), ..Room::BLANK };
        }
        self.ok(asker);
        self.sit(asker.slot, room, Team::MrX);
        Ok(())
    }

    /// One account has seats in so many games that go on: few users must not fill all places and leave (yard 2.7).
    fn check_games_of(&self, asker: Asker<'_>) -> Verdict {
        let account = self.line(asker.slot).map(|line| line.account).unwrap_or_default();
        let goes_on =
            |room: &&Room| room.is_open() && room.stage == Stage::InProgress && room.seat_of(account).is_some();
        let has_enough = self.hall.rooms.iter().filter(goes_on).count() >= games_each(GAMES);
        if has_enough { Err(Denied::No("finish another of your games first")) } else { Ok(()) }
    }

    /// A place for a game: one without a game, or that of the game deserted for longest. A link that is still being
    /// told of that game loses its place: how fast links read must not decide who gets one.
    fn free_room(&mut self, now: Millis) -> Option<RoomId> {
        let rooms = self.hall.rooms.iter().enumerate();
        let room = match rooms.clone().find(|(_, room)| !room.is_open()) {
            Some((free, _)) => free as RoomId,
            None => {
                let patience = Some(u64::from(self.hall.config.deserted)).filter(|patience| *patience != 0)?;
                let deserted = rooms.filter(|(id, room)| {
                    let is_old = room.stage == Stage::InProgress && now.since(room.deserted_since) >= patience;
                    is_old && !self.has_players(*id as RoomId)
                });
                let (oldest, _) = deserted.min_by_key(|(_, room)| room.deserted_since)?;
                self.remove_game(oldest as RoomId);
                oldest as RoomId
            }
        };
        self.forget_game(room);
        Some(room)
    }

    /// Links that are still being told of a removed game lose their place.
    pub(super) fn forget_game(&mut self, room: RoomId) {
        for (slot, _) in (0..).zip(&self.lines).filter(|(_, line)| line.snapshot.room == room) {
            self.out.lose(slot);
        }
        if let Some(game) = self.hall.rooms.get_mut(usize::from(room)) {
            *game = Room::BLANK;
        }
    }

    /// Is any of its players here?
    pub(super) fn has_players(&self, room: RoomId) -> bool {
        let seats = self.hall.room(room).map(|room| room.players());
        seats.into_iter().flatten().any(|seat| self.present(room, seat.account).is_some())
    }

    pub(super) fn join(&mut self, asker: Asker<'_>, name: &str) -> Verdict {
        let room = self.find_room(name).ok_or(NO_SUCH_GAME)?;
        let account = self.line(asker.slot).map(|line| line.account).unwrap_or_default();
        let game = self.hall.room(room).ok_or(NO_SUCH_GAME)?;
        match game.stage {
            Stage::New => {
                self.check_games_of(asker)?;
                let team = game.team_for_newcomer().ok_or(Denied::No("the game is full"))?;
                self.ok(asker);
                self.sit(asker.slot, room, team);
            }
            Stage::InProgress => {
                let seat = game.seat_of(account).ok_or(Denied::No("the game has begun without you"))?;
                let role = role_of(seat.team);
                self.enter(asker.slot, room, role);
                // `ok` and the lines of a rejoin; the others hear of the return.
                self.tell(asker, room, Kind::Whole);
                let Self { hall, out, .. } = self;
                super::say_but(out, room, (asker.slot, role), &Status::Rejoin { user: hall.name(account) });
            }
            Stage::Complete => return Err(Denied::No("the game is over")),
        }
        Ok(())
    }

    /// Watches: sees what a detective sees, and no one is told.
    pub(super) fn watch(&mut self, asker: Asker<'_>, name: &str) -> Verdict {
        let room = self.find_room(name).ok_or(NO_SUCH_GAME)?;
        let stage = self.hall.room(room).map(|room| room.stage).ok_or(NO_SUCH_GAME)?;
        self.enter(asker.slot, room, Role::Watcher);
        match stage {
            Stage::New => self.ok(asker),
            Stage::InProgress | Stage::Complete => self.tell(asker, room, Kind::Whole),
        }
        Ok(())
    }

    /// From here on the link hears what its game is told.
    pub(super) fn enter(&mut self, slot: u16, room: RoomId, role: Role) {
        if let Some(line) = self.line_mut(slot) {
            line.set_room(Some(room));
            line.role = role;
        }
        self.out.enter(slot, team_of(room, role));
    }

    /// A new player of a new game.
    fn sit(&mut self, slot: u16, room: RoomId, team: Team) {
        let account = self.line(slot).map(|line| line.account).unwrap_or_default();
        if let Some(game) = self.hall.room_mut(room) {
            // `team_for_newcomer` has found a seat.
            let _ = game.seats.push(Seat { account, team, vote: false, gone: false });
        }
        self.enter(slot, room, role_of(team));
        self.tell_team(room, team, Some(slot));
        self.push_game(room);
    }

    pub(super) fn leave(&mut self, asker: Asker<'_>, now: Millis) {
        self.ok(asker);
        self.walk_out(asker.slot, now);
    }

    /// Out of the game that it is in, into the lobby; or, where the game goes on, away from a seat that is kept.
    pub(super) fn walk_out(&mut self, slot: u16, now: Millis) {
        let Some(line) = self.line_mut(slot) else { return };
        let (Some(room), account, role) = (line.room(), line.account, line.role) else { return };
        line.set_room(None);
        self.out.enter(slot, (LOBBY * 4) as u8);
        if role == Role::Watcher {
            return;
        }
        let Self { hall, out, .. } = self;
        say(out, Audience::Teams(hall_of(room)), &Status::PlayerLeave { user: hall.name(account) });
        let Some(game) = self.hall.room_mut(room) else { return };
        let team = game.seat_of(account).map(|seat| seat.team).unwrap_or_default();
        match game.stage {
            Stage::InProgress => {
                if !self.has_players(room)
                    && let Some(game) = self.hall.room_mut(room)
                {
                    game.deserted_since = now;
                }
                return;
            }
            Stage::New => game.seats.retain(|seat| seat.account != account),
            Stage::Complete => {
                if let Some(seat) = game.seat_mut(account) {
                    seat.gone = true;
                }
            }
        }
        self.tell_team(room, team, None);
        self.push_or_remove(room);
    }

    /// Tells all users who are in no game of a game that is new or over; one without players is removed (yard 2.20).
    pub(super) fn push_or_remove(&mut self, room: RoomId) {
        if self.hall.room(room).is_some_and(|game| game.players().count() == 0) {
            self.remove_game(room);
        } else {
            self.push_game(room);
        }
    }

    /// Links in the game are put into the lobby; everybody there is told.
    pub(super) fn remove_game(&mut self, room: RoomId) {
        for slot in 0..LINKS as u16 {
            let Some(line) = self.line_mut(slot) else { continue };
            if line.state == State::User && line.room() == Some(room) {
                line.set_room(None);
                self.out.enter(slot, (LOBBY * 4) as u8);
            }
        }
        let Self { hall, out, .. } = self;
        hall.close_draws(room);
        if let Some(game) = hall.room_mut(room) {
            info!("game {}: removed", room);
            say(out, Audience::Teams(LOBBY), &Status::GameRemoved { name: game.name.as_str() });
            game.removed = true;
        }
    }
}

pub(super) fn role_of(team: Team) -> Role {
    match team {
        Team::MrX => Role::MrX,
        Team::Detectives => Role::Detective,
    }
}

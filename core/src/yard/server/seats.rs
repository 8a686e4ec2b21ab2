//! Around a game: teams, votes to begin, bots and chat.

use super::line::Wanted;
use super::lobby::role_of;
use super::rooms::RoomId;
use super::{Asker, Audience, Denied, Verdict, Yard, hall_of, say, team_of};
use crate::yard::pieces::Team;
use crate::yard::wire::{Stage, Status, Vote};

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    /// `* playerinfo` of every player whom `wanted` names, to `to`.
    fn tell_players(&mut self, room: RoomId, to: Audience, wanted: impl Fn(Team, u16) -> bool) {
        let Some(game) = self.hall.room(room) else { return };
        for seat in game.players().filter(|seat| wanted(seat.team, seat.account)) {
            // An absent player's vote counts as True.
            let vote = Vote(seat.vote || self.present(room, seat.account).is_none());
            let (user, pawns) = (self.hall.name(seat.account), game.pawns_of(seat.account));
            say(&mut self.out, to, &Status::PlayerInfo { user, team: seat.team, vote, pawns });
        }
    }

    /// A team has changed, and so may its pawns have: all others in the game are told.
    pub(super) fn tell_team(&mut self, room: RoomId, team: Team, but: Option<u16>) {
        let role = but.and_then(|slot| self.line(slot)).map(|line| line.role);
        if let Some(slot) = but {
            self.out.leave(slot);
        }
        self.tell_players(room, Audience::Teams(hall_of(room)), |of, _| of == team);
        if let (Some(slot), Some(role)) = (but, role) {
            self.out.enter(slot, team_of(room, role));
        }
    }

    pub(super) fn list_players(&mut self, asker: Asker<'_>, room: RoomId) {
        self.ok(asker);
        self.tell_players(room, Audience::One(asker.slot), |_, _| true);
    }

    pub(super) fn list_players_of(&mut self, asker: Asker<'_>, name: &str) -> Verdict {
        let room = self.find_room(name).ok_or(Denied::No("there is no such game"))?;
        self.list_players(asker, room);
        Ok(())
    }

    pub(super) fn set_team(&mut self, asker: Asker<'_>, room: RoomId, team: &str) -> Verdict {
        let team = Team::named(team).ok_or(Denied::No("there is no such team"))?;
        let account = self.line(asker.slot).map(|line| line.account).unwrap_or_default();
        let game = self.hall.room_mut(room).ok_or(Denied::Bad("not now"))?;
        let old = game.seat_of(account).map(|seat| seat.team).ok_or(Denied::Bad("not now"))?;
        if old != team {
            if !game.has_room(team) {
                return Err(Denied::No("that team is full"));
            }
            if let Some(seat) = game.seat_mut(account) {
                seat.team = team;
            }
        }
        self.ok(asker);
        if old != team {
            self.enter(asker.slot, room, role_of(team));
            // The player who changed sides is told, too: a client shows what it was told (yard 2.12).
            self.tell_team(room, old, None);
            self.tell_team(room, team, None);
            self.begin_if_ready(room);
        }
        Ok(())
    }

    pub(super) fn vote(&mut self, asker: Asker<'_>, room: RoomId, vote: Vote) {
        self.ok(asker);
        let account = self.line(asker.slot).map(|line| line.account).unwrap_or_default();
        if let Some(seat) = self.hall.room_mut(room).and_then(|game| game.seat_mut(account)) {
            seat.vote = vote.0;
        }
        self.tell_players(room, Audience::Teams(hall_of(room)), |_, of| of == account);
        self.begin_if_ready(room);
    }

    /// A seat must be free for it; the adapter sees to the rest, and the asker hears when it sits.
    pub(super) fn call_bot(&mut self, asker: Asker<'_>, room: RoomId) -> Verdict {
        let is_free = self.hall.room(room).is_some_and(|game| game.team_for_newcomer().is_some());
        if !is_free {
            return Err(Denied::No("the game is full"));
        }
        if let Some(line) = self.line_mut(asker.slot) {
            line.want(Wanted::Bot, asker.tag);
        }
        Ok(())
    }

    /// Tells every player of every game in progress, by the game's name and the player's, connected or not: for an adapter
    /// whose own players are among them.
    pub fn each_player(&self, mut tell: impl FnMut(&str, &str)) {
        let rooms = self.hall.rooms.iter().filter(|room| room.is_open() && room.stage == Stage::InProgress);
        rooms.for_each(|room| room.players().for_each(|seat| tell(room.name.as_str(), self.hall.name(seat.account))));
    }

    fn begin_if_ready(&mut self, room: RoomId) {
        let is_ready = self.hall.room(room).is_some_and(|game| game.stage == Stage::New && game.is_ready());
        if is_ready {
            self.begin_game(room);
            self.push_game(room);
        }
    }

    /// To everybody in the game, or to the speaker's team; the speaker hears it, too.
    pub(super) fn chat(&mut self, asker: Asker<'_>, room: RoomId, text: &str, team: bool) -> Verdict {
        if text.contains(char::is_control) {
            return Err(Denied::No("only what can be read can be said"));
        }
        let role = self.line(asker.slot).map(|line| line.role).unwrap_or_default();
        self.ok(asker);
        let account = self.line(asker.slot).map(|line| line.account).unwrap_or_default();
        let Self { hall, out, .. } = self;
        let user = hall.name(account);
        if team {
            say(out, Audience::Team(u16::from(team_of(room, role))), &Status::ChatTeam { user, text });
        } else {
            say(out, Audience::Teams(hall_of(room)), &Status::ChatAll { user, text });
        }
        Ok(())
    }
}

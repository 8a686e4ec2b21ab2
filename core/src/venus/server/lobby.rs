//! Rooms: made, entered, left and removed; talk in them; new games (venus 3.6 to 3.11).

use core::fmt::Write;

use heapless::String;

use super::gui::{self, GAME_GUI};
use super::names::fit;
use super::rooms::{Room, RoomId};
use super::{GREAT_HALL, Venus, Verdict, say, team, team_of};
use crate::accounts::AccountId;
use crate::fmt::info;
use crate::names::are_alike;
use crate::outbox::Audience;
use crate::server::Millis;
use crate::venus::limits::games_each;
use crate::venus::wire::{Event, MESSAGE_MAX, Names, TALK_MAX};

const NO_NAME: &str = "That is no name for a room.";
const TAKEN: &str = "There is a room of that name.";
const FULL: &str = "There is no space for another room.";
const CONFINED: &str = "Too many rooms were made from your address.";
const BUSY: &str = "Finish another of your games first.";
const NO_ROOM: &str = "There is no such room.";
const NO_GAME: &str = "That game is not played here.";
const NO_TALK: &str = "A message has 1 to 200 bytes.";
const ABSENT: &str = "That user is not here.";

/// Rooms that one user may have made and no one entered yet.
const UNENTERED_MAX: usize = 3;

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    /// The room of this name; `Some(None)` is the Great Hall.
    pub(super) fn find_room(&self, name: &str) -> Option<Option<RoomId>> {
        if name == GREAT_HALL {
            return Some(None);
        }
        let found = self.hall.rooms.iter().position(|room| room.is_open() && room.name.as_str() == name)?;
        Some(Some(found as RoomId))
    }

    /// The maker does not move there.
    pub(super) fn new_room(&mut self, slot: u16, name: &str, now: Millis) -> Verdict {
        let name = fit(name).ok_or(NO_NAME)?;
        let is_taken = |room: &Room| room.is_open() && are_alike(room.name.as_str(), name.as_str());
        if are_alike(name.as_str(), GREAT_HALL) || self.hall.rooms.iter().any(is_taken) {
            return Err(TAKEN);
        }
        self.check_games_of(slot)?;
        let maker = self.line(slot).map(|line| line.account).unwrap_or_default();
        let is_unentered = |room: &&Room| room.is_open() && !room.entered && room.maker == maker;
        if self.hall.rooms.iter().filter(is_unentered).count() >= UNENTERED_MAX {
            return Err(FULL);
        }
        if self.is_confined {
            return Err(CONFINED);
        }
        let room = self.free_room(now).ok_or(FULL)?;
        if let Some(place) = self.hall.rooms.get_mut(usize::from(room)) {
            *place = Room { name, maker, empty_since: now, ..Room::BLANK };
        }
        self.hall.change();
        self.push_room(room);
        Ok(())
    }

    /// A user has seats in only so many games: few must not fill all rooms with games and leave (venus 3.6).
    pub(super) fn check_games_of(&self, slot: u16) -> Verdict {
        let user = self.user(slot);
        let is_seat = |room: &&Room| room.status() == super::rooms::Status::InProgress && room.keeps(user);
        let has_enough = self.hall.rooms.iter().filter(is_seat).count() >= games_each(ROOMS);
        if has_enough { Err(BUSY) } else { Ok(()) }
    }

    /// A free place, or that of the room that has been empty for longest.
    fn free_room(&mut self, now: Millis) -> Option<RoomId> {
        if let Some(free) = self.hall.rooms.iter().position(|room| !room.is_open()) {
            return Some(free as RoomId);
        }
        let patience = Some(u64::from(self.hall.config.deserted)).filter(|patience| *patience != 0)?;
        let rooms = (0..).zip(&self.hall.rooms);
        let is_deserted = |(id, room): &(RoomId, &Room)| {
            now.since(room.empty_since) >= patience && self.inside(Some(*id)).next().is_none()
        };
        let (oldest, _) = rooms.filter(is_deserted).min_by_key(|(_, room)| room.empty_since)?;
        self.remove_room(oldest);
        Some(oldest)
    }

    /// Tells everybody how a room stands.
    pub(super) fn push_room(&mut self, room: RoomId) {
        let Self { hall, out, .. } = self;
        if let Some(room) = hall.room(room) {
            let game = if room.has_game { GAME_GUI } else { "" };
            let status = room.status().text();
            say(out, Audience::Room, &Event::GuiRoom { room: room.name.as_str(), game, status });
        }
    }

    pub(super) fn change_room(&mut self, slot: u16, name: &str, now: Millis) -> Verdict {
        let room = self.find_room(name).ok_or(NO_ROOM)?;
        let Some(line) = self.line_mut(slot) else { return Ok(()) };
        let (old, account) = (line.room(), line.account);
        line.set_room(room);
        self.out.enter(slot, team_of(room));
        self.hall.change();
        if old != room {
            self.walk_away(account, old, now);
        }
        let had_game = old.and_then(|old| self.hall.room(old)).is_some_and(|old| old.has_game);
        self.enter(slot, room, had_game, now);
        let Self { hall, out, .. } = self;
        say(out, Audience::Room, &Event::Inhabitant { user: hall.name(account), room: hall.room_name(room) });
        if old != room {
            self.drop_if_done(old, now);
        }
        Ok(())
    }

    /// What a newcomer to a room hears.
    fn enter(&mut self, slot: u16, room: Option<RoomId>, had_game: bool, now: Millis) {
        let one = Audience::One(slot);
        let Self { hall, out, .. } = self;
        if had_game {
            say(out, one, &Event::DropGui { gui: GAME_GUI });
        }
        let games = if room.is_some() { Names::Joined(GAME_GUI) } else { Names::NONE };
        say(out, one, &Event::Games { list: games });
        let has_game = room.and_then(|room| hall.room_mut(room)).is_some_and(|room| {
            room.entered = true;
            room.has_game
        });
        if has_game {
            self.show_gui(one, GAME_GUI);
            self.refresh(slot);
        }
        let Self { hall, out, .. } = self;
        say(out, one, &Event::SaveGames { list: hall.saves.names() });
        if let Some(room) = room {
            self.note_presence(room, now);
        }
    }

    pub(super) fn show_gui(&mut self, to: Audience, gui: &str) {
        let Self { hall, out, .. } = self;
        let (directory, file) = (hall.config.gui.as_str(), gui::file(gui));
        say(out, to, &Event::NewGui { gui, directory, file });
    }

    /// The link is gone: it has left its room.
    pub(super) fn walk_out(&mut self, account: AccountId, room: Option<RoomId>, now: Millis) {
        self.walk_away(account, room, now);
        self.drop_if_done(room, now);
    }

    /// A player who leaves before a game has begun gives up the seat; afterwards it is kept.
    fn walk_away(&mut self, account: AccountId, room: Option<RoomId>, now: Millis) {
        let Some(room) = room else { return };
        self.give_up_seat(account, room, now);
        self.note_presence(room, now);
    }

    /// An empty room is removed, unless its game is in progress.
    fn drop_if_done(&mut self, room: Option<RoomId>, now: Millis) {
        let Some(id) = room.filter(|room| self.inside(Some(*room)).next().is_none()) else { return };
        let Some(room) = self.hall.room_mut(id) else { return };
        room.empty_since = now;
        if room.status() != super::rooms::Status::InProgress {
            self.remove_room(id);
        }
    }

    /// Rooms that this user has made and no one has entered go with their maker.
    pub(super) fn drop_unentered(&mut self, maker: AccountId) {
        for id in 0..ROOMS as u16 {
            let is_unentered = |room: &Room| !room.entered && room.maker == maker;
            if self.hall.room(id as RoomId).is_some_and(is_unentered) {
                self.remove_room(id as RoomId);
            }
        }
    }

    /// Moves the users in the room of this name to the Great Hall, and removes the room and its game. Whether there was
    /// one.
    pub(super) fn close_room(&mut self, name: &str, now: Millis) -> bool {
        let Some(Some(id)) = self.find_room(name) else { return false };
        self.out.note_change();
        for slot in 0..LINKS as u16 {
            if self.line(slot).is_some_and(|line| line.is_user() && line.room() == Some(id)) {
                // There is always a Great Hall.
                let _ = self.change_room(slot, GREAT_HALL, now);
            }
        }
        // The room went with the last user, unless its game was in progress.
        if self.hall.room(id).is_some() {
            self.remove_room(id);
        }
        true
    }

    /// The room is empty. Everybody is told.
    fn remove_room(&mut self, id: RoomId) {
        let Self { hall, out, .. } = self;
        hall.close_draws(id);
        if let Some(room) = hall.rooms.get_mut(usize::from(id)) {
            info!("room {}: removed", id);
            say(out, Audience::Room, &Event::DropRoom { room: room.name.as_str() });
            *room = Room::BLANK;
        }
        hall.change();
    }

    /// Only in a room of one's own, without a game or with one that is over.
    pub(super) fn may_begin(&self, slot: u16) -> bool {
        let room = self.line(slot).and_then(|line| line.room()).and_then(|room| self.hall.room(room));
        room.is_some_and(|room| !room.has_game || room.game.winner().is_some())
    }

    pub(super) fn new_game(&mut self, slot: u16, game: &str, now: Millis) -> Verdict {
        if game != GAME_GUI {
            return Err(NO_GAME);
        }
        let Some(id) = self.line(slot).and_then(|line| line.room()) else { return Err(NO_GAME) };
        let Self { hall, out, .. } = self;
        let (chart, weapons) = (hall.config.chart(), hall.config.weapons);
        let Some(room) = hall.room_mut(id) else { return Err(NO_GAME) };
        if room.has_game {
            say(out, team(Some(id)), &Event::DropGui { gui: GAME_GUI });
        }
        room.has_game = true;
        room.names = Room::BLANK.names;
        room.game.begin(chart, weapons);
        room.told = room.status();
        hall.open_draws(id);
        self.game_replaced(id, now);
        Ok(())
    }

    /// There is another game in a room: everybody there is told of it, and of what can be loaded instead.
    fn game_replaced(&mut self, id: RoomId, now: Millis) {
        self.hall.change_game(id);
        self.hall.change();
        self.show_gui(team(Some(id)), GAME_GUI);
        self.refresh_all(id);
        let Self { hall, out, .. } = self;
        say(out, team(Some(id)), &Event::SaveGames { list: hall.saves.names() });
        self.push_room(id);
        self.note_presence(id, now);
    }

    pub(super) fn talk_to_room(&mut self, slot: u16, text: &str) -> Verdict {
        check_talk(text)?;
        let room = self.line(slot).and_then(|line| line.room());
        let mut message = String::<MESSAGE_MAX>::new();
        // There is room for the longest.
        let _ = write!(message, "({} to room '{}') {text}", self.user(slot), self.hall.room_name(room));
        say(&mut self.out, team(room), &Event::Message { text: &message });
        Ok(())
    }

    pub(super) fn talk_to_player(&mut self, slot: u16, user: &str, text: &str) -> Verdict {
        check_talk(text)?;
        let is_here = |slot: &u16| self.line(*slot).is_some_and(|line| line.is_user());
        let to = self.hall.slot_of(user).filter(is_here).ok_or(ABSENT)?;
        let mut message = String::<MESSAGE_MAX>::new();
        let _ = write!(message, "({}) {text}", self.user(slot));
        say(&mut self.out, Audience::One(to), &Event::Message { text: &message });
        Ok(())
    }
}

fn check_talk(text: &str) -> Verdict {
    if text.is_empty() || text.len() > TALK_MAX { Err(NO_TALK) } else { Ok(()) }
}

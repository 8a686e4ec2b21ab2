//! Games that wait for a player who is absent, or who takes too long (venus 4.5, 4.6).

use super::Venus;
use super::rooms::{Room, RoomId, Status};
use crate::server::Millis;

/// Actions that are done for one player at a time: more than a turn has.
const ACTIONS_A_TICK: usize = 64;

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
    /// A user came or went, or the turn passed on: does the game wait for an absent player?
    pub(super) fn note_presence(&mut self, id: RoomId, now: Millis) {
        let Some(room) = self.hall.room(id) else { return };
        let is_played = room.status() == Status::InProgress && room.game.has_started();
        let is_waiting = is_played && !self.is_present(id, room.game.current());
        let Some(room) = self.hall.room_mut(id) else { return };
        room.absent_since = match (is_waiting, room.absent_since) {
            (false, _) => Millis(0),
            (true, Millis(0)) => now.max(Millis(1)),
            (true, since) => since,
        };
    }

    /// Something was decided: what the game waits for now may take `move_timeout` (venus 4.6).
    pub(super) fn start_clock(&mut self, id: RoomId, now: Millis) {
        let timeout = u64::from(self.hall.config.move_timeout);
        let Some(room) = self.hall.room_mut(id) else { return };
        let runs = timeout != 0 && room.status() == Status::InProgress && room.game.has_started();
        room.due = if runs { now.plus(timeout) } else { Millis(0) };
    }

    /// When a room's game has waited long enough, for an absent player or for any.
    fn due(&self, room: &Room) -> Option<Millis> {
        let (patience, timeout) = (u64::from(self.hall.config.patience), self.hall.config.move_timeout);
        let absent = (patience != 0 && room.absent_since != Millis(0)).then(|| room.absent_since.plus(patience));
        let late = (timeout != 0 && room.due != Millis(0)).then_some(room.due);
        absent.into_iter().chain(late).min()
    }

    /// When the first game has waited long enough.
    pub(super) fn next_idle(&self) -> Option<Millis> {
        self.hall.rooms.iter().filter_map(|room| self.due(room)).min()
    }

    pub(super) fn play_for_idle(&mut self, now: Millis) {
        for id in 0..ROOMS as u16 {
            let id = id as RoomId;
            if self.hall.room(id).and_then(|room| self.due(room)).is_some_and(|due| due <= now) {
                self.play_idly(id, now);
            }
        }
    }

    /// Does what keeps the game going and decides as little as possible, to the end of the turn or until what was said of
    /// it leaves the others no time to read: then the rest is due a millisecond later, as no deadline may lie behind a tick.
    fn play_idly(&mut self, id: RoomId, now: Millis) {
        let (begun, patience) = (self.out.produced().ring, u64::from(self.hall.config.patience));
        let Some(seat) = self.hall.room(id).map(|room| room.game.current()) else { return };
        let slot = self.slots(id).get(seat.index()).copied().flatten();
        self.start_clock(id, now);
        for _ in 0..ACTIONS_A_TICK {
            let Some(game) = self.hall.room(id).map(|room| &room.game) else { return };
            let Some(action) = game.idle_action().filter(|_| game.current() == seat) else { return };
            if self.apply(id, Some(seat), slot, action, now).is_err() {
                return;
            }
            if self.out.produced().ring - begun > RING as u64 / 8 {
                break;
            }
        }
        if let Some(room) = self.hall.room_mut(id).filter(|room| room.game.current() == seat && room.game.has_started())
        {
            if room.absent_since != Millis(0) {
                room.absent_since = Millis(now.plus(1).0.saturating_sub(patience).max(1));
            }
            if room.due != Millis(0) {
                room.due = now.plus(1);
            }
        }
    }
}

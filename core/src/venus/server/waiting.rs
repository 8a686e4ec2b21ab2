//! Games that wait for somebody who is not there (venus 4.5).

use super::Venus;
use super::rooms::{RoomId, Status};
use crate::server::Millis;

/// Actions that are done for one absent player at a time: more than a turn has.
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
    /// Somebody came or went, or the turn passed on: does the game wait for an absent player?
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

    /// When the first of them has waited long enough.
    pub(super) fn next_absent(&self) -> Option<Millis> {
        let patience = u64::from(self.hall.config.patience);
        let waits = self.hall.rooms.iter().map(|room| room.absent_since).filter(|since| *since != Millis(0));
        waits.min().filter(|_| patience != 0).map(|since| since.plus(patience))
    }

    pub(super) fn play_for_absent(&mut self, now: Millis) {
        let patience = u64::from(self.hall.config.patience);
        for id in 0..ROOMS as u16 {
            let since = self.hall.room(id as RoomId).map_or(Millis(0), |room| room.absent_since);
            if patience != 0 && since != Millis(0) && since.plus(patience) <= now {
                self.play_idly(id as RoomId, now);
            }
        }
    }

    /// Does what keeps the game going and decides as little as possible, to the end of the turn or until what was said of
    /// it leaves the others no time to read: then the rest is due a millisecond later, as no deadline may lie behind a tick.
    fn play_idly(&mut self, id: RoomId, now: Millis) {
        let (begun, patience) = (self.out.produced().ring, u64::from(self.hall.config.patience));
        let Some(seat) = self.hall.room(id).map(|room| room.game.current()) else { return };
        for _ in 0..ACTIONS_A_TICK {
            let Some(game) = self.hall.room(id).map(|room| &room.game) else { return };
            let Some(action) = game.idle_action().filter(|_| game.current() == seat) else { return };
            if self.apply(id, Some(seat), None, action, now).is_err() {
                return;
            }
            if self.out.produced().ring - begun > RING as u64 / 8 {
                break;
            }
        }
        if let Some(room) = self.hall.room_mut(id).filter(|room| room.game.current() == seat && room.game.has_started())
        {
            room.absent_since = Millis(now.plus(1).0.saturating_sub(patience).max(1));
        }
    }
}

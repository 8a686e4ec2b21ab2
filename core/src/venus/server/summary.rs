//! The server in figures, for its operator, without a name; and its rooms and users as strangers may see them.

use super::Venus;
use super::rooms::{RoomId, Status};
use crate::server::{Sight, Stage, Summary};
use crate::venus::pieces::SEATS;

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
    pub(super) fn figures(&self) -> Summary {
        let rooms = || self.hall.rooms.iter().filter(|room| room.is_open() && room.has_game);
        let running = rooms().filter(|room| room.status() == Status::InProgress).count();
        let players = rooms().map(|room| usize::from(room.game.seat_count())).sum::<usize>();
        let users = || self.lines.iter().filter(|line| line.is_user());
        let watches = |line: &&super::Line| {
            let room = line.room().and_then(|room| self.hall.room(room)).filter(|room| room.has_game);
            room.is_some_and(|room| room.seat_of(self.hall.name(line.account)).is_none())
        };
        Summary {
            own: ("games", running as u32),
            users: self.hall.accounts.iter().filter(|account| account.is_made()).count() as u16,
            players: players as u16,
            watchers: users().filter(watches).count() as u16,
            connected: users().count() as u16,
            turn: 0,
            phase: if running > 0 { "playing" } else { "lobby" },
            commands: self.commands,
            lagging: self.out.lagging(),
        }
    }

    pub(super) fn look_around(&self, tell: &mut dyn FnMut(Sight<'_>)) {
        let users = || self.lines.iter().filter(|line| line.is_user());
        let name = |line: &super::Line| self.hall.name(line.account);
        users().filter(|line| line.room().is_none()).for_each(|line| tell(Sight::Guest(name(line))));
        for (id, room) in self.hall.rooms.iter().enumerate().filter(|(_, room)| room.is_open()) {
            let id = id as RoomId;
            let stage = match room.status() {
                Status::NoGame | Status::StartingUp => Stage::Filling,
                Status::InProgress => Stage::Playing,
                Status::Complete => Stage::Over,
            };
            tell(Sight::Table { name: room.name.as_str(), stage, seats: SEATS as u8, turn: 0 });
            let here = || users().filter(move |line| line.room() == Some(id));
            let mover = Some(room.game.current()).filter(|_| stage == Stage::Playing && room.game.has_started());
            for (seat, player) in room.game.seats().zip(&room.names).filter(|_| room.has_game) {
                let is_here = here().any(|line| name(line) == player.as_str());
                tell(Sight::Player { name: player.as_str(), is_here, is_awaited: mover == Some(seat) });
            }
            here().filter(|line| room.seat_of(name(line)).is_none()).for_each(|line| tell(Sight::Guest(name(line))));
        }
    }

    /// Tells every player of every game in progress, by the room's name and the player's, connected or not: for an adapter
    /// whose own players are among them.
    pub fn each_player(&self, mut tell: impl FnMut(&str, &str)) {
        for room in self.hall.rooms.iter().filter(|room| room.is_open() && room.status() == Status::InProgress) {
            let names = room.game.seats().zip(&room.names);
            names.for_each(|(_, name)| tell(room.name.as_str(), name.as_str()));
        }
    }
}

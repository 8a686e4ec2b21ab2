//! The server in figures, for whoever runs it. Names nobody and tells no secret.

use super::Venus;
use super::rooms::Status;
use crate::server::Summary;

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

    /// Tells every player of every game in progress, by the room's name and the player's, connected or not: for an adapter
    /// whose own players are among them.
    pub fn each_player(&self, mut tell: impl FnMut(&str, &str)) {
        for room in self.hall.rooms.iter().filter(|room| room.is_open() && room.status() == Status::InProgress) {
            let names = room.game.seats().zip(&room.names);
            names.for_each(|(_, name)| tell(room.name.as_str(), name.as_str()));
        }
    }
}

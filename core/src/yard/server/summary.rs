//! The server in figures, for whoever runs it. Names nobody and tells no secret.

use super::Yard;
use super::line::{Role, State};
use crate::server::Summary;
use crate::yard::wire::Stage;

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    pub(super) fn figures(&self) -> Summary {
        let rooms = || self.hall.rooms.iter().filter(|room| room.is_open());
        let users = || self.lines.iter().filter(|line| line.state == State::User);
        let running = rooms().filter(|room| room.stage == Stage::InProgress).count();
        Summary {
            own: ("games", running as u32),
            users: self.hall.accounts.iter().filter(|account| account.is_made()).count() as u16,
            players: rooms().map(|room| room.players().count()).sum::<usize>() as u16,
            watchers: users().filter(|line| line.room().is_some() && line.role == Role::Watcher).count() as u16,
            connected: users().count() as u16,
            turn: rooms().map(|room| u32::from(room.game.turn())).max().unwrap_or_default(),
            phase: if running > 0 { "playing" } else { "lobby" },
            commands: self.commands,
            lagging: self.out.lagging(),
        }
    }
}

//! The server in figures, for its operator, without a name; and its games and users as strangers may see them.

use super::Yard;
use super::line::{Line, Role, State};
use super::rooms::{RoomId, SEATS};
use crate::server::{self, Sight, Summary};
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

    pub(super) fn look_around(&self, tell: &mut dyn FnMut(Sight<'_>)) {
        let users = || self.lines.iter().filter(|line| line.state == State::User);
        users().filter(|line| line.room().is_none()).for_each(|line| tell(Sight::Guest(self.hall.name(line.account))));
        for (id, room) in self.hall.rooms.iter().enumerate().filter(|(_, room)| room.is_open()) {
            let id = id as RoomId;
            let stage = match room.stage {
                Stage::New => server::Stage::Filling,
                Stage::InProgress => server::Stage::Playing,
                Stage::Complete => server::Stage::Over,
            };
            let (name, turn) = (room.name.as_str(), u32::from(room.game.turn()));
            tell(Sight::Table { name, stage, seats: SEATS as u8, turn });
            let mover = room.owner(room.game.next()).filter(|_| room.stage == Stage::InProgress);
            for seat in room.players() {
                let is_here = self.present(id, seat.account).is_some();
                let is_awaited = mover == Some(seat.account);
                tell(Sight::Player { name: self.hall.name(seat.account), is_here, is_awaited });
            }
            let watches = |line: &&Line| line.room() == Some(id) && line.role == Role::Watcher;
            users().filter(watches).for_each(|line| tell(Sight::Guest(self.hall.name(line.account))));
        }
    }
}

//! A table in figures, for whoever runs it. Names nobody and tells no secret.

use super::Table;
use crate::pimp::rules::Phase;
use crate::server::Summary;

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    pub(super) fn figures(&self) -> Summary {
        let game = &self.hall.game;
        // At most 255 users and 8 players.
        let (users, players) = (self.users() as u16, game.players.len() as u16);
        let connected = self.hall.users.iter().filter(|(_, user)| user.is_user() && user.is_connected()).count() as u16;
        Summary {
            game: self.hall.number,
            users,
            players,
            watchers: users.saturating_sub(players),
            connected,
            turn: game.turn,
            phase: word(game.phase),
            commands: self.commands,
            lagging: self.out.lagging(),
        }
    }
}

fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Start => "start",
        Phase::JailStart => "jail",
        Phase::Again => "again",
        Phase::Sale { .. } => "sale",
        Phase::Auction { .. } => "auction",
        Phase::Tax { .. } => "tax",
        Phase::CardChoice { .. } => "card",
        Phase::Held { .. } => "held",
        Phase::Over { .. } => "over",
    }
}

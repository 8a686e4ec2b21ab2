//! A table in figures, for its operator, without a name; and its users as strangers may see them.

use super::Table;
use crate::pimp::rules::Phase;
use crate::server::{Sight, Stage, Summary};

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    pub(super) fn figures(&self) -> Summary {
        let game = &self.hall.game;
        // At most 255 users and 8 players.
        let (users, players) = (self.users() as u16, game.players.len() as u16);
        let connected = self.hall.users.iter().filter(|(_, user)| user.is_user() && user.is_connected()).count() as u16;
        Summary {
            own: ("number", self.hall.number),
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

    /// One table; its players come before its observers.
    pub(super) fn look_around(&self, tell: &mut dyn FnMut(Sight<'_>)) {
        let game = &self.hall.game;
        let stage = match game.phase {
            Phase::Idle => Stage::Filling,
            Phase::Over { .. } => Stage::Over,
            _ => Stage::Playing,
        };
        tell(Sight::Table { name: "", stage, seats: self.hall.config.max_players, turn: game.turn });
        for player in &game.players {
            if let Some(user) = self.hall.users.user(player.id) {
                let name = user.name().text().unwrap_or_default();
                tell(Sight::Player { name, is_here: user.is_connected(), is_awaited: game.awaits(player.id) });
            }
        }
        let users = self.hall.users.iter().filter(|(_, user)| user.is_user() && user.is_connected());
        for (_, user) in users.filter(|(id, _)| !game.is_player(*id)) {
            tell(Sight::Guest(user.name().text().unwrap_or_default()));
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

#[cfg(test)]
mod tests {
    use crate::pimp::limits::BoardTable;
    use crate::pimp::server::Config;
    use crate::pimp::wire::Framer;
    use crate::server::{Framer as _, Millis, Server, Summary};

    #[test]
    fn a_table_is_told_in_figures() {
        let mut table = BoardTable::new();
        table.begin(&[7; 32], &Config::DEFAULT, Millis(0));
        let empty = Summary { own: ("number", table.number()), phase: "idle", ..Summary::default() };
        assert_eq!(table.summary(), empty);
        let link = table.open(Millis(0)).unwrap();
        let mut framer = Framer::new();
        // HANDSHAKE, then JOIN as a watcher: piece 0, not playing, "ann".
        let said = [0x00, 1, 1, 0x02, 6, 0, 0, 3, b'a', b'n', b'n'];
        framer.window()[..said.len()].copy_from_slice(&said);
        framer.commit(said.len());
        table.receive(link, &mut framer, Millis(0));
        assert_eq!(table.summary(), Summary { users: 1, watchers: 1, connected: 1, commands: 2, ..empty });
        let sights = |table: &BoardTable| {
            let mut told = std::vec::Vec::new();
            table.each_sight(&mut |sight| told.push(std::format!("{sight:?}")));
            told
        };
        let bare = "Table { name: \"\", stage: Filling, seats: 8, turn: 0 }";
        assert_eq!(sights(&table), [bare, "Guest(\"ann\")"]);
        table.close(link, Millis(1));
        assert_eq!(sights(&table), [bare]);
        assert_eq!(table.summary(), Summary { users: 1, watchers: 1, commands: 2, ..empty });
    }
}

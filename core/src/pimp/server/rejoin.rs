//! How a user comes back (pimp 2, 16.6).
//!
//! A password is compared once, before its frame is handled, and overwritten by what came of it: no rule, no log and no
//! journal sees more of it than whether it was right.

use super::link::State;
use super::{Hall, Table};
use crate::pimp::rules::UserId;
use crate::pimp::wire::Message;
use crate::server::Millis;

pub(super) const REJOIN: u8 = 0x0A;
/// What stands for the right password once it was compared.
const RIGHT: u32 = 1;

impl<const USERS: usize> Hall<USERS> {
    /// What is kept of a user's password.
    pub(super) fn seal(&self, id: UserId, password: u32) -> u64 {
        // 0 stands for no password.
        self.dice.seal(u64::from(self.number) << 32 | u64::from(id), password).max(1)
    }

    /// Is the password in this payload of REJOIN the right one? An unknown user's never is; it takes as long to say.
    pub(super) fn is_right(&self, payload: &[u8]) -> bool {
        let [id, password @ ..] = payload else { return false };
        let Some(password) = password.first_chunk() else { return false };
        let given = self.seal(*id, u32::from_be_bytes(*password));
        equal(self.users.user(*id).map_or(0, |user| user.seal), given)
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// REJOIN. An unknown user is a wrong password: strangers are not told the users at the table.
    pub(super) fn rejoin(&mut self, slot: u16, id: UserId, verdict: u32, now: Millis) {
        if verdict != RIGHT || self.hall.users.user(id).is_none() {
            return self.wrong_password(slot, now);
        }
        if let Some(older) = self.hall.users.slot(id) {
            if let Some(line) = self.line_mut(older) {
                line.user = 0;
                line.forget_dumps();
            }
            self.out.doom(older);
        }
        let plays = self.hall.game.is_player(id);
        let Some(user) = self.hall.users.get_mut(id) else { return };
        user.connect(Some(slot));
        (user.afk, user.dead, user.lingering, user.pinged) = (false, false, false, false);
        (user.spoke_at, user.ping_at) = (now, now);
        // To come back is to speak (pimp 16.3): the link had no user when the message was heard.
        if self.hall.watch.waited == id {
            self.hall.watch.is_silent = false;
        }
        let back = Message::WelcomeBack { player: id, piece: user.piece, name: user.name(), playing: plays };
        self.out.enter(slot, 0);
        super::reply(&mut self.out, slot, &back);
        if let Some(line) = self.line_mut(slot) {
            line.state = State::User;
            line.user = id;
            line.wrong = 0;
        }
        self.dump(slot);
        self.set_absent(id, false);
        self.hall.watch.stir = true;
    }

    /// Five in a row close the connection, and each costs a second.
    fn wrong_password(&mut self, slot: u16, now: Millis) {
        self.reply(slot, &Message::ErrorWrongPassword {});
        let (pause, limit) = (self.hall.config.password_pause, self.hall.config.wrong_passwords);
        let Some(line) = self.line_mut(slot) else { return };
        line.wrong = line.wrong.saturating_add(1);
        line.deaf_until = now.plus(u64::from(pause));
        if line.wrong >= limit {
            self.out.doom(slot);
        }
    }
}

/// Looks at every bit, wherever the first difference is.
fn equal(a: u64, b: u64) -> bool {
    let pairs = a.to_be_bytes().into_iter().zip(b.to_be_bytes());
    core::hint::black_box(pairs.fold(0, |differing, (a, b)| differing | a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::super::tests::Board;
    use crate::pimp::wire::Message;

    #[test]
    fn who_comes_back_has_spoken() {
        let mut room = Board::new(&[]);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        // The game waits for bob, who is silent for five minutes and then finds the way back.
        room.tick(300_000);
        room.open("bob again");
        room.feed("bob again", &[0, 1, 1]);
        room.send("bob again", Message::Rejoin { player: 2, password: room.passwords["bob"] });
        room.hush();
        assert_eq!(room.ask("ann", Message::Kick { player: 2 }), [""; 0]);
        assert!(room.server.game().is_player(2));
        // Silence counts again from there.
        room.tick(300_000);
        assert!(!room.server.game().is_player(2));
    }
}

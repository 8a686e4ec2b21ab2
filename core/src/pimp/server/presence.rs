//! Presence: AFK, PING and PONG, dead links, users without a connection (pimp 3).

use super::link::State;
use super::users::User;
use super::{Table, say};
use crate::outbox::Audience;
use crate::pimp::rules::UserId;
use crate::pimp::wire::Message;
use crate::server::Millis;

const AFK: u8 = 0xD5;
const PONG: u8 = 0xD1;

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// Any message but AFK ends being AFK, before it is handled (pimp 3.7); any but PONG ends silence.
    pub(super) fn heard(&mut self, slot: u16, code: u8, now: Millis) {
        let Some(id) = self.user_of(slot) else { return };
        let Some(user) = self.hall.users.get_mut(id) else { return };
        if code != PONG {
            user.spoke_at = now;
            if self.hall.watch.waited == id && core::mem::take(&mut self.hall.watch.is_silent) {
                self.out.note_change();
            }
        }
        if code != AFK && core::mem::take(&mut user.afk) {
            user.stays_counted = false;
            user.ping_at = now;
            self.set_absent(id, false);
            self.hall.watch.stir = true;
        }
    }

    /// AFK: not counted in votes to come, not pinged, passed in auctions.
    pub(super) fn go_afk(&mut self, id: UserId) {
        let vote_open = self.hall.votes.is_open();
        let Some(user) = self.hall.users.get_mut(id).filter(|user| !user.afk) else { return };
        user.afk = true;
        user.stays_counted = vote_open;
        user.pinged = false;
        self.set_absent(id, true);
        self.hall.watch.stir = true;
    }

    /// The rules pass for players who are away (pimp 8).
    pub(super) fn set_absent(&mut self, id: UserId, away: bool) {
        if self.hall.game.is_player(id) {
            self.play(|game, cx| game.absent(id, away, cx));
        }
    }

    /// PONG. Another number than the one asked for is ignored (pimp 3.8).
    pub(super) fn pong(&mut self, id: UserId, nonce: u32) {
        if let Some(user) = self.hall.users.get_mut(id).filter(|user| user.pinged && user.nonce == nonce) {
            user.pinged = false;
            if core::mem::take(&mut user.dead) {
                self.out.note_change();
            }
        }
    }

    /// A link is gone, or will be: its candidate with it; its user stays without a connection.
    pub(super) fn part(&mut self, slot: u16, now: Millis) {
        let Some(line) = self.line_mut(slot) else { return };
        let (state, id) = (line.state, line.user);
        line.user = 0;
        line.forget_dumps();
        if id == 0 {
            return;
        }
        self.out.note_change();
        if state == State::Candidate {
            return self.withdraw(id, now);
        }
        let Some(user) = self.hall.users.get_mut(id) else { return };
        user.connect(None);
        user.gone_since = now;
        user.lingering = true;
        user.pinged = false;
        if !self.hall.users.anybody_connected() {
            self.hall.watch.deserted_at = now;
        }
        self.hall.watch.stir = true;
    }

    /// Pings the users who are due, and tells of links that died.
    pub(super) fn ping(&mut self, now: Millis) {
        let (interval, timeout) = (self.hall.config.ping_interval, u64::from(self.hall.config.ping_timeout));
        if interval == 0 {
            return;
        }
        for (id, user) in self.hall.users.iter_mut().filter(|(_, user)| user.is_user()) {
            if let Some(slot) = user.slot()
                && !user.afk
                && !user.pinged
                && now >= user.ping_at.plus(u64::from(interval))
            {
                user.nonce = user.nonce.wrapping_add(1);
                user.pinged = true;
                user.ping_at = now;
                say(&mut self.out, Audience::One(slot), &Message::Ping { nonce: user.nonce });
            }
            let died = if user.is_connected() {
                user.pinged && now >= user.ping_at.plus(timeout)
            } else {
                now >= user.gone_since.plus(timeout)
            };
            if died && !user.dead {
                user.dead = true;
                say(&mut self.out, Audience::Room, &Message::LinkDead { player: id });
            }
        }
    }

    /// Users who have been gone too long to count as present: all are told, and no auction waits any longer (pimp 8.2).
    pub(super) fn forget_lingering(&mut self, now: Millis) {
        let presence = u64::from(self.hall.config.presence);
        let is_forgotten = |user: &User| user.lingering && now >= user.gone_since.plus(presence);
        loop {
            let mut users = self.hall.users.iter_mut();
            let Some((id, user)) = users.find(|(_, user)| is_forgotten(user)) else { break };
            user.lingering = false;
            self.hall.watch.stir = true;
            if user.is_user() && !core::mem::replace(&mut user.dead, true) {
                say(&mut self.out, Audience::Room, &Message::LinkDead { player: id });
            }
            drop(users);
            self.set_absent(id, true);
        }
    }
}

impl<const USERS: usize> super::Hall<USERS> {
    /// Tells when time will do something about this user.
    pub(super) fn presence_due(&self, user: &User, mut tell: impl FnMut(Millis)) {
        let config = &self.config;
        if !user.is_user() {
            return;
        }
        if user.lingering {
            tell(user.gone_since.plus(u64::from(config.presence)));
        }
        if config.ping_interval == 0 {
            return;
        }
        let (since, wait) = match (user.is_connected(), user.pinged) {
            (true, false) if user.afk => return,
            (true, false) => (user.ping_at, config.ping_interval),
            _ if user.dead => return,
            (true, true) => (user.ping_at, config.ping_timeout),
            (false, _) => (user.gone_since, config.ping_timeout),
        };
        tell(since.plus(u64::from(wait)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Board;
    use crate::pimp::wire::Message;

    /// ann and bob play, eve looks on.
    fn watched(steps: &[u8]) -> Board {
        let mut room = Board::new(steps);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        room.tick(3000);
        room.join("eve", false);
        room.accept("eve");
        room.tick(3000);
        room
    }

    const PASSED: [&str; 2] = ["PROPERTY_AUCTION property=1", "PROPERTY_AUCTION_NO_BID player=3"];

    #[test]
    fn who_is_away_and_gets_a_seat_is_passed_there() {
        let mut room = watched(&[0x12]);
        room.send("eve", Message::Afk {});
        room.send("bob", Message::ThrowDice {});
        room.send("ann", Message::Transfer { player: 3 });
        room.hush();
        assert_eq!(room.ask("bob", Message::AuctionProperty {}), PASSED);
    }

    #[test]
    fn who_asks_to_play_and_goes_away_is_passed() {
        let mut room = watched(&[0x12]);
        room.send("eve", Message::SwitchPlay {});
        room.send("eve", Message::Afk {});
        room.accept("eve");
        assert!(room.server.game().is_player(3));
        room.send("bob", Message::ThrowDice {});
        room.hush();
        assert_eq!(room.ask("bob", Message::AuctionProperty {}), PASSED);
    }
}

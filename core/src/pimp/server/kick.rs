//! KICK votes, and TRANSFER, which is leaving by oneself (pimp 3.9, 12.6, 16.3, 16.5).

use super::Table;
use crate::pimp::rules::{BANK, Phase, Refusal, TransferTo, UserId, Verdict};
use crate::server::Millis;

impl<const USERS: usize> super::Hall<USERS> {
    /// The player whom most of those present want kicked.
    fn majority_target(&self) -> Option<UserId> {
        let here = |id: UserId| {
            let silent = self.watch.is_silent && self.watch.waited == id;
            self.users.user(id).is_some_and(|user| user.is_present() && !user.afk && !silent)
        };
        let present = self.game.players.iter().filter(|player| here(player.id)).count();
        let wanted = |target: UserId| {
            let votes = self.game.players.iter().filter(|player| here(player.id));
            votes.filter(|player| self.users.get(player.id).is_some_and(|user| user.kick == target)).count()
        };
        let mut players = self.game.players.iter().map(|player| player.id);
        players.find(|target| self.game.may_be_kicked(*target) && 2 * wanted(*target) > present)
    }

    /// Is there any vote to kick?
    pub(super) fn is_kick_open(&self) -> bool {
        self.game.players.iter().any(|player| self.users.get(player.id).is_some_and(|user| user.kick != 0))
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// KICK: a later vote replaces an earlier one. One that can have no effect is silent.
    pub(super) fn vote_to_kick(&mut self, voter: UserId, target: UserId) -> Verdict {
        if !self.hall.game.is_player(voter) || self.hall.game.phase == Phase::Idle {
            return Err(Refusal::Unexpected);
        }
        if self.hall.users.user(target).is_none() {
            return Err(Refusal::Invalid);
        }
        if self.hall.game.may_be_kicked(target)
            && let Some(user) = self.hall.users.get_mut(voter)
        {
            user.kick = target;
            self.hall.watch.stir = true;
        }
        Ok(())
    }

    /// Kicks the player whom a majority wants kicked.
    pub(super) fn settle_kicks(&mut self) {
        if !self.hall.is_kick_open() {
            return;
        }
        if let Some(target) = self.hall.majority_target() {
            // The turn may go on without the kicked player, and with it the votes against others.
            self.hall.users.forget_kicks(target);
            // A player, in a game under way: there is nothing to refuse.
            let _ = self.play(|game, cx| game.kick(target, cx));
            self.hall.watch.stir = true;
        }
    }

    /// TRANSFER: to the bank, to a player, or the whole seat to a connected observer.
    pub(super) fn transfer(&mut self, actor: UserId, target: UserId, now: Millis) -> Verdict {
        let game = &self.hall.game;
        let Some(seat) = game.player(actor).filter(|_| game.phase != Phase::Idle) else {
            return Err(Refusal::Unexpected);
        };
        let to = match self.hall.users.user(target) {
            _ if target == BANK => TransferTo::Bank,
            _ if target == actor => return Err(Refusal::Invalid),
            Some(_) if game.is_player(target) => TransferTo::Player(target),
            Some(user) if user.is_connected() => TransferTo::Observer(target),
            _ => return Err(Refusal::Invalid),
        };
        if matches!(to, TransferTo::Observer(_)) {
            // One takeover a seat and turn (pimp 16.5): known now, so that no candidacy ends for nothing.
            if seat.handed_over {
                return Err(Refusal::Unexpected);
            }
            if self.hall.users.get(target).is_some_and(|user| user.candidate != 0) {
                self.withdraw(target, now);
            }
        }
        self.play(|game, cx| game.transfer(actor, to, cx))?;
        if matches!(to, TransferTo::Observer(_)) {
            self.hand_over(actor, target, now);
        }
        self.hall.watch.stir = true;
        Ok(())
    }

    /// The new player has the old one's piece, which that one keeps as a wish; votes against the seat stay against it,
    /// and an offer that the old one took back is taken back by the new one now (pimp 16.1.10).
    fn hand_over(&mut self, old: UserId, new: UserId, now: Millis) {
        let piece = self.hall.users.get(old).map_or(0, |user| user.piece);
        let mut away = false;
        if let Some(user) = self.hall.users.get_mut(new) {
            user.piece = piece;
            user.paid = true;
            away = user.afk;
        }
        for (_, user) in self.hall.users.iter_mut().filter(|(_, user)| user.kick == old) {
            user.kick = new;
        }
        self.set_absent(new, away);
        if let Some(line) = self.hall.users.slot(new).and_then(|slot| self.line_mut(slot)) {
            line.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Board;
    use crate::pimp::wire::Message;
    use std::string::ToString;

    #[test]
    fn a_seat_changes_hands_with_its_piece_and_the_votes_against_it() {
        let mut room = Board::new(&[]);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        room.tick(3000);
        room.join("eve", false);
        room.accept("eve");
        room.tick(3000);
        room.send("eve", Message::SwitchPlay {});
        room.send("ann", Message::Kick { player: 2 });
        room.hush();
        assert_eq!(room.ask("eve", Message::Transfer { player: 1 }), ["ERROR_UNEXPECTED_MESSAGE code=212"]);
        assert_eq!(room.ask("bob", Message::Transfer { player: 2 }), ["ERROR_INVALID_PAYLOAD code=212"]);
        assert_eq!(room.ask("bob", Message::Transfer { player: 7 }), ["ERROR_INVALID_PAYLOAD code=212"]);
        let said = room.ask("bob", Message::Transfer { player: 3 });
        assert_eq!(
            said,
            [
                "JOIN_REFUSED candidate=3 name=\"eve\"",
                "PLAYER_TAKEOVER new_player=3 old_player=2",
                "DELTA_CASH from=2 to=3 cash=1500",
                "PLAYER_BECAME_OBSERVER_TRANSFER player=2",
                "START_OF_TURN player=3 may_throw=true",
            ]
        );
        let state = room.ask("ann", Message::RequestState {});
        let eve = "STATE_PLAYER player=3 piece=2 name=\"eve\" square=0 cash=1500 jail_turn=0".to_string();
        assert!(state.contains(&eve), "{state:?}");
        assert!(state.contains(&"STATE_OBSERVER player=2 piece=2 name=\"bob\"".to_string()), "{state:?}");
        // One takeover a turn; ann's vote is against eve now, and eve away leaves ann the majority.
        assert_eq!(
            room.ask("eve", Message::Transfer { player: 2 }).last().unwrap(),
            "ERROR_UNEXPECTED_MESSAGE code=212"
        );
        room.send("eve", Message::Afk {});
        assert!(room.heard("ann").contains(&"PLAYER_BECAME_OBSERVER_KICKED player=3".to_string()));
    }

    #[test]
    fn a_kick_leaves_the_votes_against_others() {
        let mut room = Board::new(&[0x12]);
        ["ann", "bob", "cat", "dan", "eve"].into_iter().for_each(|who| room.seat(who));
        room.send("bob", Message::ThrowDice {});
        room.send("bob", Message::AuctionProperty {});
        room.send("dan", Message::Kick { player: 1 });
        for who in ["ann", "bob", "eve"] {
            room.send(who, Message::Kick { player: 3 });
        }
        assert!(!room.server.game().is_player(3));
        // It is still bob's turn, and so dan's vote still counts.
        for who in ["bob", "eve"] {
            room.send(who, Message::Kick { player: 1 });
        }
        assert!(!room.server.game().is_player(1));
    }

    #[test]
    fn a_dump_under_way_does_not_foretell_a_takeover() {
        let mut room = Board::new(&[]);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        room.tick(3000);
        room.join("eve", false);
        room.accept("eve");
        room.send("ann", Message::RequestState {});
        room.send("bob", Message::Transfer { player: 3 });
        let said = room.heard("ann");
        assert_eq!(said[3], "STATE_OBSERVER player=3 piece=0 name=\"eve\"", "{said:?}");
        assert!(said.contains(&"PLAYER_TAKEOVER new_player=3 old_player=2".to_string()), "{said:?}");
    }

    #[test]
    fn votes_do_not_outlive_a_game_that_lacked_players() {
        let mut room = Board::new(&[]);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        room.send("ann", Message::Kick { player: 2 });
        room.send("bob", Message::Transfer { player: 0 });
        room.tick(3000);
        // bob asks to play again and looks away. The turn that begins is another: ann's vote is spent.
        room.send("bob", Message::SwitchPlay {});
        room.send("bob", Message::Afk {});
        let candidate = room.server.hall.votes.numbers;
        room.send("ann", Message::AcceptJoin { candidate });
        assert!(room.server.game().is_player(2));
    }
}

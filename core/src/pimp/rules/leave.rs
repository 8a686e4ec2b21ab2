//! Leaving play by one's own will or the others': TRANSFER, takeover, KICK (pimp 12.6, 16.5, 3.10).
//!
//! What can never happen here: money made by leaving, or a debt to another player escaped by it.

use super::estate::Departure;
use super::{BANK, ClaimKind, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::wire::Message;

/// The receiver of all that a player hands over. The server knows the connected observers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferTo {
    Bank,
    Player(UserId),
    Observer(UserId),
}

impl Game {
    /// TRANSFER by a player.
    pub fn transfer<H: Herald>(&mut self, actor: UserId, to: TransferTo, cx: &mut Cx<'_, H>) -> Verdict {
        if !self.is_player(actor) || matches!(self.phase, Phase::Idle | Phase::Over { .. }) {
            return Err(Refusal::Unexpected);
        }
        match to {
            TransferTo::Bank => self.hand_over(cx, actor, BANK),
            TransferTo::Player(heir) if heir != actor && self.is_player(heir) => self.hand_over(cx, actor, heir),
            TransferTo::Observer(heir) if heir != BANK && !self.is_player(heir) => self.take_over(cx, heir, actor),
            _ => Err(Refusal::Invalid),
        }
    }

    /// Everything to the bank or another player; not while anything is owed or under way. No fees (pimp 16.1).
    fn hand_over<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, heir: UserId) -> Verdict {
        let owes_rent = self.claims.iter().any(|claim| match claim.kind {
            ClaimKind::Rent { debtor, .. } => debtor == player,
            ClaimKind::Go { .. } => false,
        });
        if let Some(transaction) = self.deals.next_of(player, 0).or(owes_rent.then_some(0)) {
            cx.out.one(player, Message::ErrorCannotTransferDuringTransaction { transaction });
            return Err(Refusal::Told);
        }
        self.claims_after_leaving(player, heir);
        self.estate(cx, player, heir, false);
        self.depart(cx, player, Departure::Transferred, false);
        Ok(())
    }

    /// The others have voted: what cash there is goes to the creditors, the rest to the bank (pimp 3.10).
    pub fn kick<H: Herald>(&mut self, target: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        if !self.is_player(target) || matches!(self.phase, Phase::Idle | Phase::Over { .. }) {
            return Err(Refusal::Unexpected);
        }
        let held = self.is_held_by(target);
        let mut id = 0;
        while let Some(next) = self.deals.next_of(target, id) {
            id = next;
            let Some(deal) = self.deals.get(id).filter(|deal| deal.debtor() == Some(target)) else { continue };
            if let Some(creditor) = deal.creditor().filter(|creditor| *creditor != BANK) {
                self.move_cash(cx, target, creditor, deal.amount);
            }
        }
        self.cancel_all_of(cx, target);
        self.claims_after_leaving(target, BANK);
        self.estate(cx, target, BANK, false);
        self.depart(cx, target, Departure::Kicked, held);
        Ok(())
    }

    /// An observer takes the seat as it is, with its debts and deals; once a seat and turn (pimp 16.5). The state moves
    /// first, then all is told.
    fn take_over<H: Herald>(&mut self, cx: &mut Cx<'_, H>, new: UserId, old: UserId) -> Verdict {
        if self.player(old).is_none_or(|player| player.handed_over) {
            return Err(Refusal::Unexpected);
        }
        let prompted = self.current == old || self.is_held_by(old);
        self.reseat(old, new);
        cx.out.all(Message::PlayerTakeover { new_player: new, old_player: old });
        self.tell_belongings(cx, old, new);
        let mut id = 0;
        while let Some(next) = self.deals.next_of(new, id) {
            id = next;
            self.tell_new_party(cx, id, old, new);
        }
        cx.out.all(Message::PlayerBecameObserverTransfer { player: old });
        if prompted {
            self.repeat_prompt(cx);
        } else {
            self.auction_standing(cx, new);
        }
        Ok(())
    }
    /// Everything that named `old` names `new`.
    fn reseat(&mut self, old: UserId, new: UserId) {
        if let Some(player) = self.player_mut(old) {
            player.id = new;
            player.absent = false;
            player.handed_over = true;
        }
        self.order_players();
        self.deeds
            .iter_mut()
            .map(|(_, standing)| standing)
            .filter(|standing| standing.owner == old)
            .for_each(|standing| standing.owner = new);
        self.card_owners.iter_mut().filter(|owner| **owner == old).for_each(|owner| *owner = new);
        self.deals.rename(old, new);
        self.claims_renamed(old, new);
        self.auction_replace(old, new);
        if self.current == old {
            self.current = new;
        }
    }

    /// Buildings and mortgages are kept, and there are no fees: the seat is the same.
    fn tell_belongings<H: Herald>(&self, cx: &mut Cx<'_, H>, from: UserId, to: UserId) {
        let cash = self.cash(to);
        if cash > 0 {
            cx.out.all(Message::DeltaCash { from, to, cash });
        }
        for deed in self.deeds_of(to) {
            cx.out.all(Message::DeltaProperty { from, to, property: deed.id() });
        }
        for card in self.cards_of(to) {
            cx.out.all(Message::DeltaCard { from, to, card: card.id() });
        }
    }

    /// For `old` the deal has ended; the other party hears it end and begin again with `new`, and `new` hears it begin.
    fn tell_new_party<H: Herald>(&self, cx: &mut Cx<'_, H>, id: u32, old: UserId, new: UserId) {
        let Some(deal) = self.deals.get(id) else { return };
        cx.out.one(old, Message::TransactionCancelled { transaction: id });
        let other = deal.sides_of(new).map_or(BANK, |(_, other)| other.party);
        if other != BANK {
            cx.out.one(other, Message::TransactionCancelled { transaction: id });
            deal.retell(other, &mut |message| cx.out.one(other, message));
        }
        deal.retell(new, &mut |message| cx.out.one(new, message));
    }
}

#[cfg(test)]
mod tests {
    use super::super::deal::testing::{add, agree, brief, deed, finish, set, trade};
    use super::super::testing::Table;
    use super::*;
    use crate::pimp::board::Square;
    use std::string::String;
    use std::vec::Vec;

    fn transfer(table: &mut Table, actor: UserId, to: TransferTo) -> Result<Vec<String>, (Refusal, Vec<String>)> {
        table.log.0.clear();
        let before = table.game.clone();
        let verdict = table.run(|game, cx| game.transfer(actor, to, cx));
        assert!(verdict.is_ok() || table.game == before, "refused, but the state changed");
        assert_eq!(table.game.audit(), Ok(()));
        let said = brief(table.said());
        verdict.map(|()| said.clone()).map_err(|refusal| (refusal, said))
    }

    fn kick(table: &mut Table, target: UserId) -> Vec<String> {
        table.log.0.clear();
        assert_eq!(table.run(|game, cx| game.kick(target, cx)), Ok(()));
        assert_eq!(table.game.audit(), Ok(()));
        brief(table.said())
    }

    #[test]
    fn a_gift_of_everything_to_a_player() {
        let mut table = Table::new(3);
        table.own(2, &[2, 3, 4, 5]).mortgaged(&[2]).level(&[3], 1).hold_card(2, 7).cash(2, 10);
        let expected = [
            "all< DELTA_HOUSES_PURCHASED 2 3 0 0",
            "all< DELTA_BANK 32 12",
            "all< DESTRUCTION_GIVES_CASH 2 25",
            "all< DELTA_CASH 0 2 25",
            "all< DELTA_CASH 2 1 35",
            "all< DELTA_PROPERTY 2 1 2",
            "all< DELTA_PROPERTY 2 1 3",
            "all< DELTA_PROPERTY 2 1 4",
            "all< DELTA_PROPERTY 2 1 5",
            "all< DELTA_CARD 2 1 7",
            "all< PLAYER_BECAME_OBSERVER_TRANSFER 2",
            "all< START_OF_TURN 3 true",
        ];
        assert_eq!(transfer(&mut table, 2, TransferTo::Player(1)).unwrap(), expected, "and no fee");
    }

    #[test]
    fn a_transfer_to_the_bank_wins_nobody_the_game() {
        let mut table = Table::new(2);
        let expected = ["all< DELTA_CASH 2 0 1500", "all< PLAYER_BECAME_OBSERVER_TRANSFER 2"];
        assert_eq!(transfer(&mut table, 2, TransferTo::Bank).unwrap(), expected);
        assert_eq!(table.game.phase, Phase::Idle);
        assert_eq!(transfer(&mut table, 1, TransferTo::Bank), Err((Refusal::Unexpected, [].into())));
    }

    #[test]
    fn nobody_leaves_a_debt_behind() {
        let mut table = Table::new(3);
        table.rent_claim(2, 1, 5, 8);
        let refused = |number: u32| {
            Err((Refusal::Told, [std::format!("2< ERROR_CANNOT_TRANSFER_DURING_TRANSACTION {number}")].into()))
        };
        assert_eq!(transfer(&mut table, 2, TransferTo::Player(3)), refused(0));
        table.all_ok(&[(3, trade(2)), (1, trade(2))]);
        assert_eq!(transfer(&mut table, 2, TransferTo::Bank), refused(2));
        for nobody in [TransferTo::Player(2), TransferTo::Player(7), TransferTo::Observer(1), TransferTo::Observer(0)] {
            assert_eq!(transfer(&mut table, 2, nobody), Err((Refusal::Invalid, [].into())), "{nobody:?}");
        }
        assert_eq!(transfer(&mut table, 9, TransferTo::Bank), Err((Refusal::Unexpected, [].into())));
    }

    #[test]
    fn a_leaver_who_is_not_current_changes_no_turn() {
        let mut table = Table::new(3);
        let said = transfer(&mut table, 1, TransferTo::Bank).unwrap();
        assert_eq!(said.last().unwrap(), "all< PLAYER_BECAME_OBSERVER_TRANSFER 1");
        assert_eq!((table.game.phase, table.game.current), (Phase::Start, 2));
    }

    #[test]
    fn an_observer_takes_the_seat_with_its_deals() {
        let mut table = Table::new(3);
        table.own(2, &[2, 3, 4, 5]).mortgaged(&[2]).level(&[3], 1).hold_card(2, 20).at(2, 24);
        table.all_ok(&[(2, trade(1)), (1, set(1, 5)), (2, add(1, 3)), (1, finish(1))]);
        table.rent_debt(2, 3, 5, 8);
        table.rent_claim(2, 1, 6, 10).rent_claim(3, 2, 2, 25);
        let said = transfer(&mut table, 2, TransferTo::Observer(9)).unwrap();
        let expected = [
            "all< PLAYER_TAKEOVER 9 2",
            "all< DELTA_CASH 2 9 1500",
            "all< DELTA_PROPERTY 2 9 2",
            "all< DELTA_PROPERTY 2 9 3",
            "all< DELTA_PROPERTY 2 9 4",
            "all< DELTA_PROPERTY 2 9 5",
            "all< DELTA_CARD 2 9 20",
            "2< CANCELLED 1",
            "1< CANCELLED 1",
            "1< TRADE_REQUESTED 1 9",
            "1< CASH_SET 1 5",
            "1< OTHER_PROPERTY_ADDED 1 3",
            "1< FINISHED 1",
            "9< TRADE_REQUESTED 1 1",
            "9< OTHER_CASH_SET 1 5",
            "9< PROPERTY_ADDED 1 3",
            "9< OTHER_FINISHED 1",
            "2< CANCELLED 2",
            "3< CANCELLED 2",
            "3< RENT_REQUESTED 2 9 5 3 8",
            "3< OTHER_CASH_SET 2 8",
            "3< FINISHED 2",
            "3< OTHER_FINISHED 2",
            "3< AGREED 2",
            "9< RENT_REQUESTED 2 3 5 3 8",
            "9< CASH_SET 2 8",
            "9< FINISHED 2",
            "9< OTHER_FINISHED 2",
            "9< OTHER_AGREED 2",
            "all< PLAYER_BECAME_OBSERVER_TRANSFER 2",
            "all< START_OF_TURN 9 true",
        ];
        assert_eq!(said, expected);
        let seat = table.game.player(9).unwrap();
        assert_eq!((seat.square, seat.cash, table.game.current), (Square::new(24).unwrap(), 1500, 9));
        assert!(table.game.standing(deed(2)).mortgaged && table.game.standing(deed(3)).level == 1);
        // The claim finds its debtor by either number, and the debt is paid as if nothing had happened.
        table.ok(1, Message::ClaimRent { debtor: 2, property: 6 });
        assert_eq!(table.says(9, agree(2)).last().unwrap(), "all< DELTA_CASH 9 3 8");
    }

    #[test]
    fn one_takeover_a_seat_and_turn() {
        let mut table = Table::scripted(3, &[0x13]);
        transfer(&mut table, 2, TransferTo::Observer(9)).unwrap();
        assert_eq!(transfer(&mut table, 9, TransferTo::Observer(2)), Err((Refusal::Unexpected, [].into())));
        transfer(&mut table, 1, TransferTo::Observer(2)).unwrap();
        table.run(|game, cx| game.next_turn(cx, 3));
        transfer(&mut table, 9, TransferTo::Observer(1)).unwrap();
    }

    #[test]
    fn the_new_debtor_is_asked_when_the_game_is_held() {
        let mut table = Table::new(3);
        table.cash(3, 0).run(|game, cx| game.open_auction(cx, 3, deed(8), 70));
        let said = transfer(&mut table, 3, TransferTo::Observer(9)).unwrap();
        let expected = [
            "all< PLAYER_TAKEOVER 9 3",
            "3< CANCELLED 1",
            "9< BANK_REQUESTED 1 70",
            "9< OTHER_PROPERTY_ADDED 1 8",
            "9< OTHER_FINISHED 1",
            "9< UNUSUAL 1",
            "all< PLAYER_BECAME_OBSERVER_TRANSFER 3",
            "all< WAITING_FOR_TRANSACTION 9 1",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_bid_is_taken_over_too() {
        let mut table = Table::new(3);
        table.game.phase = Phase::Auction { property: deed(8), leader: 3, bid: 5 };
        let said = transfer(&mut table, 3, TransferTo::Observer(9)).unwrap();
        assert_eq!(said.last().unwrap(), "all< PROPERTY_AUCTION_BID 9 5");
    }

    #[test]
    fn the_kicked_pay_their_creditors_and_the_bank_takes_the_rest() {
        let mut table = Table::new(4);
        table.own(2, &[3]).cash(2, 100).rent_debt(2, 1, 5, 70);
        table.ok(2, trade(4));
        table.rent_debt(2, 3, 6, 50);
        table.rent_claim(1, 2, 3, 6);
        let said = kick(&mut table, 2);
        let deltas: Vec<_> = said.iter().filter(|line| line.starts_with("all<")).collect();
        let expected = [
            "all< DELTA_CASH 2 1 70",
            "all< DELTA_CASH 2 3 30",
            "all< DELTA_PROPERTY 2 0 3",
            "all< PLAYER_BECAME_OBSERVER_KICKED 2",
            "all< START_OF_TURN 3 true",
        ];
        assert_eq!(deltas, expected);
        let ended: Vec<_> = said.iter().filter(|line| line.contains("CANCELLED")).collect();
        let expected = [
            "1< CANCELLED 1",
            "2< CANCELLED 1",
            "2< CANCELLED 2",
            "4< CANCELLED 2",
            "3< CANCELLED 3",
            "2< CANCELLED 3",
        ];
        assert_eq!(ended, expected);
        assert!(table.game.claims.is_empty() && table.game.deals.is_empty());
    }

    #[test]
    fn a_kick_lets_a_held_game_go() {
        let mut table = Table::new(3);
        table.cash(3, 0).run(|game, cx| game.open_auction(cx, 3, deed(8), 70));
        let expected = ["3< CANCELLED 1", "all< PLAYER_BECAME_OBSERVER_KICKED 3", "all< START_OF_TURN 1 true"];
        assert_eq!(kick(&mut table, 3), expected);
        assert_eq!(table.run(|game, cx| game.kick(3, cx)), Err(Refusal::Unexpected));
    }

    #[test]
    fn a_kick_that_leaves_one_wins_nothing() {
        let mut table = Table::new(2);
        let expected = ["all< DELTA_CASH 2 0 1500", "all< PLAYER_BECAME_OBSERVER_KICKED 2"];
        assert_eq!(kick(&mut table, 2), expected);
        assert_eq!((table.game.phase, table.game.current), (Phase::Idle, BANK));
    }

    #[test]
    fn a_pass_is_taken_over_too() {
        let mut table = Table::new(3);
        table.game.phase = Phase::Auction { property: deed(8), leader: BANK, bid: 0 };
        table.ok(3, Message::NoBid {});
        let said = transfer(&mut table, 3, TransferTo::Observer(9)).unwrap();
        assert_eq!(said.last().unwrap(), "all< PROPERTY_AUCTION_NO_BID 9");
    }

    #[test]
    fn rent_is_not_dodged_by_a_gift_before_the_claim() {
        let mut table = Table::new(3);
        table.own(2, &[3]).cash(2, 5).rent_claim(2, 1, 27, 200);
        let refused = ["2< ERROR_CANNOT_TRANSFER_DURING_TRANSACTION 0"].map(String::from).into();
        assert_eq!(transfer(&mut table, 2, TransferTo::Player(3)), Err((Refusal::Told, refused)));
        // A takeover takes the claim along.
        transfer(&mut table, 2, TransferTo::Observer(9)).unwrap();
        table.ok(1, Message::ClaimRent { debtor: 9, property: 27 });
        assert_eq!(table.game.deals.of(9).count(), 1);
    }
}

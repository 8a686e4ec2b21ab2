//! Bankruptcy, what becomes of an estate, and the game after someone has left play (pimp 12.4, 12.5).
//!
//! What can never happen here: a deed, card, claim or deal of someone who no longer plays.

use super::{BANK, Cause, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::board::{Card, DeedSet};
use crate::pimp::wire::Message;

/// Why a player left play, as far as the rest of the game cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Departure {
    Bankrupt,
    Kicked,
    Transferred,
}

impl Departure {
    fn message(self, player: UserId) -> Message<'static> {
        match self {
            Departure::Bankrupt => Message::PlayerBecameObserverBankrupt { player },
            Departure::Kicked => Message::PlayerBecameObserverKicked { player },
            Departure::Transferred => Message::PlayerBecameObserverTransfer { player },
        }
    }
}

impl Game {
    /// BANKRUPT_TRANSACTION: only a debtor whose whole worth is not enough, and the oldest deal first.
    pub(super) fn bankrupt<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, player: UserId) -> Verdict {
        let Some(deal) = self.deals.get(id) else { return Ok(()) };
        if deal.debtor() != Some(player) {
            return Err(Refusal::Unexpected);
        }
        let creditor = deal.creditor().unwrap_or(BANK);
        let amount = deal.amount;
        let has_card = deal.cause == Cause::Jail && self.cards_of(player).next().is_some();
        let earlier = self.deals.next_of(player, 0).filter(|first| *first < id);
        let reason = if self.worth(player) >= amount || has_card { Some(0) } else { earlier };
        if let Some(earlier_transaction) = reason {
            cx.out.one(player, Message::ErrorTransactionNotBankrupt { transaction: id, earlier_transaction });
            return Err(Refusal::Told);
        }
        let held = self.is_held_by(player);
        let heir = if cx.options.estate_to_creditor { creditor } else { BANK };
        self.cancel_all_of(cx, player);
        self.claims_after_leaving(player, heir);
        self.estate(cx, player, heir, true);
        if heir != creditor {
            self.move_cash(cx, BANK, creditor, amount);
        }
        self.depart(cx, player, Departure::Bankrupt, held);
        Ok(())
    }

    /// The game waits for a deal in which this player must pay.
    pub(super) fn is_held_by(&self, player: UserId) -> bool {
        match self.phase {
            Phase::Held { deal } => self.deals.get(deal).and_then(|deal| deal.debtor()) == Some(player),
            _ => false,
        }
    }

    /// The player named by the running WAITING_FOR_TRANSACTION, else the one whose turn it is.
    pub fn waited_for(&self) -> Option<UserId> {
        match self.phase {
            Phase::Idle | Phase::Over { .. } => None,
            Phase::Held { deal } => self.deals.get(deal).and_then(|deal| deal.debtor()),
            _ => Some(self.current).filter(|player| self.is_player(*player)),
        }
    }

    /// May the others vote to be rid of this player now (pimp 3.9, 16.2)?
    pub fn may_be_kicked(&self, user: UserId) -> bool {
        let is_under_way = !matches!(self.phase, Phase::Idle | Phase::Over { .. });
        is_under_way && self.is_player(user) && (self.awaits(user) || self.current == user)
    }

    /// Can the game go on only when this player has decided something? In an auction, all who may still bid must.
    pub fn awaits(&self, user: UserId) -> bool {
        let Some(player) = self.player(user) else { return false };
        match self.phase {
            Phase::Auction { leader, .. } => leader != user && !player.passed,
            _ => self.waited_for() == Some(user),
        }
    }

    /// All that a player has goes to another player, or to the bank. `fees`: the heir pays for mortgaged deeds.
    pub(super) fn estate<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, heir: UserId, fees: bool) {
        let deeds: DeedSet = self.deeds_of(player).collect();
        let proceeds = self.clear_buildings(cx, player, deeds);
        if heir != BANK && proceeds > 0 {
            cx.out.all(Message::DestructionGivesCash { player, cash: proceeds });
            self.move_cash(cx, BANK, player, proceeds);
        }
        self.move_cash(cx, player, heir, self.cash(player));
        for deed in deeds.iter() {
            self.move_deed(cx, player, heir, deed);
            if heir == BANK && self.standing(deed).mortgaged {
                self.deeds.get_mut(deed).mortgaged = false;
                cx.out.all(Message::DeltaPropertyUnmortgaged { property: deed.id() });
            }
        }
        for card in Card::JAIL_CARDS {
            if self.card_owner(card) == player {
                self.move_card(cx, player, heir, card);
            }
        }
        let owed = self.fees(deeds);
        if fees && heir != BANK && owed > 0 {
            self.open_fee(cx, heir, owed);
        }
    }

    /// Takes all buildings off these lots; what they would bring is the answer.
    fn clear_buildings<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, deeds: DeedSet) -> u32 {
        let built: DeedSet = deeds.iter().filter(|deed| self.standing(*deed).level > 0).collect();
        let proceeds = built.iter().map(|deed| self.resale(deed)).sum();
        for deed in built.iter() {
            self.deeds.get_mut(deed).level = 0;
            cx.out.all(Message::DeltaHousesPurchased { player, property: deed.id(), houses: 0, hotels: 0 });
        }
        if !built.is_empty() {
            let (houses, hotels) = self.bank();
            cx.out.all(Message::DeltaBank { houses, hotels });
        }
        proceeds
    }

    /// The player, who has nothing left, is no player any more; the game goes on without (pimp 12.5). `held`: the game
    /// waited for a debt of theirs.
    pub(super) fn depart<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, why: Departure, held: bool) {
        cx.out.all(why.message(player));
        self.players.retain(|other| other.id != player);
        let was_current = self.current == player;
        if was_current {
            // Should the same user sit down again before the turn passes on, it is not their double any more.
            self.owes_first = 0;
            self.doubles = 0;
        }
        if self.players.len() < 2 {
            return self.close_table(cx, why);
        }
        match self.phase {
            Phase::Auction { .. } => self.auction_forget(cx, player),
            Phase::Held { .. } if !held => {}
            _ if was_current => self.next_turn(cx, self.next_after(player)),
            Phase::Held { .. } => self.advance(cx),
            _ => {}
        }
        // A debt to the leaver may have been the last that kept someone from throwing.
        self.resume_if_unblocked(cx);
    }

    /// Fewer than two play: a bankruptcy makes a winner, anything else leaves one who waits for company.
    fn close_table<H: Herald>(&mut self, cx: &mut Cx<'_, H>, why: Departure) {
        if matches!(self.phase, Phase::Auction { .. }) {
            cx.out.all(Message::PropertyAuctionVoid {});
        }
        self.drop_claims();
        self.owes_first = 0;
        self.doubles = 0;
        self.current = BANK;
        self.phase = Phase::Idle;
        while let Some(id) = self.deals.first() {
            self.cancel(cx, id);
        }
        let left = self.players.first().map(|player| player.id);
        if let (Departure::Bankrupt, Some(winner)) = (why, left) {
            self.phase = Phase::Over { winner };
            cx.out.all(Message::PlayerWon { player: winner });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::deal::testing::{agree, bankrupt, cancel, deed, finish, set, trade};
    use super::super::testing::Table;
    use super::super::{ClaimKind, Options, TransferTo};
    use super::*;
    use crate::pimp::board::Square;

    /// Player 2, whose turn it is, owes player 1 more than it has.
    fn ruined(players: u8) -> Table {
        let mut table = Table::new(players);
        table.own(2, &[3, 4, 5, 2]).level(&[3, 4], 1).mortgaged(&[2]).hold_card(2, 7).cash(2, 10);
        table.rent_debt(2, 1, 27, 2000);
        table
    }

    #[test]
    fn only_who_cannot_pay_is_bankrupt() {
        let mut table = ruined(3);
        assert_eq!(table.cannot(1, bankrupt(1)), ["Unexpected"], "the creditor");
        table.game.deals.get_mut(1).unwrap().amount = 10 + 50 + 50 + 60 + 25 + 25;
        assert_eq!(table.cannot(2, bankrupt(1)), ["2< ERROR_TRANSACTION_NOT_BANKRUPT 1 0", "Told"]);
        table.game.deals.get_mut(1).unwrap().amount += 1;
        table.ok(2, bankrupt(1));
    }

    #[test]
    fn the_oldest_deal_comes_first() {
        let mut table = Table::new(3);
        table.ok(3, trade(2));
        table.cash(2, 0).rent_debt(2, 1, 5, 8);
        assert_eq!(table.cannot(2, bankrupt(2)), ["2< ERROR_TRANSACTION_NOT_BANKRUPT 2 1", "Told"]);
        assert_eq!(table.cannot(2, bankrupt(1)), ["Unexpected"], "a trade is no debt");
        table.all_ok(&[(2, cancel(1)), (2, bankrupt(2))]);
    }

    #[test]
    fn a_card_pays_bail() {
        let mut table = Table::new(2);
        table.cash(2, 0).hold_card(2, 7).run(|game, cx| game.open_jail(cx, 2));
        assert_eq!(table.cannot(2, bankrupt(1)), ["2< ERROR_TRANSACTION_NOT_BANKRUPT 1 0", "Told"]);
    }

    #[test]
    fn a_creditor_inherits() {
        let mut table = ruined(3);
        table.ok(3, trade(2));
        let said = table.says(2, bankrupt(1));
        let expected = [
            "1< CANCELLED 1",
            "2< CANCELLED 1",
            "3< CANCELLED 2",
            "2< CANCELLED 2",
            "all< DELTA_HOUSES_PURCHASED 2 3 0 0",
            "all< DELTA_HOUSES_PURCHASED 2 4 0 0",
            "all< DELTA_BANK 32 12",
            "all< DESTRUCTION_GIVES_CASH 2 50",
            "all< DELTA_CASH 0 2 50",
            "all< DELTA_CASH 2 1 60",
            "all< DELTA_PROPERTY 2 1 2",
            "all< DELTA_PROPERTY 2 1 3",
            "all< DELTA_PROPERTY 2 1 4",
            "all< DELTA_PROPERTY 2 1 5",
            "all< DELTA_CARD 2 1 7",
            "1< BANK_REQUESTED 3 10",
            "1< CASH_SET 3 10",
            "1< OTHER_FINISHED 3",
            "1< FINISHED 3",
            "1< OTHER_AGREED 3",
            "all< PLAYER_BECAME_OBSERVER_BANKRUPT 2",
            "all< START_OF_TURN 3 true",
        ];
        assert_eq!(said, expected);
        assert!(table.game.standing(deed(2)).mortgaged && !table.game.is_player(2));
    }

    #[test]
    fn the_bank_takes_the_estate_and_frees_the_deeds() {
        let mut table = Table::new(3);
        table.own(2, &[3, 4, 5, 2]).level(&[3], 5).mortgaged(&[2]).hold_card(2, 20).cash(2, 10);
        table.run(|game, cx| game.open_square(cx, 2, Square::INCOME_TAX, 2000));
        let expected = [
            "2< CANCELLED 1",
            "all< DELTA_HOUSES_PURCHASED 2 3 0 0",
            "all< DELTA_BANK 32 12",
            "all< DELTA_CASH 2 0 10",
            "all< DELTA_PROPERTY 2 0 2",
            "all< DELTA_PROPERTY_UNMORTGAGED 2",
            "all< DELTA_PROPERTY 2 0 3",
            "all< DELTA_PROPERTY 2 0 4",
            "all< DELTA_PROPERTY 2 0 5",
            "all< DELTA_CARD 2 0 20",
            "all< PLAYER_BECAME_OBSERVER_BANKRUPT 2",
            "all< START_OF_TURN 3 true",
        ];
        assert_eq!(table.says(2, bankrupt(1)), expected);
        assert_eq!((table.game.pot, table.game.piles[1].last()), (100, Some(&20)));
    }

    #[test]
    fn a_house_rule_sends_estates_to_the_bank() {
        let mut table = Table::with_options(3, &[], Options { estate_to_creditor: false, ..Options::DEFAULT });
        table.cash(2, 10).rent_debt(2, 1, 5, 30);
        let expected = [
            "1< CANCELLED 1",
            "2< CANCELLED 1",
            "all< DELTA_CASH 2 0 10",
            "all< DELTA_CASH 0 1 30",
            "all< PLAYER_BECAME_OBSERVER_BANKRUPT 2",
            "all< START_OF_TURN 3 true",
        ];
        assert_eq!(table.says(2, bankrupt(1)), expected);
    }

    #[test]
    fn escrow_and_claims_of_the_bankrupt() {
        let mut table = ruined(3);
        table.run(|game, cx| {
            game.give(cx, 2, 200, None);
            game.add_claim(cx, ClaimKind::Go { player: 2, square: Square::GO, salary: 200 });
        });
        table.rent_claim(2, 3, 6, 10).rent_claim(1, 2, 3, 6).rent_claim(3, 2, 4, 6);
        let said = table.says(2, bankrupt(1));
        assert_eq!(said[2], "all< DELTA_CASH 0 2 200", "escrow joins the estate");
        assert_eq!(table.game.claims.len(), 1);
        assert!(matches!(table.game.claims[0].kind, ClaimKind::Rent { debtor: 3, creditor: 1, .. }));
    }

    #[test]
    fn the_last_one_left_wins() {
        let mut table = ruined(2);
        table.rent_claim(1, 2, 3, 6);
        let said = table.says(2, bankrupt(1));
        let end = ["all< PLAYER_BECAME_OBSERVER_BANKRUPT 2", "1< CANCELLED 3", "all< PLAYER_WON 1"];
        assert_eq!(said[said.len() - 3..], end);
        assert_eq!((table.game.phase, table.game.waited_for()), (Phase::Over { winner: 1 }, None));
        assert_eq!(table.cannot(1, trade(2)), ["Unexpected"]);
    }

    #[test]
    fn an_auction_is_void_when_only_the_winner_is_left() {
        let mut table = ruined(2);
        table.game.phase = Phase::Auction { property: deed(8), leader: BANK, bid: 0 };
        let said = table.says(2, bankrupt(1));
        let end = ["all< PROPERTY_AUCTION_VOID", "1< CANCELLED 2", "all< PLAYER_WON 1"];
        assert_eq!(said[said.len() - 3..], end);
    }

    #[test]
    fn a_bankrupt_leader_opens_the_auction_again() {
        let mut table = ruined(3);
        table.game.phase = Phase::Auction { property: deed(8), leader: 2, bid: 5 };
        let said = table.says(2, bankrupt(1));
        assert_eq!(said.last().unwrap(), "all< PROPERTY_AUCTION 8");
        assert_eq!(table.game.phase, Phase::Auction { property: deed(8), leader: BANK, bid: 0 });
    }

    #[test]
    fn who_leaves_while_another_holds_the_game_changes_nothing_now() {
        let mut table = ruined(3);
        table.cash(3, 0).run(|game, cx| game.open_auction(cx, 3, deed(8), 70));
        let said = table.says(2, bankrupt(1));
        assert_eq!(said.last().unwrap(), "all< PLAYER_BECAME_OBSERVER_BANKRUPT 2");
        assert_eq!((table.game.phase, table.game.current), (Phase::Held { deal: 2 }, 2));
        table.cash(3, 70).all_ok(&[(3, set(2, 70)), (3, finish(2))]);
        assert_eq!(table.says(3, agree(2)).last().unwrap(), "all< START_OF_TURN 3 true");
    }

    #[test]
    fn a_held_debtor_who_is_not_current_lets_the_turn_go_on() {
        let mut table = Table::new(3);
        table.cash(3, 0).run(|game, cx| game.open_auction(cx, 3, deed(8), 70));
        table.game.doubles = 1;
        assert_eq!(table.says(3, bankrupt(1)).last().unwrap(), "all< ROLL_AGAIN 2");
    }

    #[test]
    fn a_creditors_ruin_ends_the_debt_that_held_a_throw() {
        let mut table = Table::new(3);
        table.cash(1, 0).rent_debt(1, 3, 5, 8);
        table.rent_debt(2, 1, 5, 8);
        table.ok(2, Message::ThrowDice {});
        let said = table.says(1, bankrupt(1));
        assert_eq!(said.last().unwrap(), "all< START_OF_TURN 2 true");
        assert_eq!(table.game.owes_first, 0);
    }

    #[test]
    fn who_may_be_kicked() {
        let mut table = Table::new(3);
        let may = |table: &Table| [1, 2, 3].map(|user| table.game.may_be_kicked(user));
        assert_eq!(may(&table), [false, true, false]);
        table.game.phase = Phase::Auction { property: deed(8), leader: 1, bid: 5 };
        assert_eq!(may(&table), [false, true, true]);
        table.cash(3, 0).run(|game, cx| game.open_auction(cx, 3, deed(8), 70));
        assert_eq!(may(&table), [false, true, true]);
    }

    #[test]
    fn an_estate_asks_for_its_fees_once() {
        let mut table = Table::new(3);
        table.own(2, &[26, 27]).mortgaged(&[26, 27]).cash(2, 0).cash(1, 0).rent_debt(2, 1, 5, 8);
        let said = table.says(2, bankrupt(1));
        let fees: std::vec::Vec<_> = said.iter().filter(|line| line.starts_with("1< ")).collect();
        let expected = [
            "1< CANCELLED 1",
            "1< BANK_REQUESTED 2 37",
            "1< ERROR_TRANSACTION_TOO_EXPENSIVE 2 37",
            "1< CASH_SET 2 0",
            "1< OTHER_FINISHED 2",
            "1< UNUSUAL 2",
        ];
        assert_eq!(fees, expected);
        table.ok(1, bankrupt(2));
        assert_eq!(table.game.phase, Phase::Over { winner: 3 });
    }

    #[test]
    fn who_was_held_back_and_left_holds_nobody_back() {
        let mut table = Table::new(3);
        table.cash(2, 0).rent_debt(2, 1, 5, 8);
        table.ok(2, Message::ThrowDice {});
        assert_eq!(table.game.owes_first, 1);
        assert_eq!(table.says(2, bankrupt(1)).last().unwrap(), "all< START_OF_TURN 3 true");
        assert_eq!(table.game.owes_first, 0);
    }

    /// The same user in the same turn, but not the player who threw the double.
    #[test]
    fn who_leaves_in_an_auction_and_comes_back_has_no_throw_left() {
        let mut table = Table::scripted(3, &[0x33]);
        table.all_ok(&[(2, Message::ThrowDice {}), (2, Message::AuctionProperty {})]);
        table.run(|game, cx| game.transfer(2, TransferTo::Bank, cx)).unwrap();
        table.run(|game, cx| game.sit(2, 0, cx)).unwrap();
        table.ok(1, Message::NoBid {});
        assert_eq!(table.says(3, Message::NoBid {}).last().unwrap(), "all< START_OF_TURN 3 true");
    }
}

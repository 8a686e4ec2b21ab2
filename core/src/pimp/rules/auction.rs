//! A property that the lander did not buy goes to the highest bidder (pimp 8, 16.2).
//!
//! What can never happen here: an auction that waits for an absent player, or goes on when only its leader is left.

use super::sale::worth_change;
use super::{BANK, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::board::Deed;
use crate::pimp::wire::Message;

impl Game {
    /// All players may bid, the one who declined too; absent ones are passed at once.
    pub(super) fn open_auction_of<H: Herald>(&mut self, cx: &mut Cx<'_, H>, property: Deed) {
        self.phase = Phase::Auction { property, leader: BANK, bid: 0 };
        cx.out.all(Message::PropertyAuction { property: property.id() });
        for player in &mut self.players {
            player.passed = player.absent;
            if player.passed {
                cx.out.all(Message::PropertyAuctionNoBid { player: player.id });
            }
        }
        self.check_auction(cx);
    }

    pub(super) fn auction_prompt(&self, tell: &mut impl FnMut(Message<'static>)) {
        let Phase::Auction { property, leader, bid } = self.phase else { return };
        tell(Message::PropertyAuction { property: property.id() });
        if leader != BANK {
            tell(Message::PropertyAuctionBid { player: leader, cash: bid });
        }
        for player in self.players.iter().filter(|player| player.passed) {
            tell(Message::PropertyAuctionNoBid { player: player.id });
        }
    }

    pub(super) fn bid<H: Herald>(&mut self, player: UserId, cash: u32, cx: &mut Cx<'_, H>) -> Verdict {
        let Phase::Auction { property, leader, bid } = self.phase else { return Err(Refusal::Unexpected) };
        if player == leader {
            return Err(Refusal::Unexpected);
        }
        if cash == 0 {
            return Err(Refusal::Invalid);
        }
        if cash <= bid {
            // Too late or too low: tell what there is to beat.
            cx.out.one(player, Message::PropertyAuctionBid { player: leader, cash: bid });
            return Err(Refusal::Told);
        }
        if cash > self.worth(player) {
            cx.out.one(player, Message::ErrorPropertyTooExpensive { property: property.id(), price: cash });
            return Err(Refusal::Told);
        }
        self.phase = Phase::Auction { property, leader: player, bid: cash };
        self.set_passed(player, false);
        cx.out.all(Message::PropertyAuctionBid { player, cash });
        // An absent leader is not passed; once overbid, it is: no auction waits for it.
        if self.player(leader).is_some_and(|old| old.absent) {
            self.pass(cx, leader);
        }
        self.check_auction(cx);
        Ok(())
    }

    pub(super) fn no_bid<H: Herald>(&mut self, player: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        match self.phase {
            Phase::Auction { leader, .. } if leader != player => {}
            _ => return Err(Refusal::Unexpected),
        }
        self.pass(cx, player);
        self.check_auction(cx);
        Ok(())
    }

    /// A user went away or came back. A player who is away is passed, unless leading, but may still bid.
    pub fn absent<H: Herald>(&mut self, user: UserId, absent: bool, cx: &mut Cx<'_, H>) {
        let Some(player) = self.player_mut(user) else { return };
        player.absent = absent;
        if absent && matches!(self.phase, Phase::Auction { leader, .. } if leader != user) {
            self.pass(cx, user);
            self.check_auction(cx);
        }
    }

    /// No bid came for too long: the server passes for all but the leader.
    pub fn auction_timeout<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        let Phase::Auction { leader, .. } = self.phase else { return };
        for player in self.players.iter_mut().filter(|player| player.id != leader && !player.passed) {
            player.passed = true;
            cx.out.all(Message::PropertyAuctionNoBid { player: player.id });
        }
        self.check_auction(cx);
    }

    /// `left` plays no more. If it led, the bidding begins again (pimp 16.2).
    pub(super) fn auction_forget<H: Herald>(&mut self, cx: &mut Cx<'_, H>, left: UserId) {
        match self.phase {
            Phase::Auction { property, leader, .. } if leader == left => self.open_auction_of(cx, property),
            _ => self.check_auction(cx),
        }
    }

    /// A takeover: the bid is `new`'s now. A pass stands in the player's record and moves with it.
    pub(super) fn auction_replace(&mut self, old: UserId, new: UserId) {
        if let Phase::Auction { leader, .. } = &mut self.phase
            && *leader == old
        {
            *leader = new;
        }
    }

    /// After a takeover: tells where the player stands in the auction, by its new id.
    pub(super) fn auction_standing<H: Herald>(&self, cx: &mut Cx<'_, H>, player: UserId) {
        let Phase::Auction { leader, bid, .. } = self.phase else { return };
        if leader == player {
            cx.out.all(Message::PropertyAuctionBid { player, cash: bid });
        } else if self.player(player).is_some_and(|player| player.passed) {
            cx.out.all(Message::PropertyAuctionNoBid { player });
        }
    }

    fn set_passed(&mut self, player: UserId, passed: bool) {
        if let Some(player) = self.player_mut(player) {
            player.passed = passed;
        }
    }

    fn pass<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId) {
        if self.player(player).is_some_and(|player| !player.passed) {
            self.set_passed(player, true);
            cx.out.all(Message::PropertyAuctionNoBid { player });
        }
    }

    /// Over once all but the leader passed; void if there is no leader.
    fn check_auction<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        let Phase::Auction { property, leader, bid } = self.phase else { return };
        if self.players.iter().any(|player| player.id != leader && !player.passed) {
            return;
        }
        if leader == BANK {
            cx.out.all(Message::PropertyAuctionVoid {});
            self.advance(cx);
            return;
        }
        cx.out.all(Message::PropertyAuctionWon { player: leader });
        if self.cash(leader) >= bid && self.locked(leader, worth_change(property, bid)).is_none() {
            self.sell_from_bank(cx, leader, property, bid);
            self.advance(cx);
        } else {
            self.open_auction(cx, leader, property, bid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Table;
    use super::*;

    /// Player 2 landed on Baltic Avenue and declined it.
    fn auction(players: u8) -> Table {
        let mut table = Table::scripted(players, &[0x12]);
        table.ok(2, Message::ThrowDice {});
        assert_eq!(table.ok(2, Message::AuctionProperty {}), ["all< PROPERTY_AUCTION property=1"]);
        table
    }

    #[test]
    fn the_highest_bid_wins_when_all_others_passed() {
        let mut table = auction(3);
        assert_eq!(table.refused(1, Message::Bid { cash: 0 }), ["Invalid"]);
        assert_eq!(table.ok(1, Message::Bid { cash: 10 }), ["all< PROPERTY_AUCTION_BID player=1 cash=10"]);
        assert_eq!(table.refused(1, Message::Bid { cash: 11 }), ["Unexpected"]);
        assert_eq!(table.refused(1, Message::NoBid {}), ["Unexpected"]);
        assert_eq!(table.refused(3, Message::Bid { cash: 10 }), ["3< PROPERTY_AUCTION_BID player=1 cash=10", "Told"]);
        assert_eq!(
            table.refused(3, Message::Bid { cash: 1501 }),
            ["3< ERROR_PROPERTY_TOO_EXPENSIVE property=1 price=1501", "Told"]
        );
        assert_eq!(table.ok(3, Message::NoBid {}), ["all< PROPERTY_AUCTION_NO_BID player=3"]);
        assert!(table.ok(3, Message::NoBid {}).is_empty());
        assert_eq!(
            table.prompt(),
            [
                "PROPERTY_AUCTION property=1",
                "PROPERTY_AUCTION_BID player=1 cash=10",
                "PROPERTY_AUCTION_NO_BID player=3"
            ]
        );
        table.ok(3, Message::Bid { cash: 12 });
        table.ok(1, Message::NoBid {});
        assert_eq!(
            table.ok(2, Message::NoBid {}),
            [
                "all< PROPERTY_AUCTION_NO_BID player=2",
                "all< PROPERTY_AUCTION_WON player=3",
                "all< SQUARE_TAKES_CASH player=3 square=3 cash=12",
                "all< DELTA_CASH from=3 to=0 cash=12",
                "all< DELTA_PROPERTY from=0 to=3 property=1",
                "all< START_OF_TURN player=3 may_throw=true",
            ]
        );
    }

    #[test]
    fn nobody_bids() {
        let mut table = auction(2);
        table.ok(2, Message::NoBid {});
        assert_eq!(
            table.ok(1, Message::NoBid {}),
            [
                "all< PROPERTY_AUCTION_NO_BID player=1",
                "all< PROPERTY_AUCTION_VOID",
                "all< START_OF_TURN player=1 may_throw=true",
            ]
        );
    }

    #[test]
    fn the_absent_are_passed_but_never_the_leader() {
        let mut table = auction(3);
        table.ok(1, Message::Bid { cash: 5 });
        table.said();
        table.run(|game, cx| game.absent(1, true, cx));
        assert!(table.said().is_empty());
        table.run(|game, cx| game.absent(3, true, cx));
        assert_eq!(table.said(), ["all< PROPERTY_AUCTION_NO_BID player=3"]);
        let said = table.ok(2, Message::Bid { cash: 6 });
        assert_eq!(
            said[..3],
            [
                "all< PROPERTY_AUCTION_BID player=2 cash=6",
                "all< PROPERTY_AUCTION_NO_BID player=1",
                "all< PROPERTY_AUCTION_WON player=2",
            ]
        );
    }

    #[test]
    fn time_ends_an_auction() {
        let mut table = auction(2);
        table.ok(1, Message::Bid { cash: 5 });
        table.run(|game, cx| game.auction_timeout(cx));
        assert_eq!(table.said()[..2], ["all< PROPERTY_AUCTION_NO_BID player=2", "all< PROPERTY_AUCTION_WON player=1"]);
    }

    #[test]
    fn a_newcomer_is_passed_at_once() {
        let mut table = auction(2);
        table.run(|game, cx| game.sit(7, 0, cx)).unwrap();
        assert_eq!(table.said(), ["all< PROPERTY_AUCTION_NO_BID player=7"]);
    }

    #[test]
    fn the_last_dollar_buys_at_once_and_what_a_debt_needs_does_not() {
        let mut table = auction(2);
        table.cash(1, 40).ok(1, Message::Bid { cash: 40 });
        assert_eq!(table.ok(2, Message::NoBid {})[3], "all< DELTA_CASH from=1 to=0 cash=40");
        let mut table = auction(2);
        // Baltic Avenue can be mortgaged for 30: 1,500 - 40 + 30 are left.
        table.rent_debt(1, 2, 27, 1491);
        table.ok(1, Message::Bid { cash: 40 });
        let said = table.ok(2, Message::NoBid {});
        assert_eq!(said.last().unwrap(), "all< WAITING_FOR_TRANSACTION player=1 transaction=2");
    }

    #[test]
    fn a_bid_beyond_the_cash_holds_the_game() {
        let mut table = auction(2);
        table.cash(1, 40).own(1, &[27]);
        table.ok(1, Message::Bid { cash: 100 });
        assert_eq!(
            table.ok(2, Message::NoBid {})[1..],
            [
                "all< PROPERTY_AUCTION_WON player=1",
                "1< TRANSACTION_BANK_REQUESTED transaction=1 amount=100",
                "1< TRANSACTION_OTHER_PROPERTY_ADDED transaction=1 property=1",
                "1< ERROR_TRANSACTION_TOO_EXPENSIVE transaction=1 cash=100",
                "1< TRANSACTION_CASH_SET transaction=1 cash=0",
                "1< TRANSACTION_OTHER_FINISHED transaction=1",
                "1< TRANSACTION_UNUSUAL transaction=1",
                "all< WAITING_FOR_TRANSACTION player=1 transaction=1",
            ]
        );
        assert_eq!(table.prompt(), ["WAITING_FOR_TRANSACTION player=1 transaction=1"]);
    }
}

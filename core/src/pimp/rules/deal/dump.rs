//! A deal told again, to a user who comes late or takes a seat over (pimp 4).
//!
//! What can never happen here: a change of the game.

use super::super::{Game, UserId};
use super::{Cause, Deal, Side, Step};
use crate::pimp::wire::Message;

impl Deal {
    /// How the deal was announced to one of its parties.
    pub(super) fn requested(&self, user: UserId) -> Message<'static> {
        let (transaction, amount) = (self.id, self.amount);
        let [creditor, _] = self.parties();
        let other = self.sides_of(user).map_or(creditor, |(_, other)| other.party);
        match self.cause {
            Cause::Trade => Message::TransactionTradeRequested { transaction, other },
            Cause::Rent { property } => Message::TransactionRentRequested {
                transaction,
                other,
                property: property.id(),
                creditor,
                rent: amount,
            },
            Cause::Card { card } => {
                Message::TransactionCardRequested { transaction, other, card: card.id(), creditor, amount }
            }
            Cause::Square { square } => {
                Message::TransactionSquareRequested { transaction, square: square.id(), amount }
            }
            Cause::Auction { .. } | Cause::Fee => Message::TransactionBankRequested { transaction, amount },
            Cause::Jail => Message::TransactionJailRequested { transaction, amount },
        }
    }

    /// The announcement and everything that happened since, as one party knows it.
    pub(in super::super) fn retell(&self, user: UserId, tell: &mut impl FnMut(Message<'static>)) {
        let Some((own, other)) = self.sides_of(user) else { return };
        tell(self.requested(user));
        self.retell_goods(own, other, tell);
        let transaction = self.id;
        let steps = [
            (own.step >= Step::Finished, Message::TransactionFinished { transaction }),
            (other.step >= Step::Finished, Message::TransactionOtherFinished { transaction }),
            (own.step == Step::Agreed, Message::TransactionAgreed { transaction }),
            (other.step == Step::Agreed, Message::TransactionOtherAgreed { transaction }),
            (self.is_unusual(), Message::TransactionUnusual { transaction }),
        ];
        steps.into_iter().filter(|(so, _)| *so).for_each(|(_, message)| tell(message));
    }

    fn retell_goods(&self, own: &Side, other: &Side, tell: &mut impl FnMut(Message<'static>)) {
        let transaction = self.id;
        if own.cash > 0 {
            tell(Message::TransactionCashSet { transaction, cash: own.cash });
        }
        if other.cash > 0 {
            tell(Message::TransactionOtherCashSet { transaction, cash: other.cash });
        }
        for deed in own.deeds.iter() {
            tell(Message::TransactionPropertyAdded { transaction, property: deed.id() });
        }
        for deed in other.deeds.iter() {
            tell(Message::TransactionOtherPropertyAdded { transaction, property: deed.id() });
        }
        for card in own.cards.iter() {
            tell(Message::TransactionCardAdded { transaction, card: card.id() });
        }
        for card in other.cards.iter() {
            tell(Message::TransactionOtherCardAdded { transaction, card: card.id() });
        }
    }
}

impl Game {
    /// All deals of one user as a resync tells them, ascending.
    pub fn deals_of(&self, user: UserId, tell: &mut impl FnMut(Message<'static>)) {
        self.deals.of(user).for_each(|deal| deal.retell(user, tell));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Table;
    use super::super::testing::{add, add_card, agree, finish, set, trade};

    #[test]
    fn a_trade_is_retold_from_both_sides() {
        let mut table = Table::new(2);
        table.own(1, &[3, 5]).own(2, &[4]).hold_card(2, 7);
        table.all_ok(&[(1, trade(2)), (1, set(1, 40)), (1, add(1, 5)), (1, add(1, 3))]);
        table.all_ok(&[(2, add(1, 4)), (2, add_card(1, 7)), (2, finish(1)), (1, finish(1)), (2, agree(1))]);
        let expected = [
            "TRADE_REQUESTED 1 2",
            "CASH_SET 1 40",
            "PROPERTY_ADDED 1 3",
            "PROPERTY_ADDED 1 5",
            "OTHER_PROPERTY_ADDED 1 4",
            "OTHER_CARD_ADDED 1 7",
            "FINISHED 1",
            "OTHER_FINISHED 1",
            "OTHER_AGREED 1",
        ];
        assert_eq!(table.retold(1), expected);
        let expected = [
            "TRADE_REQUESTED 1 1",
            "OTHER_CASH_SET 1 40",
            "PROPERTY_ADDED 1 4",
            "OTHER_PROPERTY_ADDED 1 3",
            "OTHER_PROPERTY_ADDED 1 5",
            "CARD_ADDED 1 7",
            "FINISHED 1",
            "OTHER_FINISHED 1",
            "AGREED 1",
        ];
        assert_eq!(table.retold(2), expected);
    }

    #[test]
    fn debts_are_retold_in_order_and_as_unusual_as_they_are() {
        let mut table = Table::new(3);
        table.rent_debt(2, 1, 5, 8);
        table.cash(2, 8).rent_debt(2, 3, 6, 10);
        let expected = [
            "RENT_REQUESTED 1 1 5 1 8",
            "CASH_SET 1 8",
            "FINISHED 1",
            "OTHER_FINISHED 1",
            "OTHER_AGREED 1",
            "RENT_REQUESTED 2 3 6 3 10",
            "OTHER_FINISHED 2",
            "UNUSUAL 2",
        ];
        assert_eq!(table.retold(2), expected);
        assert_eq!(table.retold(3), ["RENT_REQUESTED 2 2 6 3 10", "FINISHED 2", "UNUSUAL 2"]);
    }
}

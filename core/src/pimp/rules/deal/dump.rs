//! A deal told again, to whoever comes late or takes a seat over (pimp 4).
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

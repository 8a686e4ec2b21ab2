//! Short ways to talk about deals in tests.

use std::string::String;
use std::vec::Vec;

use super::super::testing::Table;
use super::super::{ClaimKind, UserId};
use crate::pimp::board::{Card, Deed};
use crate::pimp::wire::Message;

/// Without the names of fields and the prefix that all messages of deals have: `1< RENT_REQUESTED 1 2 3 1 50`.
pub fn brief(lines: Vec<String>) -> Vec<String> {
    let word =
        |word: &str| String::from(word.rsplit('=').next().unwrap_or_default().trim_start_matches("TRANSACTION_"));
    lines.iter().map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" ")).collect()
}

pub fn deed(id: u8) -> Deed {
    Deed::new(id).unwrap()
}

pub fn trade(player: u8) -> Message<'static> {
    Message::TransactionRequestTrade { player }
}
pub fn set(transaction: u32, cash: u32) -> Message<'static> {
    Message::TransactionSetCash { transaction, cash }
}
pub fn add(transaction: u32, property: u8) -> Message<'static> {
    Message::TransactionAddProperty { transaction, property }
}
pub fn remove(transaction: u32, property: u8) -> Message<'static> {
    Message::TransactionRemoveProperty { transaction, property }
}
pub fn add_card(transaction: u32, card: u8) -> Message<'static> {
    Message::TransactionAddCard { transaction, card }
}
pub fn remove_card(transaction: u32, card: u8) -> Message<'static> {
    Message::TransactionRemoveCard { transaction, card }
}
pub fn finish(transaction: u32) -> Message<'static> {
    Message::TransactionFinish { transaction }
}
pub fn reopen(transaction: u32) -> Message<'static> {
    Message::TransactionReopen { transaction }
}
pub fn agree(transaction: u32) -> Message<'static> {
    Message::TransactionAgree { transaction }
}
pub fn cancel(transaction: u32) -> Message<'static> {
    Message::TransactionCancel { transaction }
}
pub fn bankrupt(transaction: u32) -> Message<'static> {
    Message::BankruptTransaction { transaction }
}

impl Table {
    /// An action that must succeed, and what it made the game say, briefly.
    pub fn says(&mut self, user: UserId, action: Message<'_>) -> Vec<String> {
        brief(self.ok(user, action))
    }

    /// An action that must be refused, and how.
    pub fn cannot(&mut self, user: UserId, action: Message<'_>) -> Vec<String> {
        brief(self.refused(user, action))
    }

    /// Several actions that must succeed, and whose words are of no interest here.
    pub fn all_ok(&mut self, actions: &[(UserId, Message<'_>)]) -> &mut Self {
        for (user, action) in actions {
            self.ok(*user, *action);
        }
        self
    }

    /// A rent that could be claimed.
    pub fn rent_claim(&mut self, debtor: UserId, creditor: UserId, property: u8, rent: u32) -> &mut Self {
        let kind = ClaimKind::Rent { debtor, lander: debtor, creditor, property: deed(property), rent };
        self.run(|game, cx| game.add_claim(cx, kind));
        self
    }

    /// A rent claimed: its id, and what the opening said.
    pub fn rent_debt(&mut self, debtor: UserId, creditor: UserId, property: u8, rent: u32) -> (u32, Vec<String>) {
        self.log.0.clear();
        let id = self.rent_debt_told(debtor, creditor, property, rent);
        (id, brief(self.said()))
    }

    /// The same, its words left in the log.
    pub fn rent_debt_told(&mut self, debtor: UserId, creditor: UserId, property: u8, rent: u32) -> u32 {
        self.rent_claim(debtor, creditor, property, rent);
        let claim = self.game.claims.pop().unwrap();
        self.run(|game, cx| game.open_rent(cx, claim));
        claim.id
    }

    /// A card of the bank's into a player's hand.
    pub fn hold_card(&mut self, user: UserId, card: u8) -> &mut Self {
        let card = Card::new(card).unwrap();
        for pile in &mut self.game.piles {
            pile.retain(|other| *other != card.id());
        }
        self.game.set_card_owner(card, user);
        self
    }

    pub fn level(&mut self, lots: &[u8], level: u8) -> &mut Self {
        for lot in lots {
            self.game.deeds.get_mut(deed(*lot)).level = level;
        }
        self
    }

    pub fn mortgaged(&mut self, deeds: &[u8]) -> &mut Self {
        for id in deeds {
            self.game.deeds.get_mut(deed(*id)).mortgaged = true;
        }
        self
    }

    /// What a resync tells one user of their deals.
    pub fn retold(&self, user: UserId) -> Vec<String> {
        let mut lines = Vec::new();
        self.game.deals_of(user, &mut |message| lines.push(std::format!("{message}")));
        brief(lines)
    }
}

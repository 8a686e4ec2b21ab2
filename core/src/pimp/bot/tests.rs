//! What a bot says at tables laid out by hand, and that it stays sane at a table laid out by chance.

use std::string::{String, ToString};
use std::vec::Vec;

use super::{Bot, Strength};
use crate::pimp::view::View;
use crate::pimp::wire::{Direction, Message, Name, TABLE};

type M<'a> = Message<'a>;

fn name(text: &str) -> Name<'_> {
    Name::new(text.as_bytes()).unwrap()
}

struct Table {
    view: View,
    bot: Bot,
}

impl Table {
    /// The bot is player 1 of two, with `cash`.
    fn new(strength: Strength, cash: u32) -> Self {
        let mut table = Self { view: View::new(), bot: Bot::new(strength, 1) };
        for (player, text, cash) in [(1, "ann", cash), (2, "bob", 1500)] {
            table.hear(M::StatePlayer { player, piece: player, name: name(text), square: 0, cash, jail_turn: 0 });
        }
        table.hear(M::WelcomeDetails { player: 1, password: 7 });
        table
    }
    fn hear(&mut self, message: M<'_>) -> &mut Self {
        self.view.take(&message);
        self
    }
    fn own(&mut self, owner: u8, deeds: &[u8]) -> &mut Self {
        for property in deeds {
            self.hear(M::DeltaProperty { from: 0, to: owner, property: *property });
        }
        self
    }
    /// Everything it says until it waits for an answer.
    fn says(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while self.bot.next(&self.view, &mut |message| said.push(message.to_string())) {
            assert!(said.len() < 64, "{said:?}");
        }
        said
    }
}

#[test]
fn welcomes_a_candidate_once() {
    let mut table = Table::new(Strength::Plain, 1500);
    table.hear(M::QueryJoinPlay { candidate: 4, name: name("eve") });
    assert_eq!(table.says(), ["ACCEPT_JOIN candidate=4"]);
    assert!(table.says().is_empty());
}

#[test]
fn claims_before_it_throws() {
    let mut table = Table::new(Strength::Plain, 1500);
    table.own(1, &[3]);
    table.hear(M::PlayerLandingOnSquare { player: 2, square: 6 });
    table.hear(M::StartOfTurn { player: 1, may_throw: true });
    assert_eq!(table.says(), ["CLAIM_RENT debtor=2 property=3", "THROW_DICE"]);
}

#[test]
fn pays_a_preset_rent_with_one_word() {
    let mut table = Table::new(Strength::Shrewd, 1500);
    table
        .hear(M::StartOfTurn { player: 2, may_throw: true })
        .hear(M::TransactionRentRequested { transaction: 3, other: 2, property: 27, creditor: 2, rent: 50 })
        .hear(M::TransactionOtherFinished { transaction: 3 })
        .hear(M::TransactionCashSet { transaction: 3, cash: 50 })
        .hear(M::TransactionFinished { transaction: 3 })
        .hear(M::TransactionOtherAgreed { transaction: 3 });
    assert_eq!(table.says(), ["TRANSACTION_AGREE transaction=3"]);
}

#[test]
fn mortgages_what_it_misses_least_to_pay() {
    let mut table = Table::new(Strength::Plain, 10);
    table.own(1, &[0, 2, 26, 27]);
    table
        .hear(M::StartOfTurn { player: 2, may_throw: true })
        .hear(M::TransactionRentRequested { transaction: 3, other: 2, property: 22, creditor: 2, rent: 26 })
        .hear(M::ErrorTransactionTooExpensive { transaction: 3, cash: 26 })
        .hear(M::TransactionOtherFinished { transaction: 3 });
    assert_eq!(table.says(), ["MORTGAGE_PROPERTY property=0"]);
    table.hear(M::DeltaPropertyMortgaged { property: 0 }).hear(M::DeltaCash { from: 0, to: 1, cash: 30 });
    assert_eq!(table.says(), ["TRANSACTION_SET_CASH transaction=3 cash=26"]);
    table.hear(M::TransactionCashSet { transaction: 3, cash: 26 });
    assert_eq!(table.says(), ["TRANSACTION_FINISH transaction=3"]);
}

#[test]
fn gives_up_when_all_is_not_enough_but_not_before() {
    let mut table = Table::new(Strength::Shrewd, 10);
    table.own(1, &[0]);
    table
        .hear(M::StartOfTurn { player: 2, may_throw: true })
        .hear(M::TransactionTradeRequested { transaction: 2, other: 2 })
        .hear(M::TransactionSquareRequested { transaction: 3, square: 38, amount: 75 });
    assert_eq!(table.says(), ["TRANSACTION_CANCEL transaction=2"]);
    table.hear(M::TransactionCancelled { transaction: 2 });
    assert_eq!(table.says(), ["BANKRUPT_TRANSACTION transaction=3"]);
}

/// Else the table waits for the bot, and the bot for somebody who has left for good.
#[test]
fn gives_up_what_it_is_owed_by_one_who_is_gone() {
    let mut table = Table::new(Strength::Plain, 10);
    table
        .hear(M::TransactionRentRequested { transaction: 2, other: 2, property: 3, creditor: 1, rent: 6 })
        .hear(M::TransactionFinished { transaction: 2 })
        .hear(M::TransactionSquareRequested { transaction: 3, square: 38, amount: 75 })
        .hear(M::TransactionOtherFinished { transaction: 3 })
        .hear(M::WaitingForTransaction { player: 1, transaction: 3 });
    assert_eq!(table.says(), ["BANKRUPT_TRANSACTION transaction=3"]);
    table.hear(M::ErrorTransactionNotBankrupt { transaction: 3, earlier_transaction: 2 });
    assert!(table.says().is_empty(), "bob may yet pay");
    table.hear(M::LinkDead { player: 2 });
    assert_eq!(table.says(), ["TRANSACTION_CANCEL transaction=2"]);
    table.hear(M::TransactionCancelled { transaction: 2 });
    assert_eq!(table.says(), ["BANKRUPT_TRANSACTION transaction=3"]);
}

#[test]
fn hotels_that_cannot_be_broken_up_go_all_at_once() {
    let mut table = Table::new(Strength::Plain, 0);
    table.own(1, &[0, 1]);
    for property in [0, 1] {
        table.hear(M::DeltaHousesPurchased { player: 1, property, houses: 0, hotels: 1 });
    }
    table
        .hear(M::DeltaBank { houses: 3, hotels: 10 })
        .hear(M::StartOfTurn { player: 2, may_throw: true })
        .hear(M::TransactionSquareRequested { transaction: 3, square: 38, amount: 75 });
    assert_eq!(table.says(), ["PURCHASE_HOUSES lots=[0:-4/-1 1:-4/-1]"]);
}

#[test]
fn leaves_jail_by_card_if_it_has_one() {
    let mut table = Table::new(Strength::Shrewd, 1500);
    table
        .hear(M::DeltaCard { from: 0, to: 1, card: 20 })
        .hear(M::StartOfTurn { player: 1, may_throw: false })
        .hear(M::JailPayOrRoll { player: 1, rolls_left: 3, may_build: true });
    assert_eq!(table.says(), ["JAIL_PAY_BAIL"], "early, with land to be had");
    table
        .hear(M::TransactionJailRequested { transaction: 1, amount: 50 })
        .hear(M::TransactionCashSet { transaction: 1, cash: 50 })
        .hear(M::TransactionOtherFinished { transaction: 1 })
        .hear(M::TransactionFinished { transaction: 1 })
        .hear(M::WaitingForTransaction { player: 1, transaction: 1 });
    assert_eq!(table.says(), ["TRANSACTION_SET_CASH transaction=1 cash=0"]);
    table.hear(M::TransactionReopened { transaction: 1 }).hear(M::TransactionCashSet { transaction: 1, cash: 0 });
    assert_eq!(table.says(), ["TRANSACTION_ADD_CARD transaction=1 card=20"]);
}

#[test]
fn stays_in_jail_when_it_is_dear_outside() {
    let mut table = Table::new(Strength::Shrewd, 1500);
    table.own(2, &[11, 12, 13, 14, 15, 16, 18, 19, 21, 22, 23, 24]);
    for property in [11, 12, 13, 14, 15, 16] {
        table.hear(M::DeltaHousesPurchased { player: 2, property, houses: 0, hotels: 1 });
    }
    table.hear(M::JailPayOrRoll { player: 1, rolls_left: 2, may_build: true });
    assert_eq!(table.says(), ["JAIL_ROLL_DICE"]);
    table.hear(M::JailPayOrRoll { player: 1, rolls_left: 0, may_build: true });
    assert_eq!(table.says(), ["JAIL_PAY_BAIL"]);
}

#[test]
fn taxes_are_paid_the_cheaper_way() {
    for (cash, line) in [(1500, "TAX_PAY_TEN_PERCENT"), (2500, "TAX_PAY_FLAT_FEE")] {
        let mut table = Table::new(Strength::Plain, cash);
        table.hear(M::TaxSelectOption { player: 1, square: 4 });
        assert_eq!(table.says(), [line]);
    }
}

#[test]
fn what_is_refused_is_not_said_again() {
    let mut table = Table::new(Strength::Plain, 1500);
    table.hear(M::PropertySale { player: 1, property: 3, price: 100 });
    assert_eq!(table.says(), ["BUY_PROPERTY"]);
    assert!(table.says().is_empty(), "the answer is still to come");
    table.hear(M::ErrorPropertyWouldReduceNetWorth { property: 3, transaction: 9 });
    assert_eq!(table.says(), ["AUCTION_PROPERTY"]);
}

#[test]
fn bids_to_its_limit_and_then_passes() {
    let mut table = Table::new(Strength::Plain, 1500);
    table.hear(M::PropertyAuction { property: 5 });
    let first = table.says();
    assert!(first.len() == 1 && first[0].starts_with("BID cash="), "{first:?}");
    table.hear(M::PropertyAuctionBid { player: 1, cash: 35 });
    assert!(table.says().is_empty(), "it leads");
    table.hear(M::PropertyAuctionBid { player: 2, cash: 90 });
    assert_eq!(table.says(), ["NO_BID"], "three quarters of 120 are bid already");
}

#[test]
fn builds_evenly_and_keeps_cash_back() {
    let mut table = Table::new(Strength::Shrewd, 330);
    table.own(1, &[11, 12, 13]);
    table.hear(M::StartOfTurn { player: 1, may_throw: true });
    assert_eq!(table.says(), ["PURCHASE_HOUSES lots=[13:+1/+0]"]);
    for (property, next) in [(13, 12), (12, 11)] {
        table.hear(M::DeltaHousesPurchased { player: 1, property, houses: 1, hotels: 0 }).hear(M::DeltaCash {
            from: 1,
            to: 0,
            cash: 100,
        });
        assert_eq!(table.says(), [std::format!("PURCHASE_HOUSES lots=[{next}:+1/+0]")]);
    }
    table.hear(M::DeltaHousesPurchased { player: 1, property: 11, houses: 1, hotels: 0 }).hear(M::DeltaCash {
        from: 1,
        to: 0,
        cash: 100,
    });
    assert_eq!(table.says(), ["THROW_DICE"], "30 left");
}

#[test]
fn offers_for_the_last_lot_of_a_group_once_in_a_while() {
    let mut table = Table::new(Strength::Shrewd, 700);
    table.own(1, &[11, 12, 24]).own(2, &[13]);
    table.hear(M::StartOfTurn { player: 1, may_throw: true });
    assert_eq!(table.says(), ["TRANSACTION_REQUEST_TRADE player=2", "THROW_DICE"], "play goes on meanwhile");
    table.hear(M::TransactionTradeRequested { transaction: 5, other: 2 });
    assert_eq!(table.says(), ["TRANSACTION_ADD_PROPERTY transaction=5 property=24"]);
    table.hear(M::TransactionPropertyAdded { transaction: 5, property: 24 });
    assert_eq!(table.says(), ["TRANSACTION_SET_CASH transaction=5 cash=230"]);
    table.hear(M::TransactionCashSet { transaction: 5, cash: 230 });
    assert_eq!(table.says(), ["TRANSACTION_FINISH transaction=5"]);
    table.hear(M::TransactionFinished { transaction: 5 });
    assert!(table.says().is_empty());
    table
        .hear(M::TransactionOtherPropertyAdded { transaction: 5, property: 13 })
        .hear(M::TransactionOtherFinished { transaction: 5 });
    assert_eq!(table.says(), ["TRANSACTION_AGREE transaction=5"]);
    table.hear(M::TransactionOtherReopened { transaction: 5 });
    table.hear(M::TransactionOtherPropertyRemoved { transaction: 5, property: 13 });
    table.hear(M::TransactionFinished { transaction: 5 }).hear(M::TransactionOtherFinished { transaction: 5 });
    assert_eq!(table.says(), ["TRANSACTION_CANCEL transaction=5"], "all for nothing");
    table.hear(M::TransactionCancelled { transaction: 5 });
    table.hear(M::StartOfTurn { player: 2, may_throw: true });
    assert!(table.says().is_empty());
    table.hear(M::StartOfTurn { player: 1, may_throw: true });
    assert_eq!(table.says(), ["THROW_DICE"], "not the same wish again so soon");
}

#[test]
fn answers_an_offer_with_the_deed_it_must_be_for() {
    let mut table = Table::new(Strength::Plain, 1500);
    table.own(2, &[11, 12, 24]).own(1, &[13, 9, 0]);
    table
        .hear(M::StartOfTurn { player: 2, may_throw: true })
        .hear(M::TransactionTradeRequested { transaction: 5, other: 2 });
    assert!(table.says().is_empty(), "let them lay down first");
    table
        .hear(M::TransactionOtherPropertyAdded { transaction: 5, property: 24 })
        .hear(M::TransactionOtherCashSet { transaction: 5, cash: 300 })
        .hear(M::TransactionOtherFinished { transaction: 5 });
    assert_eq!(table.says(), ["TRANSACTION_ADD_PROPERTY transaction=5 property=13"]);
    table.hear(M::TransactionPropertyAdded { transaction: 5, property: 13 });
    assert_eq!(table.says(), ["TRANSACTION_FINISH transaction=5"]);
    table.hear(M::TransactionFinished { transaction: 5 });
    assert_eq!(table.says(), ["TRANSACTION_AGREE transaction=5"]);
}

#[test]
fn calls_off_what_is_not_worth_it_or_goes_nowhere() {
    let mut table = Table::new(Strength::Shrewd, 1500);
    table.own(2, &[11, 12]).own(1, &[13]);
    table
        .hear(M::StartOfTurn { player: 2, may_throw: true })
        .hear(M::TransactionTradeRequested { transaction: 5, other: 2 })
        .hear(M::TransactionOtherCashSet { transaction: 5, cash: 200 })
        .hear(M::TransactionOtherFinished { transaction: 5 });
    assert_eq!(table.says(), ["TRANSACTION_CANCEL transaction=5"]);
    table.hear(M::TransactionCancelled { transaction: 5 });
    table.hear(M::TransactionTradeRequested { transaction: 6, other: 2 });
    for turn in 0..3 {
        table.hear(M::StartOfTurn { player: 1, may_throw: true });
        assert_eq!(table.says(), ["THROW_DICE"], "turn {turn}");
        table.hear(M::StartOfTurn { player: 2, may_throw: true });
        assert!(table.says().is_empty());
    }
    table.hear(M::StartOfTurn { player: 1, may_throw: true });
    assert_eq!(table.says(), ["TRANSACTION_CANCEL transaction=6"], "patience has an end");
}

#[test]
fn asks_how_things_stand_when_it_is_waited_for_without_knowing_why() {
    let mut table = Table::new(Strength::Plain, 1500);
    table.hear(M::WaitingForTransaction { player: 1, transaction: 8 });
    assert_eq!(table.says(), ["REQUEST_STATE"]);
    assert!(table.says().is_empty());
    table.bot.nudge();
    assert_eq!(table.says(), ["REQUEST_STATE"]);
}

#[test]
fn a_new_game_is_met_without_memories() {
    let mut table = Table::new(Strength::Plain, 1500);
    for player in [2, 1] {
        table.hear(M::HandshakeAcknowledge { game: 5 }).hear(M::StartOfTurn { player, may_throw: true });
    }
    assert_eq!(table.says(), ["THROW_DICE"]);
    let mut fresh = Table::new(Strength::Plain, 1500);
    fresh.hear(M::StartOfTurn { player: 1, may_throw: true });
    table.view = fresh.view;
    assert_eq!(table.says(), ["THROW_DICE"]);
}

#[test]
fn an_observer_and_an_ended_game_have_nothing_to_say() {
    let mut table = Table::new(Strength::Plain, 1500);
    table.hear(M::StartOfTurn { player: 1, may_throw: true }).hear(M::PlayerBecameObserverKicked { player: 1 });
    assert!(table.says().is_empty());
    let mut table = Table::new(Strength::Plain, 1500);
    table.hear(M::StartOfTurn { player: 1, may_throw: true }).hear(M::PlayerWon { player: 2 });
    assert!(table.says().is_empty());
}

/// Any messages in any order: no panic, and never an endless flow of words without an answer.
#[test]
fn nonsense_makes_no_bot_babble() {
    let mut state = 7u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let values = [0u8, 1, 1, 2, 2, 3, 7, 9, 27, 39, 40, 255];
    let sent: Vec<_> = TABLE.iter().filter(|entry| entry.direction != Direction::ToServer).collect();
    for strength in [Strength::Plain, Strength::Shrewd] {
        let mut table = Table::new(strength, 1500);
        for _ in 0..100_000 {
            let entry = sent[next(sent.len())];
            // A won game or another game would end the trial.
            if matches!(entry.code, 0x01 | 0x12 | 0xDF) {
                continue;
            }
            let mut payload: Vec<u8> = (0..entry.max_payload).map(|_| values[next(values.len())]).collect();
            for at in 0..payload.len().saturating_sub(3) {
                if next(3) > 0 {
                    payload[at..at + 3].fill(0);
                }
            }
            let Ok(message) = Message::from_server(entry.code, &payload) else { continue };
            table.hear(message);
            table.says();
        }
    }
}

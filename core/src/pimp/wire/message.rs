//! All 159 messages of PIMP version 1, one line each; encoder, decoder, lengths, debug output and the generated
//! page MESSAGES.md all come from this table. The document's `PIMP_` prefix is left out.

use core::fmt;

use super::field::{Field, Kind, Lots, Name, Reader, Writer};
use super::table::messages;

/// Bytes before the payload: type and length.
pub const HEADER: usize = 2;
/// The longest frame: 2 /* header */ + 254 /* payload */.
pub const FRAME_MAX: usize = 256;

/// The sender of a message, and its receivers. `Again`: it is part of a resync (`S=>` in the document).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Direction {
    ToServer,
    ToOne,
    ToOneAgain,
    ToAll,
    ToAllAgain,
    Either,
}

impl Direction {
    /// May this end send it?
    const fn is_sent_by(self, client: bool) -> bool {
        match self {
            Direction::Either => true,
            Direction::ToServer => client,
            _ => !client,
        }
    }
    /// As the document writes it.
    pub const fn arrow(self) -> &'static str {
        match self {
            Direction::ToServer => "C->S",
            Direction::ToOne => "S->C",
            Direction::ToOneAgain => "S=>C",
            Direction::ToAll => "S->A",
            Direction::ToAllAgain => "S=>A",
            Direction::Either => "X->X",
        }
    }
}

/// Why a frame is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Flaw {
    /// No message has this code.
    Unknown(u8),
    /// This code is the other end's to send.
    WrongSide(u8),
    /// The payload is too short for this code, or a string or list runs past its end or its limit.
    Unparseable(u8),
}

/// One line of the table, for generated pages, other languages and tests.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub code: u8,
    pub direction: Direction,
    /// The document's line that defines it.
    pub line: u16,
    pub fields: &'static [FieldEntry],
    pub min_payload: usize,
    /// The longest payload we ever send.
    pub max_payload: usize,
}

/// A field's name and kind.
#[derive(Clone, Copy, Debug)]
pub struct FieldEntry {
    pub name: &'static str,
    pub kind: Kind,
}

impl<'a> Message<'a> {
    /// What a server makes of a client's frame.
    #[inline]
    pub fn from_client(code: u8, payload: &'a [u8]) -> Result<Self, Flaw> {
        Self::decode_as::<true>(code, payload)
    }
    /// What a client makes of a server's frame.
    #[inline]
    pub fn from_server(code: u8, payload: &'a [u8]) -> Result<Self, Flaw> {
        Self::decode_as::<false>(code, payload)
    }
}

#[rustfmt::skip]
messages! {
    /// A PIMP message: names and lists borrow from the frame it was read from.
    <'a>
    0x00 Handshake HANDSHAKE ToServer 74 { version: u8 }
    0x01 HandshakeAcknowledge HANDSHAKE_ACKNOWLEDGE ToOne 80 { game: u32 }
    0x02 Join JOIN ToServer 91 { piece: u8, play: bool, name: Name<'a> }
    0x03 WelcomeDetails WELCOME_DETAILS ToOne 125 { player: u8, password: u32 }
    0x04 WelcomePlayer WELCOME_PLAYER ToAll 130 { player: u8, piece: u8, name: Name<'a> }
    0x05 WelcomeObserver WELCOME_OBSERVER ToAll 135 { player: u8, piece: u8, name: Name<'a> }
    0x06 QueryJoinPlay QUERY_JOIN_PLAY ToAllAgain 95 { candidate: u32, name: Name<'a> }
    0x07 QueryJoinObserve QUERY_JOIN_OBSERVE ToAllAgain 96 { candidate: u32, name: Name<'a> }
    0x08 AcceptJoin ACCEPT_JOIN ToServer 104 { candidate: u32 }
    0x09 RefuseJoin REFUSE_JOIN ToServer 108 { candidate: u32 }
    0x0A Rejoin REJOIN ToServer 140 { player: u8, password: u32 }
    0x0B WelcomeBack WELCOME_BACK ToOne 143 { player: u8, piece: u8, name: Name<'a>, playing: bool }
    0x0C PlayerTakeover PLAYER_TAKEOVER ToAll 192 { new_player: u8, old_player: u8 }
    0x0D SwitchPlay SWITCH_PLAY ToServer 214 {}
    0x0E ObserverBecamePlayer OBSERVER_BECAME_PLAYER ToAll 222 { player: u8 }
    0x0F JoinRefused JOIN_REFUSED ToAll 112 { candidate: u32, name: Name<'a> }
    0x10 JoinPending JOIN_PENDING ToOne 101 {}
    0x11 RequestState REQUEST_STATE ToServer 249 {}
    0x12 StateBoard STATE_BOARD ToOne 252 { board: u8 }
    0x13 StatePlayer STATE_PLAYER ToOne 256 { player: u8, piece: u8, name: Name<'a>, square: u8, cash: u32, jail_turn: u8 }
    0x14 StateObserver STATE_OBSERVER ToOne 261 { player: u8, piece: u8, name: Name<'a> }
    0x15 StateProperty STATE_PROPERTY ToOne 264 { property: u8, owner: u8, mortgaged: bool, houses: u8, hotels: u8 }
    0x16 StateCard STATE_CARD ToOne 268 { card: u8, owner: u8 }
    0x1F StatePot STATE_POT ToOne 271 { cash: u32 }
    0x20 StartOfTurn START_OF_TURN ToAllAgain 284 { player: u8, may_throw: bool }
    0x21 ThrowDice THROW_DICE ToServer 289 {}
    0x22 DiceRolled DICE_ROLLED ToAll 294 { player: u8, die1: u8, die2: u8 }
    0x23 ThreeDoubles THREE_DOUBLES ToAll 298 { player: u8 }
    0x24 DiceMovedPlayer DICE_MOVED_PLAYER ToAll 301 { player: u8, square: u8, total: u8 }
    0x25 CardMovedPlayer CARD_MOVED_PLAYER ToAll 307 { player: u8, card: u8, square: u8 }
    0x26 SquareMovedPlayer SQUARE_MOVED_PLAYER ToAll 310 { player: u8, from_square: u8, square: u8 }
    0x27 PlayerPassingBySquare PLAYER_PASSING_BY_SQUARE ToAll 313 { player: u8, square: u8 }
    0x28 PlayerLandingOnSquare PLAYER_LANDING_ON_SQUARE ToAll 321 { player: u8, square: u8 }
    0x29 GoingToJail GOING_TO_JAIL ToAll 326 { player: u8, square: u8 }
    0x2A WaitingForTransaction WAITING_FOR_TRANSACTION ToAllAgain 334 { player: u8, transaction: u32 }
    0x2B ClaimRent CLAIM_RENT ToServer 337 { debtor: u8, property: u8 }
    0x2C ClaimGo CLAIM_GO ToServer 344 { square: u8 }
    0x2E RentCollectionMoratorium RENT_COLLECTION_MORATORIUM ToAll 354 {}
    0x2F RollAgain ROLL_AGAIN ToAll 357 { player: u8 }
    0x30 PropertySale PROPERTY_SALE ToAllAgain 364 { player: u8, property: u8, price: u32 }
    0x31 BuyProperty BUY_PROPERTY ToServer 367 {}
    0x32 AuctionProperty AUCTION_PROPERTY ToServer 378 {}
    0x33 PropertyAuction PROPERTY_AUCTION ToAllAgain 381 { property: u8 }
    0x34 Bid BID ToServer 384 { cash: u32 }
    0x35 PropertyAuctionBid PROPERTY_AUCTION_BID ToAllAgain 388 { player: u8, cash: u32 }
    0x36 NoBid NO_BID ToServer 391 {}
    0x37 PropertyAuctionNoBid PROPERTY_AUCTION_NO_BID ToAllAgain 398 { player: u8 }
    0x38 PropertyAuctionWon PROPERTY_AUCTION_WON ToAll 401 { player: u8 }
    0x39 PropertyAuctionVoid PROPERTY_AUCTION_VOID ToAll 405 {}
    0x3B MortgageProperty MORTGAGE_PROPERTY ToServer 459 { property: u8 }
    0x3C UnmortgageProperty UNMORTGAGE_PROPERTY ToServer 467 { property: u8 }
    0x40 GotCard GOT_CARD ToAllAgain 485 { player: u8, square: u8, card: u8 }
    0x41 CardCollectOrRetry CARD_COLLECT_OR_RETRY ToAllAgain 494 { player: u8 }
    0x42 CardSelectCollect CARD_SELECT_COLLECT ToServer 497 {}
    0x43 CardSelectRetry CARD_SELECT_RETRY ToServer 501 {}
    0x45 TaxSelectOption TAX_SELECT_OPTION ToAllAgain 506 { player: u8, square: u8 }
    0x46 TaxPayTenPercent TAX_PAY_TEN_PERCENT ToServer 509 {}
    0x47 TaxPayFlatFee TAX_PAY_FLAT_FEE ToServer 512 {}
    0x4A JailPayOrRoll JAIL_PAY_OR_ROLL ToAllAgain 516 { player: u8, rolls_left: u8, may_build: bool }
    0x4B JailPayBail JAIL_PAY_BAIL ToServer 523 {}
    0x4C JailRollDice JAIL_ROLL_DICE ToServer 529 {}
    0x4D JailFree JAIL_FREE ToAll 536 { player: u8 }
    0x50 TransactionRequestTrade TRANSACTION_REQUEST_TRADE ToServer 562 { player: u8 }
    0x51 TransactionTradeRequested TRANSACTION_TRADE_REQUESTED ToOneAgain 565 { transaction: u32, other: u8 }
    0x52 TransactionRentRequested TRANSACTION_RENT_REQUESTED ToOneAgain 569 { transaction: u32, other: u8, property: u8, creditor: u8, rent: u32 }
    0x53 TransactionCardRequested TRANSACTION_CARD_REQUESTED ToOneAgain 574 { transaction: u32, other: u8, card: u8, creditor: u8, amount: u32 }
    0x54 TransactionSquareRequested TRANSACTION_SQUARE_REQUESTED ToOneAgain 580 { transaction: u32, square: u8, amount: u32 }
    0x55 TransactionBankRequested TRANSACTION_BANK_REQUESTED ToOneAgain 584 { transaction: u32, amount: u32 }
    0x56 TransactionJailRequested TRANSACTION_JAIL_REQUESTED ToOneAgain 590 { transaction: u32, amount: u32 }
    0x60 TransactionSetCash TRANSACTION_SET_CASH ToServer 599 { transaction: u32, cash: u32 }
    0x61 TransactionCashSet TRANSACTION_CASH_SET ToOneAgain 606 { transaction: u32, cash: u32 }
    0x62 TransactionOtherCashSet TRANSACTION_OTHER_CASH_SET ToOneAgain 612 { transaction: u32, cash: u32 }
    0x63 TransactionAddProperty TRANSACTION_ADD_PROPERTY ToServer 617 { transaction: u32, property: u8 }
    0x64 TransactionRemoveProperty TRANSACTION_REMOVE_PROPERTY ToServer 624 { transaction: u32, property: u8 }
    0x65 TransactionPropertyAdded TRANSACTION_PROPERTY_ADDED ToOneAgain 628 { transaction: u32, property: u8 }
    0x66 TransactionPropertyRemoved TRANSACTION_PROPERTY_REMOVED ToOne 631 { transaction: u32, property: u8 }
    0x67 TransactionOtherPropertyAdded TRANSACTION_OTHER_PROPERTY_ADDED ToOneAgain 635 { transaction: u32, property: u8 }
    0x68 TransactionOtherPropertyRemoved TRANSACTION_OTHER_PROPERTY_REMOVED ToOne 638 { transaction: u32, property: u8 }
    0x69 TransactionAddCard TRANSACTION_ADD_CARD ToServer 642 { transaction: u32, card: u8 }
    0x6A TransactionRemoveCard TRANSACTION_REMOVE_CARD ToServer 649 { transaction: u32, card: u8 }
    0x6B TransactionCardAdded TRANSACTION_CARD_ADDED ToOneAgain 653 { transaction: u32, card: u8 }
    0x6C TransactionCardRemoved TRANSACTION_CARD_REMOVED ToOne 656 { transaction: u32, card: u8 }
    0x6D TransactionOtherCardAdded TRANSACTION_OTHER_CARD_ADDED ToOneAgain 660 { transaction: u32, card: u8 }
    0x6E TransactionOtherCardRemoved TRANSACTION_OTHER_CARD_REMOVED ToOne 663 { transaction: u32, card: u8 }
    0x70 TransactionFinish TRANSACTION_FINISH ToServer 667 { transaction: u32 }
    0x71 TransactionFinished TRANSACTION_FINISHED ToOneAgain 670 { transaction: u32 }
    0x72 TransactionOtherFinished TRANSACTION_OTHER_FINISHED ToOneAgain 675 { transaction: u32 }
    0x73 TransactionReopen TRANSACTION_REOPEN ToServer 686 { transaction: u32 }
    0x74 TransactionReopened TRANSACTION_REOPENED ToOneAgain 691 { transaction: u32 }
    0x75 TransactionOtherReopened TRANSACTION_OTHER_REOPENED ToOneAgain 699 { transaction: u32 }
    0x76 TransactionAgree TRANSACTION_AGREE ToServer 707 { transaction: u32 }
    0x77 TransactionAgreed TRANSACTION_AGREED ToOneAgain 726 { transaction: u32 }
    0x78 TransactionOtherAgreed TRANSACTION_OTHER_AGREED ToOneAgain 729 { transaction: u32 }
    0x79 TransactionFinalised TRANSACTION_FINALISED ToOne 732 { transaction: u32 }
    0x7A BankruptTransaction BANKRUPT_TRANSACTION ToServer 736 { transaction: u32 }
    0x7D TransactionUnusual TRANSACTION_UNUSUAL ToOneAgain 749 { transaction: u32 }
    0x7E TransactionCancel TRANSACTION_CANCEL ToServer 754 { transaction: u32 }
    0x7F TransactionCancelled TRANSACTION_CANCELLED ToOne 757 { transaction: u32 }
    0x80 SquareGivesCash SQUARE_GIVES_CASH ToAll 771 { player: u8, square: u8, cash: u32 }
    0x81 SquareTakesCash SQUARE_TAKES_CASH ToAll 776 { player: u8, square: u8, cash: u32 }
    0x82 SquareGivesCard SQUARE_GIVES_CARD ToAll 781 { player: u8, square: u8, card: u8 }
    0x83 SquareTakesCard SQUARE_TAKES_CARD ToAll 786 { player: u8, square: u8, card: u8 }
    0x84 ConstructionTakesCash CONSTRUCTION_TAKES_CASH ToAll 791 { player: u8, cash: u32 }
    0x85 DestructionGivesCash DESTRUCTION_GIVES_CASH ToAll 796 { player: u8, cash: u32 }
    0x86 PlayerClaimedRent PLAYER_CLAIMED_RENT ToAll 801 { creditor: u8, debtor: u8, property: u8, rent: u32 }
    0x87 PlayerClaimedGo PLAYER_CLAIMED_GO ToAll 806 { player: u8, square: u8, cash: u32 }
    0x90 PurchaseHouses PURCHASE_HOUSES ToServer 409 { lots: Lots<'a> }
    0x91 ErrorHousesNotOwned ERROR_HOUSES_NOT_OWNED ToOne 415 { property: u8 }
    0x92 ErrorHousesNeedMonopoly ERROR_HOUSES_NEED_MONOPOLY ToOne 418 { property: u8 }
    0x93 ErrorHousesMortgaged ERROR_HOUSES_MORTGAGED ToOne 421 { property: u8 }
    0x94 ErrorHousesNotColourGroup ERROR_HOUSES_NOT_COLOUR_GROUP ToOne 424 { property: u8 }
    0x95 ErrorHousesNotYourTurn ERROR_HOUSES_NOT_YOUR_TURN ToOne 427 {}
    0x96 ErrorHousesTooExpensive ERROR_HOUSES_TOO_EXPENSIVE ToOne 430 { cost: u32 }
    0x97 ErrorHousesNoHousePiecesLeft ERROR_HOUSES_NO_HOUSE_PIECES_LEFT ToOne 433 { houses: u8, hotels: u8 }
    0x98 ErrorHousesCannotBuildThatNumber ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER ToOne 437 { property: u8 }
    0x99 ErrorHousesUnbalanced ERROR_HOUSES_UNBALANCED ToOne 441 { property: u8 }
    0x9A ErrorHousesWouldReduceNetWorth ERROR_HOUSES_WOULD_REDUCE_NET_WORTH ToOne 445 { transaction: u32 }
    0x9B ErrorHousesTermites ERROR_HOUSES_TERMITES ToOne 449 {}
    0xC0 DeltaCash DELTA_CASH ToAll 815 { from: u8, to: u8, cash: u32 }
    0xC1 DeltaProperty DELTA_PROPERTY ToAll 819 { from: u8, to: u8, property: u8 }
    0xC2 DeltaCard DELTA_CARD ToAll 822 { from: u8, to: u8, card: u8 }
    0xC3 DeltaHousesPurchased DELTA_HOUSES_PURCHASED ToAll 453 { player: u8, property: u8, houses: u8, hotels: u8 }
    0xC4 DeltaBank DELTA_BANK ToAll 825 { houses: u8, hotels: u8 }
    0xC5 DeltaPropertyMortgaged DELTA_PROPERTY_MORTGAGED ToAll 463 { property: u8 }
    0xC6 DeltaPropertyUnmortgaged DELTA_PROPERTY_UNMORTGAGED ToAll 470 { property: u8 }
    0xCF DeltaPot DELTA_POT ToAll 828 { cash: u32 }
    0xD0 Ping PING ToOne 157 { nonce: u32 }
    0xD1 Pong PONG ToServer 160 { nonce: u32 }
    0xD2 LinkDead LINK_DEAD ToAllAgain 163 { player: u8 }
    0xD3 Kick KICK ToServer 171 { player: u8 }
    0xD4 Transfer TRANSFER ToServer 181 { player: u8 }
    0xD5 Afk AFK ToServer 203 {}
    0xDA PlayerBecameObserverTransfer PLAYER_BECAME_OBSERVER_TRANSFER ToAll 226 { player: u8 }
    0xDB PlayerBecameObserverBankrupt PLAYER_BECAME_OBSERVER_BANKRUPT ToAll 231 { player: u8 }
    0xDC PlayerBecameObserverKicked PLAYER_BECAME_OBSERVER_KICKED ToAll 176 { player: u8 }
    0xDF PlayerWon PLAYER_WON ToAll 235 { player: u8 }
    0xE0 ErrorInvalidRentClaim ERROR_INVALID_RENT_CLAIM ToOne 341 {}
    0xE1 ErrorInvalidGoClaim ERROR_INVALID_GO_CLAIM ToOne 348 {}
    0xE2 ErrorPropertyTooExpensive ERROR_PROPERTY_TOO_EXPENSIVE ToOne 371 { property: u8, price: u32 }
    0xE3 ErrorMortgageTooExpensive ERROR_MORTGAGE_TOO_EXPENSIVE ToOne 474 { property: u8, cost: u32 }
    0xE4 ErrorTransactionTooExpensive ERROR_TRANSACTION_TOO_EXPENSIVE ToOne 602 { transaction: u32, cash: u32 }
    0xE5 ErrorTransactionPropertyNotOwned ERROR_TRANSACTION_PROPERTY_NOT_OWNED ToOne 621 { transaction: u32, property: u8 }
    0xE6 ErrorTransactionCardNotOwned ERROR_TRANSACTION_CARD_NOT_OWNED ToOne 646 { transaction: u32, card: u8 }
    0xE7 ErrorTransactionNotSuitable ERROR_TRANSACTION_NOT_SUITABLE ToOne 680 { transaction: u32, amount: u32 }
    0xE8 ErrorTransactionPropertyHasHouse ERROR_TRANSACTION_PROPERTY_HAS_HOUSE ToOne 712 { transaction: u32, property: u8 }
    0xE9 ErrorTransactionWouldReduceNetWorth ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH ToOne 718 { transaction: u32, blocking_transaction: u32 }
    0xEA ErrorTransactionNotBankrupt ERROR_TRANSACTION_NOT_BANKRUPT ToOne 743 { transaction: u32, earlier_transaction: u32 }
    0xEB ErrorTransactionCannotBeCancelled ERROR_TRANSACTION_CANNOT_BE_CANCELLED ToOne 762 { transaction: u32 }
    0xEC ErrorCannotTransferDuringTransaction ERROR_CANNOT_TRANSFER_DURING_TRANSACTION ToOne 186 { transaction: u32 }
    0xED MoneyBeingHeldInEscrow MONEY_BEING_HELD_IN_ESCROW ToOne 351 { player: u8, transaction: u32, cash: u32 }
    0xEE ErrorPropertyWouldReduceNetWorth ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH ToOne 374 { property: u8, transaction: u32 }
    0xF0 ErrorUnknownProtocol ERROR_UNKNOWN_PROTOCOL ToOne 84 {}
    0xF1 ErrorTooManyUsers ERROR_TOO_MANY_USERS ToOne 115 {}
    0xF2 ErrorNameInUse ERROR_NAME_IN_USE ToOne 118 {}
    0xF3 ErrorNotWelcome ERROR_NOT_WELCOME ToOne 122 {}
    0xF4 ErrorWrongPassword ERROR_WRONG_PASSWORD ToOne 148 {}
    0xFC ErrorInvalidPayload ERROR_INVALID_PAYLOAD Either 65 { code: u8 }
    0xFD ErrorUnparseable ERROR_UNPARSEABLE Either 61 {}
    0xFE ErrorUnexpectedMessage ERROR_UNEXPECTED_MESSAGE Either 54 { code: u8 }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn a_client_says_hello() {
        let hello = Message::from_client(0x00, &[1]);
        assert_eq!(hello, Ok(Message::Handshake { version: 1 }));
        assert_eq!(Message::from_client(0x00, &[]), Err(Flaw::Unparseable(0x00)));
        assert_eq!(Message::from_server(0x00, &[1]), Err(Flaw::WrongSide(0x00)));
        assert_eq!(Message::from_client(0xFF, &[1]), Err(Flaw::Unknown(0xFF)));
    }

    #[test]
    fn a_throw_on_the_wire_and_in_words() {
        let throw = Message::DiceRolled { player: 1, die1: 3, die2: 4 };
        let mut out = [0; MaxLen::DICE_ROLLED];
        assert_eq!(throw.encode(&mut out), Some(5));
        assert_eq!(out, [0x22, 3, 1, 3, 4]);
        assert_eq!(throw.encode(&mut [0; 4]), None);
        assert_eq!(throw.to_string(), "DICE_ROLLED player=1 die1=3 die2=4");
    }
}

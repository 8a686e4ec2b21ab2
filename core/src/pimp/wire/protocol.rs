//! The messages as data, from the table that reads and writes them, with the names that board 0 has for its numbers.

use heapless::Vec;

use super::field::{Kind, NAME_MAX};
use super::message::{Direction, Entry, FieldEntry, TABLE};
use crate::pimp::board::{Card, Deed, Effect, Piece, Square};
use crate::protocol::{self, ANY, Field, Framing, Greeting, Message, Part, Protocol, Sender, Tell};

pub const PROTOCOL: Protocol = Protocol {
    title: "Portable Internet Monopoly Protocol",
    framing: Framing::Frames,
    greetings: &[Greeting { by_client: true, bytes: &[0x00, 1, 1] }],
    answers: ANSWERS,
    unfinished: &[],
    each,
};

/// What a request is answered with, by the section of the document that has both. An answer that names a request's code
/// is about that one ([`protocol::Kind::Code`]).
const ANSWERS: &[(&str, &[&str])] = &[
    ("HANDSHAKE", &["HANDSHAKE_ACKNOWLEDGE", "ERROR_UNKNOWN_PROTOCOL"]),
    ("JOIN", &["WELCOME_DETAILS", "JOIN_PENDING", "ERROR_TOO_MANY_USERS", "ERROR_NAME_IN_USE", "ERROR_NOT_WELCOME"]),
    ("REJOIN", &["WELCOME_BACK", "ERROR_WRONG_PASSWORD"]),
    ("SWITCH_PLAY", &["OBSERVER_BECAME_PLAYER"]),
    ("REQUEST_STATE", &["STATE_BOARD"]),
    ("THROW_DICE", &["DICE_ROLLED"]),
    ("JAIL_ROLL_DICE", &["DICE_ROLLED"]),
    ("JAIL_PAY_BAIL", &["TRANSACTION_JAIL_REQUESTED"]),
    ("CLAIM_RENT", &["PLAYER_CLAIMED_RENT", "ERROR_INVALID_RENT_CLAIM"]),
    ("CLAIM_GO", &["PLAYER_CLAIMED_GO", "ERROR_INVALID_GO_CLAIM"]),
    ("BUY_PROPERTY", &["DELTA_PROPERTY", "ERROR_PROPERTY_TOO_EXPENSIVE", "ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH"]),
    ("AUCTION_PROPERTY", &["PROPERTY_AUCTION"]),
    ("BID", &["PROPERTY_AUCTION_BID"]),
    ("NO_BID", &["PROPERTY_AUCTION_NO_BID"]),
    ("MORTGAGE_PROPERTY", &["DELTA_PROPERTY_MORTGAGED"]),
    ("UNMORTGAGE_PROPERTY", &["DELTA_PROPERTY_UNMORTGAGED", "ERROR_MORTGAGE_TOO_EXPENSIVE"]),
    ("TRANSACTION_REQUEST_TRADE", &["TRANSACTION_TRADE_REQUESTED"]),
    ("TRANSACTION_SET_CASH", &["TRANSACTION_CASH_SET", "ERROR_TRANSACTION_TOO_EXPENSIVE"]),
    ("TRANSACTION_ADD_PROPERTY", &["TRANSACTION_PROPERTY_ADDED", "ERROR_TRANSACTION_PROPERTY_NOT_OWNED"]),
    ("TRANSACTION_REMOVE_PROPERTY", &["TRANSACTION_PROPERTY_REMOVED"]),
    ("TRANSACTION_ADD_CARD", &["TRANSACTION_CARD_ADDED", "ERROR_TRANSACTION_CARD_NOT_OWNED"]),
    ("TRANSACTION_REMOVE_CARD", &["TRANSACTION_CARD_REMOVED"]),
    ("TRANSACTION_FINISH", &["TRANSACTION_FINISHED", "ERROR_TRANSACTION_NOT_SUITABLE"]),
    ("TRANSACTION_REOPEN", &["TRANSACTION_REOPENED"]),
    (
        "TRANSACTION_AGREE",
        &[
            "TRANSACTION_AGREED",
            "TRANSACTION_FINALISED",
            "ERROR_TRANSACTION_PROPERTY_HAS_HOUSE",
            "ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH",
        ],
    ),
    ("TRANSACTION_CANCEL", &["TRANSACTION_CANCELLED", "ERROR_TRANSACTION_CANNOT_BE_CANCELLED"]),
    ("BANKRUPT_TRANSACTION", &["PLAYER_BECAME_OBSERVER_BANKRUPT", "ERROR_TRANSACTION_NOT_BANKRUPT"]),
    (
        "PURCHASE_HOUSES",
        &[
            "DELTA_HOUSES_PURCHASED",
            "ERROR_HOUSES_NOT_OWNED",
            "ERROR_HOUSES_NEED_MONOPOLY",
            "ERROR_HOUSES_MORTGAGED",
            "ERROR_HOUSES_NOT_COLOUR_GROUP",
            "ERROR_HOUSES_NOT_YOUR_TURN",
            "ERROR_HOUSES_TOO_EXPENSIVE",
            "ERROR_HOUSES_NO_HOUSE_PIECES_LEFT",
            "ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER",
            "ERROR_HOUSES_UNBALANCED",
            "ERROR_HOUSES_WOULD_REDUCE_NET_WORTH",
            "ERROR_HOUSES_TERMITES",
        ],
    ),
    ("TRANSFER", &["PLAYER_BECAME_OBSERVER_TRANSFER", "ERROR_CANNOT_TRANSFER_DURING_TRANSACTION"]),
    ("PING", &["PONG"]),
    (ANY, &["ERROR_UNPARSEABLE"]),
];

const BYTE: &[Part] = &[Part::of(protocol::Kind::Byte)];
const CODE: &[Part] = &[Part::of(protocol::Kind::Code)];
const BOOL: &[Part] = &[Part::of(protocol::Kind::Bool)];
const NUMBER: &[Part] = &[Part::of(protocol::Kind::Number(0, u32::MAX))];
const NAME: &[Part] = &[Part::of(protocol::Kind::Counted(NAME_MAX as u8))];
const LOTS: &[Part] = &[Part::of(protocol::Kind::List(&[
    Part::called("property", PROPERTY),
    Part::called("houses", protocol::Kind::Delta),
    Part::called("hotels", protocol::Kind::Delta),
]))];

const PROPERTY: protocol::Kind = protocol::Kind::Named(|id| Deed::new(id).map(Deed::name));
const PROPERTIES: &[Part] = &[Part::of(PROPERTY)];
const SQUARE: &[Part] = &[Part::of(protocol::Kind::Named(|id| Square::new(id).map(Square::name)))];
const PIECE: &[Part] = &[Part::of(protocol::Kind::Named(|id| Piece::new(id).map(Piece::name)))];
const CARD: &[Part] = &[Part::of(protocol::Kind::Named(|id| Card::new(id).map(|card| effect_name(card.effect()))))];

const fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::AdvanceTo(square) => square.name(),
        Effect::NextUtility => "next utility",
        Effect::NextRailroad => "next railroad",
        Effect::BankPays(_) => "the bank pays",
        Effect::JailCard => "get out of jail",
        Effect::Back(_) => "go back",
        Effect::GoToJail => "go to jail",
        Effect::Repairs { .. } => "repairs",
        Effect::PayBank(_) => "pay the bank",
        Effect::PayEach(_) => "pay each player",
        Effect::CollectEach(_) => "collect from each player",
    }
}

const fn sender(direction: Direction) -> Sender {
    match direction {
        Direction::ToServer => Sender::Client,
        Direction::Either => Sender::Either,
        _ => Sender::Server,
    }
}

/// A byte means what its name says, wherever it stands.
fn field(entry: &FieldEntry) -> Field {
    let parts = match (entry.kind, entry.name) {
        (Kind::Byte, "property") => PROPERTIES,
        (Kind::Byte, "square" | "from_square") => SQUARE,
        (Kind::Byte, "piece") => PIECE,
        (Kind::Byte, "card") => CARD,
        (Kind::Byte, "code") => CODE,
        (Kind::Byte, _) => BYTE,
        (Kind::Bool, _) => BOOL,
        (Kind::Number, _) => NUMBER,
        (Kind::Name, _) => NAME,
        (Kind::Lots, _) => LOTS,
    };
    Field { name: entry.name, parts }
}

fn each(tell: Tell<'_>) {
    for Entry { name, code, direction, line, fields, .. } in TABLE {
        // No message has more than six fields.
        let fields: Vec<Field, 8> = fields.iter().map(field).collect();
        let (sender, is_error) = (sender(*direction), name.starts_with("ERROR_"));
        tell(&Message { name, also: None, code: *code, sender, is_error, line: Some(*line), fields: &fields });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_and_field_of_the_table_is_told() {
        let mut entries = TABLE.iter();
        each(&mut |message| {
            let entry = entries.next().unwrap();
            assert_eq!(
                (message.name, message.code, message.fields.len()),
                (entry.name, entry.code, entry.fields.len())
            );
            assert!(message.fields.iter().zip(entry.fields).all(|(told, field)| told.name == field.name));
        });
        assert!(entries.next().is_none());
    }

    #[test]
    fn answers_come_from_the_other_end() {
        let by_client = |name| TABLE.iter().find(|entry| entry.name == name).map(|entry| sender(entry.direction));
        for (request, answers) in ANSWERS.iter().filter(|(request, _)| *request != ANY) {
            let from = by_client(*request);
            assert!(from.is_some(), "{request}");
            assert!(answers.iter().all(|answer| by_client(*answer).is_some_and(|to| Some(to) != from)), "{request}");
        }
    }
}

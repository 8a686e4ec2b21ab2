//! What other readers need of core's tables: MESSAGES.md for people, `wire.js` and `facts.js` for the page.

use std::fmt::Write as _;

use parlor_core::pimp::board::{self, Card, Deed, Effect, Group, Piece, Square, SquareKind};
use parlor_core::pimp::wire::{Direction, Kind, TABLE};

use crate::conversation::Made;

pub(super) fn made() -> Vec<Made> {
    vec![
        ("core/src/pimp/wire/MESSAGES.md", page()),
        ("host/web/pimp/wire.js", wire()),
        ("host/web/pimp/facts.js", facts()),
    ]
}

const HEAD: &str = "\
# The messages of PIMP version 1

Made from the table in message.rs by `cargo run -p parlor-tests --bin messages`; a test fails when this page is stale.

A frame is the code, the length of the payload (0 to 254) and the payload: the fields in this order. Numbers are big
endian, a number has four bytes. A bool is a byte whose bit 0 counts. A name is a length byte and at most 32 bytes of
UTF-8. Lots are a count and, for each lot, three bytes: property, houses and hotels bought (+) or sold (-). A payload may
be longer than its fields; the tail is ignored. Line: where the protocol's document defines the message.

Who sends it: `C->S` client to server, `S->C` server to one client, `S->A` server to all, `X->X` either; `S=>` means that
a resync repeats it.

| code | message | direction | fields | payload | line |
|---|---|---|---|---:|---:|
";

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Byte => "byte",
        Kind::Bool => "bool",
        Kind::Number => "number",
        Kind::Name => "name",
        Kind::Lots => "lots",
    }
}

fn page() -> String {
    let mut page = HEAD.to_string();
    for entry in TABLE {
        let fields: Vec<_> = entry.fields.iter().map(|f| format!("{}: {}", f.name, kind(f.kind))).collect();
        let payload = match (entry.min_payload, entry.max_payload) {
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min} to {max}"),
        };
        let (code, name, arrow, line) = (entry.code, entry.name, entry.direction.arrow(), entry.line);
        // Writing to a String can't fail.
        _ = writeln!(page, "| 0x{code:02X} | {name} | `{arrow}` | {} | {payload} | {line} |", fields.join(", "));
    }
    page
}

/// The message table, one line a message: code and sender (C client, S server, X either), name, fields with the first
/// letter of their kind (b byte, t truth, n number, s string, l lots).
fn wire() -> String {
    let mut text = "// Made from core's message table by `cargo run -p parlor-tests --bin messages`; do not edit.\n\
                    export const TABLE = `"
        .to_string();
    for (at, entry) in TABLE.iter().enumerate() {
        let sender = match entry.direction {
            Direction::ToServer => 'C',
            Direction::Either => 'X',
            _ => 'S',
        };
        let letter = |kind| match kind {
            Kind::Byte => 'b',
            Kind::Bool => 't',
            Kind::Number => 'n',
            Kind::Name => 's',
            Kind::Lots => 'l',
        };
        let fields: String = entry.fields.iter().map(|f| format!(" {}:{}", f.name, letter(f.kind))).collect();
        let end = if at == 0 { "" } else { "\n" };
        _ = write!(text, "{end}{:02x}{sender} {}{fields}", entry.code, entry.name);
    }
    text + "`;\n"
}

/// Board 0: what the page must know to draw it and to say what things cost.
fn facts() -> String {
    let mut text =
        "// Made from core's board by `cargo run -p parlor-tests --bin messages`; do not edit.\n".to_string();
    let numbers = [
        ("SALARY", board::SALARY),
        ("BAIL", board::BAIL),
        ("JAIL_ROLLS", board::JAIL_ROLLS.into()),
        ("INCOME_TAX", board::INCOME_TAX),
        ("HOUSES", board::HOUSES.into()),
        ("HOTELS", board::HOTELS.into()),
    ];
    for (name, number) in numbers {
        _ = writeln!(text, "export const {name} = {number};");
    }
    let squares: Vec<String> = Square::all().map(square).collect();
    _ = writeln!(text, "// kind, name; a property also its deed\nexport const SQUARES = [\n{}];", squares.concat());
    let deeds: Vec<String> = Deed::all().map(deed).collect();
    let head = "// square, group, price, price of a house, rents by level (railroads, utilities: by number owned)";
    _ = writeln!(text, "{head}\nexport const DEEDS = [\n{}];", deeds.concat());
    let groups = Group::all().map(|group| {
        let deeds: Vec<u8> = group.deeds().iter().map(|deed| deed.id()).collect();
        format!("  [{:?}, {deeds:?}],\n", group.name())
    });
    _ = writeln!(text, "export const GROUPS = [\n{}];", groups.collect::<String>());
    let cards: Vec<String> = Card::all().map(|card| effect(card.effect())).collect();
    _ = writeln!(text, "export const CARDS = [{}];", cards.join(", "));
    let pieces: Vec<&str> = Piece::all().map(Piece::name).collect();
    _ = writeln!(text, "export const PIECES = {pieces:?};");
    text
}

fn square(square: Square) -> String {
    let kind = match square.kind() {
        SquareKind::Property(deed) => return format!("  [\"deed\", {:?}, {}],\n", deed.name(), deed.id()),
        SquareKind::Go => "go",
        SquareKind::CommunityChest => "chest",
        SquareKind::Chance => "chance",
        SquareKind::IncomeTax => "income",
        SquareKind::LuxuryTax => "luxury",
        SquareKind::Jail => "jail",
        SquareKind::FreeParking => "parking",
        SquareKind::GoToJail => "arrest",
    };
    format!("  [{kind:?}, {:?}],\n", square.name())
}

fn deed(deed: Deed) -> String {
    let rents: Vec<u32> = (0..=board::HOTEL_LEVEL).map(|level| deed.rent(level)).collect();
    let (square, group) = (deed.square().id(), deed.group().id());
    format!("  [{square}, {group}, {}, {}, {rents:?}],\n", deed.price(), deed.house_cost())
}

fn effect(effect: Effect) -> String {
    match effect {
        Effect::AdvanceTo(square) => format!("[\"to\", {}]", square.id()),
        Effect::NextUtility => "[\"utility\"]".into(),
        Effect::NextRailroad => "[\"railroad\"]".into(),
        Effect::BankPays(cash) => format!("[\"get\", {cash}]"),
        Effect::JailCard => "[\"keep\"]".into(),
        Effect::Back(steps) => format!("[\"back\", {steps}]"),
        Effect::GoToJail => "[\"jail\"]".into(),
        Effect::Repairs { house, hotel } => format!("[\"repair\", {house}, {hotel}]"),
        Effect::PayBank(cash) => format!("[\"pay\", {cash}]"),
        Effect::PayEach(cash) => format!("[\"payEach\", {cash}]"),
        Effect::CollectEach(cash) => format!("[\"getEach\", {cash}]"),
    }
}

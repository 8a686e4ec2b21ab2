//! The code's message table against the document's facts in data/pimp_messages.txt.

use std::collections::BTreeSet;

use parlor_core::pimp::wire::{Direction, Entry, FRAME_MAX, HEADER, Kind, LOTS_MAX, MaxLen, NAME_MAX, TABLE};

const FACTS: &str = include_str!("../../data/pimp_messages.txt");

fn letter(kind: Kind) -> char {
    match kind {
        Kind::Byte => 'b',
        Kind::Bool => '?',
        Kind::Number => 'n',
        Kind::Name => 's',
        Kind::Lots => 'l',
    }
}

/// An entry of the table, as a line of the facts is written.
fn line(entry: &Entry) -> String {
    let fields = match entry.fields {
        [] => "-".to_string(),
        fields => fields.iter().map(|field| letter(field.kind)).collect(),
    };
    let Entry { name, code, direction, line, min_payload, max_payload, .. } = entry;
    format!("{code:02X} {} {min_payload:3} {max_payload:3} {line:3} {fields:6} {name}", direction.arrow())
}

#[test]
fn every_message_is_as_the_document_says() {
    let facts: Vec<&str> = FACTS.lines().filter(|line| !line.starts_with('#')).collect();
    let table: Vec<String> = TABLE.iter().map(line).collect();
    for (fact, ours) in facts.iter().zip(&table) {
        assert_eq!(fact, ours);
    }
    assert_eq!(facts.len(), 159);
    assert_eq!(table.len(), 159);
}

#[test]
fn directions_add_up() {
    let count = |wanted: &[Direction]| TABLE.iter().filter(|entry| wanted.contains(&entry.direction)).count();
    assert_eq!(count(&[Direction::ToServer]), 38);
    assert_eq!(count(&[Direction::Either]), 3);
    assert_eq!(count(&[Direction::ToOne, Direction::ToOneAgain]), 67);
    assert_eq!(count(&[Direction::ToAll, Direction::ToAllAgain]), 51);
}

#[test]
fn codes_ascend_and_names_are_unique() {
    assert!(TABLE.is_sorted_by(|a, b| a.code < b.code));
    let names: BTreeSet<_> = TABLE.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), 159);
}

#[test]
fn the_longest_lengths_are_constants() {
    // The table's column comes from these constants; three of them by hand, and the sums behind them.
    assert_eq!(MaxLen::SWITCH_PLAY, 2);
    assert_eq!(MaxLen::STATE_PLAYER, 2 /* header */ + 3 /* player, piece, square */ + 33 /* name */ + 4 + 1);
    assert_eq!(MaxLen::PURCHASE_HOUSES, 2 /* header */ + 1 /* count */ + 84 * 3);
    assert_eq!((HEADER, FRAME_MAX, NAME_MAX, LOTS_MAX), (2, 256, 32, 84));

    let longest = |to_server| {
        let sent = TABLE.iter().filter(|entry| (entry.direction == Direction::ToServer) == to_server);
        sent.map(|entry| HEADER + entry.max_payload).max()
    };
    assert_eq!(longest(true), Some(MaxLen::PURCHASE_HOUSES));
    assert_eq!(longest(false), Some(MaxLen::STATE_PLAYER));
}

//! The galaxy of Merchant of Venus is the printed board: every space and every way, in the order of the data files that the
//! client of another making reads, too.

use parlor_core::venus::board::{Chart, Kind};
use parlor_core::venus::pieces::Colour;

/// The rows of a file without its head, cut at commas: no name has one.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect())
}

fn colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Blue => "blue",
        Colour::Yellow => "yellow",
        Colour::Red => "red",
    }
}

/// Type, colour and sum, as the files write them.
fn kind(kind: Kind) -> [String; 3] {
    let (word, tint, sum) = match kind {
        Kind::Dot(tint) => ("dot", colour(tint), 0),
        Kind::Penalty(tint, sum) => ("penalty", colour(tint), sum),
        Kind::Asteroid => ("asteroid", "", 0),
        Kind::Qbox => ("qbox", "", 0),
        Kind::City => ("city", "", 0),
        Kind::SpaceCity => ("spacecity", "", 0),
    };
    [word.to_owned(), tint.to_owned(), sum.to_string()]
}

#[test]
fn every_space_is_as_printed() {
    let board = Chart::Galaxy.board();
    let mut printed = 0;
    for (space, row) in board.spaces().zip(rows(include_str!("../../data/venus/spaces.csv"))) {
        let [name, region, word, tint, sum, port] = row[..] else { panic!("not a space: {row:?}") };
        assert_eq!(board.name(space), name);
        assert_eq!(kind(board.kind(space)), [word, tint, sum], "{name}");
        assert_eq!(board.port_at(space).is_some(), !port.is_empty(), "{name}");
        // What lies between systems is in none.
        if let Some(system) = board.system_of(space) {
            assert_eq!(board.system_name(system), region, "{name}");
        }
        printed += 1;
    }
    assert_eq!((printed, board.size()), (268, 268));
}

#[test]
fn every_way_is_as_printed() {
    let board = Chart::Galaxy.board();
    let ways = board.spaces().flat_map(|space| {
        board.ways(space).iter().map(move |way| {
            let numbers: String = way.numbers().iter().map(|number| number.to_string()).collect();
            let how = if way.is_fly() { "fly" } else { "walk" };
            [board.name(space), board.name(way.to()), how, &numbers].map(str::to_owned)
        })
    });
    let printed = rows(include_str!("../../data/venus/ways.csv")).map(|row| {
        <[String; 4]>::try_from(row.iter().map(|field| (*field).to_owned()).collect::<Vec<_>>()).expect("four fields")
    });
    let (ways, printed): (Vec<_>, Vec<_>) = (ways.collect(), printed.collect());
    assert_eq!(ways.len(), 668);
    for (way, row) in ways.iter().zip(&printed) {
        assert_eq!(way, row);
    }
    assert_eq!(ways.len(), printed.len());
}

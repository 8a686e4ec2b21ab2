use super::*;
use std::vec::Vec;

fn view(me: &str, lines: &[&str]) -> View {
    let mut view = View::new(me);
    hear(&mut view, lines);
    view
}

fn hear(view: &mut View, lines: &[&str]) {
    for line in lines {
        let mut room = [0; 200];
        view.take(&Said::parse(line.as_bytes(), &mut room).unwrap_or_else(|| panic!("{line}")));
    }
}

const START: [&str; 9] = [
    "* gamestart",
    "* pawninfo X joe -1 -1 -1 -1 5 2",
    "* pawninfo Red dan 132 10 8 4 0 0",
    "* pawninfo Yellow dan 141 10 8 4 0 0",
    "* pawninfo Green dan 29 10 8 4 0 0",
    "* pawninfo Blue eve 197 10 8 4 0 0",
    "* pawninfo Black eve 174 10 8 4 0 0",
    "* turnnum 1",
    "* turn X",
];

fn at(number: u8) -> Option<Station> {
    Station::new(number)
}

#[test]
fn a_start_tells_whose_pawns_are_where() {
    let view = view("dan", &START);
    assert_eq!((view.team(), view.pawns().iter().count()), (Some(Team::Detectives), 3));
    assert_eq!((view.at(Pawn::X), view.at(Pawn::Red)), (None, at(132)));
    assert_eq!((view.turn(), view.next(), view.to_move()), (1, Some(Pawn::X), None));
    assert_eq!(view.sight().stations().len(), 13);
}

#[test]
fn moves_are_followed() {
    let mut view = view("dan", &START);
    hear(&mut view, &["* move X -1 black", "* turnnum 2", "* move X -1 taxi", "* turn Red"]);
    assert_eq!(view.purse(Pawn::X), Purse([-1, -1, -1, 4, 1]));
    assert_eq!((view.to_move(), view.moves()), (Some(Pawn::Red), 2));
    assert!(view.hops(Pawn::Red).any(|hop| hop == Hop { to: at(140).unwrap(), ticket: Ticket::Taxi }));
    hear(&mut view, &["* move Red 140 taxi", "* stuck Yellow", "* turn Green"]);
    assert_eq!((view.at(Pawn::Red), view.purse(Pawn::Red)), (at(140), Purse([9, 8, 4, 0, 0])));
    let rides: Vec<Ticket> = view.rides().map(|ride| ride.ticket).collect();
    assert_eq!(rides, [Ticket::Black, Ticket::Taxi]);
    hear(&mut view, &["* turnnum 3", "* turn X", "* move X 46 bus", "* turn Red"]);
    assert_eq!(view.sight().stations().iter().collect::<Vec<_>>(), [at(46).unwrap()]);
    assert_eq!(view.rides().last(), Some(Ride { ticket: Ticket::Bus, seen: at(46) }));
    hear(&mut view, &["* gameover \"Mr. X\" \"all detectives are stuck\""]);
    assert_eq!((view.winner(), view.to_move()), (Some(Team::MrX), None));
}

/// A view that heard everything and one that came back know the same.
#[test]
fn a_rejoin_tells_what_was_missed() {
    let mut stayed = view("dan", &START);
    hear(&mut stayed, &["* move X -1 black", "* turnnum 2", "* move X -1 taxi", "* turn Red"]);
    hear(&mut stayed, &["* move Red 140 taxi", "* turn Yellow"]);
    let back = view(
        "dan",
        &[
            "* pawninfo X joe -1 -1 -1 -1 4 1",
            "* pawninfo Red dan 140 9 8 4 0 0",
            "* pawninfo Yellow dan 141 10 8 4 0 0",
            "* pawninfo Green dan 29 10 8 4 0 0",
            "* pawninfo Blue eve 197 10 8 4 0 0",
            "* pawninfo Black eve 174 10 8 4 0 0",
            "* history 0 \"X -1\" \"Red 132\" \"Yellow 141\" \"Green 29\" \"Blue 197\" \"Black 174\"",
            "* history 1 \"X -1 black\"",
            "* history 2 \"X -1 taxi\" \"Red 140 taxi\"",
            "* history end",
            "* turnnum 2",
            "* turn Yellow",
        ],
    );
    assert_eq!(std::format!("{stayed:?}"), std::format!("{back:?}"));
    assert_eq!(back.to_move(), Some(Pawn::Yellow));
}

#[test]
fn mr_x_knows_more_than_what_is_known_of_him() {
    let mut lines = START;
    lines[1] = "* pawninfo X joe 103 -1 -1 -1 5 2";
    let mut view = view("joe", &lines);
    assert_eq!((view.at(Pawn::X), view.to_move()), (at(103), Some(Pawn::X)));
    hear(&mut view, &["* move X 102 taxi", "* turn Red"]);
    assert_eq!(view.at(Pawn::X), at(102));
    assert!(view.sight().stations().len() > 20);
    assert_eq!(view.rides().next(), Some(Ride { ticket: Ticket::Taxi, seen: None }));
}

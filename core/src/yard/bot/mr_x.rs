//! A Mr. X who keeps away from detectives and leaves them many stations to search.

use super::distance::Distances;
use super::{Plan, whim};
use crate::yard::map::{Station, StationSet};
use crate::yard::pieces::{Pawn, Ticket};
use crate::yard::rules::{LAST_TURN, is_reveal};
use crate::yard::view::View;
use crate::yard::wire::Hop;

/// What a double move or a black ticket is worth keeping for.
const DOUBLE_PRICE: i32 = 400;
const BLACK_PRICE: i32 = 60;

pub(super) fn plan(view: &View, seed: u32) -> Option<Plan> {
    let ways = Pawn::DETECTIVES.map(|pawn| Distances::from(view.at(pawn).unwrap_or_default(), view.purse(pawn)));
    let detectives = view.detectives();
    let is_free = |hop: &Hop| !detectives.contains(&hop.to);
    let suspects = *view.sight().stations();
    let judge = |hop: Hop, from: &StationSet, turn: u8| {
        let after = seen_after(hop, from, turn, &detectives);
        (safety(&ways, hop.to, after.len()) - price(hop) + exits(&ways, hop.to), after)
    };
    let mut best: Option<(i32, Plan)> = None;
    let mut consider = |value: i32, plan: Plan| {
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, plan));
        }
    };
    for first in view.hops(Pawn::X).filter(is_free) {
        let (value, after) = judge(first, &suspects, view.turn());
        consider(value * 16 + whim(seed, first), Plan { first, second: None });
        let doubles = view.purse(Pawn::X).0.last().copied().unwrap_or_default();
        if doubles == 0 || view.turn() >= LAST_TURN {
            continue;
        }
        for second in view.hops_from(Pawn::X, Some(first.to)).filter(is_free) {
            let blacks = view.purse(Pawn::X).0.get(Ticket::Black.index()).copied().unwrap_or_default();
            if first.ticket == Ticket::Black && second.ticket == Ticket::Black && blacks < 2 {
                continue;
            }
            let (value, _) = judge(second, &after, view.turn().saturating_add(1));
            let value = value - price(first) - DOUBLE_PRICE;
            consider(value * 16 + whim(seed, second), Plan { first, second: Some(second) });
        }
    }
    best.map(|(_, plan)| plan)
}

/// Where the detectives will think he can be.
fn seen_after(hop: Hop, from: &StationSet, turn: u8, detectives: &[Station]) -> StationSet {
    if is_reveal(turn) {
        return StationSet::EMPTY.with(hop.to);
    }
    let mut after: StationSet = from.iter().flat_map(|station| station.rides(hop.ticket)).collect();
    detectives.iter().for_each(|station| after.remove(*station));
    after
}

/// How safe a station is when he is one of so many suspects: the detectives' next moves count most, those after less.
fn safety(ways: &[Distances; 5], station: Station, suspects: usize) -> i32 {
    let suspects = suspects.max(1) as i32;
    let danger: i32 = ways
        .iter()
        .map(|way| match way.of(station) {
            0 => 4_000,
            // A detective next door comes here, more likely the fewer places there are to search.
            1 => 60 + 2_400 / suspects,
            2 => 20 + 300 / suspects,
            3 => 10 + 60 / suspects,
            _ => 0,
        })
        .sum();
    let nearest = ways.iter().map(|way| i32::from(way.of(station))).min().unwrap_or_default();
    20 * nearest + 4 * suspects.min(40) - danger
}

fn price(hop: Hop) -> i32 {
    if hop.ticket == Ticket::Black { BLACK_PRICE } else { 0 }
}

/// Ways out of a station that no detective can bar with one move.
fn exits(ways: &[Distances; 5], station: Station) -> i32 {
    let is_free = |to: &Station| ways.iter().all(|way| way.of(*to) > 1);
    let ends: StationSet = station.rides(Ticket::Black).filter(is_free).collect();
    match ends.len() {
        0 => -120,
        1 => -40,
        count => 6 * count.min(8) as i32,
    }
}

//! A detective who closes in on the stations where Mr. X can be.

use super::distance::Distances;
use super::{Plan, whim};
use crate::yard::map::{Station, StationSet};
use crate::yard::pieces::{Pawn, Ticket};
use crate::yard::view::View;
use crate::yard::wire::{Hop, Purse};

/// The move after which the stations where he can be are nearest to some detective.
pub(super) fn plan(view: &View, pawn: Pawn, seed: u32) -> Option<Plan> {
    let suspects = view.sight().stations();
    let others = Pawn::DETECTIVES.into_iter().filter(|other| *other != pawn);
    let cover = others.fold(Distances::NONE, |cover, other| {
        let at = view.at(other).unwrap_or_default();
        cover.nearer(&Distances::from(at, view.purse(other)))
    });
    // Where he can be once he has moved again: the net must be cast there, too.
    let soon: StationSet = suspects.iter().flat_map(|from| from.rides(Ticket::Black)).collect();
    let best =
        view.hops(pawn).min_by_key(|hop| cost(view, pawn, *hop, &cover, suspects, &soon) * 16 + whim(seed, *hop))?;
    Some(Plan { first: best, second: None })
}

/// How bad a move is.
fn cost(view: &View, pawn: Pawn, hop: Hop, cover: &Distances, suspects: &StationSet, soon: &StationSet) -> i32 {
    let mut purse = view.purse(pawn);
    if let Some(count) = purse.0.get_mut(hop.ticket.index()) {
        *count -= 1;
    }
    let mine = Distances::from(hop.to, purse);
    let count = suspects.len().max(1) as i32;
    // An empty place among the suspects may catch him now.
    let catch = if suspects.contains(hop.to) { 600 / count } else { 0 };
    let net = spread(suspects, &mine, cover) + spread(soon, &mine, cover) / 2;
    let nearest = suspects.iter().map(|station| i32::from(mine.of(station))).min().unwrap_or_default();
    net + 8 * nearest - catch + dearness(hop, purse)
}

/// The mean distance, in hundredths, from some detective to the stations of a set.
fn spread(set: &StationSet, mine: &Distances, cover: &Distances) -> i32 {
    let near = |station: Station| i32::from(mine.of(station).min(cover.of(station)));
    let sum: i32 = set.iter().map(|station| near(station) * 100).sum();
    sum.checked_div(set.len() as i32).unwrap_or_default()
}

/// Tickets that become few are kept for when they matter.
fn dearness(hop: Hop, left: Purse) -> i32 {
    let left = left.0.get(hop.ticket.index()).copied().unwrap_or_default();
    let dear = match hop.ticket {
        Ticket::Taxi => 0,
        Ticket::Bus => 2,
        Ticket::Underground | Ticket::Black => 5,
    };
    dear + if left == 0 { 10 } else { 0 }
}

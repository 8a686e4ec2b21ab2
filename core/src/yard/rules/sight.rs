//! Where Mr. X can be, as far as a detective can tell: all stations that his tickets and the detectives' steps allow.

use crate::yard::map::{STARTS, Station, StationSet};
use crate::yard::pieces::Ticket;

/// The stations where Mr. X can be. Feed it what everybody is told, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    set: StationSet,
}

impl Sight {
    /// Nothing is known yet; no station at all.
    pub const BLIND: Self = Self { set: StationSet::EMPTY };

    /// The game begins with the detectives here: he starts at another of the starts.
    pub fn begin(detectives: &[Station]) -> Self {
        Self { set: STARTS.into_iter().filter(|start| !detectives.contains(start)).collect() }
    }

    /// He moved, past or away from these detectives, and the game goes on.
    pub fn moved(&mut self, ticket: Ticket, seen: Option<Station>, detectives: &[Station]) {
        self.set = match seen {
            Some(station) => StationSet::EMPTY.with(station),
            None => self.after(ticket, detectives),
        };
    }

    /// Where he could be after another move with this ticket.
    pub fn after(&self, ticket: Ticket, detectives: &[Station]) -> StationSet {
        let mut set: StationSet = self.set.iter().flat_map(|from| from.rides(ticket)).collect();
        detectives.iter().for_each(|station| set.remove(*station));
        set
    }

    /// A detective came here, and the game goes on: he is not there.
    pub fn searched(&mut self, station: Station) {
        self.set.remove(station);
    }

    pub fn stations(&self) -> &StationSet {
        &self.set
    }
}

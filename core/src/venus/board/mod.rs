//! Boards: spaces, the ways between them, systems, ? boxes and orbit ports.
//!
//! A board is data: rows that people can read, packed by the compiler. [`GALAXY`] is the one that is played on, [`POCKET`]
//! a small one for tests. What must hold for any board stands in the tests.
//!
//! What can never happen here: a panic, an allocation.

mod galaxy;
mod pack;
mod pocket;
#[cfg(test)]
mod tests;

pub use galaxy::GALAXY;
pub use pack::Way;
pub use pocket::POCKET;

use super::pieces::{Colour, Port, Qbox, Space, System};
use pack::Spot;

/// The most ways out of a space.
pub const DEGREE: usize = 6;

/// What a space is before any ? box is open and any spaceport built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Dot(Colour),
    /// What passing it costs.
    Penalty(Colour, u8),
    Asteroid,
    Qbox,
    /// On a planet: its links cost 2.
    City,
    /// A city in space, and the base.
    SpaceCity,
}

/// What lives in a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lives {
    Nobody,
    Culture,
    Base,
}

/// A system: spaces that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    name: &'static str,
    first: u16,
    end: u16,
    lives: Lives,
}

/// A board. Its tables follow from rows by the compiler, so that only what is packed is in an image.
#[derive(Debug)]
pub struct Board {
    spots: &'static [Spot],
    ways: &'static [Way],
    /// All names, one after the other.
    names: &'static str,
    regions: &'static [Region],
    /// Ascending.
    qboxes: &'static [u16],
    /// Ascending; a port's number is its place here.
    ports: &'static [u16],
}

/// Which board a game is played on: what a saved game says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Chart {
    #[default]
    Galaxy,
    Pocket,
}

impl Chart {
    pub const fn board(self) -> &'static Board {
        match self {
            Self::Galaxy => &GALAXY,
            Self::Pocket => &POCKET,
        }
    }
}

impl Board {
    /// How many spaces.
    pub const fn size(&self) -> usize {
        self.spots.len()
    }

    pub fn spaces(&self) -> impl DoubleEndedIterator<Item = Space> + use<> {
        (0..self.spots.len() as u16).map(Space)
    }

    pub fn name(&self, space: Space) -> &'static str {
        let start = self.spots.get(space.index()).map_or(self.names.len(), |spot| usize::from(spot.name));
        let end = self.spots.get(space.index() + 1).map_or(self.names.len(), |spot| usize::from(spot.name));
        self.names.get(start..end).unwrap_or_default()
    }

    pub fn named(&self, name: &str) -> Option<Space> {
        self.spaces().find(|space| self.name(*space) == name)
    }

    /// A space that is not on the board is a dot that leads nowhere.
    pub fn kind(&self, space: Space) -> Kind {
        self.spots.get(space.index()).map_or(Kind::Dot(Colour::Blue), |spot| spot.kind())
    }

    /// The ways out of a space in the board's own order, which is that of DESTINATION.
    pub fn ways(&self, space: Space) -> &'static [Way] {
        let (start, end) = self.range(space);
        self.ways.get(start..end).unwrap_or_default()
    }

    /// Where a space's ways begin and end among all of them.
    fn range(&self, space: Space) -> (usize, usize) {
        let from = |at: usize| self.spots.get(at).map_or(self.ways.len(), |spot| usize::from(spot.way));
        (from(space.index()), from(space.index() + 1))
    }

    /// All ways of the board, each direction counted.
    pub const fn way_count(&self) -> usize {
        self.ways.len()
    }

    /// The number of the way from one space to another among all of the board.
    pub fn way_between(&self, from: Space, to: Space) -> Option<usize> {
        let (start, _) = self.range(from);
        self.ways(from).iter().position(|way| way.to() == to).map(|nth| start + nth)
    }

    /// All six numbers stand on the ways of a navigation circle.
    pub fn is_circle(&self, space: Space) -> bool {
        self.ways(space).iter().any(|way| !way.numbers().is_empty())
    }

    pub fn systems(&self) -> impl Iterator<Item = System> + use<> {
        (0..self.regions.len() as u8).map(System)
    }

    pub fn system_of(&self, space: Space) -> Option<System> {
        let place = self.regions.iter().position(|region| (region.first..region.end).contains(&space.0))?;
        Some(System(place as u8))
    }

    pub fn system_name(&self, system: System) -> &'static str {
        self.regions.get(system.index()).map_or("", |region| region.name)
    }

    pub fn system_named(&self, name: &str) -> Option<System> {
        self.systems().find(|system| self.system_name(*system) == name)
    }

    pub fn lives(&self, system: System) -> Lives {
        self.regions.get(system.index()).map_or(Lives::Nobody, |region| region.lives)
    }

    pub fn spaces_of(&self, system: System) -> impl Iterator<Item = Space> + use<> {
        let (first, end) = self.regions.get(system.index()).map_or((0, 0), |region| (region.first, region.end));
        (first..end).map(Space)
    }

    /// The system of the base.
    pub fn base(&self) -> System {
        self.systems().find(|system| self.lives(*system) == Lives::Base).unwrap_or_default()
    }

    /// The base itself, where everybody starts.
    pub fn base_space(&self) -> Space {
        let mut spaces = self.spaces_of(self.base());
        spaces.find(|space| self.kind(*space) == Kind::SpaceCity).unwrap_or_default()
    }

    pub fn qboxes(&self) -> impl Iterator<Item = Qbox> + use<> {
        (0..self.qboxes.len() as u8).map(Qbox)
    }

    pub fn qbox_at(&self, space: Space) -> Option<Qbox> {
        self.qboxes.binary_search(&space.0).ok().map(|place| Qbox(place as u8))
    }

    pub fn qbox_space(&self, qbox: Qbox) -> Space {
        self.qboxes.get(qbox.index()).map_or(Space::default(), |space| Space(*space))
    }

    pub fn ports(&self) -> impl Iterator<Item = Port> + use<> {
        (0..self.ports.len() as u8).map(Port)
    }

    pub fn port_at(&self, space: Space) -> Option<Port> {
        self.ports.binary_search(&space.0).ok().map(|place| Port(place as u8))
    }

    pub fn port_space(&self, port: Port) -> Space {
        self.ports.get(port.index()).map_or(Space::default(), |space| Space(*space))
    }

    /// What the board takes of an image: its tables, and the names of its systems.
    pub fn bytes(&self) -> usize {
        let regions = self.regions.iter().map(|region| region.name.len()).sum::<usize>();
        size_of::<Self>()
            + size_of_val(self.spots)
            + size_of_val(self.ways)
            + self.names.len()
            + size_of_val(self.regions)
            + regions
            + size_of_val(self.qboxes)
            + size_of_val(self.ports)
    }
}

//! How a table is named on this host and in its journal: by its game, and by a number of its own among that game's.

use std::fmt;

/// One table. The game is called what its entry in `games.rs` calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId {
    pub game: &'static str,
    pub number: u32,
}

impl TableId {
    pub const fn new(game: &'static str, number: u32) -> Self {
        Self { game, number }
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.number)
    }
}

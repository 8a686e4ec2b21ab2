//! The games whose conversations are held: the one list of this suite.

use crate::conversation::Entry;

/// Static, so that the servers inside are compiled with this crate and not with every test of it.
pub static GAMES: [Entry; 4] = [
    Entry::of::<crate::pimp::Dialect>(),
    Entry::of::<crate::yard::Dialect>(),
    Entry::of::<crate::venus::Dialect>(),
    Entry::of::<crate::echo::Dialect>(),
];

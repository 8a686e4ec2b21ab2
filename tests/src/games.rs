//! The games whose conversations are held: the one list of this suite.

use crate::conversation::Entry;

pub const GAMES: [Entry; 3] =
    [Entry::of::<crate::pimp::Dialect>(), Entry::of::<crate::yard::Dialect>(), Entry::of::<crate::venus::Dialect>()];

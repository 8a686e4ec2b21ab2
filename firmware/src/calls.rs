//! Bots that games and pages ask for, until a task sends them (feature `bots`). Without that task there is never room.

use heapless::{String, Vec};

use crate::games::Id;

/// The longest name that any protocol has for a game, in UTF-8.
const NAME: usize = 64;

/// One bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub id: Id,
    /// The game it should sit down at, where games have names.
    pub game: String<NAME>,
    /// It was there before, under this number.
    pub number: Option<u8>,
}

/// All zero bytes when new.
pub(crate) struct Calls {
    waiting: Vec<Call, 8>,
    /// Bots that could still come.
    room: usize,
}

impl Calls {
    pub(crate) const fn new() -> Self {
        Self { waiting: Vec::new(), room: 0 }
    }

    /// Whether a bot will come to the game `name`, to its game called `game`.
    pub(crate) fn take(&mut self, name: &str, game: &str, number: Option<u8>) -> bool {
        let Some(id) = Id::ALL.iter().find(|id| id.entry().name == name) else { return false };
        let Ok(game) = String::try_from(game) else { return false };
        self.waiting.len() < self.room && self.waiting.push(Call { id: *id, game, number }).is_ok()
    }

    /// The next bot to send, where so many more could come.
    #[cfg(feature = "bots")]
    pub(crate) fn next(&mut self, room: usize) -> Option<Call> {
        self.room = room;
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }
}

#[cfg(all(test, feature = "bots", feature = "pimp", feature = "yard"))]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_there_is_room_for() {
        let mut calls = Calls::new();
        assert!(!calls.take("yard", "g", None));
        assert_eq!(calls.next(2), None);
        assert!(!calls.take("none", "g", None));
        assert!(!calls.take("yard", &"g".repeat(NAME + 1), None));
        assert!(calls.take("yard", "g", None) && calls.take("pimp", "", Some(3)) && !calls.take("yard", "h", None));
        assert_eq!(calls.next(1).map(|call| (call.id, call.number)), Some((Id::Yard, None)));
        assert!(!calls.take("yard", "h", None));
        assert_eq!(calls.next(1).map(|call| (call.id, call.number)), Some((Id::Pimp, Some(3))));
        assert!(calls.take("yard", "h", None));
    }
}

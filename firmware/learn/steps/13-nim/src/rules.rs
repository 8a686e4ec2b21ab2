//! The rules of Nim: three heaps, two players; whoever takes the last stone wins. They know no byte and no connection.

pub const HEAPS: usize = 3;
const START: [u8; HEAPS] = [3, 4, 5];

/// Why a move is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    NotYourTurn,
    NoSuchStones,
}

impl Refused {
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotYourTurn => "it is not your turn",
            Self::NoSuchStones => "there are no such stones",
        }
    }
}

/// A game. New, it is all zero bytes, and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nim {
    pub heaps: [u8; HEAPS],
    /// Whose turn it is: 0 or 1.
    pub turn: u8,
}

impl Nim {
    pub const fn new() -> Self {
        Self { heaps: [0; HEAPS], turn: 0 }
    }

    pub fn begin(&mut self, first: u8) {
        *self = Self { heaps: START, turn: first };
    }

    pub fn is_over(&self) -> bool {
        self.heaps == [0; HEAPS]
    }

    /// Checks first, then does: a move that is refused changes nothing.
    pub fn take(&mut self, player: u8, heap: u8, count: u8) -> Result<(), Refused> {
        if player != self.turn || self.is_over() {
            return Err(Refused::NotYourTurn);
        }
        let heap = self.heaps.get_mut(usize::from(heap)).filter(|_| count > 0).ok_or(Refused::NoSuchStones)?;
        *heap = heap.checked_sub(count).ok_or(Refused::NoSuchStones)?;
        if !self.is_over() {
            self.turn = 1 - player;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_stone_wins_and_what_is_refused_changes_nothing() {
        let mut nim = Nim::new();
        nim.begin(0);
        let before = nim.clone();
        assert_eq!(nim.take(1, 0, 1), Err(Refused::NotYourTurn));
        for (heap, count) in [(3, 1), (0, 4), (0, 0), (255, 255)] {
            assert_eq!(nim.take(0, heap, count), Err(Refused::NoSuchStones));
        }
        assert_eq!(nim, before);
        for (player, heap, count) in [(0, 0, 3), (1, 1, 4), (0, 2, 5)] {
            assert_eq!(nim.take(player, heap, count), Ok(()));
        }
        assert!(nim.is_over() && nim.turn == 0);
        assert_eq!(nim.take(0, 0, 1), Err(Refused::NotYourTurn));
    }
}

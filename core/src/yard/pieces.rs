//! The pieces of the game by name: pawns, teams and tickets.

/// One of the six pawns, in the order in which they move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Pawn {
    #[default]
    X,
    Red,
    Yellow,
    Green,
    Blue,
    Black,
}

impl Pawn {
    pub const ALL: [Self; 6] = [Self::X, Self::Red, Self::Yellow, Self::Green, Self::Blue, Self::Black];
    pub const DETECTIVES: [Self; 5] = [Self::Red, Self::Yellow, Self::Green, Self::Blue, Self::Black];

    pub const fn name(self) -> &'static str {
        match self {
            Self::X => "X",
            Self::Red => "Red",
            Self::Yellow => "Yellow",
            Self::Green => "Green",
            Self::Blue => "Blue",
            Self::Black => "Black",
        }
    }

    /// By name, whatever the case of its letters.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pawn| pawn.name().eq_ignore_ascii_case(word))
    }

    /// Its place among the six.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The one that moves after it; after Black the round is over.
    pub fn next(self) -> Option<Self> {
        Self::ALL.get(self.index() + 1).copied()
    }

    pub const fn team(self) -> Team {
        match self {
            Self::X => Team::MrX,
            _ => Team::Detectives,
        }
    }
}

/// Some of the pawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Pawns(u8);

impl Pawns {
    pub const NONE: Self = Self(0);

    pub const fn with(self, pawn: Pawn) -> Self {
        Self(self.0 | 1 << pawn as u8)
    }

    pub const fn contains(self, pawn: Pawn) -> bool {
        self.0 & 1 << pawn as u8 != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Pawn> {
        Pawn::ALL.into_iter().filter(move |pawn| self.contains(*pawn))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Team {
    #[default]
    MrX,
    Detectives,
}

impl Team {
    pub const ALL: [Self; 2] = [Self::MrX, Self::Detectives];

    pub const fn name(self) -> &'static str {
        match self {
            Self::MrX => "Mr. X",
            Self::Detectives => "Detectives",
        }
    }

    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|team| team.name() == word)
    }

    pub const fn other(self) -> Self {
        match self {
            Self::MrX => Self::Detectives,
            Self::Detectives => Self::MrX,
        }
    }
}

/// What a ride is paid with. Black rides any line and is the only ticket for the ferries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Ticket {
    #[default]
    Taxi,
    Bus,
    Underground,
    Black,
}

impl Ticket {
    pub const ALL: [Self; 4] = [Self::Taxi, Self::Bus, Self::Underground, Self::Black];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Taxi => "taxi",
            Self::Bus => "bus",
            Self::Underground => "underground",
            Self::Black => "black",
        }
    }

    /// By name, whatever the case of its letters.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ticket| ticket.name().eq_ignore_ascii_case(word))
    }

    pub const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn names_are_found_again() {
        assert!(Pawn::ALL.iter().all(|pawn| Pawn::named(pawn.name()) == Some(*pawn)));
        assert!(Ticket::ALL.iter().all(|ticket| Ticket::named(ticket.name()) == Some(*ticket)));
        assert!(Team::ALL.iter().all(|team| Team::named(team.name()) == Some(*team)));
        assert_eq!((Pawn::named("red"), Ticket::named("TAXI")), (Some(Pawn::Red), Some(Ticket::Taxi)));
        assert_eq!((Team::named("mr. x"), Pawn::named(""), Ticket::named("ferry")), (None, None, None));
    }

    #[test]
    fn pawns_come_in_the_order_of_play() {
        let pawns = Pawns::NONE.with(Pawn::Black).with(Pawn::Red);
        assert_eq!(pawns.iter().collect::<Vec<_>>(), [Pawn::Red, Pawn::Black]);
        assert_eq!((Pawn::X.next(), Pawn::Black.next()), (Some(Pawn::Red), None));
    }
}

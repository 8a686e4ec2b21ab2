//! What players can do, and why it was not done.

use crate::venus::pieces::{Named, Space, Switches};

/// The one who acts: a player, or a watcher in the room.
pub type Actor = Option<crate::venus::pieces::Seat>;

/// An action of the game with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Buy(Named),
    DontLikeOptions,
    DropOff(Named),
    EndMove,
    EndTurn,
    GetRelic,
    Jettison(Named),
    Join,
    LeaveRelic,
    LikeOptions,
    /// The value of the die to throw again.
    Mulligan(u8),
    NoMulligan,
    /// The win money.
    Options(u32),
    PickUp(Named),
    RedeemIou,
    SelectDestination(Target),
    SelectPilotNumber(u8),
    SelectSwitchables(Switches),
    Sell(Named),
    TradeInShip(Named),
    Unjoin,
    ValidateSetup,
}

/// A step as a player names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Target {
    pub space: Space,
    pub is_jump: bool,
}

/// An action without its arguments, in the alphabetical order of their names on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Buy,
    DontLikeOptions,
    DropOff,
    EndMove,
    EndTurn,
    GetRelic,
    Jettison,
    Join,
    LeaveRelic,
    LikeOptions,
    Mulligan,
    NoMulligan,
    Options,
    PickUp,
    RedeemIou,
    SelectDestination,
    SelectPilotNumber,
    SelectSwitchables,
    Sell,
    TradeInShip,
    Unjoin,
    ValidateSetup,
}

impl Verb {
    pub const ALL: [Self; 22] = [
        Self::Buy,
        Self::DontLikeOptions,
        Self::DropOff,
        Self::EndMove,
        Self::EndTurn,
        Self::GetRelic,
        Self::Jettison,
        Self::Join,
        Self::LeaveRelic,
        Self::LikeOptions,
        Self::Mulligan,
        Self::NoMulligan,
        Self::Options,
        Self::PickUp,
        Self::RedeemIou,
        Self::SelectDestination,
        Self::SelectPilotNumber,
        Self::SelectSwitchables,
        Self::Sell,
        Self::TradeInShip,
        Self::Unjoin,
        Self::ValidateSetup,
    ];

    /// What the wire calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buy => "BUY",
            Self::DontLikeOptions => "DONTLIKEOPTIONS",
            Self::DropOff => "DROPOFF",
            Self::EndMove => "ENDMOVE",
            Self::EndTurn => "ENDTURN",
            Self::GetRelic => "GETRELIC",
            Self::Jettison => "JETTISON",
            Self::Join => "JOIN",
            Self::LeaveRelic => "LEAVERELIC",
            Self::LikeOptions => "LIKEOPTIONS",
            Self::Mulligan => "MULLIGAN",
            Self::NoMulligan => "NOMULLIGAN",
            Self::Options => "OPTIONS",
            Self::PickUp => "PICKUP",
            Self::RedeemIou => "REDEEMIOU",
            Self::SelectDestination => "SELECTDESTINATION",
            Self::SelectPilotNumber => "SELECTPILOTNUMBER",
            Self::SelectSwitchables => "SELECTSWITCHABLES",
            Self::Sell => "SELL",
            Self::TradeInShip => "TRADEINSHIP",
            Self::Unjoin => "UNJOIN",
            Self::ValidateSetup => "VALIDATESETUP",
        }
    }
}

impl Action {
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Buy(_) => Verb::Buy,
            Self::DontLikeOptions => Verb::DontLikeOptions,
            Self::DropOff(_) => Verb::DropOff,
            Self::EndMove => Verb::EndMove,
            Self::EndTurn => Verb::EndTurn,
            Self::GetRelic => Verb::GetRelic,
            Self::Jettison(_) => Verb::Jettison,
            Self::Join => Verb::Join,
            Self::LeaveRelic => Verb::LeaveRelic,
            Self::LikeOptions => Verb::LikeOptions,
            Self::Mulligan(_) => Verb::Mulligan,
            Self::NoMulligan => Verb::NoMulligan,
            Self::Options(_) => Verb::Options,
            Self::PickUp(_) => Verb::PickUp,
            Self::RedeemIou => Verb::RedeemIou,
            Self::SelectDestination(_) => Verb::SelectDestination,
            Self::SelectPilotNumber(_) => Verb::SelectPilotNumber,
            Self::SelectSwitchables(_) => Verb::SelectSwitchables,
            Self::Sell(_) => Verb::Sell,
            Self::TradeInShip(_) => Verb::TradeInShip,
            Self::Unjoin => Verb::Unjoin,
            Self::ValidateSetup => Verb::ValidateSetup,
        }
    }
}

/// Some of the verbs: what LEGALACTION announces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verbs(u32);

impl Verbs {
    pub const NONE: Self = Self(0);

    pub const fn of(list: &[Verb]) -> Self {
        let (mut rest, mut set) = (list, Self::NONE);
        while let [first, others @ ..] = rest {
            set = set.with(*first);
            rest = others;
        }
        set
    }

    pub const fn with(self, verb: Verb) -> Self {
        Self(self.0 | 1 << verb as u8)
    }

    pub const fn with_if(self, verb: Verb, holds: bool) -> Self {
        if holds { self.with(verb) } else { self }
    }

    pub const fn contains(self, verb: Verb) -> bool {
        self.0 & 1 << verb as u8 != 0
    }

    /// In alphabetical order.
    pub fn iter(self) -> impl Iterator<Item = Verb> + Clone {
        Verb::ALL.into_iter().filter(move |verb| self.contains(*verb))
    }
}

/// Why an action was not done. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Refusal {
    /// Not announced to this person: ERROR alone.
    NotLegal,
    /// An argument out of its bounds: ERROR alone.
    Malformed,
    /// A rule says no: MOVERROR with the reason, then ERROR.
    Rule(Reason),
}

/// What MOVERROR says no to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Reason {
    NotSoldHere,
    /// Ships are traded in, fares picked up, IOUs redeemed.
    NotForBuying,
    NoRoom,
    CantPay,
    NotAShip,
    CargoDoesNotFit,
    NotAFare,
    NotYours,
    NotItsDestination,
    /// Got in this turn.
    New,
    /// A ship, relic, deed or IOU.
    NotForJettison,
    /// A ship, fare, deed or IOU.
    NotForSelling,
    NotBoughtHere,
    /// A switch that is not owned.
    NotYourSwitch,
    /// Not among the steps offered.
    NoSuchStep,
    /// The dice forbid the step that was named before they showed.
    DiceForbid,
    NotRolled,
    NotOffered,
}

impl Reason {
    pub const fn text(self) -> &'static str {
        match self {
            Self::NotSoldHere => "That is not sold here.",
            Self::NotForBuying => "Ships are traded in and fares picked up; an IOU is not for sale.",
            Self::NoRoom => "There is no room for it in your holds.",
            Self::CantPay => "You can not pay for it.",
            Self::NotAShip => "That is no ship.",
            Self::CargoDoesNotFit => "Your cargo does not fit into it.",
            Self::NotAFare => "That is no fare.",
            Self::NotYours => "You do not have that.",
            Self::NotItsDestination => "The fare wants to go elsewhere.",
            Self::New => "You got it in this turn.",
            Self::NotForJettison => "Ships and relics and deeds and IOUs can not be jettisoned.",
            Self::NotForSelling => "Ships and fares and deeds and IOUs can not be sold.",
            Self::NotBoughtHere => "This culture does not buy it.",
            Self::NotYourSwitch => "You do not own that switch.",
            Self::NoSuchStep => "You can not go there.",
            Self::DiceForbid => "The dice do not allow that step.",
            Self::NotRolled => "No die shows that number.",
            Self::NotOffered => "That number was not offered.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_in_alphabetical_order() {
        assert!(Verb::ALL.windows(2).all(|pair| pair[0].name() < pair[1].name() && pair[0] < pair[1]));
        assert!(Verb::ALL.iter().enumerate().all(|(n, verb)| *verb as usize == n));
    }

    #[test]
    fn a_reason_has_no_comma_nor_percent_sign() {
        // The first client does not unescape it (venus 2).
        for reason in [Reason::NotForBuying, Reason::NotForJettison, Reason::NotForSelling] {
            assert!(!reason.text().contains([',', '%']));
        }
    }
}

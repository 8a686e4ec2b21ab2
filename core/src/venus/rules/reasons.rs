//! Which reasons an action that was announced can be refused for (venus 8.3): for tests, here and outside. Behind the
//! feature `testing`.

use super::action::{Reason, Verb};

/// Each action that a rule can refuse, with its reasons in the order in which they are looked for. An action that is not
/// here is never refused once it is announced, but for a malformed argument.
pub const REASONS: [(Verb, &[Reason]); 10] = [
    (Verb::Buy, &[Reason::NotSoldHere, Reason::NotForBuying, Reason::NoRoom, Reason::CantPay]),
    (Verb::TradeInShip, &[Reason::NotSoldHere, Reason::NotAShip, Reason::CantPay, Reason::CargoDoesNotFit]),
    (Verb::PickUp, &[Reason::NotSoldHere, Reason::NotAFare, Reason::NoRoom]),
    (Verb::DropOff, &[Reason::NotYours, Reason::NotAFare, Reason::NotItsDestination]),
    (Verb::Jettison, &[Reason::New, Reason::NotYours, Reason::NotForJettison]),
    (Verb::Sell, &[Reason::NotYours, Reason::NotForSelling, Reason::NotBoughtHere]),
    (Verb::SelectSwitchables, &[Reason::NotYourSwitch]),
    (Verb::SelectDestination, &[Reason::NoSuchStep]),
    (Verb::Mulligan, &[Reason::NotRolled]),
    (Verb::SelectPilotNumber, &[Reason::NotOffered]),
];

/// Can this action be refused for this reason?
pub fn is_listed(verb: Verb, reason: Reason) -> bool {
    REASONS.iter().any(|(of, reasons)| *of == verb && reasons.contains(&reason))
}

//! What LEGALACTION announces: everything that is not announced is refused (venus 11.2).

use super::action::{Actor, Verb, Verbs};
use super::{Game, Place};
use crate::venus::pieces::{Phase, SEATS, Seat, Token};

impl Game {
    pub fn legal(&self, actor: Actor) -> Verbs {
        let seat = actor.filter(|seat| seat.0 < self.seats);
        match (self.phase, seat) {
            (Phase::InitialState, None) => Verbs::NONE.with_if(Verb::Join, usize::from(self.seats) < SEATS),
            (Phase::InitialState, Some(_)) => {
                Verbs::of(&[Verb::Options, Verb::Unjoin]).with_if(Verb::ValidateSetup, self.seats >= 2)
            }
            (Phase::ValidateSetup, Some(seat)) if !self.likes(seat) => {
                Verbs::of(&[Verb::DontLikeOptions, Verb::LikeOptions])
            }
            (_, Some(seat)) if self.has_started() && seat == self.current() => self.legal_for_mover(seat),
            _ => Verbs::NONE,
        }
    }

    fn legal_for_mover(&self, seat: Seat) -> Verbs {
        match self.phase {
            Phase::InitialState | Phase::ValidateSetup | Phase::TerminalState => Verbs::NONE,
            Phase::TechSelect => Verbs::of(&[Verb::SelectSwitchables]),
            Phase::SelectMove => Verbs::of(&[Verb::SelectDestination]).with_if(Verb::EndMove, self.offer().can_stop),
            Phase::Mulligan => Verbs::of(&[Verb::Mulligan, Verb::NoMulligan]),
            Phase::SelectPilotNumber => Verbs::of(&[Verb::SelectPilotNumber]),
            Phase::TradePhase => {
                let (buys, sells) = self.trades_left();
                let iou = self.place(Token::Iou(self.trader())).and_then(Place::owner);
                Verbs::of(&[Verb::DropOff, Verb::EndTurn, Verb::Jettison, Verb::PickUp])
                    .with_if(Verb::Buy, buys != 0)
                    .with_if(Verb::Sell, sells != 0)
                    .with_if(Verb::TradeInShip, buys != 0 && sells != 0)
                    .with_if(Verb::RedeemIou, iou == Some(seat))
            }
            Phase::AsteroidPhase => Verbs::of(&[Verb::EndTurn, Verb::GetRelic, Verb::LeaveRelic]),
        }
    }
}

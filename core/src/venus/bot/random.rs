//! Anything that is announced, with arguments that the rules take.

use super::{Bot, idle};
use crate::venus::pieces::{Age, Named, Phase, Seat, Switches, Token};
use crate::venus::rules::{Action, Target, Verb};
use crate::venus::tokens::Class;
use crate::venus::view::View;

impl Bot {
    pub(super) fn any(&mut self, view: &View, seat: Seat) -> Option<Action> {
        if matches!(view.phase(), Phase::ValidateSetup | Phase::InitialState) {
            return idle(view);
        }
        let count = view.legal().iter().count() as u32;
        let nth = self.chance(count) as usize;
        let verb = view.legal().iter().nth(nth)?;
        self.with_arguments(verb, view, seat)
    }

    fn with_arguments(&mut self, verb: Verb, view: &View, seat: Seat) -> Option<Action> {
        let roll = view.game().roll();
        Some(match verb {
            Verb::SelectSwitchables => {
                let on = view.switchable().iter().filter(|_| self.chance(2) == 0).fold(Switches::NONE, Switches::with);
                Action::SelectSwitchables(on)
            }
            Verb::SelectDestination => {
                let step = view.steps().get(self.chance(view.steps().len() as u32) as usize)?;
                Action::SelectDestination(Target { space: step.space, is_jump: step.is_jump })
            }
            Verb::SelectPilotNumber => {
                let nth = self.chance(view.choice().count()) as usize;
                Action::SelectPilotNumber(view.choice().iter().nth(nth)?)
            }
            Verb::Mulligan => Action::Mulligan(roll.iter().nth(self.chance(u32::from(roll.count())) as usize)?),
            Verb::EndMove => Action::EndMove,
            Verb::NoMulligan => Action::NoMulligan,
            Verb::GetRelic => Action::GetRelic,
            Verb::LeaveRelic => Action::LeaveRelic,
            Verb::EndTurn => Action::EndTurn,
            Verb::RedeemIou => Action::RedeemIou,
            Verb::Buy => Action::Buy(self.token(verb, view, seat)?),
            Verb::Sell => Action::Sell(self.token(verb, view, seat)?),
            Verb::TradeInShip => Action::TradeInShip(self.token(verb, view, seat)?),
            Verb::PickUp => Action::PickUp(self.token(verb, view, seat)?),
            Verb::DropOff => Action::DropOff(self.token(verb, view, seat)?),
            Verb::Jettison => Action::Jettison(self.token(verb, view, seat)?),
            _ => return None,
        })
    }

    /// Any token that the rules would take for this.
    fn token(&mut self, verb: Verb, view: &View, seat: Seat) -> Option<Named> {
        let game = view.game();
        let culture = game.trader_at(view.here())?;
        let money = game.money(seat);
        let funds = money.cash + money.barter;
        let can_pay = |price: u16| u32::from(price) <= funds;
        let stands = |token: Token| game.at_base(culture, token) > 0;
        let has = |token: Token| game.held(seat, token, Age::Old) > 0;
        let old = Token::Ship(game.ship(seat)).sell();
        let is_fit = |token: &Token| match verb {
            Verb::Buy => {
                let is_ware = !matches!(token.class(), Class::Ship | Class::Fare | Class::Iou | Class::Demand);
                is_ware && stands(*token) && game.fits(seat, *token) && can_pay(game.price(seat, culture, *token))
            }
            Verb::TradeInShip => match token {
                Token::Ship(ship) => {
                    stands(*token) && can_pay(token.buy().saturating_sub(old)) && game.load(seat) <= ship.half_holds()
                }
                _ => false,
            },
            Verb::PickUp => token.class() == Class::Fare && stands(*token) && game.fits(seat, *token),
            Verb::DropOff => token.class() == Class::Fare && has(*token) && token.buyers().contains(culture),
            Verb::Sell => {
                let is_ware = !matches!(token.class(), Class::Fare | Class::Iou);
                is_ware && has(*token) && token.buyers().contains(culture)
            }
            _ => has(*token) && matches!(token.class(), Class::Good | Class::Fare | Class::Equip | Class::Drive),
        };
        let count = Token::all().filter(is_fit).count() as u32;
        let token = Token::all().filter(is_fit).nth(self.chance(count) as usize)?;
        Some(Named { token, age: Some(Age::Old) })
    }
}

//! The cup: everything that is neither at a culture nor with a player (venus 14.6).
//!
//! It always holds 48 tokens between actions. Each token put in is followed by one draw.

use super::place::Where;
use super::{Cx, Event, Game, Herald};
use crate::dice::Stream;
use crate::venus::pieces::{Culture, DEMANDS, Demand, FARES, Fare, Token};

/// How many tokens the cup holds between actions.
pub const CUP: u32 = 48;

/// Everything that can be in the cup.
fn kinds() -> impl Iterator<Item = Token> {
    let goods = Culture::peoples().flat_map(|culture| [Token::Good(culture), Token::FactoryGood(culture)]);
    let fares = (0..FARES as u8).map(|fare| Token::Fare(Fare(fare)));
    let demands = (0..DEMANDS as u8).map(|demand| Token::Demand(Demand(demand)));
    goods.chain(fares).chain(demands)
}

impl Game {
    /// How many of a token are in the cup.
    pub(super) fn in_cup(&self, token: Token) -> u8 {
        match token {
            Token::Good(culture) => {
                let of = |pairs: &[super::place::Pair]| pairs.get(culture.index()).map_or(0, |pair| pair.both());
                let held: u8 = self.players.iter().map(|player| of(&player.goods)).sum();
                token.count().saturating_sub(held).saturating_sub(self.at_base(culture, token))
            }
            Token::Demand(demand) => token.count().saturating_sub(self.at_base(demand.at(), token)),
            Token::FactoryGood(_) | Token::Fare(_) => {
                u8::from(self.place(token).is_some_and(|place| place.get() == Where::Cup))
            }
            _ => 0,
        }
    }

    pub(super) fn cup_count(&self) -> u32 {
        kinds().map(|token| u32::from(self.in_cup(token))).sum()
    }

    /// Draws a token and sets it up at its culture.
    pub(super) fn draw<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        let mut left = cx.dice.below(Stream::Shuffle, self.cup_count());
        let drawn = kinds().find(|token| {
            let count = u32::from(self.in_cup(*token));
            let is_it = left < count;
            left = left.saturating_sub(count);
            is_it
        });
        let Some((token, culture)) = drawn.and_then(|token| Some((token, token.source()?))) else { return };
        self.set_up(token, culture);
        self.tell(cx, Event::AddToTradeBase { culture, token, from_cup: true });
    }

    /// A token comes to stand at a culture.
    pub(super) fn set_up(&mut self, token: Token, culture: Culture) {
        let count = match token {
            Token::Good(of) => self.goods.get_mut(of.index()),
            Token::Demand(demand) => self.demands.get_mut(demand.index()),
            _ => return self.put(token, Where::Base(culture)),
        };
        if let Some(count) = count {
            *count = count.saturating_add(1);
        }
    }

    /// A token of which there is an end leaves a culture; a single one then goes to a player.
    pub(super) fn take_down(&mut self, token: Token) {
        let count = match token {
            Token::Good(of) => self.goods.get_mut(of.index()),
            Token::Demand(demand) => self.demands.get_mut(demand.index()),
            _ => return,
        };
        if let Some(count) = count {
            *count = count.saturating_sub(1);
        }
    }
}

//! Trading with the culture where the current player stands (venus 14).

use super::place::Where;
use super::{Cx, Event, Game, Herald, Reason, Refusal, Verdict, no};
use crate::venus::pieces::{Age, Contents, Culture, DEMANDS, Demand, Named, Seat, Secrecy, Token};
use crate::venus::tokens::Class;

/// One less, if there is an end to it.
fn use_one(left: &mut i8) {
    if *left > 0 {
        *left -= 1;
    }
}

impl Game {
    /// The culture that the current player trades with.
    pub fn trader(&self) -> Culture {
        self.trader_at(self.space(self.current())).unwrap_or(Culture::Base)
    }

    /// Is it here, to be bought or picked up? What stands at a culture is old.
    fn is_sold_here(&self, named: Named) -> bool {
        let is_demand = matches!(named.token, Token::Demand(_));
        named.age != Some(Age::New) && !is_demand && self.at_base(self.trader(), named.token) > 0
    }

    /// What the current player pays: deeds cost a fifth less among one's own people.
    pub fn price(&self, seat: Seat, culture: Culture, token: Token) -> u16 {
        match token {
            Token::FactoryDeed(_) | Token::PortDeed(_) if self.race(seat) == culture => token.buy() / 5 * 4,
            _ => token.buy(),
        }
    }

    pub(super) fn buy<H: Herald>(&mut self, named: Named, cx: &mut Cx<'_, H>) -> Verdict {
        let (seat, culture, token) = (self.current(), self.trader(), named.token);
        let price = self.price(seat, culture, token);
        if !self.is_sold_here(named) {
            return no(Reason::NotSoldHere);
        }
        if matches!(token.class(), Class::Ship | Class::Fare | Class::Iou) {
            return no(Reason::NotForBuying);
        }
        if !self.fits(seat, token) {
            return no(Reason::NoRoom);
        }
        if !self.can_pay(price) {
            return no(Reason::CantPay);
        }
        self.take_down(token);
        if !token.is_unlimited() {
            self.tell(cx, Event::SubtractFromTradeBase(culture, token));
        }
        self.give(token, Age::New);
        self.tell(cx, Event::AddToPlayer(seat, token, Age::New));
        self.pay(price);
        self.tell_money(seat, cx);
        self.pay_port(price, cx);
        self.open(token, cx);
        use_one(&mut self.motion.buys);
        self.tell_trades(cx);
        Ok(())
    }

    /// What a purchase sets going: a factory, a spaceport, a factory's income.
    fn open<H: Herald>(&mut self, token: Token, cx: &mut Cx<'_, H>) {
        let seat = self.current();
        match token {
            Token::FactoryDeed(culture) => {
                self.tell(cx, Event::FactoryOwner(culture, seat));
                let token = Token::FactoryGood(culture);
                self.set_up(token, culture);
                self.tell(cx, Event::AddToTradeBase { culture, token, from_cup: false });
            }
            Token::PortDeed(port) => {
                let space = self.board().port_space(port);
                self.tell(cx, Event::QboxContents(space, Contents::Station(Some(seat))));
                self.tell(cx, Event::QboxPrivacy(space, Secrecy::PUBLIC));
            }
            Token::FactoryGood(culture) => {
                if let Some(owner) = self.factory_owner(culture) {
                    self.pay_owner(owner, token.buy() / 2, cx);
                }
            }
            _ => {}
        }
    }

    /// The demand of a culture for a good, and what all of them add to its price.
    pub fn demand_for(&self, culture: Culture, token: Token) -> Option<(Demand, u16)> {
        let Token::Good(good) = token else { return None };
        let demands = (0..DEMANDS as u8).map(Demand);
        let mut out = demands.filter(|demand| demand.at() == culture && demand.wants() == good);
        let demand = out.find(|demand| self.at_base(culture, Token::Demand(*demand)) > 0)?;
        let count = u16::from(self.at_base(culture, Token::Demand(demand)));
        Some((demand, count * Token::Demand(demand).sell()))
    }

    pub(super) fn sell<H: Herald>(&mut self, named: Named, cx: &mut Cx<'_, H>) -> Verdict {
        let (seat, culture, token) = (self.current(), self.trader(), named.token);
        let Some(age) = self.find(seat, named) else { return no(Reason::NotYours) };
        if matches!(token.class(), Class::Ship | Class::Fare | Class::Deed | Class::Iou) {
            return no(Reason::NotForSelling);
        }
        if !token.buyers().contains(culture) {
            return no(Reason::NotBoughtHere);
        }
        self.tell(cx, Event::SubtractFromPlayer(seat, token, age));
        let mut price = token.sell();
        if let Some((demand, bonus)) = self.demand_for(culture, token) {
            price += bonus;
            // The demand is replaced before the good is in the cup.
            self.take_down(Token::Demand(demand));
            self.tell(cx, Event::SubtractFromTradeBase(culture, Token::Demand(demand)));
            self.draw(cx);
        }
        match token.class() {
            Class::Good => self.earn_cash(price),
            _ => self.earn_barter(price),
        }
        self.tell_money(seat, cx);
        self.pay_port(price, cx);
        match token.class() {
            Class::Good => {
                self.take(token, age, Where::Cup);
                self.draw(cx);
            }
            Class::Relic => {
                self.take(token, age, Where::Base(culture));
                self.tell(cx, Event::AddToTradeBase { culture, token, from_cup: false });
            }
            _ => self.take(token, age, Where::Gone),
        }
        use_one(&mut self.motion.sells);
        self.tell_trades(cx);
        Ok(())
    }

    pub(super) fn trade_in_ship<H: Herald>(&mut self, named: Named, cx: &mut Cx<'_, H>) -> Verdict {
        let seat = self.current();
        if !self.is_sold_here(named) {
            return no(Reason::NotSoldHere);
        }
        let Token::Ship(ship) = named.token else { return no(Reason::NotAShip) };
        let (old, new) = (Token::Ship(self.ship(seat)), named.token);
        if !self.can_pay(new.buy().saturating_sub(old.sell())) {
            return no(Reason::CantPay);
        }
        if !self.fits_into(seat, ship) {
            return no(Reason::CargoDoesNotFit);
        }
        self.tell(cx, Event::SubtractFromPlayer(seat, old, Age::Old));
        self.give(new, Age::Old);
        self.tell(cx, Event::AddToPlayer(seat, new, Age::Old));
        self.earn_barter(old.sell());
        self.pay(new.buy());
        self.tell_money(seat, cx);
        self.pay_port(new.buy(), cx);
        self.pay_port(old.sell(), cx);
        use_one(&mut self.motion.buys);
        use_one(&mut self.motion.sells);
        self.tell_trades(cx);
        Ok(())
    }

    pub(super) fn pick_up<H: Herald>(&mut self, named: Named, cx: &mut Cx<'_, H>) -> Verdict {
        let (seat, token) = (self.current(), named.token);
        if !self.is_sold_here(named) {
            return no(Reason::NotSoldHere);
        }
        if token.class() != Class::Fare {
            return no(Reason::NotAFare);
        }
        if !self.fits(seat, token) {
            return no(Reason::NoRoom);
        }
        self.tell(cx, Event::SubtractFromTradeBase(self.trader(), token));
        self.give(token, Age::New);
        self.tell(cx, Event::AddToPlayer(seat, token, Age::New));
        Ok(())
    }

    pub(super) fn drop_off<H: Herald>(&mut self, named: Named, cx: &mut Cx<'_, H>) -> Verdict {
        let (seat, token) = (self.current(), named.token);
        let Some(age) = self.find(seat, named) else { return no(Reason::NotYours) };
        if token.class() != Class::Fare {
            return no(Reason::NotAFare);
        }
        if !token.buyers().contains(self.trader()) {
            return no(Reason::NotItsDestination);
        }
        self.tell(cx, Event::SubtractFromPlayer(seat, token, age));
        self.earn_cash(token.sell());
        self.tell_money(seat, cx);
        self.pay_port(token.sell(), cx);
        self.take(token, age, Where::Cup);
        self.draw(cx);
        Ok(())
    }

    pub(super) fn jettison<H: Herald>(&mut self, named: Named, cx: &mut Cx<'_, H>) -> Verdict {
        let (seat, token) = (self.current(), named.token);
        let age = self.find(seat, named);
        if named.age == Some(Age::New) || age == Some(Age::New) {
            return no(Reason::New);
        }
        let Some(age) = age else { return no(Reason::NotYours) };
        if matches!(token.class(), Class::Ship | Class::Relic | Class::Deed | Class::Iou) {
            return no(Reason::NotForJettison);
        }
        self.tell(cx, Event::SubtractFromPlayer(seat, token, age));
        self.take(token, age, Where::Cup);
        if matches!(token.class(), Class::Good | Class::Fare) {
            self.draw(cx);
        }
        Ok(())
    }

    pub(super) fn redeem_iou<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        let seat = self.current();
        let token = Token::Iou(self.trader());
        let named = Named { token, age: None };
        let age = self.find(seat, named).ok_or(Refusal::NotLegal)?;
        self.earn_barter(token.sell());
        self.tell_money(seat, cx);
        self.take(token, age, Where::Gone);
        self.tell(cx, Event::SubtractFromPlayer(seat, token, age));
        self.pay_port(token.sell(), cx);
        Ok(())
    }
}

//! Moving: the first step, the dice, every other step, and where the move ends (venus 13).

use super::event::Step;
use super::offer::Site;
use super::place::Where;
use super::{Cx, Event, Game, Herald, Offer, Reason, Target, Verdict, no};
use crate::dice::Dice;
use crate::venus::pieces::{
    Age, Culture, Numbers, Phase, Relic, Roll, Secrecy, Space, Switch, Switches, System, Token,
};

/// Steps that the rules make of themselves before they ask again. On the galaxy a player is asked long before: every
/// round trip there has a space that costs a point or lets the player stop.
const AUTO_STEPS: u8 = 32;

fn die(dice: &mut Dice) -> u8 {
    let [die] = dice.roll();
    die
}

impl Game {
    pub(super) fn select_switches<H: Herald>(&mut self, switches: Switches, cx: &mut Cx<'_, H>) -> Verdict {
        let seat = self.current();
        if !switches.is_within(self.owned_switches(seat)) {
            return no(Reason::NotYourSwitch);
        }
        self.motion.switches = switches;
        self.tell(cx, Event::SelectedSwitchables(seat, switches));
        self.start_move(cx);
        Ok(())
    }

    /// The dice lie hidden, and the first step is asked for.
    pub(super) fn start_move<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        self.motion.roll = Roll::hidden(self.ship(self.current()).dice());
        self.tell(cx, Event::Dice(self.motion.roll));
        self.tell_number(cx);
        self.tell_offer(cx);
        self.phase = Phase::SelectMove;
    }

    fn tell_number<H: Herald>(&self, cx: &mut Cx<'_, H>) {
        self.tell(cx, self.number_chosen());
    }

    pub(super) fn number_chosen(&self) -> Event<'static> {
        let is_fixed = self.fixed_number() != 0;
        Event::PilotNumberChosen { seat: self.current(), number: self.motion.number, is_fixed }
    }

    fn tell_offer<H: Herald>(&self, cx: &mut Cx<'_, H>) -> Offer {
        let offer = self.offer();
        self.tell_mover(cx, self.destination(&offer));
        offer
    }

    pub(super) fn destination(&self, offer: &Offer) -> Event<'static> {
        Event::Destination { penalty: self.penalty(), is_first: !self.motion.has_moved, steps: offer.steps.clone() }
    }

    /// The first step shows the dice, whether they allow it or not.
    pub(super) fn select_destination<H: Herald>(&mut self, target: Target, cx: &mut Cx<'_, H>) -> Verdict {
        if self.offer().find(target).is_none() {
            return no(Reason::NoSuchStep);
        }
        self.motion.target = target;
        if self.motion.is_shown() {
            self.choose(cx);
            return Ok(());
        }
        let pilot = self.motion.switches.contains(Switch::AutoPilot).then_some(4);
        let count = usize::from(self.motion.roll.count());
        let thrown = core::iter::repeat_with(|| die(cx.dice)).take(count - usize::from(pilot.is_some()).min(count));
        let roll = Roll::of(pilot.into_iter().chain(thrown));
        self.show(roll, cx);
        if self.has(self.current(), Relic::MulliganGear) {
            self.phase = Phase::Mulligan;
        } else {
            self.choose(cx);
        }
        Ok(())
    }

    fn show<H: Herald>(&mut self, roll: Roll, cx: &mut Cx<'_, H>) {
        self.motion.roll = roll;
        self.motion.points = roll.sum();
        self.tell_offer(cx);
        self.tell(cx, Event::Dice(roll));
        self.tell(cx, Event::MpLeft(self.motion.points));
    }

    pub(super) fn mulligan<H: Herald>(&mut self, value: u8, cx: &mut Cx<'_, H>) -> Verdict {
        let mut roll = self.motion.roll;
        if !roll.numbers().contains(value) {
            return no(Reason::NotRolled);
        }
        roll.replace(value, die(cx.dice));
        self.show(roll, cx);
        self.choose(cx);
        Ok(())
    }

    pub(super) fn no_mulligan<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        self.choose(cx);
        Ok(())
    }

    /// The step that was named: asked for its number, made, or refused by the dice.
    fn choose<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        for _ in 0..AUTO_STEPS {
            self.phase = Phase::SelectMove;
            let Some(step) = self.offer().find(self.motion.target) else {
                self.tell_mover(cx, Event::MovError(Reason::DiceForbid));
                return;
            };
            if step.numbers.count() > 1 {
                self.tell_mover(cx, Event::PilotNumberChoice(step.numbers));
                self.phase = Phase::SelectPilotNumber;
                return;
            }
            if !self.step(step, step.numbers, cx) {
                return;
            }
        }
    }

    pub(super) fn select_pilot_number<H: Herald>(&mut self, number: u8, cx: &mut Cx<'_, H>) -> Verdict {
        let Some(step) = self.offer().find(self.motion.target).filter(|step| step.numbers.contains(number)) else {
            return no(Reason::NotOffered);
        };
        self.phase = Phase::SelectMove;
        if self.step(step, Numbers::NONE.with(number), cx) {
            self.choose(cx);
        }
        Ok(())
    }

    /// The numbers to choose from.
    pub fn choice(&self) -> Numbers {
        self.offer().find(self.motion.target).map_or(Numbers::NONE, |step| step.numbers)
    }

    /// One step. `true` if the next one follows of itself.
    fn step<H: Herald>(&mut self, step: Step, number: Numbers, cx: &mut Cx<'_, H>) -> bool {
        let seat = self.current();
        let from = self.space(seat);
        if self.motion.has_moved {
            self.pay_penalty(self.penalty(), cx);
        }
        let cost = if self.reveal(step.space, cx) { self.cost(step.space) } else { step.cost };
        self.motion.points = self.motion.points.saturating_sub(cost);
        if let Some(number) = number.iter().next() {
            self.motion.number = number;
        }
        if let Some(way) = self.board().way_between(from, step.space).filter(|_| !step.is_jump) {
            self.motion.mark(way);
        }
        self.motion.has_moved = true;
        self.mover().space = step.space;
        self.tell(cx, Event::MpLeft(self.motion.points));
        self.tell_number(cx);
        self.tell(cx, Event::PlayerLocation(seat, step.space));
        self.look_around(cx);
        self.go_on(cx)
    }

    /// After a step: stop, ask, or go on alone.
    fn go_on<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> bool {
        let offer = self.tell_offer(cx);
        if offer.steps.is_empty() || !self.can_pay_penalty() {
            self.stop(cx);
            return false;
        }
        if let [only] = *offer.steps
            && !offer.can_stop
        {
            self.motion.target = Target { space: only.space, is_jump: only.is_jump };
            return true;
        }
        false
    }

    /// A ? box that is entered shows itself to all. `true` if it had to.
    fn reveal<H: Herald>(&mut self, space: Space, cx: &mut Cx<'_, H>) -> bool {
        let Some(qbox) = self.board().qbox_at(space).filter(|qbox| !self.box_secrecy(*qbox).is_public()) else {
            return false;
        };
        if let Some(known) = self.boxes_known.get_mut(qbox.index()) {
            *known = Secrecy::PUBLIC;
        }
        self.tell(cx, Event::QboxPrivacy(space, Secrecy::PUBLIC));
        self.tell(cx, Event::QboxContents(space, self.contents(qbox)));
        true
    }

    /// What the current player alone learns on a space: the culture from its orbit, with Spy Eye from anywhere in the
    /// system, and the boxes beside.
    fn look_around<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        let seat = self.current();
        let here = self.space(seat);
        let board = self.board();
        let spies = self.has(seat, Relic::SpyEye);
        let system = board.system_of(here).filter(|_| spies || board.port_at(here).is_some());
        if let Some((system, culture)) = system.and_then(|system| Some((system, self.home(system)?)))
            && !self.home_secrecy(system).is_public()
        {
            let known = self.home_secrecy(system).with(seat);
            self.know_home(system, known);
            self.tell(cx, Event::SolarSystemPrivacy(system, known));
            self.tell_mover(cx, Event::BaseLocation(system, culture));
        }
        for way in board.ways(here).iter().filter(|_| spies) {
            let Some(qbox) = board.qbox_at(way.to()).filter(|qbox| !self.box_secrecy(*qbox).is_public()) else {
                continue;
            };
            let known = self.box_secrecy(qbox).with(seat);
            if let Some(place) = self.boxes_known.get_mut(qbox.index()) {
                *place = known;
            }
            self.tell(cx, Event::QboxPrivacy(way.to(), known));
            self.tell_mover(cx, Event::QboxContents(way.to(), self.contents(qbox)));
        }
    }

    pub(super) fn know_home(&mut self, system: System, known: Secrecy) {
        if let Some(place) = self.homes_known.get_mut(system.index()) {
            *place = known;
        }
    }

    pub(super) fn end_move<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        self.stop(cx);
        Ok(())
    }

    /// The move ends here: to trade, to look at a relic, or to the next player.
    fn stop<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        let here = self.space(self.current());
        if !self.motion.has_moved {
            self.pay_penalty(self.penalty(), cx);
        }
        if let Some(culture) = self.trader_at(here) {
            self.contact(culture, cx);
            let is_limited = !matches!(self.site(here), Site::Station(_)) && self.motion.is_shown();
            let left = if is_limited { 1 } else { -1 };
            (self.motion.buys, self.motion.sells) = (left, left);
            self.tell_trades(cx);
            self.phase = Phase::TradePhase;
        } else if matches!(self.site(here), Site::Asteroid(Some(_))) {
            self.phase = Phase::AsteroidPhase;
        } else {
            self.over(cx);
        }
    }

    pub(super) fn tell_trades<H: Herald>(&self, cx: &mut Cx<'_, H>) {
        self.tell(cx, self.trades_event());
    }

    pub(super) fn trades_event(&self) -> Event<'static> {
        let (buys, sells) = self.trades_left();
        Event::RemainingTransCount { seat: self.current(), buys, sells }
    }

    /// The first player who trades with a culture makes it public, gets its IOU, and its spaceports go on sale.
    fn contact<H: Herald>(&mut self, culture: Culture, cx: &mut Cx<'_, H>) {
        let seat = self.current();
        let board = self.board();
        let Some(system) = board.system_of(self.space(seat)) else { return };
        if self.home_secrecy(system).is_public() {
            return;
        }
        self.know_home(system, Secrecy::PUBLIC);
        self.tell(cx, Event::SolarSystemPrivacy(system, Secrecy::PUBLIC));
        self.tell(cx, Event::BaseLocation(system, culture));
        for port in board.ports().filter(|port| board.system_of(board.port_space(*port)) == Some(system)) {
            let token = Token::PortDeed(port);
            self.set_up(token, culture);
            self.tell(cx, Event::AddToTradeBase { culture, token, from_cup: false });
        }
        self.put(Token::Iou(culture), Where::Player(seat, Age::Old));
        self.tell(cx, Event::AddToPlayer(seat, Token::Iou(culture), Age::Old));
        self.tell(cx, Event::SubtractFromTradeBase(culture, Token::Iou(culture)));
    }

    pub(super) fn get_relic<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        let seat = self.current();
        let here = self.space(seat);
        if let Site::Asteroid(Some(relic)) = self.site(here) {
            self.put(Token::Relic(relic), Where::Player(seat, Age::Old));
            self.tell(cx, Event::AddToPlayer(seat, Token::Relic(relic), Age::Old));
            if let Some(qbox) = self.board().qbox_at(here) {
                self.tell(cx, Event::QboxContents(here, self.contents(qbox)));
            }
        }
        self.over(cx);
        Ok(())
    }

    pub(super) fn leave_relic<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        self.over(cx);
        Ok(())
    }
}

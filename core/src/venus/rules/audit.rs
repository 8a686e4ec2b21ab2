//! What holds for every game at any time: for tests, and for a saved game before it is played on (venus 17).

use super::cup::CUP;
use super::game::Game;
use super::markers::marker_count;
use super::place::Where;
use super::setup::{WIN_MAX, WIN_MIN};
use super::{Place, Site};
use crate::finding::{Finding, must};
use crate::venus::board::Lives;
use crate::venus::pieces::{
    Age, Culture, DEMANDS, Demand, FARES, Fare, Numbers, PORTS, Phase, Port, RACES, Relic, SEATS, Secrecy, Token,
};

impl Game {
    /// Can this state have come from play?
    pub fn audit(&self) -> Finding {
        must(usize::from(self.seats) <= SEATS, "too many seats")?;
        must((WIN_MIN..=WIN_MAX).contains(&self.win_money()), "the win money")?;
        must(u32::from(self.liked) >> self.seats == 0, "somebody without a seat likes the options")?;
        if !self.has_started() {
            return must(self.phase == Phase::ValidateSetup || self.liked == 0, "liked too early");
        }
        must(self.seats >= 2 && self.turn < self.seats, "whose turn it is")?;
        self.audit_order()?;
        self.audit_homes()?;
        self.audit_boxes()?;
        self.audit_tokens()?;
        self.audit_players()?;
        self.audit_motion()
    }

    fn audit_order(&self) -> Finding {
        let seats: u8 = self.order().iter().filter(|seat| seat.0 < self.seats).fold(0, |set, seat| set | 1 << seat.0);
        must(u32::from(seats) + 1 == 1 << self.seats, "the order of play is no order")?;
        let races = self.seats().fold(0u16, |set, seat| set | 1 << self.race(seat) as u8);
        must(races.count_ones() == u32::from(self.seats), "two players are of one race")?;
        must(self.seats().all(|seat| RACES.contains(&self.race(seat))), "a race that nobody plays")
    }

    fn audit_homes(&self) -> Finding {
        let board = self.board();
        let mut seen = 0u16;
        for system in board.systems() {
            let known = self.home_secrecy(system);
            must(known.is_sound(self.seats), "a culture is known to nobody's seat")?;
            let is_right = match (board.lives(system), self.home(system)) {
                (Lives::Nobody, None) => known == Secrecy::NOBODY,
                (Lives::Base, Some(Culture::Base)) => known.is_public(),
                (Lives::Culture, Some(culture)) => culture != Culture::Base && seen & 1 << culture as u8 == 0,
                _ => false,
            };
            must(is_right, "a culture lives where it can't, or twice")?;
            seen |= self.home(system).map_or(0, |culture| 1 << culture as u8);
        }
        Ok(())
    }

    fn audit_boxes(&self) -> Finding {
        let board = self.board();
        let mut seen = 0u64;
        for qbox in board.qboxes() {
            let marker = self.boxes.get(qbox.index()).copied().unwrap_or(u8::MAX);
            must(usize::from(marker) < marker_count(self.weapons), "a marker that is not in the game")?;
            must(seen >> marker & 1 == 0, "a marker lies twice")?;
            seen |= 1 << marker;
            must(self.box_secrecy(qbox).is_sound(self.seats), "a box is known to nobody's seat")?;
        }
        Ok(())
    }

    /// Every token is somewhere where it can be, and the cup holds as many as ever.
    fn audit_tokens(&self) -> Finding {
        for culture in Culture::peoples() {
            let good = Token::Good(culture);
            let held: u8 =
                self.seats().map(|seat| self.held(seat, good, Age::Old) + self.held(seat, good, Age::New)).sum();
            let all = u16::from(held) + u16::from(self.at_base(culture, good));
            must(all <= u16::from(good.count()), "more goods than there are")?;
            let is_known = self.is_public(culture);
            self.audit_place(Token::Iou(culture), |place| match place {
                Where::Base(at) => at == culture && !is_known,
                Where::Gone | Where::Player(..) => is_known,
                Where::Hidden | Where::Cup => false,
            })?;
            self.audit_place(Token::FactoryDeed(culture), |place| match place {
                Where::Base(at) => at == culture,
                Where::Player(..) => is_known,
                _ => false,
            })?;
            let is_built = self.factory_owner(culture).is_some();
            self.audit_place(Token::FactoryGood(culture), |place| match place {
                Where::Hidden => !is_built,
                Where::Base(at) => is_built && at == culture,
                Where::Cup | Where::Player(..) => is_built,
                Where::Gone => false,
            })?;
        }
        let fares = (0..FARES as u8).map(Fare);
        fares.into_iter().try_for_each(|fare| {
            self.audit_place(Token::Fare(fare), |place| match place {
                Where::Base(at) => at == fare.source(),
                Where::Cup | Where::Player(..) => true,
                Where::Hidden | Where::Gone => false,
            })
        })?;
        let demands = (0..DEMANDS as u8).map(|demand| Token::Demand(Demand(demand)));
        let at_most =
            |token: Token| token.source().is_some_and(|culture| self.at_base(culture, token) <= token.count());
        must(demands.into_iter().all(at_most), "more demands than there are")?;
        must(self.cup_count() == CUP, "the cup does not hold 48")?;
        self.audit_ports()?;
        Relic::ALL.iter().try_for_each(|relic| {
            let laid = self.board().qboxes().find(|qbox| {
                let marker = self.boxes.get(qbox.index()).and_then(|marker| super::MARKERS.get(usize::from(*marker)));
                marker == Some(&crate::venus::pieces::Contents::Asteroid(Some(*relic)))
            });
            let was_seen = laid.is_some_and(|qbox| self.box_secrecy(qbox).is_public());
            self.audit_place(Token::Relic(*relic), |place| match place {
                Where::Hidden => true,
                Where::Base(_) | Where::Player(..) => was_seen,
                Where::Cup | Where::Gone => false,
            })
        })
    }

    fn audit_ports(&self) -> Finding {
        let board = self.board();
        (0..PORTS as u8).map(Port).try_for_each(|port| {
            let system = board.ports().any(|other| other == port).then(|| board.system_of(board.port_space(port)));
            let home = system.flatten().and_then(|system| self.home(system));
            let is_public = home.is_some_and(|culture| self.is_public(culture));
            self.audit_place(Token::PortDeed(port), |place| match place {
                Where::Hidden => !is_public,
                Where::Base(at) => is_public && home == Some(at),
                Where::Player(..) => is_public,
                Where::Cup | Where::Gone => false,
            })
        })
    }

    fn audit_place(&self, token: Token, is_right: impl Fn(Where) -> bool) -> Finding {
        let place = self.place(token).unwrap_or_default();
        must(Place::new(place.get()) == place, "a place that means nothing")?;
        must(place.owner().is_none_or(|seat| seat.0 < self.seats), "nobody's token")?;
        must(is_right(place.get()), "a token is where it can't be")
    }

    /// Does everybody know where a culture lives?
    pub fn is_public(&self, culture: Culture) -> bool {
        let mut systems = self.board().systems();
        systems.any(|system| self.home(system) == Some(culture) && self.home_secrecy(system).is_public())
    }

    fn audit_players(&self) -> Finding {
        for seat in self.seats() {
            let player = self.player(seat);
            must(player.space.index() < self.board().size(), "a player is off the board")?;
            let qbox = self.board().qbox_at(player.space);
            must(qbox.is_none_or(|qbox| self.box_secrecy(qbox).is_public()), "a player stands on an unknown box")?;
            must(self.load(seat) <= self.ship(seat).half_holds(), "more cargo than room")?;
            let is_trading = self.phase == Phase::TradePhase && seat == self.current();
            must(player.barter == 0 || is_trading, "barter out of season")?;
            let news = player.goods.iter().chain(&player.gear).map(|pair| pair.count(Age::New));
            must(is_trading || news.sum::<u8>() == 0, "something new out of season")?;
            let weapons = [crate::venus::pieces::Gear::Laser, crate::venus::pieces::Gear::Novaball];
            must(self.weapons || weapons.iter().all(|gear| self.gear(seat, *gear) == 0), "a weapon")?;
        }
        let extra = self.players.iter().skip(usize::from(self.seats));
        let mut goods = extra.flat_map(|player| player.goods.iter().chain(&player.gear));
        must(goods.all(|pair| pair.both() == 0), "nobody has something")
    }

    fn audit_motion(&self) -> Finding {
        let motion = &self.motion;
        let dice = self.ship(self.current()).dice();
        let die = |die: u8| if motion.is_shown() { (1..=6).contains(&die) } else { die == 0 };
        must(motion.roll.iter().all(die), "a die that no die shows")?;
        must(motion.points <= motion.roll.sum(), "more points than were rolled")?;
        let rolled = motion.roll.numbers();
        must(motion.number == 0 || rolled.contains(motion.number), "a number that was not rolled")?;
        must(
            motion.switches.is_within(self.owned_switches(self.current()))
                || self.phase == Phase::TradePhase
                || self.phase == Phase::TerminalState,
            "a switch",
        )?;
        must(!motion.has_moved || motion.is_shown(), "moved before the dice")?;
        must(motion.buys >= -1 && motion.buys <= 1 && motion.sells >= -1 && motion.sells <= 1, "buys and sells")?;
        let is_moving = matches!(self.phase, Phase::SelectMove | Phase::Mulligan | Phase::SelectPilotNumber);
        must(!is_moving || motion.roll.count() == dice, "the count of dice")?;
        match self.phase {
            Phase::SelectMove => {
                let offer = self.offer();
                must(!offer.steps.is_empty() || offer.can_stop, "neither to go nor to stay")
            }
            Phase::Mulligan => {
                let has = self.has(self.current(), Relic::MulliganGear);
                must(has && motion.is_shown() && !motion.has_moved, "no mulligan now")
            }
            Phase::SelectPilotNumber => must(self.choice() != Numbers::NONE, "no number to choose"),
            Phase::TradePhase => {
                let trader = self.trader_at(self.space(self.current()));
                must(trader.is_some_and(|culture| self.is_public(culture)), "nobody to trade with")
            }
            Phase::AsteroidPhase => {
                let site = self.site(self.space(self.current()));
                must(matches!(site, Site::Asteroid(Some(_))), "no relic")
            }
            _ => Ok(()),
        }
    }
}

//! Before the first turn: seats, the win money, votes on it, and what is dealt (venus 11).

use super::action::Actor;
use super::game::{Game, Motion, Player};
use super::markers::marker_count;
use super::place::{Pair, Place, Where};
use super::{Audience, Cx, Event, Herald, Refusal, Verdict};
use crate::dice::Dice;
use crate::venus::board::{Chart, Lives};
use crate::venus::pieces::{
    Culture, FARES, Fare, Gear, PEOPLES, Phase, QBOXES, RACES, Relic, SEATS, SYSTEMS, Seat, Secrecy, Ship, Token,
};

/// What can be agreed on.
pub const WIN_MIN: u32 = 1000;
pub const WIN_MAX: u32 = 20_000;
/// The win money until a player proposes another.
pub const WIN_USUAL: u32 = 2000;
/// Cash at the start: so much for each player at the table.
const CASH_A_PLAYER: u32 = 20;

/// Cards of the piles by which a game is dealt, each pile with numbers of its own: a script of dice can name any.
const ORDER_CARD: u8 = 0;
const RACE_CARD: u8 = 8;
const CULTURE_CARD: u8 = 16;
const MARKER_CARD: u8 = 32;

/// A pile of cards in random order, counted from 0 again.
fn deal<const N: usize>(dice: &mut Dice, first: u8, count: usize) -> [u8; N] {
    let mut pile: [u8; N] = core::array::from_fn(|n| first + n as u8);
    dice.shuffle(pile.get_mut(..count).unwrap_or_default());
    pile.map(|card| card - first)
}

impl Game {
    /// A table without players.
    pub fn begin(&mut self, chart: Chart, weapons: bool) {
        *self = Self::new();
        (self.chart, self.weapons) = (chart, weapons);
        self.win = WIN_USUAL as u16;
    }

    pub(super) fn join<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        let seat = Seat(self.seats);
        self.seats += 1;
        cx.out.tell(Audience::Actor, Event::Iam(seat));
        self.tell(cx, Event::Player(seat));
        Ok(())
    }

    pub(super) fn unjoin<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        self.remove(cx);
        Ok(())
    }

    /// A player leaves the room before the start: as UNJOIN, and the options must be liked anew. `false` if it is too
    /// late, or there is no such player.
    pub fn leave<H: Herald>(&mut self, seat: Seat, dice: &mut Dice, out: &mut H) -> bool {
        let can = !self.has_started() && seat.0 < self.seats;
        if can {
            self.phase = Phase::InitialState;
            self.liked = 0;
            self.remove(&mut Cx { dice, out });
        }
        can
    }

    /// One seat less: the later ones move up. The server, which keeps the names, has moved them before.
    fn remove<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        self.seats = self.seats.saturating_sub(1);
        self.tell(cx, Event::Reset);
        self.seats().for_each(|seat| self.tell(cx, Event::Player(seat)));
        self.seats().for_each(|seat| cx.out.tell(Audience::Seat(seat), Event::Iam(seat)));
        self.tell(cx, Event::Options { win: self.win_money() });
    }

    pub(super) fn set_options<H: Herald>(&mut self, win: u32, cx: &mut Cx<'_, H>) -> Verdict {
        if !(WIN_MIN..=WIN_MAX).contains(&win) {
            return Err(Refusal::Malformed);
        }
        self.win = win as u16;
        self.tell(cx, Event::Options { win });
        Ok(())
    }

    pub(super) fn validate_setup<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        self.liked = 0;
        self.phase = Phase::ValidateSetup;
        self.seats().for_each(|seat| self.tell(cx, Event::PlayerOkStartup(seat, false)));
        Ok(())
    }

    pub(super) fn dislike_options(&mut self) -> Verdict {
        self.liked = 0;
        self.phase = Phase::InitialState;
        Ok(())
    }

    pub(super) fn like_options<H: Herald>(&mut self, actor: Actor, cx: &mut Cx<'_, H>) -> Verdict {
        let seat = actor.ok_or(Refusal::NotLegal)?;
        self.liked |= 1 << seat.0;
        self.tell(cx, Event::PlayerOkStartup(seat, true));
        if self.seats().all(|seat| self.likes(seat)) {
            self.deal_all(cx.dice);
            cx.out.tell(Audience::Room, Event::Started(self));
            self.start_turn(cx);
        }
        Ok(())
    }

    /// Deals everything that is dealt at random, and sets up the rest.
    pub(super) fn deal_all(&mut self, dice: &mut Dice) {
        self.deal_players(dice);
        self.deal_cultures(dice);
        let count = marker_count(self.weapons);
        let markers = deal::<36>(dice, MARKER_CARD, count);
        self.boxes = core::array::from_fn(|n| markers.get(n).copied().unwrap_or_default());
        self.boxes_known = [Secrecy::NOBODY; QBOXES];
        self.set_up_tokens();
        (self.turn, self.motion) = (0, Motion::NONE);
        // Until the turn begins the table is between two phases; the state that is told counts as moving.
        self.phase = Phase::SelectMove;
    }

    fn deal_players(&mut self, dice: &mut Dice) {
        let order = deal::<SEATS>(dice, ORDER_CARD, usize::from(self.seats));
        self.order = order.map(Seat);
        let races = deal::<SEATS>(dice, RACE_CARD, SEATS);
        let (cash, space) = (CASH_A_PLAYER * u32::from(self.seats), self.board().base_space());
        for (player, race) in self.players.iter_mut().zip(races) {
            let race = RACES.get(usize::from(race)).copied().unwrap_or(Culture::C3);
            let (goods, gear) = ([Pair::NONE; PEOPLES], [Pair::NONE; Gear::COUNT]);
            *player = Player { cash, barter: 0, space, race, ship: Ship::Scout, goods, gear };
        }
    }

    /// The cultures over the systems where one can live. A small board leaves some of them without a home.
    fn deal_cultures(&mut self, dice: &mut Dice) {
        let board = self.board();
        let mut pile = deal::<PEOPLES>(dice, CULTURE_CARD, PEOPLES).into_iter();
        self.homes = [0; SYSTEMS];
        self.homes_known = [Secrecy::NOBODY; SYSTEMS];
        for system in board.systems() {
            let (home, known) = match board.lives(system) {
                Lives::Nobody => continue,
                Lives::Culture => (pile.next().map_or(0, |culture| culture + 1), Secrecy::NOBODY),
                Lives::Base => (Culture::Base as u8 + 1, Secrecy::PUBLIC),
            };
            if let Some(place) = self.homes.get_mut(system.index()) {
                *place = home;
            }
            self.know_home(system, known);
        }
    }

    /// Every culture has its goods, its IOU and the deed of its factory; demands and fares are in the cup.
    fn set_up_tokens(&mut self) {
        self.goods = core::array::from_fn(|n| Culture::at(n).map_or(0, |culture| Token::Good(culture).count()));
        self.demands = Default::default();
        self.factory_goods = [Place::HIDDEN; PEOPLES];
        self.port_deeds = Default::default();
        self.relics = [Place::HIDDEN; Relic::COUNT];
        for culture in Culture::peoples() {
            self.put(Token::Iou(culture), Where::Base(culture));
            self.put(Token::FactoryDeed(culture), Where::Base(culture));
        }
        (0..FARES as u8).for_each(|fare| self.put(Token::Fare(Fare(fare)), Where::Cup));
    }
}

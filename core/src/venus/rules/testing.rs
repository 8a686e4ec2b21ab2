//! Tables for tests: a game with everybody seated, actions at random, events as text.

use std::format;
use std::string::String;
use std::vec::Vec;

use super::place::Where;
use super::*;
use crate::dice::Stream;
use crate::venus::board::Chart;
use crate::venus::pieces::*;

pub fn begin(seed: u32) -> Dice {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let mut dice = Dice::new();
    dice.begin(&bytes);
    dice
}

/// A game that has begun.
pub fn game_of(seats: u8, chart: Chart, weapons: bool, dice: &mut Dice, out: &mut impl Herald) -> Game {
    let mut game = Game::new();
    game.begin(chart, weapons);
    for _ in 0..seats {
        game.apply(None, Action::Join, dice, out).unwrap();
    }
    game.apply(Some(Seat(0)), Action::ValidateSetup, dice, out).unwrap();
    for seat in (0..seats).map(Seat) {
        game.apply(Some(seat), Action::LikeOptions, dice, out).unwrap();
    }
    game
}

fn pick<T: Copy>(chance: &mut Dice, list: &[T]) -> Option<T> {
    list.get(chance.below(Stream::Dice, list.len() as u32) as usize).copied()
}

/// A token for an action: three times in four one for which it makes sense, if there is one.
fn token_for(verb: Verb, game: &Game, chance: &mut Dice) -> Named {
    let (seat, trader) = (game.current(), game.trader());
    let held = |token: &Token| Age::ALL.iter().any(|age| game.held(seat, *token, *age) > 0);
    let stands = |token: &Token| game.at_base(trader, *token) > 0;
    let cash = game.money(seat).cash;
    let makes_sense = |token: &Token| match verb {
        Verb::Buy => stands(token) && u32::from(token.buy()) <= cash && game.fits(seat, *token),
        Verb::TradeInShip => stands(token) && matches!(token, Token::Ship(_)),
        Verb::PickUp => stands(token) && matches!(token, Token::Fare(_)),
        Verb::Sell => held(token) && token.buyers().contains(trader),
        Verb::DropOff => held(token) && matches!(token, Token::Fare(_)),
        _ => held(token),
    };
    let good: Vec<Token> = Token::all().filter(makes_sense).collect();
    let near: Vec<Token> = Token::all().filter(|token| stands(token) || held(token)).collect();
    let any = Token::at(chance.below(Stream::Dice, 130) as usize);
    let token = match chance.below(Stream::Dice, 8) {
        0 => any,
        1 => pick(chance, &near),
        _ => pick(chance, &good).or(pick(chance, &near)),
    };
    let age = pick(chance, &[None, Some(Age::Old), Some(Age::New)]).unwrap();
    Named { token: token.or(any).unwrap(), age }
}

/// Any action at all, most of them nonsense.
pub fn any_action(game: &Game, chance: &mut Dice) -> Action {
    let verb = pick(chance, &Verb::ALL).unwrap();
    of_verb(verb, game, chance)
}

/// Something that is announced.
pub fn likely_action(game: &Game, chance: &mut Dice) -> Action {
    let mut verbs: Vec<Verb> = game.legal(Some(game.current())).iter().collect();
    // A turn ends soon, but not at once; a player who need not stay goes on.
    if game.phase() == Phase::SelectMove && chance.below(Stream::Dice, 6) > 0 {
        verbs.retain(|verb| *verb != Verb::EndMove || game.trader_at(game.space(game.current())).is_some());
    }
    let verb = pick(chance, &verbs).unwrap_or(Verb::EndTurn);
    of_verb(verb, game, chance)
}

fn of_verb(verb: Verb, game: &Game, chance: &mut Dice) -> Action {
    let number = chance.below(Stream::Dice, 8) as u8;
    match verb {
        Verb::Buy => Action::Buy(token_for(verb, game, chance)),
        Verb::DontLikeOptions => Action::DontLikeOptions,
        Verb::DropOff => Action::DropOff(token_for(verb, game, chance)),
        Verb::EndMove => Action::EndMove,
        Verb::EndTurn => Action::EndTurn,
        Verb::GetRelic => Action::GetRelic,
        Verb::Jettison => Action::Jettison(token_for(verb, game, chance)),
        Verb::Join => Action::Join,
        Verb::LeaveRelic => Action::LeaveRelic,
        Verb::LikeOptions => Action::LikeOptions,
        Verb::Mulligan => Action::Mulligan(number),
        Verb::NoMulligan => Action::NoMulligan,
        Verb::Options => Action::Options(u32::from(number) * 500),
        Verb::PickUp => Action::PickUp(token_for(verb, game, chance)),
        Verb::RedeemIou => Action::RedeemIou,
        Verb::SelectDestination => {
            let steps = game.offer().steps;
            let target = pick(chance, &steps).map(|step| Target { space: step.space, is_jump: step.is_jump });
            let any =
                Target { space: Space(chance.below(Stream::Dice, 270) as u16), is_jump: number.is_multiple_of(2) };
            Action::SelectDestination(target.filter(|_| number > 0).unwrap_or(any))
        }
        Verb::SelectPilotNumber => Action::SelectPilotNumber(number),
        Verb::SelectSwitchables => {
            let some = Switch::ALL.iter().filter(|_| chance.below(Stream::Dice, 2) == 0);
            let some: Vec<Switch> = some.copied().collect();
            let owned = game.owned_switches(game.current());
            let fits = some.iter().filter(|switch| number == 0 || owned.contains(**switch));
            Action::SelectSwitchables(fits.fold(Switches::NONE, |all, switch| all.with(*switch)))
        }
        Verb::Sell => Action::Sell(token_for(verb, game, chance)),
        Verb::TradeInShip => Action::TradeInShip(token_for(verb, game, chance)),
        Verb::Unjoin => Action::Unjoin,
        Verb::ValidateSetup => Action::ValidateSetup,
    }
}

/// Events as text, each with its audience.
pub struct Told(pub Vec<String>);

impl Herald for Told {
    fn tell(&mut self, to: Audience, event: Event<'_>) {
        let text = match event {
            Event::Started(_) => String::from("Started"),
            event => format!("{event:?}"),
        };
        self.0.push(match to {
            Audience::Room => text,
            Audience::Seat(seat) => format!("@{} {text}", seat.0),
            Audience::Actor => format!("@actor {text}"),
        });
    }
}

/// What tests change behind everybody's back.
impl Game {
    /// Two cultures live in each other's system.
    pub fn swap_homes(&mut self, one: System, other: System) {
        self.homes.swap(one.index(), other.index());
    }

    /// Two markers lie in each other's box.
    pub fn swap_boxes(&mut self, one: Qbox, other: Qbox) {
        self.boxes.swap(one.index(), other.index());
    }

    /// A relic was found in a box and taken.
    pub fn grant(&mut self, seat: Seat, relic: Relic) {
        let marker = MARKERS.iter().position(|marker| *marker == Contents::Asteroid(Some(relic))).unwrap() as u8;
        let boxes = self.board().qboxes().count();
        // Boxes without one that was granted before.
        let is_free = |nth: &usize| !self.boxes_known[*nth].is_public();
        let laid = self.boxes[..boxes].iter().position(|laid| *laid == marker);
        let at = laid.or((0..boxes).find(is_free)).expect("a box that nobody knows");
        (self.boxes[at], self.boxes_known[at]) = (marker, Secrecy::PUBLIC);
        self.put(Token::Relic(relic), Where::Player(seat, Age::Old));
    }

    pub fn pay_in(&mut self, seat: Seat, sum: u32) {
        self.players[seat.index()].cash += sum;
    }
}

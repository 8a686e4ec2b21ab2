//! Bots at a table of the rules, without a wire between: whole games, each view against what its seat may know.
//!
//! `VENUS_ARENA=200 cargo test --release venus::bot::arena` plays as many games a pairing.

use std::vec::Vec;

use super::market::{Market, places};
use super::routes::{Routes, Traveller};
use super::{Bot, Strength};
use crate::dice::Dice;
use crate::venus::board::Chart;
use crate::venus::pieces::Seat;
use crate::venus::rules::{Action, Audience, Event, Game, Herald, Script};
use crate::venus::view::View;

/// Every seat's view hears what the rules tell it.
struct Ears(Vec<View>);

impl Herald for Ears {
    fn tell(&mut self, to: Audience, event: Event<'_>) {
        if let Event::Started(game) = event {
            let mut script = Script::start();
            while let Some(event) = script.next(game) {
                self.tell(Audience::Room, event);
            }
            return;
        }
        match to {
            Audience::Room => self.0.iter_mut().for_each(|view| view.hear(&event)),
            Audience::Seat(seat) => self.0[seat.index()].hear(&event),
            Audience::Actor => {}
        }
    }
}

/// A finished game, or one that was cut.
pub struct Outcome {
    pub winner: Option<Seat>,
    pub turns: u32,
    pub refused: u32,
}

/// Turns after which a game of random players is cut.
const CUT: u32 = 6000;

pub fn play(strengths: &[Strength], seed: u32, win: u32) -> Outcome {
    play_with(strengths.len(), seed, win, |seat, seed| Bot::new(strengths[seat], seed))
}

fn play_with(seats: usize, seed: u32, win: u32, bot: impl Fn(usize, u32) -> Bot) -> Outcome {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let mut dice = Dice::new();
    dice.begin(&bytes);
    let mut game = Game::new();
    game.begin(Chart::Galaxy, false);
    let mut ears = Ears((0..seats).map(|_| View::new(Chart::Galaxy)).collect());
    for seat in 0..seats as u8 {
        game.apply(None, Action::Join, &mut dice, &mut ears).unwrap();
        ears.0[usize::from(seat)].hear(&Event::Iam(Seat(seat)));
    }
    game.apply(Some(Seat(0)), Action::Options(win), &mut dice, &mut ears).unwrap();
    game.apply(Some(Seat(0)), Action::ValidateSetup, &mut dice, &mut ears).unwrap();
    for seat in (0..seats as u8).map(Seat) {
        game.apply(Some(seat), Action::LikeOptions, &mut dice, &mut ears).unwrap();
    }
    let mut bots: Vec<Bot> = (0..seats).map(|seat| bot(seat, seed * 8 + seat as u32)).collect();
    let (mut turns, mut refused, mut actions) = (0, 0, 0);
    while game.winner().is_none() && turns < CUT {
        let seat = game.current();
        let view = &mut ears.0[seat.index()];
        view.enter(game.phase());
        view.allow(game.legal(Some(seat)));
        assert!(view.is_told(), "{:?}", view.phase());
        let action = bots[seat.index()].next(view).expect("a bot always has an answer");
        if game.apply(Some(seat), action, &mut dice, &mut ears).is_err() {
            refused += 1;
            let idle = game.idle_action().unwrap();
            game.apply(Some(seat), idle, &mut dice, &mut ears).unwrap();
        }
        turns += u32::from(game.current() != seat);
        actions += 1;
        assert!(actions < 40 * CUT, "a turn without an end");
    }
    for (view, seat) in ears.0.iter().zip((0..).map(Seat)) {
        check(view, &game, seat);
    }
    Outcome { winner: game.winner(), turns: turns / seats as u32 + 1, refused }
}

/// A view has what its seat may know, and nothing else.
fn check(view: &View, game: &Game, seat: Seat) {
    use crate::venus::pieces::{Age, Culture, Token};
    for other in game.seats() {
        assert_eq!(view.game().money(other), game.money(other));
        assert_eq!((view.game().space(other), view.game().race(other)), (game.space(other), game.race(other)));
        for token in Token::all() {
            for age in [Age::Old, Age::New] {
                assert_eq!(view.game().held(other, token, age), game.held(other, token, age), "{token:?}");
            }
        }
    }
    for token in Token::all() {
        for culture in Culture::ALL {
            assert_eq!(view.game().at_base(*culture, token), game.at_base(*culture, token), "{culture:?} {token:?}");
        }
    }
    for system in game.board().systems() {
        let knows = game.home_secrecy(system).is_known_to(seat);
        assert_eq!(view.home(system), game.home(system).filter(|_| knows));
    }
    for qbox in game.board().qboxes() {
        let knows = game.box_secrecy(qbox).is_known_to(seat);
        assert_eq!(view.contents(qbox), Some(game.contents(qbox)).filter(|_| knows), "{qbox:?}");
    }
    check_market(view, seat);
}

/// The few distances that a market keeps are those of the routes they were taken from.
fn check_market(view: &View, seat: Seat) {
    let market = Market::new(Traveller::new(view, seat), view, 100, 4);
    for (nth, to) in market.stops.iter().enumerate() {
        let routes = Routes::to(&market.traveller, &market.terrain, places(view, to.system));
        for from in market.stops.iter().map(|stop| stop.place).chain([view.here()]) {
            let turns = u32::from(routes.from(from)) * 10 / market.traveller.pace() + 4;
            assert_eq!(market.turns(from, nth), turns.max(6), "{from:?} to {:?}", to.system);
        }
    }
}

/// How one strength does against another, seats swapped from game to game: its wins, and the turns of the longest game.
fn pairing(one: Strength, other: Strength, seats: usize, games: u32, win: u32) -> (u32, u32) {
    let (mut wins, mut turns, mut refused, mut longest) = (0, 0, 0, 0);
    for seed in 0..games {
        let is_one = |seat: usize| (seat + seed as usize).is_multiple_of(2);
        let strengths: Vec<Strength> = (0..seats).map(|seat| if is_one(seat) { one } else { other }).collect();
        let outcome = play(&strengths, seed, win);
        wins += u32::from(outcome.winner.is_some_and(|seat| is_one(seat.index())));
        turns += outcome.turns;
        longest = longest.max(outcome.turns);
        refused += outcome.refused;
    }
    let mean = turns / games.max(1);
    std::println!(
        "{one:?} against {other:?}, {seats} seats, to {win}: {wins} of {games}, {mean} turns in the mean, {longest} at \
         most, {refused} refused",
    );
    assert_eq!(refused, 0, "a bot was refused");
    (wins, longest)
}

fn games(few: u32) -> u32 {
    std::env::var("VENUS_ARENA").ok().and_then(|games| games.parse().ok()).unwrap_or(few)
}

/// Turns of each player within which every game of bots that plan has ended so far, by far.
const BOUND: u32 = 400;

#[test]
fn plain_beats_random() {
    for seats in [2, 4] {
        let games = games(3);
        let (wins, longest) = pairing(Strength::Plain, Strength::Random, seats, games, 2000);
        assert!(wins * 100 >= games * 95, "{wins} of {games}");
        assert!(longest <= BOUND, "{longest} turns");
    }
}

#[test]
fn shrewd_beats_plain() {
    for seats in [2, 4] {
        let games = games(6);
        let (wins, longest) = pairing(Strength::Shrewd, Strength::Plain, seats, games, 2000);
        assert!(wins * 100 >= games * 65, "{wins} of {games}");
        assert!(longest <= BOUND, "{longest} turns");
    }
}

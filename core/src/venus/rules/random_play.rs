//! Random play: sense and nonsense by two to six players, watched by a bookkeeper who hears the events alone.
//!
//! After every step: the audit passes, a refused action changed nothing, what was taken was announced, and what was told
//! adds up to what is there. `VENUS_GAMES=200 cargo test -p parlor-core venus::rules::random_play` plays more.

use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::place::Where;
use super::testing::{any_action, begin, game_of, likely_action};
use super::*;
use crate::dice::Dice;
use crate::venus::board::Chart;
use crate::venus::pieces::*;

/// What a listener in the room knows from what was told to all and to each seat.
#[derive(Default)]
struct Books {
    money: BTreeMap<u8, Money>,
    holds: BTreeMap<(u8, usize, Age), u32>,
    bases: BTreeMap<(usize, usize), u32>,
    at: BTreeMap<u8, Space>,
    /// Who may know a system's culture, and who was told it.
    homes: BTreeMap<u8, Secrecy>,
    boxes: BTreeMap<u16, Secrecy>,
    told_homes: BTreeMap<(u8, u8), Culture>,
    told_boxes: BTreeMap<(u8, u16), Contents>,
    order: Vec<Seat>,
    seats: u8,
    events: u64,
}

impl Books {
    fn hears(&self, to: Audience) -> Vec<u8> {
        match to {
            Audience::Room => (0..self.seats).collect(),
            Audience::Seat(seat) => Vec::from([seat.0]),
            Audience::Actor => Vec::new(),
        }
    }
}

impl Herald for Books {
    fn tell(&mut self, to: Audience, event: Event<'_>) {
        self.events += 1;
        let hears = self.hears(to);
        match event {
            Event::Started(game) => {
                self.seats = game.seat_count();
                let mut script = Script::start();
                while let Some(event) = script.next(game) {
                    self.tell(Audience::Room, event);
                }
            }
            Event::TurnOrder(order) => self.order = order.to_vec(),
            Event::PlayerMoney(seat, money) => {
                self.money.insert(seat.0, money);
            }
            Event::PlayerLocation(seat, space) => {
                self.at.insert(seat.0, space);
            }
            Event::AddToPlayer(seat, token, age) => {
                *self.holds.entry((seat.0, token.index(), age)).or_default() += 1;
            }
            Event::SubtractFromPlayer(seat, token, age) => {
                let count = self.holds.get_mut(&(seat.0, token.index(), age)).expect("held");
                *count = count.checked_sub(1).expect("more taken than held");
            }
            Event::AgePlayer(seat) => {
                for token in 0..Token::COUNT {
                    let count = self.holds.remove(&(seat.0, token, Age::New)).unwrap_or(0);
                    *self.holds.entry((seat.0, token, Age::Old)).or_default() += count;
                }
            }
            Event::AddToTradeBase { culture, token, .. } => {
                *self.bases.entry((culture.index(), token.index())).or_default() += 1;
            }
            Event::SubtractFromTradeBase(culture, token) => {
                let count = self.bases.get_mut(&(culture.index(), token.index())).expect("at the base");
                *count = count.checked_sub(1).expect("more taken than there");
            }
            Event::SolarSystemPrivacy(system, secrecy) => {
                self.homes.insert(system.0, secrecy);
            }
            Event::BaseLocation(system, culture) => {
                hears.iter().for_each(|seat| {
                    self.told_homes.insert((*seat, system.0), culture);
                });
            }
            Event::QboxPrivacy(space, secrecy) => {
                self.boxes.insert(space.0, secrecy);
            }
            Event::QboxContents(space, contents) => {
                hears.iter().for_each(|seat| {
                    self.told_boxes.insert((*seat, space.0), contents);
                });
            }
            _ => {}
        }
    }
}

impl Books {
    /// What was told is what is there, and who knows something was told it.
    fn check(&self, game: &Game) {
        self.check_for(game, &game.seats().collect::<Vec<_>>());
    }

    /// The same, of what these seats alone know.
    fn check_for(&self, game: &Game, knowing: &[Seat]) {
        for seat in game.seats() {
            assert_eq!(self.money.get(&seat.0), Some(&game.money(seat)));
            assert_eq!(self.at.get(&seat.0), Some(&game.space(seat)));
            for token in Token::all() {
                for age in [Age::Old, Age::New] {
                    let told = self.holds.get(&(seat.0, token.index(), age)).copied().unwrap_or(0);
                    assert_eq!(told, u32::from(game.held(seat, token, age)), "{seat:?} {token:?} {age:?}");
                }
            }
        }
        for seat in knowing {
            for system in game.board().systems() {
                let knows = game.home_secrecy(system).is_known_to(*seat);
                let told = self.told_homes.get(&(seat.0, system.0)).copied();
                assert_eq!(told, game.home(system).filter(|_| knows), "{system:?}");
            }
            for qbox in game.board().qboxes() {
                let space = game.board().qbox_space(qbox);
                let knows = game.box_secrecy(qbox).is_known_to(*seat);
                let told = self.told_boxes.get(&(seat.0, space.0)).copied();
                // Who saw a relic through the Spy Eye is told that it was taken like everybody.
                assert_eq!(told, Some(game.contents(qbox)).filter(|_| knows), "{space:?}");
            }
        }
        for culture in Culture::ALL {
            for token in Token::all() {
                let told = self.bases.get(&(culture.index(), token.index())).copied().unwrap_or(0);
                assert_eq!(told, u32::from(game.at_base(*culture, token)), "{culture:?} {token:?}");
            }
        }
        for system in game.board().systems().filter(|system| game.home(*system).is_some()) {
            assert_eq!(self.homes.get(&system.0).copied().unwrap_or_default(), game.home_secrecy(system));
        }
    }
}

/// A refresh tells each seat what that seat knows, and an onlooker what all know.
fn check_refresh(game: &Game) {
    let viewers = game.seats().map(Some).chain([None]);
    for viewer in viewers {
        let mut books = Books { seats: game.seat_count(), ..Books::default() };
        let mut script = Script::refresh(viewer);
        while let Some(event) = script.next(game) {
            // To nobody's seat: what is told to a viewer is that viewer's alone.
            books.tell(Audience::Seat(viewer.unwrap_or(Seat(5))), event);
        }
        let seats: Vec<Seat> = viewer.into_iter().collect();
        books.check_for(game, &seats);
        let learnt = |known: Secrecy| known.is_public() || viewer.is_some_and(|seat| known.is_known_to(seat));
        let homes = game.board().systems().filter(|system| game.home(*system).is_some());
        assert_eq!(books.told_homes.len(), homes.filter(|system| learnt(game.home_secrecy(*system))).count());
        let ports = game.board().ports().filter(|port| game.port_owner(*port).is_some()).count();
        let boxes = game.board().qboxes().filter(|qbox| learnt(game.box_secrecy(*qbox))).count();
        assert_eq!(books.told_boxes.len(), boxes + ports);
    }
}

/// What may change hands by one action, so that money comes only by stated ways.
fn wealth(game: &Game) -> Vec<i64> {
    game.seats().map(|seat| i64::from(game.money(seat).cash) + i64::from(game.money(seat).barter)).collect()
}

/// The most that an action can add to anybody: the best good with five demands, or an IOU; nothing but trading adds.
fn check_money(before: &[i64], game: &Game, action: Action, mover: Seat) {
    for (seat, (was, is)) in game.seats().zip(before.iter().zip(wealth(game))) {
        let gain = is - was;
        let trades =
            matches!(action.verb(), Verb::Buy | Verb::Sell | Verb::TradeInShip | Verb::DropOff | Verb::RedeemIou);
        assert!(trades || gain <= 0, "{action:?} brought {gain}");
        assert!(seat == mover || gain >= 0, "{action:?} took {gain} from another");
        assert!(gain <= 700, "{action:?} brought {gain}");
    }
}

struct Count {
    taken: u64,
    refused: u64,
    finished: u64,
    verbs: BTreeMap<Verb, u64>,
    reasons: BTreeMap<String, u64>,
}

fn games() -> u32 {
    std::env::var("VENUS_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(6)
}

/// A table with money to spend, relics found and fares waiting, so that random players do more than wander. For each fare
/// that leaves the cup a good goes in.
fn enrich(game: &mut Game, books: &mut Books) {
    game.win = WIN_MAX as u16;
    for seat in game.seats() {
        game.players[seat.index()].cash += 3000;
        books.tell(Audience::Room, Event::PlayerMoney(seat, game.money(seat)));
    }
    for qbox in game.board().qboxes() {
        let Contents::Asteroid(Some(relic)) = game.contents(qbox) else { continue };
        let (space, seat) = (game.board().qbox_space(qbox), Seat(relic as u8 % game.seats));
        game.boxes_known[qbox.index()] = Secrecy::PUBLIC;
        game.put(Token::Relic(relic), Where::Player(seat, Age::Old));
        books.tell(Audience::Room, Event::QboxPrivacy(space, Secrecy::PUBLIC));
        books.tell(Audience::Room, Event::QboxContents(space, game.contents(qbox)));
        books.tell(Audience::Room, Event::AddToPlayer(seat, Token::Relic(relic), Age::Old));
    }
    for (fare, good) in (0..FARES as u8).map(Fare).zip(Culture::peoples()) {
        let (culture, token) = (fare.source(), Token::Fare(fare));
        game.goods[good.index()] -= 1;
        books.tell(Audience::Room, Event::SubtractFromTradeBase(good, Token::Good(good)));
        if fare.destination() == Culture::Base {
            // Everybody begins where these want to go.
            let seat = Seat(fare.0 % game.seats);
            game.put(token, Where::Player(seat, Age::Old));
            books.tell(Audience::Room, Event::AddToPlayer(seat, token, Age::Old));
        } else {
            game.put(token, Where::Base(culture));
            books.tell(Audience::Room, Event::AddToTradeBase { culture, token, from_cup: false });
        }
    }
}

fn play(seed: u32, chart: Chart, steps: u32, count: &mut Count) {
    let mut chance = begin(seed ^ 0xABCD);
    let mut dice = begin(seed);
    let mut books = Books::default();
    let seats = 2 + (seed % 5) as u8;
    let mut game = game_of(seats, chart, seed.is_multiple_of(3), &mut dice, &mut books);
    if seed.is_multiple_of(2) {
        enrich(&mut game, &mut books);
    }
    for _ in 0..steps {
        if game.winner().is_some() {
            count.finished += 1;
            break;
        }
        let mover = game.current();
        // Mostly something likely by the one whose turn it is, sometimes anything by anybody.
        let is_wild = chance.below(crate::dice::Stream::Dice, 8) == 0;
        let (actor, action) = if is_wild {
            let actor = chance.below(crate::dice::Stream::Dice, 8) as u8;
            (Some(Seat(actor)).filter(|seat| seat.0 < 7), any_action(&game, &mut chance))
        } else {
            (Some(mover), likely_action(&game, &mut chance))
        };
        let announced = game.legal(actor).contains(action.verb());
        let (before, dice_before, told, had) = (game.clone(), dice.clone(), books.events, wealth(&game));
        match game.apply(actor, action, &mut dice, &mut books) {
            Ok(()) => {
                assert!(announced, "{action:?} was taken and not announced");
                *count.verbs.entry(action.verb()).or_default() += 1;
                count.taken += 1;
                check_money(&had, &game, action, mover);
            }
            Err(refusal) => {
                assert_eq!((&game, &dice, books.events), (&before, &dice_before, told), "{action:?} {refusal:?}");
                assert_eq!(refusal == Refusal::NotLegal, !announced, "{action:?}");
                *count.reasons.entry(format!("{refusal:?}")).or_default() += 1;
                count.refused += 1;
            }
        }
        game.audit().unwrap_or_else(|why| panic!("seed {seed}: {why} after {action:?}"));
        books.check(&game);
        if count.taken.is_multiple_of(16) {
            check_refresh(&game);
        }
        let idle = game.idle_action();
        assert_eq!(idle.is_some(), game.winner().is_none());
        assert!(idle.is_none_or(|action| game.legal(Some(game.current())).contains(action.verb())));
    }
}

#[test]
fn whatever_is_tried_the_books_balance() {
    let mut count = Count { taken: 0, refused: 0, finished: 0, verbs: BTreeMap::new(), reasons: BTreeMap::new() };
    for seed in 0..games() {
        play(seed, Chart::Galaxy, 1200, &mut count);
        play(seed, Chart::Pocket, 1200, &mut count);
    }
    std::println!("{} taken, {} refused, {} finished", count.taken, count.refused, count.finished);
    std::println!("{:?}\n{:?}", count.verbs, count.reasons);
    for verb in Verb::ALL {
        let is_setup = matches!(
            verb,
            Verb::Join | Verb::Unjoin | Verb::Options | Verb::ValidateSetup | Verb::LikeOptions | Verb::DontLikeOptions
        );
        assert!(is_setup || count.verbs.contains_key(&verb), "{verb:?} was never taken");
    }
}

#[test]
fn an_idle_player_keeps_the_game_going() {
    for seed in 0..6 {
        let (mut dice, mut chance) = (begin(seed), begin(seed + 100));
        let mut game = game_of(3, Chart::Galaxy, false, &mut dice, &mut |_: Audience, _: Event<'_>| ());
        let mut turns = 0;
        for _ in 0..4000 {
            let (seat, action) = match game.idle_action() {
                Some(idle) if game.current() == Seat(1) => (Seat(1), idle),
                Some(_) => (game.current(), likely_action(&game, &mut chance)),
                None => break,
            };
            let before = game.current();
            let verdict = game.apply(Some(seat), action, &mut dice, &mut |_: Audience, _: Event<'_>| ());
            assert!(verdict.is_ok() || seat != Seat(1), "{action:?}");
            turns += u32::from(game.current() != before);
        }
        assert!(turns > 20, "{turns}");
        assert_ne!(game.place(Token::Iou(Culture::C2)).map(Place::get), Some(Where::Player(Seat(1), Age::Old)));
    }
}

#[test]
fn dice_are_the_only_chance() {
    let run = |seed| {
        let mut told = Vec::new();
        let (mut dice, mut chance): (Dice, Dice) = (begin(seed), begin(9));
        let mut out = |_: Audience, event: Event<'_>| told.push(format!("{event:?}"));
        let mut game = game_of(4, Chart::Galaxy, false, &mut dice, &mut out);
        for _ in 0..500 {
            let action = likely_action(&game, &mut chance);
            let _ = game.apply(Some(game.current()), action, &mut dice, &mut out);
        }
        told
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

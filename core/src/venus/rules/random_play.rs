//! Random play: sense and nonsense by two to six players, watched by a bookkeeper that hears the events alone.
//!
//! After every step: the audit passes, a refused action changed nothing, what was taken was announced, what was told
//! adds up to what is there, money changed hands as the rules say to the last coin, and no player knows more than by
//! going there. `VENUS_GAMES=200 cargo test -p parlor-core venus::rules::random_play` plays more.

use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::books::{Books, Mark, check_refresh};
use super::place::Where;
use super::testing::{any_action, begin, game_of, likely_action};
use super::*;
use crate::dice::Dice;
use crate::venus::board::Chart;
use crate::venus::pieces::*;

/// What everybody has, in cash and barter.
fn purses(game: &Game) -> Vec<(i64, i64)> {
    let purse = |seat| (i64::from(game.money(seat).cash), i64::from(game.money(seat).barter));
    game.seats().map(purse).collect()
}

/// What an action at a culture moves: the sum of both purses of the mover, and what owners get.
struct Dues {
    mover: i64,
    owners: Vec<(Option<Seat>, i64)>,
}

/// The stated ways of money (venus 14.4, 14.5, 14.7), worked out from the state before: prices, demands, shares.
fn dues(before: &Game, action: Action) -> Option<Dues> {
    let (mover, trader) = (before.current(), before.trader());
    let port = match before.site(before.space(mover)) {
        Site::Station(owner) => owner,
        _ => None,
    };
    let share = |sum: i64| (port, sum / 10);
    Some(match action {
        Action::Buy(Named { token, .. }) => {
            let is_deed = matches!(token, Token::FactoryDeed(_) | Token::PortDeed(_));
            let is_home = is_deed && before.race(mover) == trader;
            let price = i64::from(token.buy()) * if is_home { 4 } else { 5 } / 5;
            let factory = match token {
                Token::FactoryGood(culture) => (before.factory_owner(culture), i64::from(token.buy()) / 2),
                _ => (None, 0),
            };
            Dues { mover: -price, owners: Vec::from([share(price), factory]) }
        }
        Action::Sell(Named { token, .. }) => {
            let wanted =
                |demand: &Demand| demand.at() == trader && matches!(token, Token::Good(good) if good == demand.wants());
            let demands = (0..DEMANDS as u8).map(Demand).filter(wanted).map(|demand| {
                i64::from(before.at_base(trader, Token::Demand(demand))) * i64::from(Token::Demand(demand).sell())
            });
            let price = i64::from(token.sell()) + demands.sum::<i64>();
            Dues { mover: price, owners: Vec::from([share(price)]) }
        }
        Action::TradeInShip(Named { token, .. }) => {
            let (new, old) = (i64::from(token.buy()), i64::from(Token::Ship(before.ship(mover)).sell()));
            Dues { mover: old - new, owners: Vec::from([share(new), share(old)]) }
        }
        Action::DropOff(Named { token, .. }) => {
            let price = i64::from(token.sell());
            Dues { mover: price, owners: Vec::from([share(price)]) }
        }
        Action::RedeemIou => {
            let value = i64::from(Token::Iou(trader).sell());
            Dues { mover: value, owners: Vec::from([share(value)]) }
        }
        _ => return None,
    })
}

/// Money comes and goes by the stated ways alone, to the last coin.
fn check_money(before: &Game, game: &Game, action: Action, trail: &[Mark]) {
    let mover = before.current();
    let gains: Vec<(i64, i64)> =
        purses(before).iter().zip(purses(game)).map(|(was, is)| (is.0 - was.0, is.1 - was.1)).collect();
    if let Some(dues) = dues(before, action) {
        for (seat, gain) in game.seats().zip(&gains) {
            let owned: i64 = dues.owners.iter().filter(|(owner, _)| *owner == Some(seat)).map(|(_, sum)| sum).sum();
            let own = if seat == mover { dues.mover } else { 0 };
            assert_eq!(gain.0 + gain.1, own + owned, "{seat:?} by {action:?}");
            assert!(seat == mover || gain.1 == 0, "barter for another");
        }
        return;
    }
    let others = game.seats().zip(&gains).filter(|(seat, _)| *seat != mover);
    others.for_each(|(seat, gain)| assert_eq!(*gain, (0, 0), "{seat:?} by {action:?}"));
    let (cash, barter) = gains[mover.index()];
    match action.verb() {
        Verb::EndTurn => assert!(cash == 0 && barter <= 0 && game.money(mover).barter == 0, "{action:?}"),
        Verb::SelectDestination | Verb::SelectPilotNumber | Verb::Mulligan | Verb::NoMulligan | Verb::EndMove => {
            assert_eq!((-cash, barter), (penalties(before, trail), 0), "{action:?}");
        }
        _ => assert_eq!((cash, barter), (0, 0), "{action:?}"),
    }
}

/// What was paid on the way, each time at a penalty and not more than it says.
fn penalties(before: &Game, trail: &[Mark]) -> i64 {
    let mover = before.current();
    let (mut at, mut cash, mut sum) = (before.space(mover), i64::from(before.money(mover).cash), 0);
    for mark in trail {
        match mark {
            Mark::Went(space) => at = *space,
            Mark::Paid(seat, money) => {
                let Site::Penalty(_, most) = before.site(at) else { panic!("{seat:?} paid at {at:?}") };
                let paid = cash - i64::from(money.cash);
                assert!(*seat == mover && paid > 0 && paid <= i64::from(most), "{paid} at {at:?}");
                (cash, sum) = (i64::from(money.cash), sum + paid);
            }
        }
    }
    sum
}

/// The seats that know a place become more only where the mover went (venus 13.9, 13.10): the orbit, the whole system
/// and the boxes beside with Spy Eye, a box that is entered, a culture that is traded with.
fn check_knowledge(before: &Game, game: &Game, trail: &[Mark]) {
    let (board, mover) = (game.board(), before.current());
    let went = || trail.iter().filter_map(|mark| if let Mark::Went(space) = mark { Some(*space) } else { None });
    let spies = before.has(mover, Relic::SpyEye);
    for system in board.systems() {
        let (was, is) = (before.home_secrecy(system), game.home_secrecy(system));
        if was == is {
            continue;
        }
        if is.is_public() {
            let traded = Some(system) == board.system_of(game.space(mover)) && game.phase() == Phase::TradePhase;
            assert!(!was.is_public() && traded, "{system:?} became known to all");
            continue;
        }
        let seen =
            went().any(|space| board.system_of(space) == Some(system) && (spies || board.port_at(space).is_some()));
        assert!(seen && is == was.with(mover), "{system:?} became known to {is:?}");
    }
    for qbox in board.qboxes() {
        let (was, is) = (before.box_secrecy(qbox), game.box_secrecy(qbox));
        if was == is {
            continue;
        }
        let space = board.qbox_space(qbox);
        let is_beside = |at: Space| board.ways(at).iter().any(|way| way.to() == space);
        if is.is_public() {
            assert!(went().any(|at| at == space), "{qbox:?} became known to all");
        } else {
            assert!(spies && went().any(is_beside) && is == was.with(mover), "{qbox:?} became known to {is:?}");
        }
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
        // Mostly a likely action of the player whose turn it is, sometimes any action by anybody.
        let is_wild = chance.below(crate::dice::Stream::Dice, 8) == 0;
        let (actor, action) = if is_wild {
            let actor = chance.below(crate::dice::Stream::Dice, 8) as u8;
            (Some(Seat(actor)).filter(|seat| seat.0 < 7), any_action(&game, &mut chance))
        } else {
            (Some(mover), likely_action(&game, &mut chance))
        };
        let announced = game.legal(actor).contains(action.verb());
        let (before, dice_before, told) = (game.clone(), dice.clone(), books.events);
        books.trail.clear();
        match game.apply(actor, action, &mut dice, &mut books) {
            Ok(()) => {
                assert!(announced, "{action:?} was taken and not announced");
                *count.verbs.entry(action.verb()).or_default() += 1;
                count.taken += 1;
                check_money(&before, &game, action, &books.trail);
                check_knowledge(&before, &game, &books.trail);
            }
            Err(refusal) => {
                assert_eq!((&game, &dice, books.events), (&before, &dice_before, told), "{action:?} {refusal:?}");
                match refusal {
                    Refusal::NotLegal => assert!(!announced, "{action:?}"),
                    Refusal::Malformed => assert_eq!((announced, action.verb()), (true, Verb::Options)),
                    Refusal::Rule(reason) => assert!(announced && is_listed(action.verb(), reason), "{action:?}"),
                }
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

//! The rules of trading, of set-up and of the end, in positions laid out by hand.

use std::string::String;
use std::vec::Vec;

use super::place::Where;
use super::testing::{Told, begin, game_of, likely_action};
use super::*;
use crate::venus::board::Chart;
use crate::venus::pieces::*;

/// A player at a culture, with all trading open.
struct Shop {
    game: Game,
    dice: Dice,
    told: Told,
}

const LOOM: System = System(2);

impl Shop {
    /// At the space city of Loom, where this culture lives, publicly.
    fn at(culture: Culture) -> Self {
        let mut position = Position::new(Chart::Pocket);
        position.space = Space(8);
        position.cash = 1000;
        position.homes.push((LOOM, culture, Secrecy::PUBLIC)).unwrap();
        let mut game = position.game();
        game.put(Token::PortDeed(Port(2)), Where::Base(culture));
        game.put(Token::Iou(culture), Where::Gone);
        let mut shop = Self { game, dice: begin(3), told: Told(Vec::new()) };
        assert_eq!(shop.act(Action::EndMove), Ok(()));
        shop
    }

    fn act(&mut self, action: Action) -> Result<(), Refusal> {
        self.told.0.clear();
        let actor = Some(self.game.current());
        let before = self.game.clone();
        let verdict = self.game.apply(actor, action, &mut self.dice, &mut self.told);
        assert!(verdict.is_ok() || (self.game == before && self.told.0.is_empty()));
        verdict
    }

    fn give(&mut self, token: Token, age: Age) {
        if let Token::Good(culture) = token {
            self.game.goods[culture.index()] -= 1;
        }
        self.game.give(token, age);
    }

    fn cash(&self) -> (u32, u32) {
        let money = self.game.money(Seat(0));
        (money.cash, money.barter)
    }

    /// The names of what was told, without arguments.
    fn names(&self) -> Vec<&str> {
        self.told.0.iter().map(|text| text.split(['(', ' ', '{']).next().unwrap()).collect()
    }
}

fn any(token: Token) -> Named {
    Named { token, age: None }
}

fn rule(reason: Reason) -> Result<(), Refusal> {
    Err(Refusal::Rule(reason))
}

const GOOD: Token = Token::Good(Culture::C4a);

#[test]
fn a_good_is_bought() {
    let mut shop = Shop::at(Culture::C4a);
    assert_eq!(shop.act(Action::Buy(any(GOOD))), Ok(()));
    assert_eq!(shop.names(), ["SubtractFromTradeBase", "AddToPlayer", "PlayerMoney", "RemainingTransCount"]);
    assert_eq!((shop.cash(), shop.game.held(Seat(0), GOOD, Age::New), shop.game.load(Seat(0))), ((990, 0), 1, 2));
    assert_eq!(shop.game.at_base(Culture::C4a, GOOD), 5);
    assert_eq!(shop.act(Action::Jettison(any(GOOD))), rule(Reason::New));
    assert_eq!(shop.act(Action::EndTurn), Ok(()));
    assert_eq!(shop.game.held(Seat(0), GOOD, Age::Old), 1);
    assert_eq!(&shop.names()[..3], ["PlayerMoney", "AgePlayer", "CurPlayer"]);
}

#[test]
fn what_is_not_bought() {
    let mut shop = Shop::at(Culture::C4a);
    let good = Token::Good(Culture::C4b);
    assert_eq!(shop.act(Action::Buy(any(good))), rule(Reason::NotSoldHere));
    assert_eq!(shop.act(Action::Buy(Named { token: GOOD, age: Some(Age::New) })), rule(Reason::NotSoldHere));
    assert_eq!(shop.act(Action::Buy(any(Token::Ship(Ship::Transport)))), rule(Reason::NotForBuying));
    shop.give(GOOD, Age::Old);
    shop.give(good, Age::Old);
    assert_eq!(shop.act(Action::Buy(any(GOOD))), rule(Reason::NoRoom));
    assert_eq!(shop.act(Action::Buy(any(Token::Gear(Gear::YellowDrive)))), rule(Reason::NoRoom));
    shop.game.players[0].cash = 199;
    assert_eq!(shop.act(Action::Buy(any(Token::FactoryDeed(Culture::C4a)))), rule(Reason::CantPay));
    let demand = Token::Demand(Demand(5));
    shop.game.demands[5] = 1;
    assert_eq!(shop.act(Action::Buy(any(demand))), rule(Reason::NotSoldHere));
}

#[test]
fn a_demand_adds_to_the_price_and_is_used_up_first() {
    // Dell wants Mulch Wine at 60 more each.
    let mut shop = Shop::at(Culture::C4a);
    let wine = Token::Good(Culture::C3);
    shop.give(wine, Age::Old);
    shop.game.goods[3] -= 2;
    shop.game.demands[5] = 2;
    assert_eq!(shop.game.cup_count(), 48);
    assert_eq!(shop.act(Action::Sell(any(wine))), Ok(()));
    assert_eq!(shop.cash(), (1000 + 60 + 2 * 60, 0));
    let names = shop.names();
    assert_eq!(names[..3], ["SubtractFromPlayer", "SubtractFromTradeBase", "AddToTradeBase"]);
    assert_eq!(names[3..], ["PlayerMoney", "AddToTradeBase", "RemainingTransCount"]);
    assert_eq!(shop.game.cup_count(), 48);
    assert!(shop.told.0[2].contains("from_cup: true") && shop.told.0[4].contains("from_cup: true"));
}

#[test]
fn factory_goods_have_no_demand() {
    let mut shop = Shop::at(Culture::C4a);
    shop.game.put(Token::FactoryDeed(Culture::C3), Where::Player(Seat(1), Age::Old));
    shop.game.put(Token::FactoryGood(Culture::C3), Where::Player(Seat(0), Age::Old));
    shop.game.demands[5] = 2;
    assert_eq!(shop.act(Action::Sell(any(Token::FactoryGood(Culture::C3)))), Ok(()));
    assert_eq!((shop.cash(), shop.game.demands[5] >= 2), ((1000 + 180, 0), true));
}

#[test]
fn what_is_not_sold() {
    let mut shop = Shop::at(Culture::C4a);
    assert_eq!(shop.act(Action::Sell(any(GOOD))), rule(Reason::NotYours));
    shop.give(GOOD, Age::Old);
    assert_eq!(shop.act(Action::Sell(any(GOOD))), rule(Reason::NotBoughtHere));
    assert_eq!(shop.act(Action::Sell(any(Token::Ship(Ship::Scout)))), rule(Reason::NotForSelling));
    shop.game.put(Token::Fare(Fare(8)), Where::Player(Seat(0), Age::Old));
    assert_eq!(shop.act(Action::Sell(any(Token::Fare(Fare(8))))), rule(Reason::NotForSelling));
    shop.game.put(Token::Iou(Culture::C2), Where::Player(Seat(0), Age::Old));
    assert_eq!(shop.act(Action::Sell(any(Token::Iou(Culture::C2)))), rule(Reason::NotForSelling));
}

#[test]
fn gear_and_relics_bring_barter() {
    let mut shop = Shop::at(Culture::C4a);
    shop.give(Token::Gear(Gear::Shield), Age::Old);
    shop.game.put(Token::Relic(Relic::AirFoil), Where::Player(Seat(0), Age::Old));
    assert_eq!(shop.act(Action::Sell(any(Token::Gear(Gear::Shield)))), Ok(()));
    assert_eq!((shop.cash(), shop.names().len()), ((1000, 30), 3));
    assert_eq!(shop.act(Action::Sell(any(Token::Relic(Relic::AirFoil)))), Ok(()));
    assert_eq!(shop.names(), ["SubtractFromPlayer", "PlayerMoney", "AddToTradeBase", "RemainingTransCount"]);
    assert_eq!((shop.cash(), shop.game.at_base(Culture::C4a, Token::Relic(Relic::AirFoil))), ((1000, 70), 1));
    // Barter is spent first, and what is left is lost.
    assert_eq!(shop.act(Action::Buy(any(Token::Gear(Gear::YellowDrive)))), Ok(()));
    assert_eq!(shop.cash(), (990, 0));
    assert_eq!(shop.act(Action::Buy(any(Token::Relic(Relic::AirFoil)))), Ok(()));
    assert_eq!(shop.cash(), (910, 0));
    assert_eq!(shop.game.held(Seat(0), Token::Relic(Relic::AirFoil), Age::New), 1);
}

#[test]
fn the_first_of_a_gear_needs_no_room() {
    let mut shop = Shop::at(Culture::C1a);
    for load in 0..5 {
        assert_eq!(shop.act(Action::Buy(any(Token::Gear(Gear::Shield)))), Ok(()));
        assert_eq!(shop.game.load(Seat(0)), load);
    }
    assert_eq!(shop.act(Action::Buy(any(Token::Gear(Gear::Shield)))), rule(Reason::NoRoom));
}

#[test]
fn a_ship_is_traded_in() {
    let mut shop = Shop::at(Culture::C4a);
    assert_eq!(shop.act(Action::TradeInShip(any(Token::Ship(Ship::Clipper)))), rule(Reason::NotSoldHere));
    assert_eq!(shop.act(Action::TradeInShip(any(GOOD))), rule(Reason::NotAShip));
    assert_eq!(shop.act(Action::TradeInShip(any(Token::Ship(Ship::Freighter)))), Ok(()));
    assert_eq!(shop.names(), ["SubtractFromPlayer", "AddToPlayer", "PlayerMoney", "RemainingTransCount"]);
    assert_eq!((shop.cash(), shop.game.ship(Seat(0))), ((1000 + 30 - 300, 0), Ship::Freighter));
    (0..4).for_each(|_| shop.give(GOOD, Age::Old));
    assert_eq!(shop.act(Action::TradeInShip(any(Token::Ship(Ship::Transport)))), rule(Reason::CargoDoesNotFit));
    shop.game.players[0].cash = 89;
    assert_eq!(shop.act(Action::TradeInShip(any(Token::Ship(Ship::Transport)))), rule(Reason::CantPay));
}

#[test]
fn fares_are_picked_up_and_dropped_off() {
    let mut shop = Shop::at(Culture::C4a);
    let (here, there) = (Token::Fare(Fare(1)), Token::Fare(Fare(8)));
    shop.game.put(here, Where::Base(Culture::C4a));
    shop.game.put(there, Where::Player(Seat(0), Age::Old));
    shop.game.goods[0] -= 2;
    assert_eq!(shop.act(Action::Buy(any(here))), rule(Reason::NotForBuying));
    assert_eq!(shop.act(Action::PickUp(any(GOOD))), rule(Reason::NotAFare));
    assert_eq!(shop.act(Action::PickUp(any(here))), Ok(()));
    assert_eq!(shop.names(), ["SubtractFromTradeBase", "AddToPlayer"]);
    assert_eq!(shop.act(Action::DropOff(any(here))), rule(Reason::NotItsDestination));
    assert_eq!(shop.act(Action::DropOff(any(GOOD))), rule(Reason::NotYours));
    assert_eq!(shop.act(Action::DropOff(any(there))), Ok(()));
    assert_eq!(shop.names(), ["SubtractFromPlayer", "PlayerMoney", "AddToTradeBase"]);
    assert_eq!((shop.cash(), shop.game.cup_count()), ((1140, 0), 48));
}

#[test]
fn what_is_jettisoned_goes_to_the_cup_or_out_of_the_game() {
    let mut shop = Shop::at(Culture::C4a);
    shop.give(Token::Gear(Gear::RedDrive), Age::Old);
    shop.give(GOOD, Age::Old);
    assert_eq!(shop.act(Action::Jettison(any(Token::Gear(Gear::RedDrive)))), Ok(()));
    assert_eq!(shop.names(), ["SubtractFromPlayer"]);
    assert_eq!(shop.act(Action::Jettison(any(GOOD))), Ok(()));
    assert_eq!(shop.names(), ["SubtractFromPlayer", "AddToTradeBase"]);
    assert_eq!(shop.game.cup_count(), 48);
    assert_eq!(shop.act(Action::Jettison(any(GOOD))), rule(Reason::NotYours));
    assert_eq!(shop.act(Action::Jettison(any(Token::Ship(Ship::Scout)))), rule(Reason::NotForJettison));
    let named = Named { token: GOOD, age: Some(Age::New) };
    assert_eq!(shop.act(Action::Jettison(named)), rule(Reason::New));
}

#[test]
fn an_iou_is_redeemed_where_it_came_from() {
    let mut shop = Shop::at(Culture::C10);
    assert_eq!(shop.act(Action::RedeemIou), Err(Refusal::NotLegal));
    shop.game.put(Token::Iou(Culture::C10), Where::Player(Seat(0), Age::Old));
    assert_eq!(shop.act(Action::RedeemIou), Ok(()));
    assert_eq!((shop.names(), shop.cash()), (Vec::from(["PlayerMoney", "SubtractFromPlayer"]), (1000, 120)));
}

#[test]
fn a_factory_is_bought_and_pays() {
    // A Whynom among Whynoms pays a fifth less; worth counts the full price.
    let mut shop = Shop::at(Culture::C8);
    shop.game.players[0].race = Culture::C8;
    let (deed, good) = (Token::FactoryDeed(Culture::C8), Token::FactoryGood(Culture::C8));
    assert_eq!(shop.act(Action::Buy(any(good))), rule(Reason::NotSoldHere));
    assert_eq!(shop.act(Action::Buy(any(deed))), Ok(()));
    assert_eq!(
        shop.names(),
        [
            "SubtractFromTradeBase",
            "AddToPlayer",
            "PlayerMoney",
            "FactoryOwner",
            "AddToTradeBase",
            "RemainingTransCount"
        ]
    );
    assert_eq!((shop.cash(), shop.game.money(Seat(0)).worth), ((920, 0), 1020));
    assert_eq!(shop.act(Action::Buy(any(good))), Ok(()));
    assert_eq!(shop.names()[2..], ["PlayerMoney", "PlayerMoney", "RemainingTransCount"]);
    assert_eq!(shop.cash(), (920 - 80 + 40, 0));
}

/// What is done for a player who is away can be foretold (venus 16.1).
#[test]
fn the_lowest_number_is_chosen_for_who_is_away() {
    let board = Chart::Pocket.board();
    let mut position = Position::new(Chart::Pocket);
    (position.space, position.points) = (board.named("loom_1").unwrap(), 9);
    position.dice.extend([2, 1, 6]);
    let mut game = position.game();
    let target = Target { space: board.named("hub_loom_1").unwrap(), is_jump: false };
    let mut quiet = |_: Audience, _: Event<'_>| ();
    assert_eq!(game.apply(Some(Seat(0)), Action::SelectDestination(target), &mut begin(1), &mut quiet), Ok(()));
    assert_eq!((game.phase(), game.choice().iter().collect::<Vec<_>>()), (Phase::SelectPilotNumber, Vec::from([1, 2])));
    assert_eq!(game.idle_action(), Some(Action::SelectPilotNumber(1)));
}

#[test]
fn a_spaceport_is_built_and_takes_a_tenth() {
    let mut shop = Shop::at(Culture::C4a);
    shop.game.players[0].race = Culture::C4a;
    assert_eq!(shop.act(Action::Buy(any(Token::PortDeed(Port(2))))), Ok(()));
    assert_eq!(
        shop.names(),
        ["SubtractFromTradeBase", "AddToPlayer", "PlayerMoney", "QboxContents", "QboxPrivacy", "RemainingTransCount"]
    );
    assert_eq!(shop.cash(), (1000 - 160, 0));
    assert_eq!(shop.game.site(Space(7)), Site::Station(Some(Seat(0))));
    // At the port itself: its owner gets a tenth of every sum, of the owner's own trades too.
    shop.game.players[0].space = Space(7);
    assert_eq!(shop.act(Action::Buy(any(Token::FactoryDeed(Culture::C4a)))), Ok(()));
    assert_eq!(shop.cash(), (840 - 160 + 16, 0));
    assert_eq!(shop.names()[2..4], ["PlayerMoney", "PlayerMoney"]);
    shop.game.put(Token::PortDeed(Port(2)), Where::Player(Seat(1), Age::Old));
    assert_eq!(shop.act(Action::TradeInShip(any(Token::Ship(Ship::Transport)))), Ok(()));
    assert_eq!(
        shop.names(),
        ["SubtractFromPlayer", "AddToPlayer", "PlayerMoney", "PlayerMoney", "PlayerMoney", "RemainingTransCount"]
    );
    assert_eq!(shop.game.money(Seat(1)).cash, 40 + 24 + 3);
    let fare = Token::Fare(Fare(8));
    shop.game.put(fare, Where::Player(Seat(0), Age::Old));
    assert_eq!(shop.act(Action::DropOff(any(fare))), Ok(()));
    assert_eq!(shop.game.money(Seat(1)).cash, 67 + 14);
}

#[test]
fn a_limited_place_has_one_buy_and_one_sell() {
    let mut shop = Shop::at(Culture::C4a);
    (shop.game.motion.buys, shop.game.motion.sells) = (1, 1);
    assert_eq!(shop.act(Action::Buy(any(GOOD))), Ok(()));
    assert_eq!(shop.act(Action::Buy(any(GOOD))), Err(Refusal::NotLegal));
    assert_eq!(shop.act(Action::TradeInShip(any(Token::Ship(Ship::Transport)))), Err(Refusal::NotLegal));
    let legal: Vec<&str> = shop.game.legal(Some(Seat(0))).iter().map(Verb::name).collect();
    assert_eq!(legal, ["DROPOFF", "ENDTURN", "JETTISON", "PICKUP", "SELL"]);
    assert_eq!(shop.game.legal(Some(Seat(1))), Verbs::NONE);
    assert_eq!(shop.game.legal(None), Verbs::NONE);
}

#[test]
fn who_has_enough_at_the_end_of_the_turn_has_won() {
    let mut shop = Shop::at(Culture::C4a);
    shop.game.players[0].cash = 1900;
    shop.game.players[0].barter = 500;
    assert_eq!(shop.act(Action::Buy(any(Token::FactoryDeed(Culture::C4a)))), Ok(()));
    // 200 of barter were spent and 1,900 in cash with a deed of 200 are left.
    assert_eq!(shop.act(Action::EndTurn), Ok(()));
    assert_eq!(
        (shop.names(), shop.game.winner()),
        (Vec::from(["PlayerMoney", "AgePlayer", "PlayerWins"]), Some(Seat(0)))
    );
    assert_eq!((shop.game.phase(), shop.game.idle_action()), (Phase::TerminalState, None));
    assert_eq!(shop.act(Action::EndTurn), Err(Refusal::NotLegal));
}

#[test]
fn barter_does_not_win() {
    let mut shop = Shop::at(Culture::C4a);
    (shop.game.players[0].cash, shop.game.players[0].barter) = (1999, 900);
    assert_eq!(shop.act(Action::EndTurn), Ok(()));
    assert_eq!((shop.game.winner(), shop.game.current()), (None, Seat(1)));
}

#[test]
fn seats_are_taken_and_left() {
    let (mut game, mut dice, mut told) = (Game::new(), begin(1), Told(Vec::new()));
    game.begin(Chart::Galaxy, false);
    let mut act = |game: &mut Game, actor: Option<u8>, action| {
        told.0.clear();
        let verdict = game.apply(actor.map(Seat), action, &mut dice, &mut told);
        verdict.map(|()| told.0.clone())
    };
    assert_eq!(act(&mut game, Some(0), Action::Unjoin), Err(Refusal::NotLegal));
    assert_eq!(act(&mut game, None, Action::Join).unwrap(), ["@actor Iam(Seat(0))", "Player(Seat(0))"]);
    assert_eq!(act(&mut game, Some(0), Action::ValidateSetup), Err(Refusal::NotLegal));
    assert_eq!(act(&mut game, Some(0), Action::Options(999)), Err(Refusal::Malformed));
    assert_eq!(act(&mut game, Some(0), Action::Options(20_001)), Err(Refusal::Malformed));
    assert_eq!(act(&mut game, Some(0), Action::Options(3000)).unwrap(), ["Options { win: 3000 }"]);
    act(&mut game, None, Action::Join).unwrap();
    act(&mut game, None, Action::Join).unwrap();
    let left = act(&mut game, Some(1), Action::Unjoin).unwrap();
    let wanted =
        ["Reset", "Player(Seat(0))", "Player(Seat(1))", "@0 Iam(Seat(0))", "@1 Iam(Seat(1))", "Options { win: 3000 }"];
    assert_eq!(left, wanted);
    act(&mut game, Some(1), Action::ValidateSetup).unwrap();
    assert_eq!(act(&mut game, None, Action::Join), Err(Refusal::NotLegal));
    assert_eq!(act(&mut game, Some(1), Action::LikeOptions).unwrap(), ["PlayerOkStartup(Seat(1), true)"]);
    assert_eq!(act(&mut game, Some(1), Action::DontLikeOptions), Err(Refusal::NotLegal));
    assert_eq!(act(&mut game, Some(0), Action::DontLikeOptions).unwrap(), Vec::<String>::new());
    assert_eq!((game.phase(), game.likes(Seat(1))), (Phase::InitialState, false));
}

#[test]
fn who_leaves_before_the_start_is_unjoined() {
    let (mut dice, mut told) = (begin(1), Told(Vec::new()));
    let mut game = Game::new();
    game.begin(Chart::Galaxy, false);
    (0..3).for_each(|_| game.apply(None, Action::Join, &mut dice, &mut told).unwrap());
    game.apply(Some(Seat(0)), Action::ValidateSetup, &mut dice, &mut told).unwrap();
    game.apply(Some(Seat(2)), Action::LikeOptions, &mut dice, &mut told).unwrap();
    assert!(game.leave(Seat(0), &mut dice, &mut told));
    assert_eq!((game.phase(), game.seat_count(), game.likes(Seat(1))), (Phase::InitialState, 2, false));
    assert!(!game.leave(Seat(2), &mut dice, &mut told));
    let mut begun = game_of(2, Chart::Galaxy, false, &mut dice, &mut told);
    assert!(!begun.leave(Seat(0), &mut dice, &mut told));
}

#[test]
fn six_can_sit_and_no_more() {
    let (mut dice, mut told) = (begin(1), Told(Vec::new()));
    let mut game = Game::new();
    game.begin(Chart::Galaxy, false);
    (0..6).for_each(|_| game.apply(None, Action::Join, &mut dice, &mut told).unwrap());
    assert_eq!(game.apply(None, Action::Join, &mut dice, &mut told), Err(Refusal::NotLegal));
}

#[test]
fn a_new_game_is_all_zero_and_small() {
    std::println!("a game: {} bytes", size_of::<Game>());
    assert_eq!(Game::new().audit(), Err("the win money"));
}

#[test]
fn the_start_tells_everything_that_all_may_know() {
    let mut told = Told(Vec::new());
    let game = game_of(3, Chart::Galaxy, false, &mut begin(4), &mut told);
    let after = told.0.iter().position(|text| text == "Started").unwrap();
    assert_eq!(told.0[after - 1], "PlayerOkStartup(Seat(2), true)");
    let first = game.current().0;
    let rest: Vec<&str> = told.0[after + 1..].iter().map(|text| text.split(' ').next().unwrap()).collect();
    assert_eq!(rest, ["Dice(Roll", "PilotNumberChosen", std::format!("@{first}").as_str()]);
    let mut script = Script::start();
    let mut names: Vec<String> = Vec::new();
    while let Some(event) = script.next(&game) {
        names.push(std::format!("{event:?}").split(['(', ' ']).next().unwrap().into());
    }
    assert_eq!(names[..4], ["TurnOrder", "CurPlayer", "AddToPlayer", "AddToPlayer"]);
    assert_eq!(names[names.len() - 2..], ["SolarSystemPrivacy", "BaseLocation"]);
    // 74 goods, 14 IOUs, 14 deeds; ships and gear of 5 technologies and the base.
    let stock = names.iter().filter(|name| *name == "AddToTradeBase").count();
    let sold: usize =
        Culture::ALL.iter().flat_map(|culture| culture.technology().sells()).filter(|token| !token.is_weapon()).count();
    assert_eq!(stock, 74 + 14 + 14 + sold);
    assert_eq!(game.money(Seat(0)).cash, 60);
}

/// What one viewer hears of an action.
fn heard(events: &[(Audience, String)], seat: Seat) -> Vec<&String> {
    let hears = |to: Audience| matches!(to, Audience::Room) || to == Audience::Seat(seat);
    events.iter().filter(|(to, _)| hears(*to)).map(|(_, text)| text).collect()
}

/// Two games that differ only in what one player must not know are the same to that player, until it is told.
#[test]
fn nobody_hears_what_is_hidden() {
    let mut told_at_last = 0;
    for seed in 0..40 {
        let mut dice = begin(seed);
        let mut quiet = |_: Audience, _: Event<'_>| ();
        let mut one = game_of(3, Chart::Galaxy, false, &mut dice, &mut quiet);
        let mut chance = begin(seed + 1000);
        for _ in 0..100 {
            let action = likely_action(&one, &mut chance);
            let _ = one.apply(Some(one.current()), action, &mut dice, &mut quiet);
        }
        let watcher = Seat((seed % 3) as u8);
        let mut two = one.clone();
        let homes: Vec<usize> =
            (0..SYSTEMS).filter(|n| one.homes[*n] > 0 && !one.homes_known[*n].is_known_to(watcher)).collect();
        let boxes: Vec<usize> = (0..QBOXES).filter(|n| !one.boxes_known[*n].is_known_to(watcher)).collect();
        two.homes.swap(homes[0], homes[homes.len() - 1]);
        two.boxes.swap(boxes[0], boxes[boxes.len() - 1]);
        let mut second = dice.clone();
        for _ in 0..150 {
            // Both get the same action, chosen by the first's state alone; a refusal by the other's hidden state is the
            // current player's own knowledge, and ends the comparison.
            let action = likely_action(&one, &mut chance);
            let actor = Some(one.current());
            let (mut first_told, mut second_told) = (Vec::new(), Vec::new());
            let note =
                |list: &mut Vec<(Audience, String)>, to, event: Event<'_>| list.push((to, std::format!("{event:?}")));
            let first =
                one.apply(actor, action, &mut dice, &mut |to, event: Event<'_>| note(&mut first_told, to, event));
            let other =
                two.apply(actor, action, &mut second, &mut |to, event: Event<'_>| note(&mut second_told, to, event));
            let (first_heard, second_heard) = (heard(&first_told, watcher), heard(&second_told, watcher));
            let split = first_heard.iter().zip(&second_heard).position(|(a, b)| a != b);
            if let Some(at) = split {
                // The first difference is the event that tells it.
                let name = first_heard[at].split('(').next().unwrap();
                assert!(matches!(name, "BaseLocation" | "QboxContents"), "seed {seed}: {}", first_heard[at]);
                told_at_last += 1;
                break;
            }
            assert_eq!(first_heard.len(), second_heard.len(), "seed {seed} {action:?}");
            assert!(watcher != one.current() || first == other || one.current() != two.current());
            if first != other {
                break;
            }
        }
    }
    assert!(told_at_last > 5, "{told_at_last}");
}

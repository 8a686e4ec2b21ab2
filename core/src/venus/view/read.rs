//! A line of a game as the rules would tell it: names become numbers again.

use crate::venus::board::Board;
use crate::venus::pieces::{Age, Named};
use crate::venus::rules::{Event, Money, Order, Reason, Step, Steps};
use crate::venus::wire::{self, Destinations, Left};

/// `None`: no event of a game, or one that names what is not on the board.
pub fn read(event: &wire::Event<'_>, board: &Board) -> Option<Event<'static>> {
    use wire::Event as E;
    Some(match *event {
        E::Reset { .. } => Event::Reset,
        E::Iam { player } => Event::Iam(player),
        E::Player { player, .. } => Event::Player(player),
        E::Options { win_money } => Event::Options { win: win_money },
        E::PlayerOkStartup { player, ok } => Event::PlayerOkStartup(player, ok),
        E::TurnOrder { order } => Event::TurnOrder(order.iter().collect::<Order>()),
        E::CurPlayer { player } => Event::CurPlayer(player),
        E::PlayerMoney { player, cash, barter, worth } => Event::PlayerMoney(player, Money { cash, barter, worth }),
        E::PlayerRace { player, race } => Event::PlayerRace(player, race),
        E::PlayerLocation { player, space } => Event::PlayerLocation(player, board.named(space)?),
        E::RemainingTransCount { player, buys, sells } => {
            let count = |left: Left| left.0.map_or(-1, |left| left.min(100) as i8);
            Event::RemainingTransCount { seat: player, buys: count(buys), sells: count(sells) }
        }
        E::AddToPlayer { player, token } => Event::AddToPlayer(player, token.token, age(token)),
        E::SubtractFromPlayer { player, token } => Event::SubtractFromPlayer(player, token.token, age(token)),
        E::AddToTradeBase { race, token, from_cup } => {
            Event::AddToTradeBase { culture: race, token: token.token, from_cup }
        }
        E::SubtractFromTradeBase { race, token } => Event::SubtractFromTradeBase(race, token.token),
        E::SolarSystemPrivacy { system, secrecy } => Event::SolarSystemPrivacy(board.system_named(system)?, secrecy),
        E::BaseLocation { system, race } => Event::BaseLocation(board.system_named(system)?, race),
        E::QboxPrivacy { space, secrecy } => Event::QboxPrivacy(board.named(space)?, secrecy),
        E::QboxContents { space, contents } => Event::QboxContents(board.named(space)?, contents),
        E::FactoryOwner { race, player } => Event::FactoryOwner(race, player),
        E::Switchables { list } => Event::Switchables(list),
        E::SelectedSwitchables { player, list } => Event::SelectedSwitchables(player, list),
        E::Destination { penalty, first, list } => {
            let penalty = u8::try_from(penalty).unwrap_or(u8::MAX);
            Event::Destination { penalty, is_first: first, steps: steps(list, board) }
        }
        E::Dice { dice } => Event::Dice(dice),
        E::MpLeft { points } => Event::MpLeft(points),
        E::PilotNumberChoice { numbers } => Event::PilotNumberChoice(numbers),
        E::PilotNumberChosen { player, number, permanent } => {
            Event::PilotNumberChosen { seat: player, number, is_fixed: permanent }
        }
        E::AgePlayer { player } => Event::AgePlayer(player),
        E::PlayerWins { player } => Event::PlayerWins(player),
        E::MoveError { .. } => Event::MovError(Reason::DiceForbid),
        _ => return None,
    })
}

/// A token without an age is old.
fn age(named: Named) -> Age {
    named.age.unwrap_or(Age::Old)
}

/// A step to a space that is not on the board is left out, as are more than can be.
fn steps(list: Destinations<'_>, board: &Board) -> Steps {
    let known = list.iter().filter_map(|step| {
        let space = board.named(step.space)?;
        Some(Step { space, is_jump: step.jump, cost: step.cost, numbers: step.numbers })
    });
    let mut steps = Steps::new();
    for step in known {
        // What does not fit was not offered by the rules.
        let _ = steps.push(step);
    }
    steps
}

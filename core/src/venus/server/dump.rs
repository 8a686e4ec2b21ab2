//! What is long, line by line, as its reader drains it: a login, a refresh, the start of a game (venus 7).

use heapless::Vec;

use super::gui::{self, GAME_GUI, ROOM_GUI};
use super::line::{Line, Tale};
use super::play::description;
use super::rooms::{Names, Status};
use super::shots::{HallShot, Shots};
use super::{GREAT_HALL, Hall};
use crate::bounded;
use crate::outbox::Dumped;
use crate::venus::board::Board;
use crate::venus::pieces::{Age, Named, Seat, Token};
use crate::venus::rules;
use crate::venus::wire::{self, Event, Left, Order, Step, Verb};

/// The next line of what a link is being told. Where there is no room for it, nothing has moved on.
pub(super) fn next<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const SAVES: usize,
    const LINKS: usize,
    const SHOTS: usize,
>(
    hall: &Hall<ACCOUNTS, ROOMS, SAVES>,
    shots: &Shots<ROOMS, LINKS, SHOTS>,
    line: &mut Line,
    step: &mut u16,
    room: &mut [u8],
) -> Dumped {
    if line.tale != Tale::Hall {
        return next_of_game(shots, line, step, room);
    }
    let Some(shot) = shots.hall(line.shot) else { return Dumped::Done };
    let user = hall.name(line.account);
    loop {
        let Some(event) = event_of_hall(hall, shot, user, usize::from(*step)) else { return Dumped::Done };
        let Some(event) = event else {
            *step += 1;
            continue;
        };
        let Some(n) = event.write(room) else { return Dumped::NoRoom };
        *step += 1;
        return Dumped::Frames(n);
    }
}

/// The line of a step after a login; `Some(None)`: there is none here, but more may follow.
fn event_of_hall<'a, const ACCOUNTS: usize, const ROOMS: usize, const SAVES: usize, const LINKS: usize>(
    hall: &'a Hall<ACCOUNTS, ROOMS, SAVES>,
    shot: &'a HallShot<ROOMS, LINKS>,
    user: &'a str,
    step: usize,
) -> Option<Option<Event<'a>>> {
    let none = wire::Names::NONE;
    Some(match step {
        0 => Some(Event::Welcome {}),
        1 => {
            let (directory, file) = (hall.config.gui.as_str(), gui::file(ROOM_GUI));
            Some(Event::NewGui { gui: ROOM_GUI, directory, file })
        }
        2 => Some(Event::Games { list: none }),
        3 => Some(Event::SaveGames { list: none }),
        4 => Some(Event::GuiIam { user }),
        5 => Some(Event::GuiRoom { room: GREAT_HALL, game: "", status: "" }),
        _ => match shot.rooms.get(step - 6) {
            Some((room, _)) if room.is_empty() => None,
            Some((room, status)) => {
                let game = if *status == Status::NoGame { "" } else { GAME_GUI };
                Some(Event::GuiRoom { room: room.as_str(), game, status: status.text() })
            }
            None => {
                let inhabitant = shot.users.get(step - 6 - ROOMS).filter(|one| !one.user.is_empty())?;
                let room = usize::from(inhabitant.room).checked_sub(1).and_then(|room| shot.rooms.get(room));
                let room = room.map_or(GREAT_HALL, |(name, _)| name.as_str());
                Some(Event::Inhabitant { user: inhabitant.user.as_str(), room })
            }
        },
    })
}

fn next_of_game<const ROOMS: usize, const LINKS: usize, const SHOTS: usize>(
    shots: &Shots<ROOMS, LINKS, SHOTS>,
    line: &mut Line,
    step: &mut u16,
    room: &mut [u8],
) -> Dumped {
    let Some(shot) = shots.game(line.shot) else { return Dumped::Done };
    if *step == 0 {
        let mut script = line.script;
        if let Some(event) = script.next(&shot.game) {
            let mut written = None;
            translate(&event, shot.game.board(), &shot.names, |event| written = event.write(room));
            return written.map_or(Dumped::NoRoom, |n| {
                line.script = script;
                Dumped::Frames(n)
            });
        }
        *step = 1;
    }
    // The state itself, where it is not told to everybody right afterwards.
    if line.tale != Tale::Refresh {
        return Dumped::Done;
    }
    let event = match usize::from(*step) {
        1 => {
            let state = shot.game.phase();
            Some(Event::NewState { state, description: description(state) })
        }
        nth => {
            let verb = shot.game.legal(line.listener()).iter().nth(nth - 2);
            verb.and_then(|verb| Verb::named(verb.name())).map(|action| Event::LegalAction { action })
        }
    };
    let Some(event) = event else { return Dumped::Done };
    let Some(n) = event.write(room) else { return Dumped::NoRoom };
    *step += 1;
    Dumped::Frames(n)
}

/// An event of the rules as the wire has it. What stands for several lines is told elsewhere, and gives none here.
pub(super) fn translate(event: &rules::Event<'_>, board: &Board, names: &Names, mut tell: impl FnMut(&Event<'_>)) {
    use rules::Event as R;
    let old = |token: Token| Named { token, age: Some(Age::Old) };
    let named = |token: Token, age: Age| Named { token, age: Some(age) };
    let name = |seat: Seat| names.get(seat.index()).map_or("", |name| name.as_str());
    let left = |count: i8| Left(u8::try_from(count).ok());
    tell(&match *event {
        R::Started(_) => return,
        R::Reset => Event::Reset { game: GAME_GUI },
        R::Iam(player) => Event::Iam { player },
        R::Player(player) => Event::Player { user: name(player), player },
        R::Options { win } => Event::Options { win_money: win },
        R::PlayerOkStartup(player, ok) => Event::PlayerOkStartup { player, ok },
        R::TurnOrder(ref order) => Event::TurnOrder { order: Order::of(order.iter().copied()) },
        R::CurPlayer(player) => Event::CurPlayer { player },
        R::PlayerMoney(player, rules::Money { cash, barter, worth }) => {
            Event::PlayerMoney { player, cash, barter, worth }
        }
        R::PlayerRace(player, race) => Event::PlayerRace { player, race },
        R::PlayerLocation(player, space) => Event::PlayerLocation { player, space: board.name(space) },
        R::RemainingTransCount { seat, buys, sells } => {
            Event::RemainingTransCount { player: seat, buys: left(buys), sells: left(sells) }
        }
        R::AddToPlayer(player, token, age) => Event::AddToPlayer { player, token: named(token, age) },
        R::SubtractFromPlayer(player, token, age) => Event::SubtractFromPlayer { player, token: named(token, age) },
        R::AddToTradeBase { culture, token, from_cup } => {
            Event::AddToTradeBase { race: culture, token: old(token), from_cup }
        }
        R::SubtractFromTradeBase(race, token) => Event::SubtractFromTradeBase { race, token: old(token) },
        R::SolarSystemPrivacy(system, secrecy) => {
            Event::SolarSystemPrivacy { system: board.system_name(system), secrecy }
        }
        R::BaseLocation(system, race) => Event::BaseLocation { system: board.system_name(system), race },
        R::QboxPrivacy(space, secrecy) => Event::QboxPrivacy { space: board.name(space), secrecy },
        R::QboxContents(space, contents) => Event::QboxContents { space: board.name(space), contents },
        R::FactoryOwner(race, player) => Event::FactoryOwner { race, player },
        R::Switchables(list) => Event::Switchables { list },
        R::SelectedSwitchables(player, list) => Event::SelectedSwitchables { player, list },
        R::Dice(dice) => Event::Dice { dice },
        R::MpLeft(points) => Event::MpLeft { points },
        R::PilotNumberChoice(numbers) => Event::PilotNumberChoice { numbers },
        R::PilotNumberChosen { seat, number, is_fixed } => {
            Event::PilotNumberChosen { player: seat, number, permanent: is_fixed }
        }
        R::AgePlayer(player) => Event::AgePlayer { player },
        R::PlayerWins(player) => Event::PlayerWins { player },
        R::MovError(reason) => Event::MoveError { text: reason.text() },
        R::Destination { penalty, is_first, ref steps } => {
            let steps: Vec<Step<'_>, { rules::STEPS }> = bounded::collect(steps.iter().map(|step| Step {
                space: board.name(step.space),
                jump: step.is_jump,
                cost: step.cost,
                numbers: step.numbers,
            }));
            let list = wire::Destinations::Built(&steps);
            return tell(&Event::Destination { penalty: u32::from(penalty), first: is_first, list });
        }
    });
}

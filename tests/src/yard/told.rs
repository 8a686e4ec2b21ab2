//! Games written down for a client in another language: what each connection was told, and what core's view made of it.

use parlor_core::yard::bot::Strength;
use parlor_core::yard::limits::BoardYard;
use parlor_core::yard::map::Station;
use parlor_core::yard::pieces::{Pawn, Team, Ticket};
use parlor_core::yard::server::Config;
use parlor_core::yard::view::View;
use parlor_core::yard::wire::{Purse, Said};

use super::player::Player;
use parlor_core::driver::Driver;

/// A view is written down after so many lines.
const OFTEN: usize = 4;

/// What one connection was told, line by line, and by whose name it was logged in.
pub struct Told {
    pub user: String,
    pub lines: Vec<String>,
}

/// One game with a lost connection on each side and somebody who looks on from the middle of it.
pub fn game(seed: u32) -> Vec<Told> {
    let mut driver = Driver::new(Box::new(BoardYard::new()));
    let mut bytes = [9; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    driver.server.begin(&bytes, &Config { rate: 0, ..Config::DEFAULT });
    let strength = if seed.is_multiple_of(2) { Strength::Shrewd } else { Strength::Random };
    let mut players = [
        Player::sit(&mut driver, "joe", "g", (Team::MrX, 3), (strength, seed)),
        Player::sit(&mut driver, "dan dee", "g", (Team::Detectives, 3), (strength, !seed)),
        Player::sit(&mut driver, "eve", "g", (Team::Detectives, 3), (strength, seed ^ 77)),
    ];
    players.iter_mut().for_each(|player| player.mind.heard = Some(Vec::new()));
    let mut told = Vec::new();
    let mut watcher = None;
    for step in 0..2_000 {
        players.iter_mut().for_each(|player| _ = player.step(&mut driver));
        if step == 20 {
            let client = driver.connect().expect("a link is free");
            driver.send(client, b"protocol 2.1\r\nlogin wil pw\r\nwatch g\r\nlistplayers\r\n");
            watcher = Some(client);
        }
        if step == 15 || step == 30 {
            let player = &mut players[usize::from(step == 30)];
            let lines = player.mind.heard.replace(Vec::new()).unwrap_or_default();
            told.push(Told { user: player.mind.name.clone(), lines });
            player.come_back(&mut driver);
        }
        if players.iter().all(|player| player.mind.view.winner().is_some()) {
            break;
        }
    }
    let seen = watcher.map(|client| driver.take(client)).unwrap_or_default();
    let seen = String::from_utf8(seen).expect("lines are UTF-8");
    told.push(Told { user: "wil".into(), lines: seen.lines().map(str::to_string).collect() });
    told.extend(players.map(|player| Told { user: player.mind.name, lines: player.mind.heard.unwrap_or_default() }));
    told
}

/// What core's view shows after every few lines and after the last, as a list in JSON.
pub fn known(told: &Told) -> String {
    let mut view = View::new(&told.user);
    let mut all = Vec::new();
    for (n, line) in told.lines.iter().enumerate() {
        let mut room = [0; 2048];
        if let Some(said) = Said::parse(line.as_bytes(), &mut room) {
            view.take(&said);
        }
        if (n + 1) % OFTEN == 0 || n + 1 == told.lines.len() {
            all.push(json(&view));
        }
    }
    format!("[{}]", all.join(","))
}

fn name(name: Option<&str>) -> String {
    name.map_or("null".into(), |name| format!("{name:?}"))
}

fn number(station: Option<Station>) -> String {
    station.map_or("null".into(), |station| station.number().to_string())
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

pub(super) fn json(view: &View) -> String {
    let at = list(Pawn::ALL.into_iter().map(|pawn| number(view.at(pawn))));
    let purses = list(Pawn::ALL.into_iter().map(|pawn| {
        let Purse(purse) = view.purse(pawn);
        format!("{purse:?}")
    }));
    let sight = list(view.sight().stations().iter().map(|station| station.number().to_string()));
    let rides = list(view.rides().map(|ride| format!("[{:?},{}]", ride.ticket.name(), number(ride.seen))));
    let hops = list(view.to_move().into_iter().flat_map(|pawn| {
        let mut hops: Vec<(u8, usize)> = view.hops(pawn).map(|hop| (hop.to.number(), hop.ticket.index())).collect();
        hops.sort_unstable();
        hops.dedup();
        hops.into_iter().map(|(to, ticket)| format!("[{to},{:?}]", Ticket::ALL[ticket].name()))
    }));
    format!(
        "{{\"team\":{},\"pawns\":{},\"at\":{at},\"purses\":{purses},\"turn\":{},\"next\":{},\"winner\":{},\"toMove\":{},\
         \"moves\":{},\"sight\":{sight},\"rides\":{rides},\"hops\":{hops}}}",
        name(view.team().map(Team::name)),
        list(view.pawns().iter().map(|pawn| format!("{:?}", pawn.name()))),
        view.turn(),
        name(view.next().map(Pawn::name)),
        name(view.winner().map(Team::name)),
        name(view.to_move().map(Pawn::name)),
        view.moves(),
    )
}

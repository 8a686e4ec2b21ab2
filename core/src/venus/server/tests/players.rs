//! Bots that speak to the server like any player.

use super::{CONFIG, House};
use crate::game::{End, Player as _, Progress, Seat, Strength};
use crate::server::Framer as _;
use crate::venus::player::Player;
use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;

type Framer = <Player as crate::game::Player>::Framer;

fn seat(name: &str, players: u8) -> Seat<'_> {
    let strength = if name == "bob" { Strength::Plain } else { Strength::Shrewd };
    Seat { name, password: "pw", game: "den", is_guest: name == "gus", players, strength, seed: 7 }
}

/// Brings what the server said to the players and back, until nobody has anything to say.
fn run(house: &mut House, players: &mut BTreeMap<String, (Player, Framer)>) {
    loop {
        let mut said: Vec<(String, Vec<u8>)> = Vec::new();
        for (name, (player, framer)) in players.iter_mut() {
            let mut bytes = core::mem::take(&mut house.clients.get_mut(name).unwrap().unread);
            while !bytes.is_empty() {
                let window = framer.window();
                let n = window.len().min(bytes.len());
                window[..n].copy_from_slice(&bytes[..n]);
                framer.commit(n);
                bytes.drain(..n);
                player.receive(framer, &mut |line| said.push((name.clone(), line.to_vec())));
            }
        }
        if said.is_empty() {
            return;
        }
        said.into_iter().for_each(|(name, line)| house.send(&name, &line));
    }
}

fn come(house: &mut House, players: &mut BTreeMap<String, (Player, Framer)>, name: &str, count: u8) {
    come_to(house, players, &seat(name, count));
}

fn come_to(house: &mut House, players: &mut BTreeMap<String, (Player, Framer)>, seat: &Seat<'_>) {
    let (name, mut player) = (seat.name, Player::new(seat).unwrap());
    house.connect(name);
    player.connect(&mut |_| panic!("the server speaks first"));
    players.insert(name.into(), (player, Framer::default()));
    run(house, players);
}

#[test]
fn bots_sit_down_and_play_to_the_end() {
    let (mut house, mut players) = (House::with(&CONFIG, &[]), BTreeMap::new());
    come(&mut house, &mut players, "ann", 3);
    assert_eq!(players["ann"].0.progress(), Progress::Seated);
    let mut companions = Vec::new();
    players["ann"].0.each_companion(&mut |name| companions.push(String::from(name)));
    assert_eq!(companions, ["ann"]);
    // A shorter game will do.
    house.say("ann", "OPTIONS,1000");
    run(&mut house, &mut players);
    come(&mut house, &mut players, "bob", 3);
    assert!(!house.venus.game("den").unwrap().has_started());
    come(&mut house, &mut players, "gus", 0);
    let game = house.venus.game("den").unwrap();
    let winner = ["ann", "bob", "gus"][game.winner().expect("somebody wins").index()];
    for (name, (player, _)) in &players {
        assert_eq!(player.end(), Some(End::Over { won: name == winner }), "{name}");
    }
}

#[test]
fn a_guest_makes_nothing_and_nobody_is_seated_in_a_game_of_others() {
    let (mut house, mut players) = (House::with_game(&CONFIG, &[]), BTreeMap::new());
    come(&mut house, &mut players, "dan", 0);
    assert_eq!(players["dan"].0.end(), Some(End::Refused));
    let (mut house, mut players) = (House::new(), BTreeMap::new());
    come(&mut house, &mut players, "gus", 0);
    assert_eq!(players["gus"].0.end(), Some(End::Refused));
}

/// Its seat is kept, and it takes its name back from the link that still has it.
#[test]
fn a_bot_comes_back_to_its_seat() {
    let mut house = House::with_game(&CONFIG, &[]);
    let mut players = BTreeMap::new();
    let mover = ["ann", "bob"][house.venus.game("den").unwrap().current().index()];
    let before = house.venus.game("den").cloned();
    let old = house.clients.remove(mover).unwrap();
    come(&mut house, &mut players, mover, 2);
    assert_eq!(players[mover].0.progress(), Progress::Seated);
    assert_ne!(house.venus.game("den").cloned(), before, "it plays");
    assert!(house.venus.out.link(old.link.slot) != Some(old.link) || house.venus.out.is_doomed(old.link.slot));
}

/// Whoever called it is not read until it sits or goes: a bot that finds no seat must say so, not look on.
#[test]
fn a_guest_without_a_seat_goes() {
    // Another guest had the last one.
    let (mut full, mut players) = (House::new(), BTreeMap::new());
    full.gather(&["a", "b", "c", "d", "e", "f"]);
    for name in ["a", "b", "c", "d", "e", "f"] {
        full.say(name, "JOIN");
    }
    come(&mut full, &mut players, "gus", 0);
    assert_eq!(players["gus"].0.end(), Some(End::Refused), "the table is full");
    // On a board nobody has two games to finish (venus 3.6).
    let (mut busy, mut players) = (House::with_game(&CONFIG, &[]), BTreeMap::new());
    for line in ["NEWROOM,attic", "CHANGEROOM,attic", "NEWGAME,MerchantOfVenus"] {
        busy.say("cat", line);
    }
    come_to(&mut busy, &mut players, &Seat { game: "attic", is_guest: true, ..seat("bob", 0) });
    assert_eq!(players["bob"].0.end(), Some(End::Refused), "its seat is elsewhere");
    assert_eq!(busy.venus.game("attic").unwrap().seat_count(), 0);
}

//! Tables of a lobby, with real frames.

use std::boxed::Box;
use std::collections::HashSet;
use std::string::{String, ToString};
use std::vec::Vec;

use super::Config;
use crate::id_space::IdSpace;
use crate::lobby::{Lobbied as _, Lobby, Standing, Terms};
use crate::pimp::limits::LobbyTable;
use crate::pimp::wire::{Framer, Message, Name};
use crate::server::{Framer as _, Intake, Link, Millis, Server as _};

const SEED: [u8; 32] = [3; 32];
const NOW: Millis = Millis(5_000);
const FRESH: Standing = Standing {
    seats: 8,
    links: 16,
    is_empty: true,
    coming: 0,
    turn: 0,
    has_refused: false,
    is_over: false,
    secrets: 0,
};

/// How it stands, whatever it has drawn.
fn standing(table: &LobbyTable) -> Standing {
    Standing { secrets: 0, ..table.standing() }
}

fn lobby(tables: u16) -> Lobby<8> {
    let mut lobby = Lobby::new();
    lobby.begin(&SEED, &Terms { tables, ..Terms::DEFAULT });
    lobby
}

/// The first so many tables are there.
fn adopt(lobby: &mut Lobby<8>, tables: u16) {
    (1..=tables).for_each(|number| assert!(lobby.adopt(IdSpace { number, far: 0 })));
}

fn home(lobby: &Lobby<8>, framer: &Framer) -> Option<u16> {
    LobbyTable::secret(framer).and_then(|(_, secret)| lobby.home(secret, |_| true))
}

/// A link at a table, with its client's framer.
struct Client {
    link: Link,
    framer: Framer,
}

fn table(space: u16) -> Box<LobbyTable> {
    let mut table = Box::new(LobbyTable::new());
    let config = Config { rate: 0, ..Config::DEFAULT };
    table.begin_in(&SEED, IdSpace { number: space, far: 0 }, &config, NOW);
    table
}

fn fill(framer: &mut Framer, messages: &[Message<'_>]) {
    for message in messages {
        let n = message.encode(framer.window()).unwrap();
        framer.commit(n);
    }
}

fn come(table: &mut LobbyTable, messages: &[Message<'_>]) -> (Client, Intake) {
    let mut client = Client { link: table.open(NOW).unwrap(), framer: Framer::new() };
    fill(&mut client.framer, messages);
    let intake = table.receive(client.link, &mut client.framer, NOW);
    (client, intake)
}

/// What a link hears, and the password in it.
fn heard(table: &mut LobbyTable, link: Link) -> (Vec<String>, u32) {
    table.lag_all(NOW);
    table.release(table.produced());
    let (mut out, mut said, mut secret) = ([0; 2048], Vec::new(), 0);
    let n = table.pull(link, &mut out);
    let mut rest = &out[..n];
    while let [code, length, tail @ ..] = rest {
        let (payload, next) = tail.split_at(usize::from(*length));
        let message = Message::from_server(*code, payload).unwrap();
        if let Message::WelcomeDetails { password, .. } = message {
            secret = password;
        }
        said.push(message.to_string());
        rest = next;
    }
    (said, secret)
}

const HELLO: Message<'static> = Message::Handshake { version: 1 };

fn join(name: &'static str) -> Message<'static> {
    Message::Join { piece: 0, play: true, name: Name::new(name.as_bytes()).unwrap() }
}

#[test]
fn a_rejoin_goes_home_and_hears_its_game_first() {
    let mut lobby = lobby(8);
    adopt(&mut lobby, 2);
    let (mut one, mut two) = (table(1), table(2));
    let (ann, _) = come(&mut one, &[HELLO, join("ann")]);
    let (_, password) = heard(&mut one, ann.link);
    one.close(ann.link, NOW);
    // Both in one write, at the table that fills now: nothing is answered there but the handshake.
    let (mut back, intake) = come(&mut two, &[HELLO, Message::Rejoin { player: 1, password }]);
    assert_eq!(intake, Intake::Elsewhere);
    assert_eq!(back.framer.taken(), [0x00, 1, 1]);
    assert!(two.owes(back.link));
    assert_eq!(heard(&mut two, back.link).0, [std::format!("HANDSHAKE_ACKNOWLEDGE game={}", two.number())]);
    assert!(!two.owes(back.link));
    assert_eq!(home(&lobby, &back.framer), Some(1));
    assert!(one.claims(&back.framer) && !two.claims(&back.framer));
    two.close(back.link, NOW);
    back.link = one.open(NOW).unwrap();
    assert_eq!(one.receive(back.link, &mut LobbyTable::greeting(), NOW), Intake::Hungry);
    assert_eq!(one.judge(back.link, &mut back.framer, true, NOW), Intake::Hungry);
    let (said, _) = heard(&mut one, back.link);
    assert_eq!(said[0], std::format!("HANDSHAKE_ACKNOWLEDGE game={}", one.number()));
    assert_eq!(said[1], "WELCOME_BACK player=1 piece=1 name=\"ann\" playing=true");
}

#[test]
fn a_wrong_guess_is_one_answer_and_costs_a_second() {
    let lobby = lobby(8);
    let mut one = table(1);
    let wrong = Message::Rejoin { player: 1, password: 77 };
    let (mut eve, intake) = come(&mut one, &[HELLO, wrong, wrong]);
    assert_eq!(intake, Intake::Elsewhere);
    assert_eq!(one.receive(eve.link, &mut eve.framer, NOW), Intake::Elsewhere, "until it is judged");
    assert_eq!(home(&lobby, &eve.framer), None, "no table is taken");
    // The second waits for the pause that follows the first.
    assert_eq!(one.judge(eve.link, &mut eve.framer, false, NOW), Intake::Stalled);
    assert_eq!(eve.framer.taken().len(), 7);
    assert_eq!(heard(&mut one, eve.link).0[1..], ["ERROR_WRONG_PASSWORD"]);
    assert_eq!(one.receive(eve.link, &mut eve.framer, NOW.plus(1_000)), Intake::Elsewhere);
    // To be told that it is known does not make it right.
    assert_eq!(one.judge(eve.link, &mut eve.framer, true, NOW.plus(1_000)), Intake::Hungry);
    assert_eq!(heard(&mut one, eve.link).0, ["ERROR_WRONG_PASSWORD"]);
}

/// What an adapter says of a link counts for one call, and for new seats alone.
#[test]
fn whoever_is_confined_gets_no_seat_and_finds_back_to_its_own() {
    let mut one = table(1);
    let (ann, _) = come(&mut one, &[HELLO, join("ann")]);
    let (_, password) = heard(&mut one, ann.link);
    one.close(ann.link, NOW);
    one.confine();
    let (mut eve, _) = come(&mut one, &[HELLO, join("eve")]);
    assert_eq!(heard(&mut one, eve.link).0[1..], ["ERROR_TOO_MANY_USERS"]);
    one.confine();
    let (mut back, _) = come(&mut one, &[HELLO, Message::Rejoin { player: 1, password }]);
    one.confine();
    one.judge(back.link, &mut back.framer, true, NOW);
    assert_eq!(heard(&mut one, back.link).0[1], "WELCOME_BACK player=1 piece=1 name=\"ann\" playing=true");
    fill(&mut eve.framer, &[join("eve")]);
    one.receive(eve.link, &mut eve.framer, NOW);
    assert!(heard(&mut one, eve.link).0[0].starts_with("WELCOME_DETAILS player=2"));
}

#[test]
fn a_game_that_is_broken_off_sends_everybody_away() {
    let mut one = table(1);
    let number = one.number();
    let (ann, _) = come(&mut one, &[HELLO, join("ann")]);
    let (bob, _) = come(&mut one, &[HELLO, join("bob")]);
    assert!(!one.end_game("evening", NOW) && one.number() == number);
    assert!(one.end_game("", NOW));
    for link in [ann.link, bob.link] {
        heard(&mut one, link);
        assert!(one.closing(link));
        one.close(link, NOW);
    }
    assert!(one.number() != number && one.standing().is_empty);
}

#[test]
fn a_table_of_no_lobby_leaves_secrets_to_an_adapter_that_asks_for_them() {
    let mut one = Box::new(LobbyTable::new());
    one.begin(&SEED, &Config { rate: 0, ..Config::DEFAULT }, NOW);
    let (ann, _) = come(&mut one, &[HELLO, join("ann")]);
    let (_, password) = heard(&mut one, ann.link);
    let back = [HELLO, Message::Rejoin { player: 1, password }];
    one.leave_secrets(true);
    let (mut eve, intake) = come(&mut one, &back);
    assert_eq!((intake, LobbyTable::secret(&eve.framer)), (Intake::Elsewhere, Some((1, password))));
    assert!(one.claims(&eve.framer));
    // Not judged, it waits, and is told nothing.
    assert_eq!(one.receive(eve.link, &mut eve.framer, NOW), Intake::Elsewhere);
    assert_eq!(heard(&mut one, eve.link).0.len(), 1);
    assert_eq!(one.judge(eve.link, &mut eve.framer, true, NOW), Intake::Hungry);
    assert_eq!(heard(&mut one, eve.link).0[0], "WELCOME_BACK player=1 piece=1 name=\"ann\" playing=true");
    one.leave_secrets(false);
    assert_eq!(come(&mut one, &back).1, Intake::Hungry);
}

#[test]
fn what_is_no_legal_rejoin_is_the_tables_own() {
    let mut one = table(1);
    // Before the handshake, and too short.
    let (mut eve, intake) = come(&mut one, &[Message::Rejoin { player: 1, password: 77 }]);
    assert_eq!(intake, Intake::Hungry);
    fill(&mut eve.framer, &[HELLO]);
    eve.framer.window()[..3].copy_from_slice(&[0x0A, 1, 1]);
    eve.framer.commit(3);
    assert_eq!(one.receive(eve.link, &mut eve.framer, NOW), Intake::Hungry);
    let (said, _) = heard(&mut one, eve.link);
    assert_eq!((said[0].as_str(), said[2].as_str()), ("ERROR_UNEXPECTED_MESSAGE code=10", "ERROR_UNPARSEABLE"));
    assert_eq!(home(&lobby(8), &eve.framer), None);
}

#[test]
fn nonsense_and_false_verdicts_are_survived() {
    let mut random = crate::dice::Dice::new();
    random.begin(&[9; 32]);
    let mut one = table(1);
    let mut clients: Vec<Client> = (0..4).map(|_| come(&mut one, &[HELLO]).0).collect();
    for step in 0..20_000u64 {
        let now = NOW.plus(step * 40);
        let mut word = |below| random.below(crate::dice::Stream::Dice, below);
        let client = &mut clients[word(4) as usize];
        let (code, length) = ([0x00, 0x02, 0x0A, 0x0A, 0x11, 0x21, 0xFF][word(7) as usize], word(9) as u8);
        let frame: Vec<u8> = [code, length].into_iter().chain((0..length).map(|_| word(3) as u8)).collect();
        let room = client.framer.window();
        let n = frame.len().min(room.len());
        room[..n].copy_from_slice(&frame[..n]);
        client.framer.commit(n);
        let mut intake = one.receive(client.link, &mut client.framer, now);
        while intake == Intake::Elsewhere {
            intake = one.judge(client.link, &mut client.framer, word(2) == 1, now);
        }
        heard(&mut one, client.link);
        if one.closing(client.link) || word(50) == 0 {
            one.close(client.link, now);
            *client = Client { link: one.open(now).unwrap(), framer: Framer::new() };
        }
        one.tick(now);
        assert_eq!(one.game().audit(), Ok(()));
    }
}

#[test]
fn a_table_tells_how_it_stands() {
    let mut one = table(1);
    assert_eq!(standing(&one), FRESH);
    let (ann, _) = come(&mut one, &[HELLO]);
    assert_eq!(standing(&one), Standing { coming: 1, links: 15, is_empty: false, ..FRESH });
    let mut framer = Framer::new();
    fill(&mut framer, &[join("ann")]);
    one.receive(ann.link, &mut framer, NOW);
    let seated = Standing { seats: 7, links: 15, is_empty: false, ..FRESH };
    assert_eq!(standing(&one), seated);
    one.close(ann.link, NOW);
    // No player has thrown: ann may come back for ten seconds; then the table is empty.
    assert_eq!(standing(&one), Standing { links: 16, ..seated });
    one.tick(NOW.plus(10_000));
    assert_eq!(standing(&one), FRESH);
    assert_eq!(one.deadline(), None, "an empty table needs no timer");
}

/// Says something at a link.
fn say(table: &mut LobbyTable, client: &mut Client, message: Message<'_>, now: Millis) {
    fill(&mut client.framer, &[message]);
    table.receive(client.link, &mut client.framer, now);
}

/// The client whose turn it is throws, and buys where it lands.
fn play<const N: usize>(table: &mut LobbyTable, clients: [&mut Client; N], now: Millis) {
    for client in clients {
        for message in
            [Message::ThrowDice {}, Message::BuyProperty {}, Message::TaxPayFlatFee {}, Message::JailRollDice {}]
        {
            say(table, client, message, now);
            heard(table, client.link);
        }
    }
}

#[test]
fn nobody_is_asked_before_the_first_throw_and_not_for_long_after_it() {
    let mut one = table(1);
    // The first at a table has no say, an observer least of all.
    let eve = Message::Join { piece: 0, play: false, name: Name::new(b"eve").unwrap() };
    let (mut eve, _) = come(&mut one, &[HELLO, eve]);
    let (mut ann, _) = come(&mut one, &[HELLO, join("ann")]);
    say(&mut one, &mut eve, Message::RefuseJoin { candidate: 1 }, NOW);
    assert!(heard(&mut one, ann.link).0[1].starts_with("WELCOME_DETAILS player=2 "));
    let (mut bob, _) = come(&mut one, &[HELLO, join("bob")]);
    for client in [&mut ann, &mut bob] {
        say(&mut one, client, Message::ThrowDice {}, NOW);
    }
    let thrown = one.standing();
    assert_eq!((thrown.seats, thrown.has_refused), (6, false));
    // From here on the players are asked. None answers: five seconds later the newcomer is in all the same.
    let (dan, _) = come(&mut one, &[HELLO, join("dan")]);
    assert_eq!(heard(&mut one, dan.link).0[1..], ["JOIN_PENDING"]);
    assert_eq!(one.standing().coming, 1);
    one.tick(NOW.plus(4_999));
    assert_eq!(one.standing().coming, 1);
    one.tick(NOW.plus(5_000));
    assert_eq!((one.standing().coming, one.standing().seats), (0, 5));
    // And players may say no.
    let later = NOW.plus(20_000);
    come(&mut one, &[HELLO, join("fay")]);
    one.tick(later);
    for client in [&mut ann, &mut bob] {
        say(&mut one, client, Message::RefuseJoin { candidate: 2 }, later);
    }
    assert!(one.standing().has_refused);
}

#[test]
fn who_leaves_a_lobby_keeps_nobody_waiting_for_long() {
    let mut one = table(1);
    let (eve, _) = come(&mut one, &[HELLO, join("eve")]);
    one.close(eve.link, NOW);
    let (mut ann, _) = come(&mut one, &[HELLO, join("ann")]);
    let (mut bob, _) = come(&mut one, &[HELLO, join("bob")]);
    let (fay, _) = come(&mut one, &[HELLO, join("fay")]);
    // The first player throws; sooner or later it is the turn of eve, who is gone.
    let mut now = NOW.plus(10);
    one.close(fay.link, now);
    (0..20).for_each(|_| play(&mut one, [&mut ann, &mut bob], now));
    assert_eq!(one.game().players.len(), 4, "a page may be loaded anew");
    assert!(one.deadline().is_some_and(|due| due <= NOW.plus(15_000)));
    one.tick(NOW.plus(15_000));
    assert_eq!(one.game().players.len(), 3, "eve's seat is free");
    now = NOW.plus(15_010);
    one.tick(now);
    assert_eq!(one.game().players.len(), 2);
    assert!(one.deadline().is_none_or(|due| due > now), "what is due has been done");
    let (said, _) = heard(&mut one, ann.link);
    assert!(said.contains(&"PLAYER_BECAME_OBSERVER_KICKED player=1".to_string()), "{said:?}");
    // A player with deeds is waited for as long as a minute, and only while the game waits.
    let owns = |one: &LobbyTable, id| one.game().deeds_of(id).next().is_some();
    for _ in 0..400 {
        now = now.plus(100);
        one.tick(now);
        if !(owns(&one, 2) && owns(&one, 3)) {
            play(&mut one, [&mut ann, &mut bob], now);
        }
    }
    assert!(owns(&one, 2) && owns(&one, 3));
    one.close(bob.link, now);
    for _ in 0..59 {
        now = now.plus(1_000);
        one.tick(now);
        (0..4).for_each(|_| play(&mut one, [&mut ann], now));
    }
    assert!(one.game().awaits(3) && one.game().players.len() == 2);
    one.tick(now.plus(1_000));
    assert_eq!(one.game().players.len(), 1);
}

/// Whoever owns something may come back until the game waits.
#[test]
fn who_has_left_and_owns_something_is_not_missed_before_its_turn() {
    let mut one = table(1);
    let (mut ann, _) = come(&mut one, &[HELLO, join("ann")]);
    let (mut bob, _) = come(&mut one, &[HELLO, join("bob")]);
    let owns = |one: &LobbyTable, id| one.game().deeds_of(id).next().is_some();
    let mut now = NOW;
    while !(owns(&one, 1) && owns(&one, 2)) {
        now = now.plus(100);
        one.tick(now);
        play(&mut one, [&mut ann, &mut bob], now);
    }
    let leaver = if one.game().awaits(1) { bob.link } else { ann.link };
    one.close(leaver, now);
    one.tick(now.plus(300_000));
    assert_eq!(one.game().players.len(), 2);
}

#[test]
fn a_table_of_no_lobby_keeps_the_seats_of_those_who_left() {
    let mut one = Box::new(LobbyTable::new());
    one.begin(&SEED, &Config { rate: 0, ..Config::DEFAULT }, NOW);
    let (mut ann, _) = come(&mut one, &[HELLO, join("ann")]);
    let (bob, _) = come(&mut one, &[HELLO, join("bob")]);
    assert_eq!(heard(&mut one, bob.link).0[1..], ["JOIN_PENDING"]);
    say(&mut one, &mut ann, Message::AcceptJoin { candidate: 1 }, NOW);
    one.close(bob.link, NOW);
    one.tick(NOW.plus(60_000));
    assert_eq!(one.game().players.len(), 2);
}

#[test]
fn no_two_users_of_a_lobby_have_one_password() {
    let (mut passwords, mut games, mut lobby) = (HashSet::new(), HashSet::new(), lobby(8));
    adopt(&mut lobby, 3);
    for space in 1..=3 {
        let mut table = table(space);
        for _ in 0..200 {
            let (ann, _) = come(&mut table, &[HELLO, join("ann")]);
            let (_, password) = heard(&mut table, ann.link);
            assert!(password != 0 && password < 1 << 31 && table.number() < 1 << 31);
            assert!(passwords.insert(password) && games.insert(table.number()));
            let mut framer = Framer::new();
            fill(&mut framer, &[Message::Rejoin { player: 1, password }]);
            assert_eq!(home(&lobby, &framer), Some(space));
            table.close(ann.link, NOW);
            // Deserted: the next game.
            table.tick(NOW.plus(10_000));
        }
    }
}

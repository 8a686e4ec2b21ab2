//! The mirror check itself: a dump in the middle leads to the same view, and a network that lies is found out.

use parlor_tests::pimp::sim::client::{Fault, Player};
use parlor_tests::pimp::sim::tamper::Tamper;
use parlor_tests::pimp::sim::told::Told;
use parlor_tests::pimp::sim::{Checking, Game, LINKS, Options, RING, USERS};
use parlor_tests::rng::Rng;

/// Moments at which somebody comes in anew.
const CUTS: u32 = 10_000;

#[test]
fn a_dump_and_what_follows_is_as_good_as_having_seen_everything() {
    let mut rng = Rng::new(14);
    let mut cuts = 0;
    for seed in 0.. {
        if cuts >= CUTS {
            break;
        }
        let options = Options { checking: Checking::Off, ..Options::chaotic(1_000_000 + seed) };
        let mut game = Game::<USERS, LINKS, RING>::new(&options);
        loop {
            match game.round() {
                Ok(None) => {}
                Ok(Some(_)) => break,
                Err(fault) => panic!("{fault}\nrepeat it with {options:?}"),
            }
            // Both views are looked at between rounds, when everything said was heard.
            game.world.deliver();
            let at = rng.below(game.world.clients.len() as u64) as usize;
            if game.world.clients[at].shadow.is_none() {
                let shadow = game.check.newcomer(&game.world, at);
                game.world.clients[at].shadow = shadow;
            } else if rng.one_in(16) && game.world.clients[at].is_up_to_date() {
                let client = &mut game.world.clients[at];
                let shadow = client.shadow.take().unwrap();
                let (mut late, mut seen) = (Told::default(), Told::default());
                late.of(&shadow.known());
                seen.of(&client.view.known());
                seen.forget_ghosts(&late);
                assert_eq!(seen.difference(&late), None, "user {}, {options:?}", client.view.me());
                cuts += 1;
            }
        }
    }
    println!("{cuts} cut points");
}

/// How many rounds a fault stays unnoticed; `None` if it is never noticed.
fn unnoticed(fault: Fault, seed: u64) -> Option<u64> {
    let options = Options { checking: Checking::Everything, ..Options::calm(seed, 4, Player::Shrewd) };
    let mut game = Game::<USERS, LINKS, RING>::new(&options);
    game.world.tamper = Some(Tamper::new(1, fault, if fault == Fault::Reordered { 3 } else { 20 }));
    let mut rounds = 0;
    loop {
        let end = game.round();
        let done = game.world.tamper.as_ref().is_some_and(|tamper| tamper.done);
        match end {
            Err(words) if done && words.contains("client 1 (user 2) sees another table") => return Some(rounds),
            Err(words) => panic!("{words}\nrepeat it with {options:?}"),
            Ok(Some(_)) => return None,
            Ok(None) => rounds += u64::from(done),
        }
    }
}

#[test]
fn five_faults_are_noticed_at_once() {
    use Fault::{AlteredAmount, DoubledDelta, DroppedDelta, Reordered, WrongRecipient};
    for fault in [DroppedDelta, DoubledDelta, WrongRecipient, AlteredAmount, Reordered] {
        for seed in 0..5 {
            let rounds = unnoticed(fault, seed).unwrap_or_else(|| panic!("{fault:?} with seed {seed} was not noticed"));
            println!("{fault:?}, seed {seed}: noticed after {rounds} more rounds");
        }
    }
}

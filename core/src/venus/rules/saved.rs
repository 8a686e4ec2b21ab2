//! A game through its saved form: the same in every state, and nothing that bytes can say makes a game that is none.

use std::vec::Vec;

use super::testing::{begin, game_of, likely_action};
use super::*;
use crate::venus::board::Chart;
use crate::venus::pieces::Phase;

fn bytes(game: &Game) -> Vec<u8> {
    let mut room = [0; 1024];
    postcard::to_slice(game, &mut room).unwrap().to_vec()
}

#[test]
fn a_game_is_saved_and_loaded_in_every_state() {
    let mut quiet = |_: Audience, _: Event<'_>| ();
    let (mut seen, mut longest) = (Vec::new(), 0);
    for seed in 0..12 {
        let (mut dice, mut chance) = (begin(seed), begin(seed + 50));
        let chart = if seed % 2 == 0 { Chart::Galaxy } else { Chart::Pocket };
        let mut game = game_of(2 + (seed % 5) as u8, chart, false, &mut dice, &mut quiet);
        for _ in 0..400 {
            let saved = bytes(&game);
            longest = longest.max(saved.len());
            let loaded: Game = postcard::from_bytes(&saved).unwrap();
            assert_eq!((&loaded, loaded.audit()), (&game, Ok(())));
            if !seen.contains(&game.phase()) {
                seen.push(game.phase());
            }
            let action = likely_action(&game, &mut chance);
            let _ = game.apply(Some(game.current()), action, &mut dice, &mut quiet);
        }
    }
    std::println!("{seen:?}, at most {longest} bytes");
    assert!(longest < 640);
    for phase in
        [Phase::TechSelect, Phase::SelectMove, Phase::SelectPilotNumber, Phase::TradePhase, Phase::AsteroidPhase]
    {
        assert!(seen.contains(&phase), "{phase:?}");
    }
}

#[test]
fn changed_bytes_are_refused_or_played_without_harm() {
    let mut quiet = |_: Audience, _: Event<'_>| ();
    let (mut dice, mut chance) = (begin(2), begin(3));
    let mut game = game_of(4, Chart::Galaxy, false, &mut dice, &mut quiet);
    let (mut passed, mut refused) = (0, 0);
    for round in 0..120 {
        let action = likely_action(&game, &mut chance);
        let _ = game.apply(Some(game.current()), action, &mut dice, &mut quiet);
        let saved = bytes(&game);
        for nth in (round % 7..saved.len()).step_by(7) {
            let mut changed = saved.clone();
            changed[nth] ^= 1 << (round % 8);
            let Ok(mut other) = postcard::from_bytes::<Game>(&changed) else { continue };
            if other.audit().is_err() {
                refused += 1;
                continue;
            }
            passed += 1;
            for _ in 0..5 {
                let action = likely_action(&other, &mut chance);
                let _ = other.apply(Some(other.current()), action, &mut dice.clone(), &mut quiet);
            }
        }
    }
    std::println!("{refused} refused, {passed} passed");
    assert!(refused > passed / 4);
}

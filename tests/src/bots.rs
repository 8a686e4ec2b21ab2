//! A whole game of bots with any backend: each has a connection, a view and a bot that sees nothing else.

use std::time::{Duration, Instant};

use parlor_core::pimp::bot::session::Session;
use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::view::{Prompt, View};
use parlor_core::pimp::wire::{FRAME_MAX, HEADER, Message, Name};

use crate::peer::{Backend, Talk};

/// Nothing was said by anybody for this long: what a bot said may have been lost.
const SILENCE: Duration = Duration::from_millis(500);

struct Player {
    talk: Talk,
    session: Session,
    view: View<8>,
    bot: Bot,
}

/// How a game went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    pub turns: u32,
    pub said: u32,
    pub heard: u32,
    pub rejoined: u32,
    /// Nobody, if the turns ran out.
    pub winner: Option<u8>,
}

/// Plays until somebody has won or `turns` have begun. Every `cut` turns the connection of one of them is lost, who comes
/// back at once.
pub fn play(backend: &mut dyn Backend, bots: u8, turns: u32, cut: u32, patience: Duration) -> Result<Played, String> {
    let mut players: Vec<Player> = (0..bots).map(|number| Player::sit(backend, number)).collect();
    let mut played = Played { turns: 0, said: 0, heard: 0, rejoined: 0, winner: None };
    let (end, mut stirred) = (Instant::now() + patience, Instant::now());
    let (mut current, mut cut_at) = (0, cut);
    while played.winner.is_none() && played.turns < turns {
        if Instant::now() > end {
            return Err(format!("the game did not end in time: {played:?}"));
        }
        for player in &mut players {
            let (heard, said) = player.step();
            played.heard += heard;
            played.said += said;
            if heard + said > 0 {
                stirred = Instant::now();
            }
        }
        if stirred.elapsed() > SILENCE {
            stirred = Instant::now();
            players.iter_mut().for_each(|player| player.bot.nudge());
        }
        let Some(first) = players.iter().find(|player| !player.view.is_dumping()) else { continue };
        if let Prompt::Over { winner } = first.view.prompt() {
            played.winner = Some(winner);
        }
        if first.view.turn() != current {
            current = first.view.turn();
            played.turns += 1;
        }
        if played.turns >= cut_at {
            cut_at += cut;
            let unlucky = played.turns as usize % players.len();
            players[unlucky].come_back(backend);
            played.rejoined += 1;
        }
    }
    backend.settle();
    agree(&mut players)?;
    Ok(played)
}

/// Everybody knows the same of what everybody knows.
fn agree(players: &mut [Player]) -> Result<(), String> {
    for player in players.iter_mut() {
        player.hear();
    }
    let seen: Vec<_> = players.iter().map(|player| player.view.known()).collect();
    let agreed = seen.windows(2).all(|two| {
        let [one, other] = two else { return true };
        (one.users, one.deeds, one.cards, one.pot, one.prompt)
            == (other.users, other.deeds, other.cards, other.pot, other.prompt)
    });
    if agreed { Ok(()) } else { Err(format!("the players do not agree on the game: {seen:#?}")) }
}

impl Player {
    fn sit(backend: &mut dyn Backend, number: u8) -> Self {
        let strength = if number.is_multiple_of(2) { Strength::Shrewd } else { Strength::Plain };
        let name = [b'b', b'o', b't', b'0' + number];
        let mut player = Self {
            talk: Talk::new(backend),
            session: Session::new(Name::new(&name).unwrap_or_default(), number, true),
            view: View::new(),
            bot: Bot::new(strength, u32::from(number)),
        };
        let hello = player.session.connect();
        say(&mut player.talk, &hello);
        player
    }

    fn come_back(&mut self, backend: &mut dyn Backend) {
        self.talk.hang_up();
        self.talk = Talk::new(backend);
        let hello = self.session.connect();
        say(&mut self.talk, &hello);
    }

    /// Hears all that has come, and answers what no bot is asked; how many messages each.
    fn hear(&mut self) -> (u32, u32) {
        let (mut heard, mut said) = (0, 0);
        while let Some(frame) = self.talk.try_frame(Duration::ZERO) {
            heard += 1;
            let Ok(message) = Message::from_server(frame[0], &frame[HEADER..]) else {
                panic!("no client can read {frame:02x?}");
            };
            self.view.take(&message);
            if let Some(answer) = self.session.take(&message) {
                say(&mut self.talk, &answer);
                said += 1;
            }
        }
        (heard, said)
    }

    /// Hears, then says one thing more at most.
    fn step(&mut self) -> (u32, u32) {
        let (heard, said) = self.hear();
        let talk = &mut self.talk;
        let more = self.bot.next(&self.view, &mut |message| say(talk, &message));
        (heard, said + u32::from(more))
    }
}

fn say(talk: &mut Talk, message: &Message<'_>) {
    let mut frame = [0; FRAME_MAX];
    let length = message.encode(&mut frame).unwrap_or_default();
    talk.send(&frame[..length]);
}

#[cfg(test)]
mod tests {
    use parlor_core::limits::BoardTable;
    use parlor_core::pimp::server::Config;
    use parlor_core::server::Millis;

    use super::*;
    use crate::peer::InMemory;

    #[test]
    fn four_bots_play_with_the_core() {
        let mut memory = InMemory::new(BoardTable::new());
        let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        memory.0.borrow_mut().server.begin(&[42; 32], &config, Millis(1_000));
        let played = play(&mut memory, 4, 60, 20, Duration::from_secs(20)).unwrap();
        assert!(played.turns >= 60 || played.winner.is_some(), "{played:?}");
        assert!(played.rejoined >= 2, "{played:?}");
    }
}

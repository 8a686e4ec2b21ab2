//! A whole game of bots with any backend: each has a connection, a view and a bot that sees nothing else.

use std::ops::Range;
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
    let mut night = Night::begin(backend, bots, patience);
    let mut cut_at = cut;
    while night.goes_on(turns)? {
        night.round();
        if night.played.turns >= cut_at {
            cut_at += cut;
            let unlucky = night.played.turns as usize % night.players.len();
            night.come_back(backend, unlucky..unlucky + 1);
        }
    }
    night.end(backend)
}

/// The same, with a server that goes out after `half` of the turns: everybody rests for `rest`, in which it has time to
/// save the game; `outage` then brings it back, elsewhere perhaps; and the game must be the one that it was.
pub fn play_through_outage(
    mut backend: Box<dyn Backend>,
    bots: u8,
    (half, turns): (u32, u32),
    (rest, patience): (Duration, Duration),
    outage: impl FnOnce() -> Result<Box<dyn Backend>, String>,
) -> Result<Played, String> {
    let mut night = Night::begin(&mut *backend, bots, patience);
    while night.goes_on(half)? {
        night.round();
    }
    let resting = Instant::now();
    while resting.elapsed() < rest {
        night.players.iter_mut().for_each(|player| _ = player.hear());
        backend.settle();
    }
    let before = night.state();
    backend = outage()?;
    night.come_back(&mut *backend, 0..usize::from(bots));
    while night.players.iter().any(|player| player.view.is_dumping() || player.view.game() == 0) {
        night.goes_on(u32::MAX)?;
        night.players.iter_mut().for_each(|player| _ = player.hear());
    }
    backend.settle();
    night.players.iter_mut().for_each(|player| _ = player.hear());
    if night.state() != before {
        return Err(format!("another game came back: {}\nbefore: {before}", night.state()));
    }
    while night.goes_on(turns)? {
        night.round();
    }
    night.end(&mut *backend)
}

/// Everybody at the table, and how far they have come.
struct Night {
    players: Vec<Player>,
    played: Played,
    turn: u8,
    end: Instant,
    stirred: Instant,
}

impl Night {
    fn begin(backend: &mut dyn Backend, bots: u8, patience: Duration) -> Self {
        Self {
            players: (0..bots).map(|number| Player::sit(backend, number)).collect(),
            played: Played { turns: 0, said: 0, heard: 0, rejoined: 0, winner: None },
            turn: 0,
            end: Instant::now() + patience,
            stirred: Instant::now(),
        }
    }

    fn goes_on(&self, turns: u32) -> Result<bool, String> {
        if Instant::now() > self.end {
            return Err(format!("the game did not end in time: {:?}", self.played));
        }
        Ok(self.played.winner.is_none() && self.played.turns < turns)
    }

    /// Everybody hears, and says one thing at most.
    fn round(&mut self) {
        for player in &mut self.players {
            let (heard, said) = player.step();
            self.played.heard += heard;
            self.played.said += said;
            if heard + said > 0 {
                self.stirred = Instant::now();
            }
        }
        if self.stirred.elapsed() > SILENCE {
            self.stirred = Instant::now();
            self.players.iter_mut().for_each(|player| player.bot.nudge());
        }
        let Some(first) = self.players.iter().find(|player| !player.view.is_dumping()) else { return };
        if let Prompt::Over { winner } = first.view.prompt() {
            self.played.winner = Some(winner);
        }
        if first.view.turn() != self.turn {
            self.turn = first.view.turn();
            self.played.turns += 1;
        }
    }

    fn come_back(&mut self, backend: &mut dyn Backend, who: Range<usize>) {
        for player in self.players.iter_mut().take(who.end).skip(who.start) {
            player.come_back(backend);
            self.played.rejoined += 1;
        }
    }

    /// What every player knows of users, deeds, cards and the pot, in words.
    fn state(&self) -> String {
        let seen = self.players.iter().map(|player| {
            let known = player.view.known();
            let mut users = known.users.to_vec();
            users.sort_by_key(|user| user.id);
            format!("{} {users:?} {:?} {:?} {}", player.view.game(), known.deeds, known.cards, known.pot)
        });
        seen.collect::<Vec<_>>().join("\n")
    }

    fn end(mut self, backend: &mut dyn Backend) -> Result<Played, String> {
        backend.settle();
        agree(&mut self.players)?;
        Ok(self.played)
    }
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

    const SEEDS: u8 = 60;

    #[test]
    fn four_bots_play_with_the_core() {
        let mut memory = InMemory::new(BoardTable::new());
        let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        memory.0.borrow_mut().server.begin(&[42; 32], &config, Millis(1_000));
        let played = play(&mut memory, 4, 60, 20, Duration::from_secs(20)).unwrap();
        assert!(played.turns >= 60 || played.winner.is_some(), "{played:?}");
        assert!(played.rejoined >= 2, "{played:?}");
    }

    /// Whatever the moment at which a server goes out, the game that it has saved can be played on.
    #[test]
    fn a_saved_game_is_played_on() {
        let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        for seed in 0..SEEDS {
            let memory = InMemory::new(BoardTable::new());
            memory.0.borrow_mut().server.begin(&[seed; 32], &config, Millis(1_000));
            let table = memory.0.clone();
            let outage = || {
                let mut game = vec![0; parlor_core::limits::save_max(8)];
                let length = table.borrow().server.save(&mut game).map_err(|error| format!("{error:?}"))?;
                let after = InMemory::new(BoardTable::new());
                after.0.borrow_mut().server.begin(&[0xFF; 32], &config, Millis(1_000));
                let loaded = after.0.borrow_mut().server.load(&game[..length], Millis(1_000));
                loaded.map_err(|error| format!("{error:?}"))?;
                Ok(Box::new(after) as Box<dyn Backend>)
            };
            let turns = (10 + u32::from(seed), 40 + u32::from(seed));
            // Long enough to hear what was said last.
            let times = (Duration::from_millis(5), Duration::from_secs(10));
            let played = play_through_outage(Box::new(memory), 4, turns, times, outage);
            assert!(played.is_ok(), "seed {seed}: {played:?}");
        }
    }
}

//! A whole game of bots with any backend: each has a connection, a view and a bot that sees nothing else.

use std::time::{Duration, Instant};

use parlor_core::pimp::bot::session::{Session, Standing};
use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::view::{Prompt, View};
use parlor_core::pimp::wire::{FRAME_MAX, HEADER, Message, Name};

use crate::peer::{Backend, Peer, Talk};

/// Nothing was said by anybody for this long: what a bot said may have been lost.
const SILENCE: Duration = Duration::from_millis(500);

/// How often those who differ are looked at again: half a minute and more over a network, as the machine of an emulated board may
/// be busy.
const LOOKS: usize = 1000;

/// One who is at the table: a connection, what it knows, and how it comes back to its seat.
pub struct Guest {
    talk: Talk,
    session: Session,
    view: View<8>,
}

struct Player {
    guest: Guest,
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
    let mut party = Party::sit(backend, bots);
    let end = Instant::now() + patience;
    let mut cut_at = cut;
    while party.goes_on(turns) {
        if Instant::now() > end {
            return Err(format!("the game did not end in time: {:?}", party.played));
        }
        party.step();
        if party.played.turns >= cut_at {
            cut_at += cut;
            party.cut_one(backend);
        }
    }
    party.agree(backend)?;
    Ok(party.played)
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
    let mut party = Party::sit(&mut *backend, bots);
    let end = Instant::now() + patience;
    let in_time = |party: &Party| match Instant::now() > end {
        true => Err(format!("the game did not end in time: {:?}", party.played)),
        false => Ok(()),
    };
    while party.goes_on(half) {
        in_time(&party)?;
        party.step();
    }
    let resting = Instant::now();
    while resting.elapsed() < rest {
        party.hear();
        backend.settle();
    }
    let before = party.state();
    backend = outage()?;
    party.come_back(&mut *backend);
    while !party.is_seated() {
        in_time(&party)?;
        party.hear();
    }
    backend.settle();
    party.hear();
    if party.state() != before {
        return Err(format!("another game came back: {}\nbefore: {before}", party.state()));
    }
    while party.goes_on(turns) {
        in_time(&party)?;
        party.step();
    }
    party.agree(&mut *backend)?;
    Ok(party.played)
}

/// Bots at one table, step by step.
pub struct Party {
    players: Vec<Player>,
    stirred: Instant,
    /// The turn that was seen last.
    current: u8,
    pub played: Played,
}

impl Party {
    pub fn sit(backend: &mut dyn Backend, bots: u8) -> Self {
        let players = (0..bots).map(|number| Player::sit(backend, number)).collect();
        let played = Played { turns: 0, said: 0, heard: 0, rejoined: 0, winner: None };
        Self { players, stirred: Instant::now(), current: 0, played }
    }

    /// Everybody hears what has come, and says one thing more at most.
    pub fn step(&mut self) {
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
        let Some(first) = self.players.iter().find(|player| !player.guest.view.is_dumping()) else { return };
        if let Prompt::Over { winner } = first.guest.view.prompt() {
            self.played.winner = Some(winner);
        }
        if first.guest.view.turn() != self.current {
            self.current = first.guest.view.turn();
            self.played.turns += 1;
        }
    }

    fn goes_on(&self, turns: u32) -> bool {
        self.played.winner.is_none() && self.played.turns < turns
    }

    /// Nobody says anything unless asked.
    fn hear(&mut self) {
        self.players.iter_mut().for_each(|player| _ = player.guest.hear());
    }

    fn is_seated(&self) -> bool {
        self.players.iter().all(|player| player.guest.is_seated())
    }

    /// All of them, on new connections.
    fn come_back(&mut self, backend: &mut dyn Backend) {
        for player in &mut self.players {
            player.guest.come_back(backend);
            self.played.rejoined += 1;
        }
    }

    /// What every player knows of users, deeds, cards and the pot, in words.
    fn state(&self) -> String {
        let seen = self.players.iter().map(|Player { guest, .. }| {
            let known = guest.view.known();
            let mut users = known.users.to_vec();
            users.sort_by_key(|user| user.id);
            format!("{} {users:?} {:?} {:?} {}", guest.view.game(), known.deeds, known.cards, known.pot)
        });
        seen.collect::<Vec<_>>().join("\n")
    }

    /// The connection of one of them is lost, who comes back at once.
    pub fn cut_one(&mut self, backend: &mut dyn Backend) {
        let unlucky = self.played.turns as usize % self.players.len();
        self.players[unlucky].guest.come_back(backend);
        self.played.rejoined += 1;
    }

    /// Whoever the server has closed, or never let in, comes again. How many of them had a seat, in a game that is not over.
    pub fn mend(&mut self, backend: &mut dyn Backend) -> usize {
        let mut turned_out = 0;
        for Player { guest, .. } in &mut self.players {
            if guest.talk.peer().is_closed() {
                let has_seat = guest.session.standing() == Standing::Seated;
                turned_out += usize::from(has_seat && !matches!(guest.view.prompt(), Prompt::Over { .. }));
                guest.come_back(backend);
                self.played.rejoined += 1;
            }
        }
        turned_out
    }

    /// Everybody knows the same of what everybody knows.
    pub fn agree(&mut self, backend: &mut dyn Backend) -> Result<(), String> {
        self.agree_with(&mut [], backend)
    }

    /// Those who are not of the party, too. What was said last may still be on its way: only who goes on to differ, differs.
    pub fn agree_with(&mut self, others: &mut [Guest], backend: &mut dyn Backend) -> Result<(), String> {
        let players = self.players.iter_mut().map(|player| &mut player.guest);
        let mut guests: Vec<&mut Guest> = players.chain(others).collect();
        for _ in 0..LOOKS {
            backend.settle();
            guests.iter_mut().for_each(|guest| {
                guest.hear();
            });
            if guests.windows(2).all(|two| two[0].knows_as_much_as(two[1])) {
                return Ok(());
            }
        }
        let seen: Vec<_> = guests.iter().map(|guest| guest.view.known()).collect();
        Err(format!("they do not agree on the game: {seen:?}"))
    }
}

impl Guest {
    /// Asks for a seat: to play, or to look on.
    pub fn come(backend: &mut dyn Backend, name: &str, piece: u8, play: bool) -> Self {
        let session = Session::new(Name::new(name.as_bytes()).unwrap_or_default(), piece, play);
        let mut guest = Self { talk: Talk::new(backend), session, view: View::new() };
        guest.greet();
        guest
    }

    /// Hangs up, and asks for the same seat on a new connection.
    pub fn come_back(&mut self, backend: &mut dyn Backend) {
        self.talk.hang_up();
        self.talk = Talk::new(backend);
        self.greet();
    }

    /// Of what everybody knows.
    fn knows_as_much_as(&self, other: &Guest) -> bool {
        let (one, other) = (self.view.known(), other.view.known());
        (one.users, one.deeds, one.cards, one.pot, one.prompt)
            == (other.users, other.deeds, other.cards, other.pot, other.prompt)
    }

    fn greet(&mut self) {
        let hello = self.session.connect();
        say(&mut self.talk, &hello);
    }

    pub fn is_seated(&self) -> bool {
        self.session.standing() == Standing::Seated && !self.view.is_dumping()
    }

    pub fn view(&self) -> &View<8> {
        &self.view
    }

    pub fn peer(&mut self) -> &mut dyn Peer {
        self.talk.peer()
    }

    /// Hears all that has come, and answers what no bot is asked; how many messages each.
    pub fn hear(&mut self) -> (u32, u32) {
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
}

impl Player {
    fn sit(backend: &mut dyn Backend, number: u8) -> Self {
        let strength = if number.is_multiple_of(2) { Strength::Shrewd } else { Strength::Plain };
        let guest = Guest::come(backend, &format!("bot{number}"), number, true);
        Self { guest, bot: Bot::new(strength, u32::from(number)) }
    }

    /// Hears, then says one thing more at most.
    fn step(&mut self) -> (u32, u32) {
        let (heard, said) = self.guest.hear();
        let Guest { talk, view, .. } = &mut self.guest;
        let more = self.bot.next(view, &mut |message| say(talk, &message));
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
    use parlor_core::pimp::limits::BoardTable;
    use parlor_core::pimp::server::Config;
    use parlor_core::server::Millis;

    use super::*;
    use crate::peer::InMemory;

    const SEEDS: u8 = 60;

    #[test]
    fn four_bots_play_with_the_core() {
        let mut memory = InMemory::new(Box::new(BoardTable::new()));
        let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        memory.driver.borrow_mut().server.begin(&[42; 32], &config, Millis(1_000));
        let played = play(&mut memory, 4, 60, 20, Duration::from_secs(20)).unwrap();
        assert!(played.turns >= 60 || played.winner.is_some(), "{played:?}");
        assert!(played.rejoined >= 2, "{played:?}");
    }

    /// Whatever the moment at which a server goes out, the game that it has saved can be played on.
    #[test]
    fn a_saved_game_is_played_on() {
        let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        for seed in 0..SEEDS {
            let memory = InMemory::new(Box::new(BoardTable::new()));
            memory.driver.borrow_mut().server.begin(&[seed; 32], &config, Millis(1_000));
            let table = memory.driver.clone();
            let outage = || {
                let mut game = vec![0; parlor_core::pimp::limits::save_max(8)];
                let length = table.borrow().server.save(&mut game).map_err(|error| format!("{error:?}"))?;
                let after = InMemory::new(Box::new(BoardTable::new()));
                after.driver.borrow_mut().server.begin(&[0xFF; 32], &config, Millis(1_000));
                let loaded = after.driver.borrow_mut().server.load(&game[..length], Millis(1_000));
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

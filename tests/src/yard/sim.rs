//! Whole evenings at one server: several games of bots, lost connections, players who come back, somebody who looks on,
//! somebody who talks rubbish, a server that is restarted. What must hold is looked at after every step.

use parlor_core::server::{Millis, Server};
use parlor_core::yard::bot::Strength;
use parlor_core::yard::pieces::{Pawn, Team};
use parlor_core::yard::rules::{Eye, Game, Outcome, Past, is_reveal};
use parlor_core::yard::server::{Config, Yard};
use parlor_core::yard::wire::{Said, Spot, Status};

use super::player::Player;
use crate::rng::Rng;
use parlor_core::driver::{Driver, Reading};

/// Few enough accounts and games that they run out.
type House = Yard<20, 4, 20, 8192, 514>;

const CONFIG: Config = Config { rate: 0, login_timeout: 0, password_pause: 0, wrong_passwords: 0, ..Config::DEFAULT };
const SAVE: usize = parlor_core::yard::limits::save_max(20, 4);

/// What an evening came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evening {
    pub games: u32,
    pub mr_x: u32,
    pub moves: u32,
    pub lines: u32,
    pub rejoined: u32,
    pub restarts: u32,
    pub rubbish: u32,
}

struct World {
    driver: Driver<House>,
    rng: Rng,
    players: Vec<(usize, Player)>,
    /// Logs in now and then, looks on, asks for everything.
    watcher: Option<(usize, Vec<u8>)>,
    vandal: Option<usize>,
    evening: Evening,
}

/// Plays two games to their ends.
pub fn evening(seed: u64) -> Evening {
    let mut rng = Rng::new(seed);
    let mut driver = Driver::new(Box::new(House::new()));
    let mut bytes = [5; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    driver.server.begin(&bytes, &CONFIG);
    let mut players = Vec::new();
    for game in 0..2 {
        let count = 2 + rng.below(5) as u8;
        for n in 0..count {
            let team = if n == 0 { Team::MrX } else { Team::Detectives };
            let strength = if rng.below(2) == 0 { Strength::Random } else { Strength::Shrewd };
            let name = format!("p{game}{n}");
            let wish = (team, count);
            let player = Player::sit(&mut driver, &name, &name_of(game), wish, (strength, rng.next() as u32));
            players.push((game, player));
        }
    }
    let mut world = World { driver, rng, players, watcher: None, vandal: None, evening: Evening::default() };
    world.play(seed);
    world.evening
}

/// Has it begun and does it go on?
fn is_open(driver: &Driver<House>, game: usize) -> bool {
    let game = driver.server.game(&name_of(game));
    game.is_some_and(|game| game.turn() > 0 && game.outcome() == Outcome::Open)
}

fn name_of(game: usize) -> String {
    format!("game {game}")
}

impl World {
    fn play(&mut self, seed: u64) {
        for round in 0..40_000 {
            self.step_players(seed);
            self.mischief();
            for game in 0..2 {
                if let Some(game) = self.driver.server.game(&name_of(game)).filter(|game| game.turn() > 0) {
                    assert_eq!(game.audit(), Ok(()), "seed {seed}");
                }
            }
            if self.players.iter().all(|(_, player)| player.mind.view.winner().is_some()) {
                return self.finish(seed);
            }
            assert!(round < 39_999, "seed {seed}: a game did not end: {:?}\n{}", self.evening, self.standing());
        }
    }

    /// How far everybody has come, for whoever looks for the reason of a failure.
    fn standing(&self) -> String {
        let player = |(game, player): &(usize, Player)| {
            let (view, client) = (&player.mind.view, &self.driver.connections[player.client]);
            let truth = self.driver.server.game(&name_of(*game)).map(|game| (game.turn(), game.next(), game.outcome()));
            let (session, closed, reading) = (player.mind.session.standing(), client.closed, client.reading);
            let seen = (view.turn(), view.next(), view.winner());
            format!(
                "{} of {game}: {session:?} closed {closed} {reading:?}, sees {seen:?}, is {truth:?}",
                player.mind.name
            )
        };
        self.players.iter().map(player).collect::<Vec<_>>().join("\n")
    }

    fn step_players(&mut self, seed: u64) {
        let Self { driver, players, evening, .. } = self;
        // Who was away at the end, or was closed for reading too slowly, is out of it.
        players.retain(|(game, player)| {
            let is_out = driver.connections[player.client].closed || player.mind.session.is_refused();
            !is_out || is_open(driver, *game)
        });
        for (game, player) in players.iter_mut() {
            if driver.connections[player.client].closed && is_open(driver, *game) {
                player.come_back(driver);
                evening.rejoined += 1;
            }
            player.mind.heard = Some(Vec::new());
            evening.lines += player.step(driver).0;
            let truth = driver.server.game(&name_of(*game));
            for line in player.mind.heard.take().unwrap_or_default() {
                assert!(
                    is_discreet(&line, player.mind.view.team(), truth),
                    "seed {seed}: {} was told {line}",
                    player.mind.name
                );
            }
        }
    }

    fn mischief(&mut self) {
        // Before that anybody might take a seat, and would be waited for.
        let has_begun = |game| self.driver.server.game(&name_of(game)).is_some_and(|game| game.turn() > 0);
        if !(has_begun(0) && has_begun(1)) {
            return;
        }
        match self.rng.below(12) {
            0 => self.cut_a_player(),
            1 => self.look_on(),
            2 | 3 => self.talk_rubbish(),
            4 if self.rng.one_in(4) => self.restart(),
            5 => {
                let ms = self.rng.below(5_000);
                self.driver.advance(ms);
            }
            6 => {
                // Somebody reads slowly for a while, or at once again.
                let at = self.rng.below(self.players.len() as u64) as usize;
                let slow = self.rng.below(2) == 0;
                let reading = if slow { Reading::Slow(40) } else { Reading::Eager };
                self.driver.connections[self.players[at].1.client].reading = reading;
            }
            _ => {}
        }
        // A bot whose answer was lost says it again.
        if self.rng.below(50) == 0 {
            self.players.iter_mut().for_each(|(_, player)| player.mind.bot.nudge());
        }
    }

    fn cut_a_player(&mut self) {
        let at = self.rng.below(self.players.len() as u64) as usize;
        // Who is gone at the end does not come back.
        if is_open(&self.driver, self.players[at].0) {
            let player = &mut self.players[at].1;
            player.come_back(&mut self.driver);
            self.evening.rejoined += 1;
        }
    }

    fn look_on(&mut self) {
        if let Some((client, _)) = self.watcher.take() {
            let heard = self.driver.take(client);
            for line in String::from_utf8_lossy(&heard).lines() {
                assert!(!line.contains("chatteam"), "{line}");
            }
            self.driver.hang_up(client);
            return;
        }
        let Ok(client) = self.driver.connect() else { return };
        let game = self.rng.below(2);
        let lines = format!(
            "protocol 2.1\r\nlogin watcher pw\r\nlistgames\r\nwatch \"game {game}\"\r\npawninfo\r\nhistory\r\nchatall no\r\n"
        );
        self.driver.send(client, lines.as_bytes());
        self.watcher = Some((client, Vec::new()));
    }

    fn talk_rubbish(&mut self) {
        self.evening.rubbish += 1;
        if self.rng.below(8) == 0
            && let Some(client) = self.vandal.take()
        {
            return self.driver.hang_up(client);
        }
        let client = match self.vandal {
            Some(client) if !self.driver.connections[client].closed => client,
            _ => {
                let Ok(client) = self.driver.connect() else { return };
                let name = self.rng.below(12);
                self.driver.send(client, format!("protocol 2.0\r\nlogin vandal{name} pw\r\n").as_bytes());
                client
            }
        };
        self.vandal = Some(client);
        let rubbish = self.rubbish();
        self.driver.send(client, &rubbish);
        self.driver.take(client);
    }

    fn rubbish(&mut self) -> Vec<u8> {
        const LINES: [&str; 16] = [
            "join \"game 0\"",
            "watch \"game 1\"",
            "newgame mine standard",
            "newgame other standard",
            "leave",
            "votestart True",
            "setteam Detectives",
            "move 1 taxi",
            "doublemove 1 taxi 8 taxi",
            "history",
            "pawninfo",
            "listplayers \"game 0\"",
            "listgames",
            "chatall \"hello \\\" there\"",
            "login p00 guess",
            "whoseturn",
        ];
        match self.rng.below(4) {
            0 => (0..self.rng.below(700)).map(|_| self.rng.below(256) as u8).collect(),
            _ => {
                let mut line = |_| {
                    let line = LINES[self.rng.below(16) as usize];
                    format!("#{} {line}\r\n", self.rng.below(1000))
                };
                (0..5).map(&mut line).collect::<String>().into_bytes()
            }
        }
    }

    /// The server is saved, ends, and another goes on. Not once a game is over: those are not kept.
    fn restart(&mut self) {
        if !(is_open(&self.driver, 0) && is_open(&self.driver, 1)) {
            return;
        }
        let before: Vec<Game> = (0..2).filter_map(|game| self.driver.server.game(&name_of(game)).cloned()).collect();
        let mut saved = vec![0; SAVE];
        let length = self.driver.server.save(&mut saved).expect("there is room");
        let mut server = House::new();
        server.begin(&[0; 32], &CONFIG);
        server.load(&saved[..length], Millis(7)).expect("what was saved can be loaded");
        self.driver = Driver::new(Box::new(server));
        for (game, before) in before.iter().enumerate() {
            assert_eq!(self.driver.server.game(&name_of(game)), Some(before));
        }
        (self.watcher, self.vandal) = (None, None);
        for (_, player) in &mut self.players {
            player.connect_again(&mut self.driver);
        }
        self.evening.restarts += 1;
    }

    /// Both games are over: what everybody was told is what happened.
    fn finish(&mut self, seed: u64) {
        for number in 0..2 {
            let game = self.driver.server.game(&name_of(number)).expect("its players are there").clone();
            self.evening.games += 1;
            self.evening.mr_x += u32::from(game.outcome().winner() == Some(Team::MrX));
            self.evening.moves += game.log().len() as u32;
            for (_, player) in self.players.iter_mut().filter(|(at, _)| *at == number) {
                self.driver.connections[player.client].reading = Reading::Eager;
                self.driver.run();
                player.hear(&mut self.driver);
                assert_eq!(player.mind.view.winner(), game.outcome().winner(), "seed {seed}");
                for pawn in Pawn::DETECTIVES {
                    assert_eq!(player.mind.view.at(pawn), Some(game.at(pawn)), "seed {seed}: {}", player.mind.name);
                    assert_eq!(player.mind.view.purse(pawn), game.purse(pawn), "seed {seed}: {}", player.mind.name);
                }
                assert_eq!(player.mind.view.purse(Pawn::X), game.purse(Pawn::X), "seed {seed}: {}", player.mind.name);
                check_history(&mut self.driver, player, &game, seed);
            }
        }
    }
}

/// The history is the log, with everything shown.
fn check_history<S: Server>(driver: &mut Driver<S>, player: &mut Player, game: &Game, seed: u64) {
    driver.take(player.client);
    driver.send(player.client, b"history\r\n");
    let heard = driver.take(player.client);
    let past = Past::new(game, game.log().len(), Eye::All);
    let mut expected = String::from("- ok\r\n");
    for turn in 0..=past.turns() {
        let round = past.round(turn).expect("every turn has a line");
        let mut room = [0; 600];
        let length = Status::History { turn, round }.write(&mut room).expect("it fits");
        expected.push_str(std::str::from_utf8(&room[..length]).expect("text"));
    }
    expected.push_str("* history end\r\n");
    assert_eq!(String::from_utf8_lossy(&heard), expected, "seed {seed}: {}", player.mind.name);
}

/// Does this line keep Mr. X's secret from who is not Mr. X?
fn is_discreet(line: &str, team: Option<Team>, game: Option<&Game>) -> bool {
    let mut room = [0; 2048];
    let Some(Said::Status(status)) = Said::parse(line.as_bytes(), &mut room) else { return true };
    let Some(game) = game.filter(|game| team != Some(Team::MrX) && game.outcome() == Outcome::Open) else {
        return true;
    };
    let shown = |spot: Spot| spot.0.is_some();
    match status {
        // A reader that is late hears of an earlier move; all it may ever hear is where he was on a reveal turn.
        Status::Move { pawn: Pawn::X, to, .. } | Status::PawnInfo { pawn: Pawn::X, at: to, .. } => {
            to.0.is_none_or(|station| revealed(game).any(|seen| seen == station))
        }
        Status::History { turn, round } => !round.get(Pawn::X).is_some_and(|made| shown(made.to)) || is_reveal(turn),
        _ => true,
    }
}

/// Where he was seen.
fn revealed(game: &Game) -> impl Iterator<Item = parlor_core::yard::map::Station> + '_ {
    let moves = game.log().iter().filter(|step| step.pawn() == Pawn::X).zip(1u8..);
    moves.filter(|(_, turn)| is_reveal(*turn)).map(|(step, _)| step.to())
}

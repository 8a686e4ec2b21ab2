//! Whole games of bots over the wire, checked at every step, each repeated by its seed.
//!
//! A game is a [`world::World`]: one table and its clients, driven through the trait as an adapter drives it. Every
//! client has a mirror of its own and a bot that sees nothing else. In chaos, [`chaos`] does to them what networks and
//! people do. [`check`] compares every mirror with what the server would dump.

pub mod census;
pub mod chaos;
pub mod check;
pub mod client;
pub mod commands;
pub mod tamper;
pub mod told;
pub mod world;

use std::fmt::Write as _;
use std::thread;

use parlor_core::pimp::rules::Phase;
use parlor_core::pimp::server::Config;

use crate::rng::Rng;
use census::Census;
use check::Check;
use client::Player;
use world::World;

/// The table of the simulation: the board's.
pub const USERS: usize = 8;
pub const LINKS: usize = 10;
pub const RING: usize = 4096;

/// How much is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checking {
    /// Nothing: for benchmarks.
    Off,
    /// The audit and one mirror after every command, all mirrors after every 16th.
    Sampled,
    /// The audit and all mirrors after every command.
    Everything,
}

/// What a game is played with. Printed when it fails: it repeats the failure.
#[derive(Clone, Debug)]
pub struct Options {
    pub seed: u64,
    /// One for each seat, 2 to 8.
    pub bots: Vec<Player>,
    /// Watchers that come and go.
    pub watchers: usize,
    pub turns: u32,
    pub chaos: bool,
    pub checking: Checking,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The seat of the winner's client, if one of the bots won.
    Won(Option<usize>),
    TurnLimit,
    /// Fewer than two are left to play and nobody went bankrupt: only where seats are given away.
    Abandoned,
}

#[derive(Clone)]
pub struct Outcome {
    pub end: End,
    pub turns: u32,
    pub rounds: u64,
    /// Mirrors compared.
    pub mirrors: u64,
    pub census: Census,
}

impl Options {
    /// `bots` players of one strength, nothing goes wrong.
    pub fn calm(seed: u64, bots: usize, player: Player) -> Self {
        Self { seed, bots: vec![player; bots], watchers: 0, turns: 2_000, chaos: false, checking: Checking::Off }
    }

    /// Everything by the seed.
    pub fn chaotic(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0xC4A0_5000);
        let players = 2 + rng.below(7) as usize;
        let who = [Player::Plain, Player::Plain, Player::Shrewd, Player::Shrewd, Player::Wanderer];
        let bots = (0..players).map(|_| *rng.pick(&who).unwrap_or(&Player::Plain)).collect();
        let watchers = (rng.below(3) as usize).min(USERS - players);
        Self { seed, bots, watchers, turns: 300, chaos: true, checking: Checking::Sampled }
    }

    /// House rules and times: a test needs no pauses, and chaos tries every rule.
    pub fn config(&self) -> Config {
        let mut config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        if !self.chaos {
            return config;
        }
        let mut rng = Rng::new(self.seed ^ 0x0901_1005);
        let mut maybe = |n| rng.one_in(n);
        let rules = &mut config.rules;
        rules.pot = if maybe(4) { None } else { Some(100) };
        rules.double_go = maybe(3);
        rules.lap_before_buy = maybe(4);
        rules.estate_to_creditor = !maybe(4);
        rules.bail_ends_turn = maybe(3);
        rules.debt_blocks_roll = !maybe(6);
        rules.termites = if maybe(5) { 10 } else { 0 };
        config.ping_interval = if maybe(2) { 5_000 } else { 0 };
        config.claim_grace = if maybe(3) { 300 } else { 0 };
        config.vote_pause = if maybe(2) { 2_000 } else { 0 };
        config.rate = if maybe(3) { 32 } else { 0 };
        config
    }
}

/// Plays one game on a board-size table.
///
/// # Panics
/// When anything is wrong, with the options that repeat it.
pub fn simulate(options: &Options) -> Outcome {
    let repeat = Repeat(options);
    let outcome = Game::<USERS, LINKS, RING>::new(options).play();
    let outcome = outcome.unwrap_or_else(|fault| panic!("{fault}"));
    drop(repeat);
    outcome
}

/// Tells how to repeat a game when anything panics in it, the server included.
pub struct Repeat<'o>(pub &'o Options);

impl Drop for Repeat<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("repeat it with {:?}", self.0);
        }
    }
}

/// A game under way.
pub struct Game<'o, const USERS: usize, const LINKS: usize, const RING: usize> {
    options: &'o Options,
    pub world: World<USERS, LINKS, RING>,
    pub check: Check<USERS, LINKS, RING>,
    pub rng: Rng,
    rounds: u64,
    /// Rounds since the game last moved on, and the turn it had come to.
    still: usize,
    turn: u32,
}

/// So many rounds a client without a new turn are too many: somebody waits for something that will never come.
const STILL: usize = 3_000;

impl<'o, const USERS: usize, const LINKS: usize, const RING: usize> Game<'o, USERS, LINKS, RING> {
    pub fn new(options: &'o Options) -> Self {
        let mut world = World::new(options.seed, &options.config(), &options.bots);
        let watcher = if options.chaos { Player::Wanderer } else { Player::Plain };
        (0..options.watchers).for_each(|_| world.add(watcher, false, options.seed));
        let rng = Rng::new(options.seed ^ 0x7075_B1E0);
        Self { options, world, check: Check::default(), rng, rounds: 0, still: 0, turn: 0 }
    }

    /// To its end.
    pub fn play(&mut self) -> Result<Outcome, String> {
        loop {
            if let Some(end) = self.round()? {
                let census = self.world.census.clone();
                let (turns, rounds, mirrors) = (self.turn, self.rounds, self.check.mirrors);
                return Ok(Outcome { end, turns, rounds, mirrors, census });
            }
        }
    }

    /// Everything said is delivered, one client says one thing.
    pub fn round(&mut self) -> Result<Option<End>, String> {
        self.rounds += 1;
        self.world.deliver();
        self.inspect()?;
        if let Some(end) = self.end()? {
            return Ok(Some(end));
        }
        if self.options.chaos {
            self.world.trouble(&mut self.rng);
            self.world.deliver();
            self.inspect()?;
            if let Some(end) = self.end()? {
                return Ok(Some(end));
            }
        }
        if !self.world.speak() && !self.idle() {
            return Err(format!("nobody has anything to say:\n{}", self.describe()));
        }
        Ok(None)
    }

    /// Nobody has anything to say: time goes on. `false`: nothing will ever happen.
    fn idle(&mut self) -> bool {
        for client in &mut self.world.clients {
            client.nudge();
        }
        // Whoever sleeps will wake: only when nobody does is there time to pass.
        let sleeps = self.world.clients.iter().any(|client| client.silent > 0 || client.deaf > 0 || client.torn);
        sleeps || self.world.speak() || self.world.wait()
    }

    fn inspect(&mut self) -> Result<(), String> {
        match self.options.checking {
            Checking::Off => return Ok(()),
            Checking::Everything => self.check.mirrors(&self.world)?,
            Checking::Sampled if self.rounds.is_multiple_of(16) => self.check.mirrors(&self.world)?,
            Checking::Sampled => {
                let at = self.rng.below(self.world.clients.len() as u64) as usize;
                self.check.mirror(&self.world, at)?;
            }
        }
        self.check.audit(&self.world)
    }

    /// Where everybody is, for a failure's message.
    fn describe(&self) -> String {
        let game = self.world.driver.server.game();
        let players: Vec<u8> = game.players.iter().map(|player| player.id).collect();
        let mut page =
            format!("{:?}, turn {}, {:?}, players {players:?}\n", self.world.driver.now, game.turn, game.phase);
        for (client, connection) in self.world.clients.iter().zip(&self.world.driver.connections) {
            let (view, stage) = (&client.view, client.stage);
            let deals: Vec<u32> = view.deals().iter().map(|deal| deal.id).collect();
            // Writing to a String can't fail.
            _ = writeln!(
                page,
                "  user {} {:?} {stage:?} playing {} stalled {}: {:?}, deals {deals:?}",
                view.me(),
                client.player,
                view.am_playing(),
                connection.stalled,
                view.prompt()
            );
        }
        page
    }

    fn end(&mut self) -> Result<Option<End>, String> {
        let game = self.world.driver.server.game();
        if let Phase::Over { winner } = game.phase {
            return Ok(Some(End::Won(self.world.clients.iter().position(|client| client.view.me() == winner))));
        }
        if game.turn > self.turn {
            self.turn = game.turn;
            self.still = 0;
        }
        if game.turn >= self.options.turns {
            return Ok(Some(End::TurnLimit));
        }
        // A new game has begun, or nobody is left to play on with.
        let left = game.turn < self.turn || (self.turn > 0 && game.phase == Phase::Idle);
        if left {
            return Ok(Some(End::Abandoned));
        }
        self.still += 1;
        if self.still > STILL * self.world.clients.len() {
            return Err(format!("the game stands still:\n{}", self.describe()));
        }
        Ok(None)
    }
}

//! A table to try the rules at: known throws, and a herald that writes everything down.

use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, vec};

use super::{Cx, Game, Herald, Options, UserId, Verdict};
use crate::dice::{Dice, script};
use crate::pimp::board::{Deed, START_CASH, Square};
use crate::pimp::wire::Message;

/// Every event in order, as a person reads it: `all< …` or `3< …`.
#[derive(Default)]
pub struct Log(pub Vec<String>);

impl Herald for Log {
    fn all(&mut self, event: Message<'_>) {
        self.0.push(format!("all< {event}"));
    }
    fn one(&mut self, user: UserId, event: Message<'_>) {
        self.0.push(format!("{user}< {event}"));
    }
}

pub struct Table {
    pub game: Game,
    pub dice: Dice,
    pub options: Options,
    pub log: Log,
}

impl Table {
    /// Players 1 to `players` with the start cash; player 2 begins (it made them two). Dice at random.
    pub fn new(players: u8) -> Self {
        Self::scripted(players, &[])
    }

    /// The same with known throws and cards on top: see [`script`].
    pub fn scripted(players: u8, steps: &[u8]) -> Self {
        Self::with_options(players, steps, Options::DEFAULT)
    }

    pub fn with_options(players: u8, steps: &[u8], options: Options) -> Self {
        let mut dice = Dice::new();
        dice.begin(&script(steps).unwrap());
        let mut table = Self { game: Game::new(), dice, options, log: Log::default() };
        table.game.begin(&mut table.dice, &table.options);
        for user in 1..=players {
            table.run(|game, cx| {
                game.sit(user, START_CASH, cx).unwrap();
                game.start(user, cx);
            });
        }
        table.log.0.clear();
        table
    }

    /// Any call of the rules.
    pub fn run<R>(&mut self, call: impl FnOnce(&mut Game, &mut Cx<'_, Log>) -> R) -> R {
        let mut cx = Cx { dice: &mut self.dice, options: &self.options, out: &mut self.log };
        call(&mut self.game, &mut cx)
    }

    /// One player's action. The state must stay sound, and untouched if the action is refused.
    pub fn act(&mut self, user: UserId, action: Message<'_>) -> Verdict {
        let before = self.game.clone();
        let verdict = self.run(|game, cx| game.apply(user, &action, cx));
        assert!(verdict.is_ok() || self.game == before, "refused, but the state changed: {action}");
        assert_eq!(self.game.audit(), Ok(()), "after {action} by {user}");
        verdict
    }

    /// What was said since the last time this was asked.
    pub fn said(&mut self) -> Vec<String> {
        core::mem::take(&mut self.log.0)
    }

    /// One action that must succeed, and what it made the game say.
    pub fn ok(&mut self, user: UserId, action: Message<'_>) -> Vec<String> {
        self.log.0.clear();
        assert_eq!(self.act(user, action), Ok(()), "{action} by {user}");
        self.said()
    }

    /// One action that must be refused; the last line tells how.
    pub fn refused(&mut self, user: UserId, action: Message<'_>) -> Vec<String> {
        self.log.0.clear();
        let verdict = self.act(user, action);
        let mut said = self.said();
        match verdict {
            Ok(()) => panic!("{action} by {user} was not refused: {said:?}"),
            Err(refusal) => said.push(format!("{refusal:?}")),
        }
        said
    }

    /// What the phase asks for, as a resync would say it.
    pub fn prompt(&self) -> Vec<String> {
        let mut lines = vec![];
        self.game.prompt(&mut |message| lines.push(message.to_string()));
        lines
    }

    /// Hands out deeds and cash without a word, to begin a test in the middle of a game.
    pub fn own(&mut self, user: UserId, deeds: &[u8]) -> &mut Self {
        for deed in deeds {
            self.game.deeds.get_mut(Deed::new(*deed).unwrap()).owner = user;
        }
        self
    }

    pub fn cash(&mut self, user: UserId, cash: u32) -> &mut Self {
        self.game.player_mut(user).unwrap().cash = cash;
        self
    }

    pub fn at(&mut self, user: UserId, square: u8) -> &mut Self {
        self.game.player_mut(user).unwrap().square = Square::new(square).unwrap();
        self
    }
}

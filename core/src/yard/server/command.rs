//! What a link may say, in which state, and what is done about it.

use core::ops::Range;

use super::dump::{Kind, Snapshot};
use super::line::{Role, State};
use super::login::is_spoken;
use super::{Asker, Denied, Verdict, Yard, answer};
use crate::fmt::trace;
use crate::lines::{Flaw, Lines, Tag, Tagged, Words, split_tag};
use crate::server::Millis;
use crate::yard::rules::Eye;
use crate::yard::wire::{COMMANDS, Command, NoCommand, Reply, Said, Stage};

/// Commands that are answered by more than "not now" before a login.
const FOR_STRANGERS: [&str; 6] = ["protocol", "login", "noop", "language", "listai", "requestai"];
/// The kind of bot that a player can ask for.
const BOT: &str = "shrewd";

const NOT_NOW: Denied = Denied::Bad("not now");

/// Where a link is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    New,
    Spoken,
    /// Logged in, in no game.
    User,
    /// In a game as a player: joined, playing or ended.
    Seated(u8, Stage),
    /// Watches a game.
    Watching(u8, Stage),
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    fn place(&self, slot: u16) -> Place {
        let Some(line) = self.line(slot) else { return Place::New };
        let room = line.room().and_then(|room| Some((room, self.hall.room(room)?.stage)));
        match (line.state, room) {
            (State::New, _) => Place::New,
            (State::Spoken | State::Asking, _) => Place::Spoken,
            (State::User, None) => Place::User,
            (State::User, Some((room, stage))) if line.role == Role::Watcher => Place::Watching(room, stage),
            (State::User, Some((room, stage))) => Place::Seated(room, stage),
        }
    }

    /// Handles one line. What is a password in it, or may be one, is written over, so that it is not among the bytes taken
    /// (yard 1.9); what is left means the same, as the adapter's answer decides. So of a line that is no command of a user
    /// nothing is left but what decides its answer.
    pub(super) fn handle(&mut self, slot: u16, line: &[u8], framer: &mut Lines<LINE>, now: Millis) {
        self.count(slot, now);
        let Ok(Tagged { tag, rest, at }) = split_tag(line) else {
            // No tag begins with `#x` either.
            let mark = line.iter().position(|byte| *byte == b'#').unwrap_or_default();
            cover(framer, mark + 1..line.len(), 1);
            return answer(&mut self.out, slot, &Said::Bad("no tag begins like this"));
        };
        let asker = Asker { slot, tag };
        let mut room = [0; LINE];
        let words = match Words::split(rest, &mut room) {
            Ok(words) => words,
            Err(flaw) => {
                let (reason, mark) = match flaw {
                    Flaw::NotUtf8 => ("not UTF-8", 0xff),
                    Flaw::Quoting | Flaw::Tag => ("a quote is not closed", b'"'),
                };
                scrub_all(framer, at, rest.len(), mark);
                return self.reply(asker, Reply::Bad(reason));
            }
        };
        let [word, first, second] =
            [0, 1, 2].map(|n| words.start(n).map_or(line.len(), |start| at + start)..line.len());
        let is_stranger = matches!(self.place(slot), Place::New | Place::Spoken);
        if is_stranger && words.peek().is_some_and(|word| COMMANDS.contains(&word) && !FOR_STRANGERS.contains(&word)) {
            cover(framer, first, 0);
            return self.deny(asker, NOT_NOW);
        }
        let verdict = match Command::parse(words) {
            Ok(command) => {
                trace!("link {}: {}", slot, command.name());
                match command {
                    // An empty one has its two quotes, and nothing to hide.
                    Command::Login { password: "", .. } => {}
                    Command::Login { password, .. } => cover(framer, second, password.len()),
                    Command::Protocol { version } if !is_spoken(version) => cover(framer, first, 1),
                    Command::Protocol { .. } => cover(framer, second, 0),
                    _ if is_stranger => cover(framer, first, 0),
                    _ => {}
                }
                let verdict = self.obey(asker, command, now);
                if verdict.is_ok() && !is_question(command) {
                    self.out.note_change();
                }
                verdict
            }
            Err(NoCommand::Empty) if tag == Tag::NONE => {
                return answer(&mut self.out, slot, &Said::Bad("an empty line"));
            }
            Err(NoCommand::Empty) => Err(Denied::Bad("no command")),
            Err(NoCommand::Unknown) => {
                // It may be a login that was misspelt, or a password in the wrong place. No command is called `x`.
                cover(framer, word, 1);
                Err(Denied::Bad("unknown command"))
            }
            Err(NoCommand::Arguments) => {
                cover(framer, first, 0);
                Err(Denied::Bad("an argument is missing or malformed"))
            }
        };
        if let Err(denied) = verdict {
            self.deny(asker, denied);
        }
    }

    fn deny(&mut self, asker: Asker<'_>, denied: Denied) {
        match denied {
            Denied::No(reason) => self.reply(asker, Reply::No(reason)),
            Denied::Bad(reason) => self.reply(asker, Reply::Bad(reason)),
        }
    }

    fn obey(&mut self, asker: Asker<'_>, command: Command<'_>, now: Millis) -> Verdict {
        let place = self.place(asker.slot);
        match (command, place) {
            (Command::Noop {}, _) => self.ok(asker),
            (Command::Language {}, _) => return Err(Denied::No("one language is spoken here")),
            (Command::ListAi {} | Command::RequestAi {}, _) if !self.hall.config.bots => {
                return Err(Denied::No("nobody is to be had here"));
            }
            (Command::ListAi {}, _) => {
                self.reply(asker, Reply::AiInfo(BOT));
                self.ok(asker);
            }
            (Command::RequestAi {}, Place::Seated(room, Stage::New)) => return self.call_bot(asker, room),
            (Command::Protocol { version }, _) => return self.protocol(asker, version, place),
            (Command::Login { name, password }, _) => return self.login(asker, name, password, place),
            (Command::ListGames {}, Place::User) => self.list_games(asker),
            (Command::NewGame { name, kind }, Place::User) => return self.new_game(asker, name, kind, now),
            (Command::Join { game }, Place::User) => return self.join(asker, game),
            (Command::Watch { game }, Place::User) => return self.watch(asker, game),
            (Command::ListPlayers { game: Some(game) }, Place::User) => return self.list_players_of(asker, game),
            (Command::ListPlayers { .. }, Place::Seated(room, _) | Place::Watching(room, _)) => {
                self.list_players(asker, room);
            }
            (Command::Leave {}, Place::Seated(_, Stage::InProgress)) => return Err(Denied::No("the game goes on")),
            (Command::Leave {}, Place::Seated(..) | Place::Watching(..)) => self.leave(asker, now),
            (Command::SetTeam { team }, Place::Seated(room, Stage::New)) => return self.set_team(asker, room, team),
            (Command::VoteStart { vote }, Place::Seated(room, Stage::New)) => self.vote(asker, room, vote),
            (Command::ChatAll { .. } | Command::ChatTeam { .. }, Place::Watching(..)) => {
                return Err(Denied::No("who looks on is silent"));
            }
            (Command::ChatAll { text }, Place::Seated(room, _)) => return self.chat(asker, room, text, false),
            (Command::ChatTeam { text }, Place::Seated(room, Stage::InProgress | Stage::Complete)) => {
                return self.chat(asker, room, text, true);
            }
            _ => return self.obey_in_play(asker, command, place),
        }
        Ok(())
    }

    /// What only makes sense once a game has begun.
    fn obey_in_play(&mut self, asker: Asker<'_>, command: Command<'_>, place: Place) -> Verdict {
        let (Place::Seated(room, stage) | Place::Watching(room, stage)) = place else { return Err(NOT_NOW) };
        let game = self.hall.room(room).map(|room| &room.game).ok_or(NOT_NOW)?;
        let (turn, next) = (game.turn(), game.next());
        match (command, stage) {
            (_, Stage::New) => return Err(NOT_NOW),
            (Command::PawnInfo {}, _) => self.tell(asker, room, Kind::Pawns),
            (Command::History {}, _) => self.tell(asker, room, Kind::History),
            (_, Stage::Complete) => return Err(NOT_NOW),
            (Command::WhoseTurn {}, _) => self.reply(asker, Reply::Turn(next)),
            (Command::TurnNum {}, _) => self.reply(asker, Reply::Number(turn)),
            (Command::WhatTurnNum {}, _) => self.reply(asker, Reply::TurnNum(turn)),
            (Command::Move { pawn, hop }, _) if matches!(place, Place::Seated(..)) => {
                return self.make_move(asker, room, pawn, hop, None);
            }
            (Command::DoubleMove { pawn, first, second }, _) if matches!(place, Place::Seated(..)) => {
                return self.make_move(asker, room, pawn, first, Some(second));
            }
            _ => return Err(NOT_NOW),
        }
        Ok(())
    }

    /// `ok`, then lines: as many as there are, written when the link reads them.
    pub(super) fn tell(&mut self, asker: Asker<'_>, room: u8, kind: Kind) {
        self.ok(asker);
        let eye = match self.line(asker.slot).map(|line| line.role) {
            Some(Role::MrX) => Eye::All,
            _ => Eye::Public,
        };
        let Some(snapshot) = self.hall.room(room).map(|game| Snapshot::take(room, game, kind, eye)) else { return };
        if let Some(line) = self.line_mut(asker.slot) {
            line.snapshot = snapshot;
        }
        self.out.begin_dump(asker.slot);
    }
}

/// Commands that change nothing but their own connection.
fn is_question(command: Command<'_>) -> bool {
    matches!(
        command,
        Command::Noop {}
            | Command::Language {}
            | Command::Protocol { .. }
            | Command::ListAi {}
            | Command::ListGames {}
            | Command::ListPlayers { .. }
            | Command::PawnInfo {}
            | Command::History {}
            | Command::WhoseTurn {}
            | Command::TurnNum {}
            | Command::WhatTurnNum {}
    )
}

/// Writes over this part of a line: `count` times x, and blanks behind them.
fn cover<const LINE: usize>(framer: &mut Lines<LINE>, part: Range<usize>, count: usize) {
    let mut blank = [b' '; LINE];
    blank.iter_mut().take(count).for_each(|byte| *byte = b'x');
    framer.scrub(part.start, blank.get(..part.len()).unwrap_or_default());
}

/// Writes over all of a line but its tag, from `start`: what is left is as flawed as it was.
fn scrub_all<const LINE: usize>(framer: &mut Lines<LINE>, start: usize, length: usize, mark: u8) {
    // One or two bytes hold no password, nor would the mark fit.
    if length < 3 {
        return;
    }
    let mut cover = [b'x'; LINE];
    cover.iter_mut().zip([b' ', mark]).for_each(|(to, byte)| *to = byte);
    framer.scrub(start, cover.get(..length).unwrap_or_default());
}

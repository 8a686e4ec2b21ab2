//! How conversations of Scotland Yard are written: lines as they go over the wire.

use parlor_core::yard::limits::{BoardYard, HostYard};
use parlor_core::yard::map::{STARTS, Station};
use parlor_core::yard::wire::{COMMANDS, LINE_MAX, STATUSES};

use super::reading;
use crate::conversation::{self, Lines, Message, Reading, Runner, Told, Who, list};

/// Whose turn it is in a game of two.
#[derive(Default)]
pub struct Dialect {
    /// The two players of the game begun last.
    pair: Vec<String>,
    /// The pawn that was to move when it was last heard of.
    turn: String,
}

#[derive(Clone, Debug)]
pub enum Exchange {
    /// Connects, names the protocol and logs in with the password `pw`.
    Login(Vec<String>),
    /// Makes a game, joins it, votes: its name, then its players, Mr. X first.
    Begin(String, Vec<String>),
    /// Moves of a game of two, unchecked.
    Play(Vec<String>),
}

impl conversation::Dialect for Dialect {
    type Board = BoardYard;
    type Host = HostYard;
    const SCRIPTED: &'static [&'static str] = &["starts"];
    const CALM: &'static [&'static str] = &["rate"];

    type Wire = Lines<2>;
    type Exchange = Exchange;
    type Mirror = ();

    fn scripted(_key: &str, value: &str) -> Told<Vec<u8>> {
        let start = |word: &str| {
            let station = word.parse().ok().and_then(Station::new);
            let place = STARTS.iter().position(|start| Some(*start) == station);
            Ok(0x80 + place.ok_or(format!("{word}: nobody starts there"))? as u8)
        };
        value.split_whitespace().map(start).collect()
    }

    fn exchange(line: &str) -> Told<Option<Exchange>> {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        Ok(match first {
            "login" => Some(Exchange::Login(list(rest))),
            "begin" => {
                let (game, players) = rest.split_once(' ').ok_or("begin GAME PLAYER PLAYER")?;
                Some(Exchange::Begin(game.to_string(), list(players)))
            }
            "play" => Some(Exchange::Play(rest.split(',').map(|step| step.trim().to_string()).collect())),
            _ => None,
        })
    }

    fn hold(runner: &mut Runner<'_, Self>, exchange: &Exchange) -> Told {
        runner.all_quiet()?;
        match exchange {
            Exchange::Login(names) => names.iter().try_for_each(|name| login(runner, name)),
            Exchange::Begin(game, players) => begin(runner, game, players),
            Exchange::Play(moves) => moves.iter().try_for_each(|step| play(runner, step)),
        }
    }

    fn note(runner: &mut Runner<'_, Self>, _link: usize, line: &[u8]) {
        if let Some(pawn) = line.strip_prefix(b"* turn ") {
            runner.dialect.turn = String::from_utf8_lossy(pawn).trim_end().to_string();
        }
    }

    fn made() -> Vec<conversation::Made> {
        super::made::made()
    }
    fn client_data(out: &mut dyn std::io::Write, _games: u8) -> Told {
        super::client_data::tell(out)
    }

    fn messages() -> Vec<Message> {
        let said = |word: &str| Message { name: word.to_string(), by_client: true, by_server: false };
        let heard = |word: &str| Message { name: word.to_string(), by_client: false, by_server: true };
        let told = STATUSES.iter().map(|word| heard(&format!("* {word}")));
        let answers = ["ok", "no", "bad", "turn", "turnnum", "aiinfo", "* bad"].map(heard);
        COMMANDS.iter().map(|word| said(word)).chain(told).chain(answers).collect()
    }

    /// The first word, tags left out, with a star where the line is told without being asked for.
    fn kind(line: &[u8], from_client: bool) -> Option<String> {
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r\n")?).into_owned();
        let mut words = line.split_whitespace();
        if from_client {
            return words.find(|word| !word.starts_with('#')).map(str::to_string);
        }
        let star = if words.next() == Some("*") { "* " } else { "" };
        words.next().map(|word| format!("{star}{word}"))
    }

    fn read(line: &[u8], from_client: bool) -> Reading {
        let line = line.trim_ascii_end();
        if line.len() > LINE_MAX {
            return Reading::Unknown;
        }
        if from_client { reading::command(line) } else { reading::said(line) }
    }
}

fn login(runner: &mut Runner<'_, Dialect>, name: &str) -> Told {
    runner.connect(name)?;
    for line in ["protocol 2.0", &format!("login {name} pw")] {
        runner.send(runner.link(name)?, line)?;
        runner.hear(&Who::only(name), "- ok")?;
    }
    Ok(())
}

fn begin(runner: &mut Runner<'_, Dialect>, game: &str, players: &[String]) -> Told {
    let makes = [format!("newgame {game} standard")].into_iter().chain(std::iter::repeat(format!("join {game}")));
    let votes = std::iter::repeat("votestart True".to_string());
    for (player, line) in players.iter().zip(makes).chain(players.iter().zip(votes)) {
        let at = runner.link(player)?;
        runner.send(at, &line)?;
        runner.links[at].lenient = true;
        runner.hear_at(at, "- ok")?;
    }
    // Everybody hears that the game has begun, those in the lobby too.
    catch_up(runner)?;
    runner.dialect = Dialect { pair: players.to_vec(), turn: "X".to_string() };
    Ok(())
}

/// One move of a game of two, by whoever's turn it is; everything that follows is let pass.
fn play(runner: &mut Runner<'_, Dialect>, step: &str) -> Told {
    let Dialect { pair, turn } = &runner.dialect;
    let [x, detectives] = &pair[..] else { return Err("play is for a game of two".to_string()) };
    let at = runner.link(if turn == "X" { x } else { detectives })?;
    runner.send(at, &format!("move {step}"))?;
    runner.hear_at(at, "- ok")?;
    catch_up(runner)
}

/// Everybody hears all that has been said to them, however long it takes: what comes after the answer to a command was
/// said after it.
fn catch_up(runner: &mut Runner<'_, Dialect>) -> Told {
    for at in 0..runner.links.len() {
        if runner.links[at].has_joined() {
            runner.send(at, "#0 noop")?;
            let lenient = std::mem::replace(&mut runner.links[at].lenient, true);
            runner.hear_at(at, "#0 ok")?;
            runner.links[at].lenient = lenient;
        }
    }
    Ok(())
}

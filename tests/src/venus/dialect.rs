//! How conversations of Merchant of Venus are written: lines as they go over the wire.

use parlor_core::venus::limits::{BoardVenus, HostVenus};
use parlor_core::venus::pieces::{Colour, Contents, Culture, RACES, SEATS};
use parlor_core::venus::rules::MARKERS;
use parlor_core::venus::wire::{ACTIONS, EVENTS};

use super::reading;
use crate::conversation::{self, Lines, Message, Reading, Runner, Told, list};

#[derive(Default)]
pub struct Dialect;

/// What a client believes: its user's name, as it goes over the wire, once it is logged in.
#[derive(Default)]
pub struct Mirror {
    user: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Exchange {
    /// Connects and logs in with the password `pw`.
    Login(Vec<String>),
    /// Makes a room, enters it and begins a game there: the room, then who.
    Table(String, Vec<String>),
    /// The same, and all join and like it.
    Begin(String, Vec<String>),
    /// What one of them sends, line by line.
    Play(String, Vec<String>),
}

/// The cards of a script, as the game deals them: each pile has numbers of its own.
const SCRIPT_CARD: u8 = 0x80;
const RACE_CARD: u8 = SCRIPT_CARD + 8;
const CULTURE_CARD: u8 = SCRIPT_CARD + 16;
const MARKER_CARD: u8 = SCRIPT_CARD + 32;

impl conversation::Dialect for Dialect {
    type Board = BoardVenus;
    type Host = HostVenus;
    const SCRIPTED: &'static [&'static str] = &["order", "races", "cultures", "boxes", "dice"];
    const CALM: &'static [&'static str] = &["rate", "password_pause"];

    type Wire = Lines<1>;
    type Exchange = Exchange;
    type Mirror = Mirror;

    fn scripted(key: &str, value: &str) -> Told<Vec<u8>> {
        let words = value.split_whitespace();
        let number = |word: &str, range: std::ops::Range<u8>| {
            let number = word.parse().ok().filter(|number| range.contains(number));
            number.ok_or(format!("{word}: not a number that fits here"))
        };
        match key {
            "order" => words.map(|word| Ok(SCRIPT_CARD + number(word, 0..SEATS as u8)?)).collect(),
            "dice" => words.map(|word| number(word, 1..7)).collect(),
            "races" => words
                .map(|word| {
                    let race = RACES.iter().position(|race| race.id() == word);
                    Ok(RACE_CARD + race.ok_or(format!("{word}: no race of a player"))? as u8)
                })
                .collect(),
            "cultures" => words
                .map(|word| Ok(CULTURE_CARD + Culture::by_id(word).ok_or(format!("{word}: no culture"))? as u8))
                .collect(),
            _ => boxes(value),
        }
    }

    fn exchange(line: &str) -> Told<Option<Exchange>> {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let named = || rest.split_once(' ').ok_or(format!("{first} whom?"));
        Ok(match first {
            "login" => Some(Exchange::Login(list(rest))),
            "table" => named().map(|(room, users)| Some(Exchange::Table(room.to_string(), list(users))))?,
            "begin" => named().map(|(room, users)| Some(Exchange::Begin(room.to_string(), list(users))))?,
            "play" => {
                let (user, lines) = named()?;
                Some(Exchange::Play(user.to_string(), lines.split("; ").map(str::to_string).collect()))
            }
            _ => None,
        })
    }

    fn hold(runner: &mut Runner<'_, Self>, exchange: &Exchange) -> Told {
        runner.all_quiet()?;
        match exchange {
            Exchange::Login(users) => users.iter().try_for_each(|user| login(runner, user)),
            Exchange::Table(room, users) => table(runner, room, users),
            Exchange::Begin(room, users) => {
                table(runner, room, users)?;
                users.iter().try_for_each(|user| play(runner, user, "JOIN"))?;
                play(runner, &users[0], "VALIDATESETUP")?;
                users.iter().try_for_each(|user| play(runner, user, "LIKEOPTIONS"))
            }
            Exchange::Play(user, lines) => lines.iter().try_for_each(|line| play(runner, user, line)),
        }
    }

    fn has_joined(mirror: &Mirror) -> bool {
        mirror.user.is_some()
    }

    fn note(runner: &mut Runner<'_, Self>, link: usize, line: &[u8]) {
        if let Some(user) = line.strip_prefix(b"GUIIAM,") {
            runner.links[link].mirror.user = Some(String::from_utf8_lossy(user).trim_end().to_string());
        }
    }

    fn client_data(out: &mut dyn std::io::Write, _games: u8) -> Told {
        super::client_data::tell(out)
    }

    fn messages() -> Vec<Message> {
        let is_event = |name: &str| EVENTS.iter().any(|(event, _)| *event == name);
        let said = ACTIONS.iter().map(|(name, _)| Message {
            name: name.to_string(),
            by_client: true,
            by_server: is_event(name),
        });
        let only_heard = EVENTS.iter().filter(|(name, _)| !ACTIONS.iter().any(|(action, _)| action == name));
        let heard = only_heard.map(|(name, _)| Message { name: name.to_string(), by_client: false, by_server: true });
        said.chain(heard).collect()
    }

    fn kind(line: &[u8], _from_client: bool) -> Option<String> {
        let name = line.strip_suffix(b"\n")?.split(|byte| *byte == b',').next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    fn read(line: &[u8], from_client: bool) -> Reading {
        reading::line(line, from_client)
    }
}

/// The markers of these names, one after the other; where there are several of a name, another one each time.
fn boxes(value: &str) -> Told<Vec<u8>> {
    let mut laid = Vec::new();
    for name in value.split(',').map(str::trim) {
        let is_it = |(place, marker): (usize, &Contents)| !laid.contains(&place) && marker_name(marker) == name;
        let place = MARKERS.iter().enumerate().position(is_it).ok_or(format!("{name}: no marker is left of these"))?;
        laid.push(place);
    }
    Ok(laid.into_iter().map(|place| MARKER_CARD + place as u8).collect())
}

fn marker_name(marker: &Contents) -> String {
    match *marker {
        Contents::Telegate(number) => format!("Telegate {number}"),
        Contents::Station(_) => "Station".to_string(),
        Contents::Penalty(Colour::Blue, sum) => format!("Penalty B {sum}"),
        Contents::Penalty(Colour::Yellow, sum) => format!("Penalty Y {sum}"),
        Contents::Penalty(Colour::Red, sum) => format!("Penalty R {sum}"),
        Contents::Asteroid(relic) => format!("Asteroid {}", relic.map_or("", |relic| relic.name())),
    }
}

fn login(runner: &mut Runner<'_, Dialect>, user: &str) -> Told {
    runner.connect(user)?;
    let at = runner.link(user)?;
    runner.send(at, &format!("LOGIN,{user},pw"))?;
    runner.links[at].lenient = true;
    runner.hear_at(at, &format!("GUIIAM,{user}"))?;
    catch_up(runner, at)
}

fn table(runner: &mut Runner<'_, Dialect>, room: &str, users: &[String]) -> Told {
    play(runner, &users[0], &format!("NEWROOM,{room}"))?;
    users.iter().try_for_each(|user| play(runner, user, &format!("CHANGEROOM,{room}")))?;
    play(runner, &users[0], "NEWGAME,MerchantOfVenus")
}

/// One line of one of them; everything that follows is let pass.
fn play(runner: &mut Runner<'_, Dialect>, user: &str, line: &str) -> Told {
    let at = runner.link(user)?;
    runner.send(at, line)?;
    catch_up(runner, at)
}

/// Everybody hears all that has been said to them, however long it takes; first the one who has just acted. What one says
/// to oneself comes after everything that was said before.
fn catch_up(runner: &mut Runner<'_, Dialect>, first: usize) -> Told {
    let others = (0..runner.links.len()).filter(|at| *at != first);
    for at in [first].into_iter().chain(others) {
        let link = &runner.links[at];
        let Some(user) = link.mirror.user.clone().filter(|_| link.has_joined()) else { continue };
        runner.send(at, &format!("PLAYERTALK,{user},so far"))?;
        runner.links[at].lenient = true;
        runner.hear_at(at, &format!("MESSAGE,({user}) so far"))?;
        runner.links[at].lenient = false;
    }
    Ok(())
}

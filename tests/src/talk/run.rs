//! Holds a conversation with any backend and says, readably, where it went another way.
//!
//! Every link's lines must come in the order of the lines that mention it, and no other line may come. Nothing is ever
//! compared across links: on a network their order means nothing.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::parse::{Conversation, Step};
use crate::peer::{Backend, Peer};

/// How many lines of the talk a failure repeats.
const LAST_LINES: usize = 24;

/// The first words of all that was said and heard, tags left out: what the files cover.
pub type Heard = BTreeSet<String>;

struct Link {
    name: String,
    peer: Box<dyn Peer>,
    unread: Vec<u8>,
    /// Whatever comes before the next expected line is let pass.
    lenient: bool,
    open: bool,
    reading: bool,
}

struct Runner<'a> {
    backend: &'a mut dyn Backend,
    links: Vec<Link>,
    transcript: Vec<String>,
    heard: &'a mut Heard,
    /// The two players of the game begun last, and whose turn it was when last heard of.
    pair: Vec<String>,
    turn: String,
    /// Who said something last.
    speaker: String,
}

type Told<T = ()> = Result<T, String>;

impl Conversation {
    /// Says and hears every line of it.
    pub fn run(&self, backend: &mut dyn Backend, heard: &mut Heard) -> Told {
        let (pair, turn, speaker) = (Vec::new(), String::new(), String::new());
        let mut runner = Runner { backend, links: Vec::new(), transcript: Vec::new(), heard, pair, turn, speaker };
        let mut last = 0;
        let mut result = Ok(());
        for (number, step) in &self.steps {
            last = *number;
            result = runner.step(step);
            if result.is_err() {
                break;
            }
        }
        let result = result.and_then(|()| {
            runner.backend.settle();
            runner.all_quiet()
        });
        result.map_err(|why| {
            let from = runner.transcript.len().saturating_sub(LAST_LINES);
            let talk = runner.transcript[from..].join("\n    ");
            format!("{}:{last}: {why}\n  {}\n  the talk so far ends with\n    {talk}", self.file, self.title)
        })
    }
}

impl Runner<'_> {
    fn step(&mut self, step: &Step) -> Told {
        match step {
            Step::Hears(who, line) => self.each(who, |runner, at| runner.hear(at, line)),
            Step::HearsAnything(who) => self.each(who, |runner, at| {
                runner.links[at].lenient = true;
                Ok(())
            }),
            Step::HearsNothing(who) => {
                self.backend.settle();
                self.each(who, Self::quiet)
            }
            Step::HearsClose(who) => self.each(who, Self::hear_close),
            _ => {
                self.all_quiet()?;
                self.act(step)
            }
        }
    }

    /// Everything by which the clients move the game on.
    fn act(&mut self, step: &Step) -> Told {
        match step {
            Step::Connect(names) => names.iter().try_for_each(|name| self.connect(name)),
            Step::Login(names) => names.iter().try_for_each(|name| self.login(name)),
            Step::Begin(game, players) => self.begin(game, players),
            Step::Play(moves) => moves.iter().try_for_each(|step| self.play(step)),
            Step::HangsUp(name) => {
                let at = self.find(name)?;
                self.links[at].peer.hang_up();
                self.links[at].open = false;
                self.backend.settle();
                Ok(())
            }
            Step::StopsReading(name, stop) => {
                let at = self.find(name)?;
                self.links[at].peer.stop_reading(*stop);
                self.links[at].reading = !stop;
                Ok(())
            }
            Step::Wait(time) => {
                self.backend.wait(time.as_millis() as u64);
                self.transcript.push(format!("({time:?} pass)"));
                Ok(())
            }
            Step::Say(who, line) => self.each(who, |runner, at| {
                runner.say(at, line);
                Ok(())
            }),
            Step::SayBytes(who, bytes) => self.each(who, |runner, at| {
                runner.transcript.push(format!("{} > {} bytes", runner.links[at].name, bytes.len()));
                runner.links[at].peer.send(bytes);
                runner.backend.settle();
                Ok(())
            }),
            _ => Ok(()),
        }
    }

    fn find(&self, name: &str) -> Told<usize> {
        self.links.iter().position(|link| link.name == name).ok_or(format!("{name} is not connected"))
    }

    fn each(&mut self, who: &[String], mut act: impl FnMut(&mut Self, usize) -> Told) -> Told {
        who.iter().try_for_each(|name| {
            let at = self.find(name)?;
            act(self, at)
        })
    }

    fn connect(&mut self, name: &str) -> Told {
        if self.links.iter().any(|link| link.name == name && link.open) {
            return Err(format!("{name} is connected already"));
        }
        self.links.retain(|link| link.name != name);
        let (name, peer) = (name.to_string(), self.backend.connect());
        self.links.push(Link { name, peer, unread: Vec::new(), lenient: false, open: true, reading: true });
        Ok(())
    }

    fn login(&mut self, name: &str) -> Told {
        self.connect(name)?;
        let at = self.find(name)?;
        for line in ["protocol 2.0", &format!("login {name} pw")] {
            self.say(at, line);
            self.hear(at, "- ok")?;
        }
        Ok(())
    }

    fn begin(&mut self, game: &str, players: &[String]) -> Told {
        for (n, player) in players.iter().enumerate() {
            let at = self.find(player)?;
            self.say(at, &if n == 0 { format!("newgame {game} standard") } else { format!("join {game}") });
            self.links[at].lenient = true;
            self.hear(at, "- ok")?;
        }
        self.backend.settle();
        for player in players {
            let at = self.find(player)?;
            self.say(at, "votestart True");
        }
        self.backend.settle();
        // Everybody hears until the game has begun, and those in the lobby that it has.
        for at in 0..self.links.len() {
            let name = self.links[at].name.clone();
            let last = if players.contains(&name) { "* turn X".to_string() } else { String::new() };
            self.skip_to(at, &last)?;
        }
        (self.pair, self.turn) = (players.to_vec(), "X".to_string());
        Ok(())
    }

    /// One move of a game of two, by whoever's turn it is; everything that follows is let pass.
    fn play(&mut self, step: &str) -> Told {
        let [x, detectives] = &self.pair[..] else { return Err("play is for a game of two".to_string()) };
        let who = if self.turn == "X" { x } else { detectives };
        let at = self.find(&who.clone())?;
        self.say(at, &format!("move {step}"));
        self.hear(at, "- ok")?;
        self.backend.settle();
        (0..self.links.len()).try_for_each(|at| self.skip_to(at, ""))
    }

    /// Hears everything that has come, up to and with `last` if it is not empty.
    fn skip_to(&mut self, at: usize, last: &str) -> Told {
        if !self.links[at].open || !self.links[at].reading {
            return Ok(());
        }
        loop {
            let patience = if last.is_empty() { Duration::ZERO } else { self.backend.patience() };
            match self.next_line(at, patience) {
                Some(line) if line == last => return Ok(()),
                Some(_) => {}
                None if last.is_empty() => return Ok(()),
                None => return Err(format!("{} should have heard {last}", self.links[at].name)),
            }
        }
    }

    fn say(&mut self, at: usize, line: &str) {
        // Between two links a network keeps no order: what one said is heard before the other speaks.
        if self.links.get(at).is_some_and(|link| link.name != self.speaker) {
            self.backend.settle();
            self.speaker.clone_from(&self.links[at].name);
        }
        let link = &mut self.links[at];
        self.transcript.push(format!("{} > {line}", link.name));
        link.peer.send(format!("{line}\r\n").as_bytes());
        let word = line.split_whitespace().find(|word| !word.starts_with('#')).unwrap_or_default();
        self.heard.insert(word.to_string());
    }

    /// The next line if it has come, or comes within `patience`.
    fn next_line(&mut self, at: usize, patience: Duration) -> Option<String> {
        let end = Instant::now() + patience;
        let link = &mut self.links[at];
        loop {
            if let Some(length) = link.unread.windows(2).position(|two| two == b"\r\n") {
                let line: Vec<u8> = link.unread.drain(..length + 2).take(length).collect();
                let line = String::from_utf8_lossy(&line).into_owned();
                self.transcript.push(format!("{} < {line}", link.name));
                let mut words = line.split_whitespace();
                let tag = words.next().unwrap_or_default();
                let kind = if tag == "*" { "* " } else { "" };
                self.heard.insert(format!("{kind}{}", words.next().unwrap_or_default()));
                if let Some(pawn) = line.strip_prefix("* turn ") {
                    self.turn = pawn.to_string();
                }
                return Some(line);
            }
            let left = end.saturating_duration_since(Instant::now());
            let more = link.peer.arrived(left);
            if more.is_empty() && (left.is_zero() || link.peer.is_closed()) {
                return None;
            }
            link.unread.extend(more);
        }
    }

    fn hear(&mut self, at: usize, expected: &str) -> Told {
        let patience = self.backend.patience();
        let lenient = std::mem::take(&mut self.links[at].lenient);
        let name = self.links[at].name.clone();
        loop {
            match self.next_line(at, patience) {
                Some(line) if line == expected => return Ok(()),
                Some(_) if lenient => {}
                Some(line) => return Err(format!("{name} should hear\n    {expected}\n  but heard\n    {line}")),
                None => return Err(format!("{name} should hear\n    {expected}\n  but nothing came")),
            }
        }
    }

    fn hear_close(&mut self, at: usize) -> Told {
        let end = Instant::now() + self.backend.patience();
        let name = self.links[at].name.clone();
        loop {
            let lenient = self.links[at].lenient;
            match self.next_line(at, Duration::ZERO) {
                Some(line) if !lenient => return Err(format!("{name} should be closed but heard\n    {line}")),
                Some(_) => continue,
                None if self.links[at].peer.is_closed() => break,
                None if Instant::now() >= end => return Err(format!("{name} should be closed and is not")),
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        self.links[at].open = false;
        self.transcript.push(format!("{name} < closed"));
        Ok(())
    }

    /// Nothing has come that no line mentions.
    fn quiet(&mut self, at: usize) -> Told {
        let link = &mut self.links[at];
        if !link.open || link.lenient || !link.reading {
            return Ok(());
        }
        let name = link.name.clone();
        match self.next_line(at, Duration::ZERO) {
            Some(line) => Err(format!("{name} heard what no line mentions\n    {line}")),
            None if self.links[at].peer.is_closed() => Err(format!("{name} was closed, which no line mentions")),
            None => Ok(()),
        }
    }

    fn all_quiet(&mut self) -> Told {
        (0..self.links.len()).try_for_each(|at| self.quiet(at))
    }
}

//! Holds a conversation with any backend and says, readably, where it went another way.
//!
//! Every link's lines must come in the order of the lines that mention it, and no other line may come. Nothing is ever
//! compared across links: on a network their order means nothing.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::parse::{Conversation, Step};
use crate::peer::{Backend, Talk};
use crate::report::{self, Told, Transcript};

/// The first words of all that was said and heard, tags left out: what the files cover.
pub type Heard = BTreeSet<String>;

struct Link {
    name: String,
    talk: Talk,
    /// Whatever comes before the next expected line is let pass.
    lenient: bool,
    open: bool,
    reading: bool,
}

struct Runner<'a> {
    backend: &'a mut dyn Backend,
    links: Vec<Link>,
    transcript: Transcript,
    heard: &'a mut Heard,
    /// Something was said and nothing heard since: another link's next words might overtake it.
    unanswered: bool,
    /// The two players of the game begun last, and whose turn it was when last heard of.
    pair: Vec<String>,
    turn: String,
}

impl Conversation {
    /// Says and hears every line of it.
    pub fn run(&self, backend: &mut dyn Backend, heard: &mut Heard) -> Told {
        let mut runner = Runner {
            backend,
            links: Vec::new(),
            transcript: Transcript::default(),
            heard,
            unanswered: false,
            pair: Vec::new(),
            turn: String::new(),
        };
        report::hold(&mut runner, (&self.file, &self.title), &self.steps)
    }
}

impl report::Runner for Runner<'_> {
    type Step = Step;

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

    fn end(&mut self) -> Told {
        self.backend.settle();
        self.all_quiet()
    }

    fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

impl Runner<'_> {
    /// Everything by which the clients move the game on.
    fn act(&mut self, step: &Step) -> Told {
        match step {
            Step::Connect(names) => names.iter().try_for_each(|name| self.connect(name)),
            Step::Login(names) => names.iter().try_for_each(|name| self.login(name)),
            Step::Begin(game, players) => self.begin(game, players),
            Step::Play(moves) => moves.iter().try_for_each(|step| self.play(step)),
            Step::HangsUp(name) => {
                let at = self.find(name)?;
                self.settle();
                self.links[at].talk.hang_up();
                self.links[at].open = false;
                self.backend.settle();
                Ok(())
            }
            Step::StopsReading(name, stop) => {
                let at = self.find(name)?;
                self.links[at].talk.peer().stop_reading(*stop);
                self.links[at].reading = !stop;
                Ok(())
            }
            Step::Wait(time) => {
                // What was said before counts as said before.
                self.settle();
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
                runner.send(at, bytes);
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
        self.settle();
        let (name, talk) = (name.to_string(), Talk::new(self.backend));
        self.links.push(Link { name, talk, lenient: false, open: true, reading: true });
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
        for player in players {
            let at = self.find(player)?;
            self.say(at, "votestart True");
            self.links[at].lenient = true;
            self.hear(at, "- ok")?;
        }
        // Everybody hears that the game has begun, those in the lobby too.
        self.catch_up()?;
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
        self.catch_up()
    }

    /// Everybody hears all that has been said to them, however long it takes: what comes after the answer to a command
    /// was said after it.
    fn catch_up(&mut self) -> Told {
        for at in 0..self.links.len() {
            if self.links[at].open && self.links[at].reading {
                self.send(at, b"#0 noop\r\n");
                let lenient = std::mem::replace(&mut self.links[at].lenient, true);
                self.hear(at, "#0 ok")?;
                self.links[at].lenient = lenient;
            }
        }
        Ok(())
    }

    fn send(&mut self, at: usize, bytes: &[u8]) {
        self.settle();
        self.links[at].talk.send(bytes);
        self.unanswered = true;
    }

    fn settle(&mut self) {
        if std::mem::take(&mut self.unanswered) {
            self.backend.settle();
        }
    }

    fn say(&mut self, at: usize, line: &str) {
        self.transcript.push(format!("{} > {line}", self.links[at].name));
        self.send(at, format!("{line}\r\n").as_bytes());
        let word = line.split_whitespace().find(|word| !word.starts_with('#')).unwrap_or_default();
        self.heard.insert(word.to_string());
    }

    /// The next line if it has come, or comes within `patience`.
    fn next_line(&mut self, at: usize, patience: Duration) -> Option<String> {
        let line = self.links[at].talk.try_line(patience)?;
        self.unanswered = false;
        self.transcript.push(format!("{} < {line}", self.links[at].name));
        let mut words = line.split_whitespace();
        let kind = if words.next() == Some("*") { "* " } else { "" };
        self.heard.insert(format!("{kind}{}", words.next().unwrap_or_default()));
        if let Some(pawn) = line.strip_prefix("* turn ") {
            self.turn = pawn.to_string();
        }
        Some(line)
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
                None if self.links[at].talk.peer().is_closed() => break,
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
            None if self.links[at].talk.peer().is_closed() => Err(format!("{name} was closed, which no line mentions")),
            None => Ok(()),
        }
    }

    fn all_quiet(&mut self) -> Told {
        (0..self.links.len()).try_for_each(|at| self.quiet(at))
    }
}

//! Holds a conversation with any backend and says, readably, where it went another way.
//!
//! Every link's messages must come in the order of the lines that mention it, and no other message may come. Nothing is
//! ever compared across links: on a network their order means nothing.

use std::collections::VecDeque;
use std::time::Duration;

use parlor_core::game::Game;
use parlor_core::settings::Settings as _;

use super::parse::{Step, What};
use super::{Conversation, Coverage, Dialect, Limits, Setup, Talk, Told, Who, Wire};
use crate::peer::{self, Backend, InMemory};

/// How many lines of the talk a failure repeats.
const LAST_LINES: usize = 24;

/// One connection, as its client sees it.
pub struct Link<D: Dialect> {
    pub name: String,
    talk: peer::Talk,
    heard: VecDeque<Vec<u8>>,
    /// Whatever comes before the next expected line is let pass.
    pub lenient: bool,
    pub reading: bool,
    pub open: bool,
    pub mirror: D::Mirror,
    /// What is left of a message that was sent by half.
    rest: Vec<u8>,
}

impl<D: Dialect> Link<D> {
    /// Reads, and is among `all`.
    pub fn has_joined(&self) -> bool {
        self.open && self.reading && D::has_joined(&self.mirror)
    }

    fn next(&mut self, patience: Duration) -> Option<Vec<u8>> {
        self.heard.pop_front().or_else(|| self.talk.try_message(patience, D::Wire::cut))
    }
}

/// A conversation being held.
pub struct Runner<'a, D: Dialect> {
    backend: &'a mut dyn Backend,
    pub links: Vec<Link<D>>,
    pub wire: D::Wire,
    pub dialect: D,
    /// All that was said and heard so far.
    transcript: Vec<String>,
    coverage: &'a mut Coverage,
    /// Something was sent and nothing heard since: another link's next words might overtake it.
    unanswered: bool,
}

impl<D: Dialect> Talk for Conversation<D> {
    fn file(&self) -> &str {
        &self.file
    }
    fn setup(&self) -> &Setup {
        &self.setup
    }
    fn waits(&self) -> Duration {
        self.waited()
    }
    fn is_text(&self) -> bool {
        self.says_only_text()
    }
    fn settings(&self) -> Told<Vec<(&'static str, String)>> {
        let (config, mut settings) = (self.config()?, Vec::new());
        <D::Board as Game>::Config::each(&mut |row| {
            settings.push((row.name, config.shown(row).to_string()));
        });
        Ok(settings)
    }
    fn in_memory(&self, piece: usize) -> Told<Box<dyn Backend>> {
        match self.setup.limits {
            Limits::Any | Limits::Board => begun::<D::Board>(&self.setup, &self.config()?, piece),
            Limits::Host => begun::<D::Host>(&self.setup, &self.config()?, piece),
        }
    }
    fn run(&self, backend: &mut dyn Backend, coverage: &mut Coverage) -> Told {
        let mut runner = Runner::<D> {
            backend,
            links: Vec::new(),
            wire: Default::default(),
            dialect: D::default(),
            transcript: Vec::new(),
            coverage,
            unanswered: false,
        };
        for (line, step) in &self.steps {
            runner.step(step).map_err(|why| self.failure(&runner, *line, &why))?;
        }
        let last = self.steps.last().map_or(0, |(line, _)| *line);
        runner.end().map_err(|why| self.failure(&runner, last, &why))
    }
}

fn begun<G: Game + 'static>(setup: &Setup, config: &G::Config, piece: usize) -> Told<Box<dyn Backend>> {
    let memory = InMemory::in_pieces(Box::new(G::NEW), piece);
    {
        let mut driver = memory.driver.borrow_mut();
        let now = driver.now;
        driver.server.begin(&setup.seed, config, now);
    }
    Ok(Box::new(memory))
}

impl<D: Dialect> Conversation<D> {
    fn failure(&self, runner: &Runner<'_, D>, line: usize, why: &str) -> String {
        let said = &runner.transcript;
        let end = said[said.len().saturating_sub(LAST_LINES)..].join("\n    ");
        format!("{}:{line}: {why}\n  {}\n  the talk so far ends with\n    {end}", self.file, self.title)
    }
}

/// What a dialect's exchanges are made of.
impl<D: Dialect> Runner<'_, D> {
    pub fn connect(&mut self, name: &str) -> Told {
        if self.links.iter().any(|link| link.name == name && link.open) {
            return Err(format!("{name} is connected already"));
        }
        self.links.retain(|link| link.name != name);
        self.settle();
        self.links.push(Link {
            name: name.to_string(),
            talk: peer::Talk::new(self.backend),
            heard: VecDeque::new(),
            lenient: false,
            reading: true,
            open: true,
            mirror: D::Mirror::default(),
            rest: Vec::new(),
        });
        Ok(())
    }

    /// Parses and sends, once everybody has heard no more than was mentioned.
    pub fn say(&mut self, from: &str, text: &str) -> Told {
        self.all_quiet()?;
        let at = self.link(from)?;
        self.send(at, text)
    }

    /// Parses and sends, whatever others have heard.
    pub fn send(&mut self, at: usize, text: &str) -> Told {
        let bytes = self.wire.bytes(&D::Wire::parse(text, 1)?)?;
        self.send_bytes(at, &bytes, 1);
        Ok(())
    }

    /// Parses, expects.
    pub fn hear(&mut self, who: &Who, text: &str) -> Told {
        let line = D::Wire::parse(text, 1)?;
        self.each(who, |runner, at| runner.hear_line(at, &line))
    }

    pub fn hear_at(&mut self, at: usize, text: &str) -> Told {
        self.hear_line(at, &D::Wire::parse(text, 1)?)
    }

    /// The next message of a link, taken note of; `None` if none comes.
    pub fn take(&mut self, at: usize) -> Option<Vec<u8>> {
        let message = self.links[at].next(self.backend.patience())?;
        self.unanswered = false;
        self.cover(&message, false);
        D::note(self, at, &message);
        self.transcript.push(format!("{} < {}", self.links[at].name, self.wire.show(&message)));
        Some(message)
    }

    pub fn wait(&mut self, time: Duration) {
        // What was said before counts as said before.
        self.settle();
        self.backend.wait(time.as_millis() as u64);
        self.transcript.push(format!("({time:?} pass)"));
    }

    pub fn link(&self, name: &str) -> Told<usize> {
        self.links.iter().position(|link| link.name == name).ok_or_else(|| format!("nobody called {name} is connected"))
    }

    pub fn each(&mut self, who: &Who, what: impl FnMut(&mut Self, usize) -> Told) -> Told {
        let joined = self.links.iter().filter(|link| link.has_joined()).map(|link| link.name.clone());
        let names: Vec<String> = match who {
            Who::All => joined.collect(),
            Who::Others(but) => joined.filter(|name| !but.contains(name)).collect(),
            Who::These(names) => names.clone(),
        };
        self.each_of(&names, what)
    }

    /// Before anybody goes on: whatever has come must have been mentioned.
    pub fn all_quiet(&mut self) -> Told {
        (0..self.links.len()).try_for_each(|at| self.nothing_unmentioned(at))
    }
}

impl<D: Dialect> Runner<'_, D> {
    fn step(&mut self, step: &Step<D>) -> Told {
        match step {
            Step::Exchange(exchange) => return D::hold(self, exchange),
            Step::Hears { who, times, what } => {
                return (0..*times).try_for_each(|_| self.each(who, |runner, at| runner.hear_what(at, what)));
            }
            Step::HearsAnything(who) => {
                return self.each(who, |runner, at| {
                    runner.links[at].lenient = true;
                    Ok(())
                });
            }
            Step::HearsNothing(who) => {
                self.backend.settle();
                return self.each(who, Self::nothing_unmentioned);
            }
            Step::HearsClose(who) => return self.each(who, Self::hear_close),
            _ => self.all_quiet()?,
        }
        self.act(step)
    }

    /// Everything by which the clients move the game on.
    fn act(&mut self, step: &Step<D>) -> Told {
        match step {
            Step::Connect(names) => names.iter().try_for_each(|name| self.connect(name)),
            Step::HangsUp(names) => self.each_of(names, |runner, at| {
                runner.settle();
                runner.links[at].talk.hang_up();
                runner.links[at].open = false;
                runner.unanswered = true;
                Ok(())
            }),
            Step::StopsReading(names, stop) => self.each_of(names, |runner, at| {
                runner.links[at].talk.peer().stop_reading(*stop);
                runner.links[at].reading = !stop;
                Ok(())
            }),
            Step::Wait(time) => {
                self.wait(*time);
                Ok(())
            }
            Step::Send { from, times, what } => {
                let bytes = self.bytes(what)?;
                self.each_of(from, |runner, at| {
                    runner.send_bytes(at, &bytes, *times);
                    Ok(())
                })
            }
            Step::SendHalf { from, what } => {
                let bytes = self.bytes(what)?;
                let (half, rest) = bytes.split_at(bytes.len().div_ceil(2));
                self.each_of(from, |runner, at| {
                    runner.links[at].rest = rest.to_vec();
                    runner.send_bytes(at, half, 1);
                    Ok(())
                })
            }
            Step::SendRest(from) => self.each_of(from, |runner, at| {
                let rest = std::mem::take(&mut runner.links[at].rest);
                runner.links[at].talk.send(&rest);
                Ok(())
            }),
            _ => Ok(()),
        }
    }

    fn end(&mut self) -> Told {
        self.backend.settle();
        self.all_quiet()?;
        D::end(self)
    }

    fn bytes(&self, what: &What<D>) -> Told<Vec<u8>> {
        match what {
            What::Line(line) => self.wire.bytes(line),
            What::Raw(bytes) => Ok(bytes.clone()),
        }
    }

    fn send_bytes(&mut self, at: usize, bytes: &[u8], times: usize) {
        self.settle();
        self.links[at].talk.send(&bytes.repeat(times));
        self.unanswered = true;
        (0..times).for_each(|_| self.cover(bytes, true));
        let many = if times > 1 { format!("{times} x ") } else { String::new() };
        self.transcript.push(format!("{} > {many}{}", self.links[at].name, self.wire.show(bytes)));
    }

    fn cover(&mut self, message: &[u8], from_client: bool) {
        if let Some(kind) = D::kind(message, from_client) {
            self.coverage.note(kind, from_client);
        }
    }

    fn settle(&mut self) {
        if std::mem::take(&mut self.unanswered) {
            self.backend.settle();
        }
    }

    fn each_of(&mut self, names: &[String], mut what: impl FnMut(&mut Self, usize) -> Told) -> Told {
        names.iter().try_for_each(|name| {
            let at = self.link(name)?;
            what(self, at)
        })
    }

    fn hear_what(&mut self, at: usize, what: &What<D>) -> Told {
        match what {
            What::Line(line) => self.hear_line(at, line),
            What::Raw(bytes) => match self.take(at) {
                Some(message) if message == *bytes => Ok(()),
                got => Err(format!(
                    "{} should hear the bytes\n    {bytes:02x?}\n  but heard\n    {got:02x?}",
                    self.links[at].name
                )),
            },
        }
    }

    fn hear_line(&mut self, at: usize, line: &<D::Wire as Wire>::Line) -> Told {
        loop {
            let heard = self.take(at);
            if let Some(message) = &heard
                && self.wire.matches(line, message)?
            {
                self.links[at].lenient = false;
                return Ok(());
            }
            let (name, expected) = (&self.links[at].name, self.wire.show_line(line));
            match heard {
                None => return Err(format!("{name} should hear\n    {expected}\n  but nothing came")),
                Some(_) if self.links[at].lenient => {}
                Some(message) => {
                    let got = self.wire.show(&message);
                    return Err(format!("{name} should hear\n    {expected}\n  but heard\n    {got}"));
                }
            }
        }
    }

    fn hear_close(&mut self, at: usize) -> Told {
        let link = &mut self.links[at];
        link.talk.peer().stop_reading(false);
        // Who stopped reading, or asked for leniency, may have been told more than the close.
        while let Some(message) = self.links[at].next(self.backend.patience()) {
            let link = &self.links[at];
            if link.reading && !link.lenient {
                return Err(format!("{} should be closed but heard\n    {}", link.name, self.wire.show(&message)));
            }
            self.cover(&message, false);
        }
        let link = &mut self.links[at];
        if !link.talk.peer().is_closed() {
            return Err(format!("{} should be closed and is not", link.name));
        }
        link.open = false;
        self.unanswered = false;
        self.transcript.push(format!("{} < closed", link.name));
        Ok(())
    }

    fn nothing_unmentioned(&mut self, at: usize) -> Told {
        let link = &mut self.links[at];
        if !link.open || !link.reading {
            return Ok(());
        }
        while let Some(message) = link.talk.try_message(Duration::ZERO, D::Wire::cut) {
            link.heard.push_back(message);
        }
        if let Some(message) = link.heard.front().filter(|_| !link.lenient) {
            return Err(format!("{} heard what no line mentions\n    {}", link.name, self.wire.show(message)));
        }
        if link.heard.is_empty() && link.talk.peer().is_closed() {
            return Err(format!("{} was closed, which no line mentions", link.name));
        }
        Ok(())
    }
}

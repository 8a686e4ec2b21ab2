//! Holds a conversation with any backend and says, readably, where it went another way.
//!
//! Every link's frames must come in the order of the lines that mention it, and no other frame may come. Nothing is
//! ever compared across links: on a network their order means nothing.

use std::collections::VecDeque;
use std::time::Duration;

use super::coverage::Coverage;
use super::ledger::Ledger;
use super::parse::{Conversation, Step, Who};
use super::text::{Line, Names, Value, decode, entry_of, show, words};
use crate::peer::{Backend, Talk};
use crate::report::{self, Told, Transcript};

/// A table answers at most one REQUEST_STATE a second (pimp 16.6).
const DUMP_PAUSE: u64 = 1_100;

/// One connection, as its client sees it.
pub(super) struct Link {
    pub(super) name: String,
    talk: Talk,
    heard: VecDeque<Vec<u8>>,
    /// The user it speaks for, once it was welcomed.
    pub(super) user: Option<u8>,
    /// Whatever comes before the next expected line is let pass.
    lenient: bool,
    reading: bool,
    pub(super) open: bool,
    pub(super) ledger: Ledger,
    /// What is left of a frame that was sent by half.
    rest: Vec<u8>,
}

/// A conversation being held.
pub(super) struct Runner<'a> {
    backend: &'a mut dyn Backend,
    pub(super) links: Vec<Link>,
    pub(super) names: Names,
    transcript: Transcript,
    coverage: &'a mut Coverage,
    /// Something was sent and nothing heard since: another link's next words might overtake it.
    unanswered: bool,
}

impl Conversation {
    /// Says and hears every line of it.
    pub fn run(&self, backend: &mut dyn Backend, coverage: &mut Coverage) -> Told {
        let mut runner = Runner {
            backend,
            links: Vec::new(),
            names: Names::default(),
            transcript: Transcript::default(),
            coverage,
            unanswered: false,
        };
        report::hold(&mut runner, (&self.file, &self.title), &self.steps)
    }
}

impl report::Runner for Runner<'_> {
    type Step = Step;

    fn step(&mut self, step: &Step) -> Told {
        match step {
            Step::Hears { who, times, line } => (0..*times).try_for_each(|_| self.hear_line(who, line)),
            Step::HearsRaw { who, bytes } => self.each(who, |runner, at| runner.hear_bytes(at, bytes)),
            Step::HearsDump(who) => self.each(who, Self::hear_dump),
            Step::HearsClose(who) => self.each(who, Self::hear_close),
            Step::HearsAnything(who) => self.each(who, |runner, at| {
                runner.links[at].lenient = true;
                Ok(())
            }),
            Step::HearsNothing(who) => {
                self.backend.settle();
                self.each(who, Self::nothing_unmentioned)
            }
            Step::Moves { who, player, dice, to, back } => self.moves(who, player, *dice, *to, *back),
            Step::Buys { player, deed, price } => self.buys(player, *deed, *price),
            Step::Declines { player, deed, price } => self.declines(player, *deed, *price),
            Step::Cash(wanted) => self.cash(wanted),
            _ => {
                self.all_quiet()?;
                self.act(step)
            }
        }
    }

    fn end(&mut self) -> Told {
        self.adds_up()
    }

    fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

impl Runner<'_> {
    /// Everything by which the clients move the game on.
    fn act(&mut self, step: &Step) -> Told {
        match step {
            Step::Join { names, play } => names.iter().try_for_each(|name| self.join(name, *play)),
            Step::Connect(names) => names.iter().try_for_each(|name| self.connect(name)),
            Step::HangsUp(names) => self.each_of(names, |runner, at| {
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
                // What was said before counts as said before.
                self.settle();
                self.backend.wait(time.as_millis() as u64);
                self.transcript.push(format!("({time:?} pass)"));
                Ok(())
            }
            Step::Send { from, times, line } => {
                let frame = line.frame(&self.names)?;
                self.each_of(from, |runner, at| runner.send(at, &frame.repeat(*times), &frame, *times))
            }
            Step::SendRaw { from, times, bytes } => {
                self.each_of(from, |runner, at| runner.send(at, &bytes.repeat(*times), bytes, *times))
            }
            Step::SendHalf { from, line } => {
                let frame = line.frame(&self.names)?;
                let (half, rest) = frame.split_at(frame.len().div_ceil(2));
                self.each_of(from, |runner, at| {
                    runner.links[at].rest = rest.to_vec();
                    runner.send(at, half, &frame, 1)
                })
            }
            Step::SendRest(from) => self.each_of(from, |runner, at| {
                let rest = std::mem::take(&mut runner.links[at].rest);
                runner.links[at].talk.send(&rest);
                Ok(())
            }),
            Step::Throws { player, dice, to } => {
                self.say(player, "THROW_DICE")?;
                self.moves(&Who::All, player, Some(*dice), *to, false)
            }
            Step::Trade { first, second } => self.trade(first, second),
            Step::Offers { from, to, trade, offer } => self.put_in(from, offer, to, trade),
            _ => Ok(()),
        }
    }

    pub(super) fn connect(&mut self, name: &str) -> Told {
        if self.links.iter().any(|link| link.name == name && link.open) {
            return Err(format!("{name} is connected already"));
        }
        self.links.retain(|link| link.name != name);
        self.settle();
        self.links.push(Link {
            name: name.to_string(),
            talk: Talk::new(self.backend),
            heard: VecDeque::new(),
            user: None,
            lenient: false,
            reading: true,
            open: true,
            ledger: Ledger::default(),
            rest: Vec::new(),
        });
        Ok(())
    }

    /// Parses, sends.
    pub(super) fn say(&mut self, from: &str, text: &str) -> Told {
        self.all_quiet()?;
        let frame = Line::parse(&words(text))?.frame(&self.names)?;
        let at = self.link(from)?;
        self.send(at, &frame, &frame, 1)
    }

    /// Parses, expects.
    pub(super) fn hear(&mut self, who: &Who, text: &str) -> Told {
        self.hear_line(who, &Line::parse(&words(text))?)
    }

    fn send(&mut self, at: usize, bytes: &[u8], frame: &[u8], times: usize) -> Told {
        self.settle();
        self.links[at].talk.send(bytes);
        self.unanswered = true;
        (0..times).filter(|_| !frame.is_empty()).for_each(|_| self.coverage.sent(frame));
        let many = if times > 1 { format!("{times} x ") } else { String::new() };
        self.transcript.push(format!("{} > {many}{}", self.links[at].name, show(frame, &self.names)));
        Ok(())
    }

    fn settle(&mut self) {
        if std::mem::take(&mut self.unanswered) {
            self.backend.settle();
        }
    }

    pub(super) fn link(&self, name: &str) -> Result<usize, String> {
        self.links.iter().position(|link| link.name == name).ok_or_else(|| format!("nobody called {name} is connected"))
    }

    fn each_of(&mut self, names: &[String], mut what: impl FnMut(&mut Self, usize) -> Told) -> Told {
        names.iter().try_for_each(|name| {
            let at = self.link(name)?;
            what(self, at)
        })
    }

    pub(super) fn each(&mut self, who: &Who, what: impl FnMut(&mut Self, usize) -> Told) -> Told {
        let joined = self.links.iter().filter(|link| link.user.is_some() && link.open && link.reading);
        let joined = joined.map(|link| link.name.clone());
        let names: Vec<String> = match who {
            Who::All => joined.collect(),
            Who::Others(but) => joined.filter(|name| !but.contains(name)).collect(),
            Who::These(names) => names.clone(),
        };
        self.each_of(&names, what)
    }

    fn hear_line(&mut self, who: &Who, line: &Line) -> Told {
        self.each(who, |runner, at| runner.hear_at(at, line))
    }

    fn hear_at(&mut self, at: usize, line: &Line) -> Told {
        loop {
            let Some(frame) = self.take(at) else {
                return Err(format!(
                    "{} should hear\n    {}\n  but nothing came",
                    self.links[at].name,
                    line.show(&self.names)
                ));
            };
            if line.matches(&frame, &mut self.names)? {
                self.links[at].lenient = false;
                return Ok(());
            }
            if !self.links[at].lenient {
                let (name, got) = (&self.links[at].name, show(&frame, &self.names));
                return Err(format!("{name} should hear\n    {}\n  but heard\n    {got}", line.show(&self.names)));
            }
        }
    }

    fn hear_bytes(&mut self, at: usize, bytes: &[u8]) -> Told {
        match self.take(at) {
            Some(frame) if frame == bytes => Ok(()),
            got => Err(format!(
                "{} should hear the bytes\n    {bytes:02x?}\n  but heard\n    {got:02x?}",
                self.links[at].name
            )),
        }
    }

    /// STATE_BOARD begins a dump, STATE_POT ends it (the document's own words).
    pub(super) fn hear_dump(&mut self, at: usize) -> Told {
        self.hear_at(at, &Line::parse(&words("STATE_BOARD 0"))?)?;
        loop {
            let frame = self.take(at).ok_or_else(|| format!("{}: the dump has no end", self.links[at].name))?;
            match entry_of(frame[0]).map(|entry| entry.name) {
                Some("STATE_POT") => return Ok(()),
                Some(name) if name.starts_with("STATE_") || name == "DELTA_BANK" => {}
                _ => return Err(format!("{} in a dump: {}", self.links[at].name, show(&frame, &self.names))),
            }
        }
    }

    fn hear_close(&mut self, at: usize) -> Told {
        let link = &mut self.links[at];
        link.talk.peer().stop_reading(false);
        let mut patience = self.backend.patience();
        // Who stopped reading, or asked for leniency, may have been told more than the close.
        while let Some(frame) = link.heard.pop_front().or_else(|| link.talk.try_frame(patience)) {
            if link.reading && !link.lenient {
                return Err(format!("{} should be closed but heard\n    {}", link.name, show(&frame, &self.names)));
            }
            self.coverage.received(&frame);
            patience = self.backend.patience();
        }
        if !link.talk.peer().is_closed() {
            return Err(format!("{} should be closed and is not", link.name));
        }
        link.open = false;
        self.unanswered = false;
        self.transcript.push(format!("{} < closed", link.name));
        Ok(())
    }

    /// The next frame of a link, taken note of.
    fn take(&mut self, at: usize) -> Option<Vec<u8>> {
        let patience = self.backend.patience();
        let link = &mut self.links[at];
        let frame = link.heard.pop_front().or_else(|| link.talk.try_frame(patience))?;
        self.unanswered = false;
        self.note(at, &frame);
        Some(frame)
    }

    /// Learns names and passwords, and what the link's client now believes.
    fn note(&mut self, at: usize, frame: &[u8]) {
        self.coverage.received(frame);
        let link = &mut self.links[at];
        link.ledger.add(frame);
        let entry = entry_of(frame[0]);
        let values = entry.and_then(|entry| decode(entry, &frame[2..])).unwrap_or_default();
        match (entry.map(|entry| entry.name), &values[..]) {
            (Some("WELCOME_DETAILS"), [Value::Number(id), Value::Number(password)]) => {
                link.user = Some(*id as u8);
                self.names.users.insert(link.name.clone(), *id as u8);
                self.names.bound.insert(format!("{}_password", link.name), *password);
            }
            (Some("WELCOME_BACK"), [Value::Number(id), ..]) => link.user = Some(*id as u8),
            (
                Some("WELCOME_PLAYER" | "WELCOME_OBSERVER" | "STATE_PLAYER" | "STATE_OBSERVER"),
                [Value::Number(id), _, Value::Text(name), ..],
            ) => {
                let name = String::from_utf8_lossy(name).into_owned();
                if !self.names.users.values().any(|known| u32::from(*known) == *id) {
                    self.names.users.insert(name, *id as u8);
                }
            }
            _ => {}
        }
        self.transcript.push(format!("{} < {}", self.links[at].name, show(frame, &self.names)));
    }

    /// Before anybody goes on: whatever has come must have been mentioned.
    fn all_quiet(&mut self) -> Told {
        (0..self.links.len()).try_for_each(|at| self.nothing_unmentioned(at))
    }

    fn nothing_unmentioned(&mut self, at: usize) -> Told {
        let link = &mut self.links[at];
        if !link.open || !link.reading {
            return Ok(());
        }
        while let Some(frame) = link.talk.try_frame(Duration::ZERO) {
            link.heard.push_back(frame);
        }
        if let Some(frame) = link.heard.front().filter(|_| !link.lenient) {
            return Err(format!("{} heard what no line mentions\n    {}", link.name, show(frame, &self.names)));
        }
        if link.heard.is_empty() && link.talk.peer().is_closed() {
            return Err(format!("{} was closed, which no line mentions", link.name));
        }
        Ok(())
    }

    /// At the end everybody asks for the state, and it must be what they believed (pimp 14.1).
    fn adds_up(&mut self) -> Told {
        self.backend.settle();
        self.all_quiet()?;
        let joined = |link: &Link| link.user.is_some() && link.open && link.reading;
        if !self.links.iter().any(joined) {
            return Ok(());
        }
        self.backend.wait(DUMP_PAUSE);
        for at in 0..self.links.len() {
            if !joined(&self.links[at]) {
                continue;
            }
            let ask = Line::parse(&words("REQUEST_STATE"))?.frame(&self.names)?;
            self.send(at, &ask, &ask, 1)?;
            let board = Line::parse(&words("STATE_BOARD 0"))?;
            let believed = loop {
                let believed = self.links[at].ledger.clone();
                let frame = self.take(at).ok_or("no dump came at the end")?;
                if board.matches(&frame, &mut self.names)? {
                    break believed;
                }
            };
            while self.take(at).ok_or("the last dump has no end")?[0] != 0x1f {}
            self.links[at].lenient = true;
            if believed != self.links[at].ledger {
                let (name, told) = (&self.links[at].name, &self.links[at].ledger);
                return Err(format!("{name} added up\n    {believed:?}\n  but the state is\n    {told:?}"));
            }
        }
        Ok(())
    }
}

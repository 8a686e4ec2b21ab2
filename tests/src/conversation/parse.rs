//! A conversation's file, line by line. What the lines mean is said in tests/conversations/README.md.

use std::time::Duration;

use parlor_core::dice;
use parlor_core::game::Game;
use parlor_core::settings::Settings as _;

use super::{Dialect, Told, Wire};

/// A whole file.
pub struct Conversation<D: Dialect> {
    pub file: String,
    /// What it shows, and the sections it holds the server to.
    pub title: String,
    pub setup: Setup,
    pub(super) steps: Vec<(usize, Step<D>)>,
}

/// The server a conversation wants to be held with.
#[derive(Clone, Debug)]
pub struct Setup {
    pub seed: [u8; 32],
    pub limits: Limits,
    /// By the names of the server's settings.
    pub options: Vec<(String, String)>,
    pub needs: Vec<Need>,
}

/// What not every backend has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A connection that holds a kilobyte or so on its way, not a kernel's megabytes.
    SmallWindow,
    /// Minutes pass: where time is real, that takes them.
    Patience,
}

/// How large a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limits {
    /// Any will do.
    #[default]
    Any,
    /// What a microcontroller serves: only so small a server shows it.
    Board,
    /// What a PC serves.
    Host,
}

/// To or from whom.
#[derive(Clone, Debug)]
pub enum Who {
    /// Every link that has joined.
    All,
    /// Every link that has joined but these.
    Others(Vec<String>),
    These(Vec<String>),
}

/// What one line asks for.
pub(super) enum Step<D: Dialect> {
    Connect(Vec<String>),
    HangsUp(Vec<String>),
    StopsReading(Vec<String>, bool),
    Wait(Duration),
    Send {
        from: Vec<String>,
        times: usize,
        what: What<D>,
    },
    /// The first half of a message; the rest follows with [`Step::SendRest`].
    SendHalf {
        from: Vec<String>,
        what: What<D>,
    },
    SendRest(Vec<String>),
    Hears {
        who: Who,
        times: usize,
        what: What<D>,
    },
    /// Whatever comes before the next line that these links must hear.
    HearsAnything(Who),
    HearsNothing(Who),
    HearsClose(Who),
    Exchange(D::Exchange),
}

/// A message, or bytes that may be none.
pub(super) enum What<D: Dialect> {
    Line(<D::Wire as Wire>::Line),
    Raw(Vec<u8>),
}

impl<D: Dialect> Conversation<D> {
    pub fn parse(file: &str, text: &str) -> Told<Self> {
        let title = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        if !title.contains(&format!("({} ", D::Board::NAME)) && !title.contains("(the document") {
            return Err(format!(
                "{file}:1: the first line is a title with what it cites: # Title ({} …)",
                D::Board::NAME
            ));
        }
        let mut header = Header::default();
        let mut steps = Vec::new();
        let mut last_who = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = D::Wire::without_comment(line.trim()).trim();
            let failed = |e| format!("{file}:{number}: {e}");
            if line.is_empty() || (steps.is_empty() && header.take::<D>(line).map_err(failed)?) {
                continue;
            }
            // A line that begins with an arrow is heard by the same as the line before.
            let line = if line.starts_with(['<', '~']) { format!("{last_who} {line}") } else { line.to_string() };
            if let Some((who, '<' | '~', _)) = arrow(&line) {
                last_who = who.to_string();
            }
            steps.push((number, step(&line).map_err(failed)?));
        }
        let setup = header.setup::<D>().map_err(|e| format!("{file}: {e}"))?;
        Ok(Self { file: file.to_string(), title: title.to_string(), setup, steps })
    }

    /// The settings of its server; an error names an option that it has not.
    pub fn config(&self) -> Told<<D::Board as Game>::Config> {
        let mut config = D::Board::BOARD;
        for (name, value) in &self.setup.options {
            config.set(name, value).map_err(|why| format!("{}: {name}={value}: {why:?}", self.file))?;
        }
        Ok(config)
    }

    pub(super) fn waited(&self) -> Duration {
        let waits = |step: &Step<D>| if let Step::Wait(time) = step { *time } else { Duration::ZERO };
        self.steps.iter().map(|(_, step)| waits(step)).sum()
    }

    pub(super) fn says_only_text(&self) -> bool {
        self.steps.iter().all(|(_, step)| match step {
            Step::Send { what: What::Raw(bytes), .. } => std::str::from_utf8(bytes).is_ok(),
            _ => true,
        })
    }
}

#[derive(Default)]
struct Header {
    script: Vec<u8>,
    limits: Limits,
    needs: Vec<Need>,
    options: Vec<(String, String)>,
}

impl Header {
    /// Takes a line of the header; `false` if it is none.
    fn take<D: Dialect>(&mut self, line: &str) -> Told<bool> {
        let Some((key, value)) = line.split_once(':') else { return Ok(false) };
        let value = value.trim();
        match key {
            "needs" => self.needs.push(match value {
                "a small window" => Need::SmallWindow,
                "patience" => Need::Patience,
                other => return Err(format!("{other}: no backend is known by this")),
            }),
            "limits" => {
                self.limits = match value {
                    "board" => Limits::Board,
                    "host" => Limits::Host,
                    other => return Err(format!("{other}: limits are board or host")),
                };
            }
            "options" => {
                for option in value.split_whitespace() {
                    let (name, value) = option.split_once('=').ok_or("an option is written name=value")?;
                    self.options.push((name.to_string(), value.to_string()));
                }
            }
            key if D::SCRIPTED.contains(&key) => self.script.extend(D::scripted(key, value)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn setup<D: Dialect>(self) -> Told<Setup> {
        let seed = dice::script(&self.script).ok_or("a script is longer than a seed")?;
        let calm = D::CALM.iter().map(|name| (name.to_string(), "0".to_string()));
        let options = calm.chain(self.options).collect();
        Ok(Setup { seed, limits: self.limits, options, needs: self.needs })
    }
}

/// `3s` or `500ms`.
fn time(text: &str) -> Told<Duration> {
    match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(ms), _) => number(ms).map(Duration::from_millis),
        (_, Some(s)) => number(s).map(Duration::from_secs),
        _ => Err(format!("{text}: a time is written 3s or 500ms")),
    }
}

pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Told<T> {
    text.parse().map_err(|_| format!("{text}: not a number that fits here"))
}

/// `0a`, or `0a*20` for twenty of them.
fn bytes(words: &str) -> Told<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in words.split_whitespace() {
        let (byte, times) = word.split_once('*').unwrap_or((word, "1"));
        let byte = u8::from_str_radix(byte, 16).map_err(|_| format!("{word}: no byte"))?;
        bytes.extend(std::iter::repeat_n(byte, number(times)?));
    }
    Ok(bytes)
}

pub(crate) fn list(text: &str) -> Vec<String> {
    text.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_string).collect()
}

impl Who {
    pub fn parse(text: &str) -> Self {
        match text.split_once(' ') {
            _ if text == "all" => Self::All,
            Some(("others", but)) => Self::Others(list(but)),
            _ => Self::These(list(text)),
        }
    }

    pub fn only(name: &str) -> Self {
        Self::These(vec![name.to_string()])
    }
}

/// The first arrow of a line, what stands before it and what behind it.
pub(crate) fn arrow(line: &str) -> Option<(&str, char, &str)> {
    let arrows = [" > ", " < ", " ~ "].into_iter().filter_map(|arrow| line.find(arrow));
    let at = arrows.min()?;
    let (who, rest) = line.split_at(at);
    Some((who.trim(), rest.chars().nth(1)?, rest.get(3..)?))
}

fn step<D: Dialect>(line: &str) -> Told<Step<D>> {
    match arrow(line) {
        Some((from, '>', what)) => return sent(list(from), what),
        Some((who, '<', what)) => return heard(Who::parse(who), what),
        _ => {}
    }
    if let Some(exchange) = D::exchange(line)? {
        return Ok(Step::Exchange(exchange));
    }
    Ok(match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["connect", ref names @ ..] => Step::Connect(list(&names.join(" "))),
        [names, "hangs", "up"] => Step::HangsUp(list(names)),
        [names, "stops", "reading"] => Step::StopsReading(list(names), true),
        [names, "reads", "again"] => Step::StopsReading(list(names), false),
        ["wait", length] => Step::Wait(time(length)?),
        _ => return Err(format!("{line}: not understood")),
    })
}

/// `3 x something`. Somebody may be called x.
fn times(text: &str) -> Told<(usize, &str)> {
    match text.split_once(" x ") {
        Some((times, rest)) if times.bytes().all(|digit| digit.is_ascii_digit()) => Ok((number(times)?, rest)),
        _ => Ok((1, text)),
    }
}

fn what<D: Dialect>(text: &str, times: usize) -> Told<What<D>> {
    Ok(match text.strip_prefix("raw ") {
        Some(words) => What::Raw(bytes(words)?),
        None => What::Line(D::Wire::parse(text, times)?),
    })
}

fn sent<D: Dialect>(from: Vec<String>, text: &str) -> Told<Step<D>> {
    if text == "rest" {
        return Ok(Step::SendRest(from));
    }
    if let Some(text) = text.strip_prefix("half ") {
        return Ok(Step::SendHalf { from, what: what(text, 1)? });
    }
    let (times, text) = times(text)?;
    Ok(Step::Send { from, times, what: what(text, times)? })
}

fn heard<D: Dialect>(who: Who, text: &str) -> Told<Step<D>> {
    Ok(match text {
        "..." => Step::HearsAnything(who),
        "nothing" => Step::HearsNothing(who),
        "closed" => Step::HearsClose(who),
        _ => {
            let (times, text) = times(text)?;
            Step::Hears { who, times, what: what(text, 1)? }
        }
    })
}

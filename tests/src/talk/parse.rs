//! A conversation's file, line by line. What the lines mean is said in tests/conversations/yard/README.md.

use std::time::Duration;

use parlor_core::dice;
use parlor_core::yard::map::{STARTS, Station};

/// A whole file.
#[derive(Clone, Debug)]
pub struct Conversation {
    pub file: String,
    pub title: String,
    pub setup: Setup,
    pub steps: Vec<(usize, Step)>,
}

/// The server a conversation wants to be held with.
#[derive(Clone, Debug)]
pub struct Setup {
    pub seed: [u8; 32],
    /// By the names of the server's settings; times in milliseconds.
    pub options: Vec<(String, u64)>,
    /// Lines of 512 bytes and many games, or what a board has.
    pub host: bool,
    /// Only a server as small as a board's shows what is to be shown.
    pub board: bool,
}

#[derive(Clone, Debug)]
pub enum Step {
    Connect(Vec<String>),
    /// Connects, names the protocol and logs in with the password `pw`.
    Login(Vec<String>),
    /// Makes a game, joins it, votes: its name, then its players, Mr. X first.
    Begin(String, Vec<String>),
    /// Moves of a game of two, unchecked.
    Play(Vec<String>),
    HangsUp(String),
    StopsReading(String, bool),
    Wait(Duration),
    Say(Vec<String>, String),
    SayBytes(Vec<String>, Vec<u8>),
    Hears(Vec<String>, String),
    HearsAnything(Vec<String>),
    HearsNothing(Vec<String>),
    HearsClose(Vec<String>),
}

type Parsed<T> = Result<T, String>;

impl Conversation {
    pub fn parse(file: &str, text: &str) -> Parsed<Self> {
        let title = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        if !title.contains("(yard ") && !title.contains("(the document") {
            return Err(format!("{file}:1: the first line is a title with what it cites: # Title (yard 1)"));
        }
        let mut header = Header::default();
        let mut steps = Vec::new();
        let mut last_who = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            let failed = |e| format!("{file}:{number}: {e}");
            if line.is_empty() || line.starts_with('#') || (steps.is_empty() && header.take(line).map_err(failed)?) {
                continue;
            }
            // A line that begins with an arrow is heard by the same as the line before.
            let line = if line.starts_with("< ") { format!("{last_who} {line}") } else { line.to_string() };
            if let Some((who, _)) = line.split_once(" < ") {
                last_who = who.to_string();
            }
            steps.push((number, step(&line).map_err(failed)?));
        }
        Ok(Self { file: file.to_string(), title: title.to_string(), setup: header.setup()?, steps })
    }

    /// Says nothing that is no text.
    pub fn is_text(&self) -> bool {
        let is_text = |step: &Step| !matches!(step, Step::SayBytes(_, bytes) if std::str::from_utf8(bytes).is_err());
        self.steps.iter().all(|(_, step)| is_text(step))
    }
}

#[derive(Default)]
struct Header {
    starts: Vec<u8>,
    options: Vec<(String, u64)>,
    host: bool,
    board: bool,
}

impl Header {
    /// Takes a line of the header; `false` if it is none.
    fn take(&mut self, line: &str) -> Parsed<bool> {
        let Some((key, value)) = line.split_once(": ") else { return Ok(false) };
        match key {
            "starts" => {
                for word in value.split_whitespace() {
                    let station = word.parse().ok().and_then(Station::new);
                    let place = STARTS.iter().position(|start| Some(*start) == station);
                    self.starts.push(0x80 + place.ok_or(format!("{word}: nobody starts there"))? as u8);
                }
            }
            "options" => {
                for option in value.split_whitespace() {
                    let (name, value) = option.split_once('=').ok_or("an option is written name=value")?;
                    self.options.push((name.to_string(), quantity(value)?));
                }
            }
            "limits" if value == "host" => self.host = true,
            "limits" if value == "board" => self.board = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn setup(self) -> Parsed<Setup> {
        let seed = dice::script(&self.starts).ok_or("a seed has room for 24 starts")?;
        // Files talk faster than people do: what slows people down is off unless a file asks for it.
        let calm = ["rate"].map(|name| (name.to_string(), 0));
        let Self { host, board, .. } = self;
        Ok(Setup { seed, options: calm.into_iter().chain(self.options).collect(), host, board })
    }
}

/// `3`, `3s` or `500ms`.
fn quantity(text: &str) -> Parsed<u64> {
    let number = |text: &str| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
    match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(ms), _) => number(ms),
        (_, Some(s)) => number(s).map(|s| 1000 * s),
        _ => number(text),
    }
}

fn names(text: &str) -> Vec<String> {
    text.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_string).collect()
}

fn step(line: &str) -> Parsed<Step> {
    if let Some((who, said)) = line.split_once(" > ") {
        return say(names(who), said);
    }
    if let Some((who, heard)) = line.split_once(" < ") {
        let who = names(who);
        return Ok(match heard {
            "..." => Step::HearsAnything(who),
            "nothing" => Step::HearsNothing(who),
            "closed" => Step::HearsClose(who),
            line => Step::Hears(who, line.to_string()),
        });
    }
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    match (first, rest) {
        ("connect", who) => Ok(Step::Connect(names(who))),
        ("login", who) => Ok(Step::Login(names(who))),
        ("begin", rest) => {
            let (game, players) = rest.split_once(' ').ok_or("begin GAME PLAYER PLAYER")?;
            Ok(Step::Begin(game.to_string(), names(players)))
        }
        ("play", moves) => Ok(Step::Play(moves.split(',').map(|step| step.trim().to_string()).collect())),
        ("wait", time) => Ok(Step::Wait(Duration::from_millis(quantity(time)?))),
        (who, "hangs up") => Ok(Step::HangsUp(who.to_string())),
        (who, "stops reading") => Ok(Step::StopsReading(who.to_string(), true)),
        (who, "reads again") => Ok(Step::StopsReading(who.to_string(), false)),
        _ => Err(format!("{line}: not understood")),
    }
}

/// A line as it stands, `raw` bytes, or `600 x a` without an end.
fn say(who: Vec<String>, said: &str) -> Parsed<Step> {
    if let Some(bytes) = said.strip_prefix("raw ") {
        let byte = |word: &str| u8::from_str_radix(word, 16).map_err(|e| format!("{word}: {e}"));
        return Ok(Step::SayBytes(who, bytes.split_whitespace().map(byte).collect::<Parsed<_>>()?));
    }
    if let Some((times, text)) = said.split_once(" x ")
        && let Ok(times) = times.parse::<usize>()
    {
        return Ok(Step::SayBytes(who, text.repeat(times).into_bytes()));
    }
    Ok(Step::Say(who, said.to_string()))
}

//! A conversation's file, line by line. What the lines mean is said in tests/conversations/README.md.

use std::time::Duration;

use parlor_core::dice;

use super::text::{Line, words};

/// A whole file.
#[derive(Clone, Debug)]
pub struct Conversation {
    pub file: String,
    /// What it shows, and the sections it holds the server to.
    pub title: String,
    pub setup: Setup,
    pub steps: Vec<(usize, Step)>,
}

/// The table a conversation wants to be held at.
#[derive(Clone, Debug)]
pub struct Setup {
    pub seed: [u8; 32],
    pub limits: Limits,
    /// By the names of the table's settings; times in milliseconds.
    pub options: Vec<(String, u64)>,
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

/// How large a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limits {
    /// Any will do.
    #[default]
    Any,
    /// 8 users, 10 links: what a microcontroller serves.
    Board,
    /// 32 users.
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

/// What a side puts into a trade.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    pub cash: u32,
    pub deeds: Vec<u8>,
    pub cards: Vec<u8>,
}

#[derive(Clone, Debug)]
pub enum Step {
    /// Connects, joins and votes, with the whole exchange checked.
    Join {
        names: Vec<String>,
        play: bool,
    },
    Connect(Vec<String>),
    HangsUp(Vec<String>),
    StopsReading(Vec<String>, bool),
    Wait(Duration),
    Send {
        from: Vec<String>,
        times: usize,
        line: Line,
    },
    SendRaw {
        from: Vec<String>,
        times: usize,
        bytes: Vec<u8>,
    },
    /// The first half of a frame; the rest follows with [`Step::SendRest`].
    SendHalf {
        from: Vec<String>,
        line: Line,
    },
    SendRest(Vec<String>),
    Hears {
        who: Who,
        times: usize,
        line: Line,
    },
    HearsRaw {
        who: Who,
        bytes: Vec<u8>,
    },
    /// Whatever comes before the next line that these links must hear.
    HearsAnything(Who),
    HearsNothing(Who),
    HearsClose(Who),
    HearsDump(Who),
    /// Dice, the squares on the way and the landing.
    Moves {
        who: Who,
        player: String,
        dice: Option<(u8, u8)>,
        to: u8,
        back: bool,
    },
    Throws {
        player: String,
        dice: (u8, u8),
        to: u8,
    },
    Buys {
        player: String,
        deed: u8,
        price: u32,
    },
    /// Not bought, and nobody bids.
    Declines {
        player: String,
        deed: u8,
        price: u32,
    },
    Trade {
        first: (String, Offer),
        second: (String, Offer),
    },
    /// Puts things into an open trade, by its `$name`.
    Offers {
        from: String,
        to: String,
        trade: String,
        offer: Offer,
    },
    Cash(Vec<(String, i64)>),
}

type Parsed<T> = Result<T, String>;

impl Conversation {
    pub fn parse(file: &str, text: &str) -> Parsed<Self> {
        let title = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        if !title.contains("(pimp ") {
            return Err(format!("{file}:1: the first line is a title with the sections it cites: # Title (pimp 7)"));
        }
        let mut header = Header::default();
        let mut steps = Vec::new();
        let mut last_who = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = without_comment(line).trim();
            if line.is_empty()
                || (steps.is_empty() && header.take(line).map_err(|e| format!("{file}:{number}: {e}"))?)
            {
                continue;
            }
            // A line that begins with an arrow is heard by the same as the line before.
            let line = if line.starts_with(['<', '~']) { format!("{last_who} {line}") } else { line.to_string() };
            if let Some((who, _)) = line.split_once(" < ").or(line.split_once(" ~ ")) {
                last_who = who.to_string();
            }
            steps.push((number, step(&line).map_err(|e| format!("{file}:{number}: {e}"))?));
        }
        Ok(Self { file: file.to_string(), title: title.to_string(), setup: header.setup()?, steps })
    }

    /// How long it lets time pass, all in all.
    pub fn waits(&self) -> Duration {
        let waits = |step: &Step| if let Step::Wait(time) = step { *time } else { Duration::ZERO };
        self.steps.iter().map(|(_, step)| waits(step)).sum()
    }
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let comment = line.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '#' && !quoted
    });
    comment.map_or(line, |(at, _)| &line[..at])
}

#[derive(Default)]
struct Header {
    throws: Vec<u8>,
    cards: Vec<u8>,
    limits: Limits,
    needs: Vec<Need>,
    options: Vec<(String, u64)>,
}

impl Header {
    /// Takes a line of the header; `false` if it is none.
    fn take(&mut self, line: &str) -> Parsed<bool> {
        let Some((key, value)) = line.split_once(':') else { return Ok(false) };
        match key {
            "dice" => {
                for throw in value.split(',') {
                    let dice: Vec<u8> = throw.split_whitespace().filter_map(|die| die.parse().ok()).collect();
                    let [a @ 1..=6, b @ 1..=6] = dice[..] else { return Err(format!("{throw}: two dice, please")) };
                    self.throws.push(a << 4 | b);
                }
            }
            "chance" | "chest" => {
                for card in value.split_whitespace() {
                    self.cards.push(0x80 + number::<u8>(card)?);
                }
            }
            "needs" => self.needs.push(match value.trim() {
                "a small window" => Need::SmallWindow,
                "patience" => Need::Patience,
                other => return Err(format!("{other}: no backend is known by this")),
            }),
            "limits" => {
                self.limits = match value.trim() {
                    "board" => Limits::Board,
                    "host" => Limits::Host,
                    other => return Err(format!("{other}: limits are board or host")),
                };
            }
            "options" => {
                for option in value.split_whitespace() {
                    let (name, value) = option.split_once('=').ok_or("an option is written name=value")?;
                    self.options.push((name.to_string(), quantity(value)?));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn setup(self) -> Parsed<Setup> {
        let seed =
            dice::script(&[self.throws, self.cards].concat()).ok_or("a seed has room for 24 throws and cards")?;
        // Files talk faster than people do: what is there to slow people down is off unless a file asks for it.
        let calm = ["rate", "claim_grace", "vote_pause"].map(|name| (name.to_string(), 0));
        let options = calm.into_iter().chain(self.options).collect();
        Ok(Setup { seed, limits: self.limits, options, needs: self.needs })
    }
}

/// `3`, `3s` or `500ms`; yes and no.
fn quantity(text: &str) -> Parsed<u64> {
    match (text, text.strip_suffix("ms"), text.strip_suffix('s')) {
        ("yes", ..) => Ok(1),
        ("no", ..) => Ok(0),
        (_, Some(ms), _) => number(ms),
        (_, _, Some(s)) => number::<u64>(s).map(|s| 1000 * s),
        _ => number(text),
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Parsed<T> {
    text.parse().map_err(|_| format!("{text}: not a number that fits here"))
}

/// `0a`, or `0a*20` for twenty of them.
fn bytes(words: &[String]) -> Parsed<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in words {
        let (byte, times) = word.split_once('*').unwrap_or((word, "1"));
        let byte = u8::from_str_radix(byte, 16).map_err(|_| format!("{word}: no byte"))?;
        bytes.extend(std::iter::repeat_n(byte, number(times)?));
    }
    Ok(bytes)
}

fn list(text: &str) -> Vec<String> {
    text.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_string).collect()
}

fn who(text: &str) -> Who {
    match text.split_once(' ') {
        _ if text == "all" => Who::All,
        Some(("others", but)) => Who::Others(list(but)),
        _ => Who::These(list(text)),
    }
}

fn step(line: &str) -> Parsed<Step> {
    if let Some((from, what)) = line.split_once(" > ") {
        return sent(list(from), &words(what));
    }
    if let Some((from, what)) = line.split_once(" < ") {
        return heard(who(from.trim()), &words(what));
    }
    if let Some((from, what)) = line.split_once(" ~ ") {
        return shortened(who(from.trim()), &words(what));
    }
    told(line)
}

fn times(words: &[String]) -> Parsed<(usize, &[String])> {
    match words {
        // Somebody may be called x.
        [n, x, rest @ ..] if x == "x" && n.starts_with(|c: char| c.is_ascii_digit()) => Ok((number(n)?, rest)),
        _ => Ok((1, words)),
    }
}

fn sent(from: Vec<String>, what: &[String]) -> Parsed<Step> {
    let (times, what) = times(what)?;
    Ok(match what.first().map(String::as_str) {
        Some("raw") => Step::SendRaw { from, times, bytes: bytes(&what[1..])? },
        Some("half") => Step::SendHalf { from, line: Line::parse(&what[1..])? },
        Some("rest") => Step::SendRest(from),
        _ => Step::Send { from, times, line: Line::parse(what)? },
    })
}

fn heard(who: Who, what: &[String]) -> Parsed<Step> {
    Ok(match what.first().map(String::as_str) {
        Some("raw") => Step::HearsRaw { who, bytes: bytes(&what[1..])? },
        Some("...") => Step::HearsAnything(who),
        Some("nothing") => Step::HearsNothing(who),
        Some("closed") => Step::HearsClose(who),
        _ => {
            let (times, what) = times(what)?;
            Step::Hears { who, times, line: Line::parse(what)? }
        }
    })
}

fn shortened(who: Who, what: &[String]) -> Parsed<Step> {
    let what: Vec<&str> = what.iter().map(String::as_str).collect();
    Ok(match what[..] {
        ["dump"] => Step::HearsDump(who),
        ["move", player, a, b, "to", to] => {
            let dice = Some((number(a)?, number(b)?));
            Step::Moves { who, player: player.to_string(), dice, to: number(to)?, back: false }
        }
        [way @ ("walk" | "back"), player, "to", to] => {
            Step::Moves { who, player: player.to_string(), dice: None, to: number(to)?, back: way == "back" }
        }
        _ => return Err(format!("{}: no short form", what.join(" "))),
    })
}

fn told(line: &str) -> Parsed<Step> {
    let all = words(line);
    let what: Vec<&str> = all.iter().map(String::as_str).collect();
    let name = |name: &str| name.to_string();
    Ok(match what[..] {
        ["players", ..] => Step::Join { names: all[1..].to_vec(), play: true },
        ["observers", ..] => Step::Join { names: all[1..].to_vec(), play: false },
        ["connect", ..] => Step::Connect(all[1..].to_vec()),
        [names, "hangs", "up"] => Step::HangsUp(list(names)),
        [names, "stops", "reading"] => Step::StopsReading(list(names), true),
        [names, "reads", "again"] => Step::StopsReading(list(names), false),
        ["wait", time] => Step::Wait(Duration::from_millis(quantity(time)?)),
        [player, "throws", a, b, "to", to] => {
            Step::Throws { player: name(player), dice: (number(a)?, number(b)?), to: number(to)? }
        }
        [player, "buys", deed, "for", price] => {
            Step::Buys { player: name(player), deed: number(deed)?, price: number(price)? }
        }
        [player, "declines", deed, "for", price] => {
            Step::Declines { player: name(player), deed: number(deed)?, price: number(price)? }
        }
        [from, "offers", to, trade, ref rest @ ..] => {
            Step::Offers { from: name(from), to: name(to), trade: name(trade), offer: offer(rest)? }
        }
        ["trade", first, ref rest @ ..] => {
            let cut = rest.iter().position(|word| *word == "for").ok_or("trade ann … for bob …")?;
            let (gives, takes) = rest.split_at(cut);
            let [_, second, takes @ ..] = takes else { return Err(name("trade ann … for bob …")) };
            Step::Trade { first: (name(first), offer(gives)?), second: (name(second), offer(takes)?) }
        }
        ["cash", ref rest @ ..] => {
            let pairs = rest.as_chunks::<2>().0.iter();
            Step::Cash(pairs.map(|pair| Ok((name(pair[0]), number(pair[1])?))).collect::<Parsed<_>>()?)
        }
        _ => return Err(format!("{line}: not understood")),
    })
}

fn offer(words: &[&str]) -> Parsed<Offer> {
    let mut offer = Offer::default();
    for pair in words.chunks(2) {
        match *pair {
            ["cash", cash] => offer.cash = number(cash)?,
            ["deed", deed] => offer.deeds.push(number(deed)?),
            ["card", card] => offer.cards.push(number(card)?),
            _ => return Err(format!("{}: an offer is cash 5, deed 3 or card 7", pair.join(" "))),
        }
    }
    Ok(offer)
}

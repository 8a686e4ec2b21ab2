//! Lines to commands and events, and back. They know no rule.

use core::fmt::{self, Display, Formatter};

use crate::rules::HEAPS;

/// The longest line that either end sends, its end counted.
pub const LINE_MAX: usize = 64;
pub const NAME_MAX: usize = 16;

/// What a client may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    Sit(&'a str),
    Take { heap: u8, count: u8 },
}

impl<'a> Command<'a> {
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let mut words = str::from_utf8(line).ok()?.split_ascii_whitespace();
        let command = match words.next()? {
            "sit" => Self::Sit(words.next().filter(|name| name.len() <= NAME_MAX)?),
            "take" => Self::Take { heap: words.next()?.parse().ok()?, count: words.next()?.parse().ok()? },
            _ => return None,
        };
        words.next().is_none().then_some(command)
    }
}

/// What the server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    Sits(&'a str),
    Heaps([u8; HEAPS]),
    Turn(&'a str),
    Won(&'a str),
    No(&'a str),
}

impl Display for Event<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sits(name) => writeln!(f, "sits {name}"),
            Self::Heaps([a, b, c]) => writeln!(f, "heaps {a} {b} {c}"),
            Self::Turn(name) => writeln!(f, "turn {name}"),
            Self::Won(name) => writeln!(f, "won {name}"),
            Self::No(reason) => writeln!(f, "no {reason}"),
        }
    }
}

impl<'a> Event<'a> {
    pub fn parse(line: &'a str) -> Option<Self> {
        let (word, rest) = line.trim_end().split_once(' ')?;
        Some(match word {
            "sits" => Self::Sits(rest),
            "heaps" => {
                let mut counts = rest.split(' ').map(str::parse);
                Self::Heaps([counts.next()?.ok()?, counts.next()?.ok()?, counts.next()?.ok()?])
            }
            "turn" => Self::Turn(rest),
            "won" => Self::Won(rest),
            "no" => Self::No(rest),
            _ => return None,
        })
    }
}

/// A line in a place of a fixed size.
pub struct Line {
    bytes: [u8; LINE_MAX],
    length: usize,
}

impl Line {
    pub fn of(event: Event<'_>) -> Self {
        let mut line = Self { bytes: [0; LINE_MAX], length: 0 };
        // The longest is `no` with its longest reason, which fits: a test says so.
        let _ = fmt::write(&mut line, format_args!("{event}"));
        line
    }
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let name = "x".repeat(NAME_MAX);
        for event in
            [Event::Sits(&name), Event::Heaps([255; 3]), Event::Turn("a"), Event::Won(&name), Event::No("not now")]
        {
            let line = Line::of(event);
            assert_eq!(Event::parse(str::from_utf8(line.bytes()).unwrap()), Some(event));
        }
        assert_eq!(Command::parse(b"take 1 2"), Some(Command::Take { heap: 1, count: 2 }));
        for odd in
            [&b""[..], b"take", b"take 1", b"take 1 2 3", b"take -1 2", b"sit", b"sit seventeen_letters", b"\xff"]
        {
            assert_eq!(Command::parse(odd), None, "{odd:?}");
        }
    }
}

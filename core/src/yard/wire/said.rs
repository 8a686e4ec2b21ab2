//! A line from the server: an answer to a command, or a status.

use super::field::Field;
use super::table::Status;
use crate::lines::{Tag, Words, Writer, split_tag};
use crate::yard::pieces::Pawn;

/// What a command is answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    Ok,
    /// Valid, but denied.
    No(&'a str),
    /// Not a command, or not now.
    Bad(&'a str),
    /// To `whoseturn`.
    Turn(Pawn),
    /// To `turnnum`, as the document has it.
    Number(u8),
    /// To `whatturnnum`, as London Law has it.
    TurnNum(u8),
    /// To `listai`, one for each kind of bot, before `ok` (yard 2.23).
    AiInfo(&'a str),
}

/// A line from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    Reply(Tag<'a>, Reply<'a>),
    Status(Status<'a>),
    /// `* history end`
    HistoryEnd,
    /// `* bad`: about a line that had no tag to answer with.
    Bad(&'a str),
}

impl<'a> Said<'a> {
    /// Reads a line without its end; `room` must be as long as the line. `None`: nothing that a server says.
    pub fn parse(line: &'a [u8], room: &'a mut [u8]) -> Option<Self> {
        if let Some(rest) = line.strip_prefix(b"* ") {
            if rest == b"history end" {
                return Some(Self::HistoryEnd);
            }
            return match behind(rest, b"bad") {
                Some(text) => reason(text, room).map(Self::Bad),
                None => Status::parse(Words::split(rest, room).ok()?).map(Self::Status),
            };
        }
        let (tag, rest) = match line.strip_prefix(b"- ") {
            Some(rest) => (Tag::NONE, rest),
            None => {
                let tagged = split_tag(line).ok().filter(|tagged| tagged.tag != Tag::NONE)?;
                (tagged.tag, tagged.rest.strip_prefix(b" ")?)
            }
        };
        Some(Self::Reply(tag, Reply::parse(rest, room)?))
    }

    /// A whole line; its length, or `None` if there is no room for it.
    pub fn write(&self, room: &mut [u8]) -> Option<usize> {
        let mut line = Writer::new(room);
        match self {
            Self::Reply(tag, reply) => {
                line.plain(tag.text());
                reply.put(&mut line);
            }
            Self::Status(status) => return status.write(room),
            Self::HistoryEnd => line.plain("* history end"),
            Self::Bad(reason) => {
                line.plain("* bad");
                line.quoted(reason);
            }
        }
        line.end()
    }
}

/// What stands behind this word, if the line begins with it.
fn behind<'a>(line: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(word)? {
        [b' ', text @ ..] => Some(text),
        [] => Some(&[]),
        _ => None,
    }
}

/// One word in quotes (yard 1.5), or free words as other servers have them.
fn reason<'a>(text: &'a [u8], room: &'a mut [u8]) -> Option<&'a str> {
    match text.first() {
        Some(b'"') => Words::split(text, room).ok()?.next(),
        _ => core::str::from_utf8(text).ok(),
    }
}

impl<'a> Reply<'a> {
    fn parse(text: &'a [u8], room: &'a mut [u8]) -> Option<Self> {
        if let Some(text) = behind(text, b"no") {
            return reason(text, room).map(Self::No);
        }
        if let Some(text) = behind(text, b"bad") {
            return reason(text, room).map(Self::Bad);
        }
        let mut words = Words::split(text, room).ok()?;
        match words.peek()? {
            "ok" => Some(Self::Ok),
            "turn" => {
                words.next();
                Pawn::take(&mut words).map(Self::Turn)
            }
            "turnnum" => {
                words.next();
                u8::take(&mut words).map(Self::TurnNum)
            }
            "aiinfo" => {
                words.next();
                words.next().map(Self::AiInfo)
            }
            _ => u8::take(&mut words).map(Self::Number),
        }
    }

    fn put(&self, line: &mut Writer<'_>) {
        match self {
            Self::Ok => line.plain("ok"),
            Self::No(reason) => {
                line.plain("no");
                line.quoted(reason);
            }
            Self::Bad(reason) => {
                line.plain("bad");
                line.quoted(reason);
            }
            Self::Turn(pawn) => {
                line.plain("turn");
                pawn.put(line);
            }
            Self::Number(turn) => turn.put(line),
            Self::TurnNum(turn) => {
                line.plain("turnnum");
                turn.put(line);
            }
            Self::AiInfo(name) => {
                line.plain("aiinfo");
                line.quoted(name);
            }
        }
    }
}

//! What core's codec makes of a line, value by value.

use parlor_core::lines::{Words, Writer, split_tag};
use parlor_core::protocol::{Kind, Part, Sender};
use parlor_core::yard::wire::{Command, NoCommand, PROTOCOL, Put, Reply, Said};

use crate::conversation::Reading;

pub fn command(line: &[u8]) -> Reading {
    let (Ok(tagged), mut room) = (split_tag(line), vec![0; line.len()]) else { return Reading::Unknown };
    let Ok(words) = Words::split(tagged.rest, &mut room) else { return Reading::Unknown };
    let name = words.clone().next().unwrap_or_default().to_string();
    match Command::parse(words) {
        Ok(command) => {
            let mut values = Values::of(Sender::Client, command.name());
            command.each_field(&mut |name, put| values.add(name, put));
            Reading::Message(name, values.told)
        }
        Err(NoCommand::Arguments) => Reading::Flawed(name),
        Err(NoCommand::Empty | NoCommand::Unknown) => Reading::Unknown,
    }
}

pub fn said(line: &[u8]) -> Reading {
    let mut room = vec![0; line.len()];
    let told = |name: &str, values: &[(&str, &str)]| {
        let values = values.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        Reading::Message(name.to_string(), values.collect())
    };
    match Said::parse(line, &mut room) {
        None => Reading::Unknown,
        Some(Said::HistoryEnd) => told("history end", &[]),
        Some(Said::Bad(reason)) => told("bad", &[("reason", reason)]),
        Some(Said::Status(status)) => {
            let mut values = Values::of(Sender::Server, status.name());
            status.each_field(&mut |name, put| values.add(name, put));
            Reading::Message(status.name().to_string(), values.told)
        }
        Some(Said::Reply(_, reply)) => match reply {
            Reply::Ok => told("ok", &[]),
            Reply::No(reason) => told("no", &[("reason", reason)]),
            Reply::Bad(reason) => told("bad", &[("reason", reason)]),
            Reply::Turn(pawn) => told("turn", &[("pawn", pawn.name())]),
            Reply::Number(turn) => told("number", &[("turn", &turn.to_string())]),
            Reply::TurnNum(turn) => told("turnnum", &[("turn", &turn.to_string())]),
            Reply::AiInfo(name) => told("aiinfo", &[("name", name)]),
        },
    }
}

/// The values of a line, by the names that the protocol's description has for them.
struct Values {
    parts: Vec<(&'static str, &'static [Part])>,
    told: Vec<(String, String)>,
}

impl Values {
    fn of(sender: Sender, name: &str) -> Self {
        let mut parts = Vec::new();
        (PROTOCOL.each)(&mut |message| {
            if (message.sender, message.name) == (sender, name) {
                parts = message.fields.iter().map(|field| (field.name, field.parts)).collect();
            }
        });
        Self { parts, told: Vec::new() }
    }

    /// A field as the codec writes it: a word for each part, or any number of them.
    fn add(&mut self, name: &'static str, put: Put<'_>) {
        let (mut room, mut words) = ([0; 2048], [0; 2048]);
        let mut line = Writer::new(&mut room);
        put(&mut line);
        let length = line.end().unwrap();
        let words = Words::split(room[..length].trim_ascii_end(), &mut words).unwrap();
        let (_, parts) = *self.parts.iter().find(|(field, _)| *field == name).unwrap();
        let is_any_number = matches!(parts, [Part { kind: Kind::Words, .. }]);
        for (nth, word) in words.enumerate() {
            let part = parts[if is_any_number { 0 } else { nth }].name;
            let name = if part.is_empty() { name.to_string() } else { format!("{name}.{part}") };
            self.told.push((name, word.to_string()));
        }
    }
}

//! What core's codec makes of a line, value by value.

use parlor_core::lines::{FieldWriter, Fields};
use parlor_core::venus::wire::{Action, Event, LINE_MAX, Put, Verb};

use crate::conversation::Reading;

pub fn line(line: &[u8], from_client: bool) -> Reading {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if from_client && line.len() > LINE_MAX {
        return Reading::Unknown;
    }
    let (mut room, mut values) = (vec![0; line.len()], Vec::new());
    let mut add = |name: &'static str, put: Put<'_>| values.push((name.into(), text(put)));
    if !from_client {
        let Some(event) = Event::parse(line, &mut room) else { return Reading::Unknown };
        event.each_field(&mut add);
        return Reading::Message(event.name().to_string(), values);
    }
    let Ok(mut fields) = Fields::split(line, &mut room) else { return Reading::Unknown };
    let Some(verb) = fields.next().and_then(Verb::named) else { return Reading::Unknown };
    match Action::parse(verb, fields) {
        Ok(action) => {
            action.each_field(&mut add);
            Reading::Message(verb.name().to_string(), values)
        }
        Err(_) => Reading::Flawed(verb.name().to_string()),
    }
}

/// A field as the codec writes it, read again.
fn text(put: Put<'_>) -> String {
    let (mut room, mut plain) = ([0; 4096], [0; 4096]);
    let mut line = FieldWriter::new("", &mut room);
    put(&mut line);
    let length = line.end().unwrap();
    let mut fields = Fields::split(&room[..length - 1], &mut plain).unwrap();
    fields.next().unwrap_or_default().to_string()
}

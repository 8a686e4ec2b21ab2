//! Messages as a person writes them, to bytes and back, by the table of the wire and nothing else.
//!
//! The codec of core is not used here: a fault in it would otherwise hide from every conversation.

use std::collections::BTreeMap;

use parlor_core::pimp::wire::{Entry, FieldEntry, Kind, TABLE};

use crate::conversation::{Told, Wire};
use crate::peer::cut_frame;

/// Byte fields that hold a user's id, so that a name may stand for it.
const USER_FIELDS: [&str; 9] =
    ["player", "creditor", "debtor", "other", "owner", "from", "to", "new_player", "old_player"];

/// Who is who, and what the server chose.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub users: BTreeMap<String, u8>,
    pub bound: BTreeMap<String, u32>,
}

/// One field of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Number(u32),
    Text(Vec<u8>),
    Lots(Vec<(u8, i8, i8)>),
}

/// A message with what its fields should hold.
#[derive(Clone, Debug)]
pub struct Line {
    pub entry: &'static Entry,
    /// One token a field; `_` where a named form leaves it out.
    pub fields: Vec<String>,
}

fn entry_named(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}

pub fn entry_of(code: u8) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.code == code)
}

impl Wire for Names {
    type Line = Line;

    /// What follows a `#` that stands in no name.
    fn without_comment(line: &str) -> &str {
        let mut quoted = false;
        let comment = line.char_indices().find(|(_, c)| {
            quoted ^= *c == '"';
            *c == '#' && !quoted
        });
        comment.map_or(line, |(at, _)| &line[..at])
    }
    fn parse(text: &str, _times: usize) -> Told<Line> {
        Line::parse(&words(text))
    }
    fn bytes(&self, line: &Line) -> Told<Vec<u8>> {
        line.frame(self)
    }
    fn cut(unread: &[u8]) -> Option<usize> {
        cut_frame(unread)
    }
    fn matches(&mut self, line: &Line, frame: &[u8]) -> Told<bool> {
        line.matches(frame, self)
    }
    fn show_line(&self, line: &Line) -> String {
        line.show(self)
    }
    fn show(&self, frame: &[u8]) -> String {
        show(frame, self)
    }
}

/// Words, with quoted names kept whole.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        if c == ' ' && !quoted {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

impl Line {
    /// `NAME field …` or `NAME field=value …`; a message of lots takes all the words there are.
    pub fn parse(words: &[String]) -> Told<Self> {
        let (name, rest) = words.split_first().ok_or("a message is missing")?;
        let entry = entry_named(name).ok_or_else(|| format!("no message is called {name}"))?;
        if entry.fields.iter().any(|field| field.kind == Kind::Lots) {
            return Ok(Self { entry, fields: vec![rest.join(" ")] });
        }
        let named = |word: &String| {
            let (field, value) = word.split_once('=').filter(|_| !word.starts_with('"'))?;
            let at = entry.fields.iter().position(|entry| entry.name == field)?;
            Some((at, value.to_string()))
        };
        if !rest.is_empty() && rest.iter().all(|word| named(word).is_some()) {
            let mut fields = vec!["_".to_string(); entry.fields.len()];
            rest.iter().filter_map(named).for_each(|(at, value)| fields[at] = value);
            return Ok(Self { entry, fields });
        }
        if rest.len() != entry.fields.len() {
            let fields: Vec<_> = entry.fields.iter().map(|field| field.name).collect();
            return Err(format!("{name} has the fields ({}), not {}", fields.join(", "), rest.len()));
        }
        Ok(Self { entry, fields: rest.to_vec() })
    }

    /// The frame to send.
    pub fn frame(&self, names: &Names) -> Told<Vec<u8>> {
        let mut payload = Vec::new();
        for (field, token) in self.entry.fields.iter().zip(&self.fields) {
            match (field.kind, value(field.kind, field.name, token, names)?) {
                (Kind::Byte | Kind::Bool, Some(Value::Number(n))) => {
                    payload.push(u8::try_from(n).map_err(|_| format!("{n} is no byte"))?);
                }
                (_, Some(Value::Number(n))) => payload.extend(n.to_be_bytes()),
                (_, Some(Value::Text(text))) => {
                    payload.push(u8::try_from(text.len()).map_err(|_| "a name is too long for a frame")?);
                    payload.extend(text);
                }
                (_, Some(Value::Lots(lots))) => {
                    payload.push(u8::try_from(lots.len()).map_err(|_| "too many lots")?);
                    lots.iter().for_each(|lot| payload.extend([lot.0, lot.1 as u8, lot.2 as u8]));
                }
                (_, None) => return Err(format!("{token} has no value yet")),
            }
        }
        let length = u8::try_from(payload.len()).map_err(|_| "the payload is too long")?;
        Ok([vec![self.entry.code, length], payload].concat())
    }

    /// Does this frame say the same? Names what is still open in `names` only if it does.
    pub fn matches(&self, frame: &[u8], names: &mut Names) -> Told<bool> {
        if frame.first() != Some(&self.entry.code) {
            return Ok(false);
        }
        let Some(values) = decode(self.entry, &frame[2..]) else { return Ok(false) };
        let mut found = names.clone();
        for ((field, token), got) in self.entry.fields.iter().zip(&self.fields).zip(values) {
            if token == "_" {
                continue;
            }
            match value(field.kind, field.name, token, &found)? {
                Some(wanted) if wanted == got => {}
                Some(_) => return Ok(false),
                None => {
                    let Value::Number(n) = got else { return Err(format!("{token} stands for numbers only")) };
                    found.bound.insert(token.trim_start_matches('$').to_string(), n);
                }
            }
        }
        *names = found;
        Ok(true)
    }

    /// As the file says it, with what is known by now.
    pub fn show(&self, names: &Names) -> String {
        let mut text = self.entry.name.to_string();
        for (field, token) in self.entry.fields.iter().zip(&self.fields) {
            text.push(' ');
            match token.strip_prefix('$').and_then(|name| names.bound.get(name)) {
                Some(n) => text += &show_value(field, &Value::Number(*n), names),
                None => text += token,
            }
        }
        text
    }
}

/// What a token stands for; `None` for a `$name` that nothing was bound to yet.
fn value(kind: Kind, field: &str, token: &str, names: &Names) -> Told<Option<Value>> {
    if let Some(name) = token.strip_prefix('$') {
        return Ok(names.bound.get(name).map(|n| Value::Number(*n)));
    }
    let number = |n: u32| Ok(Some(Value::Number(n)));
    match kind {
        Kind::Name => unquote(token).map(|text| Some(Value::Text(text))),
        Kind::Lots => lots(token).map(|lots| Some(Value::Lots(lots))),
        Kind::Bool if token == "yes" => number(1),
        Kind::Bool if token == "no" => number(0),
        _ => match (token, names.users.get(token), entry_named(token)) {
            ("bank", ..) => number(0),
            (_, Some(id), _) if USER_FIELDS.contains(&field) => number(u32::from(*id)),
            (_, _, Some(entry)) if field == "code" => number(u32::from(entry.code)),
            _ => match token.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16).map_err(|e| e.to_string()).and_then(number),
                None => token.parse().map_err(|_| format!("{token}: neither a number nor known")).and_then(number),
            },
        },
    }
}

/// `"name"`, with `\xNN` for bytes that cannot be typed.
fn unquote(token: &str) -> Told<Vec<u8>> {
    let inner = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let mut rest = inner.ok_or_else(|| format!("{token}: a name stands in quotes"))?;
    let mut bytes = Vec::new();
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend(before.bytes());
        let (hex, tail) = after.split_at_checked(2).ok_or("\\x wants two digits")?;
        bytes.push(u8::from_str_radix(hex, 16).map_err(|e| e.to_string())?);
        rest = tail;
    }
    bytes.extend(rest.bytes());
    Ok(bytes)
}

/// `3:+1 4:-4/-1`: houses on a lot, and hotels after a stroke.
fn lots(text: &str) -> Told<Vec<(u8, i8, i8)>> {
    let one = |word: &str| {
        let (property, buildings) = word.split_once(':')?;
        let (houses, hotels) = buildings.split_once('/').unwrap_or((buildings, "0"));
        Some((property.parse().ok()?, houses.parse().ok()?, hotels.parse().ok()?))
    };
    text.split_whitespace().map(|word| one(word).ok_or_else(|| format!("{word}: a lot is written 3:+1/0"))).collect()
}

/// The fields of a payload of exactly the right length: what a server sends has no tail.
pub fn decode(entry: &Entry, mut payload: &[u8]) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for field in entry.fields {
        let (&first, rest) = payload.split_first()?;
        let (value, rest) = match field.kind {
            Kind::Byte => (Value::Number(u32::from(first)), rest),
            Kind::Bool if first > 1 => return None,
            Kind::Bool => (Value::Number(u32::from(first)), rest),
            Kind::Number => {
                let (head, rest) = payload.split_first_chunk::<4>()?;
                (Value::Number(u32::from_be_bytes(*head)), rest)
            }
            Kind::Name => {
                let (text, rest) = rest.split_at_checked(usize::from(first))?;
                (Value::Text(text.to_vec()), rest)
            }
            Kind::Lots => {
                let (lots, rest) = rest.split_at_checked(3 * usize::from(first))?;
                let lots = lots.as_chunks::<3>().0.iter().map(|lot| (lot[0], lot[1] as i8, lot[2] as i8));
                (Value::Lots(lots.collect()), rest)
            }
        };
        payload = rest;
        values.push(value);
    }
    payload.is_empty().then_some(values)
}

/// A frame as a person reads it.
fn show(frame: &[u8], names: &Names) -> String {
    let entry = frame.first().and_then(|code| entry_of(*code));
    let decoded = entry.and_then(|entry| Some((entry, decode(entry, frame.get(2..)?)?)));
    let Some((entry, values)) = decoded else {
        let bytes: Vec<_> = frame.iter().map(|byte| format!("{byte:02x}")).collect();
        return format!("raw {}", bytes.join(" "));
    };
    let mut text = entry.name.to_string();
    for (field, value) in entry.fields.iter().zip(values) {
        text = text + " " + &show_value(field, &value, names);
    }
    text
}

fn show_value(entry: &FieldEntry, value: &Value, names: &Names) -> String {
    let field = entry.name;
    match value {
        Value::Number(n) if entry.kind == Kind::Bool => if *n == 0 { "no" } else { "yes" }.to_string(),
        Value::Text(text) => format!("\"{}\"", text.escape_ascii()),
        Value::Lots(lots) => {
            lots.iter().map(|lot| format!("{}:{:+}/{:+}", lot.0, lot.1, lot.2)).collect::<Vec<_>>().join(" ")
        }
        Value::Number(0) if USER_FIELDS.contains(&field) => "bank".to_string(),
        Value::Number(n) => {
            let user = names.users.iter().find(|user| u32::from(*user.1) == *n && USER_FIELDS.contains(&field));
            let code = entry_of(*n as u8).filter(|_| field == "code");
            user.map(|user| user.0.clone()).or(code.map(|entry| entry.name.to_string())).unwrap_or(n.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse(&words(text)).unwrap()
    }

    fn table() -> Names {
        Names { users: [("ann".to_string(), 1), ("bob".to_string(), 2)].into(), bound: BTreeMap::new() }
    }

    #[test]
    fn text_becomes_the_bytes_of_the_page() {
        let names = table();
        assert_eq!(line("HANDSHAKE 1").frame(&names).unwrap(), [0, 1, 1]);
        assert_eq!(line("JOIN 0 yes \"ann\"").frame(&names).unwrap(), [2, 6, 0, 1, 3, 0x61, 0x6e, 0x6e]);
        assert_eq!(line("CLAIM_RENT bob 3").frame(&names).unwrap(), [0x2b, 2, 2, 3]);
        assert_eq!(line("PURCHASE_HOUSES 0:+1 1:-4/-1").frame(&names).unwrap(), [0x90, 7, 2, 0, 1, 0, 1, 0xfc, 0xff]);
        assert_eq!(line("ERROR_UNEXPECTED_MESSAGE THROW_DICE").frame(&names).unwrap(), [0xfe, 1, 0x21]);
        assert!(Line::parse(&words("CLAIM_RENT bob")).is_err());
        assert!(line("TRANSACTION_AGREE $t").frame(&names).is_err());
    }

    #[test]
    fn what_the_server_chose_is_bound_and_then_held_to() {
        let mut names = table();
        let asked = line("TRANSACTION_TRADE_REQUESTED $t bob");
        assert!(asked.matches(&[0x51, 5, 0, 0, 0, 7, 2], &mut names).unwrap());
        assert_eq!(names.bound["t"], 7);
        assert!(!asked.matches(&[0x51, 5, 0, 0, 0, 8, 2], &mut names).unwrap());
        assert!(line("TRANSACTION_TRADE_REQUESTED other=bob").matches(&[0x51, 5, 0, 0, 0, 8, 2], &mut names).unwrap());
        // A tail, however harmless, is not what we send.
        assert!(!asked.matches(&[0x51, 6, 0, 0, 0, 7, 2, 0], &mut names).unwrap());
    }

    #[test]
    fn bytes_become_text() {
        assert_eq!(show(&[0xc0, 6, 0, 1, 0, 0, 5, 0xdc], &table()), "DELTA_CASH bank ann 1500");
        assert_eq!(show(&[0xfe, 1, 0x21], &table()), "ERROR_UNEXPECTED_MESSAGE THROW_DICE");
        assert_eq!(show(&[0xff, 1, 0x21], &table()), "raw ff 01 21");
    }
}

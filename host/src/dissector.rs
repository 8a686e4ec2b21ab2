//! `parlor dissector --lua`: a Wireshark dissector for every game that tells its protocol, out of the tables that core's
//! codecs are made of.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use parlor_core::protocol::{Field, Framing, Kind, Message, Names, Part, Protocol, Sender};

use crate::games::{Entry, GAMES};

/// What is the same for every protocol.
const COMMON: &str = include_str!("dissector/dissect.lua");

const HEAD: &str = "\
-- A Wireshark dissector for the games of parlor. Made by `parlor dissector --lua`; do not edit.
--
-- Copy it to the folder that Help > About Wireshark > Folders calls Personal Lua Plugins, or try it at once:
--   tshark -X lua_script:parlor.lua -r FILE.pcap

";

pub fn lua() -> String {
    let games = GAMES.iter().filter_map(|entry| Some(table(entry, entry.protocol?)));
    games.fold(format!("{HEAD}{COMMON}"), |text, game| text + "\n" + &game)
}

/// One value on the wire, by the name that it has in filters.
struct Value {
    name: String,
    part: &'static Part,
}

fn values(field: &Field) -> impl Iterator<Item = Value> {
    let field = *field;
    field.parts.iter().map(move |part| {
        let name = if part.name.is_empty() { field.name.to_string() } else { format!("{}.{}", field.name, part.name) };
        Value { name, part }
    })
}

/// What a list repeats.
fn items(value: &Value) -> impl Iterator<Item = Value> + use<> {
    let (name, list) = (value.name.clone(), if let Kind::List(parts) = value.part.kind { parts } else { &[] });
    list.iter().map(move |part| Value { name: format!("{name}.{}", part.name), part })
}

fn table(entry: &Entry, protocol: &Protocol) -> String {
    let framing = match protocol.framing {
        Framing::Frames => "frames",
        Framing::Words => "words",
        Framing::Commas => "commas",
    };
    let (mut fields, mut messages, mut codes) = (BTreeMap::new(), String::new(), String::new());
    (protocol.each)(&mut |message| {
        for value in message.fields.iter().flat_map(values) {
            items(&value).for_each(|item| note(&mut fields, &item, protocol.framing));
            note(&mut fields, &value, protocol.framing);
        }
        messages += &line(message, protocol.framing);
        if protocol.framing == Framing::Frames {
            _ = write!(codes, "[{}] = {:?}, ", message.code, message.name);
        }
    });
    let mut text = String::new();
    _ = writeln!(text, "parlor {{\n  name = {:?}, title = {:?}, framing = {framing:?},", entry.name, protocol.title);
    _ = write!(text, "  port = {},", entry.port);
    _ = writeln!(text, "{}", entry.web_port.map(|port| format!(" web_port = {port},")).unwrap_or_default());
    let greeting =
        |by_client, bytes: &[u8]| format!("{{{:?}, {}}}", if by_client { "client" } else { "server" }, quoted(bytes));
    let greetings: Vec<_> = protocol.greetings.iter().map(|it| greeting(it.by_client, it.bytes)).collect();
    _ = writeln!(text, "  greetings = {{{}}},", greetings.join(", "));
    let answers: Vec<_> = protocol.answers.iter().map(|(to, list)| format!("[{to:?}] = {}", braces(list))).collect();
    _ = writeln!(text, "  answers = {{{}}},", wrapped(&answers));
    let unfinished: Vec<_> = protocol.unfinished.iter().map(|name| format!("[{name:?}] = true")).collect();
    _ = writeln!(text, "  unfinished = {{{}}},", wrapped(&unfinished));
    if !codes.is_empty() {
        _ = writeln!(text, "  codes = {{{}}},", codes.trim_end_matches(", "));
    }
    _ = writeln!(text, "  fields = {{\n{}  }},", fields.values().cloned().collect::<String>());
    text + "  messages = {\n" + &messages + "  },\n}\n"
}

/// What a filter's name stands for. The same name has one kind in all messages of a protocol, or else it is a text.
fn note(fields: &mut BTreeMap<String, String>, value: &Value, framing: Framing) {
    let name = &value.name;
    let kind = match (value.part.kind, framing) {
        (Kind::List(_), _) => return,
        (Kind::Named(names), Framing::Frames) => {
            let row = format!("    {{{name:?}, \"byte\", {{{}}}}},\n", numbered(names));
            fields.insert(name.clone(), row);
            return;
        }
        (Kind::Byte | Kind::Number(..), Framing::Words | Framing::Commas) => "integer",
        (Kind::Byte | Kind::Code, _) => "byte",
        (Kind::Delta, _) => "delta",
        (Kind::Bool, _) => "bool",
        (Kind::Number(..), Framing::Frames) => "number",
        (Kind::Counted(_) | Kind::Text | Kind::Named(_) | Kind::Words | Kind::Rest, _) => "text",
    };
    let row = format!("    {{{name:?}, {kind:?}}},\n");
    let known = fields.entry(name.clone()).or_insert_with(|| row.clone());
    assert_eq!(*known, row, "{name} is of two kinds");
}

fn line(message: &Message<'_>, framing: Framing) -> String {
    let sender = match message.sender {
        Sender::Client => "client",
        Sender::Server => "server",
        Sender::Answer => "answer",
        Sender::Either => "either",
    };
    let mut text = format!("    {{{:?}, by = {sender:?}", message.name);
    if framing == Framing::Frames {
        _ = write!(text, ", code = {}", message.code);
    }
    if let Some(also) = message.also {
        _ = write!(text, ", also = {also:?}");
    }
    if let Some(line) = message.line {
        _ = write!(text, ", line = {line}");
    }
    if message.is_error {
        text += ", error = true";
    }
    let fields: Vec<_> = message.fields.iter().flat_map(values).map(|value| field(&value, framing)).collect();
    if !fields.is_empty() {
        _ = write!(text, ", fields = {{{}}}", fields.join(", "));
    }
    text + "},\n"
}

fn field(value: &Value, framing: Framing) -> String {
    let (name, in_line) = (&value.name, framing != Framing::Frames);
    let optional = if value.part.optional { ", optional = true" } else { "" };
    let kind = match value.part.kind {
        Kind::Byte if in_line => format!("\"integer\", least = 0, most = {}", u8::MAX),
        Kind::Number(least, most) if in_line => format!("\"integer\", least = {least}, most = {most}"),
        Kind::Named(names) if in_line => format!("\"named\", names = {{{}}}", by_name(names)),
        Kind::Byte | Kind::Named(_) => "\"byte\"".into(),
        Kind::Number(..) => "\"number\"".into(),
        Kind::Code => "\"code\"".into(),
        Kind::Delta => "\"delta\"".into(),
        Kind::Bool => "\"bool\"".into(),
        Kind::Counted(most) => format!("\"counted\", most = {most}"),
        Kind::Text => "\"text\"".into(),
        Kind::Words => "\"words\"".into(),
        Kind::Rest => "\"rest\"".into(),
        Kind::List(_) => {
            let parts: Vec<_> = items(value).map(|item| field(&item, framing)).collect();
            format!("\"list\", parts = {{{}}}", parts.join(", "))
        }
    };
    format!("{{{name:?}, {kind}{optional}}}")
}

fn each_name(names: Names) -> impl Iterator<Item = (u8, &'static str)> {
    (0..=u8::MAX).map_while(move |n| Some((n, names(n)?)))
}

fn numbered(names: Names) -> String {
    each_name(names).map(|(n, name)| format!("[{n}] = {name:?}")).collect::<Vec<_>>().join(", ")
}

/// A name is found whatever the case of its letters, and shown as it is.
fn by_name(names: Names) -> String {
    let rows = each_name(names).map(|(_, name)| format!("[{:?}] = {name:?}", name.to_lowercase()));
    rows.collect::<Vec<_>>().join(", ")
}

fn braces(words: &[&str]) -> String {
    format!("{{{}}}", words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", "))
}

fn wrapped(rows: &[String]) -> String {
    if rows.is_empty() { String::new() } else { format!("\n    {},\n  ", rows.join(",\n    ")) }
}

/// A string of Lua with any bytes in it.
fn quoted(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b' '..=b'~' if !matches!(byte, b'"' | b'\\') => char::from(*byte).to_string(),
        _ => format!("\\{byte:03}"),
    };
    format!("\"{}\"", bytes.iter().map(one).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_is_kept_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/parlor.lua");
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == lua(), "{path} is stale; renew it: cargo run -- dissector --lua > host/docs/parlor.lua");
    }

    #[test]
    fn any_bytes_can_be_quoted() {
        assert_eq!(quoted(b"a\"\\\x00\xff1"), r#""a\034\092\000\2551""#);
    }
}

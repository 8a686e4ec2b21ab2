//! Writes core/src/pimp/wire/MESSAGES.md from the message table: `cargo run -p parlor-tests --bin messages`.

use std::fmt::Write as _;
use std::{fs, io};

use parlor_core::pimp::wire::{Kind, TABLE};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src/pimp/wire/MESSAGES.md");

const HEAD: &str = "\
# The messages of PIMP version 1

Made from the table in message.rs by `cargo run -p parlor-tests --bin messages`; a test fails when this page is stale.

A frame is the code, the length of the payload (0 to 254) and the payload: the fields in this order. Numbers are big
endian, a number has four bytes. A bool is a byte whose bit 0 counts. A name is a length byte and at most 32 bytes of
UTF-8. Lots are a count and, for each lot, three bytes: property, houses and hotels bought (+) or sold (-). A payload may
be longer than its fields; the tail is ignored. Line: where the protocol's document defines the message.

Who sends it: `C->S` client to server, `S->C` server to one client, `S->A` server to all, `X->X` either; `S=>` means that
a resync repeats it.

| code | message | direction | fields | payload | line |
|---|---|---|---|---:|---:|
";

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Byte => "byte",
        Kind::Bool => "bool",
        Kind::Number => "number",
        Kind::Name => "name",
        Kind::Lots => "lots",
    }
}

fn page() -> String {
    let mut page = HEAD.to_string();
    for entry in TABLE {
        let fields: Vec<_> = entry.fields.iter().map(|f| format!("{}: {}", f.name, kind(f.kind))).collect();
        let payload = match (entry.min_payload, entry.max_payload) {
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min} to {max}"),
        };
        let (code, name, arrow, line) = (entry.code, entry.name, entry.direction.arrow(), entry.line);
        // Writing to a String can't fail.
        _ = writeln!(page, "| 0x{code:02X} | {name} | `{arrow}` | {} | {payload} | {line} |", fields.join(", "));
    }
    page
}

fn main() -> io::Result<()> {
    fs::write(PAGE, page())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_fresh() {
        let found = fs::read_to_string(PAGE).unwrap_or_default();
        assert!(found == page(), "MESSAGES.md is stale; renew it: cargo run -p parlor-tests --bin messages");
    }
}

//! The lines as data, from the tables that read and write them.

use super::field::Field;
use super::table::{Command, Status};
use crate::protocol::{self, Framing, Greeting, Kind, Message, Part, Protocol, Sender, Tell};
use crate::yard::pieces::Pawn;

pub const PROTOCOL: Protocol = Protocol {
    title: "Scotland Yard (London Law)",
    framing: Framing::Words,
    greetings: &[
        Greeting { by_client: true, bytes: b"protocol " },
        Greeting { by_client: true, bytes: b"#1 protocol " },
    ],
    // Every answer carries its command's tag, or stands in the order of the commands.
    answers: &[],
    unfinished: &["aiinfo"],
    each,
};

const REASON: &[protocol::Field] = &[protocol::Field { name: "reason", parts: &[Part::of(Kind::Text)] }];
const TURN: &[protocol::Field] = &[protocol::Field { name: "turn", parts: <u8 as Field<'_>>::PARTS }];
const PAWN: &[protocol::Field] = &[protocol::Field { name: "pawn", parts: <Pawn as Field<'_>>::PARTS }];

const NAME: &[protocol::Field] = &[protocol::Field { name: "name", parts: <&str as Field<'_>>::PARTS }];

/// As [`super::Reply`] has them.
const ANSWERS: [(&str, &[protocol::Field], bool); 7] = [
    ("ok", &[], false),
    ("no", REASON, true),
    ("bad", REASON, true),
    ("turn", PAWN, false),
    ("turnnum", TURN, false),
    ("aiinfo", NAME, false),
    ("", TURN, false),
];
/// What [`super::Said`] has beside its statuses.
const TOLD: [(&str, &[protocol::Field], bool); 2] = [("history end", &[], false), ("bad", REASON, true)];

fn each(tell: Tell<'_>) {
    let mut told = |sender, name, fields, is_error| {
        tell(&Message { name, also: None, code: 0, sender, is_error, line: None, fields });
    };
    Command::LINES.iter().for_each(|(name, fields)| told(Sender::Client, *name, *fields, false));
    Status::LINES.iter().for_each(|(name, fields)| told(Sender::Server, *name, *fields, false));
    TOLD.iter().for_each(|(name, fields, is_error)| told(Sender::Server, *name, *fields, *is_error));
    ANSWERS.iter().for_each(|(name, fields, is_error)| told(Sender::Answer, *name, *fields, *is_error));
}

//! The lines as data, from the tables that read and write them.

use super::table::{Action, Event, MISSPELT, Verb};
use crate::protocol::{ANY, Framing, Greeting, Message, Protocol, Sender, Tell};

pub const PROTOCOL: Protocol = Protocol {
    title: "Merchant of Venus (AlbertsGameMachine)",
    framing: Framing::Commas,
    // A client need not wait for the server's line.
    greetings: &[
        Greeting { by_client: false, bytes: b"CONNECTSTRING," },
        Greeting { by_client: true, bytes: b"LOGIN," },
    ],
    answers: &[
        ("LOGIN", &["WELCOME", "ALREADYLOGGEDIN"]),
        ("LOGOUTOTHER", &["WELCOME"]),
        ("ROOMTALK", &["MESSAGE"]),
        ("PLAYERTALK", &["MESSAGE"]),
        (ANY, &["ERROR", "MOVERROR"]),
    ],
    unfinished: &[],
    each,
};

fn each(tell: Tell<'_>) {
    for (name, fields) in Action::LINES {
        let also = (*name == Verb::ValidateSetup.name()).then_some(MISSPELT);
        tell(&Message { name, also, code: 0, sender: Sender::Client, is_error: false, line: None, fields });
    }
    for (name, fields) in Event::LINES {
        let is_error = matches!(*name, "ERROR" | "MOVERROR");
        tell(&Message { name, also: None, code: 0, sender: Sender::Server, is_error, line: None, fields });
    }
}

//! Which messages of a game were said, and how often.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Something that can be said, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub name: String,
    pub by_client: bool,
    pub by_server: bool,
}

/// How often clients said and heard each message, by its name.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    said: BTreeMap<String, u64>,
    heard: BTreeMap<String, u64>,
}

impl Coverage {
    pub fn note(&mut self, name: String, from_client: bool) {
        let counts = if from_client { &mut self.said } else { &mut self.heard };
        *counts.entry(name).or_default() += 1;
    }

    fn count(&self, message: &Message) -> (u64, u64) {
        let of = |counts: &BTreeMap<String, u64>| counts.get(&message.name).copied().unwrap_or_default();
        (of(&self.said), of(&self.heard))
    }

    /// The messages that nobody whose they are to send has said.
    pub fn missing(&self, messages: &[Message]) -> Vec<String> {
        let is_missing = |message: &&Message| {
            let (said, heard) = self.count(message);
            (message.by_client && said == 0) || (message.by_server && heard == 0)
        };
        messages.iter().filter(is_missing).map(|message| message.name.clone()).collect()
    }

    /// One line a message: how often clients said it, how often they heard it.
    pub fn table(&self, messages: &[Message]) -> String {
        let mut page = format!("{:<44} {:>7} {:>7}\n", "message", "said", "heard");
        for message in messages {
            let (said, heard) = self.count(message);
            // Writing to a String can't fail.
            _ = writeln!(page, "{:<44} {said:>7} {heard:>7}", message.name);
        }
        page
    }
}

//! Which messages were said, and how often.

use std::fmt;

use parlor_core::pimp::wire::{Direction, Entry, TABLE};

/// Counts by the code of a message.
#[derive(Clone, Debug)]
pub struct Coverage {
    sent: [u64; 256],
    received: [u64; 256],
}

impl Default for Coverage {
    fn default() -> Self {
        Self { sent: [0; 256], received: [0; 256] }
    }
}

impl Coverage {
    pub fn sent(&mut self, frame: &[u8]) {
        self.sent[usize::from(frame[0])] += 1;
    }

    pub fn received(&mut self, frame: &[u8]) {
        self.received[usize::from(frame[0])] += 1;
    }

    /// The messages that nobody whose they are to send has said.
    pub fn missing(&self) -> Vec<&'static str> {
        let silent = |entry: &&Entry| {
            let code = usize::from(entry.code);
            let (by_client, by_server) = (self.sent[code] == 0, self.received[code] == 0);
            match entry.direction {
                Direction::ToServer => by_client,
                Direction::Either => by_client || by_server,
                _ => by_server,
            }
        };
        TABLE.iter().filter(silent).map(|entry| entry.name).collect()
    }
}

/// One line a message: how often clients said it, how often they heard it.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "code message                                        sent  received")?;
        for entry in TABLE {
            let code = usize::from(entry.code);
            writeln!(f, "0x{code:02X} {:<44} {:>7} {:>9}", entry.name, self.sent[code], self.received[code])?;
        }
        Ok(())
    }
}

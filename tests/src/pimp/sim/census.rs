//! How often each message went over the wire, by its code.

use std::fmt::Write as _;

use parlor_core::pimp::wire::{Direction, TABLE};

/// Counts of every code, each way.
#[derive(Clone)]
pub struct Census {
    pub to_clients: [u64; 256],
    pub to_server: [u64; 256],
}

impl Default for Census {
    fn default() -> Self {
        Self { to_clients: [0; 256], to_server: [0; 256] }
    }
}

impl Census {
    pub fn add(&mut self, other: &Self) {
        let both = [(&mut self.to_clients, &other.to_clients), (&mut self.to_server, &other.to_server)];
        for (mine, theirs) in both {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
    }

    /// Counts whole frames that a client sent; what is cut or torn counts as it would be read.
    pub fn sent(&mut self, mut bytes: &[u8]) {
        while let [code, length, rest @ ..] = bytes {
            self.to_server[usize::from(*code)] += 1;
            bytes = rest.get(usize::from(*length)..).unwrap_or_default();
        }
    }

    pub fn delivered(&self) -> u64 {
        self.to_clients.iter().sum()
    }

    pub fn commands(&self) -> u64 {
        self.to_server.iter().sum()
    }

    /// Messages of the table that never came, in the direction they go.
    pub fn missing(&self) -> Vec<&'static str> {
        TABLE.iter().filter(|entry| self.count(entry.direction, entry.code) == 0).map(|entry| entry.name).collect()
    }

    fn count(&self, direction: Direction, code: u8) -> u64 {
        match direction {
            Direction::ToServer => self.to_server[usize::from(code)],
            Direction::Either => self.to_server[usize::from(code)].min(self.to_clients[usize::from(code)]),
            _ => self.to_clients[usize::from(code)],
        }
    }

    /// The table as a person reads it.
    pub fn table(&self) -> String {
        let mut page = String::from("code  from clients   to clients  message\n");
        for entry in TABLE {
            let code = usize::from(entry.code);
            // Writing to a String can't fail.
            _ = writeln!(
                page,
                "0x{code:02X}  {:>12} {:>12}  {} {}",
                self.to_server[code],
                self.to_clients[code],
                entry.direction.arrow(),
                entry.name
            );
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_one_by_one() {
        let mut census = Census::default();
        census.sent(&[0x00, 1, 1, 0x21, 0, 0x21, 0, 0x34, 4, 0]);
        assert_eq!((census.to_server[0], census.to_server[0x21], census.to_server[0x34]), (1, 2, 1));
        assert_eq!(census.missing().len(), TABLE.len() - 3);
    }
}

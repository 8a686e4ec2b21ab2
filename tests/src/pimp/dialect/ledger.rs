//! What a client that only adds up STATE_* and DELTA_* believes (pimp 14.1): no rule is known here.

use std::collections::BTreeMap;

use super::text::{Value, decode, entry_of};

/// Whose cash, deeds and cards are where, by the messages of one link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Cash of every player; observers are not in it.
    pub cash: BTreeMap<u32, i64>,
    pub squares: BTreeMap<u32, u32>,
    /// Owner, mortgaged, houses, hotels.
    deeds: BTreeMap<u32, (u32, bool, u32, u32)>,
    cards: BTreeMap<u32, u32>,
    bank: (u32, u32),
    pot: u32,
}

impl Ledger {
    /// Takes one frame of the server into account.
    pub fn add(&mut self, frame: &[u8]) {
        let Some(entry) = frame.first().and_then(|code| entry_of(*code)) else { return };
        let Some(values) = decode(entry, &frame[2..]) else { return };
        let number = |at: usize| match values.get(at) {
            Some(Value::Number(n)) => *n,
            _ => 0,
        };
        let (a, b, c) = (number(0), number(1), number(2));
        match entry.name {
            "STATE_BOARD" => *self = Self::default(),
            "STATE_PLAYER" => {
                self.cash.insert(a, i64::from(number(4)));
                self.squares.insert(a, number(3));
            }
            "STATE_PROPERTY" => drop(self.deeds.insert(a, (b, c == 1, number(3), number(4)))),
            "STATE_CARD" => drop(self.cards.insert(a, b)),
            "STATE_POT" | "DELTA_POT" => self.pot = a,
            "DELTA_BANK" => self.bank = (a, b),
            "WELCOME_PLAYER" | "OBSERVER_BECAME_PLAYER" => {
                self.cash.entry(a).or_insert(0);
                self.squares.insert(a, 0);
            }
            "PLAYER_TAKEOVER" => {
                self.cash.entry(a).or_insert(0);
                let square = self.squares.get(&b).copied().unwrap_or_default();
                self.squares.insert(a, square);
            }
            "PLAYER_BECAME_OBSERVER_TRANSFER" | "PLAYER_BECAME_OBSERVER_BANKRUPT" | "PLAYER_BECAME_OBSERVER_KICKED" => {
                self.cash.remove(&a);
                self.squares.remove(&a);
            }
            "PLAYER_LANDING_ON_SQUARE" => drop(self.squares.insert(a, b)),
            "DELTA_CASH" => {
                self.cash.entry(a).and_modify(|cash| *cash -= i64::from(c));
                self.cash.entry(b).and_modify(|cash| *cash += i64::from(c));
            }
            "DELTA_PROPERTY" if b == 0 => drop(self.deeds.remove(&c)),
            "DELTA_PROPERTY" => self.deeds.entry(c).or_default().0 = b,
            "DELTA_CARD" if b == 0 => drop(self.cards.remove(&c)),
            "DELTA_CARD" => drop(self.cards.insert(c, b)),
            "DELTA_HOUSES_PURCHASED" => {
                let deed = self.deeds.entry(b).or_default();
                (deed.2, deed.3) = (c, number(3));
            }
            "DELTA_PROPERTY_MORTGAGED" => self.deeds.entry(a).or_default().1 = true,
            // A deed that the bank took back is unmortgaged without an owner.
            "DELTA_PROPERTY_UNMORTGAGED" => drop(self.deeds.entry(a).and_modify(|deed| deed.1 = false)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_adds_up_to_what_is_dumped() {
        let mut told = Ledger::default();
        let dump: [&[u8]; 4] = [
            &[0x12, 1, 0],
            &[0x13, 0x0c, 1, 1, 3, 0x61, 0x6e, 0x6e, 0, 0, 0, 5, 0xdc, 0],
            &[0xc4, 2, 32, 12],
            &[0x1f, 4, 0, 0, 0, 100],
        ];
        dump.iter().for_each(|frame| told.add(frame));
        told.add(&[0xc1, 3, 0, 1, 5]);
        told.add(&[0xc0, 6, 1, 0, 0, 0, 0, 120]);
        assert_eq!(told.cash[&1], 1380);
        let later: [&[u8]; 3] =
            [&[0x13, 0x0c, 1, 1, 3, 0x61, 0x6e, 0x6e, 0, 0, 0, 5, 0x64, 0], &[0x15, 5, 5, 1, 0, 0, 0], dump[2]];
        let mut dumped = Ledger::default();
        [dump[0]].into_iter().chain(later).chain([dump[3]]).for_each(|frame| dumped.add(frame));
        assert_eq!(told, dumped);
    }
}

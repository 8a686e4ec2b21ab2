//! Commands that nobody sensible would send: drawn from the message table, with fields that often mean something.

use parlor_core::pimp::wire::{Direction, Entry, Kind, TABLE};

use crate::rng::Rng;

/// What a mischief-maker knows of the table.
pub struct Knowledge<'a> {
    pub users: u8,
    pub cash: u32,
    pub deals: &'a [u32],
    pub candidate: u32,
}

/// Writes a random command; how many bytes. Framing is right, most of what it asks for is not.
pub fn random(rng: &mut Rng, knowledge: &Knowledge<'_>, out: &mut [u8; 256]) -> usize {
    let entry = loop {
        let entry = &TABLE[rng.below(TABLE.len() as u64) as usize];
        // A seat given away ends small games: rarely.
        if entry.name == "TRANSFER" && !rng.one_in(6) {
            continue;
        }
        // Most often what a client may send; now and then what it may not.
        if matches!(entry.direction, Direction::ToServer | Direction::Either) || rng.one_in(40) {
            break entry;
        }
    };
    out[0] = entry.code;
    let mut end = 2;
    for field in entry.fields {
        end += write(rng, knowledge, entry, field.name, field.kind, &mut out[end..]);
    }
    // A tail is legal (pimp 1.3), a short payload is not (pimp 1.4).
    match rng.below(30) {
        0 => end += 1,
        1 => end = end.saturating_sub(1).max(2),
        _ => {}
    }
    out[1] = (end - 2) as u8;
    end
}

fn write(rng: &mut Rng, knowledge: &Knowledge<'_>, entry: &Entry, name: &str, kind: Kind, out: &mut [u8]) -> usize {
    match kind {
        Kind::Byte => {
            out[0] = match name {
                "player" | "debtor" => rng.below(u64::from(knowledge.users) + 2) as u8,
                "property" => rng.below(29) as u8,
                "card" => *rng.pick(&[7, 20, 0, 31, 32]).unwrap_or(&0),
                "square" => rng.below(41) as u8,
                "version" => 1,
                _ => rng.below(14) as u8,
            };
            1
        }
        Kind::Bool => {
            out[0] = rng.below(2) as u8;
            1
        }
        Kind::Number => {
            let number = match name {
                "transaction" => deal(rng, knowledge),
                "candidate" => knowledge.candidate,
                "password" | "nonce" => rng.next() as u32,
                _ if entry.name == "BID" => rng.below(400) as u32,
                _ => cash(rng, knowledge),
            };
            out[..4].copy_from_slice(&number.to_be_bytes());
            4
        }
        Kind::Name => {
            let length = rng.below(34) as usize;
            out[0] = length as u8;
            for byte in &mut out[1..=length] {
                *byte = b'a' + rng.below(26) as u8;
            }
            1 + length
        }
        Kind::Lots => {
            let count = rng.below(4) as usize;
            out[0] = count as u8;
            for item in out[1..=3 * count].chunks_mut(3) {
                item.copy_from_slice(&[
                    rng.below(29) as u8,
                    (rng.below(9) as u8).wrapping_sub(4),
                    (rng.below(3) as u8).wrapping_sub(1),
                ]);
            }
            1 + 3 * count
        }
    }
}

fn deal(rng: &mut Rng, knowledge: &Knowledge<'_>) -> u32 {
    match rng.pick(knowledge.deals) {
        Some(id) if !rng.one_in(8) => *id,
        _ => rng.below(300) as u32,
    }
}

fn cash(rng: &mut Rng, knowledge: &Knowledge<'_>) -> u32 {
    match rng.below(8) {
        0 => 0,
        1 => u32::MAX,
        2 => knowledge.cash,
        3 => knowledge.cash.saturating_add(1),
        _ => rng.below(u64::from(knowledge.cash) + 1) as u32,
    }
}

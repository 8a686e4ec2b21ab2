//! An address of its own choice, if no server gives one: 169.254/16, probed by ARP before it is taken (RFC 3927).
//! A laptop on a direct cable does the same, so the two find each other.
//!
//! Frames and choices; [`crate::backlog`] sends and hears them.

use embassy_time::Duration;

use crate::entropy::Pool;

/// Another host may be about to answer: so long after each of [`PROBES`].
pub const PROBE_PAUSE: Duration = Duration::from_millis(1_500);
pub const PROBES: usize = 3;
/// Says that the address is taken, twice.
pub const ANNOUNCE_PAUSE: Duration = Duration::from_secs(2);
pub const ANNOUNCEMENTS: usize = 2;
/// After so many addresses that others had, the board is slow.
pub const MANY_CONFLICTS: u16 = 10;
pub const CONFLICT_PAUSE: Duration = Duration::from_secs(60);

/// An Ethernet frame with an ARP packet in it.
pub type Frame = [u8; 42];

/// 6 /* to */ + 6 /* from */ + 2 /* ARP */ + 8 /* Ethernet, IPv4, their lengths; a question */.
const ARP: [u8; 10] = [0x08, 0x06, 0x00, 0x01, 0x08, 0x00, 6, 4, 0x00, 0x01];
/// Where the parts of an ARP packet begin in a frame.
const TYPE: usize = 12;
const SENDER: usize = 22;
const SENDER_ADDRESS: usize = 28;
const TARGET_ADDRESS: usize = 38;

/// The `nth` address to try: each board has others, each time the same. The first and last 256 are reserved.
pub fn choice(hardware: [u8; 6], nth: u16) -> [u8; 4] {
    let mut pool = Pool::new();
    pool.absorb(&hardware);
    pool.absorb(&nth.to_le_bytes());
    let [high, low, ..] = pool.draw();
    [169, 254, 1 + high % 254, low]
}

/// Asks whether another host has this address; where it `is_ours`, says so.
pub fn question(hardware: [u8; 6], address: [u8; 4], is_ours: bool) -> Frame {
    let own = if is_ours { address } else { [0; 4] };
    let parts: [&[u8]; 6] = [&[0xFF; 6], &hardware, &ARP, &hardware, &own, &[0; 6]];
    let mut frame = [0; 42];
    let bytes = parts.into_iter().flatten().chain(&address);
    frame.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    frame
}

/// Whether another host has this address, or asks for it as we do.
pub fn is_disputed(frame: &[u8], hardware: [u8; 6], address: [u8; 4]) -> bool {
    let part = |at: usize, length: usize| frame.get(at..at + length).unwrap_or_default();
    let [kind @ .., _, _] = ARP;
    let is_arp = part(TYPE, kind.len()) == kind;
    let (sender, target) = (part(SENDER_ADDRESS, 4), part(TARGET_ADDRESS, 4));
    let is_probe = sender == [0; 4] && target == address;
    is_arp && part(SENDER, 6) != hardware && (sender == address || is_probe)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: [u8; 6] = [2, 1, 2, 3, 4, 5];
    const THEIRS: [u8; 6] = [2, 9, 9, 9, 9, 9];

    #[test]
    fn a_question_is_a_frame() {
        let frame = question(OURS, [169, 254, 7, 9], false);
        assert_eq!(
            frame,
            *b"\xFF\xFF\xFF\xFF\xFF\xFF\x02\x01\x02\x03\x04\x05\x08\x06\0\x01\x08\0\x06\x04\0\x01\
               \x02\x01\x02\x03\x04\x05\0\0\0\0\0\0\0\0\0\0\xA9\xFE\x07\x09"
        );
        assert_eq!(question(OURS, [169, 254, 7, 9], true)[28..32], [169, 254, 7, 9]);
    }

    #[test]
    fn only_another_one_disputes() {
        let address = [169, 254, 7, 9];
        for is_ours in [false, true] {
            assert!(is_disputed(&question(THEIRS, address, is_ours), OURS, address));
            assert!(!is_disputed(&question(OURS, address, is_ours), OURS, address));
            assert!(!is_disputed(&question(THEIRS, [169, 254, 7, 8], is_ours), OURS, address));
        }
        // An answer to another host that asks for us is no dispute; one that names our address as its own is.
        let mut answer = question(THEIRS, [10, 0, 0, 1], true);
        answer[21] = 2;
        assert!(!is_disputed(&answer, OURS, address));
        answer[28..32].copy_from_slice(&address);
        assert!(is_disputed(&answer, OURS, address));
        (0..42).for_each(|length| assert!(!is_disputed(&answer[..length.min(31)], OURS, address)));
    }

    #[test]
    fn each_board_has_choices_of_its_own() {
        for nth in 0..200 {
            let [a, b, c, _] = choice(OURS, nth);
            assert!(a == 169 && b == 254 && (1..=254).contains(&c));
            assert_ne!(choice(OURS, nth), choice(THEIRS, nth));
            assert_ne!(choice(OURS, nth), choice(OURS, nth + 1));
        }
    }
}

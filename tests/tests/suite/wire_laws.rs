//! The laws of core/fuzz/laws.rs and core/fuzz/line_laws.rs on streams from a seed. A failure prints its seed; `WIRE_SEED=n` runs
//! that one alone.

#[path = "../../../core/fuzz/laws.rs"]
mod laws;
#[path = "../../../core/fuzz/line_laws.rs"]
mod line_laws;
#[path = "../../../core/fuzz/pour.rs"]
mod pour;

use parlor_core::pimp::wire::{Kind, TABLE};
use parlor_core::{venus, yard};

/// SplitMix64: a few lines are all the randomness a test of bytes needs.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn byte(&mut self) -> u8 {
        self.next() as u8
    }
    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.byte()).collect()
    }
}

/// A frame as it should be, now and then with a wrong length, a long tail or a string too long.
fn frame(random: &mut Random) -> Vec<u8> {
    let entry = &TABLE[random.below(TABLE.len())];
    let mut payload = Vec::new();
    for field in entry.fields {
        match field.kind {
            Kind::Byte | Kind::Bool => payload.push(random.byte()),
            Kind::Number => payload.extend(random.bytes(4)),
            Kind::Name => {
                let n = random.below(34);
                payload.push(n as u8);
                payload.extend(random.bytes(n));
            }
            Kind::Lots => {
                let n = random.below(85);
                payload.push(n as u8);
                payload.extend(random.bytes(3 * n));
            }
        }
    }
    if random.below(8) == 0 {
        let tail = random.below(255 - payload.len());
        payload.extend(random.bytes(tail));
    }
    let mut length = payload.len() as u8;
    if random.below(64) == 0 {
        length = random.byte();
    }
    [&[entry.code, length], &payload[..]].concat()
}

fn stream(random: &mut Random) -> Vec<u8> {
    match random.below(4) {
        // Noise, with short frames likely and with any.
        0 => (0..random.below(600)).map(|_| random.byte() % 6).collect(),
        1 => {
            let n = random.below(600);
            random.bytes(n)
        }
        _ => (0..random.below(20)).flat_map(|_| frame(random)).collect(),
    }
}

/// Lines that begin as some line of either game does, with arguments that some lines have.
fn lines(random: &mut Random) -> Vec<u8> {
    const ARGUMENTS: [&[u8]; 16] = [
        b"ann",
        b"0",
        b"12",
        b"taxi",
        b"Red",
        b"X",
        b"True",
        b"\"a b\"",
        b"'c'",
        b"\\",
        b"%%%C",
        b"%%C",
        b"001",
        b"RD-JS",
        b"",
        "\u{fc}".as_bytes(),
    ];
    let names: Vec<&str> = (venus::wire::ACTIONS.iter().chain(venus::wire::EVENTS).map(|(name, _)| *name))
        .chain(yard::wire::COMMANDS.iter().chain(yard::wire::STATUSES).copied())
        .collect();
    let mut stream = Vec::new();
    for _ in 0..random.below(12) {
        stream.extend([&b""[..], b"#1 ", b"* ", b"- "][random.below(4)]);
        stream.extend(names[random.below(names.len())].as_bytes());
        let between = if random.below(2) == 0 { b',' } else { b' ' };
        for _ in 0..random.below(7) {
            stream.push(between);
            stream.extend(ARGUMENTS[random.below(ARGUMENTS.len())]);
        }
        match random.below(8) {
            0 => stream.extend(random.bytes(3)),
            1 => stream.extend(vec![b'x'; 380 + random.below(40)]),
            _ => {}
        }
        stream.extend([&b"\n"[..], b"\r\n", b""][random.below(3)]);
    }
    stream
}

fn hold(seeds: u64, stream: fn(&mut Random) -> Vec<u8>, hold: fn(&[u8], &[u8], usize)) {
    let one = std::env::var("WIRE_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    let seeds = one.map_or(0..seeds, |seed| seed..seed + 1);
    for seed in seeds {
        let run = std::panic::catch_unwind(|| {
            let mut random = Random(seed);
            let stream = stream(&mut random);
            let n = random.below(6);
            let small = random.below(2) == 0;
            let pieces: Vec<u8> = random.bytes(n).iter().map(|&b| if small { b % 4 + 1 } else { b }).collect();
            hold(&stream, &pieces, 1 + random.below(16));
        });
        assert!(run.is_ok(), "failed with WIRE_SEED={seed}");
    }
}

#[test]
fn pieces_change_nothing_and_messages_come_back() {
    hold(20_000, stream, laws::hold);
}

#[test]
fn pieces_change_nothing_and_lines_come_back() {
    hold(20_000, lines, line_laws::hold);
}

#[test]
fn every_code_with_every_length() {
    let mut random = Random(1);
    for code in 0..=255 {
        for length in 0..=254 {
            laws::there_and_back(code, &random.bytes(length));
            laws::there_and_back(code, &vec![0; length]);
        }
    }
}

#[test]
fn a_conversation_cut_at_every_byte() {
    let stream = b"\x00\x01\x01\x02\x07\x02\x01\x04kerz\xFF\x00\x11\x03abc\x21\x00";
    let plain = laws::cut_plainly(stream);
    let codes: Vec<u8> = plain.frames.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [0x00, 0x02, 0xFF, 0x11, 0x21]);
    for first in 1..stream.len() {
        // The rest in one piece, and the rest byte by byte.
        assert_eq!(laws::cut_in_pieces(stream, &[first as u8, 0], 16), plain);
        assert_eq!(laws::cut_in_pieces(stream, &[first as u8, 1, 1, 1], 16), plain);
    }
}

//! Frames as they are on a board's cable, made by hand.

const OURS: [u8; 6] = [0x02, 0, 0, 0, 0, 0x99];
const ARP: [u8; 2] = [0x08, 0x06];
const UDP: u8 = 17;
const TCP: u8 = 6;
const SYN: u8 = 0x02;

/// An address and a port.
pub type End = ([u8; 4], u16);

/// A datagram, its checksum left out as UDP permits.
pub fn datagram(hardware: [u8; 6], from: End, to: End, payload: &[u8]) -> Vec<u8> {
    let length = (8 + payload.len()) as u16;
    let words = [from.1, to.1, length, 0].map(u16::to_be_bytes).concat();
    packet(hardware, UDP, from.0, to.0, &[&words, payload].concat())
}

/// A TCP segment that calls, and offers nothing.
pub fn call(hardware: [u8; 6], from: End, to: End, number: u32) -> Vec<u8> {
    let ports = [from.1, to.1].map(u16::to_be_bytes).concat();
    let mut segment = [&ports[..], &number.to_be_bytes(), &[0; 4], &[5 << 4, SYN, 0x10, 0, 0, 0, 0, 0]].concat();
    let header = [&from.0[..], &to.0, &[0, TCP, 0, segment.len() as u8]].concat();
    let sum = checksum(&[&header[..], &segment].concat());
    segment[16..18].copy_from_slice(&sum.to_be_bytes());
    packet(hardware, TCP, from.0, to.0, &segment)
}

/// Asks all where the host with this address is (RFC 826).
pub fn who_has(from: [u8; 4], whom: [u8; 4]) -> Vec<u8> {
    let question = [0, 1, 0x08, 0x00, 6, 4, 0, 1];
    [&[0xFF; 6][..], &OURS, &ARP, &question, &OURS, &from, &[0; 6], &whom].concat()
}

/// What a frame says of where a host is, and to whom: whether that is asked, and both addresses.
pub fn whereabouts(frame: &[u8]) -> Option<(bool, [u8; 4], [u8; 4])> {
    let address = |at: usize| frame.get(at..at + 4)?.try_into().ok();
    (frame.get(12..14)? == ARP).then_some((frame.get(21)? == &1, address(28)?, address(38)?))
}

/// In an Ethernet frame. 255 hops, as multicast DNS asks.
fn packet(hardware: [u8; 6], protocol: u8, from: [u8; 4], to: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let [high, low] = (20 + payload.len() as u16).to_be_bytes();
    let mut header = [&[0x45, 0, high, low, 0, 0, 0, 0, 255, protocol, 0, 0][..], &from, &to].concat();
    let sum = checksum(&header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    [&hardware[..], &OURS, &[0x08, 0x00], &header, payload].concat()
}

/// RFC 1071.
fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low)));
    let sum: u32 = words.sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    !((folded & 0xFFFF) + (folded >> 16)) as u16
}

//! Writes conversations down as a network would have carried them: a capture file, for tools that read those.
//!
//! Nothing is captured: the packets are made up around the bytes, so that no rights and no interface are needed.

use crate::rng::Rng;

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const PUSH: u8 = 0x08;
const ACK: u8 = 0x10;

/// A capture file (libpcap, microseconds, Ethernet) in memory.
pub struct Capture {
    pub bytes: Vec<u8>,
    now: u32,
}

/// One TCP connection in it.
pub struct Flow {
    client: u16,
    server: u16,
    /// The next sequence number of client and server.
    next: [u32; 2],
}

impl Default for Capture {
    fn default() -> Self {
        // Magic, version 2.4, no time zone, whole packets, Ethernet.
        let head = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, 1u32];
        Self { bytes: head.iter().flat_map(|word| word.to_le_bytes()).collect(), now: 0 }
    }
}

impl Capture {
    pub fn open(&mut self, client: u16, server: u16) -> Flow {
        let mut flow = Flow { client, server, next: [1000, 5000] };
        self.segment(&mut flow, true, SYN, &[]);
        self.segment(&mut flow, false, SYN | ACK, &[]);
        self.segment(&mut flow, true, ACK, &[]);
        flow
    }

    /// Bytes in one segment.
    pub fn send(&mut self, flow: &mut Flow, by_client: bool, bytes: &[u8]) {
        for piece in bytes.chunks(1400) {
            self.segment(flow, by_client, PUSH | ACK, piece);
        }
    }

    /// Bytes in segments of any length, one byte among them.
    pub fn send_cut(&mut self, flow: &mut Flow, by_client: bool, mut bytes: &[u8], rng: &mut Rng) {
        while !bytes.is_empty() {
            let longest = if rng.one_in(2) { 4 } else { 1400 };
            let (piece, rest) = bytes.split_at((1 + rng.below(longest) as usize).min(bytes.len()));
            self.segment(flow, by_client, PUSH | ACK, piece);
            bytes = rest;
        }
    }

    pub fn close(&mut self, flow: &mut Flow) {
        self.segment(flow, true, FIN | ACK, &[]);
        self.segment(flow, false, FIN | ACK, &[]);
        self.segment(flow, true, ACK, &[]);
    }

    fn segment(&mut self, flow: &mut Flow, by_client: bool, flags: u8, payload: &[u8]) {
        let (me, other) = if by_client { (0, 1) } else { (1, 0) };
        let (from, to) = if by_client { (flow.client, flow.server) } else { (flow.server, flow.client) };
        let acknowledged = if flags & ACK != 0 { flow.next[other] } else { 0 };
        let mut tcp = [from.to_be_bytes(), to.to_be_bytes()].concat();
        tcp.extend(flow.next[me].to_be_bytes());
        tcp.extend(acknowledged.to_be_bytes());
        // Five words of header, a window, a checksum that nobody looks at, nothing urgent.
        tcp.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(payload);
        let addresses = if by_client { [[10, 0, 0, 1], [10, 0, 0, 2]] } else { [[10, 0, 0, 2], [10, 0, 0, 1]] };
        let length = (20 + tcp.len()) as u16;
        let mut packet = [&[0; 12][..], &[8, 0], &[0x45, 0], &length.to_be_bytes()].concat();
        packet.extend([0, 0, 0, 0, 64, 6, 0, 0]);
        packet.extend(addresses.concat());
        packet.extend(tcp);
        self.now += 1000;
        let length = packet.len() as u32;
        let head = [self.now / 1_000_000, self.now % 1_000_000, length, length];
        self.bytes.extend(head.iter().flat_map(|word| word.to_le_bytes()));
        self.bytes.extend(packet);
        let counted = payload.len() as u32 + u32::from(flags & (SYN | FIN) != 0);
        flow.next[me] = flow.next[me].wrapping_add(counted);
    }
}

/// A WebSocket message; a client's is masked.
pub fn web_message(is_text: bool, by_client: bool, payload: &[u8]) -> Vec<u8> {
    let masked = if by_client { 0x80 } else { 0 };
    let mut frame = vec![0x80 | if is_text { 1 } else { 2 }];
    match payload.len() {
        length @ 0..=125 => frame.push(masked | length as u8),
        length => {
            frame.push(masked | 126);
            frame.extend((length as u16).to_be_bytes());
        }
    }
    let mask = if by_client { [0x12, 0x34, 0x56, 0x78] } else { [0; 4] };
    if by_client {
        frame.extend(mask);
    }
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// How a WebSocket begins: the request and what it is answered with.
pub fn web_opening(path: &str) -> [String; 2] {
    [
        format!(
            "GET {path} HTTP/1.1\r\nHost: 10.0.0.2\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ),
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
            .to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_where_a_reader_looks_for_it() {
        let mut capture = Capture::default();
        let mut flow = capture.open(40000, 7);
        let before = capture.bytes.len();
        capture.send(&mut flow, true, b"hi");
        let record = &capture.bytes[before..];
        assert_eq!(record.len(), 16 + 14 + 20 + 20 + 2);
        // Its length twice, the ports, its sequence number behind the one of SYN, its bytes.
        assert_eq!((record[8], record[12]), (56, 56));
        assert_eq!(record[16 + 34..16 + 38], [0x9c, 0x40, 0, 7]);
        assert_eq!(record[16 + 38..16 + 42], 1001u32.to_be_bytes());
        assert_eq!(record[16 + 54..], *b"hi");
    }

    #[test]
    fn a_masked_message_is_as_the_document_has_it() {
        assert_eq!(web_message(true, false, b"Hello"), b"\x81\x05Hello");
        let masked = web_message(false, true, &[0x12, 0]);
        assert_eq!(masked, [0x82, 0x82, 0x12, 0x34, 0x56, 0x78, 0x00, 0x34]);
    }
}

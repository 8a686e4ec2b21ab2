//! Calls that are answered without memory: SYN cookies (RFC 4987, section 3.6), below the network stack.
//!
//! smoltcp keeps a socket for every call until the caller answers, and is silent on it for a second where no neighbour
//! knows the caller: a few calls from false addresses would shut all others out. So when many callers are waited for, a
//! call is answered here, to the hardware that it came from. The number that the answer begins with is a keyed hash of
//! the call. A caller that acknowledges it exists, and only then smoltcp hears of the call, from us. It begins with a
//! number of its own, so from then on the numbers of this connection are exchanged as its segments pass.
//!
//! What can never happen here: memory for a caller that has not answered, a frame longer than [`Frame`], a panic from any
//! bytes.

use core::cell::Cell;

use embassy_time::Instant;

/// An Ethernet frame with a TCP segment that has no options and no bytes: 14 + 20 + 20.
pub type Frame = [u8; 54];

/// As many connections as the largest board has links.
const CONNECTIONS: usize = 24;
/// Calls are answered here for as long as fewer seconds have passed since the last one had to be.
const CALM: u32 = 2;
/// A number is good for this many seconds, and up to as many again.
const SLOT: u32 = 64;
/// What a caller may send before the board's own socket tells: no more than the smallest receive buffer of any board.
const WINDOW: u16 = 256;

pub const FIN: u8 = 0x01;
pub const SYN: u8 = 0x02;
pub const RST: u8 = 0x04;
pub const ACK: u8 = 0x10;

/// Where both addresses are in a frame, and the TCP header after an IPv4 header without options.
const SOURCE: usize = 26;
const TARGET: usize = 30;
const HEADER: usize = 34;
/// Where the parts of a segment are, from the beginning of its header.
const SEQ: usize = 4;
const ACKNOWLEDGED: usize = 8;
const FLAGS: usize = 12;
const WINDOW_AT: usize = 14;
const CHECKSUM: usize = 16;

/// Where the TCP header of this frame begins, all of which is there: IPv4, no fragment but the first.
pub fn tcp(frame: &[u8]) -> Option<usize> {
    let [0x08, 0x00, version, _, _, _, _, _, fragment, offset, _, 6, ..] = frame.get(12..)? else { return None };
    let at = 14 + usize::from(version & 0x0F) * 4;
    (fragment & 0x1F == 0 && *offset == 0 && at >= 34 && frame.len() >= at + 20).then_some(at)
}

pub fn flags(frame: &[u8], tcp: usize) -> u8 {
    word(frame, tcp + FLAGS).to_be_bytes()[1]
}

/// Both ports, the sender's first.
pub fn ports(frame: &[u8], tcp: usize) -> u32 {
    word(frame, tcp)
}

fn word(frame: &[u8], at: usize) -> u32 {
    frame.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
}

fn half(frame: &[u8], at: usize) -> u16 {
    frame.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(0, u16::from_be_bytes)
}

fn put(frame: &mut [u8], at: usize, bytes: &[u8]) {
    frame.iter_mut().skip(at).zip(bytes).for_each(|(to, from)| *to = *from);
}

/// Sums of 16 bits become one (RFC 1071).
fn fold(sum: u32) -> u16 {
    let once = (sum & 0xFFFF) + (sum >> 16);
    ((once & 0xFFFF) + (once >> 16)) as u16
}

/// Puts another word into a segment whose header is at `tcp`, and mends its checksum (RFC 1624).
fn exchange(frame: &mut [u8], tcp: usize, part: usize, with: u32) {
    let halves = |word: u32| (word >> 16) + (word & 0xFFFF);
    let sum = halves(!word(frame, tcp + part)) + halves(with) + u32::from(!half(frame, tcp + CHECKSUM));
    put(frame, tcp + part, &with.to_be_bytes());
    put(frame, tcp + CHECKSUM, &(!fold(sum)).to_be_bytes());
}

/// A connection, by the peer's address and both ports.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pair {
    peer: u32,
    /// The peer's, then the board's.
    ports: u32,
}

impl Pair {
    /// Of a segment that has come.
    fn coming(frame: &[u8], tcp: usize) -> Self {
        Self { peer: word(frame, SOURCE), ports: ports(frame, tcp) }
    }

    /// Of a segment that leaves.
    fn leaving(frame: &[u8], tcp: usize) -> Self {
        Self { peer: word(frame, TARGET), ports: ports(frame, tcp).rotate_left(16) }
    }
}

#[derive(Clone, Copy)]
struct Connection {
    pair: Pair,
    /// How much higher smoltcp's numbers are than those that the peer sees; until smoltcp has chosen its own, the peer's.
    number: u32,
}

const NOBODY: Connection = Connection { pair: Pair { peer: 0, ports: 0 }, number: 0 };

/// What becomes of a segment that has come.
#[derive(Debug, PartialEq, Eq)]
pub enum Coming {
    /// It is of no connection that began here.
    Stranger,
    /// Its numbers were exchanged.
    Known,
    /// smoltcp has not answered the call yet.
    TooEarly,
}

pub struct Cookies {
    key: Cell<[u32; 2]>,
    /// The second in which a call was last answered here.
    answered: Cell<Option<u32>>,
    connections: [Cell<Connection>; CONNECTIONS],
    /// Connections in use, the lowest bit for the first, and those whose numbers smoltcp has yet to choose.
    live: Cell<u32>,
    open: Cell<u32>,
    /// smoltcp was told of a call, and should answer it before it hears more.
    told: Cell<bool>,
}

impl Cookies {
    pub const fn new() -> Self {
        Self {
            key: Cell::new([0; 2]),
            answered: Cell::new(None),
            connections: [const { Cell::new(NOBODY) }; CONNECTIONS],
            live: Cell::new(0),
            open: Cell::new(0),
            told: Cell::new(false),
        }
    }

    /// A secret: a peer that knows it can answer for any other.
    pub fn set_key(&self, key: u64) {
        self.key.set([key as u32, (key >> 32) as u32]);
    }

    /// Whether no call was ever answered here, so that no segment can be of any interest.
    pub fn is_unused(&self) -> bool {
        self.answered.get().is_none()
    }

    /// Whether no call had to be answered here for a while.
    pub fn is_calm(&self) -> bool {
        self.seconds_since().is_none_or(|seconds| seconds >= CALM)
    }

    fn seconds_since(&self) -> Option<u32> {
        self.answered.get().map(|at| seconds().wrapping_sub(at))
    }

    /// The answer to this call; none to an address that no host can have.
    pub fn answer(&self, frame: &[u8], tcp: usize) -> Option<Frame> {
        let [first, ..] = word(frame, SOURCE).to_be_bytes();
        let is_to_us = frame.first().is_some_and(|first| first & 1 == 0);
        if !is_to_us || !(1..224).contains(&first) {
            return None;
        }
        let (theirs, now) = (word(frame, tcp + SEQ), seconds());
        self.answered.set(Some(now));
        let ours = self.cookie(Pair::coming(frame, tcp), theirs, now / SLOT);
        let numbers = [ours, theirs.wrapping_add(1)];
        Some(segment(frame, tcp, Direction::Back, numbers, SYN | ACK, WINDOW))
    }

    /// Whether this segment, the first after a call, acknowledges an answer of ours.
    pub fn is_proof(&self, frame: &[u8], tcp: usize) -> bool {
        if flags(frame, tcp) & (SYN | FIN | RST | ACK) != ACK
            || self.seconds_since().is_none_or(|since| since >= 2 * SLOT)
        {
            return false;
        }
        let theirs = word(frame, tcp + SEQ).wrapping_sub(1);
        let ours = word(frame, tcp + ACKNOWLEDGED).wrapping_sub(1);
        let slot = seconds() / SLOT;
        let pair = Pair::coming(frame, tcp);
        [slot, slot.wrapping_sub(1)].into_iter().any(|slot| self.cookie(pair, theirs, slot) == ours)
    }

    /// The call of the sender of this proof, for smoltcp; none if there are too many connections.
    pub fn call(&self, frame: &[u8], tcp: usize) -> Option<Frame> {
        let at = self.live.get().trailing_ones();
        let number = word(frame, tcp + ACKNOWLEDGED).wrapping_sub(1);
        self.connections.get(at as usize)?.set(Connection { pair: Pair::coming(frame, tcp), number });
        self.live.set(self.live.get() | 1 << at);
        self.open.set(self.open.get() | 1 << at);
        self.told.set(true);
        let numbers = [word(frame, tcp + SEQ).wrapping_sub(1), 0];
        Some(segment(frame, tcp, Direction::Onward, numbers, SYN, half(frame, tcp + WINDOW_AT)))
    }

    /// Whether smoltcp was told of a call that it has not answered.
    pub fn is_told(&self) -> bool {
        self.told.get()
    }

    /// It is not waited for any longer.
    pub fn forget_told(&self) {
        self.told.set(false);
    }

    /// A segment that is no call has come: what it acknowledges becomes a number of smoltcp's.
    pub fn exchange_coming(&self, frame: &mut [u8], tcp: usize) -> Coming {
        let Some((bit, connection)) = self.find(Pair::coming(frame, tcp)) else { return Coming::Stranger };
        if self.open.get() & bit != 0 {
            return Coming::TooEarly;
        }
        let acknowledged = word(frame, tcp + ACKNOWLEDGED).wrapping_add(connection.get().number);
        exchange(frame, tcp, ACKNOWLEDGED, acknowledged);
        Coming::Known
    }

    /// A frame leaves: if it is of a connection that began here, its number becomes what the peer expects.
    ///
    /// smoltcp's answer to the call must not begin a connection that stands already. Without its SYN it repeats a number that
    /// the peer has seen, and the peer has to say what it expects (RFC 9293, section 3.10.7.4): the acknowledgement that
    /// smoltcp waits for.
    pub fn exchange_leaving(&self, frame: &mut [u8]) {
        if self.live.get() == 0 {
            return;
        }
        let Some(tcp) = tcp(frame) else { return };
        let Some((bit, connection)) = self.find(Pair::leaving(frame, tcp)) else { return };
        let own = word(frame, tcp + SEQ);
        if flags(frame, tcp) & SYN != 0 {
            if self.open.get() & bit != 0 {
                let Connection { pair, number } = connection.get();
                connection.set(Connection { pair, number: own.wrapping_sub(number) });
                self.open.set(self.open.get() & !bit);
                self.told.set(false);
            }
            exchange(frame, tcp, FLAGS, word(frame, tcp + FLAGS) & !(u32::from(SYN) << 16));
        }
        exchange(frame, tcp, SEQ, own.wrapping_sub(connection.get().number));
    }

    /// Whether the connection with this peer began here.
    pub fn knows(&self, peer: u32, port: u16, own: u16) -> bool {
        self.find(Pair { peer, ports: u32::from(port) << 16 | u32::from(own) }).is_some()
    }

    /// Forgets connections that no socket has any more, of which `is_used` is told peer, port and own port.
    pub fn retain(&self, mut is_used: impl FnMut(u32, u16, u16) -> bool) {
        for (at, connection) in self.connections.iter().enumerate() {
            let Pair { peer, ports } = connection.get().pair;
            if self.live.get() >> at & 1 != 0 && !is_used(peer, (ports >> 16) as u16, ports as u16) {
                self.live.set(self.live.get() & !(1 << at));
                self.open.set(self.open.get() & !(1 << at));
            }
        }
    }

    /// The connection and its bit.
    fn find(&self, pair: Pair) -> Option<(u32, &Cell<Connection>)> {
        let live = self.live.get();
        if live == 0 {
            return None;
        }
        let mut all = self.connections.iter().enumerate();
        all.find(|(at, place)| live >> at & 1 != 0 && place.get().pair == pair).map(|(at, place)| (1 << at, place))
    }

    /// HalfSipHash-2-4 of a call.
    fn cookie(&self, pair: Pair, theirs: u32, slot: u32) -> u32 {
        let [k0, k1] = self.key.get();
        let mut state = [k0, k1, 0x6C79_6765 ^ k0, 0x7465_6462 ^ k1];
        // The last word says how many bytes there were.
        for part in [pair.peer, pair.ports, theirs, slot, 16 << 24] {
            state[3] ^= part;
            (0..2).for_each(|_| mix(&mut state));
            state[0] ^= part;
        }
        state[2] ^= 0xFF;
        (0..4).for_each(|_| mix(&mut state));
        state[1] ^ state[3]
    }
}

impl Default for Cookies {
    fn default() -> Self {
        Self::new()
    }
}

/// One round of HalfSipHash.
fn mix([a, b, c, d]: &mut [u32; 4]) {
    *a = a.wrapping_add(*b);
    *b = b.rotate_left(5) ^ *a;
    *a = a.rotate_left(16);
    *c = c.wrapping_add(*d);
    *d = d.rotate_left(8) ^ *c;
    *a = a.wrapping_add(*d);
    *d = d.rotate_left(7) ^ *a;
    *c = c.wrapping_add(*b);
    *b = b.rotate_left(13) ^ *c;
    *c = c.rotate_left(16);
}

fn seconds() -> u32 {
    Instant::now().as_secs() as u32
}

/// Where a segment goes that is made of another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Onward,
    Back,
}

/// A segment between the same two ends as that in `frame`.
fn segment(frame: &[u8], tcp: usize, direction: Direction, numbers: [u32; 2], flags: u8, window: u16) -> Frame {
    let mut made = [0; 54];
    let swap =
        |at: usize, length: usize| if direction == Direction::Back { (at + length, at) } else { (at, at + length) };
    // Hardware, addresses and ports: each pair is a first of this length and a second.
    for (from, to, length) in [(0, 0, 6), (SOURCE, SOURCE, 4), (tcp, HEADER, 2)] {
        let (first, second) = swap(from, length);
        put(&mut made, to, frame.get(first..first + length).unwrap_or_default());
        put(&mut made, to + length, frame.get(second..second + length).unwrap_or_default());
    }
    // IPv4, a header of 20 bytes; 40 bytes in all; not to be cut up; 64 hops; TCP.
    put(&mut made, 12, &[0x08, 0x00, 0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6]);
    let sum = !checksum(&made, 14..HEADER, 0);
    put(&mut made, 24, &sum.to_be_bytes());
    let [ours, theirs] = numbers.map(u32::to_be_bytes);
    put(&mut made, HEADER + SEQ, &ours);
    put(&mut made, HEADER + ACKNOWLEDGED, &theirs);
    put(&mut made, HEADER + FLAGS, &[5 << 4, flags]);
    put(&mut made, HEADER + WINDOW_AT, &window.to_be_bytes());
    // Both addresses, the protocol and the length are summed with it.
    let sum = !checksum(&made, SOURCE..54, 6 + 20);
    put(&mut made, HEADER + CHECKSUM, &sum.to_be_bytes());
    made
}

/// RFC 1071, of an even number of bytes.
fn checksum(frame: &[u8], of: core::ops::Range<usize>, more: u32) -> u16 {
    fold(of.step_by(2).map(|at| u32::from(half(frame, at))).sum::<u32>() + more)
}

#[cfg(test)]
mod tests {
    use embassy_time::{Duration, MockDriver};

    use super::*;
    use crate::shared::tests::CLOCK;

    /// 10.0.2.99:4660 calls 10.0.2.15:80 and begins with 0x0A0B0C0D; as it would be on a cable.
    const CALL: Frame = [
        0x02, 0, 0, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0x99, 0x08, 0x00, // hardware
        0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0x22, 0x5F, 10, 0, 2, 99, 10, 0, 2, 15, // addresses
        0x12, 0x34, 0, 80, 0x0A, 0x0B, 0x0C, 0x0D, 0, 0, 0, 0, 0x50, 0x02, 0xFA, 0xF0, 0x73, 0xE4, 0, 0,
    ];

    fn cookies() -> Cookies {
        let cookies = Cookies::new();
        cookies.set_key(0x0706_0504_0302_0100);
        cookies
    }

    /// Whether both of its checksums are right.
    fn is_sound(frame: &Frame) -> bool {
        checksum(frame, 14..HEADER, 0) == 0xFFFF && checksum(frame, SOURCE..54, 26) == 0xFFFF
    }

    fn numbers(frame: &Frame) -> [u32; 2] {
        [word(frame, HEADER + SEQ), word(frame, HEADER + ACKNOWLEDGED)]
    }

    /// What the peer of [`CALL`] sends.
    fn theirs(numbers: [u32; 2], flags: u8) -> Frame {
        segment(&CALL, HEADER, Direction::Onward, numbers, flags, 1000)
    }

    /// What smoltcp sends to that peer.
    fn ours(numbers: [u32; 2], flags: u8) -> Frame {
        segment(&CALL, HEADER, Direction::Back, numbers, flags, 1000)
    }

    /// What the answer to [`CALL`] begins with.
    fn answered(cookies: &Cookies) -> u32 {
        let [number, _] = numbers(&cookies.answer(&CALL, HEADER).unwrap());
        number
    }

    #[test]
    fn the_hash_is_halfsiphash() {
        let pair = Pair { peer: 0x0302_0100, ports: 0x0706_0504 };
        assert_eq!(cookies().cookie(pair, 0x0B0A_0908, 0x0F0E_0D0C), 0x84AC_B5D9);
    }

    #[test]
    fn a_call_is_answered_to_where_it_came_from() {
        assert!(is_sound(&CALL));
        let answer = cookies().answer(&CALL, HEADER).unwrap();
        assert!(is_sound(&answer));
        assert_eq!(answer[..14], [0x02, 0, 0, 0, 0, 0x99, 0x02, 0, 0, 0, 0, 0x01, 0x08, 0x00]);
        assert_eq!(answer[26..38], [10, 0, 2, 15, 10, 0, 2, 99, 0, 80, 0x12, 0x34]);
        assert_eq!(answer[42..50], [0x0A, 0x0B, 0x0C, 0x0E, 0x50, 0x12, 1, 0]);
        // No host has such an address, and none sends from the broadcast.
        for first in [0, 224, 255] {
            let mut call = CALL;
            call[SOURCE] = first;
            assert_eq!(cookies().answer(&call, HEADER), None);
        }
        let mut call = CALL;
        call[0] |= 1;
        assert_eq!(cookies().answer(&call, HEADER), None);
    }

    #[test]
    fn a_connection_keeps_the_numbers_that_its_peer_has_seen() {
        let _clock = CLOCK.lock();
        let cookies = cookies();
        let number = answered(&cookies);
        let proof = theirs([0x0A0B_0C0E, number.wrapping_add(1)], ACK);
        assert!(cookies.is_proof(&proof, HEADER));
        let call = cookies.call(&proof, HEADER).unwrap();
        assert!(is_sound(&call) && cookies.is_told());
        assert_eq!((numbers(&call), flags(&call, HEADER)), ([0x0A0B_0C0D, 0], SYN));
        // Nothing can be told to smoltcp before it has a number.
        assert_eq!(cookies.exchange_coming(&mut proof.clone(), HEADER), Coming::TooEarly);

        let own = 0xFFFF_FFF0;
        // The second is sent because the first was lost.
        for _ in 0..2 {
            let mut answer = ours([own, 0x0A0B_0C0E], SYN | ACK);
            cookies.exchange_leaving(&mut answer);
            assert!(is_sound(&answer));
            assert_eq!((numbers(&answer), flags(&answer, HEADER)), ([number, 0x0A0B_0C0E], ACK));
        }
        assert!(!cookies.is_told());
        let mut coming = theirs([0x0A0B_0C0E, number.wrapping_add(0x21)], ACK);
        assert_eq!(cookies.exchange_coming(&mut coming, HEADER), Coming::Known);
        assert!(is_sound(&coming));
        assert_eq!(numbers(&coming), [0x0A0B_0C0E, 0x11]);
        let mut leaving = ours([0x11, 0x0A0B_0C20], FIN | ACK);
        cookies.exchange_leaving(&mut leaving);
        assert!(is_sound(&leaving));
        assert_eq!((numbers(&leaving), flags(&leaving, HEADER)), ([number.wrapping_add(0x21), 0x0A0B_0C20], FIN | ACK));

        assert!(cookies.knows(0x0A00_0263, 0x1234, 80) && !cookies.knows(0x0A00_0263, 0x1234, 81));
        cookies.retain(|peer, port, own| (peer, port, own) == (0x0A00_0263, 0x1234, 80));
        assert_eq!(cookies.exchange_coming(&mut coming, HEADER), Coming::Known);
        cookies.retain(|_, _, _| false);
        let before = coming;
        assert_eq!(cookies.exchange_coming(&mut coming, HEADER), Coming::Stranger);
        cookies.exchange_leaving(&mut coming);
        assert_eq!(coming, before);
    }

    #[test]
    fn only_who_was_answered_has_a_proof() {
        let _clock = CLOCK.lock();
        let cookies = cookies();
        let number = cookies.cookie(Pair::coming(&CALL, HEADER), 0x0A0B_0C0D, seconds() / SLOT);
        let proof = theirs([0x0A0B_0C0E, number.wrapping_add(1)], ACK);
        // No call was answered lately.
        assert!(cookies.is_calm() && !cookies.is_proof(&proof, HEADER));
        assert_eq!(answered(&cookies), number);
        assert!(!cookies.is_calm() && cookies.is_proof(&proof, HEADER));
        for (numbers, flags) in [
            ([0x0A0B_0C0E, number], ACK),
            ([0x0A0B_0C0F, number.wrapping_add(1)], ACK),
            ([0x0A0B_0C0E, number.wrapping_add(1)], ACK | FIN),
            ([0x0A0B_0C0E, number.wrapping_add(1)], ACK | RST),
            ([0x0A0B_0C0E, number.wrapping_add(1)], ACK | SYN),
        ] {
            assert!(!cookies.is_proof(&theirs(numbers, flags), HEADER));
        }
        // From another address, port, to another port.
        for at in [SOURCE + 3, HEADER + 1, HEADER + 3] {
            let mut other = proof;
            other[at] ^= 1;
            assert!(!cookies.is_proof(&other, HEADER));
        }
        MockDriver::get().advance(Duration::from_secs(CALM.into()));
        assert!(cookies.is_calm() && cookies.is_proof(&proof, HEADER));
        MockDriver::get().advance(Duration::from_secs((2 * SLOT - CALM).into()));
        answered(&cookies);
        assert!(!cookies.is_proof(&proof, HEADER));
    }

    #[test]
    fn connections_have_an_end() {
        let cookies = cookies();
        let call = |port: u8| {
            let mut proof = theirs([1, 1], ACK);
            proof[HEADER] = port;
            cookies.call(&proof, HEADER)
        };
        assert!((0..CONNECTIONS as u8).all(|port| call(port).is_some()));
        assert_eq!(call(99), None);
        cookies.retain(|_, port, _| port >> 8 != 3);
        assert!(call(99).is_some() && call(98).is_none() && cookies.knows(0x0A00_0263, 99 << 8 | 0x34, 80));
    }

    #[test]
    fn frames_of_any_length_are_looked_at() {
        (0..54).for_each(|length| assert_eq!(tcp(&CALL[..length]), None));
        assert_eq!(tcp(&CALL), Some(HEADER));
        // A header longer than the frame, and one shorter than a header.
        for first in [0x4F, 0x44] {
            let mut call = CALL;
            call[14] = first;
            assert_eq!(tcp(&call), None);
        }
    }
}

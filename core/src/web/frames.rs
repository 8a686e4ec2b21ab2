//! WebSocket frames (RFC 6455 5): inbound a stream of bytes, unmasked on the way into a window; outbound one message for
//! each pull.
//!
//! A server of games does not care where messages begin and end: their bytes are its stream. It cares that no frame makes it
//! keep anything: a control frame is announced, and its few bytes are handed out as they come, so that a pong can be sent
//! in the same pieces.
//!
//! What can never happen here: bytes of a control frame in the stream, a frame that asks for memory, a message of the kind
//! that the game does not speak.

use crate::game::Encoding;

/// Bytes before a message or control frame that a server sends, at most.
pub const FRONT: usize = 4;
/// The same for a client: it masks what it sends.
pub const MASKED_FRONT: usize = FRONT + 4;
/// The most that a control frame carries.
pub const CONTROL: usize = 125;
/// 2 /* codes, length */ + 8 /* longer length */ + 4 /* mask */.
const HEADER: usize = 14;

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
const CONTINUED: u8 = 0x0;
const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    Close,
    Ping,
    Pong,
}

impl Control {
    const fn code(self) -> u8 {
        match self {
            Self::Close => 0x8,
            Self::Ping => 0x9,
            Self::Pong => 0xA,
        }
    }
}

/// What came of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// So many bytes of the stream were written to the window.
    Stream(usize),
    /// A control frame begins: so many bytes that come next are its own.
    Control(Control, usize),
    /// So many of them were written to the window.
    Payload(Control, usize),
    /// The peer does not speak this protocol: answer with this code, and hang up.
    Broken(u16),
}

/// A bad frame.
pub const PROTOCOL_ERROR: u16 = 1002;
/// Text where bytes are spoken, or the other way round.
pub const WRONG_KIND: u16 = 1003;
/// Text that is not UTF-8: for adapters that look.
pub const NO_TEXT: u16 = 1007;

/// What is known of the frame that comes in. A client's frames are masked, a server's are not.
#[derive(Clone, Copy, Debug)]
pub struct Frames<const FROM_CLIENT: bool = true> {
    encoding: Encoding,
    header: [u8; HEADER],
    /// Bytes of the header that came.
    at: u8,
    mask: [u8; 4],
    /// Where in the mask the next byte is.
    phase: u8,
    /// Bytes of the frame that have still to come.
    left: u64,
    /// A message has begun and not ended.
    in_message: bool,
    control: Option<Control>,
    /// It was told of.
    announced: bool,
}

impl Frames<true> {
    /// What a server reads.
    pub const fn new(encoding: Encoding) -> Self {
        Self::begin_with(encoding)
    }
}

impl Frames<false> {
    /// What a client reads.
    pub const fn of_server(encoding: Encoding) -> Self {
        Self::begin_with(encoding)
    }
}

impl<const FROM_CLIENT: bool> Frames<FROM_CLIENT> {
    const fn begin_with(encoding: Encoding) -> Self {
        Self {
            encoding,
            header: [0; HEADER],
            at: 0,
            mask: [0; 4],
            phase: 0,
            left: 0,
            in_message: false,
            control: None,
            announced: false,
        }
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Bytes of a control frame that was told of have still to come: nothing may be sent between the pieces of its answer.
    pub fn is_in_control(&self) -> bool {
        self.control.is_some() && self.announced
    }

    /// Takes bytes from the wire and writes what they carry to `window`: how many were taken, and what came of them. The
    /// window never holds the stream's bytes and a control frame's at once.
    pub fn take(&mut self, wire: &[u8], window: &mut [u8]) -> (usize, Event) {
        let (mut taken, mut written) = (0, 0);
        loop {
            if let Some(control) = self.control {
                if written > 0 {
                    return (taken, Event::Stream(written));
                }
                if self.announced {
                    let count = self.carry(wire.get(taken..).unwrap_or_default(), window);
                    self.control = self.control.filter(|_| self.left > 0);
                    return (taken + count, Event::Payload(control, count));
                }
                self.announced = true;
                self.control = self.control.filter(|_| self.left > 0);
                return (taken, Event::Control(control, self.left as usize));
            }
            if self.left > 0 {
                let room = window.get_mut(written..).unwrap_or_default();
                let count = self.carry(wire.get(taken..).unwrap_or_default(), room);
                (taken, written) = (taken + count, written + count);
                if count == 0 {
                    return (taken, Event::Stream(written));
                }
                continue;
            }
            let Some(byte) = wire.get(taken) else { return (taken, Event::Stream(written)) };
            taken += 1;
            if let Some(slot) = self.header.get_mut(usize::from(self.at)) {
                *slot = *byte;
            }
            let at = self.at;
            self.at += 1;
            if self.is_whole()
                && let Err(code) = self.begin()
            {
                if written == 0 {
                    return (taken, Event::Broken(code));
                }
                // What came before it counts, however the wire is cut: the header's last byte comes once more.
                (self.at, self.left) = (at, 0);
                return (taken - 1, Event::Stream(written));
            }
        }
    }

    /// Unmasks as many bytes as there are, belong to the frame, and have room.
    fn carry(&mut self, bytes: &[u8], room: &mut [u8]) -> usize {
        let count = bytes.len().min(room.len()).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        room.iter_mut().zip(bytes).take(count).for_each(|(to, from)| *to = from ^ self.next_mask());
        self.left -= count as u64;
        count
    }

    fn next_mask(&mut self) -> u8 {
        let mask = self.mask.get(usize::from(self.phase)).copied().unwrap_or_default();
        self.phase = (self.phase + 1) % 4;
        mask
    }

    /// Bytes of length that come after the first two.
    fn longer(&self) -> usize {
        let [_, second, ..] = self.header;
        match second & !MASKED {
            126 => 2,
            127 => 8,
            _ => 0,
        }
    }

    fn is_whole(&self) -> bool {
        // A client's frame without a mask has a shorter header, and is refused all the same once it has come so far.
        self.at >= 2 && usize::from(self.at) >= 2 + self.longer() + if FROM_CLIENT { 4 } else { 0 }
    }

    fn begin(&mut self) -> Result<(), u16> {
        let [first, second, rest @ ..] = self.header;
        let longer = self.longer();
        let number = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let left =
            if longer == 0 { u64::from(second & !MASKED) } else { number(rest.get(..longer).unwrap_or_default()) };
        let mask =
            rest.get(longer..).and_then(<[u8]>::first_chunk).filter(|_| FROM_CLIENT).copied().unwrap_or_default();
        (self.at, self.phase, self.mask, self.left) = (0, 0, mask, left);
        let (is_final, code) = (first & FINAL != 0, first & 0x0F);
        if first & RESERVED != 0 || (second & MASKED != 0) != FROM_CLIENT || left > u64::MAX >> 1 {
            return Err(PROTOCOL_ERROR);
        }
        let own = match self.encoding {
            Encoding::Text => TEXT,
            Encoding::Binary => BINARY,
        };
        match code {
            CONTINUED if self.in_message => self.in_message = !is_final,
            TEXT | BINARY if self.in_message => return Err(PROTOCOL_ERROR),
            TEXT | BINARY if code != own => return Err(WRONG_KIND),
            TEXT | BINARY => self.in_message = !is_final,
            _ => {
                let controls = [Control::Close, Control::Ping, Control::Pong];
                let control = controls.into_iter().find(|control| control.code() == code).ok_or(PROTOCOL_ERROR)?;
                if !is_final || left > CONTROL as u64 {
                    return Err(PROTOCOL_ERROR);
                }
                (self.control, self.announced) = (Some(control), false);
            }
        }
        Ok(())
    }
}

/// Puts a message's front right before the `length` bytes at [`FRONT`] of `out`: where the frame begins.
pub fn seal(out: &mut [u8], length: usize, encoding: Encoding) -> usize {
    let code = FINAL
        | match encoding {
            Encoding::Text => TEXT,
            Encoding::Binary => BINARY,
        };
    put_front(out, length, code)
}

/// The same for a control frame of at most [`CONTROL`] bytes.
pub fn seal_control(out: &mut [u8], length: usize, control: Control) -> usize {
    put_front(out, length.min(CONTROL), FINAL | control.code())
}

/// Masks the `length` bytes at [`MASKED_FRONT`] of `out`, of a message or (`control`) of a control frame, and puts a client's
/// front right before them: where the frame begins. The mask must be one that nobody can foresee.
pub fn seal_masked(
    out: &mut [u8],
    length: usize,
    encoding: Encoding,
    control: Option<Control>,
    mask: [u8; 4],
) -> usize {
    let start = match control {
        Some(control) => seal_control(out, length, control),
        None => seal(out, length, encoding),
    };
    if let Some(second) = out.get_mut(start + 1) {
        *second |= MASKED;
    }
    if let Some(to) = out.get_mut(FRONT..MASKED_FRONT) {
        to.copy_from_slice(&mask);
    }
    let payload = out.iter_mut().skip(MASKED_FRONT).take(length);
    payload.zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    start
}

fn put_front(out: &mut [u8], length: usize, code: u8) -> usize {
    let [high, low] = (length as u16).to_be_bytes();
    let (front, start) = if length < 126 { ([0, 0, code, low], 2) } else { ([code, 126, high, low], 0) };
    if let Some(to) = out.first_chunk_mut::<FRONT>() {
        *to = front;
    }
    start
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn masked(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::from([first]);
        match payload.len() {
            length @ 0..126 => out.push(MASKED | length as u8),
            length @ 126..0x1_0000 => out.extend([MASKED | 126, (length >> 8) as u8, length as u8]),
            length => {
                out.push(MASKED | 127);
                out.extend((length as u64).to_be_bytes());
            }
        }
        let mask = [1, 2, 3, 4];
        out.extend(mask);
        out.extend(payload.iter().enumerate().map(|(at, byte)| byte ^ mask[at % 4]));
        out
    }

    fn first(encoding: Encoding, wire: &[u8]) -> Event {
        let mut frames = Frames::new(encoding);
        frames.take(wire, &mut [0; 64]).1
    }

    #[test]
    fn a_stream_may_come_in_any_pieces() {
        let long: Vec<u8> = (0..200).collect();
        let longest = std::vec![7; 70_000];
        let frames = [masked(0x82, b"hel"), masked(0x02, b"lo"), masked(0x00, b""), masked(0x80, &long)];
        let wire = [frames.concat(), masked(0x82, &longest)].concat();
        let expected = [b"hello", &long[..], &longest].concat();
        for (step, room) in [(1, 1), (1, 64), (3, 2), (7, 64), (39, 5), (100_000, 64)] {
            let (mut frames, mut got) = (Frames::new(Encoding::Binary), Vec::new());
            for mut piece in wire.chunks(step) {
                while !piece.is_empty() {
                    let mut window = [0; 64];
                    let (taken, event) = frames.take(piece, &mut window[..room]);
                    let Event::Stream(written) = event else { panic!("{event:?}") };
                    got.extend_from_slice(&window[..written]);
                    piece = &piece[taken..];
                }
            }
            assert!(got == expected, "{step} {room}");
        }
    }

    #[test]
    fn control_frames_stand_between_pieces_of_a_message() {
        let wire = [masked(0x01, b"ab"), masked(0x89, b"ping"), masked(0x80, b"cd")].concat();
        let (mut frames, mut window) = (Frames::new(Encoding::Text), [0; 64]);
        let mut at = 0;
        let mut next = |frames: &mut Frames, most: usize| {
            let end = wire.len().min(at + most);
            let (taken, event) = frames.take(&wire[at..end], &mut window);
            at += taken;
            (event, window)
        };
        let (event, text) = next(&mut frames, 100);
        assert_eq!((event, &text[..2]), (Event::Stream(2), &b"ab"[..]));
        assert!(!frames.is_in_control());
        assert_eq!(next(&mut frames, 100).0, Event::Control(Control::Ping, 4));
        assert!(frames.is_in_control());
        let (event, text) = next(&mut frames, 3);
        assert_eq!((event, &text[..3]), (Event::Payload(Control::Ping, 3), &b"pin"[..]));
        let (event, text) = next(&mut frames, 100);
        assert_eq!((event, &text[..1]), (Event::Payload(Control::Ping, 1), &b"g"[..]));
        assert!(!frames.is_in_control());
        let (event, text) = next(&mut frames, 100);
        assert_eq!((event, &text[..2]), (Event::Stream(2), &b"cd"[..]));
        assert_eq!(first(Encoding::Text, &masked(0x88, b"")), Event::Control(Control::Close, 0));
    }

    #[test]
    fn what_is_no_websocket_is_broken_off() {
        let unmasked = [0x82, 3, 1, 2, 3, 0, 0];
        let huge = [0x82, MASKED | 127, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
        let long_ping = masked(0x89, &[0; 126]);
        for (wire, code) in [
            (&unmasked[..], PROTOCOL_ERROR),
            (&huge, PROTOCOL_ERROR),
            (&long_ping, PROTOCOL_ERROR),
            (&masked(0xC2, b"x"), PROTOCOL_ERROR),
            (&masked(0x80, b"x"), PROTOCOL_ERROR),
            (&masked(0x09, b"x"), PROTOCOL_ERROR),
            (&masked(0x83, b"x"), PROTOCOL_ERROR),
            (&masked(0x8B, b"x"), PROTOCOL_ERROR),
            (&masked(0x81, b"x"), WRONG_KIND),
        ] {
            assert_eq!(first(Encoding::Binary, wire), Event::Broken(code), "{wire:x?}");
        }
        // What came before it counts.
        let (mut frames, mut window) = (Frames::new(Encoding::Binary), [0; 64]);
        let wire = [masked(0x82, b"abc"), masked(0x81, b"x"), masked(0x82, b"d")].concat();
        let (taken, event) = frames.take(&wire, &mut window);
        assert_eq!((event, &window[..3]), (Event::Stream(3), &b"abc"[..]));
        assert_eq!(frames.take(&wire[taken..], &mut window).1, Event::Broken(WRONG_KIND));
        let twice = [masked(0x02, b""), masked(0x82, b"x")].concat();
        assert_eq!(first(Encoding::Binary, &twice), Event::Broken(PROTOCOL_ERROR));
        assert_eq!(first(Encoding::Text, &masked(0x82, b"x")), Event::Broken(WRONG_KIND));
    }

    #[test]
    fn messages_are_sealed() {
        let mut out = [9; 300];
        assert_eq!((seal(&mut out, 125, Encoding::Binary), &out[..4]), (2, &[0, 0, 0x82, 125][..]));
        assert_eq!((seal(&mut out, 200, Encoding::Text), &out[..5]), (0, &[0x81, 126, 0, 200, 9][..]));
        assert_eq!((seal_control(&mut out, 2, Control::Close), &out[2..4]), (2, &[0x88, 2][..]));
    }

    #[test]
    fn what_a_client_masks_a_server_reads_and_what_a_server_says_its_client() {
        let long: Vec<u8> = (0..200).collect();
        for payload in [&b"noop"[..], b"", &long] {
            let mut out = [&[0; MASKED_FRONT], payload].concat();
            let start = seal_masked(&mut out, payload.len(), Encoding::Text, None, [9, 8, 7, 200]);
            let (mut frames, mut window) = (Frames::new(Encoding::Text), [0; 256]);
            let read = frames.take(&out[start..], &mut window);
            assert_eq!((read, &window[..payload.len()]), ((out.len() - start, Event::Stream(payload.len())), payload));
            // A client takes its own frames for nobody's.
            assert_eq!(
                Frames::of_server(Encoding::Text).take(&out[start..], &mut window).1,
                Event::Broken(PROTOCOL_ERROR)
            );

            let mut out = [&[0; FRONT], payload].concat();
            let start = seal(&mut out, payload.len(), Encoding::Text);
            let (mut frames, mut window) = (Frames::of_server(Encoding::Text), [0; 256]);
            let read = frames.take(&out[start..], &mut window);
            assert_eq!((read, &window[..payload.len()]), ((out.len() - start, Event::Stream(payload.len())), payload));
        }
        let mut out = [0, 0, 0, 0, 0, 0, 0, 0, 5];
        assert_eq!(seal_masked(&mut out, 1, Encoding::Text, Some(Control::Pong), [1; 4]), 2);
        assert_eq!(out[2..], [0x8A, 0x81, 1, 1, 1, 1, 4]);
    }
}

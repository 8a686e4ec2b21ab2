//! DNS packets as RFC 6762 uses them, read and written in place.
//!
//! Reading is total over all bytes: what does not fit together is not there. A name may point back into its packet; each
//! pointer must point further back than the last, so every name has an end.

pub const IN: u16 = 1;
/// In a question: an answer to one is enough. In a record: no other host has one of this name.
const TOP: u16 = 0x8000;
pub const A: u16 = 1;
pub const PTR: u16 = 12;
pub const TXT: u16 = 16;
pub const SRV: u16 = 33;
pub const ANY: u16 = 255;

const RESPONSE: u16 = 0x8000;
/// A response from the name's owner.
const AUTHORITATIVE: u16 = 0x8400;
const OPCODE: u16 = 0x7800;

/// The first twelve bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub id: u16,
    pub is_response: bool,
    pub questions: u16,
    pub answers: u16,
    pub authorities: u16,
    pub additional: u16,
}

#[derive(Clone, Copy, Debug)]
pub struct Question<'p> {
    pub name: Name<'p>,
    pub kind: u16,
}

#[derive(Clone, Copy, Debug)]
pub struct Record<'p> {
    pub name: Name<'p>,
    pub kind: u16,
    pub ttl: u32,
    pub data: &'p [u8],
    /// The name that the data is, or after so many bytes begins with.
    packet: &'p [u8],
    data_at: usize,
}

impl<'p> Record<'p> {
    /// A name in the data, after so many bytes of something else.
    pub fn name_in_data(&self, skipped: usize) -> Name<'p> {
        Name { packet: self.packet, at: self.data_at + skipped }
    }
}

/// Reads a packet from front to back.
#[derive(Clone, Copy)]
pub struct Reader<'p> {
    packet: &'p [u8],
    at: usize,
}

impl<'p> Reader<'p> {
    /// `None`: not a question or an answer as we know them.
    pub fn new(packet: &'p [u8]) -> Option<(Header, Self)> {
        let mut reader = Self { packet, at: 0 };
        let (id, flags) = (reader.word()?, reader.word()?);
        let header = Header {
            id,
            is_response: flags & RESPONSE != 0,
            questions: reader.word()?,
            answers: reader.word()?,
            authorities: reader.word()?,
            additional: reader.word()?,
        };
        (flags & OPCODE == 0).then_some((header, reader))
    }

    /// A question of the Internet's class.
    pub fn question(&mut self) -> Option<Question<'p>> {
        let name = self.name()?;
        let (kind, class) = (self.word()?, self.word()?);
        Some(Question { name, kind: if class & !TOP == IN { kind } else { 0 } })
    }

    pub fn record(&mut self) -> Option<Record<'p>> {
        let name = self.name()?;
        let (kind, class) = (self.word()?, self.word()?);
        let ttl = u32::from(self.word()?) << 16 | u32::from(self.word()?);
        let length = usize::from(self.word()?);
        let data_at = self.at;
        let data = self.packet.get(data_at..data_at + length)?;
        self.at += length;
        let kind = if class & !TOP == IN { kind } else { 0 };
        Some(Record { name, kind, ttl, data, packet: self.packet, data_at })
    }

    fn word(&mut self) -> Option<u16> {
        let bytes = self.packet.get(self.at..)?.first_chunk()?;
        self.at += 2;
        Some(u16::from_be_bytes(*bytes))
    }

    fn name(&mut self) -> Option<Name<'p>> {
        let name = Name { packet: self.packet, at: self.at };
        loop {
            match *self.packet.get(self.at)? {
                0 => {
                    self.at += 1;
                    return Some(name);
                }
                0xC0.. => {
                    self.at += 2;
                    return Some(name);
                }
                length @ ..0x40 => self.at += 1 + usize::from(length),
                _ => return None,
            }
        }
    }
}

/// A name somewhere in a packet.
#[derive(Clone, Copy, Debug)]
pub struct Name<'p> {
    packet: &'p [u8],
    at: usize,
}

impl<'p> Name<'p> {
    /// Whether these are its labels, in capitals or not.
    pub fn is(self, labels: &[&str]) -> bool {
        let (mut at, mut first) = (self.at, self.at);
        let mut own = labels.iter();
        loop {
            match self.packet.get(at).copied() {
                Some(0) => return own.next().is_none(),
                Some(high @ 0xC0..) => {
                    let Some(low) = self.packet.get(at + 1) else { return false };
                    at = usize::from(high & 0x3F) << 8 | usize::from(*low);
                    // Further back each time, so there is an end.
                    if at >= first {
                        return false;
                    }
                    first = at;
                }
                Some(length @ ..0x40) => {
                    let end = at + 1 + usize::from(length);
                    let (Some(label), Some(own)) = (self.packet.get(at + 1..end), own.next()) else { return false };
                    if !label.eq_ignore_ascii_case(own.as_bytes()) {
                        return false;
                    }
                    at = end;
                }
                _ => return false,
            }
        }
    }
}

/// Writes a packet. What has no room is not written, and [`Writer::end`] says so.
pub struct Writer<'o> {
    out: &'o mut [u8],
    at: usize,
    fits: bool,
}

impl<'o> Writer<'o> {
    pub fn new(out: &'o mut [u8], header: Header) -> Self {
        let mut writer = Self { out, at: 0, fits: true };
        writer.word(header.id);
        writer.word(if header.is_response { AUTHORITATIVE } else { 0 });
        let counts = [header.questions, header.answers, header.authorities, header.additional];
        counts.iter().for_each(|count| writer.word(*count));
        writer
    }

    /// How long the packet is, if all of it had room.
    pub fn end(self) -> Option<usize> {
        self.fits.then_some(self.at)
    }

    /// `one_answer`: the answer may go to the asker alone.
    pub fn question(&mut self, name: &[&str], kind: u16, one_answer: bool) {
        self.name(name);
        self.word(kind);
        self.word(if one_answer { IN | TOP } else { IN });
    }

    /// `is_unique`: no other host has one of this name and kind, and caches drop what they had.
    pub fn record(&mut self, name: &[&str], kind: u16, ttl: u32, is_unique: bool, data: impl FnOnce(&mut Self)) {
        self.name(name);
        self.word(kind);
        self.word(if is_unique { IN | TOP } else { IN });
        self.put(&ttl.to_be_bytes());
        let length_at = self.at;
        self.word(0);
        let start = self.at;
        data(self);
        let length = ((self.at - start) as u16).to_be_bytes();
        let to = self.out.get_mut(length_at..start).unwrap_or_default();
        to.iter_mut().zip(length).for_each(|(to, from)| *to = from);
    }

    pub fn name(&mut self, labels: &[&str]) {
        for label in labels {
            self.put(&[label.len() as u8]);
            self.put(label.as_bytes());
        }
        self.put(&[0]);
    }

    pub fn word(&mut self, word: u16) {
        self.put(&word.to_be_bytes());
    }

    pub fn put(&mut self, bytes: &[u8]) {
        match self.out.get_mut(self.at..self.at + bytes.len()) {
            Some(to) => {
                to.copy_from_slice(bytes);
                self.at += bytes.len();
            }
            None => self.fits = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_point_back() {
        let packet = b"\0\0\0\0\0\x02\0\0\0\0\0\0\x06PARLOR\x05local\0\0\x01\0\x01\x01x\xC0\x13\0\x0C\x80\x01";
        let (header, mut reader) = Reader::new(packet).unwrap();
        assert_eq!(header.questions, 2);
        let first = reader.question().unwrap();
        assert!(first.name.is(&["parlor", "local"]) && first.kind == A);
        assert!(!first.name.is(&["parlor"]) && !first.name.is(&["parlor", "local", "x"]));
        let second = reader.question().unwrap();
        assert!(second.name.is(&["x", "local"]) && second.kind == PTR);
        assert!(reader.question().is_none());
    }

    #[test]
    fn a_name_that_points_to_itself_or_ahead_is_nobody_s() {
        for pointer in [[0xC0, 12], [0xC0, 14], [0xC0, 200]] {
            let mut packet = *b"\0\0\0\0\0\x01\0\0\0\0\0\0\xC0\x0C\0\x01\0\x01";
            packet[12..14].copy_from_slice(&pointer);
            let (_, mut reader) = Reader::new(&packet).unwrap();
            assert!(!reader.question().unwrap().name.is(&["a"]));
        }
    }

    #[test]
    fn any_bytes_are_read_to_their_end() {
        let mut seed = 1_u32;
        for _ in 0..20_000 {
            let mut packet = [0; 64];
            for byte in &mut packet {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *byte = if seed >> 30 == 0 { (seed >> 24) as u8 } else { (seed >> 28) as u8 };
            }
            let Some((_, mut reader)) = Reader::new(&packet) else { continue };
            let _ = reader.question().map(|question| question.name.is(&["a"]));
            while let Some(record) = reader.record() {
                record.name.is(&["a", "b"]);
                record.name_in_data(6).is(&["a"]);
            }
        }
    }

    #[test]
    fn what_has_no_room_is_no_packet() {
        let mut out = [0; 40];
        let whole = Header { id: 7, is_response: true, answers: 1, ..Header::default() };
        for room in 0..40 {
            let mut writer = Writer::new(&mut out[..room], whole);
            writer.record(&["parlor", "local"], A, 120, true, |writer| writer.put(&[10, 0, 2, 15]));
            assert_eq!(writer.end().is_some(), room >= 40, "{room}");
        }
        let mut writer = Writer::new(&mut out, whole);
        writer.record(&["parlor", "local"], A, 120, true, |writer| writer.put(&[10, 0, 2, 15]));
        assert_eq!(writer.end(), Some(40));
        assert_eq!(&out[..12], b"\0\x07\x84\0\0\0\0\x01\0\0\0\0");
        assert_eq!(&out[12..], b"\x06parlor\x05local\0\0\x01\x80\x01\0\0\0\x78\0\x04\x0A\0\x02\x0F");
    }
}

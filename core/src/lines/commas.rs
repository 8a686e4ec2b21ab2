//! Lines of fields between commas, with `%C` for a comma inside a field and `%%` for a percent sign.
//!
//! Such a line ends with LF alone; bytes below 0x20 inside it mean nothing, so CRLF ends it as well. An empty field is a
//! field: `A` has none behind its name, `A,` has one.

use core::fmt;

use heapless::Vec;

use crate::bytes;

/// Fields that are looked at, the name included: no message has more. [`Fields::total`] knows of all there are.
pub const FIELDS_MAX: usize = 6;

/// The line is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUtf8;

/// The fields of a line, one after the other.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    fields: Vec<&'a str, FIELDS_MAX>,
    count: usize,
    next: usize,
}

impl<'a> Fields<'a> {
    /// Splits a line without its end; the fields as they were meant lie in `room`, which must be as long as the line.
    pub fn split(line: &[u8], room: &'a mut [u8]) -> Result<Self, NotUtf8> {
        let mut ends: Vec<usize, FIELDS_MAX> = Vec::new();
        let (mut written, mut count) = (0, 1);
        let mut rest = line.iter().copied().filter(|byte| *byte >= 0x20).peekable();
        while let Some(byte) = rest.next() {
            let byte = match (byte, rest.peek()) {
                (b',', _) => {
                    // The fields beyond those that are looked at are only counted.
                    let _ = ends.push(written);
                    count += 1;
                    continue;
                }
                (b'%', Some(b'C')) => {
                    rest.next();
                    b','
                }
                (b'%', Some(b'%')) => {
                    rest.next();
                    b'%'
                }
                // A percent sign before anything else stands for itself.
                (byte, _) => byte,
            };
            if let Some(place) = room.get_mut(written) {
                *place = byte;
                written += 1;
            }
        }
        let _ = ends.push(written);
        let room: &'a [u8] = room;
        let text = room.get(..written).and_then(|text| core::str::from_utf8(text).ok()).ok_or(NotUtf8)?;
        let mut fields = Vec::new();
        let mut from = 0;
        for to in ends {
            // A cut lies where a comma was, so never inside a character: the text as a whole is UTF-8, commas or not.
            let _ = fields.push(text.get(from..to).ok_or(NotUtf8)?);
            from = to;
        }
        Ok(Self { fields, count, next: 0 })
    }

    /// How many there are, the name included.
    pub const fn total(&self) -> usize {
        self.count
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a str;
    fn next(&mut self) -> Option<&'a str> {
        let field = self.fields.get(self.next).copied()?;
        self.next += 1;
        Some(field)
    }
}

/// A line being written to a buffer, field by field. Text written to it goes into the field begun last, escaped. A line
/// that is too long is no line: [`FieldWriter::end`] says so. With no room at all a line is measured.
pub struct FieldWriter<'a> {
    room: &'a mut [u8],
    /// How long it became, whether it fits or not.
    used: usize,
}

impl<'a> FieldWriter<'a> {
    /// A line that begins with this name, which needs no escape.
    pub fn new(name: &str, room: &'a mut [u8]) -> Self {
        let mut line = Self { room, used: 0 };
        line.bytes(name.as_bytes());
        line
    }

    /// Begins the next field.
    pub fn field(&mut self) {
        self.bytes(b",");
    }

    /// More of this field.
    pub fn text(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let Some(plain) = rest.iter().position(|byte| matches!(byte, b',' | b'%')) {
            let (before, after) = rest.split_at_checked(plain).unwrap_or_default();
            self.bytes(before);
            self.bytes(if after.first() == Some(&b',') { b"%C" } else { b"%%" });
            rest = after.get(1..).unwrap_or_default();
        }
        self.bytes(rest);
    }

    /// More of this field, in digits.
    pub fn number(&mut self, number: i32) {
        let mut digits = [0; 10];
        let (mut rest, mut at) = (number.unsigned_abs(), digits.len());
        loop {
            at -= 1;
            if let Some(place) = digits.get_mut(at) {
                *place = b'0' + (rest % 10) as u8;
            }
            rest /= 10;
            if rest == 0 || at == 0 {
                break;
            }
        }
        if number < 0 {
            self.bytes(b"-");
        }
        self.bytes(digits.get(at..).unwrap_or_default());
    }

    /// LF; how long the line became, or `None` if there was no room for it.
    pub fn end(mut self) -> Option<usize> {
        self.bytes(b"\n");
        (self.used <= self.room.len()).then_some(self.used)
    }

    /// As [`FieldWriter::end`], for a line that was only measured.
    pub fn length(mut self) -> usize {
        self.bytes(b"\n");
        self.used
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if let Some(room) = self.room.get_mut(self.used..) {
            bytes::put(room, bytes);
        }
        self.used += bytes.len();
    }
}

impl fmt::Write for FieldWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn split(line: &[u8]) -> Result<(usize, Vec<String>), NotUtf8> {
        let mut room = std::vec![0; line.len()];
        let fields = Fields::split(line, &mut room)?;
        Ok((fields.total(), fields.map(|field| field.to_string()).collect()))
    }

    fn written(fields: &[&str]) -> Vec<u8> {
        let mut room = [0; 200];
        let mut line = FieldWriter::new(fields[0], &mut room);
        for field in &fields[1..] {
            line.field();
            line.text(field);
        }
        let length = line.end().unwrap();
        room[..length - 1].to_vec()
    }

    #[test]
    fn fields_lie_between_commas() {
        let cases: [(&str, &[&str]); 9] = [
            ("", &[""]),
            ("JOIN", &["JOIN"]),
            ("JOIN,", &["JOIN", ""]),
            (",,", &["", "", ""]),
            ("A,b c,d", &["A", "b c", "d"]),
            ("A,b%Cc%%d", &["A", "b,c%d"]),
            ("A,%x%,%", &["A", "%x%", "%"]),
            ("A,%%C,%C%", &["A", "%C", ",%"]),
            ("A\r,\tb\0c\r", &["A", "bc"]),
        ];
        for (line, fields) in cases {
            assert_eq!(split(line.as_bytes()), Ok((fields.len(), fields.iter().map(|f| f.to_string()).collect())));
        }
        // What is beyond is counted.
        assert_eq!(split(b"a,b,c,d,e,f,g,h").map(|(count, fields)| (count, fields.len())), Ok((8, FIELDS_MAX)));
        assert_eq!(split(b"A,\xff"), Err(NotUtf8));
        // Dropping a byte must not make text of what is none, nor the other way round.
        assert_eq!(split("A,ä".as_bytes()), Ok((2, ["A".into(), "ä".into()].into())));
        assert_eq!(split(b"A,\xc3,\xa4"), Err(NotUtf8));
    }

    #[test]
    fn what_is_written_is_split_again() {
        for fields in [&["A"][..], &["A", ""], &["A", ",", "%", "%C"], &["A", "a,b%%c", "日,本%"], &["A", "%,", ""]] {
            let line = written(fields);
            assert_eq!(split(&line), Ok((fields.len(), fields.iter().map(|f| f.to_string()).collect())), "{line:?}");
        }
    }

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 7, 10, -1, 20_000, i32::MAX, i32::MIN] {
            let mut room = [0; 20];
            let mut line = FieldWriter::new("", &mut room);
            line.number(number);
            let length = line.end().unwrap();
            assert_eq!(std::str::from_utf8(&room[..length - 1]).unwrap(), std::format!("{number}"));
        }
    }

    #[test]
    fn a_line_that_does_not_fit_is_none() {
        for length in 0..8 {
            let mut room = [0; 8];
            let mut line = FieldWriter::new("A", &mut room[..length]);
            line.field();
            line.text("b,c%");
            assert_eq!(line.end(), None, "{length}");
        }
        let mut line = FieldWriter::new("A", &mut []);
        line.field();
        line.text("b,c%");
        assert_eq!(line.length(), "A,b%Cc%%\n".len());
    }
}

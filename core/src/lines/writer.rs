//! Writes one line, word by word.

use core::fmt;

use crate::bytes;

/// A line being written to a buffer. A line that is too long is no line: [`Writer::end`] says so. With no room at all a
/// line is measured.
pub struct Writer<'a> {
    room: &'a mut [u8],
    /// How long it became, whether it fits or not.
    used: usize,
    empty: bool,
}

impl<'a> Writer<'a> {
    pub fn new(room: &'a mut [u8]) -> Self {
        Self { room, used: 0, empty: true }
    }

    /// A word that needs no quotes, or text that is meant to be several words.
    pub fn plain(&mut self, text: &str) {
        self.space();
        self.bytes(text.as_bytes());
    }

    /// Any text as one word: quoted if it is empty or holds white space, a quote, a backslash or `#`.
    pub fn word(&mut self, text: &str) {
        let is_odd = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | '#');
        if !text.is_empty() && !text.contains(is_odd) {
            return self.plain(text);
        }
        self.quoted(text);
    }

    /// Any text as one word in quotes, whether it needs them or not.
    pub fn quoted(&mut self, text: &str) {
        self.space();
        self.bytes(b"\"");
        for byte in text.bytes() {
            if matches!(byte, b'"' | b'\\') {
                self.bytes(b"\\");
            }
            self.bytes(&[byte]);
        }
        self.bytes(b"\"");
    }

    pub fn number(&mut self, number: i32) {
        self.space();
        // A write to this type gives no error; a full line is told by `end`.
        let _ = fmt::Write::write_fmt(self, format_args!("{number}"));
    }

    /// A word in quotes made of parts; `fill` writes them without quotes or backslashes.
    pub fn group(&mut self, fill: impl FnOnce(&mut Self)) {
        self.space();
        self.bytes(b"\"");
        self.empty = true;
        fill(self);
        self.empty = false;
        self.bytes(b"\"");
    }

    /// CRLF; how long the line became, or `None` if there was no room for it.
    pub fn end(mut self) -> Option<usize> {
        self.bytes(b"\r\n");
        (self.used <= self.room.len()).then_some(self.used)
    }

    /// As [`Writer::end`], for a line that was only measured.
    pub fn length(mut self) -> usize {
        self.bytes(b"\r\n");
        self.used
    }

    fn space(&mut self) {
        if !core::mem::take(&mut self.empty) {
            self.bytes(b" ");
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if let Some(room) = self.room.get_mut(self.used..) {
            bytes::put(room, bytes);
        }
        self.used += bytes.len();
    }
}

impl fmt::Write for Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Words;

    fn written(fill: impl FnOnce(&mut Writer<'_>)) -> std::string::String {
        let mut room = [0; 99];
        let mut writer = Writer::new(&mut room);
        fill(&mut writer);
        let length = writer.end().unwrap();
        std::str::from_utf8(&room[..length]).unwrap().into()
    }

    #[test]
    fn only_odd_words_are_quoted() {
        let line = written(|w| {
            w.plain("*");
            for word in ["Joe", "Mr. X", "", "a\"b\\", "it's", "#1"] {
                w.word(word);
            }
            w.number(-1);
            w.group(|w| {
                w.plain("X");
                w.number(64);
            });
        });
        assert_eq!(line, "* Joe \"Mr. X\" \"\" \"a\\\"b\\\\\" \"it's\" \"#1\" -1 \"X 64\"\r\n");
    }

    #[test]
    fn what_is_written_is_split_again() {
        for text in ["", "a", "a b", "'", "\"", "\\", "\\n", "#1", "ä\u{a0}ö", "\t", "a'b\"c\\d"] {
            let line = written(|w| w.word(text));
            let mut room = [0; 99];
            let mut words = Words::split(line.trim_end_matches("\r\n").as_bytes(), &mut room).unwrap();
            assert_eq!((words.next(), words.next()), (Some(text), None), "{line}");
        }
    }

    #[test]
    fn a_line_that_does_not_fit_is_none() {
        for length in 0..6 {
            let mut room = [0; 6];
            let mut writer = Writer::new(&mut room[..length]);
            writer.word("noop");
            assert_eq!(writer.end(), None);
        }
        let mut measured = Writer::new(&mut []);
        measured.word("a b");
        assert_eq!(measured.length(), "\"a b\"\r\n".len());
        let mut room = [0; 6];
        let mut writer = Writer::new(&mut room);
        writer.word("noop");
        assert_eq!(writer.end(), Some(6));
        assert_eq!(&room, b"noop\r\n");
    }
}

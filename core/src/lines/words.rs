//! A line's tag and words.
//!
//! Words are split as a POSIX shell does: '…' as it is, "…" with `\"` and `\\`, a backslash before anything outside
//! quotes. `#` is no comment.

use heapless::Vec;

/// The longest tag, its `#` counted.
pub const TAG_MAX: usize = 20;
/// Words that are looked at: no command has more; what is beyond is an extra argument, and those are ignored.
pub const WORDS_MAX: usize = 10;

/// What a command is answered with: `#` and digits as sent, or `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'a>(Option<&'a str>);

impl<'a> Tag<'a> {
    /// No tag was sent.
    pub const NONE: Self = Self(None);

    /// `#` and at least one digit, at most [`TAG_MAX`] characters.
    pub fn new(word: &'a str) -> Option<Self> {
        let digits = word.strip_prefix('#')?;
        let fits = !digits.is_empty() && word.len() <= TAG_MAX && digits.bytes().all(|byte| byte.is_ascii_digit());
        fits.then_some(Self(Some(word)))
    }

    /// As it stands before an answer.
    pub fn text(self) -> &'a str {
        self.0.unwrap_or("-")
    }
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It begins with `#`, but no tag does.
    Tag,
    NotUtf8,
    /// A quote without its other half, or a backslash with nothing behind it.
    Quoting,
}

/// A line with its tag taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tagged<'a> {
    pub tag: Tag<'a>,
    /// What follows the tag, and where in the line it begins.
    pub rest: &'a [u8],
    pub at: usize,
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Takes the tag off a line; a bad one is an error of the line as a whole.
pub fn split_tag(line: &[u8]) -> Result<Tagged<'_>, Flaw> {
    let blank = line.iter().take_while(|byte| is_space(**byte)).count();
    let text = line.get(blank..).unwrap_or_default();
    if text.first() != Some(&b'#') {
        return Ok(Tagged { tag: Tag::NONE, rest: text, at: blank });
    }
    let length = text.iter().take_while(|byte| !is_space(**byte)).count();
    let (word, rest) = text.split_at_checked(length).unwrap_or_default();
    let tag = core::str::from_utf8(word).ok().and_then(Tag::new).ok_or(Flaw::Tag)?;
    Ok(Tagged { tag, rest, at: blank + length })
}

/// The words of a line, one after the other.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    words: Vec<&'a str, WORDS_MAX>,
    /// Where in the line each begins, quotes included.
    starts: Vec<u16, WORDS_MAX>,
    next: usize,
}

impl<'a> Words<'a> {
    /// Splits `text`; the words without their quotes lie in `room`, which must be as long as the text.
    pub fn split(text: &[u8], room: &'a mut [u8]) -> Result<Self, Flaw> {
        core::str::from_utf8(text).map_err(|_| Flaw::NotUtf8)?;
        let mut ends: Vec<(usize, usize, u16), WORDS_MAX> = Vec::new();
        let mut reader = Reader { text, at: 0, room: &mut *room, written: 0 };
        while let Some(start) = reader.skip_space() {
            let from = reader.written;
            reader.word()?;
            // What is beyond the last word that is looked at must still be sound.
            let _ = ends.push((from, reader.written, start as u16));
        }
        let room: &'a [u8] = room;
        let mut split = Self { words: Vec::new(), starts: Vec::new(), next: 0 };
        for &(from, to, start) in &ends {
            // Whole characters were copied: it is text again.
            let word = room.get(from..to).and_then(|word| core::str::from_utf8(word).ok()).ok_or(Flaw::NotUtf8)?;
            let _ = (split.words.push(word), split.starts.push(start));
        }
        Ok(split)
    }

    /// The word that comes next, without taking it.
    pub fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).copied()
    }

    /// Where the `n`th word of the line begins.
    pub fn start(&self, n: usize) -> Option<usize> {
        self.starts.get(n).map(|start| usize::from(*start))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;
    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.next += 1;
        Some(word)
    }
}

struct Reader<'t, 'r> {
    text: &'t [u8],
    at: usize,
    room: &'r mut [u8],
    written: usize,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn write(&mut self, byte: u8) {
        if let Some(room) = self.room.get_mut(self.written) {
            *room = byte;
            self.written += 1;
        }
    }

    /// Where the next word begins; `None` at the end.
    fn skip_space(&mut self) -> Option<usize> {
        while is_space(self.peek()?) {
            self.at += 1;
        }
        Some(self.at)
    }

    fn word(&mut self) -> Result<(), Flaw> {
        while let Some(byte) = self.peek().filter(|byte| !is_space(*byte)) {
            self.at += 1;
            match byte {
                b'\'' => self.literal()?,
                b'"' => self.quoted()?,
                b'\\' => {
                    let byte = self.take().ok_or(Flaw::Quoting)?;
                    self.write(byte);
                }
                _ => self.write(byte),
            }
        }
        Ok(())
    }

    fn literal(&mut self) -> Result<(), Flaw> {
        loop {
            match self.take().ok_or(Flaw::Quoting)? {
                b'\'' => return Ok(()),
                byte => self.write(byte),
            }
        }
    }

    fn quoted(&mut self) -> Result<(), Flaw> {
        loop {
            match self.take().ok_or(Flaw::Quoting)? {
                b'"' => return Ok(()),
                b'\\' => match self.take().ok_or(Flaw::Quoting)? {
                    byte @ (b'"' | b'\\') => self.write(byte),
                    other => {
                        self.write(b'\\');
                        self.write(other);
                    }
                },
                byte => self.write(byte),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn split(text: &str) -> Result<Vec<String>, Flaw> {
        let mut room = [0; 512];
        Ok(Words::split(text.as_bytes(), &mut room)?.map(|word| word.to_string()).collect())
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        let cases: [(&str, &[&str]); 9] = [
            ("", &[]),
            ("  \t ", &[]),
            ("move 140 taxi", &["move", "140", "taxi"]),
            (r#"login "my name" 'my "pass" \word'"#, &["login", "my name", r#"my "pass" \word"#]),
            (r#"a"b c"d ''"" \ x"#, &["ab cd", "", " x"]),
            (r#""\"\\\n" \"q"#, &[r#""\\n"#, "\"q"]),
            ("chatall #5 is # no comment", &["chatall", "#5", "is", "#", "no", "comment"]),
            ("'ä ö' ü", &["ä ö", "ü"]),
            (r"\ä", &["ä"]),
        ];
        for (text, words) in cases {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
        assert_eq!(split("1 2 3 4 5 6 7 8 9 10 11 12").unwrap().len(), WORDS_MAX);
    }

    #[test]
    fn half_a_quote_is_a_flaw() {
        for text in ["\"", "'", "a \"b", "'b\"", "\\", "a\\", "\"a\\", "\"\\\"", "1 2 3 4 5 6 7 8 9 10 11 'x"] {
            assert_eq!(split(text), Err(Flaw::Quoting), "{text}");
        }
        assert_eq!(Words::split(b"\xff", &mut [0; 9]).map(|_| ()), Err(Flaw::NotUtf8));
    }

    #[test]
    fn words_know_where_they_began() {
        let mut room = [0; 64];
        let words = Words::split(b" login  \"my name\" \\x", &mut room).unwrap();
        assert_eq!([0, 1, 2, 3].map(|n| words.start(n)), [Some(1), Some(8), Some(18), None]);
    }

    #[test]
    fn a_tag_is_kept_as_sent() {
        let tagged = |line| split_tag(line).map(|t| (t.tag.text(), t.rest, t.at));
        assert_eq!(tagged(b"#00001 noop"), Ok(("#00001", &b" noop"[..], 6)));
        assert_eq!(tagged(b" #7"), Ok(("#7", &b""[..], 3)));
        assert_eq!(tagged(b"noop"), Ok(("-", &b"noop"[..], 0)));
        assert_eq!(tagged(b""), Ok(("-", &b""[..], 0)));
        assert_eq!(tagged(b"#0123456789012345678\tx"), Ok(("#0123456789012345678", &b"\tx"[..], 20)));
        for line in [&b"#"[..], b"# 1", b"#1a noop", b"#01234567890123456789 noop", b"#\xff", b"##1", b"#-1"] {
            assert_eq!(tagged(line), Err(Flaw::Tag), "{line:?}");
        }
    }

    #[test]
    fn any_bytes_at_all_are_split_or_refused() {
        let mut state = 7u32;
        for round in 0..20_000 {
            let mut text = [0; 24];
            for byte in &mut text {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let pick = (state >> 16) as u8;
                *byte = if round % 2 == 0 { pick } else { b" \t\r\"'\\#ab"[usize::from(pick) % 9] };
            }
            let mut room = [0; 24];
            if let Ok(tagged) = split_tag(&text) {
                let _ = Words::split(tagged.rest, &mut room).map(|words| words.count());
            }
        }
    }
}
